/* SPDX-License-Identifier: Apache-2.0 */
/* spans.c - an end finds its begin. */
#include "event/spans.h"
#include "lib/random.h"
#include "lib/test.h"

#include <stdlib.h>
#include <timeline.h>

static const struct tl_message thread_span = { .kind = TIMELINE_RECORD_SPAN,
	.scope = TIMELINE_THREAD };
static const struct tl_message other_span = { .kind = TIMELINE_RECORD_SPAN,
	.scope = TIMELINE_THREAD };
static const struct tl_message source_span = { .kind = TIMELINE_RECORD_SPAN,
	.scope = TIMELINE_SOURCE };

static struct tl_spans *spans;
static struct tl_span span;

static void
setup(void)
{
	ck_assert_int_eq(tl_spans_new(&spans), 0);
}

static void
teardown(void)
{
	tl_spans_free(spans);
}

static int
put(const struct tl_message *message, int kind, int64_t ns, uint32_t tid)
{
	const struct tl_event event = { .message = message,
		.kind = (uint8_t)kind,
		.ns = ns,
		.tsc = (uint64_t)ns * 2,
		.pid = 7,
		.tid = tid,
		.args = { (uint64_t)ns } };

	return tl_spans_put(spans, &event, &span);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(an_end_pairs_with_the_last_begin)
{
	ck_assert_int_eq(put(&thread_span, TL_BEGIN, 10, 1), 0);
	ck_assert_int_eq(put(&thread_span, TL_BEGIN, 20, 1), 0);
	ck_assert_int_eq(put(&thread_span, TL_END, 25, 1), 1);
	ck_assert_int_eq(span.duration_ns, 5);
	ck_assert_uint_eq(span.depth, 1);
	ck_assert_uint_eq(span.nesting, 1);
	ck_assert_uint_eq(span.args[0], 20);
	ck_assert_int_eq(put(&thread_span, TL_END, 40, 1), 1);
	ck_assert_int_eq(span.duration_ns, 30);
	ck_assert_uint_eq(span.depth, 0);
	ck_assert_uint_eq(span.begin_tsc, 20);
	ck_assert_uint_eq(span.end_tsc, 80);
}

/* == proven ends == */

/* Put a begin whose end will be proven, or a proven end in closed time. */
static int
put_proven(const struct tl_message *message, int kind, int64_t ns,
    int64_t begun_ns, uint32_t pid, uint32_t tid)
{
	const struct tl_event event = { .message = message,
		.kind = (uint8_t)kind,
		.ns = ns,
		.tsc = (uint64_t)ns * 2,
		.begun_ns = kind == TL_END ? begun_ns : 0,
		.begun_tsc = kind == TL_END ? (uint64_t)begun_ns * 2 : 0,
		.duration_ns = kind == TL_END ? ns - begun_ns : 0,
		.proven = true,
		.observed = kind == TL_END ? TL_UNOBSERVED : 5,
		.pid = pid,
		.tid = tid,
		.args = { (uint64_t)ns } };

	return tl_spans_put(spans, &event, &span);
}

TEST(a_proven_end_takes_the_begin_of_its_stamp)
{
	struct tl_spans_count count;

	put(&thread_span, TL_BEGIN, 10, 1);
	put(&thread_span, TL_BEGIN, 20, 1);
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 50, 10, 7, 1), 1);
	ck_assert_int_eq(span.duration_ns, 40);
	ck_assert_uint_eq(span.args[0], 10);
	ck_assert(tl_span_is_sure(&span) && span.proven && !span.alone);
	/* the end of the inner span finds no begin */
	ck_assert_int_eq(put(&thread_span, TL_END, 60, 1), 0);
	tl_spans_counts(spans, &count);
	ck_assert_uint_eq(count.paired, 1);
	ck_assert_uint_eq(count.lonely_begins, 1);
	ck_assert_uint_eq(count.lonely_ends, 1);
}

TEST(a_span_that_another_thread_ends_ends_there)
{
	put_proven(&thread_span, TL_BEGIN, 10, 0, 7, 1);
	put_proven(&other_span, TL_BEGIN, 20, 0, 7, 1);
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 50, 10, 7, 2), 1);
	ck_assert(tl_span_is_sure(&span) && span.handed && !span.alone);
	ck_assert_uint_eq(span.tid, 1);
	ck_assert_int_eq(span.duration_ns, 40);
	/* a begin of the own thread is preferred */
	put_proven(&thread_span, TL_BEGIN, 60, 0, 7, 2);
	put_proven(&thread_span, TL_BEGIN, 60, 0, 7, 1);
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 70, 60, 7, 2), 1);
	ck_assert(!span.handed && span.tid == 2);
}

/* The depth of a span that would begin in thread 1 in an observed interval. */
static uint32_t
depth_at(int64_t ns, uint64_t observed)
{
	const struct tl_event event = { .message = &other_span,
		.kind = TL_INSTANT,
		.ns = ns,
		.tsc = (uint64_t)ns * 2,
		.pid = 7,
		.tid = 1,
		.observed = observed,
		.stretch = observed };

	return tl_spans_depth(spans, &event);
}

