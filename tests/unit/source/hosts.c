/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.c - hosts with wrong clocks are merged in the right order as far as the
 * order can be known; a mark and a warning show where it cannot.
 */
#include "event/sched.h"
#include "hosts_fixture.h"
#include "lib/test.h"

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 600);

TEST(one_host_is_as_it_was)
{
	struct tl_cursor *cursor;
	struct tl_event event;

	for (uint64_t i = 0; i < 6; i++)
		log_at(i % 2, NOON + (int64_t)i, &sent, i);
	hosts[1].disguise = hosts[0].disguise; /* the same host, after all */
	hosts[0].disguise.sync_us = hosts[1].disguise.sync_us = 50;
	open_hosts(2);
	ck_assert_uint_eq(inputs.hosts->count, 1);
	ck_assert(!inputs.hosts->are_several);
	cursor = open_cursor(TL_OLDEST_FIRST);
	for (unsigned i = 0; i < 6; i++) {
		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
		ck_assert_uint_eq(event.source, i % 2);
		ck_assert(!event.overlaps);
		ck_assert_uint_eq(event.sync_us, 0);
	}
	tl_cursor_close(cursor);
	tl_hosts_warn(inputs.hosts, &report);
	ck_assert_str_eq(said, "");
}

/*
 * Two timelines of one boot of a machine.  The clock was moved a little between
 * the two saves: the stamps give the order, whatever the times are.
 */
TEST(one_start_of_a_machine_is_merged_by_its_stamps)
{
	hosts[1].disguise = hosts[0].disguise;
	hosts[1].disguise.shift_ns = -MS / 2;
	for (uint64_t i = 0; i < 6; i++)
		log_at(i % 2, NOON + (int64_t)i, &sent, i);
	log_at(2, NOON + 10, &sent, 0);
	open_hosts(3);
	ck_assert_uint_eq(inputs.hosts->count, 2);
	ck_assert_str_eq(sequence(TL_OLDEST_FIRST), "0 1 0 1 0 1 2");
	ck_assert_str_eq(sequence(TL_NEWEST_FIRST), "2 1 0 1 0 1 0");
}

/*
 * At one stamp the clocks of the files are three seconds apart: a virtual
 * machine was resumed twice.  The order is by time, with a warning.
 */
TEST(copies_of_a_machine_are_not_merged_by_their_stamps)
{
	for (size_t i = 1; i < 4; i++) {
		hosts[i].disguise = hosts[0].disguise;
		hosts[i].disguise.sync_us = 1;
	}
	hosts[0].disguise.sync_us = 1;
	hosts[1].disguise.shift_ns = -3 * INT64_C(1000) * MS;
	hosts[2].disguise.shift_ns = hosts[1].disguise.shift_ns;
	for (uint64_t i = 0; i < 8; i++)
		log_at(i % 4, NOON + (int64_t)i * MS, &sent, i);
	open_hosts(4);
	ck_assert_uint_eq(inputs.hosts->count, 2);
	ck_assert_uint_eq(inputs.hosts->of_source[1], 1);
	ck_assert_uint_eq(inputs.hosts->of_source[2], 1);
	ck_assert_uint_eq(inputs.hosts->of_source[3], 0);
	ck_assert_str_eq(sequence(TL_OLDEST_FIRST), "1 2 1 2 0 3 0 3");
	tl_hosts_warn(inputs.hosts, &report);
	ck_assert_ptr_nonnull(strstr(said, "another clock under the same boot "
					   "id: a copy of a virtual machine"));
}

