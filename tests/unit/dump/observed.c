/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observed.c - the observed time of a message is as long as it was, and the
 * entries within it are counted.
 */
#include "dump/stats/observed.h"
#include "lib/snap_open.h"
#include "lib/test.h"

#include "lib/fixture.h"

#include <math.h>
#include <sched.h>

#define SECOND UINT64_C(1000000000)

enum { ROUND_NS = 2000 };

static struct tl_source input;
static struct tl_levels levels;
static struct tl_observed_time observed;
static struct timeline_event *trace_event, *info_event;
static unsigned by[TL_OBSERVED_BY_SLOT + 1]; /* entries of trace_event */

static void
setup(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "trace", "$n", &trace_event));
	ck_assert_ok(timeline_define(tl, "b", "info", "$n", &info_event));
}

static void
teardown(void)
{
	tl_levels_free(&levels);
	tl_source_close(&input);
	fixture_close();
}

static void
put_all(int64_t to_ns)
{
	struct tl_cursor *cursor;
	struct tl_event event;

	memset(by, 0, sizeof(by));
	ck_assert_ok(tl_observed_time_init(&observed, &input, &levels,
	    INT64_MIN, to_ns));
	ck_assert_ok(
	    tl_snap_cursor(tl_source_snap(&input), TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		const enum tl_observed_by opened =
		    tl_observed_time_put(&observed, &event);

		if (event.kind != TL_LOST &&
		    event.message->category.size == 1 &&
		    event.message->category.data[0] == 'a')
			by[opened]++;
	}
	tl_cursor_close(cursor);
	tl_observed_time_end(&observed);
}

static void
read_all(void)
{
	struct tl_progress quiet = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	ck_assert_msg(snap_open(&snap, fixture_name, 0, &fault) == 0, "%s",
	    fault.text);
	tl_source_of_snap(&input, snap);
	ck_assert_ok(tl_levels_read(&levels, &input, &quiet));
	put_all(INT64_MAX);
}

static double
share_of(char category, int64_t *ns)
{
	const struct tl_snap *snap = tl_source_snap(&input);

	for (size_t i = 0; i < tl_snap_message_count(snap); i++)
		if (tl_snap_message(snap, i)->category.data[0] == category)
			return tl_observed_time_of(&observed, 0,
			    tl_snap_message(snap, i), ns);
	ck_abort_msg("no message of category %c", category);
	return 0;
}

struct burst {
	uint64_t from, over; /* stamps */
};

/* Make a burst with entries, and log after its end, too. */
static struct burst
burst_with(unsigned entries)
{
	struct burst b;

	ck_assert_ok(tl_burst(tl, 4, SECOND / 10, true));
	b.from = fixture_newest()->tsc;
	b.over =
	    fixture_newest()->args[2] + (UINT64_C(1) << TIMELINE_UNTIL_SHIFT);
	for (unsigned i = 0; i < entries; i++)
		timeline_log(trace_event, i);
	while (tl_stamp_now(tl) <= b.over)
		continue;
	timeline_log(trace_event, 99); /* the gate is closed */
	timeline_log(info_event, 99);
	return b;
}

static int64_t
ns_of(uint64_t stamp)
{
	return tl_snap_time(tl_source_snap(&input), 0, stamp, NULL);
}

static void
expect_length(char category, int64_t ns)
{
	int64_t observed_ns;

	share_of(category, &observed_ns);
	ck_assert_int_le(observed_ns, ns + ROUND_NS);
	ck_assert_int_ge(observed_ns, ns - ROUND_NS);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(a_burst_is_observed_until_its_end)
{
	struct burst b;
	int64_t ns;

	timeline_priority(tl, "info");
	timeline_log(info_event, 1);
	b = burst_with(3);
	read_all();
	ck_assert_uint_eq(by[TL_OBSERVED_BY_BURST], 3);
	ck_assert_uint_eq(by[TL_OBSERVED_BY_PRIORITY], 0);
	expect_length('a', ns_of(b.over) - ns_of(b.from));
	ck_assert(share_of('a', &ns) > 0 && share_of('a', &ns) < 1);
	ck_assert(share_of('b', &ns) == 1);
	ck_assert_int_le(ns, levels.end_ns - levels.first_ns);
}

TEST(observed_time_ends_with_the_time_range)
{
	struct burst b, c;
	uint64_t between;

	timeline_priority(tl, "info");
	b = burst_with(2);
	between = tl_stamp_now(tl);
	c = burst_with(3);
	read_all();
	ck_assert_uint_eq(by[TL_OBSERVED_BY_BURST], 5);
	expect_length('a',
	    ns_of(b.over) - ns_of(b.from) + ns_of(c.over) - ns_of(c.from));
	put_all(ns_of(between));
	ck_assert_uint_eq(by[TL_OBSERVED_BY_BURST], 2);
	expect_length('a', ns_of(b.over) - ns_of(b.from));
}

/*
 * Set the level of the messages of a category, and log entries.  Returns the
 * stamp of the change.
 */
static uint64_t
set_level(const char *category, const char *level, unsigned entries)
{
	uint64_t tsc;

	ck_assert_ok(timeline_level(tl, category, "*", level));
	tsc = fixture_newest()->tsc;
	for (unsigned i = 0; i < entries; i++)
		timeline_log(trace_event, i);
	return tsc;
}

TEST(a_message_that_got_another_level_is_measured_with_each)
{
	struct burst b;
	uint64_t opened, closed;
	int64_t ns;

	timeline_priority(tl, "info");
	timeline_log(info_event, 1);
	b = burst_with(2);
	opened = set_level("a", "info", 4);
	while (tl_stamp_now(tl) < opened + SECOND / 1000)
		continue;
	closed = set_level("a", "default", 1);
	read_all();
	ck_assert_uint_eq(by[TL_OBSERVED_BY_BURST], 2);
	ck_assert_uint_eq(by[TL_OBSERVED_BY_PRIORITY], 4);
	expect_length('a',
	    ns_of(b.over) - ns_of(b.from) + ns_of(closed) - ns_of(opened));
	ck_assert(share_of('b', &ns) == 1);
	ck_assert_int_ge(ns, ns_of(closed) - ns_of(b.from));
}

TEST(after_a_level_without_a_name_all_messages_are_measured)
{
	int64_t ns, later_ns;

	timeline_priority(tl, "info");
	burst_with(2);
	tl->level_named = NULL; /* as before version 2.2 */
	set_level("a", "info", 2);
	read_all();
	/* the first entry of an interval begins it */
	ck_assert_uint_eq(by[TL_OBSERVED_BY_BURST], 0);
	ck_assert_uint_eq(by[TL_OBSERVED_BY_PRIORITY], 1);
	ck_assert(share_of('a', &ns) == 1);
	share_of('b', &later_ns);
	ck_assert_int_eq(later_ns, ns);
	ck_assert_int_le(ns, levels.end_ns - levels.gates_ns);
}

TEST(what_lanes_have_overwritten_is_not_measured)
{
	int64_t ns;

	timeline_priority(tl, "info");
	timeline_priority(tl, "trace");
	for (uint64_t i = 0; i < 1000; i++)
		timeline_log(trace_event, i);
	if (!fixture_logs_on_cpus()) /* another lane has a later bound */
		return;
	read_all();
	ck_assert(share_of('a', &ns) == 1);
	ck_assert_int_le(ns, levels.end_ns - levels.complete_ns + ROUND_NS);
	ck_assert_uint_gt(by[TL_OBSERVED_BY_PRIORITY], 0);
	ck_assert_uint_le(by[TL_OBSERVED_BY_PRIORITY], 64);
}
