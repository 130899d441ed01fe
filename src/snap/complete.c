/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete.c - the state of observation at the first entry of a snapshot: from
 * which time on no entry is missing, and which levels and plan were in force.
 *
 * A CPU lane that left out its oldest entries is complete from its first entry
 * on, because the stamps of a CPU lane rise within an epoch.  Any thread may
 * have logged in any lane of a tier, so a tier is complete from the latest of
 * the first entries of its lanes.
 *
 * A thread takes the ticket of a fallback lane before it reads the clock, so
 * the first ticket need not have the lowest stamp.  The latest stamp of the
 * first few tickets is the bound.  The bound is too early if a thread stood
 * still between ticket and clock for longer than these tickets took, or if
 * callers gave older stamps to all of these tickets (timeline_log_at).
 *
 * A lane that was cleared completely has no entry.  timeline_clear() logs an
 * entry after all lanes, with the sum of their marks.  If the sum is different,
 * a mark has moved since, at an unknown time.  Without such an entry, which
 * versions before 2.2 do not log, the other lanes are the bound, because the
 * same call cleared them.
 *
 * An entry of a level has the gate of its message before the change.  If no
 * other entry names the message or names no message, nothing has changed this
 * gate since the first entry of the snapshot.  The thread that makes a change
 * may read the gate long before it logs the entry.  So all entries count up to
 * the first change that was made.
 *
 * An entry of a plan of slots confirms that the plan was in force since the
 * entry before, which may be overwritten.
 */
#include "base/array.h"
#include "snap/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TICKETS = 64 };

static const struct tl_observed_from never = { UINT32_MAX, UINT64_MAX };

static bool
is_cut(const struct tl_snap *snap, uint32_t i)
{
	return snap->lanes[i].first > 0 ||
	       (snap->tail && tl_snap_is_sorted(snap, i) &&
		   snap->lanes[i].end > snap->tail);
}

/* Are all entries of a lane cleared? */
static bool
is_cleared(const struct tl_snap_lane *lane)
{
	return lane->cleared > 0 && lane->cleared >= lane->end;
}

/* Find the place from which a lane is complete.  Epoch and stamp 0: the lane
 * has no entry.  0 or -errno. */
static int
begin_of(struct tl_snap *snap, uint32_t i, struct tl_observed_from *from)
{
	unsigned left = timeline_is_whole(&snap->header) &&
				timeline_lane_is_fallback(&snap->header, i)
			    ? TICKETS
			    : 1;
	struct tl_lane lane;
	int rc = tl_snap_open_lane(snap, i, left, &lane);

	*from = (struct tl_observed_from){ 0 };
	if (rc != 0)
		return rc;
	while (left-- > 0 && (rc = tl_lane_step(&lane)) == 0 && lane.entry) {
		const struct tl_observed_from here =
		    tl_snap_place(snap, i, lane.entry_number, lane.entry->tsc);

		if (tl_observed_before(*from, here))
			*from = here;
	}
	tl_lane_close(&lane);
	return rc;
}

int
tl_snap_lane_begin(struct tl_snap *snap, uint32_t number, int64_t *ns)
{
	struct tl_observed_from from;
	const int rc = begin_of(snap, number, &from);

	if (rc != 0 || (from.tsc == 0 && from.epoch == 0))
		return rc;
	*ns = tl_snap_time(snap, from.epoch, from.tsc, NULL);
	return 1;
}

/* == entries of builtin messages == */

/* The entries that were found, oldest first. */
struct entries {
	const struct tl_builtin_entry **list;
	size_t count;
	size_t capacity;
};

static int
compare(const void *first, const void *second)
{
	const struct tl_builtin_entry *const *a = first, *const *b = second;

	return tl_observed_before((*b)->at, (*a)->at) -
	       tl_observed_before((*a)->at, (*b)->at);
}

/* Find the entries of a builtin message, or of another, in the lanes of a tier
 * from a place on, at most `most` of each lane. */
static int
find(struct entries *s, struct tl_snap *snap, uint8_t builtin, uint8_t other,
    uint32_t tier, size_t most, struct tl_observed_from from)
{
	int rc = 0;

	for (uint32_t i = tier; i < snap->lane_count && rc == 0;
	     i += snap->header.tiers) {
		const struct tl_builtin_entry *b;
		size_t count, left = most;

		rc = tl_snap_builtins(snap, i, &b, &count);
		for (; rc == 0 && count > 0 && left > 0; b++, count--) {
			if (!b->message ||
			    (b->message->builtin != builtin &&
				b->message->builtin != other) ||
			    tl_observed_before(b->at, from))
				continue;
			left--;
			rc = TL_ARRAY_ROOM(s->list, s->capacity, s->count);
			if (rc == 0)
				s->list[s->count++] = b;
		}
	}
	if (rc == 0 && s->count > 1)
		qsort(s->list, s->count, sizeof(*s->list), compare);
	return rc;
}