TEST(a_stack_ends_where_observation_ends)
{
	const struct tl_event early = { .message = &thread_span,
		.kind = TL_BEGIN,
		.ns = 5,
		.tsc = 10,
		.observed = TL_UNOBSERVED,
		.stretch = TL_UNOBSERVED,
		.proven = true,
		.pid = 7,
		.tid = 1 };
	const struct tl_event lost = { .kind = TL_LOST, .lost = 1 };
	uint64_t id;

	tl_spans_put(spans, &early, &span);
	id = tl_spans_begun(spans);
	ck_assert(tl_spans_is_around(spans, id));
	ck_assert_uint_eq(depth_at(6, TL_UNOBSERVED), 1);
	ck_assert_uint_eq(depth_at(7, 3), 0);
	ck_assert(!tl_spans_is_around(spans, id));
	/* its end is found all the same */
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 9, 5, 7, 1), 1);
	ck_assert_int_eq(span.duration_ns, 4);
	ck_assert(!tl_spans_find(spans, id, &span));

	put(&thread_span, TL_BEGIN, 20, 1);
	ck_assert_uint_eq(depth_at(21, 3), 1);
	tl_spans_put(spans, &lost, &span);
	ck_assert_uint_eq(depth_at(22, 3), 0);
}

/* Put a change of the levels to one threshold. */
static void
put_priority(uint64_t level, int64_t ns)
{
	static const struct tl_message priority = { .kind =
							TIMELINE_RECORD_INSTANT,
		.builtin = TIMELINE_BUILTIN_PRIORITY };
	const struct tl_event event = { .message = &priority,
		.kind = TL_INSTANT,
		.ns = ns,
		.tsc = (uint64_t)ns * 2,
		.pid = 7,
		.tid = 3,
		.args = { level, level } };

	tl_spans_put(spans, &event, &span);
}

/* Put an event of an input whose levels change. */
static int
put_level(const struct tl_message *message, int kind, int64_t ns)
{
	const struct tl_event event = { .message = message,
		.kind = (uint8_t)kind,
		.ns = ns,
		.tsc = (uint64_t)ns * 2,
		.pid = 7,
		.tid = 1,
		.observed = message->gate < 7 && ns > 30 ? 4 : 3,
		.stretch = 3 };

	return tl_spans_put(spans, &event, &span);
}

static const struct tl_message detail = { .kind = TIMELINE_RECORD_SPAN,
	.scope = TIMELINE_THREAD,
	.level = 2,
	.gate = 2 };
static const struct tl_message request = { .kind = TIMELINE_RECORD_SPAN,
	.scope = TIMELINE_THREAD,
	.level = 7,
	.gate = 7 };

TEST(a_span_whose_gate_closes_is_around_nothing_after)
{
	struct tl_spans_count count;

	put_priority(2, 5);
	put_level(&request, TL_BEGIN, 10);
	put_level(&detail, TL_BEGIN, 20);
	ck_assert_uint_eq(depth_at(25, 3), 2);
	put_priority(7, 30);
	ck_assert_uint_eq(depth_at(35, 3), 1); /* the request */
	put_priority(2, 40);
	ck_assert_int_eq(put_level(&detail, TL_END, 45), 0);
	tl_spans_counts(spans, &count);
	ck_assert_uint_eq(count.cut, 1);
	ck_assert_int_eq(put_level(&request, TL_END, 50), 1);
	ck_assert_uint_eq(span.depth, 0);
}

TEST(a_span_stays_around_while_one_inside_it_is_open)
{
	put_priority(2, 5);
	put_level(&detail, TL_BEGIN, 10);
	put_level(&request, TL_BEGIN, 20);
	put_priority(7, 30);
	ck_assert_uint_eq(depth_at(35, 3), 2);
	ck_assert_int_eq(put_level(&request, TL_END, 40), 1);
	ck_assert_uint_eq(depth_at(45, 3), 0);
}

TEST(a_span_is_nested_in_spans_of_its_message_however_they_end)
{
	put_proven(&thread_span, TL_BEGIN, 10, 0, 7, 1);
	put(&thread_span, TL_BEGIN, 20, 1);
	ck_assert_int_eq(put(&thread_span, TL_END, 30, 1), 1);
	ck_assert_uint_eq(span.nesting, 1);
}

/* Whoever observed the events knew the gate better than the changes show. */
TEST(an_end_of_the_same_interval_is_a_pair_whatever_the_levels_show)
{
	static const struct tl_message raised = { .kind = TIMELINE_RECORD_SPAN,
		.scope = TIMELINE_THREAD,
		.level = 2,
		.gate = 7 };

	put_priority(2, 5);
	put_level(&raised, TL_BEGIN, 10);
	put_priority(7, 20);
	ck_assert_uint_eq(depth_at(25, 3), 0);
	ck_assert_int_eq(put_level(&raised, TL_END, 30), 1);
	ck_assert(tl_span_is_sure(&span));
}

