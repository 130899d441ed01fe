/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.c - find the frames of a compressed file, and the table of frames.
 */
#include "snap/frames.h"

#include "base/array.h"
#include "base/fault.h"
#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* == walk == */

struct tl_zst_walk {
	struct tl_storage *file;
	uint64_t at;      /* offset of the current frame */
	uint64_t packed;  /* size of the frame in the file */
	uint64_t decoded; /* decoded size in the frame's header */
	/* bytes of the file from window_at on; the caller frees window */
	uint8_t *window;
	uint64_t window_at;
	size_t window_size;
};

enum {
	WINDOW_SIZE = 64 << 10,
	HEADER_MAX = 18,
	BLOCK_HEADER_SIZE = 3,
	BLOCK_RLE = 1,
	BLOCK_RESERVED = 3
};

static int
cut(uint64_t at, struct tl_fault *fault)
{
	return tl_fault(fault, -ENODATA, at,
	    "the file ends inside a compressed frame");
}

/* Read up to `size` bytes at a place.  *n is the number of bytes read. */
static int
peek(struct tl_zst_walk *w, uint64_t at, size_t size, const uint8_t **data,
    size_t *n)
{
	int64_t got;

	if (!w->window && !(w->window = malloc(WINDOW_SIZE)))
		return -ENOMEM;
	if (at < w->window_at || at + size > w->window_at + w->window_size) {
		got = tl_storage_read_at(w->file, w->window, WINDOW_SIZE, at);
		if (got < 0)
			return (int)got;
		w->window_at = at;
		w->window_size = (size_t)got;
	}
	*data = w->window + (at - w->window_at);
	*n = w->window_size - (size_t)(at - w->window_at);
	if (*n > size)
		*n = size;
	return 0;
}

/* The size of a frame's header, before the first block. */
static size_t
header_size(uint8_t descriptor)
{
	static const uint8_t dictionary[4] = { 0, 1, 2, 4 };
	static const uint8_t content[4] = { 0, 2, 4, 8 };
	const bool single = descriptor & 0x20;
	const unsigned flag = descriptor >> 6;

	return 5 + !single + dictionary[descriptor & 3] +
	       (single && flag == 0 ? 1 : content[flag]);
}

/* Skip the blocks of a frame.  *at moves to the end of the last block. */
static int
pass_blocks(struct tl_zst_walk *w, uint64_t *at, struct tl_fault *fault)
{
	const uint8_t *block;
	bool last = false;
	uint32_t word, type;
	size_t n;
	int rc;

	while (!last) {
		rc = peek(w, *at, BLOCK_HEADER_SIZE, &block, &n);
		if (rc != 0)
			return rc;
		if (n < BLOCK_HEADER_SIZE)
			return cut(w->at, fault);
		word = (uint32_t)block[0] | (uint32_t)block[1] << 8 |
		       (uint32_t)block[2] << 16;
		last = word & 1;
		type = word >> 1 & 3;
		if (type == BLOCK_RESERVED)
			return tl_fault(fault, -EBADMSG, *at,
			    "a block of an unknown kind");
		*at += BLOCK_HEADER_SIZE + (type == BLOCK_RLE ? 1 : word >> 3);
	}
	return 0;
}

/* Measure the frame at w->at, which is not skippable.  data has the first n
 * bytes of the frame. */
static int
measure(struct tl_zst_walk *w, const uint8_t *data, size_t n,
    struct tl_fault *fault)
{
	unsigned long long decoded;
	uint64_t at = w->at;
	const bool checksum = n > 4 && (data[4] & 4);
	int rc;

