/* SPDX-License-Identifier: Apache-2.0 */
/*
 * knots.c - the second stage: straight lines over corners, and bounds before
 * the corners are known.
 */
#include "clock/knots.h"

#include "base/ns.h"
#include "clock/calibrate_tail.h"
#include "clock/clock.h"
#include "clock/knots_interval.h"

#include <string.h>

enum {
	LIKELY_NS = 10,  /* points this near to a line confirm it */
	ENDS_NEEDED = 3, /* points needed after a settled point */
	WORSE_NS = 100   /* a bound that deserves its own knot */
};
/* A longer piece is history, which later points must not affect. */
static const int64_t history_ns = INT64_C(8000000000);

/* Start the second stage again from a knot. */
static void
start_piece(struct tl_knots *k, const struct tl_corner *knot)
{
	k->knot = *knot;
	k->last = *knot;
	k->slope_low = 0;
	k->slope_high = UINT64_MAX;
	k->bound_ns = knot->half_ns;
	k->widest_ns = knot->half_ns;
	k->tolerance_ns = 0;
	k->straight = true;
}

/* Commit last as a knot; mult is the rate after the knot. */
static void
commit_last(struct tl_knots *k, uint64_t mult, uint16_t flags,
    tl_knots_commit *commit, void *context)
{
	struct timeline_knot knot = k->last.at;

	knot.mult = mult;
	knot.max_err_ns = tl_add_32((uint64_t)k->bound_ns +
					(k->straight ? 0 : k->tolerance_ns),
	    TL_ROUNDING_NS);
	knot.est_err_ns = TL_KNOTS_TOLERANCE_NS + 10;
	if (knot.est_err_ns > knot.max_err_ns)
		knot.est_err_ns = knot.max_err_ns;
	knot.flags |= flags;
	commit(context, &knot);
	start_piece(k, &k->last);
}

/* Narrow the cone from the knot to the slopes that pass the corner. */
static void
narrow(struct tl_knots *k, const struct tl_corner *corner)
{
	const uint32_t room =
	    tl_add_32(TL_KNOTS_TOLERANCE_NS, corner->half_ns / 2);
	struct tl_corner edge = *corner;
	uint64_t slope;

	edge.at.utc_ns = tl_add_ns(corner->at.utc_ns, -(int64_t)room);
	slope = tl_corner_slope(&k->knot, &edge);
	if (slope > k->slope_low)
		k->slope_low = slope;
	edge.at.utc_ns = tl_add_ns(corner->at.utc_ns, room);
	slope = tl_corner_slope(&k->knot, &edge);
	if (slope < k->slope_high)
		k->slope_high = slope;
	k->tolerance_ns = tl_larger_32(k->tolerance_ns, room);
}

static bool
is_history(const struct tl_knots *k)
{
	return k->last.at.utc_ns - k->knot.at.utc_ns >= history_ns;
}

/* Would one of the two bounds spoil the other? */
static bool
is_worse(uint32_t a, uint32_t b)
{
	return a > (uint64_t)b * 2 + WORSE_NS || b > (uint64_t)a * 2 + WORSE_NS;
}

/* The second stage: add a corner, with the bound for the time since the last
 * corner. */
static void
add_corner(struct tl_knots *k, const struct tl_corner *corner,
    uint32_t bound_ns, uint16_t flags, tl_knots_commit *commit, void *context)
{
	uint64_t slope;

	if (corner->at.tsc <= k->last.at.tsc)
		return; /* the corner is the end of its interval */
	slope = tl_corner_slope(&k->knot, corner);
	if (k->last.at.tsc != k->knot.at.tsc) {
		if (slope < k->slope_low || slope > k->slope_high ||
		    (is_history(k) && is_worse(bound_ns, k->bound_ns)))
			commit_last(k, tl_corner_slope(&k->last, corner), flags,
			    commit, context);
		else
			k->straight = false;
	}
	narrow(k, corner);
	k->last = *corner;
	k->bound_ns = tl_larger_32(k->bound_ns, bound_ns);
	k->widest_ns = tl_larger_32(k->widest_ns, corner->half_ns);
}

/* The first stage: settle the interval between points[settled] and the next
 * point. */
static void
settle(struct tl_knots *k, tl_knots_commit *commit, void *context)
{
	struct tl_corner corner;
	struct tl_interval v;
	uint32_t bound;

	tl_interval_look(k, k->settled, &v);
	if (tl_interval_has_corner(&v)) {
		bound = tl_interval_corner(&v, &corner);
		if (corner.at.tsc < v.b->at.tsc)
			add_corner(k, &corner, bound, TIMELINE_KNOT_KINK,
			    commit, context);
	} else {
		bound = tl_interval_chord(&v);
	}
	add_corner(k, v.b, bound, TIMELINE_KNOT_KINK, commit, context);
	k->settled++;
}

void
tl_knots_begin(struct tl_knots *k, const struct tl_corner *first,
    const struct tl_known_rate *rate)
{
	memset(k, 0, sizeof(*k));
	start_piece(k, first);
	k->points[0] = *first;
	k->count = 1;
	k->start = *rate;
	k->has_start = true;
	k->rate = *rate;
}