TEST(a_proven_end_needs_no_begin)
{
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 50, 10, 7, 1), 1);
	ck_assert(tl_span_is_sure(&span) && span.alone && span.late);
	ck_assert_int_eq(span.begin_ns, 10);
	ck_assert_uint_eq(span.begin_tsc, 20);
	ck_assert_int_eq(span.duration_ns, 40);
	ck_assert_uint_eq(span.args[0], 50);
	/*
	 * the proven end does not take the begin of another thread, which stays
	 * open
	 */
	put(&thread_span, TL_BEGIN, 60, 2);
	put_proven(&thread_span, TL_END, 80, 55, 7, 1);
	ck_assert(span.alone);
	ck_assert_int_eq(put(&thread_span, TL_END, 90, 2), 1);
	ck_assert_int_eq(span.duration_ns, 30);
}

TEST(a_begin_that_is_cut_is_found_by_its_proof)
{
	struct tl_spans_count count;
	struct tl_event event = { .message = &thread_span,
		.kind = TL_BEGIN,
		.ns = 10,
		.tsc = 20,
		.observed = 5,
		.pid = 7,
		.tid = 1,
		.args = { 99 } };

	tl_spans_put(spans, &event, &span);
	event.observed = 6;
	event.ns = 30;
	event.tsc = 60;
	/* the begin of a new interval cuts the first one */
	tl_spans_put(spans, &event, &span);
	tl_spans_counts(spans, &count);
	ck_assert_uint_eq(count.cut, 1);
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 50, 10, 7, 1), 1);
	ck_assert(tl_span_is_sure(&span) && span.late && !span.alone);
	ck_assert_uint_eq(span.args[0], 99);
}

TEST(a_begin_whose_end_will_prove_itself_stays_open)
{
	struct tl_event other = { .message = &thread_span,
		.kind = TL_BEGIN,
		.ns = 30,
		.tsc = 60,
		.observed = 6,
		.pid = 7,
		.tid = 1 };
	uint32_t index = 0;

	put_proven(&thread_span, TL_BEGIN, 10, 0, 7, 1);
	tl_spans_put(spans, &other, &span); /* a begin of a later interval */
	other.kind = TL_END;
	other.ns = 40;
	ck_assert_int_eq(tl_spans_put(spans, &other, &span), 1);
	ck_assert_int_eq(tl_spans_put(spans, &other, &span), 0);
	ck_assert(tl_spans_open(spans, &index, &span));
	ck_assert(span.proven && tl_span_is_sure(&span));
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 50, 10, 7, 1), 1);
	ck_assert(tl_span_is_sure(&span) && !span.late);
	ck_assert_int_eq(span.duration_ns, 40);
}

/* A child that was forked within the span ends the span, too. */
TEST(a_begin_of_another_process_proves_nothing)
{
	put_proven(&thread_span, TL_BEGIN, 10, 0, 7, 1);
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 30, 10, 8, 2), 1);
	ck_assert(!tl_span_is_sure(&span));
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 50, 10, 7, 1), 1);
	ck_assert(tl_span_is_sure(&span) && !span.alone);
	ck_assert_int_eq(span.duration_ns, 40);
}

TEST(a_loss_does_not_touch_what_is_proven)
{
	const struct tl_event loss = { .kind = TL_LOST, .lost = 3 };

	put_proven(&thread_span, TL_BEGIN, 10, 0, 7, 1);
	tl_spans_put(spans, &loss, &span);
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 50, 10, 7, 1), 1);
	ck_assert(tl_span_is_sure(&span));
}

/* Spans of a source may cross: each end has its own begin. */
TEST(proven_spans_of_a_source_may_cross)
{
	put(&source_span, TL_BEGIN, 10, 1);
	put(&source_span, TL_BEGIN, 20, 2);
	ck_assert_int_eq(put_proven(&source_span, TL_END, 30, 10, 7, 3), 1);
	ck_assert_uint_eq(span.args[0], 10);
	ck_assert_int_eq(put_proven(&source_span, TL_END, 40, 20, 7, 3), 1);
	ck_assert_uint_eq(span.args[0], 20);
}

TEST(a_proven_end_finds_its_begin_among_any_number_of_others)
{
	put_proven(&thread_span, TL_BEGIN, 10, 0, 7, 1);
	for (uint32_t i = 0; i < 10000; i++)
		put(&thread_span, TL_BEGIN, 20, 2 + i);
	ck_assert_int_eq(put_proven(&thread_span, TL_END, 50, 10, 7, 1), 1);
	ck_assert(!span.alone);
	ck_assert_uint_eq(span.args[0], 10);
	ck_assert_uint_eq(span.depth, 0);
}

/* Times of another format may be equal. */
TEST(a_span_within_another_of_its_stamp_has_the_newer_begin)
{
	for (uint64_t arg = 1; arg <= 3; arg++) {
		const struct tl_event begin = { .message = &thread_span,
			.kind = TL_BEGIN,
			.ns = 10,
			.tsc = 20,
			.pid = 7,
			.tid = 1,
			.proven = true,
			.args = { arg } };

		tl_spans_put(spans, &begin, &span);
	}
	for (uint64_t arg = 3; arg > 0; arg--) {
		ck_assert_int_eq(put_proven(&thread_span, TL_END,
				     40 - (int64_t)arg, 10, 7, 1),
		    1);
		ck_assert_uint_eq(span.args[0], arg);
		ck_assert_uint_eq(span.depth, arg - 1);
		ck_assert_int_eq(span.duration_ns, 30 - (int64_t)arg);
	}
}

