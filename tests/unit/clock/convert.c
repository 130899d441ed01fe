/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c - stamps to time: a simple reference, hostile knots, bounds. */
#include "clock/convert.h"
#include "lib/test.h"

#include "clock/calibrate.h"

#include "lib/clock_script.h"
#include "lib/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOTS = 64 };
#define SECOND UINT64_C(1000000000)

static struct clock_script script;
static struct timeline_header header;
static struct timeline_knot knots[KNOTS];
static struct tl_clock_source source;
static struct tl_calibrate calibrate;
static struct tl_time table;
static unsigned damaged;
static uint64_t damaged_at;

static void
note_damage(void *context, uint64_t at, const char *what)
{
	(void)context;
	ck_assert_ptr_nonnull(what);
	damaged++;
	damaged_at = at;
}

static void
build(void)
{
	damaged = 0;
	ck_assert_ok(
	    tl_time_build(&table, &header, knots, KNOTS, note_damage, NULL));
}

static void
set_up_steered(uint64_t seed, bool steered)
{
	clock_script_start(&script, 2596128, seed);
	memset(&header, 0, sizeof(header));
	memset(knots, 0, sizeof(knots));
	header.clock_kind = TIMELINE_CLOCK_TSC;
	script.steered = steered;
	source = clock_script_source(&script);
	calibrate = (struct tl_calibrate){ .header = &header,
		.knots = knots,
		.knots_max = KNOTS,
		.source = &source };
	ck_assert_ok(tl_calibrate_first(&calibrate));
}

static void
set_up(uint64_t seed)
{
	set_up_steered(seed, true);
}

/* Run a clock with slews, steps and resets. */
static void
live(int points)
{
	for (int i = 0; i < points; i++) {
		clock_script_run(&script,
		    clock_script_random(&script, 3 * SECOND));
		switch (clock_script_random(&script, 20)) {
		case 0:
			clock_script_rate(&script,
			    (int64_t)clock_script_random(&script, 400000) -
				200000);
			break;
		case 1:
			clock_script_step(&script,
			    (int64_t)clock_script_random(&script, SECOND) -
				(int64_t)SECOND / 2);
			break;
		case 2:
			if (clock_script_random(&script, 5) == 0)
				clock_script_reset(&script,
				    clock_script_random(&script, 1000000));
			break;
		default:
			break;
		}
		clock_script_run(&script,
		    SECOND + clock_script_random(&script, 3 * SECOND));
		ck_assert_int_ge(tl_calibrate_maybe(&calibrate), 0);
	}
}

/* Compare with the reference, and with the truth where it is bounded. */
static void
check_all(void)
{
	const struct tl_time_segment *last = NULL;

	for (size_t i = 0; i + 1 < table.knot_count; i++) {
		const struct timeline_knot *a = &table.knots[i];
		const struct timeline_knot *b = &table.knots[i + 1];

		if (a->epoch != b->epoch)
			continue;
		for (int k = 0; k < 200; k++) {
			const uint64_t tsc =
			    a->tsc +
			    clock_script_random(&script, b->tsc - a->tsc);
			uint32_t bound, error, near_error;
			const int64_t want = clock_script_convert(table.knots,
			    table.knot_count, a->epoch, tsc, &bound);
			const int64_t ns =
			    tl_time_convert(&table, a->epoch, tsc, &error);
			const int64_t truth =
			    clock_script_truth(&script, a->epoch, tsc);

			ck_assert_int_le(llabs(ns - want), 1);
			ck_assert_uint_eq(error, bound);
			ck_assert_int_le(llabs(ns - truth), error);
			ck_assert_int_eq(ns, tl_time_convert_near(&table, &last,
						 a->epoch, tsc, &near_error));
			ck_assert_uint_eq(error, near_error);
		}
	}
}

TEST_FILE(.timeout = 120);

TEST(conversion_is_the_dumb_one_and_keeps_its_bound)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		set_up(seed);
		live(40 + (int)seed * 3);
		build();
		ck_assert_uint_eq(damaged, 0);
		ck_assert_uint_gt(table.knot_count, 3);
		ck_assert(table.knots[table.knot_count - 1].flags &
			      TIMELINE_KNOT_CLOSE ||
			  header.clock.points == 0);
		check_all();
		tl_time_free(&table);
	}
}

