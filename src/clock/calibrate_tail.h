/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate_tail.h - the lock of the clock tail, and what a point means.
 */
#ifndef TL_CLOCK_CALIBRATE_TAIL_H
#define TL_CLOCK_CALIBRATE_TAIL_H

#include "clock/calibrate.h"

enum { TL_ROUNDING_NS = 3 }; /* of conversions on one line, together */

/* How a private copy of the tail came to be. */
struct tl_tail_lock {
	uint64_t word; /* as we set it: sequence (odd) and owner */
	bool stolen;   /* from a dead owner: the tail may be half written */
};

/* Take the tail if no living process has it: 0, or -EBUSY.  Never waits. */
int tl_tail_lock(struct timeline_header *header, struct tl_tail_lock *lock);
/* Publish tail (its sequence and owner are not looked at) and let go. */
void tl_tail_unlock(struct timeline_header *header,
    const struct tl_tail_lock *lock, const struct timeline_clock_tail *tail);
/* Copy all of the tail but its lock, by its holder. */
void tl_tail_load(const struct timeline_header *header,
    struct timeline_clock_tail *tail);

/* The newest point as a knot; its pid is that of the last owner. */
void tl_tail_knot(const struct timeline_clock_tail *tail,
    struct timeline_knot *knot);

/* Does a daemon that lives keep the clock? */
bool tl_tail_is_kept(const struct timeline_header *header);
/* Work a point into the tail that we hold, by the cone, and let it go: what
 * tl_calibrate_now does once it has the lock. */
int tl_calibrate_locked(const struct tl_calibrate *calibrate,
    const struct tl_tail_lock *lock, bool new_epoch);

/* Open the cone of a tail at a knot: from here on every slope will do. */
void tl_tail_start_piece(struct timeline_clock_tail *tail);
/* The bound for stamps between the last knot and the tail, from points,
 * widest_ns and bend_ns. */
void tl_tail_set_errors(struct timeline_clock_tail *tail);

/* Copy knot number i of the ring if it is whole. */
bool tl_knot_load(const struct timeline_knot *knots, uint32_t knots_max,
    uint64_t i, struct timeline_knot *knot);

/* What follows for the tail from a new point. */
struct tl_verdict {
	int64_t ticks;           /* from the tail to the point */
	int64_t off_ns;          /* of the point from the tail's line */
	uint64_t noise_ns;       /* what brackets and rate alone may explain */
	uint64_t allow_ns;       /* with steering; more is a step */
	uint64_t slope;          /* from the tail to the point; 0 none */
	uint32_t slope_ppb;      /* error of that slope */
	uint32_t half_ns;        /* of the point's bracket */
	uint32_t stray_ppb;      /* how much rates change here */
	uint32_t bend_ns;        /* may stray so far between tail and point */
	uint32_t bend_before_ns; /* the same before the tail */
	bool step;
	bool bent; /* the rate changed, noise does not explain it */
};

void tl_tail_judge(const struct timeline_clock_tail *tail,
    const struct tl_clock_point *point, struct tl_verdict *verdict);

/* The name of a jump of this size: a step, or a leap second, which is one
 * second that TAI agrees with. */
uint16_t tl_tail_step_flags(const struct timeline_clock_tail *tail,
    const struct tl_clock_point *point, int64_t off_ns);

/* The flags a point brings along. */
uint16_t tl_point_flags(const struct tl_clock_point *point, uint32_t half_ns);
/* A knot at the point; mult is the rate after it. */
void tl_point_knot(const struct tl_clock_point *point, uint64_t mult,
    struct timeline_knot *knot);

/* The slope from a knot to the point (0 none), and the lowest and highest
 * that pass the point within the tolerance and half its bracket. */
uint64_t tl_knot_slope(const struct timeline_knot *knot,
    const struct tl_clock_point *point);
void tl_knot_cone(const struct timeline_knot *knot,
    const struct tl_clock_point *point, uint32_t half_ns, uint64_t *low,
    uint64_t *high);

static inline uint32_t
tl_larger_32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* How long it is, whichever way. */
static inline uint64_t
tl_size_ns(int64_t ns)
{
	return ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
}

/* ns * ppb / 10^9 and one more, held at the end of the range. */
uint64_t tl_ppb_of(uint64_t ns, uint64_t ppb);

#endif
