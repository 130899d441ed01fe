/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - the memory cap of a Lua state. */
#include "script/host.h"

#include <stdio.h>
#include <stdlib.h>

/* How the C library rounds: a block and its head of 8 bytes take a multiple
 * of 16, and 32 at least. */
enum { HEAP_HEAD = 8, HEAP_UNIT = 16, HEAP_MIN = 32 };

/* What a block of that size takes of the heap: small ones take up to half as
 * much again, and a script has millions of them. */
static size_t
cost_of(size_t size)
{
	size_t cost;

	if (size == 0)
		return 0;
	if (size > SIZE_MAX - HEAP_HEAD - HEAP_UNIT)
		return SIZE_MAX;
	cost = (size + HEAP_HEAD + HEAP_UNIT - 1) & ~(size_t)(HEAP_UNIT - 1);
	return cost > HEAP_MIN ? cost : HEAP_MIN;
}

/*
 * Remember the line, because Lua's error of memory comes without one.  Only
 * reads: nothing here allocates.  The main thread's chain of calls is whole
 * whenever Lua asks for memory; when it has ended (Lua tries to move the stack
 * once more on the way out), the place remembered last stays.
 */
static void
remember_place(struct tl_memory *memory)
{
	lua_Debug where;

	memory->refused = true;
	if (!memory->L)
		return;
	for (int level = 0; lua_getstack(memory->L, level, &where); level++) {
		if (!lua_getinfo(memory->L, "Sl", &where) ||
		    where.currentline <= 0)
			continue;
		snprintf(memory->place, sizeof(memory->place),
		    "%s:%d: ", where.short_src, where.currentline);
		return;
	}
}

/* io.killed may leave for good, but not from inside the C library's heap. */
static void *
move(const struct tl_memory *memory, void *block, size_t wanted)
{
	void *moved = NULL;

	if (memory->watch)
		tl_watch_guard(memory->watch);
	if (wanted == 0)
		free(block);
	else
		moved = realloc(block, wanted);
	if (memory->watch)
		tl_watch_unguard(memory->watch);
	return moved;
}

void *
tl_memory_allocate(void *context, void *block, size_t size, size_t wanted)
{
	struct tl_memory *memory = context;
	/* without a block size tells the type of the object */
	const size_t had = block ? cost_of(size) : 0;
	const size_t wants = cost_of(wanted);
	void *moved;

	if (wanted == 0) {
		move(memory, block, 0);
		memory->used -= had;
		return NULL;
	}
	if (wants > had && wants - had > memory->size_max - memory->used) {
		remember_place(memory);
		return NULL;
	}
	moved = move(memory, block, wanted);
	if (!moved)
		return NULL;
	memory->used += wants - had;
	return moved;
}

void
tl_memory_charge(lua_State *L, struct tl_host *host, size_t size)
{
	struct tl_memory *memory = &host->memory;

	if (size > memory->size_max - memory->used)
		lua_gc(L, LUA_GCCOLLECT);
	if (size > memory->size_max - memory->used) {
		remember_place(memory);
		luaL_error(L, "not enough memory");
	}
	memory->used += size;
}

void
tl_memory_release(struct tl_host *host, size_t size)
{
	host->memory.used -= size;
}
