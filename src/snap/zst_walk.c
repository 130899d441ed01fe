/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zst_walk.c - frame headers and block headers of zstd, RFC 8878.
 *
 *	magic 4 | descriptor 1 | window 0-1 | dictionary 0-4 | content size 0-8
 *	{ last 1 bit, type 2 bits, size 21 bits | data } ... | checksum 0-4
 *
 * The file is read a window at a time: blocks may be as small as three bytes.
 */
#include "snap/zst_walk.h"
#include "snap/zst.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

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

/* Up to size bytes at a place, of which there are *n. */
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

/* Bytes before the first block. */
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

/* From the first block to behind the last; *at is moved there. */
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

/* A frame that decodes to something begins at w->at; data is n bytes of it. */
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

int
tl_zst_walk_next(struct tl_zst_walk *w, struct tl_fault *fault)
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
