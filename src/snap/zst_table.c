/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zst_table.c - the table at the end, checked against the file.
 *
 * Its sizes must add up to the file, or it is not believed and the frames are
 * walked.  What a frame really decodes to is checked when it is decoded.
 */
#include "snap/zst_table.h"
#include "snap/zst.h"
#include "snap/zst_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROWS_AT_ONCE = 1024,
	FRAMES_MIN = 64,
	BLOCK_MIN = 4,                /* bytes of the least block ... */
	BLOCK_DECODED_MAX = 128 << 10 /* ... and what it can become */
};

static int
grow(struct tl_zst_table *t)
{
	const size_t capacity = t->capacity ? 2 * t->capacity : FRAMES_MIN;
	struct tl_zst_frame *frames =
	    realloc(t->frames, capacity * sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	if (t->capacity == 0)
		frames[0] = (struct tl_zst_frame){ 0 };
	t->frames = frames;
	t->capacity = capacity;
	return 0;
}

/* Forget the frames; their end is the begin of the file. */
static int
clear(struct tl_zst_table *t)
{
	t->count = 0;
	t->decoded_max = 0;
	if (t->capacity == 0)
		return grow(t);
	t->frames[0] = (struct tl_zst_frame){ 0 };
	return 0;
}

/* A frame behind the others; 1 when it cannot be: a little file cannot claim
 * to be a very large one. */
static int
add(struct tl_zst_table *t, uint64_t packed, uint64_t decoded)
{
	struct tl_zst_frame *end;
	int rc;

	if (decoded > packed / BLOCK_MIN * BLOCK_DECODED_MAX ||
	    decoded > TL_ZST_FRAME_MAX || packed > UINT32_MAX ||
	    t->count >= TL_ZST_FRAMES_MAX)
		return 1;
	if (t->count + 1 == t->capacity && (rc = grow(t)) != 0)
		return rc;
	if (decoded > t->decoded_max)
		t->decoded_max = decoded;
	end = &t->frames[t->count++];
	end->size = (uint32_t)packed;
	end[1] = (struct tl_zst_frame){ .at = end->at + packed,
		.begin = end->begin + decoded };
	return 0;
}

/* == its own table == */

/* Where the table is and of what shape. */
struct shape {
	uint64_t at; /* of the skippable frame */
	uint32_t count;
	size_t row_size;
};

/* 0, 1 when there is none, or -errno. */
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

static int
add_rows(struct tl_zst_table *t, const uint8_t *rows, size_t count,
    size_t row_size)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = add(t, tl_zst_get32(rows + i * row_size),
		    tl_zst_get32(rows + i * row_size + 4));
	return rc;
}

/* 0, 1 when it cannot be believed, or -errno. */
static int
read_rows(struct tl_zst_table *t, struct tl_storage *file,
    const struct shape *shape)
{
	uint8_t rows[ROWS_AT_ONCE * TL_ZST_ROW_MAX];
	uint64_t at = shape->at + TL_ZST_SKIPPABLE_SIZE;
	int rc = clear(t);

	for (size_t left = shape->count; rc == 0 && left > 0;) {
		const size_t n = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
		const size_t size = n * shape->row_size;

		if ((rc = read_exactly(file, rows, size, at)) == 0)
			rc = add_rows(t, rows, n, shape->row_size);
		at += size;
		left -= n;
	}
	return rc ? rc : t->frames[t->count].at != shape->at;
}

/* == all of it == */

static int
walk(struct tl_zst_table *t, struct tl_storage *file, struct tl_fault *fault)
{
	struct tl_zst_walk w = { .file = file };
	int rc = clear(t);

	while (rc == 0 && (rc = tl_zst_walk_next(&w, fault)) > 0) {
		t->frames[t->count].at = w.at;
		rc = add(t, w.packed, w.decoded);
		if (rc > 0)
			rc = tl_fault(fault, -EFBIG, w.at,
			    "a frame that cannot decode to its size, "
			    "or too many frames");
	}
	free(w.window);
	if (rc == -ENODATA && t->count > 0) { /* show what is there */
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
		rc = read_rows(table, file, &shape);
		if (rc > 0)
			tl_fault(&table->fault, -EBADMSG, shape.at,
			    "the table of compressed frames is wrong");
	}
	if (rc > 0)
		rc = walk(table, file, &wrong);
	if (rc == 0)
		return 0;
	tl_zst_table_free(table);
	tl_fault(&wrong, rc, TL_FAULT_NOWHERE, "%s", strerror(-rc));
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
	size_t low = 0;
	size_t high = table->count; /* its begin lies behind the offset */

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (table->frames[middle].begin <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}
