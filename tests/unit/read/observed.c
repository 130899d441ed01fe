/* SPDX-License-Identifier: Apache-2.0 */
/* observed.c - when a message was observed, and why it was not. */
#include "lib/fixture.h"
#include "lib/test.h"

#include <timeline_read.h>

enum { TICK_NS = 2000000 };

static struct timeline_event *tick, *detail;
static struct timeline_reader *reader;

static void
setup(void)
{
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "info", "tick", &tick));
	ck_assert_ok(timeline_define(tl, "a", "debug", "detail", &detail));
	ck_assert_ok(timeline_priority(tl, "info"));
}

static void
teardown(void)
{
	timeline_read_close(reader);
	reader = NULL;
	fixture_close();
}

TEST_FILE(.setup = setup, .teardown = teardown);

static void
pass_with(struct timeline_event *event)
{
	const struct timespec time = { 0, TICK_NS };

	timeline_log(event);
	nanosleep(&time, NULL);
	timeline_log(event);
}

/* Log a tick before and after a pause. */
static void
pass(void)
{
	pass_with(tick);
}

static const struct timeline_read_definition *
definition(const char *message)
{
	const struct timeline_read_definition *d;
	size_t i = 0;

	do
		ck_assert_ptr_nonnull(
		    d = timeline_read_message(reader, i++, NULL));
	while (strcmp(d->message, message) != 0);
	return d;
}

/*
 * The looks of a message's intervals that are at least as long as a pause, a
 * digit each.
 */
static const char *
look(const char *message)
{
	static char said[64];
	struct timeline_read_intervals *intervals;
	struct timeline_read_interval interval;
	size_t count = 0;

	if (!reader)
		ck_assert_ok(timeline_read_open(&reader, fixture_name, NULL));
	ck_assert_ok(timeline_read_observe(definition(message), &intervals));
	while (timeline_read_next_interval(intervals, &interval) > 0) {
		ck_assert_int_lt(interval.from_ns, interval.to_ns);
		if (interval.to_ns - interval.from_ns >= TICK_NS &&
		    count < sizeof(said) - 1)
			said[count++] = (char)('0' + interval.look);
	}
	timeline_read_intervals_close(intervals);
	said[count] = '\0';
	return said;
}

static void
looks(const char *message, const char *expected)
{
	ck_assert_str_eq(look(message), expected);
}

TEST(priorities_open_and_close)
{
	pass();
	ck_assert_ok(timeline_priority(tl, "debug"));
	pass();
	ck_assert_ok(timeline_priority(tl, "warning"));
	pass();
	ck_assert_ok(timeline_priority(tl, "info"));
	pass();
	looks("tick", "121");
	looks("detail", "2122");
}

TEST(a_burst_ends_by_itself)
{
	pass();
	ck_assert_ok(timeline_burst(tl, "debug", TICK_NS * 3 / 2));
	pass();
	pass();
	pass();
	looks("detail", "212");
	looks("tick", "1");
}

TEST(what_was_overwritten_is_not_observed)
{
	pass();
	for (int i = 0; i < 100; i++)
		timeline_log(tick);
	pass();
	/* a fallback lane does not show from when it is complete */
	ck_assert_int_eq(look("tick")[0], '3');
	ck_assert_ptr_eq(definition("tick"), definition("tick"));
}

TEST(a_level_of_a_message_is_its_own)
{
	pass();
	ck_assert_ok(timeline_level(tl, "a", "detail", "info"));
	pass();
	ck_assert_ok(timeline_level(tl, "a", "detail", "debug"));
	pass();
	looks("detail", "212");
	looks("tick", "1");
}

/* The entry of the change is cleared: the string table alone has the gate. */
TEST(a_message_that_was_off_before_a_clear_is_not_observed)
{
	ck_assert_ok(timeline_priority(tl, "debug"));
	ck_assert_ok(timeline_level(tl, "a", "tick", "off"));
	ck_assert_ok(timeline_clear(tl));
	pass_with(detail);
	ck_assert_ptr_null(strchr(look("tick"), '1'));
}

TEST(a_timeline_that_is_followed_has_none)
{
	const struct timeline_read_options options = { .size = sizeof(options),
		.follow = 1 };
	const struct timeline_read_event *event;
	struct timeline_read_intervals *intervals;

	ck_assert_ok(timeline_read_open(&reader, fixture_name, &options));
	timeline_log(tick);
	ck_assert_int_eq(timeline_read_next(reader, &event), 1);
	ck_assert_int_eq(timeline_read_observe(event->definition, &intervals),
	    -ENOTSUP);
	ck_assert_ptr_null(intervals);
}