TEST(segments_cover_every_stamp_in_order)
{
	set_up(1);
	live(60);
	build();
	for (size_t i = 1; i < table.segment_count; i++) {
		const struct tl_time_segment *a = &table.segments[i - 1];
		const struct tl_time_segment *b = &table.segments[i];

		if (a->epoch == b->epoch)
			ck_assert(a->from + a->ticks == b->from);
		else
			ck_assert(a->epoch < b->epoch && b->from == 0);
	}
	tl_time_free(&table);
}

TEST(the_tail_closes_the_line)
{
	set_up(2);
	live(30);
	clock_script_run(&script, 20 * SECOND);
	ck_assert_int_gt(tl_calibrate_now(&calibrate, false), 0);
	build();
	const struct timeline_knot *last = &table.knots[table.knot_count - 1];

	ck_assert(last->tsc == header.clock.tsc);
	ck_assert(last->flags & TIMELINE_KNOT_CLOSE);
	check_all();
	tl_time_free(&table);
}

/* The writer died between a knot and the tail. */
TEST(a_tail_of_an_older_epoch_is_left_out)
{
	set_up(3);
	live(30);
	header.clock.epoch = knots[(header.knot_count - 1) % KNOTS].epoch;
	knots[(header.knot_count - 1) % KNOTS].epoch++;
	knots[(header.knot_count - 1) % KNOTS].flags |= TIMELINE_KNOT_NEW_EPOCH;
	header.clock.tsc = UINT64_MAX / 2;
	build();
	ck_assert_uint_eq(damaged, 0);
	ck_assert(
	    !(table.knots[table.knot_count - 1].flags & TIMELINE_KNOT_CLOSE));
	tl_time_free(&table);
}

TEST(past_the_ends_the_error_grows)
{
	uint32_t near_error, far_error, error;

	set_up(3);
	clock_script_run(&script, 10 * SECOND);
	tl_calibrate_maybe(&calibrate);
	build();
	const uint64_t end = header.clock.tsc;

	for (int sign = -1; sign <= 1; sign += 2) {
		const uint64_t from = sign < 0 ? knots[0].tsc : end;

		(void)tl_time_convert(&table, 0, from + (uint64_t)(sign * 1000),
		    &near_error);
		(void)tl_time_convert(&table, 0,
		    from + (uint64_t)(sign * 900000000), &far_error);
		ck_assert_uint_gt(far_error, near_error);
		ck_assert_uint_gt(far_error, 100000);
	}
	clock_script_run(&script, 10 * SECOND);
	const int64_t ns = tl_time_convert(&table, 0, script.tsc, &error);

	ck_assert_int_le(llabs(ns - clock_script_truth(&script, 0, script.tsc)),
	    error);
	tl_time_free(&table);
}

TEST(an_unsteered_clock_is_trusted_far_past_its_end)
{
	uint32_t error;

	set_up_steered(4, false);
	clock_script_run(&script, 60 * SECOND);
	tl_calibrate_maybe(&calibrate);
	clock_script_run(&script, 60 * SECOND);
	tl_calibrate_maybe(&calibrate);
	build();
	clock_script_run(&script, 300 * SECOND);
	const int64_t ns = tl_time_convert(&table, 0, script.tsc, &error);

	ck_assert_uint_le(error, 1000);
	ck_assert_int_le(llabs(ns - clock_script_truth(&script, 0, script.tsc)),
	    error);
	tl_time_free(&table);
}

TEST(a_file_without_knots_goes_by_its_tail)
{
	uint32_t error;

	set_up(5);
	clock_script_run(&script, 5 * SECOND);
	tl_calibrate_maybe(&calibrate);
	header.knot_count = 0;
	build();
	ck_assert_uint_eq(table.knot_count, 1);
	const uint64_t tsc = header.clock.tsc - SECOND;
	const int64_t ns = tl_time_convert(&table, 0, tsc, &error);

	ck_assert_int_le(llabs(ns - clock_script_truth(&script, 0, tsc)),
	    error);
	tl_time_free(&table);
	header.clock.sequence = 1;
	build();
	ck_assert_int_eq(tl_time_convert(&table, 3, 12345, &error), 12345);
	ck_assert_uint_eq(error, UINT32_MAX);
	tl_time_free(&table);
}