TEST(threads_do_not_share_spans)
{
	put(&thread_span, TL_BEGIN, 10, 1);
	ck_assert_int_eq(put(&thread_span, TL_END, 20, 2), 0);
	ck_assert_int_eq(put(&thread_span, TL_END, 30, 1), 1);
	ck_assert_int_eq(span.duration_ns, 20);
}

/*
 * Spans of one message and one thread number stay apart if the process or the
 * source differs.
 */
TEST(processes_and_sources_do_not_share_spans)
{
	struct tl_event event = { .message = &thread_span,
		.kind = TL_BEGIN,
		.ns = 10,
		.pid = 7,
		.tid = 1,
		.source = 1 };

	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 0);
	event.kind = TL_END;
	event.pid = 8;
	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 0);
	event.pid = 7;
	event.source = 2;
	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 0);
	event.source = 1;
	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 1);
}

/*
 * A bucket holds several stacks.  Among so many keys that differ in one number,
 * some share the bucket of the begin.
 */
TEST(keys_of_one_bucket_are_told_apart)
{
	enum { KEYS = 200000, BUCKETS = 1 << 14 };
	struct tl_event event = { .message = &thread_span,
		.kind = TL_END,
		.ns = 20,
		.tid = 1 };

	put(&thread_span, TL_BEGIN, 10, 1);
	for (event.pid = 8; event.pid < 8 + KEYS; event.pid++)
		ck_assert_int_eq(tl_spans_put(spans, &event, &span), 0);
	event.pid = 7;
	event.source = BUCKETS;
	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 0);
}

/*
 * There are more threads than buckets.  Every fourth thread keeps its span open
 * while the others, whose spans have ended, make room for more.
 */
TEST(open_spans_survive_those_of_many_threads_that_ended)
{
	enum { MANY = 60000 };

	for (uint32_t tid = 1; tid <= MANY; tid++) {
		ck_assert_int_eq(put(&thread_span, TL_BEGIN, tid, tid), 0);
		if (tid % 4 != 0)
			ck_assert_int_eq(put(&thread_span, TL_END, tid, tid),
			    1);
	}
	for (uint32_t tid = 1; tid <= MANY; tid++)
		ck_assert_int_eq(put(&thread_span, TL_END, 2 * MANY, tid),
		    tid % 4 == 0);
}

TEST(a_source_span_ends_in_any_thread)
{
	put(&source_span, TL_BEGIN, 10, 1);
	ck_assert_int_eq(put(&source_span, TL_END, 20, 2), 1);
	ck_assert_int_eq(span.duration_ns, 10);
	ck_assert_uint_eq(span.tid, 1);
}

TEST(depth_counts_spans_of_all_messages_of_the_thread)
{
	const struct tl_event here = { .pid = 7, .tid = 1 };
	const struct tl_event there = { .pid = 7, .tid = 2 };

	put(&thread_span, TL_BEGIN, 10, 1);
	put(&other_span, TL_BEGIN, 20, 1);
	put(&source_span, TL_BEGIN, 25, 1);
	ck_assert_uint_eq(tl_spans_depth(spans, &here), 2);
	ck_assert_uint_eq(tl_spans_depth(spans, &there), 0);
	put(&other_span, TL_END, 30, 1);
	ck_assert_uint_eq(span.depth, 1);
	ck_assert_uint_eq(span.nesting, 0);
	put(&thread_span, TL_END, 40, 1);
	ck_assert_uint_eq(span.depth, 0);
	ck_assert_uint_eq(tl_spans_depth(spans, &here), 0);
}

TEST(what_has_no_partner_is_counted)
{
	struct tl_spans_count count;

	put(&thread_span, TL_END, 5, 1);
	put(&thread_span, TL_BEGIN, 10, 1);
	put(&thread_span, TL_BEGIN, 20, 1);
	put(&thread_span, TL_END, 30, 1);
	tl_spans_counts(spans, &count);
	ck_assert_uint_eq(count.paired, 1);
	ck_assert_uint_eq(count.lonely_begins, 1);
	ck_assert_uint_eq(count.lonely_ends, 1);
}

TEST(a_span_over_a_loss_is_marked)
{
	put(&thread_span, TL_BEGIN, 10, 1);
	put(NULL, TL_LOST, 15, 0);
	put(&other_span, TL_BEGIN, 20, 1);
	ck_assert_int_eq(put(&other_span, TL_END, 30, 1), 1);
	ck_assert(!span.lossy);
	ck_assert_int_eq(put(&thread_span, TL_END, 40, 1), 1);
	ck_assert(span.lossy);
}

