/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.c - are totals that are estimated from samples right, as
 * often as they say?  Programs whose true count is known are sampled by the
 * daemon's own schedule, many times over.
 */
#include "dump/stats/estimate.h"
#include "lib/test.h"

/* The schedule itself, which stands in another program, and no copy. */
#include "daemon/sampling/schedule.c"

#include "lib/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US INT64_C(1000)
#define MS INT64_C(1000000)

enum {
	BASE = 6,
	RUNS = 400,
	WINDOWS_MAX = 20000,
	WISHES_MAX = 1000,
	SECONDS = 10
};

static const int64_t end_ns = SECONDS * INT64_C(1000000000);

static struct tl_level_window windows[WINDOWS_MAX];
static struct tl_levels levels;
static struct tl_level_state state;
/* The levels word of the simulated timeline. */
static uint8_t threshold;
static int64_t until_ns;
/* Samples say that threads waited for CPUs for this share of the time. */
static double contended;

static const struct tl_message burst_message = { .builtin =
						     TIMELINE_BUILTIN_BURST };

static int
keep_window(void *context, const struct tl_level_window *window)
{
	(void)context;
	ck_assert_uint_lt(levels.count, WINDOWS_MAX);
	windows[levels.count++] = *window;
	return 0;
}

static void
begin(void)
{
	levels =
	    (struct tl_levels){ .windows = windows, .complete_ns = INT64_MIN };
	threshold = BASE;
	until_ns = 0;
	contended = 0;
	tl_level_init(&state, keep_window, NULL);
	tl_level_begin(&state, BASE, BASE, 0, 0);
}

static bool
is_open(int64_t at_ns)
{
	return threshold < BASE && at_ns < until_ns;
}

/* What timeline_burst does to the word, and the entry of it. */
static void
burst(int64_t at_ns, unsigned level, int64_t length_ns, bool sample)
{
	const bool alive = is_open(at_ns);
	const int64_t until = at_ns + length_ns;
	struct tl_event event = { .ns = at_ns,
		.message = &burst_message,
		.kind = TL_INSTANT,
		.args = { 0, BASE, 0, 0 } };

	if (sample)
		event.args[3] = (uint64_t)(contended * (double)at_ns / 1000)
				    << TIMELINE_SAMPLE_SHIFT |
				TIMELINE_SAMPLE_PRESSURE;

	threshold = (uint8_t)(alive && threshold < level ? threshold : level);
	until_ns = alive && until_ns > until ? until_ns : until;
	event.args[0] = threshold;
	ck_assert_int_eq(tl_level_put(&state, &event, until_ns), 0);
}

static void
lose(int64_t at_ns)
{
	const struct tl_event event = { .ns = at_ns, .kind = TL_LOST };

	tl_level_put(&state, &event, 0);
}

/* A message: busy for a part of each period, then it logs every step_ns; on
 * top every some periods are so many times busier. */
struct program {
	unsigned gate;
	int64_t period_ns, busy_ns, step_ns;
	int64_t phase_ns;
	unsigned crisis_every; /* periods; 0: never */
	unsigned crisis_times;
};

static bool
is_crisis(const struct program *p, int64_t period)
{
	return p->crisis_every && (uint64_t)period % p->crisis_every == 0;
}

/* Walk what it logs in [from, to); returns how many. */
static uint64_t
walk(const struct program *p, int64_t from, int64_t to, struct tl_tally *tally,
    const struct tl_samples *samples)
{
	uint64_t count = 0;

	for (int64_t i = (from - p->phase_ns) / p->period_ns - 1;; i++) {
		const int64_t begin_ns = p->phase_ns + i * p->period_ns;
		const int64_t step =
		    is_crisis(p, i) ? p->step_ns / p->crisis_times : p->step_ns;
		int64_t at = begin_ns, end = begin_ns + p->busy_ns;

		if (begin_ns >= to)
			return count;
		if (at < from)
			at += (from - at + step - 1) / step * step;
		if (end > to)
			end = to;
		if (at < end)
			count += (uint64_t)((end - at + step - 1) / step);
		for (; tally && at < end; at += step)
			tl_tally_put(tally, samples, p->gate, at, 0);
	}
}

/* What of it was logged, put together; how many entries that were. */
static uint64_t
log_all(const struct program *p, struct tl_tally *tally,
    const struct tl_samples *samples)
{
	uint64_t count = 0;

	for (size_t i = 0; i < levels.count; i++) {
		const struct tl_level_window *w = &windows[i];

		if (p->gate >= w->threshold)
			count += walk(p, w->from_ns, w->to_ns, tally, samples);
	}
	return count;
}

/* What the program wants to see for itself: begin and end of its bursts. */
struct wishes {
	int64_t at[WISHES_MAX];
	int64_t length_ns;
	size_t count;
};

