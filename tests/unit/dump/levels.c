/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.c - the levels of a file are read as they were, and so is the time
 * from which the file is complete.
 */
#include "dump/stats/levels.h"
#include "lib/snap_open.h"
#include "lib/test.h"

#include "lib/fixture.h"

#include <sched.h>

#define SECOND UINT64_C(1000000000)

static struct tl_source input;
static struct tl_levels levels;
static struct timeline_event *trace_event;

static void
setup(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "trace", "$n", &trace_event));
}

static void
teardown(void)
{
	tl_levels_free(&levels);
	tl_source_close(&input);
	fixture_close();
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
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(a_sample_is_as_long_as_writers_have_it_open)
{
	const struct timeline_entry *e;
	const struct tl_level_window *w;
	uint64_t over;

	timeline_priority(tl, "info");
	ck_assert_ok(tl_burst(tl, 4, SECOND / 100, true));
	e = fixture_newest(); /* the confirmation */
	over = (e->args[2] | ((1 << TIMELINE_UNTIL_SHIFT) - 1)) + 1;
	while (tl_stamp_now(tl) <= over)
		continue;
	timeline_priority(tl, "info");
	read_all();
	ck_assert_uint_eq(levels.count, 4); /* the last ends with the copy */
	w = &levels.windows[1];
	ck_assert_uint_eq(w->threshold, 4);
	ck_assert(w->burst && w->sample && !w->merged && !w->joined);
	ck_assert_int_eq(w->to_ns,
	    tl_snap_time(tl_source_snap(&input), 0, over, NULL));
	ck_assert_int_eq(w->from_ns,
	    tl_snap_time(tl_source_snap(&input), 0, e->tsc, NULL));
	ck_assert_uint_eq(levels.bursts, 1);
	ck_assert_uint_eq(levels.samples, 1);
	ck_assert_int_eq(levels.complete_ns, INT64_MIN);
}

TEST(a_new_timeline_is_open_from_the_start)
{
	timeline_log(trace_event, 1);
	timeline_priority(tl, "info");
	read_all();
	ck_assert_uint_eq(levels.windows[0].threshold, TIMELINE_LEVEL_MIN);
}

TEST(what_was_overwritten_makes_the_past_incomplete)
{
	/* the entry is in the other tier and stays */
	timeline_priority(tl, "info");
	timeline_priority(tl, "trace");
	for (uint64_t i = 0; i < 1000; i++)
		timeline_log(trace_event, i);
	read_all();
	ck_assert_int_gt(levels.complete_ns, levels.first_ns);
	/*
	 * the bound of a lane that threads share may be as late as its last
	 * entry
	 */
	if (fixture_logs_on_cpus())
		ck_assert_int_lt(levels.complete_ns, levels.last_ns);
	else
		ck_assert_int_le(levels.complete_ns, levels.last_ns);
}

/* Entries between changes are not read one by one. */
TEST(all_entries_count_and_the_first_and_the_last_are_found)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
	uint64_t count = 0;

	for (uint64_t i = 0; i < 100; i++) {
		timeline_log(trace_event, i);
		if (i % 30 == 29)
			timeline_priority(tl, i == 59 ? "trace" : "trace+");
	}
	read_all();
	ck_assert_ok(
	    tl_snap_cursor(tl_source_snap(&input), TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		if (event.kind == TL_LOST)
			continue;
		count++;
		if (event.ns < first_ns)
			first_ns = event.ns;
		if (event.ns > last_ns)
			last_ns = event.ns;
	}
	tl_cursor_close(cursor);
	ck_assert_uint_gt(count, 60); /* of the ring */
	ck_assert_uint_eq(levels.entries, count);
	ck_assert_int_eq(levels.first_ns, first_ns);
	ck_assert_int_eq(levels.last_ns, last_ns);
	ck_assert(levels.changed);
}
