/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_lincheck.c - any bytes as a Lincheck trace: read in pieces that the
 * bytes choose and at once; what is written of it is a whole trace, which says
 * the same when it is read and written once more.
 */
#include "foreign.h"
#include "format/lincheck_read.h"
#include "format/lincheck_write.h"

/* Read, and write what was read. */
static void
read_and_write(struct foreign *f, struct tl_bytes in, struct tl_text *out)
{
	struct tl_writer *writer;
	const int rc = tl_lincheck_write_new(&writer, foreign_write, out, NULL);

	assert(rc == 0);
	foreign_read(f, tl_lincheck_read_new, in, 0, &writer->sink);
	tl_writer_free(writer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_bytes in = tl_bytes(data, size);
	struct foreign whole, pieces, again, third;
	struct tl_text out = { 0 }, more = { 0 };

	assert(tl_lincheck_recognise(in) <= 100);
	read_and_write(&whole, in, &out);
	foreign_read(&pieces, tl_lincheck_read_new, in,
	    size > 0 ? 1 + data[size - 1] % 16 : 1, NULL);
	assert(pieces.rc == whole.rc && pieces.all == whole.all &&
	       pieces.faults == whole.faults);
	if (whole.rc == 0 && out.size > 0) {
		read_and_write(&again, tl_bytes(out.data, out.size), &more);
		assert(again.rc == 0);
		foreign_read(&third, tl_lincheck_read_new,
		    tl_bytes(more.data, more.size), 0, NULL);
		assert(third.rc == 0 && third.all == again.all);
	}
	tl_text_free(&out);
	tl_text_free(&more);
	return 0;
}
