/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - the time cap of a Lua state: a timer, a signal and a hook.
 *
 * The main thread of a state has no hook until its time is over, because a hook
 * slows every instruction.  The signal handler sets the hook, which Lua allows
 * (lua_sethook is made for signal handlers).  The handler does not know which
 * coroutine runs, so each coroutine has a hook from its start, which counts
 * instructions and reads the mark of the handler.  The hook raises its error
 * again at every further instruction, so a pcall only delays the end.
 */
#include "script/watch.h"

#include "script/host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HOOK_EVERY = 1000, MESSAGE_MAX = 400 };

static struct tl_watch *watches[TL_WATCH_MAX];
static timer_t timer;
static struct sigaction before;
static unsigned watch_count;

static void stop(lua_State *L, lua_Debug *where);

/* level is the level of the function whose line is reported. */
static void
raise_error(lua_State *L, struct tl_watch *watch, int level)
{
	watch->hooked = 1;
	lua_sethook(L, stop, LUA_MASKCOUNT, 1);
	luaL_where(L, level);
	lua_pushfstring(L, "over the time cap of %d s", (int)watch->seconds);
	lua_concat(L, 2);
	lua_error(L);
}

/* The hook, which raises the error at the place of the script. */
static void
stop(lua_State *L, lua_Debug *where)
{
	struct tl_watch *watch = &tl_host(L)->watch;

	(void)where;
	if (watch->expired)
		raise_error(L, watch, 0);
}

void
tl_watch_check(lua_State *L, struct tl_watch *watch)
{
	if (watch->expired)
		raise_error(L, watch, 1);
}

void
tl_watch_coroutine(lua_State *coroutine)
{
	if (tl_host(coroutine)->watch.seconds > 0)
		lua_sethook(coroutine, stop, LUA_MASKCOUNT, HOOK_EVERY);
}

/* Append to the message, by means that a signal handler may use. */
static size_t
add(char *message, size_t size, const char *text)
{
	while (*text && size + 1 < MESSAGE_MAX)
		message[size++] = *text++;
	return size;
}

static size_t
add_number(char *message, size_t size, unsigned n)
{
	char digits[16];
	size_t i = sizeof(digits) - 1;

	digits[i] = '\0';
	do
		digits[--i] = (char)('0' + n % 10);
	while ((n /= 10) > 0 && i > 0);
	return add(message, size, digits + i);
}

/*
 * Add the place of the script.  The thread's chain of calls stands still: if a
 * single instruction had run since the cap, the hook would have answered.
 */
static size_t
add_place(char *message, size_t size, const struct tl_watch *watch)
{
	lua_Debug where;

	if (watch->hooked)
		return size;
	for (int level = 0; lua_getstack(watch->L, level, &where); level++) {
		if (!lua_getinfo(watch->L, "Sl", &where) ||
		    where.currentline <= 0)
			continue;
		size = add(message, size, where.short_src);
		size = add(message, size, ":");
		size = add_number(message, size, (unsigned)where.currentline);
		return add(message, size, ": ");
	}
	return size;
}

static void
kill_it(const struct tl_watch *watch)
{
	static char message[MESSAGE_MAX];
	size_t size = add_place(message, 0, watch);

	size = add(message, size, watch->what);
	size = add(message, size,
	    " ended inside a library function: over "
	    "the time cap of ");
	size = add_number(message, size, watch->seconds);
	size = add(message, size, " s\n");
	if (watch->killed)
		watch->killed(watch->context, message, size);
	if (write(STDERR_FILENO, message, size) < 0)
		_exit(1);
	_exit(1);
}

static void
tick(int signal_number)
{
	const int saved = errno;
	int missed = timer_getoverrun(timer);

	(void)signal_number;
	if (missed < 0)
		missed = 0;
	for (unsigned i = 0; i < TL_WATCH_MAX; i++)
		if (watches[i] && watches[i]->entered) {
			struct tl_watch *watch = watches[i];
			const int cap =
			    (int)watch->seconds * (1000 / TL_WATCH_TICK_MS);
			const int grace = TL_SCRIPT_GRACE_MS / TL_WATCH_TICK_MS;

			watch->ticks += (1 + missed);
			if (watch->ticks >= cap && !watch->expired) {
				watch->expired = 1;
				lua_sethook(watch->L, stop,
				    LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE |
					LUA_MASKCOUNT,
				    1);
			}
			if (watch->ticks >= cap + grace && !watch->guarded)
				kill_it(watch);
		}
	errno = saved;
}

static int
start_timer(void)
{
	struct sigaction action = { .sa_handler = tick,
		.sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGPROF };
	const struct timespec every = { .tv_nsec =
					    TL_WATCH_TICK_MS * 1000000L };
	const struct itimerspec times = { every, every };

	sigemptyset(&action.sa_mask);
	if (sigaction(SIGPROF, &action, &before) < 0)
		return -errno;
	if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) < 0)
		goto restore;
	if (timer_settime(timer, 0, &times, NULL) == 0)
		return 0;
	timer_delete(timer);
restore:;
	const int rc = -errno;
	sigaction(SIGPROF, &before, NULL);
	return rc;
}

int
tl_watch_start(struct tl_watch *watch)
{
	unsigned i = 0;

	if (watch->seconds == 0)
		return 0;
	while (i < TL_WATCH_MAX && watches[i])
		i++;
	if (i == TL_WATCH_MAX)
		return -EBUSY;
	if (watch_count == 0) {
		const int rc = start_timer();

		if (rc < 0)
			return rc;
	}
	watch_count++;
	watches[i] = watch;
	watch->started = true;
	return 0;
}

void
tl_watch_stop(struct tl_watch *watch)
{
	if (!watch->started)
		return;
	for (unsigned i = 0; i < TL_WATCH_MAX; i++)
		if (watches[i] == watch)
			watches[i] = NULL;
	watch->started = false;
	if (--watch_count > 0)
		return;
	timer_delete(timer);
	sigaction(SIGPROF, &before, NULL);
}
