/* SPDX-License-Identifier: Apache-2.0 */
/*
 * knots_interval.c - the first stage: the rates of the neighbours of an
 * interval.
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
#include "clock/knots_interval.h"

#include "clock/calibrate_tail.h"
#include "clock/clock.h"

enum { CORNER_PPB = 200 }; /* smaller changes of rate are ignored */

uint64_t
tl_corner_slope(const struct tl_corner *a, const struct tl_corner *b)
{
	const __int128 rise = (__int128)b->at.utc_ns - a->at.utc_ns;

	if (rise <= 0 || rise > INT64_MAX || b->at.tsc <= a->at.tsc)
		return 0;
	return tl_clock_mult((uint64_t)rise, b->at.tsc - a->at.tsc);
}

int64_t
tl_corner_above(const struct tl_corner *corner, const struct tl_corner *other,
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
	const uint64_t mult = tl_corner_slope(&p[0], &p[1]);
	const uint64_t off = tl_size_ns(tl_corner_above(&p[2], &p[1], mult));
	const int64_t apart = p[2].at.utc_ns - p[1].at.utc_ns;
	const uint64_t noise = (uint64_t)p[0].half_ns + 2 * p[1].half_ns +
			       p[2].half_ns + tl_ppb_of(ns, CORNER_PPB);

	if (off <= noise || apart <= 0)
		return 0;
	const uint64_t part =
	    tl_divide((unsigned __int128)off * ns, (uint64_t)apart);

	return part < INT64_MAX ? part : INT64_MAX;
}

void
tl_interval_look(const struct tl_knots *k, size_t i, struct tl_interval *v)
{
	*v = (struct tl_interval){ .a = &k->points[i], .b = &k->points[i + 1] };
	const struct tl_corner *a = v->a, *b = v->b;
	const int64_t ns = b->at.utc_ns - a->at.utc_ns;

	v->ns = ns > 0 ? (uint64_t)ns : 0;
	if (i > 0) {
		v->has_left = true;
		v->left_mult = tl_corner_slope(a - 1, a);
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
		v->left_ns = tl_corner_above(v->b, a, v->left_mult);
	if (i > 1)
		v->crooked_left_ns = crooked(a - 2, v->ns);
	if (i + 2 < k->count &&
	    (v->right_mult = tl_corner_slope(b, b + 1)) != 0) {
		v->has_right = true;
		v->right_ns = tl_corner_above(v->a, b, v->right_mult);
		v->right_noise_ns = drawn_on(b, b + 1, v->ns);
	}
	if (i + 3 < k->count)
		v->crooked_right_ns = crooked(b, v->ns);
}

static uint64_t
smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The lines are left * right / (left + right) away from the chord. */
bool
tl_interval_has_corner(const struct tl_interval *v)
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
unclear(const struct tl_interval *v)
{
	return smaller(v->crooked_left_ns, v->crooked_right_ns);
}

/*
 * How far the clock may have been from the chord a-b.  If the clock's rate
 * changed in the interval, it did not change nearby, so the line of either
 * neighbour bounds the clock: the clock strays by no more than the end lies off
 * that line.  Otherwise the clock did not stray at all.
 */
uint32_t
tl_interval_chord(const struct tl_interval *v)
{
	const uint32_t half = tl_larger_32(v->a->half_ns, v->b->half_ns);
	const uint64_t left = tl_size_ns(v->left_ns) / 2 + v->left_noise_ns / 2;
	const uint64_t right =
	    tl_size_ns(v->right_ns) / 2 + v->right_noise_ns / 2;
	uint64_t bend = 0;

	if (v->has_left && v->has_right)
		bend = smaller(left, right);
	else if (v->has_left || v->has_right)
		bend = v->has_left ? left : right;
	bend = smaller(2 * bend + 1, UINT32_MAX);
	return tl_add_32(bend + half, smaller(unclear(v), UINT32_MAX));
}

/* The bound for the two lines that meet in a corner. */
static uint32_t
bound_of_corner(const struct tl_interval *v)
{
	const uint32_t left = tl_add_32(v->a->half_ns, v->left_noise_ns);
	const uint32_t right = tl_add_32(v->b->half_ns, v->right_noise_ns);

	return tl_add_32(tl_larger_32(left, right),
	    smaller(unclear(v), UINT32_MAX));
}

static int64_t
part_of(int64_t whole, uint64_t part, uint64_t of)
{
	return (int64_t)((__int128)whole * (int64_t)part / (int64_t)of);
}

uint32_t
tl_interval_corner(const struct tl_interval *v, struct tl_corner *corner)
{
	const struct timeline_knot *a = &v->a->at, *b = &v->b->at;
	const uint64_t ticks = b->tsc - a->tsc;
	const uint64_t left = tl_size_ns(v->left_ns),
		       right = tl_size_ns(v->right_ns);
	const int64_t in =
	    part_of((int64_t)ticks, right, left + right ? left + right : 1);

	*corner = *v->b;
	corner->at.tsc = a->tsc + (uint64_t)in;
	corner->at.utc_ns =
	    tl_add_ns(a->utc_ns, tl_ticks_to_ns(in, v->left_mult));
	if (a->raw_ns != 0 && b->raw_ns > a->raw_ns)
		corner->at.raw_ns = a->raw_ns + part_of(b->raw_ns - a->raw_ns,
						    (uint64_t)in, ticks);
	return bound_of_corner(v);
}
