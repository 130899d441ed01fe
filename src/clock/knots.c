/* SPDX-License-Identifier: Apache-2.0 */
/*
 * knots.c - the first stage: did an interval between two points have a corner,
 * and how far may the clock have been from the line?  The second stage:
 * straight lines over corners, and bounds before the corners are known.
 *
 * The interval a-b, with the line before it extended to b and the line after it
 * extended back to a:
 *
 *	    .         left_ns: how far b lies above the line before
 *	left|  .b     right_ns: how far a lies above the line after
 *	    |.'
 *	   .x---- line after, drawn back, passes below a: right_ns > 0
 *	 .'
 *	a
 *
 * If both have one sign the lines meet inside, at the fraction right / (left +
 * right).  A single change of rate has this effect; left + right is the change
 * of the rate times the length.
 */
#include "clock/knots.h"

#include "base/bytes.h"
#include "base/ns.h"
#include "clock/calibrate_tail.h"
#include "clock/clock.h"

#include <string.h>

enum {
	CORNER_PPB = 200, /* smaller changes of rate are ignored */
	LIKELY_NS = 10,   /* points this near to a line confirm it */
	ENDS_NEEDED = 3,  /* points needed after a settled point */
	WORSE_NS = 100    /* a bound that deserves its own knot */
};
/* A longer piece is history, which later points must not affect. */
static const int64_t history_ns = INT64_C(8000000000);

/* == the first stage: the rates of the neighbours of an interval == */

/* An interval, and the rates of its neighbours. */
struct interval {
	const struct tl_corner *a, *b;
	uint64_t ns; /* length of the interval */
	bool has_left, has_right;
	uint64_t left_mult, right_mult;
	int64_t left_ns, right_ns;
	uint32_t left_noise_ns, right_noise_ns;
	uint64_t crooked_left_ns; /* the neighbour itself is not straight */
	uint64_t crooked_right_ns;
};

/* The slope from one corner to a later one; 0 if there is none. */
static uint64_t
slope_to(const struct tl_corner *a, const struct tl_corner *b)
{
	const __int128 rise = (__int128)b->at.utc_ns - a->at.utc_ns;

	if (rise <= 0 || rise > INT64_MAX || b->at.tsc <= a->at.tsc)
		return 0;
	return tl_clock_mult((uint64_t)rise, b->at.tsc - a->at.tsc);
}

/* How far a corner lies above the line of rate mult through another corner. */
static int64_t
above(const struct tl_corner *corner, const struct tl_corner *other,
    uint64_t mult)
{
	const int64_t line = tl_add_ns(other->at.utc_ns,
	    tl_ticks_to_ns(tl_ticks_between(other->at.tsc, corner->at.tsc),
		mult));
	int64_t off;

	if (__builtin_sub_overflow(corner->at.utc_ns, line, &off))
		return corner->at.utc_ns < line ? INT64_MIN : INT64_MAX;
	return off;
}

/* The error of a line through two points that is extended by ns. */
static uint32_t
drawn_on(const struct tl_corner *a, const struct tl_corner *b, uint64_t ns)
{
	const int64_t apart = b->at.utc_ns - a->at.utc_ns;
	const uint64_t sum = (uint64_t)a->half_ns + b->half_ns;

	if (apart <= 0)
		return UINT32_MAX;
	return tl_add_32(tl_divide((unsigned __int128)sum * ns,
			     (uint64_t)apart),
	    1);
}

/* How far point i is off the line through points i-2 and i-1, scaled to a line
 * of ns; 0 if noise explains the distance. */
static uint64_t
crooked(const struct tl_corner *p, uint64_t ns)
{
	const uint64_t mult = slope_to(&p[0], &p[1]);
	const uint64_t off = tl_size_ns(above(&p[2], &p[1], mult));
	const int64_t apart = p[2].at.utc_ns - p[1].at.utc_ns;
	const uint64_t noise = (uint64_t)p[0].half_ns + 2 * p[1].half_ns +
			       p[2].half_ns + tl_ppb_of(ns, CORNER_PPB);
	uint64_t part;

	if (off <= noise || apart <= 0)
		return 0;
	part = tl_divide((unsigned __int128)off * ns, (uint64_t)apart);
	return part < INT64_MAX ? part : INT64_MAX;
}

/* Inspect the interval after points[i]. */
static void
look_at_interval(const struct tl_knots *k, size_t i, struct interval *v)
{
	const struct tl_corner *a = &k->points[i], *b = a + 1;
	const int64_t ns = b->at.utc_ns - a->at.utc_ns;

	*v = (struct interval){ .a = a,
		.b = b,
		.ns = ns > 0 ? (uint64_t)ns : 0 };
	if (i > 0) {
		v->has_left = true;
		v->left_mult = slope_to(a - 1, a);
		v->left_noise_ns = drawn_on(a - 1, a, v->ns);
	} else if (k->has_start && k->start.mult != 0) {
		v->has_left = true;
		v->left_mult = k->start.mult;
		v->left_noise_ns =
		    tl_add_32(tl_ppb_of(v->ns, k->start.error_ppb), 0);
	}
	if (v->left_mult == 0)
		v->has_left = false;
	if (v->has_left)
		v->left_ns = above(v->b, a, v->left_mult);
	if (i > 1)
		v->crooked_left_ns = crooked(a - 2, v->ns);
	if (i + 2 < k->count && (v->right_mult = slope_to(b, b + 1)) != 0) {
		v->has_right = true;
		v->right_ns = above(v->a, b, v->right_mult);
		v->right_noise_ns = drawn_on(b, b + 1, v->ns);
	}
	if (i + 3 < k->count)
		v->crooked_right_ns = crooked(b, v->ns);
}

/* Do the lines of the neighbours meet inside, far enough from the chord to
 * matter?  They are left * right / (left + right) away from it. */
