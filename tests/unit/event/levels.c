/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.c - the entries show which levels were open at which time, whatever
 * the order of bursts and priorities.
 */
#include "event/levels.h"
#include "lib/test.h"

#include "clock/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS_MAX = 32 };

static const struct tl_message burst_message = { .builtin =
						     TIMELINE_BUILTIN_BURST };
static const struct tl_message priority_message = {
	.builtin = TIMELINE_BUILTIN_PRIORITY
};
static const struct tl_message other_message;

static struct tl_level_window windows[WINDOWS_MAX];
static size_t count;
static struct tl_level_state state;

static int
keep(void *context, const struct tl_level_window *window)
{
	ck_assert_ptr_eq(context, windows);
	ck_assert_uint_lt(count, WINDOWS_MAX);
	windows[count++] = *window;
	return 0;
}

static void
setup(void)
{
	count = 0;
	tl_level_init(&state, keep, windows);
}

static void
put(const struct tl_message *message, int64_t ns, uint64_t threshold,
    uint64_t base, int64_t until_ns, uint64_t sample)
{
	const struct tl_event event = { .ns = ns,
		.kind = TL_INSTANT,
		.message = message,
		.pid = 7,
		.args = { threshold, base, 0, sample } };

	ck_assert_int_eq(tl_level_put(&state, &event, until_ns), 0);
}

static void
expect_window(size_t i, int64_t from, int64_t to, unsigned threshold)
{
	ck_assert_uint_lt(i, count);
	ck_assert_int_eq(windows[i].from_ns, from);
	ck_assert_int_eq(windows[i].to_ns, to);
	ck_assert_uint_eq(windows[i].threshold, threshold);
}

static void
expect_open(int64_t now, unsigned gate, int64_t open, int64_t known)
{
	struct tl_level_state copy = state;
	const size_t before = count;
	int64_t open_ns = 0, known_ns = 0;

	ck_assert_int_eq(tl_level_end(&copy, now), 0);
	for (size_t i = 0; i < count; i++) {
		const struct tl_level_window *w = &windows[i];

		if (w->threshold == 0)
			continue;
		known_ns += w->to_ns - w->from_ns;
		open_ns += gate >= w->threshold ? w->to_ns - w->from_ns : 0;
	}
	count = before;
	ck_assert_int_eq(open_ns, open);
	ck_assert_int_eq(known_ns, known);
}

TEST_FILE(.setup = setup);

TEST(a_burst_ends_where_it_said)
{
	tl_level_begin(&state, 6, 6, 0, 0);
	put(&burst_message, 100, 4, 6, 150, 1);
	put(&other_message, 120, 0, 0, 0, 0);
	tl_level_end(&state, 1000);
	ck_assert_uint_eq(count, 3);
	expect_window(0, 0, 100, 6);
	expect_window(1, 100, 150, 4);
	expect_window(2, 150, 1000, 6);
	ck_assert(windows[1].burst && windows[1].sample && !windows[1].merged);
	ck_assert(!windows[1].joined && windows[1].pid == 7);
	ck_assert(!windows[0].burst && !windows[2].burst && !windows[2].sample);
	ck_assert_uint_eq(state.bursts, 1);
	ck_assert_uint_eq(state.samples, 1);
	ck_assert_uint_eq(state.merged_bursts, 0);
	expect_open(1000, 4, 50, 1000);
	expect_open(1000, 3, 0, 1000);
	expect_open(1000, 6, 1000, 1000);
}

TEST(sums_go_on_while_a_burst_is_open)
{
	tl_level_begin(&state, 6, 6, 0, 0);
	put(&burst_message, 100, 4, 6, 150, 0);
	expect_open(100, 4, 0, 100);
	expect_open(120, 4, 20, 120);
	expect_open(150, 4, 50, 150);
	expect_open(400, 4, 50, 400);
	expect_open(400, 6, 400, 400);
	/* the later questions have changed nothing */
	expect_open(120, 4, 20, 120);
	ck_assert_uint_eq(count, 1);
}

TEST(bursts_that_meet_are_marked_both)
{
	tl_level_begin(&state, 6, 6, 0, 0);
	put(&burst_message, 100, 4, 6, 200, 1);
	put(&burst_message, 150, 3, 6, 300, 0);
	tl_level_end(&state, 1000);
	ck_assert_uint_eq(count, 4);
	expect_window(1, 100, 150, 4);
	expect_window(2, 150, 300, 3);
	ck_assert(windows[1].sample && windows[1].joined && !windows[1].merged);
	ck_assert(
	    !windows[2].sample && windows[2].merged && !windows[2].joined);
	ck_assert_uint_eq(state.merged_bursts, 1);
	ck_assert_uint_eq(state.bursts, 2);
	expect_open(1000, 3, 150, 1000);
}

TEST(bursts_that_touch_do_not_meet)
{
	tl_level_begin(&state, 6, 6, 0, 0);
	put(&burst_message, 100, 4, 6, 200, 1);
	put(&burst_message, 200, 4, 6, 300, 1);
	tl_level_end(&state, 300);
	ck_assert_uint_eq(count, 3);
	ck_assert_uint_eq(state.merged_bursts, 0);
	ck_assert(!windows[1].joined && !windows[2].merged);
}