TEST(threads_are_of_machines)
{
	hosts[1].disguise = hosts[0].disguise;
	hosts[3].disguise = hosts[0].disguise; /* a copy of the machine */
	hosts[0].disguise.sync_us = hosts[1].disguise.sync_us = 1;
	hosts[3].disguise.sync_us = 1;
	hosts[3].disguise.shift_ns = -3 * INT64_C(1000) * MS;
	for (uint64_t i = 0; i < 8; i++)
		log_at(i % 4, NOON + (int64_t)i * MS, &sent, i);
	open_hosts(4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(inputs.hosts->machine_of[i],
		    inputs.hosts->of_source[i]);
	ck_assert_uint_eq(inputs.hosts->machine_of[1], 0);
	ck_assert_uint_ne(inputs.hosts->machine_of[3], 0);
	ck_assert_uint_ne(inputs.hosts->machine_of[2], 0);
}

/* Without boot IDs the names decide, and FILE.sched belongs to FILE. */
TEST(threads_of_unknown_machines_are_told_by_names)
{
	for (size_t i = 0; i < HOSTS; i++)
		hosts[i].disguise.boot = 0;
	for (uint64_t i = 0; i < 8; i++)
		log_at(i % 4, NOON + (int64_t)i * MS, &sent, i);
	hosts[2].disguise.host = hosts[0].disguise.host;
	open_hosts(4);
	ck_assert_uint_eq(inputs.hosts->machine_of[0], 0);
	ck_assert_uint_eq(inputs.hosts->machine_of[1], 1);
	ck_assert_uint_eq(inputs.hosts->machine_of[2], 0);
	ck_assert_uint_eq(inputs.hosts->machine_of[3], 3);

	hosts[1].disguise.host = hosts[3].disguise.host =
	    hosts[0].disguise.host;
	unlink(hosts[3].path);
	strcpy(hosts[3].path, hosts[2].path);
	strcat(hosts[3].path, TL_SCHED_SUFFIX);
	open_hosts(4);
	ck_assert_uint_eq(inputs.hosts->machine_of[0], 0);
	ck_assert_uint_eq(inputs.hosts->machine_of[1], 0);
	ck_assert_uint_eq(inputs.hosts->machine_of[2], 2);
	ck_assert_uint_eq(inputs.hosts->machine_of[3], 2);
}

TEST(what_may_have_been_otherwise_is_marked)
{
	hosts[0].disguise.sync_us = 1000;
	hosts[1].disguise.sync_us = 2000;
	log_at(0, NOON, &sent, 0);
	/* a millisecond beyond the bounds */
	log_at(1, NOON + 4 * MS, &sent, 0);
	log_at(0, NOON + 7 * MS, &sent, 0); /* exactly at the bounds */
	log_at(1, NOON + 20 * MS, &sent, 0);
	open_hosts(2);
	ck_assert_str_eq(sequence(TL_OLDEST_FIRST), "0 1~ 0~ 1");
	ck_assert_str_eq(sequence(TL_NEWEST_FIRST), "1 0~ 1~ 0");
}

TEST(who_is_not_synchronised_is_said_and_marked)
{
	hosts[1].disguise.sync_us = UINT32_MAX;
	hosts[2].disguise.boot = 0; /* a clock that is not known */
	for (size_t i = 0; i < 3; i++)
		log_at(i, NOON + (int64_t)i * 5000 * MS, &sent, 0);
	open_hosts(3);
	ck_assert_str_eq(sequence(TL_OLDEST_FIRST), "0 1~ 2~");
	tl_hosts_warn(inputs.hosts, &report);
	ck_assert_str_eq(said,
	    "host-b: clock not synchronised: its order among other hosts is "
	    "not known\n"
	    "host-c: clock not known: its order among other hosts is not "
	    "known\n");
}

TEST(an_offset_moves_a_host)
{
	static const char *const by_name[] = { "host-b=-5ms", NULL };
	static const char *const twice[] = { "2=-2500us", "host-b=-2500000ns",
		NULL };
	const char *const *const all[] = { by_name, twice };
	char by_file[80];

	snprintf(by_file, sizeof(by_file), "%.40s=-5ms",
	    strrchr(hosts[1].path, 47) + 1);
	for (unsigned i = 0; i < 3; i++) {
		const char *const of_file[] = { by_file, NULL };
		struct tl_cursor *cursor;
		struct tl_event event;
		int64_t newest;

		setup();
		log_at(0, NOON, &sent, 0);
		log_at(1, NOON + 3 * MS, &sent, 0);
		open_hosts(2);
		apply(i < 2 ? all[i] : of_file, 0);
		ck_assert_str_eq(sequence(TL_OLDEST_FIRST), "1 0");
		cursor = open_cursor(TL_OLDEST_FIRST);
		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
		ck_assert_int_eq(event.ns, NOON - 2 * MS);
		tl_cursor_close(cursor);
		ck_assert_ok(tl_sources_newest(&inputs, &newest));
		ck_assert_int_eq(newest, NOON);
	}
}

TEST(who_is_not_there_cannot_be_moved)
{
	static const char *const offsets[] = { "host-x=1ns", NULL };

	log_at(0, NOON, &sent, 0);
	log_at(1, NOON, &sent, 0);
	open_hosts(2);
	apply(offsets, -EINVAL);
	ck_assert_str_eq(said,
	    "host-x: no such host; there are host-a, host-b");
}

TEST(what_is_no_offset_is_refused)
{
	static const char *const words[] = { "", "host", "=1",
		"host=", "host=1 year", "host=1e3" };
	struct tl_hosts_plan plan = { 0 };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct tl_fault fault = { 0 };

		ck_assert_int_eq(tl_hosts_plan_offset(&plan, words[i], &fault),
		    -EINVAL);
	}
	ck_assert_uint_eq(plan.offset_count, 0);
}

