/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_unpack.c - any bytes as a file that gzip or zstd compressed: decoded in
 * pieces of any size, the content is the same up to damage, and so are the
 * reports.
 */
#include "source/kinds.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FIRST_MAX = 4096, DECODED_MAX = 1 << 20 };

struct decoded {
	size_t size;
	struct tl_fault fault;
	char data[DECODED_MAX];
};

/* Decode the file fd, whose first bytes have been read. */
static void
decode(struct decoded *d, int fd, struct tl_bytes first, size_t step)
{
	struct tl_unpack *unpack;
	int64_t n = 1;
	int rc = (int)lseek(fd, (off_t)first.size, SEEK_SET);

	assert(rc == (int)first.size);
	rc = tl_unpack_new(&unpack, first, fd);
	assert(rc == 0);
	d->size = 0;
	memset(&d->fault, 0, sizeof(d->fault));
	while (n > 0 && d->size < DECODED_MAX) {
		const size_t left = DECODED_MAX - d->size;

		n = tl_unpack_read(unpack, d->data + d->size,
		    step < left ? step : left);
		assert(n >= 0 && (size_t)n <= step);
		d->size += (size_t)n;
	}
	if (n == 0 && tl_unpack_fault(unpack))
		d->fault = *tl_unpack_fault(unpack);
	tl_unpack_free(unpack);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct decoded whole, pieces;
	const size_t kept = size < FIRST_MAX ? size : FIRST_MAX;
	const struct tl_bytes first = tl_bytes(data, kept);
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);
	size_t least;

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (tl_unpack_recognise(first)) {
		decode(&whole, fd, first, DECODED_MAX);
		decode(&pieces, fd, first, 1 + data[size - 1]);
		/* the number of bytes before damage depends on the pieces */
		least = pieces.size < whole.size ? pieces.size : whole.size;
		assert(pieces.size == whole.size || whole.fault.text[0]);
		assert(memcmp(pieces.data, whole.data, least) == 0);
		/*
		 * libzstd compares the size that a frame claims only if it
		 * decodes the frame at once
		 */
		assert(whole.size == DECODED_MAX || whole.fault.text[0] ||
		       !pieces.fault.text[0]);
	}
	close(fd);
	return 0;
}
