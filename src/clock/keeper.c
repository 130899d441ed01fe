/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.c - the daemon's keeping of the clock of one timeline.
 *
 * The file is right after every store: knots are whole or not counted, and a
 * tail that was being written is taken over by the next writer, which starts
 * again from the last knot.  So the keeper may die at any point.
 *
 * The keeper leaves the tail's cone empty.  To the common rule an empty cone
 * says: the tail must become a knot before another point is joined to it.  The
 * tail's bound was computed for exactly that line, so the next process needs no
 * more than the tail.
 */
#include "clock/keeper.h"

#include "base/word.h"

#include <string.h>
#include <unistd.h>

enum {
	STEER_PPM_MAX = 100000, /* limit of the drivers of the clock */
	STEP_FLOOR_NS = 1000,
	NEAR_NS = 20000000, /* nearer points give no rate */
	BACK_NS = 1000000   /* further back: another epoch */
};

void
tl_keeper_init(struct tl_keeper *k, const struct tl_calibrate *calibrate)
{
	memset(k, 0, sizeof(*k));
	k->calibrate = *calibrate;
}

static void
commit(void *context, const struct timeline_knot *knot)
{
	struct tl_keeper *k = context;

	tl_calibrate_commit(&k->calibrate, knot);
	k->committed++;
}

static void
corner_at(const struct tl_clock_point *point, uint32_t half_ns, uint64_t mult,
    uint16_t flags, struct tl_corner *corner)
{
	tl_point_knot(point, mult, &corner->at);
	corner->at.flags = (uint16_t)(tl_point_flags(point, half_ns) | flags);
	corner->half_ns = half_ns;
}

/* Make a corner of the tail. */
static void
corner_of_tail(const struct timeline_clock_tail *tail, struct tl_corner *corner)
{
	*corner = (struct tl_corner){ .half_ns = tail->half_ns };
	tl_tail_knot(tail, &corner->at);
	corner->at.pid = (uint32_t)getpid();
}

/* Is the tail at the newest knot? */
static bool
tail_is_knot(const struct tl_keeper *k, const struct timeline_clock_tail *tail)
{
	const uint64_t count =
	    tl_load_acquire_64(&k->calibrate.header->knot_count);
	struct timeline_knot knot;

	return count > 0 &&
	       tl_knot_load(k->calibrate.knots, k->calibrate.knots_max,
		   count - 1, &knot) &&
	       knot.epoch == tail->epoch && knot.tsc == tail->tsc;
}

/* Take over a tail of the common rule: the tail becomes a knot, unless it is at
 * one. */
static void
take_over(struct tl_keeper *k, const struct timeline_clock_tail *tail)
{
	const struct tl_known_rate rate = { .mult = tail->mult,
		.error_ppb = tail->rate_err_ppb };
	struct tl_corner corner;

	corner_of_tail(tail, &corner);
	if (!tail_is_knot(k, tail))
		commit(k, &corner.at);
	tl_knots_begin(&k->knots, &corner, &rate);
	k->tail = *tail;
	tl_tail_start_piece(&k->tail);
	k->keeping = true;
}

/* Make the newest point the tail, with the bound of its line. */
static void
describe_tail(struct tl_keeper *k, const struct tl_verdict *v)
{
	struct timeline_clock_tail *tail = &k->tail;
	const struct tl_corner *newest = tl_knots_newest(&k->knots);
	const uint32_t bound = tl_knots_tail_bound(&k->knots);

	tail->before_tsc = tail->tsc;
	tail->tsc = newest->at.tsc;
	tail->utc_ns = newest->at.utc_ns;
	tail->raw_ns = newest->at.raw_ns;
	tail->sync_err_us = newest->at.sync_err_us;
	tail->tai_offset_s = newest->at.tai_offset_s;
	tail->flags = newest->at.flags;
	tail->mult = k->knots.rate.mult;
	tail->rate_err_ppb = k->knots.rate.error_ppb;
	if (tail->rate_err_ppb > TL_CLOCK_COARSE_PPB)
		tail->flags |= TIMELINE_KNOT_COARSE;
	tail->half_ns = newest->half_ns;
	tail->widest_ns = k->knots.widest_ns > newest->half_ns
			      ? k->knots.widest_ns
			      : newest->half_ns;
	tail->stray_ppb = v->stray_ppb;
	tail->slope_low = UINT64_MAX;
	tail->slope_high = 0;
	tail->points = 2; /* some points were forgotten */
	tail->bend_ns = 0;
	tl_tail_set_errors(tail);
	if (bound > tail->max_err_ns) {
		tail->bend_ns = bound - tail->max_err_ns;
		tl_tail_set_errors(tail);
	}
}

/* Begin at a point that no line joins to the points before. */
static void
begin_apart(struct tl_keeper *k, const struct tl_clock_point *point,
    const struct tl_verdict *v, uint16_t flags, uint32_t max_err_ns)
{
	const struct tl_known_rate rate = k->knots.rate;
	struct tl_corner corner;

	corner_at(point, v->half_ns, rate.mult,
	    k->tail.flags & TIMELINE_KNOT_SUSPECT, &corner);
	corner.at.epoch = k->tail.epoch;
	tl_knots_begin(&k->knots, &corner, &rate);
	describe_tail(k, v);
	tl_tail_start_piece(&k->tail);
	corner.at.flags |= flags;
	corner.at.max_err_ns = max_err_ns;
	corner.at.est_err_ns = k->tail.est_err_ns;
	commit(k, &corner.at);
}

/* Is the point on another line?  A clock that was seen being set needs no
 * further check; otherwise the point is a jump only if no steering explains
 * it. */
