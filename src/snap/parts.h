/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - the copy of a follower's round: parts of a file in memory.
 *
 *	file	 header | heads | knots | names | strings | lanes
 *	parts	[header] [heads] [knots]		    [new entries]
 *
 * A round has few bytes of a large file.  The parts lie in one buffer, which is
 * kept from round to round, so that a round makes no file.  Other bytes read as
 * zeros, except in windows, whose bytes are read from the live file.
 */
#ifndef TL_SNAP_PARTS_H
#define TL_SNAP_PARTS_H

#include "base/file.h"

#include <timeline_layout.h>

enum { TL_PARTS_WINDOWS = 3 };

/* Bytes [at, at + size) of the file. */
struct tl_part {
	uint64_t at;
	size_t size;
	size_t from; /* offset in the buffer */
};

struct tl_parts {
	struct tl_storage storage; /* first: what readers hold */
	int live;
	struct tl_part windows[TL_PARTS_WINDOWS];
	struct tl_part *list; /* by offset, without overlaps */
	size_t count;
	size_t capacity;
	uint8_t *data;
	size_t used;
	size_t room;
	/* for tl_take(): the entries read at a time; NULL: not allocated yet */
	struct timeline_entry *chunk;
};

/* Start without parts.  The windows are header, names and strings.  live stays
 * the caller's. */
void tl_parts_init(struct tl_parts *parts, int live,
    const struct timeline_header *geometry);
/* Remove all parts, for a file of a new size. */
void tl_parts_clear(struct tl_parts *parts, uint64_t size);
/* Add a part.  No byte of the part may be in another part.  0 or -ENOMEM. */
int tl_parts_add(struct tl_parts *parts, const void *data, size_t size,
    uint64_t at);
/* Let bytes outside of the windows read as zeros. */
void tl_parts_zero(struct tl_parts *parts, uint64_t size, uint64_t at);
void tl_parts_free(struct tl_parts *parts);

#endif
