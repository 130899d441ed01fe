/* SPDX-License-Identifier: Apache-2.0 */
/* spans.c - spans as objects: their kinds, their self time, and their flags. */
#include "lib/fixture.h"
#include "lib/test.h"

#include <string.h>
#include <timeline_read.h>

enum { TICK_NS = 200000 };

static struct timeline_event *outer, *inner, *request;
static struct timeline_reader *reader;

static void
setup(void)
{
	fixture_open(NULL);
	ck_assert_ok(timeline_define_span(tl, "a", "info", "outer $id",
	    TIMELINE_THREAD, &outer));
	ck_assert_ok(timeline_define_span(tl, "a", "info", "inner $id",
	    TIMELINE_THREAD, &inner));
	ck_assert_ok(timeline_define_span(tl, "a", "info", "request $id",
	    TIMELINE_SOURCE, &request));
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
pass(void)
{
	const struct timespec time = { 0, TICK_NS };

	nanosleep(&time, NULL);
}

static void
read_spans(const struct timeline_read_options *more)
{
	struct timeline_read_options options = { 0 };

	if (more)
		options = *more;
	options.size = sizeof(options);
	options.oldest_first = 1;
	ck_assert_ok(timeline_read_open(&reader, fixture_name, &options));
}

static const struct timeline_read_span *
next(const char *message, uint32_t flags)
{
	const struct timeline_read_span *span;

	ck_assert_int_eq(timeline_read_next_span(reader, &span), 1);
	ck_assert_str_eq(span->begin->message, message);
	ck_assert_uint_eq(span->flags, flags);
	ck_assert_int_eq(span->begin->kind, TIMELINE_READ_BEGIN);
	ck_assert_uint_eq(span->begin->tid, (unsigned)gettid());
	if (flags & TIMELINE_READ_OPEN)
		return span;
	ck_assert_int_eq(span->end->kind, TIMELINE_READ_END);
	ck_assert_int_eq(span->end->duration_ns, span->duration_ns);
	ck_assert_int_eq(span->begin->duration_ns, span->duration_ns);
	return span;
}

static void
ends(void)
{
	const struct timeline_read_span *span;

	ck_assert_ok(timeline_read_next_span(reader, &span));
	ck_assert_ptr_null(span);
}

TEST(a_span_is_itself_what_those_within_it_are_not)
{
	const struct timeline_read_span *span;
	int64_t within;

	timeline_begin(outer, 7);
	pass();
	for (int i = 0; i < 2; i++) {
		timeline_begin(inner, i);
		pass();
		timeline_end(inner);
	}
	timeline_end(outer);
	read_spans(NULL);
	span = next("inner $id", 0);
	ck_assert_uint_eq(span->depth, 1);
	ck_assert_int_eq(span->self_ns, span->duration_ns);
	ck_assert_int_ge(span->duration_ns, TICK_NS);
	within = span->duration_ns;
	span = next("inner $id", 0);
	ck_assert_uint_eq(span->begin->args[0], 1);
	/* the end was logged without arguments */
	ck_assert_uint_eq(span->end->args[0], 1);
	within += span->duration_ns;
	span = next("outer $id", 0);
	ck_assert_uint_eq(span->depth, 0);
	ck_assert_int_eq(span->self_ns, span->duration_ns - within);
	ck_assert_int_ge(span->self_ns, TICK_NS);
	ends();
}

TEST(spans_that_cross_are_not_within_each_other)
{
	const struct timeline_read_span *span;

	timeline_begin(outer, 1);
	timeline_begin(inner, 2);
	timeline_end(outer);
	timeline_end(inner);
	read_spans(NULL);
	span = next("outer $id", 0);
	ck_assert_int_eq(span->self_ns, span->duration_ns);
	span = next("inner $id", 0);
	ck_assert_int_eq(span->self_ns, span->duration_ns);
}

TEST(a_span_of_no_thread_has_no_time_of_its_own)
{
	const struct timeline_read_span *span;

	timeline_begin(outer, 1);
	timeline_begin(request, 2);
	timeline_end(request);
	timeline_end(outer);
	read_spans(NULL);
	ck_assert_int_eq(next("request $id", 0)->self_ns, -1);
	span = next("outer $id", 0);
	ck_assert_int_eq(span->self_ns, span->duration_ns);
}

TEST(a_span_of_a_source_is_within_no_other)
{
	uint64_t first, second;

	first = timeline_begin(request, 1);
	second = timeline_begin(request, 2);
	timeline_end_of(request, first);
	timeline_end_of(request, second);
	read_spans(NULL);
	ck_assert_uint_eq(next("request $id", TIMELINE_READ_PROVEN)->depth, 0);
	ck_assert_uint_eq(next("request $id", TIMELINE_READ_PROVEN)->depth, 0);
}

TEST(what_has_no_end_comes_last)
{
	const struct timeline_read_span *span;

	timeline_begin(outer, 1);
	timeline_begin(inner, 2);
	timeline_end(inner);
	read_spans(NULL);
	next("inner $id", 0);
	span = next("outer $id", TIMELINE_READ_OPEN);
	ck_assert_int_eq(span->duration_ns, -1);
	ck_assert_ptr_null(span->end);
	ends();
	ends();
}

TEST(what_was_not_looked_at_is_cut)
{
	timeline_begin(outer, 1);
	ck_assert_ok(timeline_priority(tl, "warning"));
	ck_assert_ok(timeline_priority(tl, "info"));
	timeline_end(outer);
	read_spans(NULL);
	next("outer $id", TIMELINE_READ_OPEN | TIMELINE_READ_CUT);
	ends();
}

TEST(options_choose_whole_spans)
{
	const struct timeline_read_span *span;

	timeline_begin(outer, 1);
	timeline_begin(inner, 2);
	timeline_end(inner);
	timeline_end(outer);
	read_spans(
	    &(struct timeline_read_options){ .message = "outer*", .limit = 1 });
	span = next("outer $id", 0);
	ck_assert_int_lt(span->self_ns, span->duration_ns);
	ends();
}

TEST(a_reader_gives_events_or_spans)
{
	const struct timeline_read_options newest = { .size = sizeof(newest) };
	const struct timeline_read_event *event;
	const struct timeline_read_span *span;

	timeline_begin(outer, 1);
	read_spans(NULL);
	ck_assert_int_eq(timeline_read_next(reader, &event), 1);
	ck_assert_int_eq(timeline_read_next_span(reader, &span), -EINVAL);
	ck_assert_ptr_null(span);
	timeline_read_close(reader);
	read_spans(NULL);
	next("outer $id", TIMELINE_READ_OPEN);
	ck_assert_int_eq(timeline_read_next(reader, &event), -EINVAL);
	ck_assert_ptr_null(event);
	timeline_read_close(reader);
	ck_assert_ok(timeline_read_open(&reader, fixture_name, &newest));
	ck_assert_int_eq(timeline_read_next_span(reader, &span), -EINVAL);
	ck_assert_ptr_nonnull(strstr(timeline_read_error(), "oldest_first"));
}