static bool
is_jump(const struct tl_keeper *k, const struct tl_verdict *v,
    const struct tl_keep_news *news)
{
	const uint64_t off =
	    v->off_ns < 0 ? -(uint64_t)v->off_ns : (uint64_t)v->off_ns;
	const uint64_t passed =
	    (uint64_t)tl_ticks_to_ns(v->ticks, k->tail.mult);

	if (news->slept || (news->was_set && v->bent))
		return true;
	if (!news->sees_set)
		return v->step;
	return off > v->noise_ns + STEP_FLOOR_NS +
			 tl_ppb_of(passed, STEER_PPM_MAX * UINT64_C(1000));
}

/* Commit everything pending as knots; the tail is at the newest knot. */
static void
settle_all(struct tl_keeper *k)
{
	tl_knots_finish(&k->knots, commit, k);
	tl_tail_start_piece(&k->tail);
	k->tail.keeper = 0;
	k->keeping = false;
}

static void
let_go(struct tl_keeper *k, const struct tl_tail_lock *lock)
{
	tl_tail_unlock(k->calibrate.header, lock, &k->tail);
	k->sequence = (uint32_t)lock->word + 1;
}

/* Add a point by the common rule; the keeper takes over at the next point. */
static int
let_others(struct tl_keeper *k, const struct tl_tail_lock *lock, bool new_epoch)
{
	const uint64_t *count = &k->calibrate.header->knot_count;
	const uint64_t before = tl_load_64(count);
	const int rc = tl_calibrate_locked(&k->calibrate, lock, new_epoch);

	k->keeping = false;
	k->sequence = (uint32_t)lock->word + 1;
	k->committed += tl_load_64(count) - before;
	if (rc <= 0)
		return rc;
	k->points++;
	k->steps += (rc & TL_CALIBRATE_STEP) != 0;
	k->epochs += (rc & TL_CALIBRATE_EPOCH) != 0;
	return rc;
}

/* Add a point, with the lock held and the tail unchanged since the last
 * point. */
static int
advance(struct tl_keeper *k, const struct tl_tail_lock *lock,
    const struct tl_clock_point *point, const struct tl_keep_news *news)
{
	struct tl_verdict v;
	int rc = 0;
	struct tl_tail_lock again;
	struct tl_corner corner;

	tl_tail_judge(&k->tail, point, &v);
	k->bent = v.bent;
	const int64_t passed = tl_ticks_to_ns(v.ticks, k->tail.mult);

	if (news->restarted || passed < -BACK_NS) {
		/* Begin an epoch, because the counter began again; first commit
		 * the points of the old epoch. */
		settle_all(k);
		let_go(k, lock);
		if (tl_tail_lock(k->calibrate.header, &again) < 0)
			return TL_CALIBRATE_BUSY;
		return let_others(k, &again, true);
	}
	if (v.ticks > 0 && is_jump(k, &v, news)) {
		/* Start another line: the clock was set, or the machine
		 * slept. */
		const uint64_t off =
		    v.off_ns < 0 ? -(uint64_t)v.off_ns : (uint64_t)v.off_ns;
		const bool steered = point->sync.steered ||
				     !(k->tail.flags & TIMELINE_KNOT_UNSYNC);
		uint16_t flags = tl_tail_step_flags(&k->tail, point, v.off_ns);

		if (news->slept)
			flags = TIMELINE_KNOT_GAP;
		else
			k->steps++;
		tl_knots_finish(&k->knots, commit, k);
		begin_apart(k, point, &v, flags,
		    tl_add_32(off,
			(steered ? v.allow_ns : v.noise_ns) + TL_ROUNDING_NS));
		rc = TL_CALIBRATE_POINT | TL_CALIBRATE_KNOT |
		     (news->slept ? 0 : TL_CALIBRATE_STEP);
	} else if (passed >= NEAR_NS) {
		const uint64_t before = k->committed;

		corner_at(point, v.half_ns, k->knots.rate.mult,
		    news->suspect ? TIMELINE_KNOT_SUSPECT : 0, &corner);
		corner.at.epoch = k->tail.epoch;
		tl_knots_add(&k->knots, &corner, commit, k);
		describe_tail(k, &v);
		rc = TL_CALIBRATE_POINT |
		     (k->committed > before ? TL_CALIBRATE_KNOT : 0);
	}
	k->points += rc > 0;
	k->tail.keeper = (uint32_t)getpid();
	let_go(k, lock);
	return rc;
}

int
tl_keeper_point(struct tl_keeper *k, const struct tl_clock_point *point,
    const struct tl_keep_news *news)
{
	struct timeline_header *header = k->calibrate.header;
	struct timeline_clock_tail tail;
	struct tl_tail_lock lock;

	k->busy = tl_tail_lock(header, &lock) < 0;
	if (k->busy)
		return TL_CALIBRATE_BUSY;
	tl_tail_load(header, &tail);
	if (lock.stolen || tail.mult == 0 ||
	    (uint32_t)lock.word != k->sequence + 1)
		return let_others(k, &lock, news->restarted);
	if (!k->keeping)
		take_over(k, &tail);
	return advance(k, &lock, point, news);
}

void
tl_keeper_leave(struct tl_keeper *k)
{
	struct tl_tail_lock lock;

	if (!k->keeping || tl_tail_lock(k->calibrate.header, &lock) < 0)
		return;
	if (lock.stolen || (uint32_t)lock.word != k->sequence + 1) {
		/* changed by another process: the common rule repairs it */
		(void)let_others(k, &lock, false);
		return;
	}
	settle_all(k);
	let_go(k, &lock);
}
