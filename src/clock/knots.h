/* SPDX-License-Identifier: Apache-2.0 */
/*
 * knots.h - points of a clock, two a second, become the corners of its line.
 *
 *	points    o----o----o-.  o----o----o	what was measured
 *	corners   |    |    |  `x|    |    |	x: where the rate changed
 *	knots     K------------ K -------- 	what is kept
 *
 * Pure functions: no clock is read and nothing is shared.  There are two
 * stages.  First, three points later, each interval between two points is
 * settled: if the lines of its neighbours differ, they meet inside the
 * interval, and their meeting point is the corner.  Second, straight lines are
 * drawn over as many corners as lie within a tolerance.  Every knot has a bound
 * for all stamps since the knot before; the bound holds while rates change at
 * most once in 1.6 seconds.
 */
#ifndef TL_CLOCK_KNOTS_H
#define TL_CLOCK_KNOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <timeline_layout.h>

enum {
	TL_KNOTS_POINTS_MAX = 32, /* points kept: 16 s */
	TL_KNOTS_TOLERANCE_NS = 15
};

/* A corner: a point, or the meeting point of two lines.  at.mult and the errors
 * are set when the corner becomes a knot. */
struct tl_corner {
	struct timeline_knot at;
	uint32_t half_ns; /* half of the bracket */
};

/* A rate and the bound of its error. */
struct tl_known_rate {
	uint64_t mult;
	uint32_t error_ppb;
};

struct tl_knots {
	struct tl_corner knot; /* newest knot */
	struct tl_corner last; /* last settled corner on its line */
	uint64_t slope_low;    /* of lines from knot through all corners */
	uint64_t slope_high;
	uint32_t bound_ns; /* of the worst interval since knot */
	uint32_t widest_ns;
	uint32_t tolerance_ns;
	bool straight; /* nothing lies between knot and last */
	struct tl_corner points[TL_KNOTS_POINTS_MAX]; /* oldest first */
	size_t count;
	size_t settled;             /* points up to this index are corners */
	struct tl_known_rate start; /* rate before points[0] */
	bool has_start;             /* points[0] is the first point of all */
	struct tl_known_rate rate;  /* rate after the newest point */
};

/* Called for each knot that is committed. */
typedef void tl_knots_commit(void *context, const struct timeline_knot *knot);

/* Start the line at a knot that is already committed. */
void tl_knots_begin(struct tl_knots *knots, const struct tl_corner *first,
    const struct tl_known_rate *rate);
/* Add a later point. */
void tl_knots_add(struct tl_knots *knots, const struct tl_corner *point,
    tl_knots_commit *commit, void *context);
/* End the line: the newest point becomes a knot, too, unless it is one. */
void
tl_knots_finish(struct tl_knots *knots, tl_knots_commit *commit, void *context);

/* The newest point. */
const struct tl_corner *tl_knots_newest(const struct tl_knots *knots);
/* A bound for stamps between the newest knot and the newest point, if one
 * straight line joins them. */
uint32_t tl_knots_tail_bound(const struct tl_knots *knots);

#endif