	if (n < 5 || n < header_size(data[4]))
		return cut(w->at, fault);
	decoded = ZSTD_getFrameContentSize(data, n);
	if (decoded == ZSTD_CONTENTSIZE_ERROR ||
	    decoded == ZSTD_CONTENTSIZE_UNKNOWN)
		return tl_fault(fault, -EFBIG, w->at,
		    "no table, and a frame that does not say its size");
	if (decoded > TL_ZST_FRAME_MAX)
		return tl_fault(fault, -EFBIG, w->at,
		    "a frame of %llu bytes is too large to seek in", decoded);
	at += header_size(data[4]);
	if ((rc = pass_blocks(w, &at, fault)) != 0)
		return rc;
	at += checksum ? 4 : 0;
	if (at > w->file->size)
		return cut(w->at, fault);
	w->packed = at - w->at;
	w->decoded = decoded;
	return 1;
}

/*
 * Find the next frame that is not skippable.  1; 0: the end; -ENODATA: the file
 * ends inside a frame; -EBADMSG: not a frame, or of unknown size; -EFBIG: the
 * frame decodes to more than TL_ZST_FRAME_MAX.  The fault has the place.
 */
static int
zst_walk_next(struct tl_zst_walk *w, struct tl_fault *fault)
{
	const uint8_t *data;
	uint64_t skipped;
	size_t n;
	int rc;

	w->at += w->packed;
	w->packed = 0;
	while (w->at < w->file->size) {
		if ((rc = peek(w, w->at, HEADER_MAX, &data, &n)) != 0)
			return rc;
		if (n < TL_ZST_SKIPPABLE_SIZE)
			return cut(w->at, fault);
		if (!tl_zst_is_magic(data))
			return tl_fault(fault, -EBADMSG, w->at,
			    "not a compressed frame");
		if (tl_zst_get32(data) == TL_ZST_MAGIC)
			return measure(w, data, n, fault);
		skipped =
		    TL_ZST_SKIPPABLE_SIZE + (uint64_t)tl_zst_get32(data + 4);
		if (skipped > w->file->size - w->at)
			return cut(w->at, fault);
		w->at += skipped;
	}
	return 0;
}

/* == table == */

enum {
	ROWS_AT_ONCE = 1024,
	BLOCK_MIN = 4,                /* bytes of the smallest block */
	BLOCK_DECODED_MAX = 128 << 10 /* bytes that a block can decode to */
};

/* Remove the frames.  The file then ends at its begin. */
static int
clear(struct tl_zst_table *t)
{
	t->count = 0;
	t->decoded_max = 0;
	if (TL_ARRAY_ROOM(t->frames, t->capacity, 0) < 0)
		return -ENOMEM;
	t->frames[0] = (struct tl_zst_frame){ 0 };
	return 0;
}

/* Add a frame.  1: the frame is invalid, because a small frame cannot decode to
 * a very large one. */
static int
add(struct tl_zst_table *t, uint64_t packed, uint64_t decoded)
{
	struct tl_zst_frame *end;

	if (decoded > packed / BLOCK_MIN * BLOCK_DECODED_MAX ||
	    decoded > TL_ZST_FRAME_MAX || packed > UINT32_MAX ||
	    t->count >= TL_ZST_FRAMES_MAX)
		return 1;
	if (TL_ARRAY_ROOM(t->frames, t->capacity, t->count + 1) < 0)
		return -ENOMEM;
	if (decoded > t->decoded_max)
		t->decoded_max = decoded;
	end = &t->frames[t->count++];
	end->size = (uint32_t)packed;
	end[1] = (struct tl_zst_frame){ .at = end->at + packed,
		.begin = end->begin + decoded };
	return 0;
}

/* == the table in the file == */

/* The place and the format of the table. */
struct shape {
	uint64_t at; /* offset of the skippable frame */
	uint32_t count;
	size_t row_size;
};

/* Read exactly `size` bytes.  0; 1: the file is too short; -errno. */
static int
read_exactly(struct tl_storage *file, void *data, size_t size, uint64_t at)
{
	const int64_t n = tl_storage_read_at(file, data, size, at);

	if (n < 0)
		return (int)n;
	return n < (int64_t)size;
}

