/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exits.c - marks of processes that exited.
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
#include <time.h>

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

void
tl_exits_add(struct timeline *tl)
{
	pthread_mutex_lock(&lock);
	tl->next = all;
	all = tl;
	pthread_mutex_unlock(&lock);
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

	if (pid != 0)
		mark(tl, pid);
	pthread_mutex_lock(&lock);
	while (*link && *link != tl)
		link = &(*link)->next;
	if (*link)
		*link = tl->next;
	pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void
mark_all(void)
{
	const uint32_t pid = tl_ids_logged();
	int tries = 0;

	if (pid == 0)
		return;
	while (pthread_mutex_trylock(&lock) != 0) {
		if (++tries == WAITS_MAX)
			return;
		sched_yield();
	}
	for (struct timeline *tl = all; tl; tl = tl->next)
		mark(tl, pid);
	pthread_mutex_unlock(&lock);
}
