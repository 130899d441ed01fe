/* SPDX-License-Identifier: Apache-2.0 */
/*
 * knots_interval.h - the time between two points of a clock: was there a
 * corner, and how far may the clock have been from the line?
 */
#ifndef TL_CLOCK_KNOTS_INTERVAL_H
#define TL_CLOCK_KNOTS_INTERVAL_H

#include "clock/knots.h"

/* The slope from one corner to a later one; 0 if there is none. */
uint64_t tl_corner_slope(const struct tl_corner *a, const struct tl_corner *b);
/* How far a corner lies above the line through another. */
int64_t tl_corner_above(const struct tl_corner *corner,
    const struct tl_corner *other, uint64_t mult);

/* An interval, and the rates of its neighbours. */
struct tl_interval {
	const struct tl_corner *a, *b;
	uint64_t ns; /* its length */
	bool has_left, has_right;
	uint64_t left_mult, right_mult;
	int64_t left_ns, right_ns;
	uint32_t left_noise_ns, right_noise_ns;
	uint64_t crooked_left_ns; /* a neighbour is not straight itself */
	uint64_t crooked_right_ns;
};

/* The interval after points[i]. */
void tl_interval_look(const struct tl_knots *knots, size_t i,
    struct tl_interval *interval);
/* Do the lines of the neighbours meet inside, and far enough from the chord to
 * matter? */
bool tl_interval_has_corner(const struct tl_interval *interval);
/* Where they meet; and a bound for the two lines. */
uint32_t tl_interval_corner(const struct tl_interval *interval,
    struct tl_corner *corner);
/* A bound for the chord. */
uint32_t tl_interval_chord(const struct tl_interval *interval);

#endif
