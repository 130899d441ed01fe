/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - memory of definitions.
 *
 * A signal handler that interrupted a definition may call fork, and in a
 * process of several threads fork waits for the locks of malloc.  So a
 * definition takes its memory from the kernel, not from malloc.
 */
#include "ring/ring.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK_SIZE = 64 << 10 }; /* mapped, but only pages in use are resident */

struct tl_chunk {
	struct tl_chunk *next;
	size_t used;
	_Alignas(TIMELINE_EVENT_SIZE) struct timeline_event events[];
};

void *
tl_pages_map(size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

void
tl_pages_unmap(void *pages, size_t size)
{
	if (pages)
		munmap(pages, size);
}

struct timeline_event *
tl_chunks_take(struct timeline *tl, size_t count)
{
	const size_t room = (CHUNK_SIZE - offsetof(struct tl_chunk, events)) /
			    sizeof(struct timeline_event);
	struct tl_chunk *chunk = tl->chunks;

	if (!chunk || chunk->used + count > room) {
		chunk = tl_pages_map(CHUNK_SIZE);
		if (!chunk)
			return NULL;
		chunk->next = tl->chunks;
		tl->chunks = chunk;
	}
	chunk->used += count;
	return &chunk->events[chunk->used - count];
}

void
tl_chunks_give_back(struct timeline *tl, size_t count)
{
	struct tl_chunk *chunk = tl->chunks;

	chunk->used -= count;
	memset(&chunk->events[chunk->used], 0,
	    count * sizeof(chunk->events[0]));
}

void
tl_chunks_set_ids(struct timeline *tl, int32_t ids)
{
	for (struct tl_chunk *chunk = tl->chunks; chunk; chunk = chunk->next)
		for (size_t i = 0; i < chunk->used; i++)
			chunk->events[i].ids = ids;
}

void
tl_chunks_free(struct timeline *tl)
{
	for (struct tl_chunk *chunk = tl->chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		tl_pages_unmap(chunk, CHUNK_SIZE);
	}
	tl->chunks = NULL;
}