/* == from which time on no entry is missing == */

static void
raise_to(struct tl_observed_from *bound, struct tl_observed_from place)
{
	if (tl_observed_before(*bound, place))
		*bound = place;
}

/* Find the place at which a completely cleared lane was cleared: that of the
 * newest entry of timeline_clear(). */
static int
cleared_at(struct tl_snap *snap, struct tl_observed_from *from)
{
	struct entries s = { 0 };
	const int rc = find(&s, snap, TIMELINE_BUILTIN_CLEAR,
	    TIMELINE_BUILTIN_CLEAR, snap->header.tiers - 1, SIZE_MAX,
	    (struct tl_observed_from){ 0 });
	const struct tl_builtin_entry *newest =
	    rc == 0 && s.count > 0 ? s.list[s.count - 1] : NULL;
	const uint64_t sum = newest ? newest->entry.args[0] : 0;
	uint64_t marks = 0;

	for (uint32_t i = 0; i < snap->lane_count; i++)
		marks += snap->lanes[i].cleared;
	*from = newest ? newest->at : (struct tl_observed_from){ 0 };
	if (sum != 0 && sum != marks)
		*from = never;
	free(s.list);
	return rc;
}

static int
complete_from(struct tl_snap *snap, struct tl_observed_from *from)
{
	struct tl_observed_from first, cleared = { 0 };
	bool known = false;
	int rc = 0;

	for (uint32_t i = 0; i < snap->lane_count && rc == 0; i++) {
		const struct tl_snap_lane *lane = &snap->lanes[i];

		if (is_cleared(lane)) {
			if (!known)
				rc = cleared_at(snap, &cleared);
			known = true;
			first = cleared;
		} else if (is_cut(snap, i)) {
			rc = begin_of(snap, i, &first);
			if (first.tsc == 0 && first.epoch == 0)
				first = never;
		} else {
			continue;
		}
		raise_to(&from[lane->tier], first);
	}
	return rc;
}

/* Find the place from which a file that was made of events misses no
 * overwritten entry.  Other entries before the first of a lane are lost. */
static int
overwritten_from(struct tl_snap *snap, struct tl_observed_from *from)
{
	int rc = 0;

	for (uint32_t i = 0; i < snap->lane_count && rc == 0; i++) {
		struct tl_observed_from first;

		if (snap->lanes[i].overwritten == 0)
			continue;
		rc = begin_of(snap, i, &first);
		raise_to(&from[0], first);
		raise_to(&from[snap->lanes[i].tier], first);
	}
	return rc;
}

/* == gates == */

static uint8_t
lower(uint64_t a, uint8_t b)
{
	return a < b ? (uint8_t)a : b;
}

/* Add an entry to the known gates of its message.  false: too many messages. */
static bool
add_named(struct tl_named_gates *gates, const struct tl_gate_entry *entry)
{
	struct tl_named_gate *g = gates->list;
	struct tl_named_gate *const end = g + gates->count;

	while (g < end && g->message != entry->message)
		g++;
	if (g == end) {
		if (gates->count++ == TL_NAMED_GATES_MAX)
			return false;
		*g = (struct tl_named_gate){ .message = entry->message,
			.gate = TIMELINE_LEVEL_NONE,
			.floor = TIMELINE_LEVEL_NONE };
	}
	if (g->change == 0)
		g->gate = lower(entry->before, g->gate);
	if (entry->made)
		g->change = 1;
	return true;
}

/* Lower the gate of the last change, which may not have been confirmed. */
static void
add_last(struct tl_named_gates *gates, const struct tl_messages *messages)
{
	for (uint32_t i = 0; i < gates->count; i++) {
		struct tl_named_gate *g = &gates->list[i];
		const struct tl_message *m =
		    tl_messages_find(messages, g->message);

		if (g->change == 0)
			g->gate =
			    m ? lower(m->gate, g->gate) : TIMELINE_LEVEL_OFF;
		g->change = 0;
	}
}

