/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - texts that are only ever added, any number of them: beyond a
 * budget of memory they lie in a temporary file that has no name.
 *
 *	chunk 0 | chunk 1 | ... | chunk N	(first in memory, then mapped)
 *	size u32 | bytes | size u32 | bytes ...
 */
#ifndef TL_BASE_ARENA_H
#define TL_BASE_ARENA_H

#include "base/bytes.h"

enum {
	TL_ARENA_CHUNK = 4 << 20,
	TL_ARENA_TEXT_MAX = TL_ARENA_CHUNK - 8,
	TL_ARENA_MEMORY_CHUNKS = 4 /* before the file is used */
};

/* Starts from tl_arena_init. */
struct tl_arena {
	char **chunks;
	size_t count;
	size_t used; /* of the last chunk */
	int fd;      /* of the file, or -1 */
};

void tl_arena_init(struct tl_arena *heap);
void tl_arena_free(struct tl_arena *heap);

/* Keep a copy, at *place.  0, -EINVAL too long, -ENOMEM, or -errno of creating
 * the file. */
int tl_arena_add(struct tl_arena *heap, struct tl_bytes text, uint64_t *place);
/* The text at a place, for as long as the heap lives; data is NULL where there
 * is none.  place is one that tl_arena_add gave, or beyond all of them. */
struct tl_bytes tl_arena_get(const struct tl_arena *heap, uint64_t place);

#endif
