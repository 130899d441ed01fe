/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bursts.c - the timers of sampling bursts, slots and retention control.
 *
 *	timerfd --> sample: draw, burst, arm for the next
 *	       \--> read the lanes right after a burst that is measured
 *	tick -----> read the lanes and levels, decide, pace
 *
 * libev's own timers count milliseconds, which is too coarse for bursts.
 *
 * With slots the daemon makes no burst: writers open slots by a hash of the
 * stamp, and each tick renews the lease of the writers' plan.  A daemon that is
 * late by less than the lease changes nothing; a daemon that dies leaves a plan
 * that ends by the writers' clock.
 */
#include "daemon/sampling/bursts.h"

#include "base/ns.h"
#include "base/word.h"
#include "clock/clock.h"
#include "daemon/sampling/retention.h"
#include "event/message.h"
#include "ring/ring.h"
#include "snap/inspect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The intervals of measuring rates, if history must be kept, and of measuring
 * the history itself, which costs a few reads of each lane. */
static const double tick_s = 0.25, history_s = 1;

/* The time after which the writers end a plan that is not renewed; and the
 * number of slots since the last reading above which open slots are estimated,
 * not counted. */
static const uint64_t lease_ns = UINT64_C(10000000000);
static const uint64_t count_slots_max = 100000;

/* The time from one burst to the next while no process is known to log. */
static const uint64_t left_ns = 60 * TL_NS_PER_S;

struct tl_bursts {
	struct ev_loop *loop;
	struct timeline *tl;
	int fd; /* of the timer */
	ev_io io;
	ev_timer tick;
	struct tl_config_bursts plan;
	uint64_t keep_ns;
	uint8_t base_max;
	bool sampling;
	bool is_left;
	uint64_t seed;
	struct tl_schedule schedule;
	struct tl_retention retention;
	struct tl_retention_reading *readings;
	uint64_t open_ns;     /* time of our bursts since the last reading */
	uint64_t measured;    /* heads at the last measure of history, plus 1 */
	uint64_t own_word;    /* the levels word after our last burst */
	bool measure;         /* measure the next burst */
	bool measuring;       /* the timer is set to the end of a burst */
	unsigned ticks;       /* until the next measure of history */
	struct tl_plan slots; /* the last plan that was set */
	bool has_slots;       /* a plan was set */
	uint64_t slots_ns;    /* time of the last renewal */
	uint64_t last_stamp;  /* stamp of the last count of open slots */
	struct tl_bursts_status status;
};

static uint64_t
now_ns(void)
{
	return (uint64_t)tl_clock_read(CLOCK_MONOTONIC);
}

