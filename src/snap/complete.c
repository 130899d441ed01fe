/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete.c - find the time from which no entry of a snapshot is missing.
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
 */
#include "snap/reader.h"

#include <errno.h>

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

static int
complete_from(struct tl_snap *snap, struct tl_observed_from *from)
{
	int rc = 0;

	for (uint32_t i = 0; i < snap->lane_count && rc == 0; i++) {
		const struct tl_snap_lane *lane = &snap->lanes[i];
		struct tl_observed_from first;

		if (!is_cut(snap, i) || is_cleared(lane))
			continue;
		rc = begin_of(snap, i, &first);
		if (first.tsc == 0 && first.epoch == 0)
			first = never;
		if (tl_observed_before(from[lane->tier], first))
			from[lane->tier] = first;
	}
	return rc;
}

/* Is there a change of priority among the entries after a place? */
static int
has_priority(struct tl_snap *snap, const struct tl_observed_from *from,
    bool *found)
{
	const uint32_t tiers = snap->header.tiers;
	const struct tl_builtin_entry *b;
	size_t count;
	int rc = 0;

	*found = false;
	for (uint32_t i = tiers - 1; rc == 0 && i < snap->lane_count && !*found;
	     i += tiers) {
		rc = tl_snap_builtins(snap, i, &b, &count);
		for (; rc == 0 && count > 0 && !*found; b++, count--)
			*found =
			    b->message &&
			    (b->message->builtin == TIMELINE_BUILTIN_PRIORITY ||
				b->message->builtin ==
				    TIMELINE_BUILTIN_FORCE) &&
			    !tl_observed_before(b->at, *from);
	}
	return rc;
}

/* Find the place at which a completely cleared lane was cleared: that of the
 * newest entry of timeline_clear(). */
static int
cleared_at(struct tl_snap *snap, struct tl_observed_from *from)
{
	const uint32_t tiers = snap->header.tiers;
	const struct tl_builtin_entry *b;
	uint64_t sum = 0, marks = 0;
	size_t count;
	int rc = 0;

	*from = (struct tl_observed_from){ 0 };
	for (uint32_t i = tiers - 1; i < snap->lane_count && rc == 0;
	     i += tiers) {
		rc = tl_snap_builtins(snap, i, &b, &count);
		for (; rc == 0 && count > 0; b++, count--) {
			if (!b->message ||
			    b->message->builtin != TIMELINE_BUILTIN_CLEAR ||
			    !tl_observed_before(*from, b->at))
				continue;
			*from = b->at;
			sum = b->entry.args[0];
		}
	}
	for (uint32_t i = 0; i < snap->lane_count; i++)
		marks += snap->lanes[i].cleared;
	if (sum != 0 && sum != marks)
		*from = never;
	return rc;
}

/* Take the lanes that were cleared completely into account. */
static int
complete_cleared(struct tl_snap *snap, struct tl_observed_from *from)
{
	struct tl_observed_from at = { 0 };
	bool known = false;
	int rc = 0;

	for (uint32_t i = 0; i < snap->lane_count && rc == 0; i++) {
		const struct tl_snap_lane *lane = &snap->lanes[i];

		if (!is_cleared(lane))
			continue;
		if (!known)
			rc = cleared_at(snap, &at);
		known = true;
		if (tl_observed_before(from[lane->tier], at))
			from[lane->tier] = at;
	}
	return rc;
}

/* Find the place from which a file that was made of events misses no overwritten
 * entry.  Other entries before the first of a lane are lost. */
static int
overwritten_from(struct tl_snap *snap, struct tl_observed_from *from)
{
	int rc = 0;

	for (uint32_t i = 0; i < snap->lane_count && rc == 0; i++) {
		struct tl_observed_from first;

		if (snap->lanes[i].overwritten == 0)
			continue;
		rc = begin_of(snap, i, &first);
		if (tl_observed_before(from[0], first))
			from[0] = first;
		if (tl_observed_before(from[snap->lanes[i].tier], first))
			from[snap->lanes[i].tier] = first;
	}
	return rc;
}

int
tl_snap_observed(struct tl_snap *snap, struct tl_observed_start *start)
{
	const struct timeline_header *h = &snap->header;
	const unsigned keep = h->tiers - 1;
	struct tl_observed_from *from = start->complete_from;
	bool any = false, changed = false;
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
	if ((rc = complete_from(snap, from)) != 0 ||
	    (rc = complete_cleared(snap, from)) != 0)
		return rc;
	/* entries about priorities before this place may be missing */
	if (tl_observed_before(from[0], from[keep]))
		from[0] = from[keep];
	if ((rc = has_priority(snap, &from[keep], &changed)) == 0 && changed)
		start->base = 0;
	if (rc == 0)
		rc = tl_snap_gates_before(snap, false, start);
	return rc == 0 ? tl_snap_plan_before(snap, start) : rc;
}
