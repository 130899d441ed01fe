/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - a call that does not fit its message is reported once. */
#define TIMELINE_CHECK 1
#include "lib/fixture.h"
#include "lib/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *reports;

static void
setup(void)
{
	fixture_setup_tiny();
	reports = tmpfile();
	ck_assert_int_ge(dup2(fileno(reports), STDERR_FILENO), 0);
}

TEST_FILE(.setup = setup, .teardown = fixture_close);

/* Expect a report, without the place before it. */
static void
expect_report(const char *expected)
{
	char text[512] = "";
	const char *at;

	rewind(reports);
	text[fread(text, 1, sizeof(text) - 1, reports)] = '\0';
	at = strstr(text, "timeline: ");
	ck_assert_str_eq(at ? at : text, expected);
	ck_assert(!at || strstr(text, "check.c:"));
}

static struct timeline_event *
define(const char *message)
{
	struct timeline_event *event;

	ck_assert_ok(timeline_define(tl, "a", "info", message, &event));
	return event;
}

TEST(a_wrong_number_of_arguments_is_reported_once)
{
	struct timeline_event *const event = define("two $x $y");

	for (int i = 0; i < 3; i++)
		timeline_log(event, i);
	timeline_log(event);
	expect_report("timeline: \"two $x $y\": 2 arguments, 1 given\n");
}

TEST(a_floating_argument_without_f_is_reported)
{
	timeline_log(define("text $s%s and $n"), 1, 2.5F);
	expect_report("timeline: \"text $s%s and $n\": argument 2 is floating: "
		      "write $n%f in the message\n");
}

TEST(an_integer_shown_as_a_double_is_reported)
{
	timeline_log(define("real $r%f"), 3);
	expect_report("timeline: \"real $r%f\": argument 1 is no floating "
		      "number: cast it to double\n");
}

static struct timeline_event *
define_timer(void)
{
	struct timeline_event *timer;

	ck_assert_ok(
	    timeline_define_timer(tl, "a", "info", "timed $x", &timer));
	return timer;
}

TEST(the_end_of_a_timer_is_checked)
{
	timeline_timer_end(define_timer(), 0);
	expect_report("timeline: \"timed $x\": 1 argument, 0 given\n");
}

TEST(the_next_span_is_checked)
{
	struct timeline_event *span;

	ck_assert_ok(timeline_define_span(tl, "a", "info", "span $id",
	    TIMELINE_THREAD, &span));
	timeline_begin(span, 1);
	timeline_next(span, 2, 3);
	expect_report("timeline: \"span $id\": 1 argument, 2 given\n");
}

TEST(a_timed_block_is_checked)
{
	timeline_timed(define_timer(), 1, 2);
	expect_report("timeline: \"timed $x\": 1 argument, 2 given\n");
}

TEST(an_event_at_a_stamp_is_checked)
{
	timeline_log_at(define("at $x"), 1, 2.5);
	expect_report("timeline: \"at $x\": argument 1 is floating: write "
		      "$x%f in the message\n");
}

TEST(calls_that_fit_are_not_reported)
{
	struct timeline_event *const timer = define_timer();
	struct timeline_event *span;

	ck_assert_ok(timeline_define_span(tl, "a", "info", "span $id",
	    TIMELINE_THREAD, &span));
	timeline_log(define("none"));
	timeline_log(define("four $a $b%f $c%d $d%s"), 1, 2.5, -3, 4);
	{
		timeline_scope(span, 1);
	}
	timeline_begin(span, 2);
	timeline_end(span);
	timeline_begin(span, 3);
	timeline_next(span, 3);
	timeline_end(span, 3);
	timeline_timer_end(timer, timeline_timer_begin(timer), 1);
	timeline_timed(timer, 1);
	timeline_log_at(define("at $a"), timeline_stamp(span), 1);
	expect_report("");
}
