/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers_written.c - each span of a timer is counted once, in the right bucket,
 * and logged if it was slow.
 */
#include "lib/fixture.h"
#include "lib/random.h"
#include "lib/test.h"
#include "snap/timers.h"

#include <math.h>
#include <sys/stat.h>

#undef timeline_stamp
#undef timeline_timer_begin
#undef timeline_timer_end

/* _i is the clock; see use_clock() */
#define BOTH_CLOCKS \
	.from = TIMELINE_STAMP_TSC, .to = TIMELINE_STAMP_REALTIME + 1

static struct timeline_event *timer;
static struct tl_timer sums;

static void
define_timer(void)
{
	ck_assert_ok(timeline_define_timer(tl, "net", "info",
	    "request $id of $size", &timer));
}

static void
open_with(uint32_t stamp)
{
	struct timeline_options options = fixture_tiny;

	options.stamp = stamp;
	fixture_open(&options);
	define_timer();
}

static void
setup(void)
{
	open_with(TIMELINE_STAMP_TSC);
}

static void
use_clock(int stamp)
{
	fixture_close();
	open_with((uint32_t)stamp);
}

TEST_FILE(.setup = setup, .teardown = fixture_close);

static const struct tl_timer *
read_timer(uint32_t i)
{
	ck_assert_int_eq(tl_timer_read(&sums, tl->fd, &tl->geometry, i), 1);
	return &sums;
}

TEST(a_bucket_has_its_values_and_none_is_wider_than_one_part_in_64)
{
	uint64_t seed = 1;

	for (uint32_t i = 0; i < TIMELINE_BUCKETS; i++) {
		const uint64_t low = timeline_bucket_low(i);
		const uint64_t next = timeline_bucket_low(i + 1);

		ck_assert_uint_eq(timeline_bucket(low), i);
		ck_assert_uint_eq(timeline_bucket(next - 1), i);
		ck_assert_uint_gt(next, low);
		if (low >= 128)
			ck_assert_uint_le((next - low) * 64, low);
	}
	ck_assert_uint_eq(timeline_bucket(UINT64_MAX), TIMELINE_BUCKETS - 1);
	ck_assert_uint_eq(timeline_bucket_low(TIMELINE_BUCKETS), 1ULL << 52);
	for (int i = 0; i < 100000; i++) {
		const uint64_t ticks = random_next(&seed) >> i % 64;
		const uint64_t kept =
		    timeline_duration(timeline_duration_code(ticks));

		ck_assert_uint_le(kept, ticks);
		ck_assert_uint_le((ticks - kept) >> 1, ticks >> 26);
	}
}

/*
 * Count spans by the assembly, or by the C function that the assembly falls
 * back to.
 */
static void
count_and_compare(void (*end)(struct timeline_event *event, uint64_t begin,
    uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3))
{
	const uint64_t logged = fixture_logged();
	uint64_t least = 0;
	uint64_t buckets = 0;
	uint64_t seed = 7;

	ck_assert_ok(timeline_slower(tl, "*", "request*", UINT64_MAX));
	for (int i = 1; i <= 1000; i++) {
		const uint64_t ticks = random_next(&seed) >> (20 + i % 44);
		const uint64_t now = timeline_stamp(timer);

		least += ticks < now ? ticks : now;
		end(timer, ticks < now ? now - ticks : 0, 1, 2, 3, 4);
		ck_assert_uint_eq(read_timer(0)->count, i);
	}
	for (uint32_t i = 0; i < TIMELINE_BUCKETS; i++)
		buckets += sums.values[i];
	ck_assert_uint_eq(buckets, 1000);
	ck_assert_uint_ge(sums.sum, least);
	ck_assert_uint_le((sums.sum - least) / 1000, 1U << 24);
	ck_assert_uint_ge(sums.max, least / 1000);
	ck_assert_uint_eq(fixture_logged(), logged); /* no span was logged */
}

TEST(each_span_is_counted_by_the_assembly, BOTH_CLOCKS)
{
	use_clock(_i);
	count_and_compare(timeline_timer_append);
}

TEST(each_span_is_counted_by_its_twin, BOTH_CLOCKS)
{
	use_clock(_i);
	count_and_compare(tl_timer_end);
}

