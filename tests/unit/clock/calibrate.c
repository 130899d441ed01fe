/* SPDX-License-Identifier: Apache-2.0 */
/* calibrate.c - scripted clocks: knots, bounds, steps, epochs. */
#include "clock/calibrate.h"
#include "lib/test.h"

#include "lib/clock_fixture.h"
#include "lib/random.h"

#include <errno.h>
#include <unistd.h>

TEST_FILE(.timeout = 120);

TEST(the_first_point_makes_a_knot_and_a_tail)
{
	set_up_first(1);
	ck_assert_uint_eq(header.knot_count, 1);
	ck_assert_uint_eq(knots[0].seq, 1);
	ck_assert_uint_eq(knots[0].flags & TIMELINE_KNOT_FIRST, 1);
	ck_assert_uint_eq(knots[0].tsc, header.clock.tsc);
	ck_assert_uint_eq(header.tsc_khz, 2000000);
	ck_assert_uint_eq(header.rate_source, TL_RATE_KERNEL);
	ck_assert_uint_eq(header.clock.sequence % 2, 0);
	ck_assert_uint_eq(header.clock.owner, (uint32_t)getpid());
	ck_assert_int_ge(header.clock.raw_ns, 1000);
	const int64_t truth = clock_script_truth(&script, 0, header.clock.tsc);

	ck_assert_int_le(llabs(truth - header.clock.utc_ns),
	    knots[0].max_err_ns);
}

TEST(a_quiet_clock_needs_one_knot)
{
	for (uint64_t seed = 1; seed <= (uint64_t)random_rounds(10); seed++) {
		set_up_first(seed);
		for (int i = 0; i < 400; i++) {
			clock_script_run(&script,
			    SECOND / 10 +
				clock_script_random(&script, 60 * SECOND));
			ck_assert_int_ge(tl_calibrate_maybe(&calibrate), 0);
		}
		ck_assert_uint_eq(header.knot_count, 1);
		ck_assert_uint_gt(header.clock.points, 300);
		ck_assert_uint_le(check_bounds(), 250);
		ck_assert_uint_le(header.clock.rate_err_ppb, 1);
	}
}

TEST(a_young_tail_is_left_alone)
{
	set_up_first(1);
	const uint64_t tsc = header.clock.tsc;

	clock_script_run(&script, SECOND / 2);
	ck_assert_ok(tl_calibrate_maybe(&calibrate));
	ck_assert(header.clock.tsc == tsc);
	clock_script_run(&script, SECOND / 2 + SECOND / 10);
	ck_assert_int_eq(tl_calibrate_maybe(&calibrate), TL_CALIBRATE_POINT);
	ck_assert(header.clock.tsc > tsc);
	clock_script_run(&script, SECOND / 1000);
	ck_assert_int_eq(tl_calibrate_now(&calibrate, false),
	    TL_CALIBRATE_POINT);
}

/*
 * Change the rate at random and take points at random: every stamp keeps its
 * bound.
 */
static void
slew(uint64_t seed, uint64_t dwell_ns, uint64_t point_ns, int64_t ppb)
{
	set_up(seed);
	script.steered = true;
	ck_assert_ok(tl_calibrate_first(&calibrate));
	uint64_t change_ns = dwell_ns;

	for (int i = 0; i < 300; i++) {
		uint64_t left =
		    point_ns / 4 + clock_script_random(&script, point_ns);

		while (change_ns <= left) {
			clock_script_run(&script, change_ns);
			clock_script_rate(&script,
			    (int64_t)clock_script_random(&script,
				(uint64_t)(2 * ppb)) -
				ppb);
			left -= change_ns;
			change_ns = dwell_ns / 2 +
				    clock_script_random(&script, dwell_ns);
		}
		change_ns -= left;
		clock_script_run(&script, left);
		ck_assert_int_ge(tl_calibrate_maybe(&calibrate), 0);
	}
	check_bounds();
}

TEST(bounds_hold_while_the_clock_is_slewed)
{
	for (uint64_t seed = 1; seed <= (uint64_t)random_rounds(20); seed++) {
		slew(seed, 20 * SECOND, 2 * SECOND, 200000);
		slew(seed, 60 * SECOND, 10 * SECOND, 500);
		slew(seed, 300 * SECOND, 5 * SECOND, 30000);
		slew(seed, 900 * SECOND, 60 * SECOND, 5000);
		slew(seed, 2 * SECOND, 60 * SECOND, 500);
		slew(seed, 64 * SECOND, 300 * SECOND, 500);
		slew(seed, 2 * SECOND, SECOND / 2, 400000);
	}
}

