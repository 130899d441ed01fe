/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c - a Lua state with its caps, and the meaning of its failures.
 */
#include "script/host.h"

#include "event/render.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* == the memory cap == */

/* The rounding of the C library: a block and its head of 8 bytes take a
 * multiple of 16, and at least 32. */
enum { HEAP_HEAD = 8, HEAP_UNIT = 16, HEAP_MIN = 32 };

/* The size that a block takes of the heap.  Small blocks take up to half as
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
 * Remember the line, because Lua's memory error comes without a line.  This
 * function only reads and allocates nothing.  The main thread's chain of calls
 * is whole whenever Lua asks for memory.  After the chain has ended (Lua tries
 * to move the stack once more on the way out), the last remembered place stays.
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

/* Move a block.  io.killed may leave for good, but not from inside the heap of
 * the C library, so the call is guarded. */
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
	/* without a block, size is the type of the object */
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
tl_memory_charge(lua_State *L, struct tl_state *host, size_t size)
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
tl_memory_release(struct tl_state *host, size_t size)
{
	host->memory.used -= size;
}

/* == states == */

enum {
	TRACEBACK_LEVELS_MAX = 50, /* levels searched for a line */
	CPU_SECONDS_MAX = 1000000  /* keeps the ticks within an int */
};

/* The first words of luaL_traceback. */
static const char traceback[] = "\nstack traceback:";

/* Runs protected, because every call here may lack memory. */
static int
open_libraries(lua_State *L)
{
	const struct tl_state *host = lua_touserdata(L, 1);

	if (host->open) {
		host->open(L);
		return 0;
	}
	tl_sandbox_open(L, host->trusted);
	tl_library_push(L);
	lua_getfield(L, -1, "print");
	lua_setglobal(L, "print");
	lua_setglobal(L, "timeline");
	return 0;
}

static void
set_limits(struct tl_state *host, const struct tl_script_limits *limits)
{
	static const struct tl_script_limits defaults = { 0 };

	if (!limits)
		limits = &defaults;
	host->trusted = limits->trusted;
	host->lifted_by = limits->lifted_by;
	host->memory.size_max = limits->memory_bytes ? limits->memory_bytes
						     : TL_SCRIPT_MEMORY_BYTES;
	host->watch.seconds =
	    limits->cpu_seconds ? limits->cpu_seconds : TL_SCRIPT_CPU_SECONDS;
	if (host->watch.seconds > CPU_SECONDS_MAX)
		host->watch.seconds = CPU_SECONDS_MAX;
	if (!limits->trusted)
		return;
	host->memory.size_max = SIZE_MAX;
	host->watch.seconds = 0;
}

int
tl_state_open(lua_State **state, struct tl_state *host,
    const struct tl_script_limits *limits, const struct tl_script_io *io,
    struct tl_fault *fault)
{
	lua_State *L;
	int rc;

	host->io = *io;
	set_limits(host, limits);
	L = lua_newstate(tl_memory_allocate, &host->memory);
	if (!L)
		return tl_fail(fault, -ENOMEM, "not enough memory");
	host->memory.L = L;
	host->memory.watch = &host->watch;
	host->watch.L = L;
	host->watch.killed = io->killed;
	host->watch.context = io->context;
	rc = tl_watch_start(&host->watch);
	if (rc < 0) {
		tl_fail(fault, rc, "no timer for the time cap: %s",
		    strerror(-rc));
		goto close;
	}
	lua_pushcfunction(L, tl_host_open);
	lua_pushlightuserdata(L, host);
	rc = lua_pcall(L, 1, 0, 0);
	if (rc == LUA_OK) {
		lua_pushcfunction(L, open_libraries);
		lua_pushlightuserdata(L, host);
		rc = lua_pcall(L, 1, 0, 0);
	}
	if (rc == LUA_OK) {
		*state = L;
		return 0;
	}
	rc = tl_state_failed(L, host, rc, NULL, fault);
close:
	tl_state_close(L, host);
	return rc;
}

void
tl_state_close(lua_State *L, struct tl_state *host)
{
	tl_watch_stop(&host->watch);
	lua_close(L);
	tl_text_free(&host->text);
}

/* == failures == */

