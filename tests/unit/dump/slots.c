/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.c - totals from slots are right as often as they claim, and slots that
 * are no fair sample are left out.  A stamp is a nanosecond.
 */
#include "dump/stats/levels.h"
#include "lib/test.h"

#include "lib/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US INT64_C(1000)
#define MS INT64_C(1000000)

enum {
	BASE = 6,
	GATE = 4,
	SHIFT = 17, /* 131 us */
	RUNS = 300,
	SECONDS = 10,
	LEASE_MS = 10000
};

static const int64_t end_ns = SECONDS * INT64_C(1000000000);
static const uint32_t share = UINT32_MAX / 100;

static struct tl_level_window windows[16];
static struct tl_levels levels;
static uint64_t plan_seed;

static const struct tl_message plan_message = { .builtin =
						    TIMELINE_BUILTIN_PLAN };

/* Put the entry of a plan for one level; a lease of 0 ends the plan. */
static void
plan_of(int64_t at_ns, unsigned level, uint32_t part, bool held, bool over)
{
	const struct tl_event event = { .ns = at_ns,
		.tsc = (uint64_t)at_ns,
		.kind = TL_INSTANT,
		.message = &plan_message,
		.pid = 1,
		.args = { level | SHIFT << 8 | (uint64_t)held << 16,
		    over ? 0 : part, plan_seed,
		    over ? 0 : (uint64_t)(at_ns + LEASE_MS * MS) } };

	ck_assert(tl_slots_is_plan(&event));
	ck_assert_ok(tl_slots_put(&levels.slots, &event));
}

static void
plan(int64_t at_ns, bool held)
{
	plan_of(at_ns, GATE, share, held, false);
}

static void
begin(uint64_t seed)
{
	plan_seed = seed;
	levels = (struct tl_levels){ .windows = windows,
		.count = 1,
		.complete_ns = INT64_MIN };
	windows[0] = (struct tl_level_window){ .from_ns = 0,
		.to_ns = end_ns,
		.threshold = BASE,
		.base = BASE };
}

/* Make a plan from start to end, renewed four times a second. */
static void
begin_whole(uint64_t seed)
{
	begin(seed);
	plan(0, false);
	for (int64_t at = 250 * MS; at <= end_ns; at += 250 * MS)
		plan(at, true);
}

/* The test of the writers. */
static bool
is_open(int64_t at_ns)
{
	return timeline_slot_hash(timeline_slot((uint64_t)at_ns, SHIFT),
		   plan_seed) < share;
}

static void
finish(void)
{
	tl_slots_free(&levels.slots);
}

/*
 * A program that is busy for a part of each period, with an entry each step_ns.
 */
struct program {
	int64_t period_ns, busy_ns, step_ns;
};

static struct tl_slot_total
estimate_for(const struct program *p, int64_t phase_ns, double *truth,
    bool (*logs)(int64_t))
{
	struct tl_slot_tally tally = { 0 };
	struct tl_slot_samples samples;
	struct tl_slot_total e;

	*truth = 0;
	tl_slot_samples_init(&samples, &levels.slots, levels.windows,
	    levels.count, 0, end_ns);
	for (int64_t from = phase_ns; from < end_ns; from += p->period_ns)
		for (int64_t at = from; at < from + p->busy_ns && at < end_ns;
		     at += p->step_ns) {
			++*truth;
			if (logs(at))
				tl_slot_tally_put(&tally, &samples, GATE, at,
				    (uint64_t)at);
		}
	tl_slot_total(&e, &samples, &tally, GATE);
	tl_slot_tally_free(&tally);
	return e;
}

static void
run_many(struct program p)
{
	unsigned covered = 0;
	uint64_t random = 42;
	double mean = 0;

	for (unsigned run = 0; run < RUNS; run++) {
		const int64_t phase =
		    (int64_t)random_below(&random, (uint64_t)p.period_ns);
		struct tl_slot_total e;
		double truth;

		begin_whole(random_next(&random));
		e = estimate_for(&p, phase, &truth, is_open);
		ck_assert(e.known && e.interval);
		ck_assert(fabs(e.seconds - SECONDS) < 1e-6);
		covered += e.rate_low * e.seconds <= truth &&
			   truth <= e.rate_high * e.seconds;
		mean += e.rate * e.seconds / truth / RUNS;
		finish();
	}
	printf("of %d runs %u in the interval, mean %.4f of the truth\n", RUNS,
	    covered, mean);
	ck_assert_uint_ge(covered, RUNS * 90 / 100);
	ck_assert_msg(fabs(mean - 1) < 0.03, "mean %f", mean);
}

TEST_FILE(.timeout = 300);

TEST(the_interval_holds_the_truth_as_often_as_it_says)
{
	run_many((struct program){ 7123 * US, 2 * MS, 9 * US });
	run_many((struct program){ 131072, 40 * US, 9 * US });
	run_many((struct program){ 100 * MS, 2 * MS, 10 * US });
}

TEST(a_program_in_step_with_the_slots_is_sampled_all_the_same)
{
	run_many((struct program){ 1 << SHIFT, 20 * US, 5 * US });
	run_many((struct program){ INT64_C(128) << SHIFT, 4 * MS, 20 * US });
}

static bool
always(int64_t at_ns)
{
	(void)at_ns;
	return true;
}

static const struct program steady = { MS, MS, 10 * US };

static struct tl_slot_total
estimate(bool (*logs)(int64_t))
{
	double truth;

	return estimate_for(&steady, 0, &truth, logs);
}

