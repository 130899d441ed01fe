/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writers.h - writers whose entries prove that they are whole, and a check of
 * the entries in a snapshot.
 *
 * An entry is (writer, sequence, pid, checksum of the three).  The sequence of
 * each writer in a snapshot must have no gap, unless the snapshot counts the
 * missing entries as lost.
 */
#ifndef TESTS_LIB_WRITERS_H
#define TESTS_LIB_WRITERS_H

#include "process.h"
#include "random.h"
#include "snap_open.h"

#include <x86intrin.h>

enum { WRITERS_MAX = 64, CHECK_LANES_MAX = 256 };

struct writer {
	uint64_t number;
	uint64_t sequence; /* the number of the next entry, which is the
			    * number of calls so far */
	uint64_t spare[6]; /* a cache line for each writer */
};

#define WRITER_MESSAGE "writer $writer wrote $sequence from $pid, $sum%x"

static inline uint64_t
writer_sum(uint64_t writer, uint64_t sequence, uint64_t pid)
{
	return random_mix(random_mix(random_mix(writer) + sequence) + pid);
}

/* A signal handler may call this with a writer of its own. */
static inline void
write_one(struct timeline_event *event, struct writer *w)
{
	const uint64_t pid = (uint64_t)getpid();

	timeline_log(event, w->number, w->sequence, pid,
	    writer_sum(w->number, w->sequence, pid));
	w->sequence++;
}

/* The entries of one writer between the two times. */
struct seen {
	uint64_t count;
	uint64_t least;
	uint64_t most;
};

struct check {
	const char *path;   /* file or "/name" */
	uint64_t until_tsc; /* any lane may lack later entries */
	uint64_t entries;   /* entries that the snapshot shows */
	uint64_t lost;      /* entries that its losses count */
	uint64_t missing;   /* missing numbers in sequences */
	uint64_t torn;
	uint64_t lapped;
	struct seen seen[WRITERS_MAX];
	uint64_t last[WRITERS_MAX][CHECK_LANES_MAX]; /* sequence + 1 */
};

/*
 * The time from which no lane has been overwritten.  Stamps ascend inside a CPU
 * lane, so the oldest entry of the lane has the lane's bound.
 */
static inline uint64_t
complete_from(struct tl_snap *snap)
{
	bool known[CHECK_LANES_MAX] = { false };
	struct tl_cursor *cursor;
	struct tl_event e;
	uint64_t from = 0;
	int rc;

	expect(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0, "cursor");
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		if (e.kind == TL_LOST || known[e.lane])
			continue;
		known[e.lane] = true;
		if (tl_snap_lane(snap, e.lane)->first > 0 && e.tsc > from)
			from = e.tsc;
	}
	expect(rc == 0, "cursor: %d", rc);
	tl_cursor_close(cursor);
	/* a lane that was overwritten completely has no bound */
	for (size_t i = 0; i < tl_snap_lane_count(snap); i++)
		if (!known[i] && tl_snap_lane(snap, i)->lapped > 0)
			from = UINT64_MAX;
	return from;
}

static inline void
check_event(struct check *c, const struct tl_event *e, uint64_t from)
{
	const uint64_t writer = e->args[0];
	const uint64_t sequence = e->args[1];
	struct seen *seen;

	if (strncmp(e->message->category.data, "writers", 7) != 0)
		return;
	c->entries++;
	expect(writer < WRITERS_MAX && e->lane < CHECK_LANES_MAX &&
		   e->args[3] == writer_sum(writer, sequence, e->args[2]),
	    "%s: torn entry %lu of lane %u", c->path, e->number, e->lane);
	expect(e->pid == e->args[2], "%s: pid %u in an entry of %lu", c->path,
	    e->pid, e->args[2]);
	expect(sequence >= c->last[writer][e->lane],
	    "%s: writer %lu: %lu after %lu", c->path, writer, sequence,
	    c->last[writer][e->lane]);
	c->last[writer][e->lane] = sequence + 1;
	if (e->tsc < from || e->tsc > c->until_tsc)
		return;
	seen = &c->seen[writer];
	if (seen->count++ == 0)
		seen->least = seen->most = sequence;
	if (sequence < seen->least)
		seen->least = sequence;
	if (sequence > seen->most)
		seen->most = sequence;
}

static inline void
count_missing(struct check *c)
{
	for (size_t i = 0; i < WRITERS_MAX; i++) {
		const struct seen *s = &c->seen[i];

		if (s->count == 0)
			continue;
		expect(s->count <= s->most - s->least + 1,
		    "%s: writer %zu: an entry twice", c->path, i);
		c->missing += s->most - s->least + 1 - s->count;
	}
}

/*
 * Read a timeline, live or saved at until_tsc or later, and check all entries
 * of the writers.
 */
static inline void
check_until(struct check *c, const char *path)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	uint64_t from;
	int rc;

	c->path = path;
	rc = snap_open(&snap, path, 0, &fault);
	expect(rc == 0, "%s: %s", path, fault.text);
	for (size_t i = 0; i < tl_snap_fault_count(snap); i++)
		fail("%s: byte %lu: %s", path, tl_snap_fault(snap, i)->at,
		    tl_snap_fault(snap, i)->text);
	for (size_t i = 0; i < tl_snap_lane_count(snap); i++) {
		c->torn += tl_snap_lane(snap, i)->torn;
		c->lapped += tl_snap_lane(snap, i)->lapped;
	}
	from = complete_from(snap);
	expect(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0, "cursor");
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		if (e.kind == TL_LOST)
			c->lost += e.lost;
		else
			check_event(c, &e, from);
	}
	expect(rc == 0, "cursor: %d", rc);
	expect(c->lost == c->torn + c->lapped,
	    "%s: %lu torn, %lu overwritten, %lu said lost", path, c->torn,
	    c->lapped, c->lost);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	count_missing(c);
}

static inline struct check
check_timeline(const char *path)
{
	static struct check c;

	memset(&c, 0, sizeof(c));
	c.until_tsc = __rdtsc();
	check_until(&c, path);
	return c;
}

/*
 * Check that every missing event was counted as dropped or that a torn entry
 * stands in its place.  In a fallback lane a writer that was stopped for a lap
 * may ruin one newer entry with its last store (timeline(3)).  No entry of a
 * CPU lane is torn.
 */
static inline void
expect_accounted(const struct check *c, const struct timeline *tl)
{
	const uint64_t dropped = sum_of_drops(tl);

	if (has_cpu_lanes(tl))
		expect(c->torn == 0, "%s: %lu torn", c->path, c->torn);
	expect(c->missing <= dropped + c->torn,
	    "%s: %lu missing, %lu dropped, %lu torn", c->path, c->missing,
	    dropped, c->torn);
}

static inline struct timeline_event *
define_writers(struct timeline *tl)
{
	struct timeline_event *event;

	expect_ok(
	    timeline_define(tl, "writers", "trace", WRITER_MESSAGE, &event));
	return event;
}

#endif
