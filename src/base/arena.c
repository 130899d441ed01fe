/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c - append texts to chunks in memory, then in a temporary file. */
#include "base/arena.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGN = 4 };

void
tl_arena_init(struct tl_arena *heap)
{
	*heap = (struct tl_arena){ .fd = -1, .used = TL_ARENA_CHUNK };
}

void
tl_arena_free(struct tl_arena *heap)
{
	while (heap->count > 0)
		munmap(heap->chunks[--heap->count], TL_ARENA_CHUNK);
	free(heap->chunks);
	if (heap->fd >= 0)
		close(heap->fd);
	tl_arena_init(heap);
}

/* Map the next piece of the file.  The kernel may write unused pages of the
 * piece to the file and drop them. */
static void *
map_file(struct tl_arena *heap)
{
	const off_t at =
	    (off_t)(heap->count - TL_ARENA_MEMORY_CHUNKS) * TL_ARENA_CHUNK;

	if (heap->fd < 0)
		heap->fd = tl_file_unnamed();
	if (heap->fd < 0) {
		errno = -heap->fd;
		return MAP_FAILED;
	}
	/* Reserve the room on the disk now, or a store would raise SIGBUS
	 * later. */
	errno = -tl_file_reserve(heap->fd, (uint64_t)at, TL_ARENA_CHUNK);
	if (errno != 0)
		return MAP_FAILED;
	return mmap(NULL, TL_ARENA_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED,
	    heap->fd, at);
}

static int
add_chunk(struct tl_arena *heap)
{
	char **chunks =
	    realloc(heap->chunks, (heap->count + 1) * sizeof(*chunks));
	void *chunk;

	if (!chunks)
		return -ENOMEM;
	heap->chunks = chunks;
	if (heap->count > TL_ARENA_MEMORY_CHUNKS)
		madvise(chunks[heap->count - 1], TL_ARENA_CHUNK, MADV_DONTNEED);
	if (heap->count < TL_ARENA_MEMORY_CHUNKS)
		chunk = mmap(NULL, TL_ARENA_CHUNK, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	else
		chunk = map_file(heap);
	if (chunk == MAP_FAILED)
		return -errno;
	heap->chunks[heap->count++] = chunk;
	heap->used = 0;
	return 0;
}

int
tl_arena_add(struct tl_arena *heap, struct tl_bytes text, uint64_t *place)
{
	const uint32_t size = (uint32_t)text.size;
	size_t whole;
	char *to;
	int rc;

	if (text.size > TL_ARENA_TEXT_MAX)
		return -EINVAL;
	whole = (sizeof(size) + text.size + ALIGN - 1) / ALIGN * ALIGN;
	if (TL_ARENA_CHUNK - heap->used < whole && (rc = add_chunk(heap)) < 0)
		return rc;
	to = heap->chunks[heap->count - 1] + heap->used;
	memcpy(to, &size, sizeof(size));
	if (text.size > 0)
		memcpy(to + sizeof(size), text.data, text.size);
	*place = (uint64_t)(heap->count - 1) * TL_ARENA_CHUNK + heap->used;
	heap->used += whole;
	return 0;
}

struct tl_bytes
tl_arena_get(const struct tl_arena *heap, uint64_t place)
{
	const uint64_t chunk = place / TL_ARENA_CHUNK;
	const size_t at = place % TL_ARENA_CHUNK;
	const char *from;
	uint32_t size;

	if (chunk >= heap->count ||
	    (chunk + 1 == heap->count && at >= heap->used))
		return tl_bytes(NULL, 0);
	from = heap->chunks[chunk] + at;
	memcpy(&size, from, sizeof(size));
	return tl_bytes(from + sizeof(size), size);
}
