/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - a reader believes the cell of a span only if the footer of the span
 * is at the place that the cell names.  The file tests this check alone,
 * without the later checks that might find the same fault.
 */
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/opened.h"

enum { SPAN_EVENTS = 1000, SPAN_COUNT = 3 };

static struct made made;
static struct tl_trace *trace;
static struct tl_trace_lane *lane;

/* Make three spans; the first and the last one have the same message. */
static void
setup(void)
{
	struct tl_trace_options options = { 0 };
	struct tl_trace_writer *writer;
	struct tl_trace_stream *stream;

	fixture_messages();
	made_begin(&made, &options, &writer);
	ck_assert_ok(
	    tl_trace_stream_new(&stream, writer, 1, 2, tl_bytes("", 0)));
	for (unsigned i = 0; i < SPAN_COUNT * SPAN_EVENTS; i++) {
		const unsigned place = i % SPAN_EVENTS;
		const unsigned span = i / SPAN_EVENTS % 2;
		struct tl_event event = { .kind = TL_INSTANT,
			.message = &messages[INSTANT_MESSAGE],
			.ns = i * 1000 };

		if (place == 0 || place == SPAN_EVENTS - 1) {
			event.kind = place == 0 ? TL_BEGIN : TL_END;
			event.message = &messages[span];
		}
		ck_assert(tl_trace_stream_put(stream, &event) == 0);
	}
	made_end(writer);
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     bytes_of(&made.index)),
	    0);
	lane = &trace->index.lanes[0];
	ck_assert_uint_eq(lane->span_count, SPAN_COUNT);
}

static void
teardown(void)
{
	tl_trace_close(trace);
	made_free(&made);
}

static int
jump(size_t span, uint64_t level, uint32_t message, struct tl_point *footer)
{
	struct tl_walk walk;
	int rc;

	tl_walk_init(&walk, trace, lane);
	ck_assert_ok(tl_walk_seek(&walk, lane->spans[span].start));
	rc = tl_check_jump(&walk, level, message, footer);
	tl_walk_free(&walk);
	return rc;
}

/* The id of a span's message, read from the footer. */
static uint32_t
message_of(size_t span)
{
	struct tl_point footer = { 0 };
	struct tl_walk walk;

	tl_walk_init(&walk, trace, lane);
	ck_assert_ok(tl_walk_seek(&walk, lane->spans[span].end));
	ck_assert_int_eq(tl_walk_next(&walk, &footer), TL_WALK_POINT);
	ck_assert_int_eq(footer.kind, TL_TRACE_FOOTER);
	tl_walk_free(&walk);
	return footer.message;
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(the_right_cell_leads_behind_the_footer)
{
	struct tl_point footer;

	for (size_t i = 0; i < SPAN_COUNT; i++) {
		ck_assert_int_eq(jump(i, 1, message_of(i), &footer), 1);
		ck_assert_uint_eq(footer.children, SPAN_EVENTS - 2);
	}
}

TEST(the_footer_of_a_later_span_is_not_its_own)
{
	const uint32_t message = message_of(0);
	struct tl_point footer;

	ck_assert_uint_eq(message, message_of(2));
	lane->spans[0].end = lane->spans[2].end;
	ck_assert_int_eq(jump(0, 1, message, &footer), TL_CELL_WRONG);
}

TEST(the_footer_of_another_message_is_not_its_own)
{
	struct tl_point footer;

	ck_assert_int_eq(jump(0, 1, message_of(1), &footer), TL_CELL_WRONG);
}

TEST(what_is_no_footer_is_no_end)
{
	const uint32_t message = message_of(0);
	struct tl_point footer;

	lane->spans[0].end = lane->spans[1].start;
	ck_assert_int_eq(jump(0, 1, message, &footer), TL_CELL_WRONG);
	/* a place in the middle of a point */
	lane->spans[0].end = lane->spans[1].start + 1;
	ck_assert_int_eq(jump(0, 1, message, &footer), TL_CELL_WRONG);
}

TEST(a_cell_of_another_depth_is_not_its_own)
{
	struct tl_point footer;

	ck_assert_int_eq(jump(0, 2, message_of(0), &footer), TL_CELL_WRONG);
}
