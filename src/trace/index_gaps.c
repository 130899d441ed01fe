/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_gaps.c - what lies between the blocks that an index knows of.
 *
 *	header | block | block | gap? | block | EOF, or where it was cut off
 *
 * In a whole file there is nothing.  A gap is damage, which is said every time
 * the file is opened, or a block that the index hides.
 */
#include "trace/index.h"

#include <errno.h>
#include <stdlib.h>

enum { PIECE_SIZE = 64 << 10 };

static int
take_block(void *context, const struct tl_trace_block *block, uint64_t at,
    struct tl_bytes content)
{
	(void)context;
	(void)block;
	(void)at;
	(void)content;
	return -EEXIST;
}

static int
feed(struct tl_index *x, struct tl_scan *scan, uint64_t from, uint64_t end)
{
	char *piece = malloc(PIECE_SIZE);
	int64_t n = 1;
	int rc = piece ? 0 : -ENOMEM;

	for (uint64_t at = from; rc == 0 && n > 0 && at < end;
	     at += (uint64_t)n) {
		const uint64_t size =
		    end - at < PIECE_SIZE ? end - at : PIECE_SIZE;

		n = tl_storage_read_at(x->data, piece, (size_t)size, at);
		rc = n < 0 ? (int)n
			   : tl_scan_feed(scan, tl_bytes(piece, (size_t)n));
	}
	free(piece);
	return rc < 0 ? rc : tl_scan_finish(scan);
}

/* Whatever is between two places, the second of which is a known block (what
 * is wrong in that, its reader tells) or, UINT64_MAX, the end of the file. */
static int
check_gap(struct tl_index *x, uint64_t from, uint64_t end)
{
	struct tl_scan scan;
	int rc;

	if (from == end)
		return 0;
	tl_scan_init(&scan, x->options, take_block, NULL);
	tl_scan_begin_at(&scan, &x->header, x->seed, from);
	scan.inside = end != UINT64_MAX;
	rc = feed(x, &scan, from, end);
	x->damage += scan.damage;
	tl_scan_free(&scan);
	return rc;
}

int
tl_index_check_gaps(struct tl_index *x, size_t count)
{
	const uint8_t *bytes =
	    (const uint8_t *)x->bytes.data + TL_INDEX_HEADER_SIZE;
	uint64_t next = TL_TRACE_HEADER_SIZE;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++, bytes += TL_CELL_SIZE) {
		const struct tl_cell cell = tl_cell_get(bytes);

		if (cell.kind != TL_TRACE_BLOCK_START)
			continue;
		if ((uint64_t)cell.start < next)
			return -EEXIST; /* twice, or in another order */
		rc = check_gap(x, next, (uint64_t)cell.start);
		next = (uint64_t)cell.end + 1;
	}
	return rc < 0 ? rc : check_gap(x, next, UINT64_MAX);
}
