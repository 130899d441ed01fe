/* SPDX-License-Identifier: Apache-2.0 */
/* calibrator.c - hours of scripted clocks: knots, bounds, steps. */
#include "lib/clock_keep.h"
#include "lib/sample.h"
#include "lib/test.h"

#include <errno.h>

/*
 * A phase-locked loop: each second it removes a part of the remaining offset.
 */
static void
lock_phase(int64_t offset_ns, int seconds, int probes)
{
	for (int i = 0; i < seconds; i++) {
		const int64_t part = offset_ns / 16;

		offset_ns -= part;
		slew(part, SECOND, probes);
	}
	slew(0, 3 * SECOND, probes);
}

/* Do everything to the clock that machines do, for two minutes. */
static void
two_minutes(int probes)
{
	const int64_t unit = 1000;
	const int64_t base = -21300;

	pass(8 * SECOND, probes);
	slew(base, 12 * SECOND, probes);
	for (int i = 0; i < 10; i++)
		slew(base + (int64_t)clock_script_random(&script, 3000) - 1500,
		    1630 * SECOND / 1000, probes);
	slew(base, 4 * SECOND, probes);
	slew(base - 500 * unit, 5 * SECOND, probes);
	slew(base, 4 * SECOND, probes);
	slew(-80000 * unit, 3 * SECOND, probes);
	slew(base, 5 * SECOND, probes);
	slew(10000 * unit, 2 * SECOND, probes);
	slew(0, 6 * SECOND, probes);
	lock_phase(2000000, 12, probes);
	set_clock(250000000);
	pass(5 * SECOND, probes);
	set_clock(-250000000);
	pass(5 * SECOND, probes);
	set_clock(-10000);
	pass(5 * SECOND, probes);
	script.tai_offset_s = 37;
	pass(5 * SECOND, probes);
	script.tai_offset_s = 38;
	set_clock(-(int64_t)SECOND);
	pass(8 * SECOND, probes);
}

TEST_FILE(.timeout = 120);

TEST(committed_knots_are_near_whatever_is_done_to_the_clock)
{
	uint32_t worst_p99 = 0, worst_max = 0;
	uint64_t most = 0;

	for (uint64_t seed = 1 + sample_first(0); seed <= 40;
	     seed += sample_step()) {
		set_up_keeper(seed, true);
		two_minutes(0);
		tl_keeper_leave(&keeper);
		const struct offs offs = measure_knots(20000);

		worst_p99 = offs.p99 > worst_p99 ? offs.p99 : worst_p99;
		worst_max = offs.max > worst_max ? offs.max : worst_max;
		most = header.knot_count > most ? header.knot_count : most;
	}
	printf("E: p99 %u ns, max %u ns, %lu knots\n", worst_p99, worst_max,
	    (unsigned long)most);
	ck_assert_uint_le(worst_p99, 40);
	ck_assert_uint_le(worst_max, 100);
	ck_assert_uint_le(most, 60);
}

TEST(every_bound_holds_at_every_moment)
{
	for (uint64_t seed = 1 + sample_first(1); seed <= 20;
	     seed += sample_step()) {
		set_up_keeper(seed, true);
		two_minutes(40);
		measure_knots(5000);
	}
}

TEST(a_quiet_clock_needs_one_knot_for_hours)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		set_up_keeper(seed, false);
		run_for(3600 * SECOND, 0);
		for (int i = 0; i < 600; i++) {
			clock_script_run(&script, tick_ns);
			check_reader(false, 10); /* the tail is old by then */
			ck_assert_int_ge(tick_now(), 0);
			check_reader(true, 10);
		}
		ck_assert_uint_le(header.knot_count, 2);
		ck_assert_uint_le(header.clock.rate_err_ppb, 5);
		ck_assert_uint_le(header.clock.max_err_ns, 250);
		const struct offs offs = measure_knots(20000);

		printf("B: p99 %u ns, max %u ns, %lu knots\n", offs.p99,
		    offs.max, (unsigned long)header.knot_count);
		ck_assert_uint_le(offs.p99, 15);
		ck_assert_uint_le(offs.max, 25);
	}
}