/* == the bound of a clock == */

static uint32_t
bound_at(struct tl_host_clock *clock, uint32_t epoch, uint64_t tsc, int64_t ns)
{
	const struct tl_event event = { .epoch = epoch, .tsc = tsc, .ns = ns };

	return tl_host_clock_at(clock, &event);
}

TEST(a_bound_is_that_of_the_knot_in_force)
{
	static const struct timeline_knot knots[] = {
		{ .tsc = 3000, .utc_ns = 30 * MS, .sync_err_us = 900 },
		{ .tsc = 1000, .utc_ns = 10 * MS, .sync_err_us = 500 },
		{ .tsc = 4000,
		    .utc_ns = 90 * MS,
		    .sync_err_us = 100,
		    .flags = TIMELINE_KNOT_STEP },
		{ .tsc = 5000,
		    .utc_ns = 100 * MS,
		    .sync_err_us = 7,
		    .flags = TIMELINE_KNOT_UNSYNC },
		{ .tsc = 100,
		    .utc_ns = 200 * MS,
		    .sync_err_us = 40,
		    .epoch = 1,
		    .flags = TIMELINE_KNOT_NEW_EPOCH },
	};
	struct tl_host_clock clock = { 0 };

	ck_assert_uint_eq(bound_at(&clock, 0, 1, 1), TL_SYNC_UNBOUNDED);
	for (size_t i = 0; i < 5; i++)
		ck_assert_ok(tl_host_clock_add(&clock, &knots[i]));
	tl_host_clock_settle(&clock);
	/* before all knots: the error grows by 4 us in 8 ms */
	ck_assert_uint_eq(bound_at(&clock, 0, 800, 2 * MS), 505);
	ck_assert_uint_eq(bound_at(&clock, 0, 1000, 10 * MS), 900);
	ck_assert_uint_eq(bound_at(&clock, 0, 2999, 29 * MS), 900);
	/* up to the step of the clock */
	ck_assert_uint_eq(bound_at(&clock, 0, 3500, 34 * MS), 903);
	ck_assert_uint_eq(bound_at(&clock, 0, 4000, 90 * MS), 100);
	ck_assert_uint_eq(bound_at(&clock, 0, 9000, 100 * MS),
	    TL_SYNC_UNBOUNDED);
	ck_assert_uint_eq(bound_at(&clock, 1, 200, 202 * MS), 42);
	ck_assert_uint_eq(bound_at(&clock, 1, 90, 200 * MS), 40);
	ck_assert_uint_eq(tl_host_clock_worst(&clock), TL_SYNC_UNBOUNDED);
	tl_host_clock_free(&clock);
}
