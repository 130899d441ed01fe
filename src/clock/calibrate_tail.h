/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate_tail.h - the lock of the clock tail, and the judgement of points.
 */
#ifndef TL_CLOCK_CALIBRATE_TAIL_H
#define TL_CLOCK_CALIBRATE_TAIL_H

#include "clock/calibrate.h"

enum { TL_ROUNDING_NS = 3 }; /* of all conversions on one line */

/* The lock of the tail, for a private copy. */
struct tl_tail_lock {
	uint64_t word; /* our word: sequence (odd) and owner */
	bool stolen;   /* from a dead owner: tail may be half written */
};

/* Take the tail if no living process holds it.  Returns 0 or -EBUSY.  Never
 * waits. */
int tl_tail_lock(struct timeline_header *header, struct tl_tail_lock *lock);
/* Publish tail, whose sequence and owner are ignored, and release the lock. */
void tl_tail_unlock(struct timeline_header *header,
    const struct tl_tail_lock *lock, const struct timeline_clock_tail *tail);
/* Copy all words of the tail.  The copy is whole only if the caller holds the
 * lock, or checks the sequence as tl_calibrate_read does. */
void tl_tail_load(const struct timeline_header *header,
    struct timeline_clock_tail *tail);

/* The newest point as a knot; its pid is the last owner's. */
void tl_tail_knot(const struct timeline_clock_tail *tail,
    struct timeline_knot *knot);

/* Does a living daemon keep the clock? */
bool tl_tail_is_kept(const struct timeline_header *header);
/* Add a point to the tail by the cone, and release the lock, which the caller
 * holds: the part of tl_calibrate_now under the lock. */
int tl_calibrate_locked(const struct tl_calibrate *calibrate,
    const struct tl_tail_lock *lock, bool new_epoch);

/* Open the cone of a tail that is at a knot: every slope fits now. */
void tl_tail_start_piece(struct timeline_clock_tail *tail);
/* Compute the bound for stamps between the last knot and the tail from points,
 * widest_ns and bend_ns. */
void tl_tail_set_errors(struct timeline_clock_tail *tail);

/* Copy knot number i of the ring.  Returns false if the knot is not whole. */
bool tl_knot_load(const struct timeline_knot *knots, uint32_t knots_max,
    uint64_t i, struct timeline_knot *knot);

/* The judgement of a new point by the tail. */
struct tl_verdict {
	int64_t ticks; /* from the tail to the point */
	/* distance of the point from the tail's line */
	int64_t off_ns;
	uint64_t noise_ns;       /* explained by brackets and rate alone */
	uint64_t allow_ns;       /* explained with steering; more is a step */
	uint64_t slope;          /* from the tail to the point; 0: none */
	uint32_t slope_ppb;      /* error of slope */
	uint32_t half_ns;        /* of the point's bracket */
	uint32_t stray_ppb;      /* recent changes of the rate */
	uint32_t bend_ns;        /* possible stray between tail and point */
	uint32_t bend_before_ns; /* possible stray before the tail */
	bool step;
	bool bent; /* the rate changed: noise does not explain off_ns */
};

void tl_tail_judge(const struct timeline_clock_tail *tail,
    const struct tl_clock_point *point, struct tl_verdict *verdict);

/* The flags of a jump of this size: a step, or a leap second if the jump is one
 * second that agrees with TAI. */
uint16_t tl_tail_step_flags(const struct timeline_clock_tail *tail,
    const struct tl_clock_point *point, int64_t off_ns);

/* The flags that follow from a point. */
uint16_t tl_point_flags(const struct tl_clock_point *point, uint32_t half_ns);
/* Make a knot at the point; mult is the rate after the knot. */
void tl_point_knot(const struct tl_clock_point *point, uint64_t mult,
    struct timeline_knot *knot);

/* The slope from a knot to the point (0: none), and the lowest and highest
 * slopes that pass the point within the tolerance and half its bracket. */
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

/* The absolute value of ns. */
static inline uint64_t
tl_size_ns(int64_t ns)
{
	return ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
}

/* ns * ppb / 10^9 plus one, saturating. */
uint64_t tl_ppb_of(uint64_t ns, uint64_t ppb);

#endif
