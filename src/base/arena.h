/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - any number of texts, which are added and never removed.  Texts
 * beyond a budget of memory are stored in a temporary file without a name.
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
	TL_ARENA_MEMORY_CHUNKS = 4 /* chunks before the file is used */
};

/* Initialise with tl_arena_init(). */
struct tl_arena {
	char **chunks;
	size_t count;
	size_t used; /* bytes of the last chunk */
	int fd;      /* the file, or -1 */
};

void tl_arena_init(struct tl_arena *heap);
void tl_arena_free(struct tl_arena *heap);

/* Keep a copy of a text, at *place.  0, -EINVAL too long, -ENOMEM, or -errno of
 * creating the file. */
int tl_arena_add(struct tl_arena *heap, struct tl_bytes text, uint64_t *place);
/* The text at a place, valid as long as the arena.  data is NULL if there is no
 * text.  place must come from tl_arena_add() or be beyond all such places. */
struct tl_bytes tl_arena_get(const struct tl_arena *heap, uint64_t place);

#endif