TEST(a_span_over_a_clear_is_marked)
{
	const struct tl_message clear = { .kind = TIMELINE_RECORD_INSTANT,
		.builtin = TIMELINE_BUILTIN_CLEAR };

	put(&thread_span, TL_BEGIN, 10, 1);
	put(&clear, TL_INSTANT, 15, 2);
	ck_assert_int_eq(put(&thread_span, TL_END, 20, 1), 1);
	ck_assert(span.lossy);
	put(&thread_span, TL_BEGIN, 30, 1);
	ck_assert_int_eq(put(&thread_span, TL_END, 40, 1), 1);
	ck_assert(!span.lossy);
}

TEST(entries_overwritten_in_another_lane_mark_no_span)
{
	struct tl_event overwritten = { .kind = TL_LOST,
		.ns = 15,
		.overwritten = true };

	put(&thread_span, TL_BEGIN, 10, 1);
	ck_assert_int_eq(tl_spans_put(spans, &overwritten, &span), 0);
	ck_assert_int_eq(put(&thread_span, TL_END, 40, 1), 1);
	ck_assert(!span.lossy);
	/* a slow follower lost entries: an end may be among them */
	overwritten.unread = true;
	put(&thread_span, TL_BEGIN, 50, 1);
	ck_assert_int_eq(tl_spans_put(spans, &overwritten, &span), 0);
	ck_assert_int_eq(put(&thread_span, TL_END, 60, 1), 1);
	ck_assert(span.lossy);
}

/* One entry of a timer holds both begin and end. */
TEST(a_timer_over_a_loss_is_sure)
{
	const struct tl_message timer = { .kind = TIMELINE_RECORD_SPAN,
		.timer = true };
	const struct tl_event end = { .message = &timer,
		.kind = TL_END,
		.ns = 30,
		.begun = TL_BEGUN,
		.proven = true,
		.begun_ns = 10,
		.begun_tsc = 20,
		.pid = 7,
		.tid = 1 };

	put(&timer, TL_BEGIN, 10, 1);
	put(NULL, TL_LOST, 20, 1);
	ck_assert_int_eq(tl_spans_put(spans, &end, &span), 1);
	ck_assert(!span.lossy);
}

TEST(a_clock_set_back_gives_no_negative_duration)
{
	put(&thread_span, TL_BEGIN, 100, 1);
	ck_assert_int_eq(put(&thread_span, TL_END, 40, 1), 1);
	ck_assert_int_eq(span.duration_ns, 0);
}

TEST(open_spans_are_listed_oldest_first)
{
	uint32_t index = 0;

	put(&thread_span, TL_BEGIN, 10, 1);
	put(&other_span, TL_BEGIN, 20, 1);
	put(&source_span, TL_BEGIN, 30, 1);
	put(&other_span, TL_END, 40, 1);
	ck_assert(tl_spans_open(spans, &index, &span));
	ck_assert_int_eq(span.begin_ns, 10);
	ck_assert(tl_spans_open(spans, &index, &span));
	ck_assert_int_eq(span.begin_ns, 30);
	ck_assert(!tl_spans_open(spans, &index, &span));
	ck_assert(!tl_spans_open(spans, &index, &span));
}

TEST(too_many_begins_forget_the_oldest)
{
	struct tl_spans_count count;
	const int extra = 1000;

	for (int i = 0; i < TL_SPANS_OPEN_MAX + extra; i++)
		ck_assert_int_eq(put(&thread_span, TL_BEGIN, i, (uint32_t)i),
		    0);
	ck_assert_int_eq(put(&thread_span, TL_END, 1 << 20, extra - 1), 0);
	ck_assert_int_eq(put(&thread_span, TL_END, 1 << 20, extra), 1);
	tl_spans_counts(spans, &count);
	ck_assert_uint_eq(count.lonely_begins, TL_SPANS_OPEN_MAX + extra - 1);
}

/* The reference: a stack of begins for each of a few threads and messages. */
enum { THREADS = 5, DEPTH_MAX = 20000 };
static int64_t dumb[2][THREADS][DEPTH_MAX];
static size_t dumb_depth[2][THREADS];

TEST(it_agrees_with_plain_stacks)
{
	const struct tl_message *const messages[] = { &thread_span,
		&source_span };

	srand(42);
	for (int64_t ns = 1; ns < 2 * DEPTH_MAX; ns++) {
		const int m = rand() % 2;
		const uint32_t tid = (uint32_t)(rand() % THREADS);
		const size_t at = m ? 0 : tid;
		size_t *depth = &dumb_depth[m][at];

		if (rand() % 2) {
			put(messages[m], TL_BEGIN, ns, tid);
			dumb[m][at][(*depth)++] = ns;
			continue;
		}
		ck_assert_int_eq(put(messages[m], TL_END, ns, tid), *depth > 0);
		if (*depth > 0)
			ck_assert_int_eq(span.begin_ns, dumb[m][at][--*depth]);
	}
}

/* == ends completed by their begins == */

enum { STREAM = 4000 };

/* The events of an array, in one order or the other. */
struct array_cursor {
	struct tl_cursor cursor;
	const struct tl_event *events;
	size_t left;
	bool newest_first;
};

static int
array_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct array_cursor *c = (struct array_cursor *)(void *)cursor;

	if (c->left == 0)
		return 0;
	c->left--;
	*event = c->events[c->newest_first ? c->left : STREAM - 1 - c->left];
	return 1;
}