/* Does the text begin with a place, as "name:12:"? */
static bool
has_place(const char *text)
{
	const char *colon = strchr(text, ':');

	while (colon) {
		size_t digits = strspn(colon + 1, "0123456789");

		if (digits > 0 && colon[1 + digits] == ':')
			return true;
		if (strchr(colon, '\n'))
			return false;
		colon = strchr(colon + 1, ':');
	}
	return false;
}

/* Push the place of the innermost Lua function that runs, or "". */
static void
push_place(lua_State *L)
{
	for (int level = 0; level < TRACEBACK_LEVELS_MAX; level++) {
		luaL_where(L, level);
		if (*lua_tostring(L, -1))
			return;
		lua_pop(L, 1);
	}
	lua_pushstring(L, "");
}

/* Push the text of an error of timeline.fail.  The message is for the user of
 * the command, to whom a line of the script means nothing. */
static bool
push_plain_failure(lua_State *L)
{
	if (!lua_istable(L, 1))
		return false;
	lua_pushstring(L, "failure");
	return lua_rawget(L, 1) == LUA_TSTRING;
}

int
tl_state_explain(lua_State *L)
{
	const char *text;

	if (push_plain_failure(L))
		return 1;
	text = luaL_tolstring(L, 1, NULL);
	if (!has_place(text)) {
		push_place(L);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	luaL_traceback(L, L, lua_tostring(L, -1), 1);
	return 1;
}

static int
meaning(const struct tl_state *host, int status)
{
	if (host->watch.expired)
		return -ETIME;
	if (host->rc < 0)
		return host->rc;
	switch (status) {
	case LUA_ERRMEM:
		return -ENOMEM;
	case LUA_ERRSYNTAX:
		return -ENOEXEC;
	default:
		return -ECANCELED;
	}
}

/* The error that was raised, without the chain of calls. */
static struct tl_bytes
first_line(lua_State *L)
{
	struct tl_bytes text;
	const char *calls;

	text.data = lua_tolstring(L, -1, &text.size);
	if (!text.data)
		return tl_bytes_of("unknown error");
	calls = strstr(text.data, traceback);
	return calls ? tl_bytes(text.data, (size_t)(calls - text.data)) : text;
}

/* Did the memory cap refuse?  Lua's message and ours have the same end. */
static bool
is_memory(const struct tl_state *host, struct tl_bytes line)
{
	return host->memory.refused &&
	       tl_bytes_end_with(line, "not enough memory");
}

int
tl_state_failed(lua_State *L, struct tl_state *host, int status,
    struct tl_text *whole, struct tl_fault *fault)
{
	const struct tl_bytes line = first_line(L);
	struct tl_text *text = whole ? whole : &host->text;
	const int rc =
	    meaning(host, is_memory(host, line) ? LUA_ERRMEM : status);
	const char *calls = strstr(line.data + line.size, traceback);
	bool memory;

	tl_text_clear(text);
	text->rc = 0;
	/* Put the error.  Lua's own message about memory has neither a place
	 * nor the cap, and no message has the remedy, so they are added. */
	memory = is_memory(host, line);
	if (memory && line.data[0] == 'n')
		tl_put_string(text, host->memory.place);
	tl_put_printed(text, line);
	if (memory) {
		tl_put_string(text, ": the cap is ");
		tl_put_unsigned(text, host->memory.size_max >> 20);
		tl_put_string(text, " MiB");
	}
	if (host->lifted_by && (memory || host->watch.expired)) {
		tl_put_string(text, "; ");
		tl_put_string(text, host->lifted_by);
		tl_put_string(text, " lifts it");
	}
	/* Put the event that the script was reading. */
	if (host->has_current) {
		tl_put_string(text, "; last event: ");
		tl_render_time(text, &host->current);
		tl_put_char(text, ' ');
		if (host->current.message) {
			tl_put_plain(text, host->current.message->category);
			tl_put_char(text, ' ');
			tl_render_line(text, &host->current);
		} else {
			tl_put_unsigned(text, host->current.lost);
			tl_put_string(text, " entries lost");
		}
	}
	tl_fail(fault, rc, "%s", tl_text_string(text));
	if (calls)
		tl_put_printed(text, tl_bytes_of(calls));
	lua_pop(L, 1);
	return rc;
}
