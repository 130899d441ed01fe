/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.c - the process that keeps the clock: a daemon, a program, or both in
 * turn.
 */
#include "lib/clock_keep.h"
#include "lib/test.h"

#include <unistd.h>

TEST_FILE(.timeout = 120);

TEST(others_leave_the_clock_to_a_keeper_that_lives)
{
	set_up_keeper(10, false);
	run_for(10 * SECOND, 0);
	ck_assert_uint_eq(header.clock.keeper, (uint32_t)getpid());
	ck_assert(header.clock.slope_low > header.clock.slope_high);
	const uint64_t tsc = header.clock.tsc;

	clock_script_run(&script, 2 * SECOND);
	ck_assert_ok(tl_calibrate_maybe(&calibrate));
	ck_assert(header.clock.tsc == tsc);
	clock_script_run(&script, 3 * SECOND / 2);
	/* the keeper is late */
	ck_assert_int_gt(tl_calibrate_maybe(&calibrate), 0);
	ck_assert_uint_eq(header.clock.keeper, 0);
	check_reader(true, 50);
	run_for(10 * SECOND, 20); /* the keeper takes over again */
	ck_assert_uint_eq(header.clock.keeper, (uint32_t)getpid());
	header.clock.keeper = 0x7ffffff0; /* no process has this pid */
	clock_script_run(&script, 3 * SECOND / 2);
	ck_assert_int_gt(tl_calibrate_maybe(&calibrate), 0);
	check_reader(true, 50);
}

TEST(keepers_and_others_mix_as_they_like)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		set_up_keeper(seed, true);
		for (int i = 0; i < 400; i++) {
			const uint64_t what = clock_script_random(&script, 12);

			if (what == 0)
				ck_assert_int_ge(tl_calibrate_now(&calibrate,
						     false),
				    0);
			if (what == 1)
				tl_keeper_leave(&keeper);
			if (what == 2)
				tl_keeper_init(&keeper, &calibrate);
			if (i % 4 == 0)
				clock_script_rate(&script,
				    (int64_t)clock_script_random(&script, 400) -
					200);
			clock_script_run(&script, tick_ns);
			ck_assert_int_ge(tick_now(), 0);
			check_reader(true, 10);
		}
		measure_knots(5000);
	}
}

TEST(a_busy_tail_is_left_for_the_next_time)
{
	set_up_keeper(11, false);
	run_for(10 * SECOND, 0);
	header.clock.sequence |= 1; /* locked by this process, which lives */
	news.was_set = true;
	clock_script_run(&script, tick_ns);
	ck_assert_int_eq(tick_now(), TL_CALIBRATE_BUSY);
	ck_assert(keeper.busy);
	ck_assert(news.was_set); /* the news is kept for the next point */
	header.clock.sequence &= ~1u;
	run_for(10 * SECOND, 20);
	ck_assert(!keeper.busy);
}

TEST(a_leaving_keeper_leaves_a_line_that_goes_on)
{
	set_up_keeper(12, true);
	slew(5000, 3 * SECOND, 0);
	tl_keeper_leave(&keeper);
	ck_assert_uint_eq(header.clock.keeper, 0);
	ck_assert_uint_eq(header.clock.points, 0);
	check_reader(true, 50);
	for (int i = 0; i < 20; i++) {
		clock_script_run(&script, 2 * SECOND);
		ck_assert_int_ge(tl_calibrate_maybe(&calibrate), 0);
		check_reader(true, 50);
	}
	measure_knots(5000);
}

TEST(no_contents_of_the_file_do_harm)
{
	set_up_keeper(15, true);
	for (int i = 0; i < 20000; i++) {
		uint64_t *words = (uint64_t *)(void *)&header.clock;

		for (int k = i % 2; k < 16 && i % 4 < 3; k++)
			if (clock_script_random(&script, 4) == 0)
				words[k] =
				    clock_script_random(&script, UINT64_MAX)
				    << clock_script_random(&script, 64);
		header.clock.owner = 0; /* no process holds the lock for good */
		if (i % 5 == 0)
			header.knot_count =
			    clock_script_random(&script, UINT64_MAX);
		if (i % 7 == 0)
			memset(knots, (int)clock_script_random(&script, 256),
			    sizeof(knots));
		clock_script_run(&script, SECOND / 20);
		(void)tick_now();
		window_count = 0;
	}
}