static void
expect_kept_if_slow(void)
{
	const uint64_t second = tl_calibrate_ticks(tl->header, 1000000000);
	uint64_t logged = fixture_logged();

	timeline_timer_end(timer, timeline_timer_begin(timer), 1, 2, 3, 4);
	/* at first each span is logged */
	ck_assert_uint_eq(fixture_logged(), ++logged);
	ck_assert_ok(timeline_slower(tl, "net", "request*", 500000000));
	timeline_timer_end(timer, timeline_timer_begin(timer), 1, 2, 3, 4);
	ck_assert_uint_eq(fixture_logged(), logged);
	timeline_timer_end(timer, timeline_stamp(timer) - second, 1, 2, 3, 4);
	ck_assert_uint_eq(fixture_logged(), ++logged);
	tl_timer_end(timer, timeline_stamp(timer) - second, 1, 2, 3, 4);
	ck_assert_uint_eq(fixture_logged(), ++logged);
	ck_assert_uint_eq(read_timer(0)->count, 4);
	ck_assert_uint_lt(read_timer(0)->max, 3600 * second);
	ck_assert_int_eq(timeline_slower(tl, "net", "tcp*", 1), -ENOENT);
}

TEST(only_spans_that_reach_the_threshold_are_kept, BOTH_CLOCKS)
{
	use_clock(_i);
	expect_kept_if_slow();
}

/* Where the kernel does not list the counter, the clock is the wall clock. */
TEST(a_timer_measures_where_the_counter_is_not_trusted)
{
	char list[] = "/tmp/timers-sources-XXXXXX";
	const char *const of_kernel = tl_clock_sources_file;
	const int fd = mkstemp(list);

	ck_assert_int_eq(write(fd, "hpet\n", 5), 5);
	close(fd);
	tl_clock_sources_file = list;
	fixture_close();
	ck_assert_ok(timeline_new(&tl, fixture_name, &fixture_tiny));
	define_timer();
	tl_clock_sources_file = of_kernel;
	unlink(list);
	ck_assert_uint_eq(tl->geometry.clock_kind, TIMELINE_CLOCK_REALTIME);
	expect_kept_if_slow();
}

/* The clocks of two CPUs may disagree. */
TEST(a_begin_after_the_end_is_a_span_of_0, BOTH_CLOCKS)
{
	use_clock(_i);
	timeline_timer_append(timer, timeline_stamp(timer) + (1ULL << 40), 1, 2,
	    3, 4);
	ck_assert_uint_eq(read_timer(0)->count, 1);
	ck_assert_uint_eq(sums.sum, 0);
	ck_assert_uint_eq(sums.values[0], 1);
}

TEST(a_closed_timer_counts_nothing)
{
	struct timeline_event *closed;

	ck_assert_ok(timeline_level(tl, "net", "request*", "off"));
	ck_assert_uint_eq(timeline_timer_begin(timer), 0);
	timeline_timer_end(timer, 0, 1, 2, 3, 4);
	ck_assert_uint_eq(read_timer(0)->count, 0);
	ck_assert_int_ne(timeline_define_timer(tl, "", "info", "x", &closed),
	    0);
	ck_assert_uint_eq(timeline_timer_begin(closed), 0);
	timeline_timer_end(closed, 1, 1, 2, 3, 4);
	timeline_log_at(closed, 1, 1, 2, 3, 4);
}

TEST(a_message_is_one_timer_and_there_are_64)
{
	struct timeline_event *again;
	struct stat before, after;
	char text[32];

	ck_assert_ok(timeline_define_timer(tl, "net", "info",
	    "request $id of $size", &again));
	ck_assert_ptr_eq(again, timer);
	ck_assert_int_eq(fstat(tl->fd, &before), 0);
	for (int i = 1; i < TIMELINE_TIMERS_MAX; i++) {
		snprintf(text, sizeof(text), "timer %d", i);
		ck_assert_ok(
		    timeline_define_timer(tl, "net", "info", text, &again));
	}
	ck_assert_int_eq(fstat(tl->fd, &after), 0);
	ck_assert_int_eq((after.st_blocks - before.st_blocks) * 512,
	    63 * (off_t)tl->geometry.timer_rows * TIMELINE_HISTOGRAM_SIZE);
	ck_assert_int_eq(timeline_define_timer(tl, "net", "info", "one more",
			     &again),
	    -ENOSPC);
	ck_assert_uint_eq(timeline_timer_begin(again), 0);
	ck_assert_ok(
	    timeline_define_timer(tl, "net", "info", "timer 63", &again));
	timeline_timer_end(again, timeline_timer_begin(again), 0, 0, 0, 0);
	ck_assert_uint_eq(read_timer(63)->count, 1);
}

