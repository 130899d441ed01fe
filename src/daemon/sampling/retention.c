/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retention.c - control the share of burst time.
 */
#include "daemon/sampling/retention.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double second_ns = 1e9;
/* The share of a lane's room to plan for, because rates are never known
 * exactly. */
static const double target = 0.9;
/* A step down is taken when the wanted share is below down_below of the present
 * share, and at once below down_at_once; a step up is taken when the wanted
 * share is above up_above of the next step's share. */
static const double down_below = 0.95, up_above = 1.1, down_at_once = 0.75;
/* The base is lowered if the level below needs less than this share of the
 * room. */
static const double lower_below = 0.7;
/* Savings are known only if more than this share of a lane is used. */
static const double known_above = 0.02;
/* Rates are known after this time. */
static const double known_after_s = 0.2;

int
tl_retention_init(struct tl_retention *r, size_t lane_count)
{
	*r = (struct tl_retention){ .lane_count = lane_count,
		.backoff = 1,
		.lanes = calloc(lane_count + 1, sizeof(*r->lanes)) };
	return r->lanes ? 0 : -ENOMEM;
}

void
tl_retention_free(struct tl_retention *r)
{
	free(r->lanes);
	*r = (struct tl_retention){ 0 };
}

void
tl_retention_configure(struct tl_retention *r,
    const struct tl_retention_plan *plan)
{
	r->plan = *plan;
	r->calm_since_ns = r->short_since_ns = r->room_since_ns = 0;
	if (plan->keep_ns == 0)
		r->step = 0;
}

static void
set_base(struct tl_retention *r, uint8_t base)
{
	r->base = base;
	r->short_since_ns = r->room_since_ns = r->calm_since_ns = 0;

	/* Reset the measured rates. */
	for (size_t i = 0; i < r->lane_count; i++) {
		struct tl_retention_lane *l = &r->lanes[i];

		l->qq = l->qb = l->bb = l->qn = l->bn = 0;
	}
}

void
tl_retention_want(struct tl_retention *r, uint8_t base)
{
	assert(base >= TIMELINE_LEVEL_MIN && base <= TIMELINE_LEVEL_NONE);
	r->wanted_base = base;
	r->backoff = 1;
	r->raised_at_ns = r->lowered_at_ns = 0;
	for (size_t i = 0; i <= TIMELINE_LEVEL_NONE; i++)
		r->rate_before[i] = r->rate_after[i] = 0;
	if (base != r->base)
		set_base(r, base);
}

/* Solve for the two rates of a lane. */
static void
solve(struct tl_retention_lane *l)
{
	const double det = l->qq * l->bb - l->qb * l->qb;
	const double all = l->qq + 2 * l->qb + l->bb;
	const double mean = all > 0 ? (l->qn + l->bn) / all : 0;

	l->base_rate = l->burst_rate = mean;
	if (det <= 1e-6 * l->qq * l->bb || det <= 0)
		return;
	l->base_rate = (l->qn * l->bb - l->bn * l->qb) / det;
	l->burst_rate = (l->bn * l->qq - l->qn * l->qb) / det;
	if (l->base_rate < 0) {
		l->base_rate = 0;
		l->burst_rate = l->bn / l->bb;
	} else if (l->burst_rate < l->base_rate) {
		/* a burst also logs what the base logs */
		l->base_rate = l->burst_rate = mean;
	}
}

static void
read_lane(struct tl_retention_lane *l,
    const struct tl_retention_reading *reading, double quiet_s, double burst_s)
{
	const double all_s = quiet_s + burst_s;
	const double fade = exp(-all_s * 1e3 / TL_RETENTION_MEMORY_MS);
	const double n =
	    reading->head > l->head ? (double)(reading->head - l->head) : 0;

	l->qq = l->qq * fade + quiet_s * quiet_s / all_s;
	l->qb = l->qb * fade + quiet_s * burst_s / all_s;
	l->bb = l->bb * fade + burst_s * burst_s / all_s;
	l->qn = l->qn * fade + quiet_s * n / all_s;
	l->bn = l->bn * fade + burst_s * n / all_s;
	solve(l);
}