static void
array_close(struct tl_cursor *cursor)
{
	((struct array_cursor *)(void *)cursor)->left = 0;
}

static void
make_stream(struct tl_event events[STREAM])
{
	static const struct tl_message *const messages[] = { &thread_span,
		&other_span, &source_span };
	uint64_t random = 7;

	for (size_t i = 0; i < STREAM; i++) {
		const uint64_t n = random_next(&random);

		events[i] = (struct tl_event){ .message = messages[n % 3],
			.kind = n / 3 % 5 < 2   ? TL_BEGIN
				: n / 3 % 5 < 4 ? TL_END
						: TL_INSTANT,
			.ns = (int64_t)(i * 10),
			.tid = (uint32_t)(n >> 20 & 1),
			.number = i };
		events[i].bare = events[i].kind == TL_END && (n >> 21 & 1);
		if (!events[i].bare)
			events[i].args[0] = i;
	}
}

/*
 * Go back from an end until nothing is open.  Returns the index of the begin;
 * -1: there is none.
 */
static long
begin_of(const struct tl_event *events, size_t end)
{
	long open = 0;

	for (long i = (long)end; i >= 0; i--) {
		if (events[i].message != events[end].message ||
		    (events[i].message != &source_span &&
			events[i].tid != events[end].tid))
			continue;
		if (events[i].kind == TL_END)
			open++;
		else if (events[i].kind == TL_BEGIN && --open == 0)
			return i;
	}
	return -1;
}

static void
check_completed(enum tl_order order, size_t window)
{
	static struct tl_event events[STREAM];
	const bool newest_first = order == TL_NEWEST_FIRST;
	struct array_cursor inner = { { array_next, array_close }, events,
		STREAM, newest_first };
	struct tl_cursor *cursor;
	struct tl_event event;
	size_t completed = 0;

	make_stream(events);
	ck_assert_int_eq(tl_spans_cursor(order, window, &inner.cursor, &cursor),
	    0);
	for (size_t n = 0; n < STREAM; n++) {
		const size_t i = newest_first ? STREAM - 1 - n : n;
		const long begin =
		    events[i].kind == TL_END ? begin_of(events, i) : -1;

		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
		ck_assert_uint_eq(event.number, i);
		if (begin < 0 ||
		    (newest_first && i - (size_t)begin >= window)) {
			/* whether an end has no begin is known once all is
			 * read */
			ck_assert_uint_ne(event.begun, TL_BEGUN);
			if (event.kind == TL_END && window == STREAM)
				ck_assert_uint_eq(event.begun, TL_BEGUN_NONE);
			ck_assert_uint_eq(event.args[0], events[i].args[0]);
			continue;
		}
		completed++;
		ck_assert_uint_eq(event.begun, TL_BEGUN);
		ck_assert_int_eq(event.begun_ns, events[begin].ns);
		ck_assert_uint_eq(event.args[0],
		    event.bare ? events[begin].args[0] : events[i].args[0]);
	}
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 0);
	ck_assert_uint_gt(completed, STREAM / 8);
	tl_cursor_close(cursor);
}

TEST(an_end_knows_its_begin_in_both_orders)
{
	check_completed(TL_OLDEST_FIRST, STREAM);
	check_completed(TL_NEWEST_FIRST, STREAM);
}

TEST(newest_first_no_more_than_a_window_of_entries_waits)
{
	check_completed(TL_NEWEST_FIRST, 64);
	check_completed(TL_NEWEST_FIRST, 1000);
}

/*
 * The outer end belongs to another interval than the begins and takes none of
 * them.  Its waiting must not hide the proven end below it.
 */
TEST(newest_first_a_proven_end_waits_for_a_begin_of_another_interval)
{
	static const struct tl_event events[] = {
		{ .message = &thread_span,
		    .kind = TL_BEGIN,
		    .ns = 10,
		    .tsc = 20,
		    .observed = 5,
		    .args = { 1 } },
		{ .message = &thread_span,
		    .kind = TL_BEGIN,
		    .ns = 30,
		    .tsc = 60,
		    .observed = 5,
		    .args = { 2 } },
		{ .message = &thread_span,
		    .kind = TL_END,
		    .ns = 50,
		    .tsc = 100,
		    .observed = 6,
		    .proven = true,
		    .bare = true,
		    .begun_ns = 30,
		    .begun_tsc = 60,
		    .duration_ns = 20 },
		{ .message = &thread_span,
		    .kind = TL_END,
		    .ns = 70,
		    .tsc = 140,
		    .observed = 6,
		    .bare = true },
	};
	struct array_cursor inner = { { array_next, array_close }, events, 4,
		true };
	struct tl_cursor *cursor;
	struct tl_event event;

	ck_assert_int_eq(tl_spans_cursor(TL_NEWEST_FIRST, STREAM, &inner.cursor,
			     &cursor),
	    0);
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
	ck_assert_uint_eq(event.begun, TL_BEGUN_NONE);
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
	ck_assert_uint_eq(event.begun, TL_BEGUN);
	ck_assert_int_eq(event.duration_ns, 20);
	ck_assert_uint_eq(event.args[0], 2);
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 0);
	tl_cursor_close(cursor);
}