/*
 * Log at a stamp; returns the entry, or one with an odd stamp if a fallback
 * lane took the entry.
 */
static struct timeline_entry
log_at(struct timeline_event *event, uint64_t stamp)
{
	uint64_t heads[64] = { 0 };
	const uint32_t lanes = tl->geometry.cpu_lanes * tl->geometry.tiers;

	for (uint32_t i = 0; i < lanes && i < 64; i++)
		heads[i] = fixture_head(i)->head;
	timeline_append_at(event, stamp, 11, 12, 13, 14);
	for (uint32_t i = 0; i < lanes && i < 64; i++)
		if (fixture_head(i)->head != heads[i])
			return *fixture_entry(i, heads[i]);
	return (struct timeline_entry){ .stamp = 1 };
}

TEST(a_given_stamp_is_kept_between_the_entry_before_and_now)
{
	struct timeline_event *event;
	struct timeline_entry e;
	uint64_t last = 0;
	uint64_t seed = 5;

	if (timer->lanes == 0)
		return;
	ck_assert_ok(
	    timeline_define(tl, "net", "info", "at $a $b $c $d", &event));
	timeline_append(event, 1, 2, 3, 4);
	for (int i = 0; i < 1000; i++) {
		const uint64_t now = timeline_stamp(event);
		const uint64_t given =
		    i % 4 == 0   ? now
		    : i % 4 == 1 ? now - random_next(&seed) % 5000
		    : i % 4 == 2 ? random_next(&seed) >> i % 64
				 : now + (1ULL << 40);
		const bool moved = ((e = log_at(event, given)).message &
				       TIMELINE_MESSAGE_MOVED) != 0;

		if (e.stamp % 2 != 0) /* a fallback lane, now and then */
			continue;
		ck_assert_uint_eq(moved, e.tsc != given);
		ck_assert_uint_eq(e.args[0] + e.args[1] + e.args[2] + e.args[3],
		    50);
		ck_assert_uint_le(e.tsc, timeline_stamp(event) + (1 << 22));
		if (last != 0 && given <= last + (1 << 22))
			ck_assert_uint_ge(e.tsc + (1 << 22), given);
		if (i % 4 == 0)
			ck_assert(!moved || given < last);
		last = e.tsc;
	}
}

TEST(a_stamp_is_less_than_2_to_28_ticks_ahead)
{
	const uint64_t slack = TIMELINE_GIVEN_RUN << TIMELINE_GIVEN_SHIFT;
	struct timeline_event *event;
	unsigned moved = 0, elsewhere = 0;
	uint64_t stamp;

	/*
	 * a lane of several runs, so that the check looks at more slots than
	 * the first
	 */
	fixture_close();
	fixture_open(&(const struct timeline_options){
	    .entries = 64 * (uint64_t)TIMELINE_GIVEN_RUN });
	ck_assert_ok(
	    timeline_define(tl, "net", "info", "at $a $b $c $d", &event));
	stamp = timeline_stamp(event);
	/*
	 * a preempted test falls behind the clock, and no stamp is moved then
	 */
	for (int i = 0; i < 100 * TIMELINE_GIVEN_RUN; i++) {
		const struct timeline_entry e =
		    log_at(event, stamp += (1 << TIMELINE_GIVEN_SHIFT) - 1);

		ck_assert_uint_lt(e.tsc, timeline_stamp(event) + slack);
		moved += (e.message & TIMELINE_MESSAGE_MOVED) != 0;
		elsewhere += e.stamp % 2; /* the entry is in a fallback lane */
		if (e.message & TIMELINE_MESSAGE_MOVED)
			stamp = e.tsc;
	}
	ck_assert(moved > 0 || elsewhere > 0);
	tl_append_at(event, timeline_stamp(event) + slack, 1, 2, 3, 4);
	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++)
		if (timeline_lane_is_fallback(&tl->geometry, i) &&
		    fixture_head(i)->head > 0)
			ck_assert(fixture_entry(i, fixture_head(i)->head - 1)
				      ->message &
				  TIMELINE_MESSAGE_MOVED);
}