TEST(a_damaged_knot_is_named_and_its_piece_unbounded)
{
	uint64_t mult;
	uint32_t error;

	set_up(6);
	for (int i = 0; i < 6; i++) {
		clock_script_run(&script, 2 * SECOND);
		clock_script_rate(&script, (i % 3 + 1) * 7000);
		tl_calibrate_maybe(&calibrate);
	}
	ck_assert_uint_gt(header.knot_count, 4);
	mult = knots[2].mult;
	knots[2].mult = 0;
	build();
	ck_assert_uint_eq(damaged, 1);
	ck_assert_uint_eq(damaged_at, 2 * sizeof(knots[0]));
	(void)tl_time_convert(&table, 0, knots[2].tsc, &error);
	ck_assert_uint_eq(error, UINT32_MAX);
	tl_time_free(&table);
	knots[2].mult = mult;
	knots[2].seq = 77;
	build();
	ck_assert_uint_eq(damaged, 1);
	tl_time_free(&table);
}

TEST(the_slot_being_rewritten_is_no_damage)
{
	set_up(7);
	for (int i = 0; i < KNOTS; i++) {
		clock_script_run(&script, 2 * SECOND);
		clock_script_step(&script, 200000000);
		tl_calibrate_maybe(&calibrate);
	}
	ck_assert_uint_gt(header.knot_count, KNOTS);
	knots[header.knot_count % KNOTS].seq = 0;
	build();
	ck_assert_uint_eq(damaged, 0);
	ck_assert_uint_ge(table.knot_count, KNOTS - 1);
	tl_time_free(&table);
	knots[(header.knot_count + 1) % KNOTS].seq = 0;
	build();
	ck_assert_uint_eq(damaged, 1);
	tl_time_free(&table);
}

static uint64_t
hostile_64(void)
{
	static const uint64_t odd[] = { 0, 1, UINT64_MAX, INT64_MAX,
		(uint64_t)INT64_MIN, TL_MULT_ONE };

	if (clock_script_random(&script, 3) == 0)
		return odd[clock_script_random(&script, 6)];
	return clock_script_random(&script, UINT64_MAX)
	       << clock_script_random(&script, 64);
}

static const struct timeline_knot *
at(const void *of, size_t i)
{
	return &((const struct timeline_knot *)of)[i];
}

/*
 * Make count points of a line of one tick per nanosecond, a second apart and
 * ahead by so many ns.
 */
static struct tl_knot_list
line(struct timeline_knot *to, size_t count, uint64_t from, int64_t ahead)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (struct timeline_knot){ .tsc = from + i * SECOND,
			.utc_ns = (int64_t)(from + i * SECOND) + ahead,
			.max_err_ns = 100 };
	return (struct tl_knot_list){ to, count, at };
}

TEST(lines_of_one_clock_agree_and_others_do_not)
{
	struct timeline_knot a[8], b[8];
	struct tl_knot_list x = line(a, 8, 5 * SECOND, 0);
	struct tl_knot_list y = line(b, 8, 9 * SECOND + 7, 0);

	ck_assert(tl_knots_agree(&x, &x));
	ck_assert(tl_knots_agree(&x, &y) && tl_knots_agree(&y, &x));
	y = line(b, 8, 9 * SECOND + 7, 900000);
	ck_assert(tl_knots_agree(&x, &y) && tl_knots_agree(&y, &x));
	y = line(b, 8, 9 * SECOND + 7, 2000000);
	ck_assert(!tl_knots_agree(&x, &y) && !tl_knots_agree(&y, &x));
	y = line(b, 8, 9 * SECOND + 7, -2000000);
	ck_assert(!tl_knots_agree(&x, &y) && !tl_knots_agree(&y, &x));
	for (int i = 0; i < 8; i++) /* the bounds cover the distance */
		b[i].max_err_ns = 1200000;
	ck_assert(tl_knots_agree(&x, &y));
	/* other times, another epoch, and no knots */
	y = line(b, 8, 13 * SECOND, 2000000);
	ck_assert(tl_knots_agree(&x, &y) && tl_knots_agree(&y, &x));
	y = line(b, 8, 9 * SECOND, 2000000);
	for (int i = 0; i < 8; i++)
		b[i].epoch = 1;
	ck_assert(tl_knots_agree(&x, &y) && tl_knots_agree(&y, &x));
	y.count = 0;
	ck_assert(tl_knots_agree(&x, &y) && tl_knots_agree(&y, &x));
}

