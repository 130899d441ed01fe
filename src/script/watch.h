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
	unsigned seconds; /* 0: no cap, and no function here does anything */
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

/* Start the watch.  Returns 0; -EBUSY: TL_WATCH_MAX watches exist; or -errno of
 * the system. */
int tl_watch_start(struct tl_watch *watch);
void tl_watch_stop(struct tl_watch *watch);

/* Begin of a piece of Lua code, which the watch counts ... */
static inline void
tl_watch_enter(struct tl_watch *watch)
{
	watch->entered = 1;
}

/* ... and its end. */
static inline void
tl_watch_leave(struct tl_watch *watch)
{
	watch->entered = 0;
}

/* Start the count again, because the cap is for one piece of work. */
static inline void
tl_watch_again(struct tl_watch *watch)
{
	watch->ticks = 0;
}

/* Between guard and unguard the data that killed reads are changed, so killed
 * must wait. */
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

/* Raise the error of the cap if the time is over, for long loops in C. */
void tl_watch_check(lua_State *L, struct tl_watch *watch);

/* Give a new coroutine a hook of its own, which tells it that the time is
 * over. */
void tl_watch_coroutine(lua_State *coroutine);

#endif