/* The rates lie anywhere within 10 ppm, each for 1.6 seconds or longer. */
TEST(bounds_hold_under_ten_ppm_of_noise)
{
	for (uint64_t seed = 1 + sample_first(2); seed <= 20;
	     seed += sample_step()) {
		set_up_keeper(seed, true);
		for (int i = 0; i < 300; i++)
			slew((int64_t)clock_script_random(&script, 20000) -
				 10000,
			    1600 * SECOND / 1000 +
				clock_script_random(&script, 4 * SECOND),
			    10);
		const struct offs offs = measure_knots(20000);

		ck_assert_uint_le(offs.p99, 40);
		ck_assert_uint_le(offs.max, 100);
	}
}

TEST(what_is_committed_never_changes)
{
	static struct timeline_knot before[KNOTS];

	set_up_keeper(3, true);
	for (int i = 0; i < 600; i++) {
		const uint64_t count = header.knot_count;

		memcpy(before, knots, sizeof(before));
		if (clock_script_random(&script, 6) == 0)
			clock_script_rate(&script,
			    (int64_t)clock_script_random(&script, 40000));
		if (clock_script_random(&script, 50) == 0)
			set_clock(-50000000);
		clock_script_run(&script, tick_ns);
		ck_assert_int_ge(tick_now(), 0);
		ck_assert_uint_le(header.knot_count, KNOTS);
		ck_assert_int_eq(memcmp(before, knots, count * sizeof(*before)),
		    0);
	}
	ck_assert_uint_gt(header.knot_count, 50);
}

TEST(a_second_is_a_step_and_a_leap_is_a_leap)
{
	for (int told = 0; told <= 1; told++) {
		set_up_keeper(4, false);
		news.sees_set = told;
		run_for(10 * SECOND, 0);
		clock_script_step(&script, (int64_t)SECOND);
		news.was_set = told;
		clock_script_run(&script, tick_ns);
		ck_assert(tick_now() & TL_CALIBRATE_STEP);
		const struct timeline_knot *step =
		    &knots[header.knot_count - 1];

		ck_assert(step->flags & TIMELINE_KNOT_STEP);
		ck_assert(!(step->flags & TIMELINE_KNOT_LEAP));
		ck_assert_uint_ge(step->max_err_ns, SECOND - 1000);
		ck_assert_uint_le(step->max_err_ns, SECOND + 10000);
		run_for(10 * SECOND, 20);
		ck_assert_uint_eq(keeper.steps, 1);
	}
	set_up_keeper(5, false);
	script.tai_offset_s = 37;
	run_for(10 * SECOND, 0);
	script.tai_offset_s = 38;
	set_clock(-(int64_t)SECOND);
	ck_assert(knots[header.knot_count - 1].flags & TIMELINE_KNOT_LEAP);
	ck_assert_int_eq(knots[header.knot_count - 1].tai_offset_s, 38);
	ck_assert_int_eq(knots[header.knot_count - 2].tai_offset_s, 37);
	run_for(10 * SECOND, 20);
}

TEST(a_small_step_that_was_told_is_a_step)
{
	set_up_keeper(6, true);
	run_for(20 * SECOND, 0);
	set_clock(-10000);
	run_for(20 * SECOND, 20);
	ck_assert_uint_eq(keeper.steps, 1);
	/*
	 * the clock was reported as set but has not moved: TAI, or the same
	 * time
	 */
	news.was_set = true;
	run_for(5 * SECOND, 20);
	ck_assert_uint_eq(keeper.steps, 1);
}

TEST(a_suspended_machine_leaves_a_gap)
{
	set_up_keeper(7, false);
	run_for(10 * SECOND, 0);
	clock_script_step(&script, 3600 * (int64_t)SECOND);
	clock_script_run(&script, tick_ns);
	news.slept = news.was_set = true;
	ck_assert(tick_now() & TL_CALIBRATE_KNOT);
	ck_assert(knots[header.knot_count - 1].flags & TIMELINE_KNOT_GAP);
	ck_assert_uint_eq(keeper.steps, 0);
	run_for(10 * SECOND, 0);
	check_reader(true, 50);
}