TEST(entries_outside_of_open_slots_do_not_count)
{
	struct tl_slot_total e, all;

	begin_whole(3);
	e = estimate(is_open);
	all = estimate(always);
	ck_assert(e.rate == all.rate);
	ck_assert(fabs(e.rate - 1e5) < 2000);
	ck_assert_uint_gt(e.slots, 600);
	finish();
}

/* The seconds of slots that count as samples. */
static double
sampled_s(void)
{
	struct tl_slot_samples s;
	double sum = 0;

	tl_slot_samples_init(&s, &levels.slots, levels.windows, levels.count, 0,
	    end_ns);
	for (int i = 0; i < TL_SLOT_GROUPS; i++)
		sum += s.length_s[GATE][i];
	return sum;
}

TEST(time_that_was_not_held_is_starved_and_no_sample)
{
	struct tl_slot_total e;

	begin(3);
	plan(0, false);
	plan(4000 * MS, true);
	plan(4300 * MS, false); /* a writer had closed the slots */
	plan(end_ns, true);
	e = estimate(is_open);
	ck_assert(e.known && fabs(e.starved - 0.03) < 1e-6);
	for (size_t i = 0; i < levels.slots.count; i++)
		ck_assert(levels.slots.plans[i].to_ns <= 4000 * MS ||
			  levels.slots.plans[i].from_ns >= 4300 * MS);
	finish();
	begin(3);
	plan(0, false);
	plan(4000 * MS, true);
	plan(4600 * MS, false);
	plan(end_ns, true);
	e = estimate(is_open);
	ck_assert(!e.known && e.slots > 0);
	ck_assert(fabs(e.starved - 0.06) < 1e-6);
	finish();
}

TEST(a_daemon_that_sleeps_within_the_lease_starves_nothing)
{
	struct tl_slot_total e;

	begin(3);
	plan(0, false);
	plan(250 * MS, true);
	plan(9000 * MS, true);
	plan(end_ns, true);
	e = estimate(is_open);
	ck_assert(e.known && e.starved < 1e-9);
	finish();
}

TEST(between_two_plans_nothing_is_sampled)
{
	begin(3);
	plan(0, false);
	plan(2000 * MS, true);
	plan_of(3000 * MS, GATE, 0, true, true); /* the old one ends */
	plan(3200 * MS, false);                  /* the new one begins */
	plan(end_ns, true);
	for (size_t i = 0; i < levels.slots.count; i++)
		ck_assert(levels.slots.plans[i].to_ns <= 3000 * MS ||
			  levels.slots.plans[i].from_ns >= 3200 * MS);
	ck_assert_uint_eq(levels.slots.count, 3);
	finish();
}

TEST(slots_that_touch_a_burst_or_a_loss_are_left_out)
{
	double whole, cut;

	begin_whole(3);
	whole = sampled_s();
	ck_assert(fabs(whole - SECONDS / 100.) < 0.02);
	/* a burst from 2 s to 6 s, in which everything is logged */
	windows[0].to_ns = 2000 * MS;
	windows[1] = (struct tl_level_window){ .from_ns = 2000 * MS,
		.to_ns = 6000 * MS,
		.threshold = 1,
		.base = BASE,
		.burst = true };
	windows[2] = windows[0];
	windows[2].from_ns = 6000 * MS;
	windows[2].to_ns = end_ns;
	levels.count = 3;
	cut = sampled_s();
	ck_assert(cut < 0.75 * whole && cut > 0.45 * whole);
	tl_slots_lose(&levels.slots, 6000 * MS, 8000 * MS);
	ck_assert(sampled_s() < 0.85 * cut);
	/* the burst is counted, and the rest is still estimated */
	ck_assert(fabs(estimate(always).rate - 1e5) < 3000);
	finish();
}

TEST(each_gate_has_its_own_share)
{
	struct tl_slot_samples s;
	double sums[TL_LEVEL_GATES] = { 0 };

	begin(3);
	for (int64_t at = 0; at <= end_ns; at += 250 * MS) {
		plan_of(at, 2, share / 4, at > 0, false);
		plan_of(at + US, 4, share, at > 0, false);
	}
	tl_slot_samples_init(&s, &levels.slots, levels.windows, levels.count, 0,
	    end_ns);
	for (unsigned gate = 0; gate < TL_LEVEL_GATES; gate++)
		for (int i = 0; i < TL_SLOT_GROUPS; i++)
			sums[gate] += s.length_s[gate][i];
	ck_assert(sums[1] == 0);
	ck_assert(sums[2] == sums[3] && sums[4] == sums[5]);
	ck_assert(fabs(sums[2] / sums[4] - 0.25) < 0.06);
	ck_assert(sums[BASE] == 0); /* the base passes this gate anyway */
	finish();
}

TEST(damaged_plans_do_no_harm)
{
	struct tl_event event = { .message = &plan_message,
		.kind = TL_INSTANT };
	uint64_t random = 9;

	begin(3);
	for (int i = 0; i < 20000; i++) {
		event.ns = (int64_t)random_below(&random, (uint64_t)end_ns);
		event.tsc = random_below(&random, 3)
				? (uint64_t)event.ns
				: random_next(&random) >> 20;
		for (int a = 0; a < 4; a++)
			event.args[a] =
			    random_next(&random) >> random_below(&random, 64);
		event.args[0] = (event.args[0] & ~UINT64_C(0xffff)) |
				random_below(&random, 12) |
				random_below(&random, 64) << 8 |
				random_below(&random, 2) << 16;
		event.args[2] = random_below(&random, 2);
		ck_assert_ok(tl_slots_put(&levels.slots, &event));
	}
	estimate(always);
	finish();
}
