/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_lincheck.c - any bytes as a Lincheck trace, read at once and in pieces
 * that the bytes choose.  The output is a whole trace, which stays the same
 * when it is read and written once more.  Each event is printed as the original
 * would print it, and the end of the bytes is taken for an index.
 */
#include "base/file.h"
#include "foreign.h"
#include "format/lincheck/lincheck.h"
#include "format/lincheck/print.h"

/* Read a trace and write it again. */
static void
read_and_write(struct foreign *f, struct tl_bytes in, struct tl_text *out)
{
	struct tl_writer *writer;
	const int rc = tl_lincheck_write_new(&writer, foreign_write, out, NULL);

	assert(rc == 0);
	foreign_read(f, tl_lincheck_read_new, in, 0, &writer->sink);
	tl_writer_free(writer);
}

struct printer {
	struct tl_sink sink; /* first: the reader sees this member */
	struct tl_text text;
};

static int
print(struct tl_sink *sink, const struct tl_event *event)
{
	struct printer *p = (struct printer *)(void *)sink;
	const struct tl_lincheck_print how = { .verbose = event->ns & 1,
		.result = event->ns & 2 ? event : NULL };

	tl_text_clear(&p->text);
	if (event->message)
		tl_lincheck_print(&p->text, event, &how);
	return p->text.rc;
}

/* The last bytes of the input as a storage. */
struct part {
	struct tl_storage storage;
	const uint8_t *data;
};

static int64_t
read_part(struct tl_storage *storage, void *data, size_t size, uint64_t offset)
{
	const struct part *p = (struct part *)storage;

	if (offset >= storage->size)
		return 0;
	if (size > storage->size - offset)
		size = (size_t)(storage->size - offset);
	memcpy(data, p->data + offset, size);
	return (int64_t)size;
}

static void
print_all(const uint8_t *data, size_t size)
{
	struct printer printer = { .sink = { print, NULL } };
	struct part part = { .storage = { .size = size / 2,
				 .read_at = read_part },
		.data = data + (size - size / 2) };
	struct tl_reader_thread thread;
	struct tl_reader *reader;
	int rc = tl_lincheck_read_new(&reader, &printer.sink, NULL);

	assert(rc == 0);
	rc = reader->feed(reader, tl_bytes(data, size));
	if (rc == 0 && reader->finish(reader) == 0) {
		assert(reader->beside(reader, &part.storage) == 0);
		for (size_t i = 0; reader->thread(reader, i, &thread); i++)
			assert(thread.number > 0);
	}
	reader->free(reader);
	tl_text_free(&printer.text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_bytes in = tl_bytes(data, size);
	struct foreign whole, pieces, again, third;
	struct tl_text out = { 0 }, more = { 0 };

	assert(tl_lincheck_recognise(in) <= 100);
	print_all(data, size);
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
