/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - does an end find its begin?
 */
#include "event/spans.h"
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

TEST(threads_do_not_share_spans)
{
	put(&thread_span, TL_BEGIN, 10, 1);
	ck_assert_int_eq(put(&thread_span, TL_END, 20, 2), 0);
	ck_assert_int_eq(put(&thread_span, TL_END, 30, 1), 1);
	ck_assert_int_eq(span.duration_ns, 20);
}

/* The same message and thread number, but another process or source. */
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

/* A bucket holds several stacks: of so many keys that differ in one number,
 * some share that of the begin. */
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

/* A stack of begins for each of a few threads and messages, kept plainly. */
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