static void
sample_all(const struct tl_config_bursts *plan, uint64_t seed,
    const struct wishes *wishes)
{
	struct tl_schedule s;
	size_t w = 0;

	begin();
	tl_schedule_init(&s, plan, seed, 0);
	while ((int64_t)s.at_ns < end_ns) {
		const int64_t at = (int64_t)s.at_ns;

		for (; wishes && w < wishes->count && wishes->at[w] <= at; w++)
			burst(wishes->at[w], 1, wishes->length_ns, false);
		if (!is_open(at))
			burst(at, tl_schedule_level(&s), (int64_t)s.length_ns,
			    true);
		tl_schedule_next(&s, s.at_ns);
	}
	tl_level_end(&state, end_ns);
}

/* What came of many runs. */
struct outcome {
	unsigned covered;
	double mean;  /* estimate / truth */
	double naive; /* seen while open / truth */
};

static void
run_once(const struct program *p, struct outcome *o)
{
	const double truth = (double)walk(p, 0, end_ns, NULL, NULL);
	struct tl_tally tally = { 0 };
	struct tl_samples samples;
	struct tl_estimate e;
	double open_s = 0, seen;

	ck_assert_int_eq(tl_samples_init(&samples, &levels, 0, end_ns), 0);
	seen = (double)log_all(p, &tally, &samples);
	for (size_t i = 0; i < levels.count; i++) {
		if (windows[i].threshold <= p->gate)
			open_s +=
			    (double)(windows[i].to_ns - windows[i].from_ns) /
			    1e9;
	}
	tl_estimate(&e, &samples, &tally, p->gate);
	ck_assert(e.known && e.interval);
	ck_assert(fabs(e.seconds - SECONDS) < 1e-6);
	o->covered +=
	    e.rate_low * e.seconds <= truth && truth <= e.rate_high * e.seconds;
	o->mean += e.rate * e.seconds / truth / RUNS;
	o->naive += seen / open_s * SECONDS / truth / RUNS;
	tl_tally_free(&tally);
	tl_samples_free(&samples);
}

static struct outcome
run_many(const struct tl_config_bursts *plan, struct program p, bool wishes_too)
{
	static struct wishes wishes;
	struct outcome o = { 0 };
	uint64_t random = 42;

	for (unsigned run = 0; run < RUNS; run++) {
		p.phase_ns =
		    (int64_t)random_below(&random, (uint64_t)p.period_ns);
		wishes.count = 0;
		wishes.length_ns = p.busy_ns / 2;
		/* it looks closely at its own crises */
		for (int64_t i = 0; wishes_too && i < end_ns / p.period_ns;
		     i += p.crisis_every) {
			ck_assert_uint_lt(wishes.count, WISHES_MAX);
			wishes.at[wishes.count++] =
			    p.phase_ns + i * p.period_ns;
		}
		sample_all(plan, random_next(&random),
		    wishes_too ? &wishes : NULL);
		run_once(&p, &o);
	}
	printf("of %d runs %u in the interval, mean %.4f of the truth, while "
	       "open %.3f\n",
	    RUNS, o.covered, o.mean, o.naive);
	return o;
}

static const struct tl_config_bursts plan = { .levels = { 4, 2 },
	.level_count = 2,
	.rarer = 5,
	.length_ns = 100000,
	.period_ns = 10000000,
	.jitter = 0.5 };

static void
expect_right(struct outcome o)
{
	ck_assert_uint_ge(o.covered, RUNS * 90 / 100);
	ck_assert_uint_le(o.covered, RUNS * 99 / 100);
	ck_assert_msg(fabs(o.mean - 1) < 0.02, "mean %f", o.mean);
}

/* A period that is the schedule's own, and one that has nothing to do with
 * it. */
static const struct program locked = { .gate = 4,
	.period_ns = 10 * MS,
	.busy_ns = 3 * MS,
	.step_ns = 10 * US };
static const struct program free_running = { .gate = 4,
	.period_ns = 7123 * US,
	.busy_ns = 2 * MS,
	.step_ns = 9 * US };

TEST_FILE(.timeout = 300);

TEST(the_interval_holds_the_truth_as_often_as_it_says)
{
	struct program p = free_running;

	expect_right(run_many(&plan, p, false));
	p.gate = 2; /* rarer */
	expect_right(run_many(&plan, p, false));
}

TEST(the_schedule_does_not_lock_onto_a_program)
{
	expect_right(run_many(&plan, locked, false));
}

TEST(without_jitter_it_would)
{
	struct tl_config_bursts stiff = plan;
	struct outcome o;

	stiff.jitter = 0;
	o = run_many(&stiff, locked, false);
	ck_assert_uint_lt(o.covered, RUNS / 2);
}

