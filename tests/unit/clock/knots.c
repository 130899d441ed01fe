/* SPDX-License-Identifier: Apache-2.0 */
/*
 * knots.c - points become corners, and corners become knots, on lines drawn by
 * hand.
 */
#include "clock/knots.h"
#include "lib/test.h"

#include "clock/clock.h"
#include "lib/clock_script.h"

#include <stdlib.h>
#include <string.h>

enum { COMMITTED_MAX = 4096, HALF_MS = 500000000, HALF_NS = 30 };

static struct tl_knots k;
static struct timeline_knot committed[COMMITTED_MAX];
static size_t count;
static struct clock_script script;

static void
keep(void *context, const struct timeline_knot *knot)
{
	(void)context;
	ck_assert_uint_lt(count, COMMITTED_MAX);
	if (count > 0)
		ck_assert(knot->tsc > committed[count - 1].tsc);
	ck_assert(knot->mult != 0);
	committed[count++] = *knot;
}

/* The time of the script now, as a point with an error. */
static struct tl_corner
point(int64_t off_ns)
{
	const int64_t truth = clock_script_truth(&script, 0, script.tsc);

	return (struct tl_corner){ .at = { .tsc = script.tsc,
				       .utc_ns = truth + off_ns,
				       .raw_ns = (int64_t)script.tsc },
		.half_ns = HALF_NS };
}

static void
begin(uint64_t seed)
{
	struct tl_corner first;

	clock_script_start(&script, 2596128, seed);
	first = point(0);
	count = 0;
	tl_knots_begin(&k, &first,
	    &(struct tl_known_rate){ .mult = script.nominal, .error_ppb = 10 });
	committed[count++] = first.at;
}

static void
go_on(int points, int64_t noise_ns)
{
	for (int i = 0; i < points; i++) {
		const int64_t off = noise_ns == 0
					? 0
					: (int64_t)clock_script_random(&script,
					      (uint64_t)(2 * noise_ns)) -
					      noise_ns;

		clock_script_run(&script, HALF_MS);
		const struct tl_corner next = point(off);

		tl_knots_add(&k, &next, keep, NULL);
	}
}

static void
check_committed(void)
{
	for (int i = 0; i < 3000 && count > 1; i++) {
		const uint64_t from = committed[0].tsc;
		const uint64_t tsc =
		    from + clock_script_random(&script,
			       committed[count - 1].tsc - from);
		uint32_t bound;
		const int64_t ns =
		    clock_script_convert(committed, count, 0, tsc, &bound);

		ck_assert_int_le(llabs(
				     ns - clock_script_truth(&script, 0, tsc)),
		    bound);
	}
}

TEST_FILE(.timeout = 120);

TEST(a_straight_line_has_no_knots_but_its_ends)
{
	begin(1);
	go_on(7200, 8);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_le(tl_knots_tail_bound(&k), 200);
	ck_assert_uint_le(k.rate.error_ppb, 5);
	tl_knots_finish(&k, keep, NULL);
	ck_assert_uint_eq(count, 2);
	ck_assert(committed[1].tsc == tl_knots_newest(&k)->at.tsc);
	check_committed();
	/* the newest point is a knot already */
	tl_knots_finish(&k, keep, NULL);
	ck_assert_uint_eq(count, 2);
}

TEST(a_change_of_rate_is_found_where_it_was)
{
	static const int64_t changes_ppb[] = { 500, -1500, 500000, -80000000 };

	for (int i = 0; i < 4; i++)
		for (uint64_t part = 1; part < 10; part++) {
			begin(part);
			go_on(4, 0);
			clock_script_run(&script, part * HALF_MS / 10);
			clock_script_rate(&script, changes_ppb[i]);
			const uint64_t tsc = script.tsc;

			clock_script_run(&script, (10 - part) * HALF_MS / 10);
			const struct tl_corner next = point(0);

			tl_knots_add(&k, &next, keep, NULL);
			go_on(6, 0);
			tl_knots_finish(&k, keep, NULL);
			ck_assert_uint_eq(count, 3);
			ck_assert(committed[1].flags & TIMELINE_KNOT_KINK);
			/*
			 * a nanosecond is many ticks where the lines hardly
			 * differ
			 */
			ck_assert_int_le(llabs(tl_ticks_between(tsc,
					     committed[1].tsc)),
			    2596128 * INT64_C(4000) /
				(llabs(changes_ppb[i]) / 1000 + 1));
			check_committed();
		}
}

TEST(a_knot_comes_within_two_seconds_of_its_corner)
{
	begin(3);
	go_on(10, 5);
	clock_script_rate(&script, 20000);
	go_on(2, 5);
	ck_assert_uint_eq(count, 1);
	go_on(2, 5);
	ck_assert_uint_eq(count, 2);
	check_committed();
}

TEST(a_long_line_is_closed_before_a_change_spoils_it)
{
	begin(4);
	go_on(100, 5);
	clock_script_rate(&script, 500000);
	go_on(1, 5);
	ck_assert_uint_eq(count, 2); /* the knot comes at once */
	ck_assert_uint_le(committed[1].max_err_ns, 200);
	check_committed();
}

TEST(rates_go_by_the_longest_stretch_that_agrees)
{
	begin(5);
	go_on(40, 5);
	ck_assert_uint_le(k.rate.error_ppb, 10);
	clock_script_rate(&script, 100000);
	go_on(1, 5);
	/* a bend: the rate is uncertain */
	ck_assert_uint_ge(k.rate.error_ppb, 90);
	go_on(2, 5);
	ck_assert_uint_le(k.rate.error_ppb, 200);
	const uint64_t truth = (uint64_t)((__int128)script.nominal *
					  (1000000000 + 100000) / 1000000000);
	const int64_t off = (int64_t)(k.rate.mult - truth);

	ck_assert_int_le(llabs(off), (int64_t)(truth / 1000000000 * 200));
}

TEST(every_bound_holds_for_changes_anywhere)
{
	for (uint64_t seed = 1; seed <= 100; seed++) {
		begin(seed);
		for (int i = 0; i < 60; i++) {
			const uint64_t rest =
			    clock_script_random(&script, HALF_MS);

			clock_script_run(&script, rest);
			clock_script_rate(&script,
			    ((int64_t)clock_script_random(&script, 20000) -
				10000) *
				(seed % 3 == 0 ? 8000 : 1));
			clock_script_run(&script, HALF_MS - rest);
			const struct tl_corner next = point(0);

			tl_knots_add(&k, &next, keep, NULL);
			go_on(3 + (int)clock_script_random(&script, 5),
			    HALF_NS - 1);
		}
		tl_knots_finish(&k, keep, NULL);
		check_committed();
	}
}
