/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_clock.c - copy a clock's line, or make that of the wall clock.
 *
 * Where stamps are the time the line is straight, and could be told by one
 * knot.  Readers let the error of a stamp grow with its distance from the
 * nearest knot unless it lies between two, so there are knots at both ends,
 * and as many between that no piece is too long to be reckoned with quickly.
 */
#include "snap/write_clock.h"

#include "clock/clock.h"

#include <string.h>

/* Where a longer line has knots, apart from its ends. */
static const int64_t joints_ns[] = { -(INT64_C(1) << 62), 0, INT64_C(1) << 62,
	INT64_MAX - 1 };

enum { JOINTS = sizeof(joints_ns) / sizeof(joints_ns[0]) };

/* Are the knots that can be trusted all that the snapshot's ring has? */
static bool
is_unbroken(const struct tl_snap *snap, size_t count)
{
	const struct timeline_header *h = tl_snap_header(snap);
	const uint64_t ever = h->knot_count;
	const uint64_t kept = ever < h->knots_max ? ever : h->knots_max;

	for (size_t i = 0; i < count; i++) {
		if (tl_snap_knot(snap, i)->seq != ever - count + i + 1)
			return false;
	}
	/* the oldest may have been making room */
	return count == kept || (kept == h->knots_max && count + 1 == kept);
}

void
tl_timeline_clock_copy(struct tl_timeline_clock *clock,
    const struct tl_snap *snap, struct timeline_header *header)
{
	size_t count = tl_snap_knot_count(snap);
	bool unbroken;

	/* the newest point is no knot yet, and in the header */
	if (count > 0 && tl_snap_knot(snap, count - 1)->seq == 0)
		count--;
	unbroken = is_unbroken(snap, count);
	memset(clock, 0, sizeof(*clock));
	clock->knots_max = unbroken ? header->knots_max : TIMELINE_KNOTS_MAX;
	if (!unbroken)
		header->knot_count = count;
	for (size_t i = 0; i < count; i++) {
		struct timeline_knot knot = *tl_snap_knot(snap, i);

		if (!unbroken)
			knot.seq = i + 1;
		clock->knots[(knot.seq - 1) % clock->knots_max] = knot;
	}
	if (header->knot_count < clock->knots_max)
		clock->knots_max =
		    header->knot_count > 0 ? (uint32_t)header->knot_count : 1;
}

void
tl_timeline_clock_make(struct tl_timeline_clock *clock, int64_t oldest_ns,
    int64_t newest_ns, uint32_t error_ns, struct timeline_header *header)
{
	const uint64_t bias = tl_timeline_clock_bias(oldest_ns);
	const int64_t end_ns = tl_add_ns(newest_ns, 1);
	struct timeline_knot knot = { .utc_ns = oldest_ns,
		.mult = TL_MULT_ONE,
		.est_err_ns = error_ns,
		.max_err_ns = error_ns,
		.flags = TIMELINE_KNOT_FIRST };
	uint64_t count = 0;

	memset(clock, 0, sizeof(*clock));
	for (size_t i = 0; i <= JOINTS; i++) {
		knot.tsc = (uint64_t)knot.utc_ns ^ bias;
		knot.seq = count + 1;
		clock->knots[count++] = knot;
		knot.flags = 0;
		while (i < JOINTS &&
		       (joints_ns[i] <= oldest_ns || joints_ns[i] >= end_ns))
			i++;
		if (i < JOINTS)
			knot.utc_ns = joints_ns[i];
	}
	clock->knots_max = (uint32_t)count;
	header->knot_count = count;
	header->clock_kind = TIMELINE_CLOCK_REALTIME;
	header->rate_source = TL_RATE_EXACT;
	header->clock =
	    (struct timeline_clock_tail){ .tsc = (uint64_t)end_ns ^ bias,
		    .utc_ns = end_ns,
		    .mult = TL_MULT_ONE,
		    .est_err_ns = error_ns,
		    .max_err_ns = error_ns };
}

/* How wrong the time of an event might be. */
static uint32_t
error_of(const struct tl_snap *snap, const struct tl_event *event)
{
	uint32_t error_ns;

	tl_snap_time(snap, event->epoch, event->tsc, &error_ns);
	return error_ns;
}

/* Was a measured after b? */
static bool
is_newer(const struct tl_snap *a, const struct tl_snap *b)
{
	const struct timeline_clock_tail *p = &tl_snap_header(a)->clock;
	const struct timeline_clock_tail *q = &tl_snap_header(b)->clock;

	return p->epoch != q->epoch ? p->epoch > q->epoch : p->tsc > q->tsc;
}

const struct tl_snap *
tl_timeline_clock_choose(const struct tl_snap *const *snaps, size_t count,
    const struct tl_event *oldest, const struct tl_event *newest)
{
	const struct tl_snap *best = NULL;
	uint32_t least = 0;

	for (size_t i = 0; i < count; i++) {
		const uint32_t first = error_of(snaps[i], oldest);
		const uint32_t last = error_of(snaps[i], newest);
		const uint32_t worst = first > last ? first : last;

		if (best && (worst > least ||
				(worst == least && !is_newer(snaps[i], best))))
			continue;
		best = snaps[i];
		least = worst;
	}
	return best;
}