TEST(bursts_of_a_program_that_is_busy_move_nothing)
{
	const struct program p = { .gate = 4,
		.period_ns = 10 * MS,
		.busy_ns = 8 * MS,
		.step_ns = 50 * US,
		.crisis_every = 10,
		.crisis_times = 20 };
	struct outcome o = run_many(&plan, p, true);

	ck_assert_msg(o.naive > 2, "naive %f", o.naive);
	ck_assert_msg(fabs(o.mean - 1) < 0.02, "mean %f", o.mean);
	ck_assert_uint_ge(o.covered, RUNS * 90 / 100);
}

/* A few bursts by hand, and ten entries a millisecond of gate 4. */
static struct tl_estimate
estimate(int64_t from_ns, int64_t to_ns)
{
	const struct program p = { .gate = 4,
		.period_ns = MS,
		.busy_ns = MS,
		.step_ns = MS / 10 };
	struct tl_tally tally = { 0 };
	struct tl_samples samples;
	struct tl_estimate e;

	tl_level_end(&state, end_ns);
	ck_assert_int_eq(tl_samples_init(&samples, &levels, from_ns, to_ns), 0);
	log_all(&p, &tally, &samples);
	tl_estimate(&e, &samples, &tally, p.gate);
	tl_tally_free(&tally);
	tl_samples_free(&samples);
	return e;
}

TEST(one_sample_cannot_show_that_cpus_were_free)
{
	struct tl_estimate e;

	begin();
	burst(100 * MS, 4, MS, true);
	e = estimate(0, end_ns);
	ck_assert(!e.known && !e.interval);
	ck_assert_int_eq(e.why, TL_ESTIMATE_UNMEASURED);
	ck_assert_uint_eq(e.samples, 1);
	ck_assert(fabs(e.rate - 10000) < 1);
}

static struct tl_estimate
estimate_contended(double share)
{
	begin();
	contended = share;
	for (int64_t i = 1; i < 100; i++)
		burst(i * 10 * MS, 4, MS, true);
	return estimate(0, end_ns);
}

TEST(there_is_no_estimate_where_cpus_were_contended)
{
	struct tl_estimate e = estimate_contended(0.63);

	ck_assert_int_eq(e.why, TL_ESTIMATE_CONTENDED);
	ck_assert(!e.known);
	ck_assert(fabs(e.contended - 0.63) < 0.001);
	e = estimate_contended(0.051);
	ck_assert(!e.known && e.why == TL_ESTIMATE_CONTENDED);
	e = estimate_contended(0.049);
	ck_assert(e.known && e.why == TL_ESTIMATE_GIVEN);
	ck_assert(fabs(e.contended - 0.049) < 0.001);
	/* waiting for longer than there was time is waiting all the time */
	e = estimate_contended(7);
	ck_assert(fabs(e.contended - 1) < 0.001);
}

TEST(samples_without_a_measure_give_no_estimate)
{
	struct tl_estimate e;

	begin();
	for (int64_t i = 1; i < 100; i++) {
		burst(i * 10 * MS, 4, MS, true);
		state.window.measure = TIMELINE_SAMPLE_UNMEASURED;
	}
	e = estimate(0, end_ns);
	ck_assert(!e.known && e.contended < 0);
	ck_assert_int_eq(e.why, TL_ESTIMATE_UNMEASURED);
}

TEST(a_measure_of_another_daemon_is_not_compared)
{
	struct tl_estimate e;

	begin();
	for (int64_t i = 1; i < 100; i++) {
		/* the counter of the second has run for longer */
		contended = i < 50 ? 0 : 0.04;
		burst(i * 10 * MS, 4, MS, true);
		state.window.pid = i < 50 ? 1 : 2;
	}
	e = estimate(0, end_ns);
	ck_assert(e.known && fabs(e.contended - 0.02) < 0.001);
}

/* An always open message: every 10 us inside samples and so often outside. */
static struct tl_estimate
estimate_beside(int64_t outside_us)
{
	const struct program p = { .gate = 4,
		.period_ns = MS,
		.busy_ns = MS,
		.step_ns = MS / 10 };
	struct tl_tally tally = { 0 };
	struct tl_samples samples;
	struct tl_estimate e;

	begin();
	for (int64_t i = 1; i < 100; i++)
		burst(i * 10 * MS, 4, MS, true);
	tl_level_end(&state, end_ns);
	ck_assert_int_eq(tl_samples_init(&samples, &levels, 0, end_ns), 0);
	for (size_t i = 0; i < levels.count; i++) {
		const struct tl_level_window *w = &windows[i];
		const int64_t step = w->sample ? 10 * US : outside_us * US;

		for (int64_t at = w->from_ns; at < w->to_ns; at += step)
			tl_samples_control(&samples, BASE, at);
		for (int64_t at = w->from_ns; at < w->to_ns; at += US)
			tl_samples_control(&samples, BASE - 1, at);
	}
	log_all(&p, &tally, &samples);
	tl_estimate(&e, &samples, &tally, p.gate);
	tl_tally_free(&tally);
	tl_samples_free(&samples);
	return e;
}

