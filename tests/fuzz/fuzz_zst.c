/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_zst.c - any bytes as a compressed file: opened, read at places that the
 * bytes choose, and read as a timeline.  Pieces must read the same as the
 * whole.
 */
#include "snap/compressed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { READ_MAX = 1 << 20, EVENTS_MAX = 100000 };

static struct tl_storage *
open_bytes(const uint8_t *data, size_t size, struct tl_fault *fault)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct tl_storage *file, *decoded = NULL;
	int rc;

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	rc = tl_storage_of_fd(&file, fd);
	assert(rc == 0);
	close(fd);
	rc = tl_zst_open(&decoded, file, fault);
	assert((rc == 0) == (decoded != NULL));
	assert(rc == 0 || (fault->rc == rc && fault->text[0]));
	return decoded;
}

/* The pieces end at odd places. */
static void
compare_reads(struct tl_storage *s, uint64_t at)
{
	static uint8_t once[READ_MAX], piece[READ_MAX];
	const int64_t n = tl_storage_read_at(s, once, READ_MAX, at);
	const uint64_t left = at < s->size ? s->size - at : 0;

	assert(n < 0 || n == (int64_t)(left < READ_MAX ? left : READ_MAX));
	for (int64_t i = 0; i < n;) {
		const size_t want = (size_t)(n - i + 1) / 2 + 1;
		const int64_t got =
		    tl_storage_read_at(s, piece, want, at + (uint64_t)i);

		assert(got > 0 && got <= (int64_t)want);
		if (got > n - i)
			break;
		assert(memcmp(once + i, piece, (size_t)got) == 0);
		i += got;
	}
}

static void
read_places(const uint8_t *data, size_t size)
{
	struct tl_fault fault = { 0 };
	struct tl_storage *s = open_bytes(data, size, &fault);
	uint64_t place;

	if (!s)
		return;
	compare_reads(s, 0);
	compare_reads(s, s->size / 2);
	compare_reads(s, s->size);
	if (size >= sizeof(place)) {
		memcpy(&place, data + size - sizeof(place), sizeof(place));
		compare_reads(s, s->size ? place % s->size : place);
	}
	tl_storage_close(s);
}

static void
read_timeline(const uint8_t *data, size_t size)
{
	struct tl_fault fault = { 0 };
	struct tl_storage *s = open_bytes(data, size, &fault);
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	int left = EVENTS_MAX;

	if (!s || tl_snap_open_storage(&snap, s, 0, &fault) != 0)
		return;
	if (tl_snap_cursor(snap, TL_NEWEST_FIRST, &cursor) == 0) {
		while (left-- > 0 && tl_cursor_next(cursor, &e) > 0)
			assert(e.kind == TL_LOST || e.message);
		tl_cursor_close(cursor);
	}
	tl_snap_close(snap);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_places(data, size);
	read_timeline(data, size);
	return 0;
}
