/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ended.c - the end of what was kept of programs that have ended.
 *
 * A process has ended if it left a mark (ring/exits.c) and logged nothing after
 * the mark, or, in a copy that was made just now, if it no longer exists.  Only
 * this machine knows the latter, so a saved file keeps the moment of its copy if
 * a process left no mark.
 */
#include "base/file.h"
#include "base/ns.h"
#include "clock/clock.h"
#include "ring/ring.h"
#include "snap/reader.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	START_FIELD = 22,
	/* the age of a process in /proc is in ticks of 10 ms, and entries have
	 * another clock */
	SLACK_NS = TL_NS_PER_S,
	/* the largest difference of stamps and the clock of marks */
	MARGIN_NS = TL_NS_PER_S / 10,
	NEWEST_MAX = 1024 /* entries whose processes are looked for */
};

/* Parse the state and the start of a process in /proc/PID/stat; its command, in
 * parentheses, may contain anything. */
static bool
parse_stat(const char *stat, char *state, uint64_t *start)
{
	const char *at = strrchr(stat, ')');
	char *end;

	if (!at || at[1] != ' ')
		return false;
	*state = at[2];
	for (int field = 2; field < START_FIELD; field++) {
		at = strchr(at + 1, ' ');
		if (!at)
			return false;
	}
	*start = strtoull(at, &end, 10);
	return end != at;
}

bool
tl_writer_is_alive(uint32_t pid, uint64_t age_ns)
{
	const long hz = sysconf(_SC_CLK_TCK);
	char text[1024];
	uint64_t start = 0;
	uint64_t lived_ns;
	char state = '?';

	if (pid == 0 || pid > INT32_MAX)
		return false;
	if (kill((pid_t)pid, 0) != 0 && errno != EPERM)
		return false;
	if (!tl_read_start(text, sizeof(text), "/proc/%u/stat", pid) ||
	    !parse_stat(text, &state, &start) || hz <= 0)
		return true; /* /proc cannot be read */
	if (state == 'Z' || state == 'X')
		return false;
	lived_ns = (uint64_t)tl_clock_read(CLOCK_BOOTTIME);
	start = start / (uint64_t)hz * TL_NS_PER_S +
		start % (uint64_t)hz * TL_NS_PER_S / (uint64_t)hz;
	lived_ns = lived_ns > start ? lived_ns - start : 0;
	return age_ns <= lived_ns + SLACK_NS;
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
