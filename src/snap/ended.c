/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ended.c - the end of what was kept of programs that have ended.
 *
 * A process has ended if it left a mark (ring/exits.c) and logged nothing after
 * the mark, or, in a copy that was made just now, if it no longer exists.  Only
 * this machine knows the latter, so a saved file keeps the moment of its copy
 * if a process left no mark.
 */
#include "base/ns.h"
#include "clock/clock.h"
#include "ring/ring.h"
#include "snap/process.h"
#include "snap/reader.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

enum {
	/* the age of a process in /proc is in ticks of 10 ms, and entries have
	 * another clock */
	SLACK_NS = TL_NS_PER_S,
	/* the largest difference of stamps and the clock of marks */
	MARGIN_NS = TL_NS_PER_S / 10,
	NEWEST_MAX = 1024 /* entries whose processes are looked for */
};

bool
tl_writer_is_alive(uint32_t pid, uint64_t age_ns)
{
	struct tl_process process;
	int64_t lived_ns;

	if (pid == 0 || pid > INT32_MAX ||
	    (kill((pid_t)pid, 0) != 0 && errno != EPERM))
		return false;
	tl_process_inspect(&process, pid);
	if (process.start_ticks == 0)
		return true; /* /proc cannot be read */
	lived_ns =
	    tl_ns_between(process.start_ns, tl_clock_read(CLOCK_REALTIME));
	return !process.ended && lived_ns + SLACK_NS >= 0 &&
	       age_ns <= (uint64_t)(lived_ns + SLACK_NS);
}

/* Has the process of an entry ended since? */
static bool
has_ended(const struct tl_snap *snap, const struct tl_event *e)
{
	const struct timeline_header *h = &snap->header;
	const int64_t age_ns = tl_ns_between(e->ns, h->saved_ns);

	if (e->pid == 0)
		return false;
	for (size_t i = 0; i < TIMELINE_EXITS; i++)
		if (timeline_exit_pid(h->exits[i]) == e->pid &&
		    tl_add_ns(timeline_exit_ns(h->exits[i], h->saved_ns),
			MARGIN_NS) >= e->ns)
			return true;
	if (!snap->was_live || tl_is_elsewhere(h))
		return false;
	return tl_boot_of(h) == TL_BOOT_OTHER ||
	       (tl_is_this_boot(h) && !tl_writer_is_alive(e->pid,
					  age_ns > 0 ? (uint64_t)age_ns : 0));
}

int
tl_snap_find_end(struct tl_snap *snap)
{
	struct tl_event event, newest = { .message = NULL };
	struct tl_cursor *cursor;
	uint32_t last = 0;
	int rc, count = 0;

	if (!tl_snap_cut(snap, &event))
		return 0;
	if ((rc = tl_snap_cursor(snap, TL_NEWEST_FIRST, &cursor)) < 0)
		return rc;
	while (
	    count < NEWEST_MAX && (rc = tl_cursor_next(cursor, &event)) > 0) {
		if (!event.message)
			continue;
		if (!newest.message)
			newest = event;
		/* a process that changes levels need not log */
		if (event.message->builtin)
			continue;
		if (event.pid != last && !has_ended(snap, &event))
			break;
		last = event.pid;
		count++;
	}
	tl_cursor_close(cursor);
	if (count > 0 && (rc == 0 || count == NEWEST_MAX))
		snap->end = newest;
	return rc < 0 ? rc : 0;
}
