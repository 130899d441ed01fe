/* SPDX-License-Identifier: Apache-2.0 */
/*
 * knots_interval.h - the interval between two points of a clock: did the
 * interval have a corner, and how far may the clock have been from the line?
 */
#ifndef TL_CLOCK_KNOTS_INTERVAL_H
#define TL_CLOCK_KNOTS_INTERVAL_H

#include "clock/knots.h"

/* The slope from one corner to a later one; 0 if there is none. */
uint64_t tl_corner_slope(const struct tl_corner *a, const struct tl_corner *b);
/* How far a corner lies above the line of rate mult through another corner. */
int64_t tl_corner_above(const struct tl_corner *corner,
    const struct tl_corner *other, uint64_t mult);

/* An interval, and the rates of its neighbours. */
struct tl_interval {
	const struct tl_corner *a, *b;
	uint64_t ns; /* length of the interval */
	bool has_left, has_right;
	uint64_t left_mult, right_mult;
	int64_t left_ns, right_ns;
	uint32_t left_noise_ns, right_noise_ns;
	uint64_t crooked_left_ns; /* the neighbour itself is not straight */
	uint64_t crooked_right_ns;
};

/* Inspect the interval after points[i]. */
void tl_interval_look(const struct tl_knots *knots, size_t i,
    struct tl_interval *interval);
/* Do the lines of the neighbours meet inside, far enough from the chord to
 * matter? */
bool tl_interval_has_corner(const struct tl_interval *interval);
/* Set the corner at which the lines meet.  Returns a bound for the two
 * lines. */
uint32_t tl_interval_corner(const struct tl_interval *interval,
    struct tl_corner *corner);
/* The bound for the chord. */
uint32_t tl_interval_chord(const struct tl_interval *interval);

#endif