/*
 * Two threads, of one process or of two, read the same stamp on two CPUs: each
 * end takes the begin of its own thread.
 */
TEST(an_equal_stamp_of_another_thread_is_no_proof)
{
	for (uint32_t pid = 7; pid < 9; pid++) {
		const struct tl_event events[] = {
			{ .message = &thread_span,
			    .kind = TL_BEGIN,
			    .ns = 10,
			    .tsc = 20,
			    .pid = 7,
			    .tid = 1,
			    .args = { 1 } },
			{ .message = &thread_span,
			    .kind = TL_BEGIN,
			    .ns = 10,
			    .tsc = 20,
			    .pid = pid,
			    .tid = 2,
			    .args = { 2 } },
			{ .message = &thread_span,
			    .kind = TL_END,
			    .ns = 30,
			    .tsc = 60,
			    .proven = true,
			    .bare = true,
			    .begun_ns = 10,
			    .begun_tsc = 20,
			    .duration_ns = 20,
			    .pid = 7,
			    .tid = 1 },
			{ .message = &thread_span,
			    .kind = TL_END,
			    .ns = 50,
			    .tsc = 100,
			    .proven = true,
			    .bare = true,
			    .begun_ns = 10,
			    .begun_tsc = 20,
			    .duration_ns = 40,
			    .pid = pid,
			    .tid = 2 },
		};
		struct array_cursor inner = { { array_next, array_close },
			events, 4, true };
		struct tl_cursor *cursor;
		struct tl_event event;

		for (int i = 0; i < 4; i++) {
			tl_spans_put(spans, &events[i], &span);
			if (i >= 2) {
				ck_assert(tl_span_is_sure(&span));
				ck_assert_uint_eq(span.args[0], i - 1);
			}
		}
		ck_assert_int_eq(tl_spans_cursor(TL_NEWEST_FIRST, STREAM,
				     &inner.cursor, &cursor),
		    0);
		for (unsigned id = 2; id > 0; id--) {
			ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
			ck_assert_uint_eq(event.begun, TL_BEGUN);
			ck_assert(event.known);
			ck_assert_uint_eq(event.args[0], id);
		}
		tl_cursor_close(cursor);
	}
}

TEST(newest_first_a_span_within_another_of_its_stamp_has_the_newer_begin)
{
	struct tl_event events[6];
	struct array_cursor inner = { { array_next, array_close }, events, 6,
		true };
	struct tl_cursor *cursor;
	struct tl_event event;

	for (unsigned i = 0; i < 6; i++)
		events[i] = (struct tl_event){ .message = &thread_span,
			.kind = i < 3 ? TL_BEGIN : TL_END,
			.ns = i < 3 ? 10 : 20 + (int64_t)i,
			.tsc = i < 3 ? 10 : 20 + i,
			.args = { i < 3 ? i + 1 : 0 },
			.proven = true,
			.bare = i >= 3,
			.begun_ns = 10,
			.begun_tsc = 10,
			.duration_ns = 10 + (int64_t)i };
	ck_assert_int_eq(tl_spans_cursor(TL_NEWEST_FIRST, STREAM, &inner.cursor,
			     &cursor),
	    0);
	for (unsigned arg = 1; arg <= 3; arg++) {
		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
		ck_assert_uint_eq(event.args[0], arg);
		ck_assert_int_eq(event.duration_ns, 16 - (int64_t)arg);
		ck_assert(event.known);
	}
	tl_cursor_close(cursor);
}

/* == plain and proven ends of one message == */

/* A begin that is open, until an end of the program. */
struct program_begin {
	int64_t ns;
	uint32_t tid;
};

/* Fill a stream of a program that ends spans in any order, some by
 * timeline_end, some by timeline_end_of, and some begins say so. */
static void
make_mixed(struct tl_event events[STREAM], const struct tl_message *message,
    uint64_t random)
{
	static struct program_begin open[STREAM];
	size_t count = 0;

	for (size_t i = 0; i < STREAM; i++) {
		const uint64_t n = random_next(&random);
		struct tl_event *e = &events[i];

		*e = (struct tl_event){ .message = message,
			.ns = (int64_t)(i + 1) * 10,
			.tsc = (i + 1) * 20,
			.number = i,
			.pid = 7,
			.tid = (uint32_t)(n >> 20 & 1) };
		if (count == 0 || (count < 6 && n % 2 == 0)) {
			e->kind = TL_BEGIN;
			e->args[0] = i;
			e->proven = n / 2 % 4 == 0;
			open[count++] = (struct program_begin){ e->ns, e->tid };
			continue;
		}
		e->kind = TL_END;
		e->bare = true;
		if (n / 2 % 3 == 0) /* timeline_end */
			continue;
		const size_t at = n / 6 % count;

		e->tid = open[at].tid;
		e->proven = true;
		e->begun_ns = open[at].ns;
		e->begun_tsc = (uint64_t)open[at].ns * 2;
		e->duration_ns = e->ns - e->begun_ns;
		open[at] = open[--count];
	}
}