/* Do the newest n points lie on a line through the newest? */
static bool
confirm(const struct tl_knots *k, size_t n, uint64_t mult)
{
	const struct tl_corner *newest = tl_knots_newest(k);

	for (size_t i = k->count - n; i < k->count - 1; i++)
		if (tl_size_ns(tl_corner_above(&k->points[i], newest, mult)) >
		    tl_larger_32(LIKELY_NS, k->points[i].half_ns / 3))
			return false;
	return true;
}

/* The rate of the line between two corners. */
static struct tl_known_rate
rate_between(const struct tl_corner *a, const struct tl_corner *b,
    uint64_t extra_ns)
{
	const int64_t ns = b->at.utc_ns - a->at.utc_ns;
	const uint64_t sum = (uint64_t)a->half_ns + b->half_ns + extra_ns;
	const uint64_t ppb = tl_divide((unsigned __int128)sum * TL_NS_PER_S,
	    (uint64_t)(ns > 0 ? ns : 1));

	return (struct tl_known_rate){ .mult = tl_corner_slope(a, b),
		.error_ppb = tl_add_32(ppb, 1) };
}

/*
 * Learn the rate after the newest point: the rate of the longest stretch of
 * points that agree, or an older, better known rate if the points agree with
 * it.
 */
static void
learn_rate(struct tl_knots *k)
{
	const struct tl_corner *newest = tl_knots_newest(k);
	const struct tl_known_rate before = k->rate;
	const struct tl_known_rate piece =
	    rate_between(&k->knot, newest, k->tolerance_ns);
	struct tl_known_rate rate = { 0 };
	size_t n = k->count;

	for (; n > 2; n = n > 4 ? n / 2 : n - 1) {
		rate = rate_between(newest - (n - 1), newest, 0);
		if (rate.mult != 0 && confirm(k, n, rate.mult))
			break;
	}
	if (n <= 2)
		rate = rate_between(newest - 1, newest,
		    tl_size_ns(
			tl_corner_above(newest, newest - 1, before.mult)));
	if (piece.error_ppb < rate.error_ppb && piece.mult != 0 &&
	    confirm(k, k->count, piece.mult))
		rate = piece;
	if (before.error_ppb < rate.error_ppb &&
	    confirm(k, k->count, before.mult))
		rate = before;
	if (rate.mult != 0)
		k->rate = rate;
}

/* How far the line from the knot to the newest point would move the last corner
 * out of its tolerance. */
static uint64_t
pull_of_tail(const struct tl_knots *k)
{
	const uint64_t slope = tl_corner_slope(&k->knot, tl_knots_newest(k));
	uint64_t over = 0;

	if (slope < k->slope_low)
		over = k->slope_low - slope;
	else if (slope > k->slope_high)
		over = slope - k->slope_high;
	return (uint64_t)tl_ticks_to_ns(tl_ticks_between(k->knot.at.tsc,
					    k->last.at.tsc),
	    over);
}

void
tl_knots_add(struct tl_knots *k, const struct tl_corner *point,
    tl_knots_commit *commit, void *context)
{
	if (k->count == TL_KNOTS_POINTS_MAX) {
		k->count--;
		k->settled--;
		k->has_start = false;
		memmove(k->points, k->points + 1,
		    k->count * sizeof(k->points[0]));
	}
	k->points[k->count++] = *point;
	learn_rate(k);
	while (k->settled + ENDS_NEEDED < k->count)
		settle(k, commit, context);
	if (is_history(k) && pull_of_tail(k) > WORSE_NS)
		commit_last(k,
		    tl_corner_slope(&k->last, &k->points[k->settled + 1]),
		    TIMELINE_KNOT_KINK, commit, context);
}

void
tl_knots_finish(struct tl_knots *k, tl_knots_commit *commit, void *context)
{
	while (k->settled + 1 < k->count)
		settle(k, commit, context);
	if (k->last.at.tsc != k->knot.at.tsc)
		commit_last(k, k->rate.mult, 0, commit, context);
}

const struct tl_corner *
tl_knots_newest(const struct tl_knots *k)
{
	return &k->points[k->count - 1];
}

/* The largest distance of corners and points from the line from the knot to the
 * newest point. */
static uint64_t
stray_of_tail(const struct tl_knots *k)
{
	const struct tl_corner *newest = tl_knots_newest(k);
	const uint64_t slope = tl_corner_slope(&k->knot, newest);
	uint64_t stray = 0;

	if (k->last.at.tsc != k->knot.at.tsc)
		stray = pull_of_tail(k) + k->tolerance_ns + 1;
	for (size_t i = k->settled + 1; i + 1 < k->count; i++) {
		const uint64_t off =
		    tl_size_ns(tl_corner_above(&k->points[i], &k->knot, slope));

		if (off > stray)
			stray = off;
	}
	return stray;
}

uint32_t
tl_knots_tail_bound(const struct tl_knots *k)
{
	uint32_t bound = k->bound_ns;
	struct tl_interval v;

	if (tl_knots_newest(k)->at.tsc == k->knot.at.tsc)
		return tl_add_32(k->knot.half_ns, TL_ROUNDING_NS);
	for (size_t i = k->settled; i + 1 < k->count; i++) {
		tl_interval_look(k, i, &v);
		bound = tl_larger_32(bound, tl_interval_chord(&v));
	}
	return tl_add_32(stray_of_tail(k), tl_add_32(bound, TL_ROUNDING_NS));
}
