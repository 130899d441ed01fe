/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exits.c - the open timelines of this process, and marks of processes that
 * exited.
 *
 * A process that has logged marks the header when it closes a timeline or calls
 * exit.  A process that no longer exists and left no mark has died.
 *
 * A process that is killed by a signal, or calls _exit or exec, leaves no mark.
 * A child of fork leaves a mark only if the child itself has logged.  At exit
 * this file makes no system call, which a sandbox might forbid by then, and
 * waits for no thread that was stopped while it held the lock.
 */
#include "base/word.h"
#include "clock/clock.h"
#include "ring/ring.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAITS_MAX = 1000 };

static struct timeline *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for the list */

/* Make a new lock, because another thread of the parent may have held the old
 * one.  The list is valid after each store to the list. */
void
tl_exits_after_fork(bool moved)
{
	pthread_mutex_init(&lock, NULL);
	for (struct timeline *tl = all; tl && moved; tl = tl->next)
		tl_ids_leave(tl);
}

/* Two open timelines have one word of ids. */
static uint32_t is_shared;

static uint64_t
set_mask(uint64_t mask)
{
	uint64_t old = 0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, sizeof(old));
	return old;
}

/* Hold off signals while the lock is held: a handler then interrupts no holder
 * of the lock, and neither a jump nor a cancellation leaves the list locked.
 * Not SIGBUS, which a guard of mappings handles, and not the signal of
 * debuggers. */
static uint64_t
block_signals(void)
{
	return set_mask(
	    ~(UINT64_C(1) << (SIGBUS - 1) | UINT64_C(1) << (SIGTRAP - 1)));
}

static bool
try_lock(void)
{
	for (int tries = 0; pthread_mutex_trylock(&lock) != 0; tries++) {
		if (tries == WAITS_MAX)
			return false;
		sched_yield();
	}
	return true;
}

void
tl_exits_others(struct timeline *tl, void (*call)(struct timeline *other))
{
	uint64_t mask;

	if (!tl_load_32(&is_shared))
		return;
	mask = block_signals();
	if (try_lock()) {
		for (struct timeline *other = all; other; other = other->next)
			if (other != tl && other->ids == tl->ids)
				call(other);
		pthread_mutex_unlock(&lock);
	}
	set_mask(mask);
}

void
tl_exits_add(struct timeline *tl)
{
	const uint64_t mask = block_signals();

	pthread_mutex_lock(&lock);
	for (struct timeline *other = all; other; other = other->next)
		if (other->ids == tl->ids)
			tl_store_32(&is_shared, 1);
	tl->next = all;
	all = tl;
	pthread_mutex_unlock(&lock);
	set_mask(mask);
}

/* Mark the exit.  A process that opens and closes a timeline repeatedly uses
 * one place.  The coarse clock does not read the counter, which may be
 * forbidden by now. */
static void
mark(struct timeline *tl, uint32_t pid)
{
	struct timeline_header *h = tl->header;
	const uint64_t exit =
	    timeline_exit(pid, tl_clock_read(CLOCK_REALTIME_COARSE));
	uint64_t at = tl_load_64(&h->exit_count) - 1;

	if (tl_ids_are_none(tl))
		return;
	if (timeline_exit_pid(tl_load_64(&h->exits[at % TIMELINE_EXITS])) !=
	    pid)
		at = tl_fetch_add_64(&h->exit_count, 1);
	tl_store_64(&h->exits[at % TIMELINE_EXITS], exit);
}

void
tl_exits_remove(struct timeline *tl)
{
	struct timeline **link = &all;
	const uint32_t pid = tl_ids_logged();
	uint64_t blocked;

	if (pid != 0)
		mark(tl, pid);
	blocked = block_signals();
	pthread_mutex_lock(&lock);
	while (*link && *link != tl)
		link = &(*link)->next;
	if (*link)
		*link = tl->next;
	pthread_mutex_unlock(&lock);
	set_mask(blocked);
}

__attribute__((destructor)) static void
mark_all(void)
{
	const uint32_t pid = tl_ids_logged();

	if (pid == 0 || !try_lock())
		return;
	for (struct timeline *tl = all; tl; tl = tl->next)
		mark(tl, pid);
	pthread_mutex_unlock(&lock);
}