int
tl_snap_gates_before(struct tl_snap *snap, bool is_whole,
    struct tl_observed_start *start)
{
	struct entries s = { 0 };
	const uint32_t keep = snap->header.tiers - 1;
	uint8_t floor = TIMELINE_LEVEL_NONE;
	struct tl_gate_entry entry;
	size_t named = 0, unnamed = 0;
	const int rc = find(&s, snap, TIMELINE_BUILTIN_LEVEL,
	    TIMELINE_BUILTIN_LEVEL, keep, SIZE_MAX, start->complete_from[keep]);

	if (rc != 0)
		goto out;
	/* the lowest gate that the entries set, and the last of the entries
	 * that name no message */
	for (size_t i = 0; i < s.count; i++) {
		const uint64_t *args = s.list[i]->entry.args;

		floor = lower(args[0], floor);
		if (tl_gate_read(args, &entry)) {
			floor = lower(entry.after, floor);
		} else {
			unnamed++;
			named = i + 1;
		}
	}
	start->named = true;
	/* add the gates after that entry */
	for (; named < s.count && !start->unnamed_all; named++)
		start->unnamed_all =
		    tl_gate_read(s.list[named]->entry.args, &entry) &&
		    !add_named(&start->named_gates, &entry);
	start->named_gates.unnamed +=
	    (uint32_t)(start->unnamed_all ? s.count : unnamed);
	if (start->unnamed_all)
		start->named_gates.count = 0;
	add_last(&start->named_gates, snap->messages);
	start->defined = is_whole && start->named_gates.unnamed == 0 &&
			 snap->header.major >= 2 && snap->header.minor >= 2;
	start->floor = is_whole ? floor : TIMELINE_LEVEL_OFF;
out:
	free(s.list);
	return rc;
}

/* == slots == */

static int
plan_before(struct tl_snap *snap, struct tl_observed_start *start)
{
	struct entries s = { 0 };
	int rc;

	if (snap->header.lease == 0)
		return 0;
	rc = find(&s, snap, TIMELINE_BUILTIN_PLAN, TIMELINE_BUILTIN_PLAN, 0,
	    TL_PLAN_ENTRIES_MAX, start->complete_from[0]);
	for (size_t i = 0; rc == 0 && i < s.count && i < TL_PLAN_ENTRIES_MAX;
	     i++) {
		struct tl_event event = { .epoch = s.list[i]->at.epoch };
		struct tl_plan_entry *plan = &start->plan[i];

		memcpy(event.args, s.list[i]->entry.args, sizeof(event.args));
		if (!tl_plan_read(&event, plan) || !plan->held ||
		    plan->lease == 0 || plan->seed != start->plan[0].seed ||
		    plan->lease != start->plan[0].lease)
			break;
		start->plan_count++;
	}
	free(s.list);
	return rc;
}

int
tl_snap_observed(struct tl_snap *snap, struct tl_observed_start *start)
{
	const struct timeline_header *h = &snap->header;
	const unsigned keep = h->tiers - 1;
	struct tl_observed_from *from = start->complete_from;
	struct entries changes = { 0 };
	bool any = false;
	int rc;

	*start = (struct tl_observed_start){ .order = TL_OLDEST_FIRST,
		.tiers = h->tiers,
		.base = TIMELINE_LEVEL_MIN };
	if (!timeline_is_whole(h)) {
		start->named = true;
		start->messages =
		    (const struct tl_message *const *)snap->messages->list;
		start->message_count = snap->messages->count;
		return overwritten_from(snap, from);
	}
	for (uint32_t i = 0; i < snap->lane_count; i++)
		any |= is_cut(snap, i);
	if (!any)
		return tl_snap_gates_before(snap, true, start);
	start->base = (uint8_t)(timeline_levels(h) >> TIMELINE_LEVELS_BASE);
	if (start->base > TIMELINE_LEVEL_NONE) /* damaged */
		start->base = 0;
	if ((rc = complete_from(snap, from)) != 0)
		return rc;
	/* entries about priorities before this place may be missing */
	raise_to(&from[0], from[keep]);
	rc = find(&changes, snap, TIMELINE_BUILTIN_PRIORITY,
	    TIMELINE_BUILTIN_FORCE, keep, 1, from[keep]);
	if (changes.count > 0)
		start->base = 0;
	free(changes.list);
	if (rc == 0)
		rc = tl_snap_gates_before(snap, false, start);
	return rc == 0 ? plan_before(snap, start) : rc;
}