static bool
has_corner(const struct interval *v)
{
	const uint64_t left = tl_size_ns(v->left_ns);
	const uint64_t right = tl_size_ns(v->right_ns);

	if (!v->has_left || !v->has_right || left > INT64_MAX / 4 ||
	    right > INT64_MAX / 4 || (v->left_ns < 0) != (v->right_ns < 0) ||
	    left + right <= tl_ppb_of(v->ns, CORNER_PPB))
		return false;
	return (unsigned __int128)left * right >
	       (unsigned __int128)TL_KNOTS_TOLERANCE_NS * (left + right);
}

/* The addition for rates that change more often than the points can follow:
 * both sides of the interval bend. */
static uint64_t
unclear(const struct interval *v)
{
	return tl_least(v->crooked_left_ns, v->crooked_right_ns);
}

/*
 * How far the clock may have been from the chord a-b.  If the clock's rate
 * changed in the interval, it did not change nearby, so the line of either
 * neighbour bounds the clock: the clock strays by no more than the end lies off
 * that line.  Otherwise the clock did not stray at all.
 */
static uint32_t
bound_of_chord(const struct interval *v)
{
	const uint32_t half = tl_larger_32(v->a->half_ns, v->b->half_ns);
	const uint64_t left = tl_size_ns(v->left_ns) / 2 + v->left_noise_ns / 2;
	const uint64_t right =
	    tl_size_ns(v->right_ns) / 2 + v->right_noise_ns / 2;
	uint64_t bend = 0;

	if (v->has_left && v->has_right)
		bend = tl_least(left, right);
	else if (v->has_left || v->has_right)
		bend = v->has_left ? left : right;
	bend = tl_least(2 * bend + 1, UINT32_MAX);
	return tl_add_32(bend + half, tl_least(unclear(v), UINT32_MAX));
}

static int64_t
part_of(int64_t whole, uint64_t part, uint64_t of)
{
	return (int64_t)((__int128)whole * (int64_t)part / (int64_t)of);
}

/* Set the corner at which the lines meet.  Returns a bound for the two
 * lines. */
static uint32_t
set_corner(const struct interval *v, struct tl_corner *corner)
{
	const struct timeline_knot *a = &v->a->at, *b = &v->b->at;
	const uint64_t ticks = b->tsc - a->tsc;
	const uint64_t left = tl_size_ns(v->left_ns),
		       right = tl_size_ns(v->right_ns);
	const int64_t in =
	    part_of((int64_t)ticks, right, left + right ? left + right : 1);
	const uint32_t before = tl_add_32(v->a->half_ns, v->left_noise_ns);
	const uint32_t after = tl_add_32(v->b->half_ns, v->right_noise_ns);

	*corner = *v->b;
	corner->at.tsc = a->tsc + (uint64_t)in;
	corner->at.utc_ns =
	    tl_add_ns(a->utc_ns, tl_ticks_to_ns(in, v->left_mult));
	if (a->raw_ns != 0 && b->raw_ns > a->raw_ns)
		corner->at.raw_ns = a->raw_ns + part_of(b->raw_ns - a->raw_ns,
						    (uint64_t)in, ticks);
	return tl_add_32(tl_larger_32(before, after),
	    tl_least(unclear(v), UINT32_MAX));
}

/* == the second stage == */

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
	slope = slope_to(&k->knot, &edge);
	if (slope > k->slope_low)
		k->slope_low = slope;
	edge.at.utc_ns = tl_add_ns(corner->at.utc_ns, room);
	slope = slope_to(&k->knot, &edge);
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
	slope = slope_to(&k->knot, corner);
	if (k->last.at.tsc != k->knot.at.tsc) {
		if (slope < k->slope_low || slope > k->slope_high ||
		    (is_history(k) && is_worse(bound_ns, k->bound_ns)))
			commit_last(k, slope_to(&k->last, corner), flags,
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
	struct interval v;
	uint32_t bound;

	look_at_interval(k, k->settled, &v);
	if (has_corner(&v)) {
		bound = set_corner(&v, &corner);
		if (corner.at.tsc < v.b->at.tsc)
			add_corner(k, &corner, bound, TIMELINE_KNOT_KINK,
			    commit, context);
	} else {
		bound = bound_of_chord(&v);
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
		if (tl_size_ns(above(&k->points[i], newest, mult)) >
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

	return (struct tl_known_rate){ .mult = slope_to(a, b),
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
		    tl_size_ns(above(newest, newest - 1, before.mult)));
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
	const uint64_t slope = slope_to(&k->knot, tl_knots_newest(k));
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
		commit_last(k, slope_to(&k->last, &k->points[k->settled + 1]),
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
	const uint64_t slope = slope_to(&k->knot, newest);
	uint64_t stray = 0;

	if (k->last.at.tsc != k->knot.at.tsc)
		stray = pull_of_tail(k) + k->tolerance_ns + 1;
	for (size_t i = k->settled + 1; i + 1 < k->count; i++) {
		const uint64_t off =
		    tl_size_ns(above(&k->points[i], &k->knot, slope));

		if (off > stray)
			stray = off;
	}
	return stray;
}

uint32_t
tl_knots_tail_bound(const struct tl_knots *k)
{
	uint32_t bound = k->bound_ns;
	struct interval v;

	if (tl_knots_newest(k)->at.tsc == k->knot.at.tsc)
		return tl_add_32(k->knot.half_ns, TL_ROUNDING_NS);
	for (size_t i = k->settled; i + 1 < k->count; i++) {
		look_at_interval(k, i, &v);
		bound = tl_larger_32(bound, bound_of_chord(&v));
	}
	return tl_add_32(stray_of_tail(k), tl_add_32(bound, TL_ROUNDING_NS));
}