/*
 * One of two processes took points more often when the clock was set.  The step
 * lies anywhere between two points of the other.
 */
TEST(a_clock_that_was_set_is_one_clock)
{
	struct timeline_knot a[8], b[2];
	struct tl_knot_list x = line(a, 8, 5 * SECOND, 0);
	struct tl_knot_list y = line(b, 2, 5 * SECOND, 0);

	for (int i = 3; i < 8; i++)
		a[i].utc_ns += 5 * (int64_t)SECOND;
	a[3].flags = TIMELINE_KNOT_STEP;
	b[1] = a[7];
	b[1].flags = TIMELINE_KNOT_STEP;
	ck_assert(tl_knots_agree(&x, &y) && tl_knots_agree(&y, &x));
	b[1].flags = 0; /* the other process did not notice the step */
	ck_assert(!tl_knots_agree(&x, &y) && !tl_knots_agree(&y, &x));
}

TEST(no_knots_make_conversion_go_wrong)
{
	set_up(8);
	for (int round = 0; round < random_rounds(5000); round++) {
		const struct tl_time_segment *last = NULL;
		uint64_t tsc = 0;

		header.knot_count =
		    round % 3 ? (uint64_t)round % KNOTS : hostile_64();
		for (uint64_t i = 0; i < KNOTS; i++) {
			tsc = round % 2 ? tsc + (hostile_64() >> 8)
					: hostile_64();
			knots[i] = (struct timeline_knot){ .tsc = tsc,
				.utc_ns = (int64_t)hostile_64(),
				.mult = hostile_64(),
				.max_err_ns = (uint32_t)hostile_64(),
				.epoch = (uint32_t)(hostile_64() & 1),
				.flags = (uint16_t)hostile_64(),
				.seq = i + 1 };
		}
		for (int k = 0; k < 16; k++)
			((uint64_t *)(void *)&header.clock)[k] = hostile_64();
		build();
		ck_assert_uint_gt(table.segment_count, 0);
		ck_assert_uint_le(table.knot_count, KNOTS + 1);
		for (int k = 0; k < 40; k++) {
			const uint64_t stamp = hostile_64();
			const uint32_t epoch = (uint32_t)(hostile_64() & 3);
			uint32_t error;

			ck_assert_int_eq(tl_time_convert(&table, epoch, stamp,
					     &error),
			    tl_time_convert_near(&table, &last, epoch, stamp,
				NULL));
		}
		tl_time_free(&table);
	}
}

TEST(stamps_that_are_nanoseconds_are_the_time)
{
	uint32_t error;
	const int64_t now = (int64_t)tl_clock_now(TIMELINE_CLOCK_REALTIME);

	set_up(9);
	memset(&header, 0, sizeof(header));
	header.clock_kind = TIMELINE_CLOCK_REALTIME;
	calibrate.source = tl_clock_source(TIMELINE_CLOCK_REALTIME);
	ck_assert_ok(tl_calibrate_first(&calibrate));
	tl_calibrate_now(&calibrate, false);
	build();
	for (int64_t i = -5; i <= 5; i++) {
		const int64_t ns = now + i * (int64_t)SECOND;

		ck_assert_int_eq(tl_time_convert(&table, 0, (uint64_t)ns,
				     &error),
		    ns);
		ck_assert_uint_le(error, 15);
	}
	tl_time_free(&table);
}