TEST(a_change_of_rate_becomes_a_knot)
{
	set_up_first(7);
	for (int i = 0; i < 20; i++) {
		if (i == 10)
			clock_script_rate(&script, 5000);
		clock_script_run(&script, 2 * SECOND);
		tl_calibrate_maybe(&calibrate);
	}
	ck_assert_uint_ge(header.knot_count, 2);
	ck_assert_uint_le(header.knot_count, 3);
	ck_assert(knots[1].flags & TIMELINE_KNOT_KINK);
	ck_assert_uint_le(header.clock.rate_err_ppb, 20);
	check_bounds();
}

TEST(a_clock_that_is_set_becomes_two_knots)
{
	static const int64_t steps[] = { 250000000, -250000000,
		3600 * (int64_t)SECOND, -10000000 };

	for (int i = 0; i < 4; i++) {
		set_up_first((uint64_t)i + 1);
		clock_script_run(&script, 5 * SECOND);
		tl_calibrate_maybe(&calibrate);
		clock_script_run(&script, SECOND);
		clock_script_step(&script, steps[i]);
		clock_script_run(&script, SECOND);
		const int rc = tl_calibrate_maybe(&calibrate);

		ck_assert_int_eq(rc,
		    TL_CALIBRATE_POINT | TL_CALIBRATE_KNOT | TL_CALIBRATE_STEP);
		ck_assert_uint_eq(header.knot_count, 3);
		ck_assert_uint_eq(knots[1].flags, TIMELINE_KNOT_UNSYNC);
		ck_assert(knots[2].flags & TIMELINE_KNOT_STEP);
		/*
		 * 3600 s exceed the range of the bound, which becomes unbounded
		 */
		if (llabs(steps[i]) < UINT32_MAX)
			ck_assert_uint_ge(knots[2].max_err_ns, llabs(steps[i]));
		else
			ck_assert_uint_eq(knots[2].max_err_ns, UINT32_MAX);
		clock_script_run(&script, 10 * SECOND);
		tl_calibrate_maybe(&calibrate);
		if (llabs(steps[i]) < UINT32_MAX)
			check_bounds();
	}
}

TEST(a_leap_second_is_told_from_a_step)
{
	set_up(3);
	script.tai_offset_s = 37;
	ck_assert_ok(tl_calibrate_first(&calibrate));
	clock_script_run(&script, 5 * SECOND);
	clock_script_step(&script, -(int64_t)SECOND);
	script.tai_offset_s = 38;
	clock_script_run(&script, 5 * SECOND);
	tl_calibrate_maybe(&calibrate);
	ck_assert_uint_eq(header.knot_count, 2);
	ck_assert(knots[1].flags & TIMELINE_KNOT_LEAP);
	ck_assert_int_eq(knots[1].tai_offset_s, 38);
	check_bounds();
}

TEST(a_counter_that_begins_again_begins_an_epoch)
{
	set_up_first(4);
	clock_script_run(&script, 5 * SECOND);
	tl_calibrate_maybe(&calibrate);
	clock_script_run(&script, SECOND);
	clock_script_reset(&script, 1000);
	clock_script_run(&script, SECOND);
	ck_assert(tl_calibrate_maybe(&calibrate) & TL_CALIBRATE_EPOCH);
	ck_assert_uint_eq(header.epochs, 1);
	ck_assert_uint_eq(header.clock.epoch, 1);
	ck_assert_uint_eq(header.knot_count, 3);
	ck_assert(knots[2].flags & TIMELINE_KNOT_NEW_EPOCH);
	ck_assert_uint_eq(knots[1].epoch, 0);
	ck_assert_uint_eq(knots[2].epoch, 1);
	clock_script_run(&script, 3 * SECOND);
	tl_calibrate_maybe(&calibrate);
	check_bounds();
	ck_assert(tl_calibrate_now(&calibrate, true) & TL_CALIBRATE_EPOCH);
	ck_assert_uint_eq(header.epochs, 2);
}

/*
 * From now on every point is suspect, also the points of processes that have
 * not noticed.  Earlier points stay as good as they were.
 */
TEST(a_counter_that_the_kernel_stops_to_trust_is_suspect)
{
	struct tl_calibrate noticed;

	set_up_first(1);
	noticed = calibrate;
	noticed.suspect = true;
	clock_script_run(&script, 2 * SECOND);
	ck_assert_int_eq(tl_calibrate_maybe(&calibrate), TL_CALIBRATE_POINT);
	clock_script_run(&script, SECOND / 100);
	ck_assert_int_eq(tl_calibrate_maybe(&noticed),
	    TL_CALIBRATE_POINT | TL_CALIBRATE_KNOT);
	ck_assert_uint_eq(header.knot_count, 2);
	ck_assert(!(knots[1].flags & TIMELINE_KNOT_SUSPECT));
	ck_assert(header.clock.flags & TIMELINE_KNOT_SUSPECT);
	clock_script_run(&script, SECOND / 100);
	/* the change is made once */
	ck_assert_ok(tl_calibrate_maybe(&noticed));
	clock_script_run(&script, 2 * SECOND);
	ck_assert_int_eq(tl_calibrate_maybe(&calibrate), TL_CALIBRATE_POINT);
	ck_assert(header.clock.flags & TIMELINE_KNOT_SUSPECT);
	clock_script_step(&script, 3 * (int64_t)SECOND);
	clock_script_run(&script, 2 * SECOND);
	ck_assert_int_gt(tl_calibrate_maybe(&calibrate), 0);
	ck_assert(header.clock.flags & TIMELINE_KNOT_SUSPECT);
	ck_assert(knots[header.knot_count - 1].flags & TIMELINE_KNOT_SUSPECT);
	check_bounds();
}

