/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate.c - turn points into a line.
 *
 *	K ---- . --- . ---- T		K last knot, T tail, P new point
 *	                      `-- P
 *
 * Points between K and T were forgotten, because the straight line from K to T
 * passes each of them within the tolerance and half its bracket.  The cone,
 * slope_low to slope_high, contains all slopes from K for which this holds.  A
 * point P whose slope lies in the cone replaces T.  Otherwise T becomes a knot
 * and the next piece starts at T.  When the clock was set between T and P, both
 * become knots, and P's flag says that no line joins them.
 *
 * Bounds.  A knot's max_err bounds the error of every stamp between the knot
 * before and itself.  The bound is a sum: the tolerance, twice the widest half
 * bracket (the forgotten point may be wrong by a half bracket, and so may the
 * cone's edge), and the bend, the possible stray of the clock between two
 * points.
 */
#include "clock/calibrate.h"

#include "base/ns.h"
#include "base/word.h"
#include "clock/calibrate_tail.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum {
	LOST_RATE_PPB = 1000,   /* rate error of a recovered line */
	POINT_GAP_TICKS = 4096, /* nearer points give no rate */
	BACK_NS = 1000000,      /* further back: a new epoch, not skew */
	LEAP_NS = TL_NS_PER_S,
	LEAP_SLACK_NS = 100000000
};

/* The flags of the tail that a knot at the tail keeps. */
#define LASTING_FLAGS \
	(TIMELINE_KNOT_UNSYNC | TIMELINE_KNOT_COARSE | TIMELINE_KNOT_SUSPECT | \
	    TIMELINE_KNOT_NO_VDSO)

void
tl_tail_start_piece(struct timeline_clock_tail *tail)
{
	tail->slope_low = 0;
	tail->slope_high = UINT64_MAX;
	tail->before_tsc = tail->tsc;
	tail->widest_ns = tail->half_ns;
	tail->bend_ns = 0;
	tail->points = 0;
	tl_tail_set_errors(tail);
}

/* Move the tail to the point; rate, cone and errors stay. */
static void
move_tail(struct timeline_clock_tail *tail, const struct tl_clock_point *point,
    uint32_t half_ns)
{
	struct timeline_knot knot;

	tl_point_knot(point, tail->mult, &knot);
	tail->before_tsc = tail->tsc;
	tail->tsc = knot.tsc;
	tail->utc_ns = knot.utc_ns;
	tail->raw_ns = knot.raw_ns;
	tail->sync_err_us = knot.sync_err_us;
	tail->tai_offset_s = knot.tai_offset_s;
	tail->half_ns = half_ns;
	tail->flags =
	    tl_point_flags(point, half_ns) |
	    (tail->flags & TIMELINE_KNOT_SUSPECT) |
	    (tail->rate_err_ppb > TL_CLOCK_COARSE_PPB ? TIMELINE_KNOT_COARSE
						      : 0);
}

/* Commit a knot at the tail. */
static void
commit_tail(const struct tl_calibrate *c,
    const struct timeline_clock_tail *tail, uint32_t max_err_ns, uint16_t flags)
{
	struct timeline_knot knot;
	const struct tl_clock_point point = {
		.tsc = tail->tsc,
		.utc_ns = tail->utc_ns,
		.sync = { .error_us = tail->sync_err_us,
		    .tai_offset_s = tail->tai_offset_s },
	};

	tl_point_knot(&point, tail->mult, &knot);
	knot.raw_ns = tail->raw_ns;
	knot.max_err_ns = max_err_ns;
	knot.est_err_ns =
	    tail->est_err_ns < max_err_ns ? tail->est_err_ns : max_err_ns;
	knot.epoch = tail->epoch;
	knot.flags = (tail->flags & LASTING_FLAGS) | flags;
	tl_calibrate_commit(c, &knot);
}

/* Start the line at a point with a rate: the first knot of an epoch. */
static void
begin(const struct tl_calibrate *c, struct timeline_clock_tail *tail,
    const struct tl_clock_point *point, const struct tl_rate *rate,
    uint16_t flags)
{
	const uint32_t epoch = tail->epoch;
	struct tl_verdict v;

	*tail = (struct timeline_clock_tail){ .mult = rate->mult,
		.rate_err_ppb = rate->error_ppb,
		.epoch = epoch,
		.tsc = point->tsc };
	tl_tail_judge(tail, point, &v);
	move_tail(tail, point, v.half_ns);
	tl_tail_start_piece(tail);
	commit_tail(c, tail, tail->max_err_ns, flags);
}

/*
 * Start again from the last knot if the tail cannot be used, because its writer
 * died or it was never written.  Returns false if there is no knot either.
 */
static bool
recover(const struct tl_calibrate *c, struct timeline_clock_tail *tail)
{
	const uint64_t count = tl_load_acquire_64(&c->header->knot_count);
	struct timeline_knot knot;

	memset(tail, 0, sizeof(*tail));
	if (count == 0 ||
	    !tl_knot_load(c->knots, c->knots_max, count - 1, &knot) ||
	    knot.mult == 0)
		return false;
	*tail = (struct timeline_clock_tail){
		.tsc = knot.tsc,
		.utc_ns = knot.utc_ns,
		.mult = knot.mult,
		.raw_ns = knot.raw_ns,
		.rate_err_ppb = LOST_RATE_PPB,
		.sync_err_us = knot.sync_err_us,
		.flags = knot.flags & LASTING_FLAGS,
		.tai_offset_s = knot.tai_offset_s,
		.epoch = knot.epoch,
		.half_ns = knot.max_err_ns,
	};
	tl_tail_start_piece(tail);
	return true;
}

/* Load the knot at which the tail's cone starts. */
static bool
last_knot(const struct tl_calibrate *c, const struct timeline_clock_tail *tail,
    struct timeline_knot *knot)
{
	const uint64_t count = tl_load_acquire_64(&c->header->knot_count);

	return count > 0 &&
	       tl_knot_load(c->knots, c->knots_max, count - 1, knot) &&
	       knot->epoch == tail->epoch && knot->tsc <= tail->tsc;
}

/*
 * Learn the rate after a point: the slope of the whole piece if its error is
 * smaller than the error of the rate so far; the last slope if the rate
 * changed.
 */
static void
learn_rate(struct timeline_clock_tail *tail, const struct tl_verdict *v,
    uint64_t piece_slope, uint64_t piece_ticks)
{
	uint64_t slope = v->slope;
	uint64_t error_ppb = v->slope_ppb;

	if (!v->bent && piece_slope != 0) {
		const uint64_t ns =
		    (uint64_t)tl_ticks_to_ns((int64_t)(piece_ticks & INT64_MAX),
			piece_slope);
		const uint64_t width =
		    (uint64_t)tail->widest_ns + v->half_ns +
		    TL_CALIBRATE_TOLERANCE_NS * (tail->points > 0);

		slope = piece_slope;
		error_ppb = width * TL_NS_PER_S / (ns ? ns : 1) + 1;
	}
	/* too near to give a rate */
	if (slope == 0 || error_ppb > TL_CLOCK_STEER_PPM * 1000)
		return;
	if (!v->bent && error_ppb > tail->rate_err_ppb)
		return;
	tail->mult = slope;
	tail->rate_err_ppb = (uint32_t)error_ppb;
}

/* Join a point to the line without a jump. */
static int
join(const struct tl_calibrate *c, struct timeline_clock_tail *tail,
    const struct tl_clock_point *point, const struct tl_verdict *v)
{
	/* The trusted part of the line ends at the tail. */
	const bool is_end =
	    c->suspect && !(tail->flags & TIMELINE_KNOT_SUSPECT);
	struct timeline_knot knot;
	int result = TL_CALIBRATE_POINT;
	uint64_t low, high, slope;

	if (!last_knot(c, tail, &knot)) {
		/* happens only in a damaged file */
		commit_tail(c, tail, tail->max_err_ns, TIMELINE_KNOT_GAP);
		knot = (struct timeline_knot){ .tsc = tail->tsc,
			.utc_ns = tail->utc_ns };
		tl_tail_start_piece(tail);
	}
	tail->bend_ns = tl_larger_32(tail->bend_ns, v->bend_before_ns);
	slope = tl_knot_slope(&knot, point);
	if (slope < tail->slope_low || slope > tail->slope_high || is_end) {
		/* A corner: the line turns at the tail. */
		learn_rate(tail, v, 0, 0);
		tl_tail_set_errors(tail);
		commit_tail(c, tail, tail->max_err_ns, TIMELINE_KNOT_KINK);
		tl_tail_start_piece(tail);
		knot.tsc = tail->tsc;
		knot.utc_ns = tail->utc_ns;
		result |= TL_CALIBRATE_KNOT;
	} else {
		learn_rate(tail, v, slope, point->tsc - knot.tsc);
	}
	tl_knot_cone(&knot, point, v->half_ns, &low, &high);
	tail->slope_low = low > tail->slope_low ? low : tail->slope_low;
	tail->slope_high = high < tail->slope_high ? high : tail->slope_high;
	move_tail(tail, point, v->half_ns);
	tail->widest_ns = tl_larger_32(tail->widest_ns, v->half_ns);
	tail->bend_ns = tl_larger_32(tail->bend_ns, v->bend_ns);
	tail->points += tail->points < UINT32_MAX;
	tail->stray_ppb = v->stray_ppb;
	tl_tail_set_errors(tail);
	return result;
}

uint16_t
tl_tail_step_flags(const struct timeline_clock_tail *tail,
    const struct tl_clock_point *point, int64_t off_ns)
{
	const int64_t size = off_ns < 0 ? -(off_ns + 1) : off_ns;
	const bool second =
	    size > LEAP_NS - LEAP_SLACK_NS && size < LEAP_NS + LEAP_SLACK_NS;

	if (second && tail->tai_offset_s != 0 &&
	    point->sync.tai_offset_s != 0 &&
	    point->sync.tai_offset_s != tail->tai_offset_s)
		return TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP;
	return TIMELINE_KNOT_STEP;
}

/* The bound inside the interval in which the clock was set. */
static uint32_t
step_bound(const struct tl_verdict *v)
{
	const int64_t off = v->off_ns == INT64_MIN ? INT64_MAX : v->off_ns;

	return tl_add_32((uint64_t)(off < 0 ? -off : off), v->allow_ns);
}

/* Add a point that the line cannot reach: the clock was set in between. */
static int
jump(const struct tl_calibrate *c, struct timeline_clock_tail *tail,
    const struct tl_clock_point *point, const struct tl_verdict *v)
{
	const uint16_t flags = tl_tail_step_flags(tail, point, v->off_ns);

	if (tail->points > 0 || tl_load_64(&c->header->knot_count) == 0)
		commit_tail(c, tail, tail->max_err_ns, 0);
	move_tail(tail, point, v->half_ns);
	tail->stray_ppb = v->stray_ppb;
	tl_tail_start_piece(tail);
	commit_tail(c, tail, step_bound(v), flags);
	return TL_CALIBRATE_POINT | TL_CALIBRATE_KNOT | TL_CALIBRATE_STEP;
}

/* Begin an epoch: the counter began again, and no line joins the points before
 * and after. */
static int
restart(const struct tl_calibrate *c, struct timeline_clock_tail *tail,
    const struct tl_clock_point *point)
{
	struct tl_rate rate;
	int rc = tl_clock_rate(c->source, &rate);

	if (rc < 0)
		return rc;
	if (tail->points > 0)
		commit_tail(c, tail, tail->max_err_ns, 0);
	tail->epoch++;
	begin(c, tail, point, &rate, TIMELINE_KNOT_NEW_EPOCH);
	tl_store_32(&c->header->epochs, tail->epoch);
	return TL_CALIBRATE_POINT | TL_CALIBRATE_KNOT | TL_CALIBRATE_EPOCH;
}

/* Measure a point, and add it to the tail.  The caller holds the tail. */
static int
advance(const struct tl_calibrate *c, struct timeline_clock_tail *tail,
    bool usable, bool new_epoch)
{
	struct tl_clock_point point;
	struct tl_verdict v;
	struct tl_rate rate;
	int rc = tl_clock_sample(c->source, &point);

	if (rc < 0)
		return rc;
	if (!usable) {
		if ((rc = tl_clock_rate(c->source, &rate)) < 0)
			return rc;
		tail->epoch = tl_load_32(&c->header->epochs);
		begin(c, tail, &point, &rate,
		    TIMELINE_KNOT_FIRST | TIMELINE_KNOT_GAP);
		return TL_CALIBRATE_POINT | TL_CALIBRATE_KNOT;
	}
	tl_tail_judge(tail, &point, &v);
	if (new_epoch || tl_ticks_to_ns(v.ticks, tail->mult) < -BACK_NS)
		return restart(c, tail, &point);
	if (v.ticks < POINT_GAP_TICKS)
		return 0;
	return v.step ? jump(c, tail, &point, &v) : join(c, tail, &point, &v);
}

int
tl_calibrate_locked(const struct tl_calibrate *c,
    const struct tl_tail_lock *lock, bool new_epoch)
{
	struct timeline_clock_tail tail;
	bool usable;
	int result;

	tl_tail_load(c->header, &tail);
	tail.keeper = 0; /* no keeper keeps this tail */
	usable = !lock->stolen && tail.mult != 0;
	if (!usable)
		usable = recover(c, &tail);
	const struct timeline_clock_tail before = tail;

	/* Advance, and mark the tail if the counter is not trusted. */
	result = advance(c, &tail, usable, new_epoch);
	if (result > 0 && c->suspect)
		tail.flags |= TIMELINE_KNOT_SUSPECT;

	tl_tail_unlock(c->header, lock, result < 0 ? &before : &tail);
	return result;
}

int
tl_calibrate_now(const struct tl_calibrate *c, bool new_epoch)
{
	struct tl_tail_lock lock;

	if (tl_tail_lock(c->header, &lock) < 0)
		return TL_CALIBRATE_BUSY;
	return tl_calibrate_locked(c, &lock, new_epoch);
}

int
tl_calibrate_copied(const struct tl_calibrate *c)
{
	/* A lock, if there is one, is held on the original. */
	const bool torn = c->header->clock.sequence % 2 != 0;
	struct tl_tail_lock lock;

	if (torn)
		c->header->clock.owner = 0;
	if (tl_tail_lock(c->header, &lock) < 0)
		return TL_CALIBRATE_BUSY;
	lock.stolen = torn;
	return tl_calibrate_locked(c, &lock, false);
}

/* Has the distrust of the counter not been recorded yet? */
static bool
has_news(const struct tl_calibrate *c)
{
	struct timeline_clock_tail tail;

	if (!c->suspect)
		return false;
	tl_tail_load(c->header, &tail);
	return !(tail.flags & TIMELINE_KNOT_SUSPECT) &&
	       !tl_tail_is_kept(c->header);
}

int
tl_calibrate_maybe(const struct tl_calibrate *c)
{
	const uint64_t now = c->source->tsc(c->source->context);
	const uint64_t then = tl_load_64(&c->header->clock.tsc);

	if (has_news(c))
		return tl_calibrate_now(c, false);
	if (now >= then &&
	    now - then < tl_calibrate_ticks(c->header, TL_CALIBRATE_PERIOD_NS))
		return 0;
	if (now >= then &&
	    now - then < tl_calibrate_ticks(c->header, TL_CALIBRATE_KEPT_NS) &&
	    tl_tail_is_kept(c->header)) /* the keeper is late, not dead */
		return 0;
	return tl_calibrate_now(c, false);
}

int
tl_calibrate_first(const struct tl_calibrate *c)
{
	struct timeline_header *header = c->header;
	struct timeline_clock_tail tail = { 0 };
	struct tl_clock_point point;
	struct tl_tail_lock lock;
	struct tl_rate rate;
	int rc;

	if ((rc = tl_clock_rate(c->source, &rate)) < 0 ||
	    (rc = tl_clock_sample(c->source, &point)) < 0)
		return rc;
	if ((rc = tl_tail_lock(header, &lock)) < 0)
		return rc;
	header->tsc_khz = rate.tsc_khz;
	header->rate_source = rate.source;
	header->epochs = 0;
	begin(c, &tail, &point, &rate, TIMELINE_KNOT_FIRST);
	tl_tail_unlock(header, &lock, &tail);
	return 0;
}

uint64_t
tl_calibrate_ticks(const struct timeline_header *header, uint64_t ns)
{
	/* A single word is never half written, so no lock is needed. */
	const uint64_t mult = tl_load_64(&header->clock.mult);
	const uint64_t khz = tl_load_64(&header->tsc_khz);

	if (mult != 0)
		return tl_ns_to_ticks(ns, mult);
	if (khz != 0 && khz < UINT32_MAX)
		return tl_ns_to_ticks(ns, tl_clock_mult(1000000, khz));
	return ns;
}