TEST(what_is_always_logged_shows_that_samples_are_not_fair)
{
	struct tl_estimate e = estimate_beside(20);

	ck_assert(!e.known && e.why == TL_ESTIMATE_SKEWED);
	ck_assert(fabs(e.skew - 2) < 0.01);
	e = estimate_beside(5);
	ck_assert(!e.known && e.why == TL_ESTIMATE_SKEWED);
	ck_assert(fabs(e.skew - 0.5) < 0.01);
	e = estimate_beside(10);
	ck_assert(e.known);
}

TEST(wishes_are_no_samples)
{
	struct tl_estimate e;

	begin();
	burst(100 * MS, 4, MS, false);
	e = estimate(0, end_ns);
	ck_assert(!e.known);
	begin();
	burst(100 * MS, 4, MS, true);
	burst(200 * MS, 4, MS, false);
	burst(300 * MS, 4, MS, true);
	e = estimate(0, end_ns);
	ck_assert(e.known && e.interval);
	ck_assert_uint_eq(e.samples, 2);
	ck_assert_uint_eq(e.left_out, 1);
}

TEST(a_sample_that_merged_with_a_foreign_burst_is_left_out)
{
	struct tl_estimate e;

	begin();
	burst(100 * MS, 4, MS, true);
	burst(200 * MS, 4, MS, true);
	burst(200 * MS + MS / 2, 3, MS, false); /* merged: left out */
	burst(300 * MS, 3, MS, false);
	burst(300 * MS + MS / 2, 4, MS, true); /* merged: left out */
	burst(400 * MS, 4, MS, true);
	e = estimate(0, end_ns);
	ck_assert_uint_eq(e.samples, 2);
	ck_assert_uint_eq(e.left_out, 4);
	ck_assert(fabs(e.rate - 10000) < 1);
	ck_assert(windows[1].sample && !windows[1].joined);
	ck_assert(windows[3].sample && windows[3].joined);
	ck_assert(windows[4].burst && windows[4].merged && !windows[4].sample);
	ck_assert(windows[7].merged && windows[7].sample);
}

TEST(a_sample_that_lost_entries_is_left_out)
{
	struct tl_estimate e;

	begin();
	burst(100 * MS, 4, MS, true);
	burst(200 * MS, 4, MS, true);
	lose(200 * MS + MS / 2);
	burst(300 * MS, 4, MS, true);
	e = estimate(0, end_ns);
	ck_assert_uint_eq(e.samples, 2);
	ck_assert_uint_eq(e.left_out, 1);
}

TEST(what_came_before_a_lane_was_overwritten_is_not_looked_at)
{
	struct tl_estimate e;

	begin();
	burst(100 * MS, 4, MS, true);
	burst(200 * MS, 4, MS, true);
	burst(300 * MS, 4, MS, true);
	levels.complete_ns = 150 * MS;
	e = estimate(0, end_ns);
	ck_assert_uint_eq(e.samples, 2);
	ck_assert(fabs(e.seconds - (SECONDS - 0.15)) < 1e-6);
	e = estimate(0, 250 * MS);
	ck_assert_uint_eq(e.samples, 1);
	ck_assert(!e.known); /* one shows nothing of contention */
	ck_assert(fabs(e.seconds - 0.1) < 1e-6);
}

TEST(what_was_never_seen_may_still_be)
{
	struct tl_tally tally = { 0 };
	struct tl_samples samples;
	struct tl_estimate e;

	begin();
	burst(100 * MS, 4, 500 * MS, true);
	burst(1000 * MS, 4, 500 * MS, true);
	tl_level_end(&state, end_ns);
	ck_assert_int_eq(tl_samples_init(&samples, &levels, 0, end_ns), 0);
	tl_estimate(&e, &samples, &tally, 4);
	ck_assert(e.known && e.rate == 0 && e.rate_low == 0);
	ck_assert(e.rate_high > 2 && e.rate_high < 4);
	/* what the base opens needs no estimate */
	tl_estimate(&e, &samples, &tally, BASE);
	ck_assert(!e.known);
	tl_estimate(&e, &samples, &tally, 0);
	ck_assert(!e.known);
	tl_estimate(&e, &samples, &tally, TIMELINE_LEVEL_NONE);
	ck_assert(!e.known);
	tl_samples_free(&samples);
}