void
tl_retention_read(struct tl_retention *r,
    const struct tl_retention_reading *readings, uint64_t now_ns,
    uint64_t burst_ns)
{
	const bool begun = r->begun;
	double all_s, burst_s;

	if (begun && now_ns <= r->last_ns)
		return;
	all_s = (double)(now_ns - r->last_ns) / second_ns;
	burst_s = fmin((double)burst_ns / second_ns, all_s);
	for (size_t i = 0; i < r->lane_count; i++) {
		if (begun)
			read_lane(&r->lanes[i], &readings[i], all_s - burst_s,
			    burst_s);
		r->lanes[i].entries = readings[i].entries;
		r->lanes[i].head = readings[i].head;
	}
	r->begun = true;
	r->last_ns = now_ns;
}

static double
scale_of(unsigned step)
{
	return exp2(-(double)step / 4);
}

double
tl_retention_scale(const struct tl_retention *r)
{
	return scale_of(r->step);
}

/* The length of a burst: shorter with each step, down to 1 /
 * TL_RETENTION_LENGTH_PART of length_ns. */
uint64_t
tl_retention_length(const struct tl_retention *r)
{
	const double part =
	    fmax(scale_of(r->step), 1.0 / TL_RETENTION_LENGTH_PART);
	const double ns = (double)r->plan.length_ns * part;

	return ns < 1 ? 1 : (uint64_t)ns;
}

/* The time from one burst to the next.  The time grows in the steps after
 * bursts have reached their least length. */
uint64_t
tl_retention_period(const struct tl_retention *r)
{
	const double part = scale_of(r->step) * TL_RETENTION_LENGTH_PART;

	return part >= 1 ? r->plan.period_ns
			 : (uint64_t)((double)r->plan.period_ns / part);
}

/* The share of its room that a lane needs to keep keep_ns at a rate. */
static double
need(const struct tl_retention *r, const struct tl_retention_lane *l,
    double rate)
{
	if (l->entries == 0)
		return 0;
	return rate * (double)r->plan.keep_ns / second_ns / (double)l->entries;
}

/* The share of the configured burst time for which a lane has room. */
static double
scale_for(const struct tl_retention *r, const struct tl_retention_lane *l)
{
	const double most =
	    (double)r->plan.length_ns / (double)r->plan.period_ns;
	const double base = need(r, l, l->base_rate);
	const double more = need(r, l, l->burst_rate - l->base_rate) * most;

	if (base + more <= target)
		return 1 + (target - base - more); /* above 1: room to spare */
	return base >= target ? 0 : (target - base) / more;
}

static double
scale_wanted(const struct tl_retention *r)
{
	double wanted = 2;

	for (size_t i = 0; i < r->lane_count; i++)
		wanted = fmin(wanted, scale_for(r, &r->lanes[i]));
	return wanted;
}

/* The first step whose share is at most scale. */
static unsigned
step_for(double scale)
{
	unsigned step = 0;

	while (step < TL_RETENTION_STEPS && scale_of(step) > scale)
		step++;
	return step;
}

/* Has a condition held for this time?  The caller calls only while the
 * condition holds.  *since_ns is its start, and is set if it is 0. */
static bool
has_lasted(uint64_t *since_ns, uint64_t now_ns, uint64_t ms)
{
	if (*since_ns == 0)
		*since_ns = now_ns;
	return now_ns - *since_ns >= ms * 1000000;
}

/* The next step for the wanted share.  *ms is the time for which the step must
 * be wanted before it is taken. */
static unsigned
next_step(const struct tl_retention *r, double wanted, uint64_t *ms)
{
	const double now = scale_of(r->step);
	unsigned goal;

	*ms = TL_RETENTION_CALM_MS;
	if (wanted < down_at_once * now)
		*ms = 0;
	if (wanted < down_below * now)
		return step_for(wanted);
	if (r->step == 0 || wanted < up_above * scale_of(r->step - 1))
		return r->step;
	/* half of the way, to overshoot less */
	goal = step_for(wanted / up_above);
	return r->step - (r->step - goal + 1) / 2;
}