TEST(a_coarse_rate_says_so_until_it_is_known_better)
{
	set_up(5);
	script.tells_rate = false;
	ck_assert_ok(tl_calibrate_first(&calibrate));
	ck_assert_uint_eq(header.rate_source, TL_RATE_MEASURED);
	ck_assert(knots[0].flags & TIMELINE_KNOT_COARSE);
	ck_assert_uint_ge(header.clock.rate_err_ppb, TL_CLOCK_COARSE_PPB);
	clock_script_run(&script, 60 * SECOND);
	tl_calibrate_maybe(&calibrate);
	ck_assert(!(header.clock.flags & TIMELINE_KNOT_COARSE));
	ck_assert_uint_le(header.clock.rate_err_ppb, 10);
	ck_assert_uint_le(check_bounds(), 200);
}

TEST(what_is_closed_never_changes)
{
	static struct timeline_knot line[KNOTS + 1], later[KNOTS + 1];

	set_up(6);
	script.steered = true;
	ck_assert_ok(tl_calibrate_first(&calibrate));
	for (int i = 0; i < 200; i++) {
		const size_t n = polyline(line);
		const size_t closed = (size_t)header.knot_count;

		if (clock_script_random(&script, 3) == 0)
			clock_script_rate(&script,
			    (int64_t)clock_script_random(&script, 40000));
		if (clock_script_random(&script, 20) == 0)
			clock_script_step(&script, -50000000);
		clock_script_run(&script, 2 * SECOND);
		tl_calibrate_maybe(&calibrate);
		const size_t m = polyline(later);

		ck_assert_int_eq(memcmp(line, later, closed * sizeof(*line)),
		    0);
		for (int k = 0; k < 20 && closed > 1; k++) {
			uint32_t bound;
			const uint64_t tsc =
			    line[0].tsc +
			    clock_script_random(&script,
				line[closed - 1].tsc - line[0].tsc);

			ck_assert_int_eq(clock_script_convert(line, n, 0, tsc,
					     &bound),
			    clock_script_convert(later, m, 0, tsc, &bound));
		}
	}
	ck_assert_uint_gt(header.knot_count, 50);
	check_bounds();
}

TEST(a_full_table_loses_the_oldest_and_counts_it)
{
	set_up_first(8);
	for (uint64_t i = 0; i < KNOTS + 100; i++) {
		clock_script_run(&script, 2 * SECOND);
		clock_script_step(&script, 300000000);
		clock_script_run(&script, 2 * SECOND);
		tl_calibrate_maybe(&calibrate);
	}
	ck_assert_uint_gt(header.knot_count, KNOTS);
	ck_assert_uint_eq(header.drops[TIMELINE_DROP_KNOTS],
	    header.knot_count - KNOTS);
	check_bounds();
}

TEST(durations_become_ticks_by_the_newest_rate)
{
	set_up_first(15);
	const uint64_t ticks = tl_calibrate_ticks(&header, SECOND);

	ck_assert_uint_ge(ticks, 2596127000);
	ck_assert_uint_le(ticks, 2596129000);
	header.clock.mult = 0;
	header.tsc_khz = 2596128;
	ck_assert_uint_ge(tl_calibrate_ticks(&header, SECOND), 2596127000);
	ck_assert_uint_le(tl_calibrate_ticks(&header, SECOND), 2596129000);
}

TEST(stamps_that_are_nanoseconds_stay_what_they_are)
{
	set_up(16);
	calibrate.source = tl_clock_source(TIMELINE_CLOCK_REALTIME);
	ck_assert_ok(tl_calibrate_first(&calibrate));
	ck_assert(header.clock.mult == TL_MULT_ONE);
	ck_assert_int_eq((int64_t)header.clock.tsc, header.clock.utc_ns);
	ck_assert_int_ge(tl_calibrate_now(&calibrate, false), 0);
	ck_assert_int_eq((int64_t)header.clock.tsc, header.clock.utc_ns);
	ck_assert_uint_eq(tl_calibrate_ticks(&header, 12345), 12345);
}