static int
compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a;
	const uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

TEST(percentiles_are_at_most_a_bucket_above_those_of_a_sort)
{
	enum { N = 20000 };
	static uint64_t exact[N];
	uint64_t seed = 3;

	memset(&sums, 0, sizeof(sums));
	for (int i = 0; i < N; i++) {
		exact[i] = random_next(&seed) >> (20 + i % 30);
		sums.values[timeline_bucket(exact[i])]++;
		sums.count++;
		sums.max = exact[i] > sums.max ? exact[i] : sums.max;
	}
	qsort(exact, N, sizeof(*exact), compare_numbers);
	for (int i = 1; i <= 1000; i++) {
		const double want = (double)exact[N / 1000 * i - 1];
		const double got = (double)tl_timer_at(&sums, i / 10.0);

		ck_assert_double_le(want, got);
		ck_assert_double_le(got - want, want / 63);
	}
}

/*
 * Five spans in a thousand are slow: the 99th percentile is fast, and the
 * 99.9th is slow.
 */
TEST(each_percentile_in_json_is_the_one_of_its_name)
{
	struct tl_text text = { 0 };
	struct tl_fields fields = { .text = &text, .json = true };

	memset(&sums, 0, sizeof(sums));
	sums.mult = TL_MULT_ONE;
	sums.values[timeline_bucket(10)] = 995;
	sums.values[timeline_bucket(1000)] = 5;
	sums.count = 1000;
	sums.max = 1000;
	tl_fields_object(&fields, NULL);
	tl_timer_put(&fields, &sums);
	tl_fields_object_end(&fields);
	ck_assert_str_eq(tl_text_string(&text),
	    "{\"count\":1000,\"p50_ns\":10,\"p99_ns\":10,\"p999_ns\":1000,"
	    "\"max_ns\":1000,\"sum_ns\":0}\n");
	tl_text_free(&text);
}

static void
log_spans(int count, uint64_t ticks)
{
	for (int i = 0; i < count; i++)
		tl_timer_end(timer, timeline_stamp(timer) - ticks, 1, 2, 3, 4);
}

static uint64_t
keep(struct tl_timers_past *past, int64_t second)
{
	ck_assert_ok(tl_timers_keep(tl, past, second * 1000000000));
	return read_timer(0)->fixed.slower;
}

/* 2000 spans of an incident, then spans that are far faster. */
TEST(a_percentile_forgets_what_was_long_ago)
{
	const uint64_t slow = 1U << 26, fast = 1U << 18, usual = 1U << 12;
	struct tl_timers_past *past;

	ck_assert_int_eq(tl_timers_set(tl, "*", "request*", 0, 990000), 1);
	ck_assert_ok(tl_timers_past_new(&past, 60000000000));
	log_spans(2000, slow);
	ck_assert_uint_ge(keep(past, 0), slow);
	log_spans(960, usual);
	log_spans(39, fast);
	/* fewer than ten of 999 spans lie beyond: the incident still counts */
	ck_assert_uint_ge(keep(past, 1), slow);
	log_spans(1, fast);
	ck_assert_uint_lt(keep(past, 2), slow);
	ck_assert_uint_ge(read_timer(0)->fixed.slower, fast);
	/* two windows later these spans are forgotten, too */
	(void)keep(past, 61);
	(void)keep(past, 122);
	log_spans(1000, usual);
	ck_assert_uint_lt(keep(past, 123), fast);
	/* without a past, the percentile is that of all spans */
	ck_assert_uint_ge(keep(NULL, 124), slow);
	tl_timers_past_free(past);
}