static int
read_shape(struct shape *shape, struct tl_storage *file)
{
	uint8_t footer[TL_ZST_FOOTER_SIZE];
	uint8_t head[TL_ZST_SKIPPABLE_SIZE];
	uint64_t size;
	int rc;

	if (file->size < sizeof(footer) + sizeof(head))
		return 1;
	if ((rc = read_exactly(file, footer, sizeof(footer),
		 file->size - sizeof(footer))) != 0)
		return rc;
	if (tl_zst_get32(footer + 5) != TL_ZST_MAGIC_FOOTER ||
	    (footer[4] & TL_ZST_RESERVED))
		return 1;
	shape->count = tl_zst_get32(footer);
	shape->row_size =
	    footer[4] & TL_ZST_HAS_CHECKSUMS ? TL_ZST_ROW_MAX : TL_ZST_ROW_SIZE;
	size = (uint64_t)shape->count * shape->row_size + TL_ZST_FOOTER_SIZE;
	if (shape->count > TL_ZST_FRAMES_MAX ||
	    size + sizeof(head) > file->size)
		return 1;
	shape->at = file->size - size - sizeof(head);
	if ((rc = read_exactly(file, head, sizeof(head), shape->at)) != 0)
		return rc;
	return tl_zst_get32(head) != TL_ZST_MAGIC_TABLE ||
	       tl_zst_get32(head + 4) != size;
}

/* == a walk over all frames == */

static int
walk(struct tl_zst_table *t, struct tl_storage *file, struct tl_fault *fault)
{
	struct tl_zst_walk w = { .file = file };
	int rc = clear(t);

	while (rc == 0 && (rc = zst_walk_next(&w, fault)) > 0) {
		t->frames[t->count].at = w.at;
		rc = add(t, w.packed, w.decoded);
		if (rc > 0)
			rc = tl_fault(fault, -EFBIG, w.at,
			    "a frame that cannot decode to its size, "
			    "or too many frames");
	}
	free(w.window);
	if (rc == -ENODATA && t->count > 0) { /* use the whole frames */
		t->fault = *fault;
		*fault = (struct tl_fault){ 0 };
		rc = 0;
	}
	return rc;
}

int
tl_zst_table_read(struct tl_zst_table *table, struct tl_storage *file,
    struct tl_fault *fault)
{
	struct tl_fault wrong = { 0 };
	struct shape shape;
	int rc = read_shape(&shape, file);

	*table = (struct tl_zst_table){ 0 };
	if (rc == 0) {
		uint8_t rows[ROWS_AT_ONCE * TL_ZST_ROW_MAX];
		uint64_t at = shape.at + TL_ZST_SKIPPABLE_SIZE;

		/* Read the rows of the table.  0; 1: the table is invalid;
		 * -errno. */
		rc = clear(table);
		for (size_t left = shape.count; rc == 0 && left > 0;) {
			const size_t n =
			    left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
			const size_t size = n * shape.row_size;

			rc = read_exactly(file, rows, size, at);
			for (const uint8_t *row = rows;
			     rc == 0 && row < rows + size;
			     row += shape.row_size)
				rc = add(table, tl_zst_get32(row),
				    tl_zst_get32(row + 4));
			at += size;
			left -= n;
		}
		rc = rc ? rc : table->frames[table->count].at != shape.at;
		if (rc > 0)
			tl_fault(&table->fault, -EBADMSG, shape.at,
			    "the table of compressed frames is wrong");
	}
	if (rc > 0)
		rc = walk(table, file, &wrong);
	if (rc == 0)
		return 0;
	tl_zst_table_free(table);
	tl_fail(&wrong, rc, "%s", strerror(-rc));
	return tl_fault(fault, rc, wrong.at, "%s", wrong.text);
}

void
tl_zst_table_free(struct tl_zst_table *table)
{
	free(table->frames);
	table->frames = NULL;
}

size_t
tl_zst_table_find(const struct tl_zst_table *table, uint64_t offset)
{
	size_t i;

	TL_SEARCH(i, 1, table->count, table->frames[i].begin <= offset);
	return i - 1;
}
