/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - the memory cap of a Lua state. */
#include "script/host.h"

#include <stdio.h>
#include <stdlib.h>

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
	void *moved;

	if (!block)
		size = 0; /* Lua tells the type of the object there */
	if (wanted == 0) {
		move(memory, block, 0);
		memory->used -= size;
		return NULL;
	}
	if (wanted > size && wanted - size > memory->size_max - memory->used) {
		remember_place(memory);
		return NULL;
	}
	moved = move(memory, block, wanted);
	if (!moved)
		return NULL;
	memory->used += wanted - size;
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
