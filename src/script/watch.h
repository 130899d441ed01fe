/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - the time cap of a Lua state.
 *
 *	processor time      0 ........ cap .......... cap + grace
 *	while entered       |  counts   | hook raises   | io.killed
 *
 * A timer of the processor time of the process ticks; its signal handler
 * counts the ticks of every watch that is entered.
 */
#ifndef TL_SCRIPT_WATCH_H
#define TL_SCRIPT_WATCH_H

#include <lua.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

enum { TL_WATCH_MAX = 4096, TL_WATCH_TICK_MS = 50 };

struct tl_watch {
	lua_State *L;
	unsigned seconds; /* 0: no cap; then nothing here does anything */
	void (*killed)(void *context, const char *message, size_t size);
	void *context;
	const char *what; /* "script", "expression": for the message */
	bool started;
	/* Shared with the signal handler, which runs on the same thread. */
	volatile sig_atomic_t entered;
	volatile sig_atomic_t guarded;
	volatile sig_atomic_t ticks;
	volatile sig_atomic_t expired;
	volatile sig_atomic_t hooked; /* the interpreter has answered */
};

/* 0; -EBUSY when there are TL_WATCH_MAX; or -errno of the system. */
int tl_watch_start(struct tl_watch *watch);
void tl_watch_stop(struct tl_watch *watch);

/* Lua code runs from here on ... */
static inline void
tl_watch_enter(struct tl_watch *watch)
{
	watch->entered = 1;
}

/* ... to here. */
static inline void
tl_watch_leave(struct tl_watch *watch)
{
	watch->entered = 0;
}

/* The count starts again: the cap is one of each piece of work. */
static inline void
tl_watch_again(struct tl_watch *watch)
{
	watch->ticks = 0;
}

/* Between these, what killed looks at is being changed: it has to wait. */
static inline void
tl_watch_guard(struct tl_watch *watch)
{
	watch->guarded = 1;
}

static inline void
tl_watch_unguard(struct tl_watch *watch)
{
	watch->guarded = 0;
}

/* Raise the error of the cap if it is over: for our own long loops. */
void tl_watch_check(lua_State *L, struct tl_watch *watch);

/* A new coroutine hears of the end only through a hook of its own. */
void tl_watch_coroutine(lua_State *coroutine);

#endif