TEST(a_priority_within_a_burst_is_what_comes_after)
{
	tl_level_begin(&state, 6, 6, 0, 0);
	put(&burst_message, 100, 4, 6, 200, 1);
	put(&priority_message, 150, 4, 8, 200, 0);
	tl_level_end(&state, 1000);
	ck_assert_uint_eq(count, 4);
	expect_window(2, 150, 200, 4);
	expect_window(3, 200, 1000, 8);
	ck_assert(windows[1].joined && windows[2].burst && !windows[2].sample);
}

TEST(a_priority_within_a_burst_may_end_it_earlier)
{
	tl_level_begin(&state, 6, 6, 0, 0);
	put(&burst_message, 100, 4, 6, 200, 0);
	put(&priority_message, 150, 4, 5, 190, 0);
	put(&priority_message, 160, 4, 5, 180, 0);
	tl_level_end(&state, 1000);
	ck_assert_uint_eq(count, 5);
	expect_window(3, 160, 180, 4);
	expect_window(4, 180, 1000, 5);
	ck_assert_uint_eq(state.bursts, 1);
	expect_open(1000, 4, 80, 1000);
}

TEST(a_sample_remains_one_after_a_priority)
{
	struct tl_event event = { .ns = 150,
		.message = &priority_message,
		.args = { 4, 5,
		    11 << TIMELINE_UNTIL_SHIFT | TIMELINE_UNTIL_BEFORE } };

	tl_level_begin(&state, 6, 6, 0, 0);
	put(&burst_message, 100, 4, 6, 200, 1);
	ck_assert_int_eq(tl_level_put(&state, &event, 190), 0);
	event.ns = 160;
	event.args[2] -= UINT64_C(1) << TIMELINE_UNTIL_SHIFT;
	ck_assert_int_eq(tl_level_put(&state, &event, 180), 0);
	tl_level_end(&state, 1000);
	ck_assert_uint_eq(count, 5);
	ck_assert(windows[2].burst && windows[2].sample);
	ck_assert(windows[3].burst && !windows[3].sample);
	ck_assert_uint_eq(state.samples, 1);
}

TEST(before_the_first_change_nothing_is_known_but_what_it_says)
{
	put(&other_message, 50, 0, 0, 0, 0);
	put(&priority_message, 100, 5, 5, 0, 0);
	expect_open(200, 5, 100, 100);
	setup();
	tl_level_begin(&state, 0, 0, 10, 0);
	put(&burst_message, 100, 4, 6, 150, 0); /* the base stays as it was */
	expect_open(200, 6, 190, 190);
}

TEST(what_came_before_the_first_entry_is_no_window)
{
	tl_level_begin(&state, 6, 6, 1000, 0);
	put(&burst_message, 1100, 4, 6, 1150, 0);
	tl_level_end(&state, 1200);
	ck_assert_uint_eq(count, 3);
	expect_window(0, 1000, 1100, 6);
	expect_open(1200, 6, 200, 200);
}

TEST(levels_that_are_none_are_not_believed)
{
	tl_level_begin(&state, 6, 6, 0, 0);
	put(&priority_message, 100, 0, 6, 0, 0);
	put(&priority_message, 100, 6, 11, 0, 0);
	put(&burst_message, 100, UINT64_MAX, 6, 900, 0);
	expect_open(200, 6, 200, 200);
	expect_open(200, 5, 0, 200);
}

TEST(times_that_are_absurd_break_nothing)
{
	tl_level_begin(&state, 4, 6, INT64_MIN, INT64_MAX);
	put(&burst_message, INT64_MAX, 4, 6, INT64_MIN, 1);
	put(&burst_message, INT64_MIN, 3, 6, INT64_MAX, 1);
	put(&priority_message, 0, 1, 10, -5, 0);
	tl_level_end(&state, INT64_MAX);
	for (size_t i = 0; i < count; i++)
		ck_assert_int_lt(windows[i].from_ns, windows[i].to_ns);
}

static int
full(void *context, const struct tl_level_window *window)
{
	(void)context;
	(void)window;
	return -ENOMEM;
}

TEST(what_the_listener_says_is_handed_on)
{
	const struct tl_event event = { .ns = 100,
		.message = &priority_message,
		.args = { 5, 5 } };

	tl_level_init(&state, full, NULL);
	tl_level_begin(&state, 6, 6, 0, 0);
	ck_assert_int_eq(tl_level_put(&state, &event, 0), -ENOMEM);
}

TEST(the_last_unit_of_a_burst_belongs_to_it)
{
	struct tl_event event = { .ns = 1000,
		.tsc = 4096,
		.message = &burst_message,
		.args = { 4, 6, 8192 } };

	ck_assert_uint_eq(tl_level_end_stamp(&event), 12288);
	ck_assert_int_eq(tl_level_until(&event, TL_MULT_ONE), 1000 + 8192);
	event.args[2] = UINT64_MAX;
	ck_assert_uint_eq(tl_level_end_stamp(&event), UINT64_MAX);
	ck_assert_int_gt(tl_level_until(&event, UINT64_MAX), 0);
	event.args[2] = 0;
	ck_assert_int_eq(tl_level_until(&event, TL_MULT_ONE), 1000);
}

TEST(the_list_of_priorities_has_all_of_them_the_highest_first)
{
	char list[128] = "";

	for (unsigned level = TIMELINE_LEVEL_MAX; level > 0; level--)
		snprintf(list + strlen(list), sizeof(list) - strlen(list),
		    "%s%s", list[0] ? ", " : "", tl_level_name(level));
	ck_assert_str_eq(tl_level_names(), list);
}
