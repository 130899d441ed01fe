/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - memory of definitions.
 *
 * A signal handler that interrupted a definition may call fork, and in a
 * process of several threads fork waits for the locks of malloc.  So a
 * definition takes its memory from the kernel, not from malloc.
 *
 * A log call reads an event, then the gate and the levels in the header of the
 * file, and an append a head.  After other work has evicted the caches, each
 * page costs a walk of the page table, and a line of the table describes eight
 * pages.  So the first events lie in the pages before the mapping of the file,
 * in the eight pages of its header and of its first heads.
 */
#include "ring/ring.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum {
	CHUNK_SIZE = 64 << 10, /* mapped, but only pages in use are resident */
	LINE_SIZE = 8 * TIMELINE_PAGE_SIZE,
	FIRST_SIZE = LINE_SIZE - 2 * TIMELINE_PAGE_SIZE
};

struct tl_chunk {
	struct tl_chunk *next;
	size_t used;
	size_t room;
	_Alignas(TIMELINE_EVENT_SIZE) struct timeline_event events[];
};

static size_t
room_of(size_t size)
{
	return (size - offsetof(struct tl_chunk, events)) /
	       sizeof(struct timeline_event);
}

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

uint8_t *
tl_area_map(struct timeline *tl, size_t size)
{
	const int access = PROT_READ | PROT_WRITE;
	struct tl_chunk *first;
	uintptr_t at;

	tl->area_size = size + 2 * LINE_SIZE;
	tl->area = mmap(NULL, tl->area_size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (tl->area == MAP_FAILED)
		return NULL;
	at =
	    ((uintptr_t)tl->area + LINE_SIZE - 1) & ~(uintptr_t)(LINE_SIZE - 1);
	first = (struct tl_chunk *)at;
	if (mprotect(first, FIRST_SIZE, access) != 0) {
		tl_area_unmap(tl);
		return NULL;
	}
	first->room = room_of(FIRST_SIZE);
	tl->chunks = first;
	return (uint8_t *)first + FIRST_SIZE;
}

void
tl_area_unmap(struct timeline *tl)
{
	munmap(tl->area, tl->area_size);
}

struct timeline_event *
tl_chunks_take(struct timeline *tl, size_t count)
{
	struct tl_chunk *chunk = tl->chunks;

	if (chunk->used + count > chunk->room) {
		chunk = tl_pages_map(CHUNK_SIZE);
		if (!chunk)
			return NULL;
		chunk->room = room_of(CHUNK_SIZE);
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
	for (struct tl_chunk *chunk = tl->chunks, *next; chunk->next;
	     chunk = next) {
		next = chunk->next;
		tl_pages_unmap(chunk, CHUNK_SIZE);
	}
	tl->chunks = NULL;
}
