/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_observed.c - a span goes on in the next file only as long as its
 * observed interval lasts.
 */
#include "lib/test.h"
#include "recorder_fixture.h"

#include "base/ns.h"
#include "clock/clock.h"
#include "event/observe.h"
#include "event/spans.h"
#include "ring/ring.h"

static struct timeline_event *detail;

/* No entry waits for others. */
static const struct tl_recorder_options prompt = { .delay_ns = 1 };

/* Each event is a file, but for the begins that a file repeats. */
static const struct tl_recorder_options each_in_a_file = { .size_max = 1,
	.delay_ns = 1 };

static void
setup(void)
{
	recorder_setup();
	ck_assert_ok(timeline_define_span(tl, "t", "trace", "detail $id",
	    TIMELINE_THREAD, &detail));
	timeline_priority(tl, "info");
}

/* The spans that a reader of one file finds. */
struct found {
	unsigned sure;
	unsigned unsure;
	int64_t longest; /* of the sure ones */
};

static void
read_file(const char *path, enum tl_order order, struct found *found)
{
	const struct tl_trace_read_options options = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_event event;
	const struct tl_message **messages;
	struct tl_observed_start start;
	struct tl_trace *trace;
	size_t count;

	ck_assert_ok(tl_trace_open(&trace, path, &options, &fault));
	ck_assert_ok(tl_trace_cursor(trace, order, &cursor));
	ck_assert_ok(tl_trace_messages(trace, &messages, &count));
	tl_trace_observed(trace, order, &start);
	ck_assert_ok(tl_observe_recording(&start, messages, count, &cursor));
	free(messages);
	ck_assert_ok(tl_spans_cursor(order, TL_SPANS_WINDOW, cursor, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		found->sure += event.begun == TL_BEGUN;
		found->unsure += event.begun == TL_BEGUN_UNSURE;
		if (event.begun == TL_BEGUN &&
		    event.duration_ns > found->longest)
			found->longest = event.duration_ns;
	}
	tl_cursor_close(cursor);
	tl_trace_close(trace);
}

static void
read_files(enum tl_order order, struct found *found)
{
	char path[128];

	*found = (struct found){ 0 };
	for (unsigned i = 0; i < made; i++) {
		snprintf(path, sizeof(path), "%s/%03u.trace", folder, i);
		read_file(path, order, found);
	}
}

/* Each file alone has so many sure spans, in both orders. */
static void
expect_sure(unsigned sure)
{
	for (int order = TL_NEWEST_FIRST; order <= TL_OLDEST_FIRST; order++) {
		struct found found;

		read_files((enum tl_order)order, &found);
		ck_assert_uint_eq(found.sure, sure);
	}
}

/* The last file begins with the span; smaller ones have no room for it.  Or no
 * file does. */
static void
expect_continued(bool is_continued)
{
	struct recorded recorded = { 0 };

	count_all(&recorded);
	ck_assert_uint_ge(recorded.files, 2);
	ck_assert_uint_eq(recorded.continued, is_continued);
}

TEST_FILE(.setup = setup, .teardown = recorder_teardown,
    .timeout = RECORD_TIMEOUT_S);

/* Log an event, and wait until it is recorded. */
static void
tick_through(struct tl_recorder *r)
{
	const uint64_t events = status_of(r).events;

	timeline_log(tick, 1);
	until(status_of(r).events > events && status_of(r).queued == 0);
}

/* End the file. */
static void
rotate(struct tl_recorder *r)
{
	uint64_t files;

	tick_through(r);
	files = status_of(r).files;
	tl_recorder_configure(r, &each_in_a_file);
	do
		tick_through(r);
	while (status_of(r).files == files);
	tl_recorder_configure(r, &prompt);
	tick_through(r);
}

/* How the levels close a span. */
enum { BY_TIME, BY_PRIORITY, BY_LEVEL, WAYS };

static void
open_by(int way)
{
	if (way == BY_TIME)
		timeline_burst(tl, "trace", 50000000);
	else if (way == BY_PRIORITY)
		timeline_priority(tl, "trace");
	else
		timeline_level(tl, "t", "detail*", "info");
}

static void
close_by(int way)
{
	if (way == BY_TIME)
		sleep_ms(60);
	else if (way == BY_PRIORITY)
		timeline_priority(tl, "info");
	else
		timeline_level(tl, "t", "detail*", "trace");
}

TEST(a_begin_that_is_cut_goes_on_in_no_file, .to = WAYS)
{
	struct tl_recorder *r = record(&prompt);

	open_by(_i);
	timeline_begin(detail, 1);
	close_by(_i);
	rotate(r);
	open_by(_i);
	timeline_end(detail);
	end_record(r);
	expect_continued(false);
	expect_sure(0);
}

TEST(a_begin_goes_on_while_it_is_observed, .to = WAYS)
{
	struct tl_recorder *r = record(&prompt);

	if (_i == BY_TIME)
		timeline_burst(tl, "trace", 3600000000000);
	else
		open_by(_i);
	timeline_begin(detail, 1);
	rotate(r);
	timeline_end(detail);
	end_record(r);
	expect_continued(true);
	expect_sure(1);
}

TEST(a_begin_whose_end_will_be_proven_goes_on_though_it_is_cut, .to = WAYS)
{
	struct tl_recorder *r = record(&prompt);

	open_by(_i);
	{
		timeline_scope(detail, 1);
		close_by(_i);
		rotate(r);
	}
	end_record(r);
	expect_continued(true);
	expect_sure(1);
}

/* The entry of a burst may lie before the file, whose reader then does not know
 * when the burst ended. */
TEST(an_end_after_a_burst_of_an_earlier_file_is_not_sure, .to = 2)
{
	struct tl_recorder *r;

	if (_i == 0)
		timeline_burst(tl, "trace", 500000000);
	r = record(&prompt);
	if (_i == 1)
		timeline_burst(tl, "trace", 500000000);
	timeline_begin(detail, 1);
	if (_i == 1)
		rotate(r);
	sleep_ms(600);
	timeline_priority(tl, "trace");
	timeline_end(detail);
	end_record(r);
	expect_sure(0);
}

/* A burst that begins and ends now. */
static void
pass_burst(void)
{
	timeline_burst(tl, "trace", 1000000);
	sleep_ms(5);
}

/* The span is logged whatever bursts come, because its message is raised before
 * the file or in it. */
TEST(a_raised_span_is_observed_through_bursts, .to = 3)
{
	struct tl_recorder *r;

	if (_i == 0)
		timeline_level(tl, "t", "detail*", "warning");
	r = record(&prompt);
	tick_through(r);
	if (_i > 0)
		timeline_level(tl, "t", "detail*", "warning");
	if (_i == 2)
		rotate(r);
	timeline_begin(detail, 1);
	pass_burst();
	timeline_end(detail);
	pass_burst();
	end_record(r);
	expect_sure(1);
}

/* Begin in one burst, and end a later span in another. */
static void
log_false_span(void)
{
	timeline_burst(tl, "trace", 50000000);
	timeline_begin(detail, 1);
	sleep_ms(60);
	timeline_burst(tl, "trace", 3600000000000);
	timeline_end(detail);
}

/* The message is raised only before or after its spans. */
TEST(a_span_is_not_observed_while_it_is_not_raised, .to = 3)
{
	struct tl_recorder *r;

	if (_i == 0)
		timeline_level(tl, "t", "detail*", "warning");
	r = record(&prompt);
	if (_i == 1)
		timeline_level(tl, "t", "detail*", "warning");
	if (_i < 2)
		timeline_level(tl, "t", "detail*", "trace");
	log_false_span();
	if (_i == 2)
		timeline_level(tl, "t", "detail*", "warning");
	tick_through(r);
	end_record(r);
	expect_sure(0);
}

/* The recorder knows which of the two messages was raised, though the text in
 * the file does not say it. */
TEST(of_two_messages_with_one_text_one_counts_as_raised, .to = 2)
{
	struct timeline_event *twin;
	struct tl_recorder *r;

	ck_assert_ok(timeline_define_span(tl, "u", "trace", "detail $id",
	    TIMELINE_THREAD, &twin));
	r = record(&prompt);
	timeline_burst(tl, "trace", 50000000);
	timeline_begin(twin, 1);
	timeline_end(twin);
	sleep_ms(60);
	timeline_level(tl, _i ? "t" : "u", "detail*", "warning");
	log_false_span();
	tick_through(r);
	end_record(r);
	expect_sure(1 + (unsigned)_i); /* and the twin, in the burst */
}

/* == slots == */

enum { SLOT_SPANS = 3000, SLOT_SPAN_NS = 5000 };

/* Half of the slots are open to spans of details. */
static const struct tl_plan half = { .seed = 3,
	.shift = 18,
	.shares = { [4] = UINT32_MAX / 2,
	    UINT32_MAX / 2,
	    UINT32_MAX,
	    UINT32_MAX,
	    UINT32_MAX,
	    UINT32_MAX } };

static void
spin(void)
{
	const int64_t end = tl_clock_read(CLOCK_MONOTONIC) + SLOT_SPAN_NS;

	while (tl_clock_read(CLOCK_MONOTONIC) < end)
		;
}

/* Log short spans.  Returns the length of the longest. */
static int64_t
log_short_spans(void)
{
	int64_t longest = 0;

	for (unsigned i = 0; i < SLOT_SPANS; i++) {
		const int64_t from = tl_clock_read(CLOCK_MONOTONIC);
		int64_t ns;

		timeline_begin(detail, i);
		spin();
		timeline_end(detail);
		ns = tl_clock_read(CLOCK_MONOTONIC) - from;
		if (ns > longest)
			longest = ns;
		spin();
	}
	return longest;
}

/* Slots open the spans from before the file on, or in it.  No span is longer than the longest, and both orders find the same. */
TEST(spans_in_slots_are_sure_within_a_slot_in_both_orders, .to = 3)
{
	const bool before = _i == 0;
	int64_t longest = 0, other;
	struct found newest, oldest;
	struct tl_recorder *r;

	if (before)
		tl_plan_set(tl, NULL, &half, 3600 * TL_NS_PER_S);
	r = record(&prompt);
	tick_through(r);
	if (!before)
		tl_plan_set(tl, NULL, &half, 3600 * TL_NS_PER_S);
	longest = log_short_spans();
	if (_i == 2)
		tl_plan_set(tl, &half, &half, 3600 * TL_NS_PER_S);
	rotate(r);
	if ((other = log_short_spans()) > longest)
		longest = other;
	if (_i > 0) /* over */
		tl_plan_set(tl, &half, NULL, 0);
	tick_through(r);
	end_record(r);
	read_files(TL_NEWEST_FIRST, &newest);
	read_files(TL_OLDEST_FIRST, &oldest);
	ck_assert_uint_eq(newest.sure, oldest.sure);
	ck_assert_uint_gt(oldest.sure, SLOT_SPANS / 4);
	ck_assert_int_le(newest.longest, longest);
	ck_assert_int_le(oldest.longest, longest);
}