TEST(a_counter_that_begins_again_begins_an_epoch)
{
	for (int told = 0; told <= 1; told++) {
		set_up_keeper(8, false);
		run_for(10 * SECOND, 0);
		if (told) {
			news.restarted = true;
			script.epoch++;
			clock_script_rate(&script, 0);
		} else {
			clock_script_reset(&script, 12345);
		}
		clock_script_run(&script, tick_ns);
		ck_assert(tick_now() & TL_CALIBRATE_EPOCH);
		ck_assert_uint_eq(header.epochs, 1);
		ck_assert(knots[header.knot_count - 1].flags &
			  TIMELINE_KNOT_NEW_EPOCH);
		run_for(10 * SECOND, 20);
		ck_assert_uint_eq(header.epochs, 1);
		ck_assert_uint_eq(keeper.epochs, 1);
		measure_knots(1000);
	}
}

TEST(wide_brackets_are_rejected_until_they_are_usual)
{
	set_up_keeper(9, false);
	run_for(30 * SECOND, 0);
	script.bad_percent = 100;
	for (int i = 0; i < 5; i++) {
		clock_script_run(&script, tick_ns);
		ck_assert_int_eq(tick_now(), -EAGAIN);
		check_reader(true, 20);
	}
	ck_assert_uint_eq(sampler.rejected, 5);
	run_for(0, 0);
	for (int i = 0; i < 30; i++) {
		clock_script_run(&script, tick_ns);
		(void)tick_now();
		check_reader(true, 20);
	}
	ck_assert_uint_lt(sampler.rejected, 20);
	script.bad_percent = 5;
	run_for(60 * SECOND, 20);
}

/* The raw clock of the script runs at the counter's pace; this clock drifts. */
static int64_t
drifting_raw(void *context)
{
	const struct clock_script *s = context;
	const uint64_t half = UINT64_C(2596128000) * 300;
	const int64_t late =
	    s->tsc > half ? (int64_t)((s->tsc - half) / 200000) : 0;

	return tl_ticks_to_ns((int64_t)s->tsc, s->nominal) + late;
}

TEST(a_counter_that_leaves_the_raw_clock_is_suspect)
{
	set_up_keeper(13, false);
	source.raw = drifting_raw;
	run_for(240 * SECOND, 0);
	ck_assert(!sampler.suspect);
	run_for(400 * SECOND, 0);
	ck_assert(sampler.suspect);
	ck_assert(header.clock.flags & TIMELINE_KNOT_SUSPECT);
}

/* A machine whose kernel stops using the counter. */
static bool counter_is_used;
static int64_t slept_ns;
static uint8_t boot;

static bool
uses_counter(void *context)
{
	(void)context;
	return counter_is_used;
}

static int64_t
asleep(void *context)
{
	(void)context;
	return slept_ns;
}

static void
boot_id(void *context, uint8_t id[16])
{
	(void)context;
	memset(id, boot, 16);
}

TEST(the_machine_is_asked_for_what_clocks_do_not_tell)
{
	static const struct tl_sampler_machine machine = {
		.asleep_ns = asleep,
		.uses_counter = uses_counter,
		.boot_id = boot_id,
	};
	struct tl_clock_point point;
	struct tl_keep_news told = { 0 };

	set_up_keeper(14, false);
	counter_is_used = true;
	boot = 1;
	tl_sampler_init(&sampler, &source, &machine);
	for (int i = 0; i < 200; i++)
		ck_assert_ok(tl_sampler_take(&sampler, &point, &told));
	ck_assert(!told.slept && !told.restarted && !told.suspect);
	slept_ns += (int64_t)SECOND;
	ck_assert_ok(tl_sampler_take(&sampler, &point, &told));
	ck_assert(told.slept && !told.restarted && !told.suspect);
	boot = 2;
	counter_is_used = false;
	told = (struct tl_keep_news){ 0 };
	for (int i = 0; i < 120; i++)
		ck_assert_ok(tl_sampler_take(&sampler, &point, &told));
	ck_assert(!told.slept && told.restarted && told.suspect);
}