TEST(plain_and_proven_ends_pair_alike_in_both_orders, .to = 20)
{
	static struct tl_event events[STREAM], forward[STREAM];
	const struct tl_message *message = _i % 2 ? &source_span : &thread_span;
	struct tl_cursor *cursor;
	struct tl_event event;
	size_t plain = 0;

	make_mixed(events, message, (uint64_t)_i + 1);
	for (unsigned order = 0; order < 2; order++) {
		struct array_cursor inner = { { array_next, array_close },
			events, STREAM, order == 1 };

		ck_assert_int_eq(tl_spans_cursor(order ? TL_NEWEST_FIRST
						       : TL_OLDEST_FIRST,
				     STREAM, &inner.cursor, &cursor),
		    0);
		while (tl_cursor_next(cursor, &event) > 0) {
			const struct tl_event *f = &forward[event.number];

			if (order == 0) {
				forward[event.number] = event;
				plain += event.begun && !event.proven;
				continue;
			}
			ck_assert_msg(event.begun == f->begun &&
					  event.begun_ns == f->begun_ns &&
					  event.duration_ns == f->duration_ns &&
					  event.args[0] == f->args[0] &&
					  event.known == f->known,
			    "event %llu: began at %lld and %lld",
			    (unsigned long long)event.number,
			    (long long)f->begun_ns, (long long)event.begun_ns);
		}
		tl_cursor_close(cursor);
	}
	ck_assert_uint_gt(plain, STREAM / 20);
}

/* Put an event of an observed interval. */
static int
put_observed(int kind, int64_t ns, uint64_t observed)
{
	const struct tl_event event = { .message = &thread_span,
		.kind = (uint8_t)kind,
		.ns = ns,
		.observed = observed };

	return tl_spans_put(spans, &event, &span);
}

TEST(an_end_of_another_interval_takes_no_begin)
{
	struct tl_spans_count count;

	put_observed(TL_BEGIN, 10, 5);
	ck_assert_int_eq(put_observed(TL_END, 90, 6), 0);
	put_observed(TL_BEGIN, 100, 6);
	put_observed(TL_BEGIN, 110, 6);
	ck_assert_int_eq(put_observed(TL_END, 120, 6), 1);
	ck_assert_int_eq(span.duration_ns, 10);
	ck_assert(!span.lossy);
	ck_assert_uint_eq(span.nesting, 1);
	put_observed(TL_BEGIN, 200, 7);
	ck_assert_int_eq(put_observed(TL_END, 220, 7), 1);
	ck_assert_uint_eq(span.nesting, 0); /* the begin at 100 was cut */
	tl_spans_counts(spans, &count);
	ck_assert_uint_eq(count.cut, 2);
	ck_assert_uint_eq(count.paired, 2);
	ck_assert_uint_eq(count.lonely_begins, 2);
	ck_assert_uint_eq(count.lonely_ends, 1);
}

TEST(a_pair_outside_of_all_intervals_is_unsure)
{
	put_observed(TL_BEGIN, 10, TL_UNOBSERVED);
	ck_assert_int_eq(put_observed(TL_END, 20, TL_UNOBSERVED), 1);
	ck_assert(span.lossy);
	put_observed(TL_BEGIN, 30, TL_UNOBSERVED);
	ck_assert_int_eq(put_observed(TL_END, 40, 5), 1);
	ck_assert(span.lossy);
	put_observed(TL_BEGIN, 50, 5);
	ck_assert_int_eq(put_observed(TL_END, 60, TL_UNOBSERVED), 1);
	ck_assert(span.lossy);
}

TEST(a_step_of_the_clock_does_not_change_a_duration)
{
	struct tl_event event = { .message = &thread_span,
		.kind = TL_BEGIN,
		.ns = 1000 };

	tl_spans_put(spans, &event, &span);
	event.kind = TL_END;
	event.ns = 20001400;
	event.steps_ns = 20000000; /* the clock steps forward */
	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 1);
	ck_assert_int_eq(span.duration_ns, 400);
	event.kind = TL_BEGIN;
	tl_spans_put(spans, &event, &span);
	event.kind = TL_END;
	event.ns = 1800; /* the clock steps back */
	event.steps_ns = 0;
	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 1);
	ck_assert_int_eq(span.duration_ns, 400);
	ck_assert_int_eq(span.end_ns, 1800);
}

TEST(a_loss_in_one_input_says_nothing_about_spans_of_another)
{
	struct tl_event event = { .message = &thread_span,
		.kind = TL_BEGIN,
		.ns = 10,
		.source = 1 };
	const struct tl_event other = { .kind = TL_LOST, .source = 2 };
	const struct tl_event own = { .kind = TL_LOST, .source = 1 };

	tl_spans_put(spans, &event, &span);
	ck_assert_int_eq(tl_spans_put(spans, &other, &span), 0);
	event.kind = TL_END;
	event.ns = 20;
	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 1);
	ck_assert(!span.lossy);
	event.kind = TL_BEGIN;
	tl_spans_put(spans, &event, &span);
	ck_assert_int_eq(tl_spans_put(spans, &own, &span), 0);
	event.kind = TL_END;
	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 1);
	ck_assert(span.lossy);
}