/* Arm the timer for ns; 0 disarms the timer. */
static void
arm(struct tl_bursts *b, uint64_t ns)
{
	const struct itimerspec when = {
		.it_value = { .tv_sec = (time_t)(ns / TL_NS_PER_S),
		    .tv_nsec = (long)(ns % TL_NS_PER_S) }
	};

	timerfd_settime(b->fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* The number of lanes of tier 0, of CPUs and fallback; readings are in the same
 * order. */
static size_t
lane_count(const struct timeline *tl)
{
	return tl->geometry.cpu_lanes + tl->geometry.fallback_lanes;
}

/* == slots == */

/* The part of the open slots that is open to a gate.  Each level of the list is
 * rarer than the level before, and a slot that is open to a level is open to
 * all levels above. */
static double
weight_of(const struct tl_config_bursts *plan, unsigned gate)
{
	double all = 0, sum = 0, weight = 1;

	for (size_t i = 0; i < plan->level_count; i++) {
		all += weight;
		if (gate >= plan->levels[i])
			sum += weight;
		weight /= plan->rarer;
	}
	return all > 0 ? sum / all : 0;
}

unsigned
tl_bursts_slot_shift(uint64_t ticks)
{
	/* the nearest power of two, by ratio */
	const double bits = ticks > 0 ? log2((double)ticks) : 0;

	return bits < 1 ? 1 : (unsigned)fmin(rint(bits), 63);
}

static struct tl_plan
make_plan(const struct tl_bursts *b)
{
	const double share =
	    (b->plan.share > 0
		    ? b->plan.share
		    : (double)b->plan.length_ns / (double)b->plan.period_ns) *
	    tl_retention_scale(&b->retention);
	struct tl_plan plan = { .seed = b->slots.seed,
		.shift = tl_bursts_slot_shift(
		    tl_calibrate_ticks(b->tl->header, b->plan.length_ns)) };

	for (unsigned gate = 1; gate < TIMELINE_PLAN_GATES; gate++) {
		const double part = share * weight_of(&b->plan, gate) * 0x1p32;

		plan.shares[gate] =
		    (uint32_t)fmin(part < 1 && part > 0 ? 1 : part, UINT32_MAX);
	}
	return plan;
}

static double
slot_ns(const struct tl_bursts *b)
{
	const uint64_t ticks = tl_calibrate_ticks(b->tl->header, TL_NS_PER_S);

	return ticks > 0 ? (double)(UINT64_C(1) << b->slots.shift) *
			       (double)TL_NS_PER_S / (double)ticks
			 : 0;
}

/* The time for which slots were open since the last reading. */
static uint64_t
slots_open_ns(struct tl_bursts *b)
{
	const uint32_t share = b->slots.shares[TIMELINE_LEVEL_MAX];
	const uint64_t now = tl_stamp_now(b->tl);
	const uint64_t first = timeline_slot(b->last_stamp, b->slots.shift);
	const uint64_t end = timeline_slot(now, b->slots.shift);
	double open = 0;

	b->last_stamp = now;
	if (end < first || first == 0)
		return 0;
	if (end - first > count_slots_max)
		open = (double)(end - first) * (double)share * 0x1p-32;
	else
		for (uint64_t slot = first; slot < end; slot++)
			open += timeline_slot_hash(slot, b->slots.seed) < share;
	return (uint64_t)(open * slot_ns(b));
}

/* Renew the plan, or change to another plan or to none. */
static void
set_slots(struct tl_bursts *b, uint64_t at_ns)
{
	const bool wanted = b->sampling && b->plan.slots;
	struct tl_plan plan;

	if (b->has_slots && !tl_plan_is_held(b->tl, &b->slots))
		b->status.starved_ns += at_ns - b->slots_ns;
	if (!wanted) {
		if (b->has_slots || tl_load_64(&b->tl->header->lease) != 0)
			tl_plan_set(b->tl, b->has_slots ? &b->slots : NULL,
			    NULL, 0);
		b->has_slots = false;
		b->status.slot_ns = 0;
		b->status.share = 0;
		return;
	}
	if (b->slots.seed == 0)
		b->slots.seed = tl_schedule_seed() | 1;
	plan = make_plan(b);
	if (tl_plan_set(b->tl, b->has_slots ? &b->slots : NULL, &plan,
		lease_ns) != 0)
		return; /* the string table is full: no sampling */
	if (!b->has_slots)
		b->last_stamp = tl_stamp_now(b->tl);
	b->slots = plan;
	b->slots_ns = at_ns;
	b->has_slots = true;
	b->status.slot_ns = (uint64_t)slot_ns(b);
	b->status.share = plan.shares[TIMELINE_LEVEL_MAX] * 0x1p-32;
}

/* Read the heads of the lanes, from which their rates since the last reading
 * follow. */
static void
read_lanes(struct tl_bursts *b, uint64_t at_ns)
{
	const struct timeline_header *g = &b->tl->geometry;

	if (b->keep_ns == 0)
		return;
	for (uint32_t i = 0; i < lane_count(b->tl); i++) {
		const uint32_t lane = timeline_lane(g, i, 0);

		b->readings[i].entries = timeline_lane_entries(g, lane);
		/* acquire: heads need no order among lanes */
		b->readings[i].head =
		    tl_load_acquire_64(&tl_lane_head(b->tl, lane)->head);
	}
	if (b->has_slots)
		b->open_ns += slots_open_ns(b);
	tl_retention_read(&b->retention, b->readings, at_ns, b->open_ns);
	b->open_ns = 0;
}

/* Read the levels word, with its base forced into bounds. */
static struct tl_levels_now
read_levels(const struct tl_bursts *b)
{
	struct tl_levels_now now;

	tl_levels_get(b->tl, &now);
	if (now.base < TIMELINE_LEVEL_MIN)
		now.base = TIMELINE_LEVEL_MIN;
	if (now.base > TIMELINE_LEVEL_NONE)
		now.base = TIMELINE_LEVEL_NONE;
	return now;
}

/* The time for which a burst is open: the end of a burst is rounded up to a
 * unit of the levels word, and the last unit belongs to the burst. */
static uint64_t
open_time(const struct tl_bursts *b, uint64_t length_ns)
{
	const uint64_t ticks = tl_calibrate_ticks(b->tl->header, TL_NS_PER_S);
	const uint64_t unit = UINT64_C(3) << (TIMELINE_UNTIL_SHIFT - 1);

	return length_ns + (ticks > 0 && ticks < UINT64_MAX
				   ? unit * TL_NS_PER_S / ticks
				   : 0);
}

/* Make one burst, unless a burst is open or the burst would add nothing. */
static bool
sample(struct tl_bursts *b)
{
	const uint8_t level = tl_schedule_level(&b->schedule);
	const uint64_t length_ns = b->schedule.length_ns;
	struct tl_levels_now levels = read_levels(b);

	if (levels.burst) {
		b->status.skipped += levels.word != b->own_word;
		return false;
	}
	if (level >= levels.base ||
	    tl_burst(b->tl, level, length_ns, true) != 0)
		return false;
	tl_levels_get(b->tl, &levels);
	b->own_word = levels.word;
	b->open_ns += open_time(b, length_ns);
	b->status.made++;
	b->status.by_level[level]++;
	return true;
}

/* Begin a sample.  A measured sample has one reading right before and one at
 * its end; the sample after a measured sample is drawn already. */
static void
begin_sample(struct tl_bursts *b, uint64_t at_ns)
{
	const bool measure = b->measure && b->keep_ns > 0;
	bool made;

	if (measure)
		read_lanes(b, at_ns);
	made = sample(b);
	tl_schedule_next(&b->schedule, at_ns);
	if (b->is_left)
		b->schedule.at_ns = at_ns + left_ns;
	b->measuring = measure && made;
	b->measure = b->measure && !b->measuring;
	arm(b, b->measuring ? at_ns + open_time(b, b->schedule.length_ns)
			    : b->schedule.at_ns);
}

static void
timer_fired(struct ev_loop *loop, ev_io *io, int events)
{
	struct tl_bursts *b = io->data;

	(void)loop;
	(void)events;
	/* Arming the timer makes it unreadable, so no read is needed. */
	if (!b->sampling || b->plan.slots) {
		arm(b, 0);
	} else if (!b->measuring) {
		begin_sample(b, now_ns());
	} else {
		read_lanes(b, now_ns());
		b->measuring = false;
		arm(b, b->schedule.at_ns);
	}
}

/* Measure how much history the timeline holds, if it has new entries. */
static void
measure_history(struct tl_bursts *b)
{
	const uint32_t lanes = timeline_lane_count(&b->tl->geometry);
	bool wrapped = false;
	struct tl_inspection inspection;
	uint64_t heads = 1;

	for (uint32_t i = 0; i < lanes; i++)
		heads += tl_load_64(&tl_lane_head(b->tl, i)->head);
	if (heads == b->measured)
		return;
	b->measured = heads;
	b->status.kept_ns = -1;
	b->status.keeps = b->keep_ns == 0;
	if (tl_inspect_fd(&inspection, b->tl->fd, true, NULL) != 0)
		return;
	for (size_t i = 0; i < inspection.lane_count; i++) {
		const struct tl_inspection_lane *lane = &inspection.lanes[i];

		wrapped |= lane->tier == 0 && lane->head > lane->entries;
	}
	b->status.kept_ns = inspection.kept_ns;
	if (!wrapped || (inspection.kept_ns >= 0 &&
			    (uint64_t)inspection.kept_ns >= b->keep_ns))
		b->status.keeps = true;
	tl_inspection_free(&inspection);
}

/* Set the base of the timeline. */
static void
put_base(struct tl_bursts *b, uint8_t base)
{
	timeline_priority(b->tl,
	    base > TIMELINE_LEVEL_MAX ? "off" : tl_level_name(base));
}

static void
ticked(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_bursts *b = timer->data;
	struct tl_retention *r = &b->retention;
	const uint64_t at_ns = now_ns();

	(void)loop;
	(void)events;
	if (b->keep_ns > 0) {
		const uint8_t base = read_levels(b).base;

		if (!b->measuring) /* a reading would split the measure */
			read_lanes(b, at_ns);

		/* Decide on step and base, and apply the decision. */
		if (base != r->base) /* set by another process: adopt it */
			tl_retention_want(r, base);
		tl_retention_decide(r, at_ns);
		if (r->base != base)
			put_base(b, r->base);
		b->status.base = r->base > r->wanted_base ? r->base : 0;
		b->status.scale = tl_retention_scale(r);
		if (b->sampling)
			tl_schedule_pace(&b->schedule, tl_retention_length(r),
			    tl_retention_period(r));

		b->measure = !b->plan.slots;
	}
	if (b->plan.slots)
		set_slots(b, at_ns);
	if (b->ticks > 0) {
		b->ticks--;
		return;
	}
	measure_history(b);
	b->ticks =
	    b->tick.repeat < history_s ? (unsigned)(history_s / tick_s) - 1 : 0;
}

/* Restore the priority that was raised to keep history. */
static void
give_base_back(struct tl_bursts *b)
{
	struct tl_retention *r = &b->retention;

	if (r->base > r->wanted_base && read_levels(b).base == r->base)
		put_base(b, r->wanted_base);
	tl_retention_want(r, read_levels(b).base);
	b->status.base = 0;
}

static void
configure_retention(struct tl_bursts *b)
{
	struct tl_retention_plan plan = { .keep_ns = b->keep_ns,
		.length_ns = b->plan.length_ns,
		.period_ns = b->sampling ? b->plan.period_ns : 0,
		.burst_level = b->plan.levels[0],
		.base_max = b->base_max };

	if (b->sampling && b->plan.share > 0)
		plan.period_ns =
		    (uint64_t)((double)b->plan.length_ns / b->plan.share);
	if (b->keep_ns == 0 || b->retention.base > b->base_max)
		give_base_back(b);
	tl_retention_configure(&b->retention, &plan);
	b->status.scale = tl_retention_scale(&b->retention);
}

void
tl_bursts_configure(struct tl_bursts *b,
    const struct tl_config_timeline *config)
{
	const double every =
	    config->keep_ns > 0 || config->bursts.slots ? tick_s : history_s;

	if (b->sampling) /* continue the same random sequence */
		b->seed = b->schedule.random;
	b->plan = config->bursts;
	b->keep_ns = config->keep_ns;
	b->base_max = config->priority_max;
	b->sampling = b->plan.level_count > 0;
	b->measuring = b->measure = false;
	configure_retention(b);
	if (b->sampling) {
		tl_schedule_init(&b->schedule, &b->plan, b->seed, now_ns());
		tl_schedule_pace(&b->schedule,
		    tl_retention_length(&b->retention),
		    tl_retention_period(&b->retention));
	}
	arm(b, b->sampling && !b->plan.slots ? b->schedule.at_ns : 0);
	set_slots(b, now_ns());
	read_lanes(b, now_ns());
	b->measured = 0;
	measure_history(b);
	b->ticks = 0;
	ev_timer_stop(b->loop, &b->tick);
	ev_timer_set(&b->tick, every, every);
	ev_timer_start(b->loop, &b->tick);
}

static int
allocate(struct tl_bursts *b)
{
	const size_t lanes = lane_count(b->tl);

	b->readings = calloc(lanes + 1, sizeof(*b->readings));
	if (!b->readings)
		return -ENOMEM;
	return tl_retention_init(&b->retention, lanes);
}

int
tl_bursts_new(struct tl_bursts **bursts, struct ev_loop *loop,
    struct timeline *tl, const struct tl_config_timeline *config, uint64_t seed)
{
	struct tl_bursts *b = calloc(1, sizeof(*b));
	int rc;

	if (!b)
		return -ENOMEM;
	b->loop = loop;
	b->tl = tl;
	b->seed = seed ? seed : tl_schedule_seed();
	b->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	rc = b->fd < 0 ? -errno : allocate(b);
	if (rc != 0)
		goto free;
	tl_retention_want(&b->retention, read_levels(b).base);
	ev_io_init(&b->io, timer_fired, b->fd, EV_READ);
	ev_set_priority(&b->io, EV_MAXPRI);
	b->io.data = b;
	ev_io_start(loop, &b->io);
	ev_init(&b->tick, ticked);
	b->tick.data = b;
	tl_bursts_configure(b, config);
	*bursts = b;
	return 0;
free:
	tl_retention_free(&b->retention);
	free(b->readings);
	if (b->fd >= 0)
		close(b->fd);
	free(b);
	return rc;
}

void
tl_bursts_set_left(struct tl_bursts *b, bool is_left)
{
	if (b->is_left == is_left)
		return;
	b->is_left = is_left;
	b->schedule.at_ns = now_ns() + (is_left ? left_ns : 0);
	if (b->sampling && !b->plan.slots && !b->measuring)
		arm(b, b->schedule.at_ns);
}

int
tl_bursts_raise(struct tl_bursts *b, uint8_t level, uint64_t ns)
{
	int rc;

	if (level < TIMELINE_LEVEL_MIN || level > TIMELINE_LEVEL_MAX)
		return -EINVAL;
	rc = tl_burst(b->tl, level, ns, false);
	b->status.triggered += rc == 0;
	return rc;
}

void
tl_bursts_status(const struct tl_bursts *b, struct tl_bursts_status *status)
{
	*status = b->status;
	if (b->sampling && !b->plan.slots) {
		status->length_ns = b->schedule.length_ns;
		status->period_ns = b->schedule.period_ns;
	}
}

void
tl_bursts_free(struct tl_bursts *b)
{
	if (!b)
		return;
	give_base_back(b);
	b->sampling = false;
	set_slots(b, now_ns());
	ev_io_stop(b->loop, &b->io);
	ev_timer_stop(b->loop, &b->tick);
	close(b->fd);
	tl_retention_free(&b->retention);
	free(b->readings);
	free(b);
}