static void
decide_step(struct tl_retention *r, uint64_t now_ns)
{
	uint64_t ms;
	unsigned step;

	if (r->plan.period_ns == 0)
		return;
	step = next_step(r, scale_wanted(r), &ms);
	if (step == r->step) {
		r->calm_since_ns = 0;
	} else if (has_lasted(&r->calm_since_ns, now_ns, ms)) {
		r->step = step;
		r->calm_since_ns = 0;
	}
}

/* The share of its room that the tightest lane needs, at base or burst
 * rates. */
static double
need_most(const struct tl_retention *r, bool burst)
{
	double most = 0;

	for (size_t i = 0; i < r->lane_count; i++) {
		const struct tl_retention_lane *l = &r->lanes[i];

		most = fmax(most,
		    need(r, l, burst ? l->burst_rate : l->base_rate));
	}
	return most;
}

static bool
knows_bursts(const struct tl_retention *r)
{
	for (size_t i = 0; i < r->lane_count; i++) {
		if (r->lanes[i].bb > 0)
			return r->plan.period_ns > 0;
	}
	return false;
}

/* The share of room that the level below the base would need; the present share
 * if nothing better is known. */
static double
need_below(const struct tl_retention *r)
{
	const unsigned below = r->base - 1U;
	const double now = need_most(r, false);
	double guess = now;

	if (r->rate_after[below] > known_above)
		guess = now * r->rate_before[below] / r->rate_after[below];
	if (knows_bursts(r) && r->plan.burst_level <= below)
		guess = r->rate_after[below] > known_above
			    ? fmin(guess, need_most(r, true))
			    : need_most(r, true);
	return guess;
}

static uint64_t
room_ms(const struct tl_retention *r)
{
	return (uint64_t)TL_RETENTION_ROOM_MS * r->backoff;
}

static void
raise_base(struct tl_retention *r, uint64_t now_ns)
{
	/* If the base was lowered too soon, wait longer the next time. */
	if (r->lowered_at_ns != 0 &&
	    now_ns - r->lowered_at_ns < 2 * room_ms(r) * 1000000) {
		if (r->backoff < TL_RETENTION_BACKOFF_MAX)
			r->backoff *= 2;
	} else {
		r->backoff = 1;
	}
	r->rate_before[r->base] = need_most(r, false);
	r->rate_after[r->base] = 0;
	r->raised_at_ns = now_ns;
	set_base(r, (uint8_t)(r->base + 1));
}

static void
decide_base(struct tl_retention *r, uint64_t now_ns)
{
	const bool spent =
	    r->plan.period_ns == 0 || r->step == TL_RETENTION_STEPS;

	/* Take the share after the last raise, once it is known. */
	if (r->raised_at_ns != 0 && r->base > r->wanted_base &&
	    now_ns - r->raised_at_ns >=
		TL_RETENTION_SHORT_MS * UINT64_C(1000000)) {
		r->rate_after[r->base - 1] = need_most(r, false);
		r->raised_at_ns = 0;
	}

	if (r->base < r->wanted_base || r->wanted_base == 0)
		return;
	if (spent && need_most(r, false) > 1 && r->base < r->plan.base_max) {
		r->room_since_ns = 0;
		if (has_lasted(&r->short_since_ns, now_ns,
			TL_RETENTION_SHORT_MS))
			raise_base(r, now_ns);
		return;
	}
	r->short_since_ns = 0;
	if (r->base == r->wanted_base || need_below(r) > lower_below)
		r->room_since_ns = 0;
	else if (has_lasted(&r->room_since_ns, now_ns, room_ms(r))) {
		r->lowered_at_ns = now_ns;
		set_base(r, (uint8_t)(r->base - 1));
	}
}

void
tl_retention_decide(struct tl_retention *r, uint64_t now_ns)
{
	/* Rates are known after enough readings since they were reset. */
	if (r->plan.keep_ns == 0 || r->lane_count == 0 ||
	    r->lanes[0].qq <= known_after_s)
		return;
	decide_step(r, now_ns);
	decide_base(r, now_ns);
}
