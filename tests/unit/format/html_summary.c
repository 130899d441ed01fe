/* SPDX-License-Identifier: Apache-2.0 */
/* html_summary.c - the counts of a live timeline at any zoom. */
#include "format/html/summary.h"

#include "base/array.h"
#include "base/json.h"
#include "event/observe.h"
#include "lib/test.h"

#include <string.h>
#include <timeline.h>

#define MS    INT64_C(1000000)
#define START (INT64_C(1795202658) * 1000 * MS)

static struct tl_message outer, inner, tick;
static struct tl_html_summary *summary;
static struct tl_text got;

static void
define(struct tl_message *m, const char *text, uint8_t kind, uint8_t level)
{
	*m = (struct tl_message){ .category = tl_bytes_of("test"),
		.kind = kind,
		.level = level,
		.gate = level };
	ck_assert_int_eq(tl_message_parse(m, tl_bytes_of(text)), 0);
}

static void
begin(void)
{
	define(&outer, "outer $id", TIMELINE_RECORD_SPAN, 6);
	define(&inner, "inner", TIMELINE_RECORD_SPAN, 5);
	define(&tick, "tick $n", TIMELINE_RECORD_INSTANT, 7);
	ck_assert_int_eq(tl_html_summary_new(&summary), 0);
}

static uint64_t observed; /* the interval of the events put next */

static void
put(const struct tl_message *m, unsigned kind, uint32_t tid, int64_t ns)
{
	const struct tl_event e = { .message = m,
		.kind = (uint8_t)kind,
		.level = m ? m->level : 0,
		.lost = m ? 0 : 5,
		.ns = START + ns,
		.pid = m ? 7 : 0,
		.tid = m ? tid : 0,
		.cpu = 1,
		.observed = observed,
		.lane = 2 };

	ck_assert_int_eq(tl_html_summary_put(summary, &e), 0);
}

static void
ask(int64_t from, int64_t to)
{
	const struct tl_html_question q = { .from_ns = START + from,
		.to_ns = START + to,
		.measure_from_ns = START + from,
		.measure_to_ns = START + to,
		.now_ns = START + to };

	tl_text_clear(&got);
	tl_html_summary_write(summary, &got, &q);
	ck_assert_int_eq(got.rc, 0);
}

static void
holds(const char *piece)
{
	ck_assert_msg(strstr(tl_text_string(&got), piece), "no %s in %.900s",
	    piece, got.data);
}

TEST(nothing_was_counted_of_an_empty_timeline)
{
	begin();
	ask(0, MS);
	ck_assert_str_eq(tl_text_string(&got),
	    "{\"entries\":0,\"missing\":0,\"rows\":[],\"counters\":[],"
	    "\"messages\":[],\"stacks\":[]}\n");
	tl_html_summary_free(summary);
}

TEST(entries_are_counted_in_their_bins)
{
	begin();
	put(&tick, TL_INSTANT, 8, 0);
	put(&tick, TL_INSTANT, 8, 10);
	put(&tick, TL_INSTANT, 8, 3 * MS);
	ask(0, 5 * MS);
	holds("\"first\":\"1795202658000000000\",\"bin\":1000000,"
	      "\"entries\":3,\"missing\":0");
	holds(
	    "\"pid\":7,\"tid\":8,\"cpu\":-1,\"lane\":-1,\"ended\":false,"
	    "\"entries\":3,\"gate\":7,\"bins\":[0,2,7,0,2,0,0,3,1,7,0,1,0,0]");
	holds("\"pid\":0,\"tid\":0,\"cpu\":1,\"lane\":2");
	/* two intervals: 10 ns and almost 3 ms */
	holds("\"count\":3,\"observed\":3,\"older\":0,\"samples\":2,\"total\":"
	      "3000000,\"min\":10");
	holds("\"max\":2999990");
	ask(2 * MS, 5 * MS);
	holds("\"entries\":1,\"missing\":0");
	tl_html_summary_free(summary);
}

/*
 * A bin shows where its entries lie: an instant must not look as wide as the
 * bin.
 */
TEST(wide_bins_tell_where_their_entries_lie)
{
	begin();
	put(&tick, TL_INSTANT, 8, 8 * MS);
	put(&tick, TL_INSTANT, 8, 20 * MS);
	put(&tick, TL_INSTANT, 8, 24 * MS);
	put(&tick, TL_INSTANT, 8, 10000 * MS);
	ask(0, 10000 * MS);
	holds("\"bin\":16000000,\"entries\":4,");
	holds("\"tid\":8,\"cpu\":-1,\"lane\":-1,\"ended\":false,\"entries\":4,"
	      "\"gate\":7,\"bins\":[0,1,7,0,1,0,0,1,2,7,0,2,0,0,625,1,7,0,1,0,"
	      "0],\"at\":[512,512,256,512,0,0]");
	tl_html_summary_free(summary);
}

TEST(a_long_range_is_answered_in_wide_bins_and_complete)
{
	begin();
	for (int i = 0; i < 20000; i++)
		put(&tick, TL_INSTANT, 8, i * MS);
	ask(0, 20000 * MS);
	holds("\"bin\":16000000,\"entries\":20000,");
	/* recent time has narrow bins */
	ask(19000 * MS, 19999 * MS);
	holds("\"bin\":1000000,\"entries\":1000,");
	/* old time has wide bins */
	ask(1000 * MS, 1999 * MS);
	holds("\"bin\":16000000,");
	tl_html_summary_free(summary);
}

TEST(occupancy_and_self_time_are_those_of_open_spans)
{
	begin();
	put(&outer, TL_BEGIN, 8, MS / 2);
	put(&inner, TL_BEGIN, 8, 2 * MS);
	put(&inner, TL_END, 8, 5 * MS);
	put(&outer, TL_END, 8, 6 * MS);
	put(&tick, TL_INSTANT, 8, 9 * MS);
	ask(0, 10 * MS);
	/* 0.5 ms of the first bin, all of the next five, and none after them */
	holds("\"bins\":[0,1,6,6,0,500000,0,1,0,0,0,0,1000000,0,2,1,5,5,0,"
	      "1000000,0,3,0,0,0,0,1000000,0,4,0,0,0,0,1000000,0,5,1,5,5,0,"
	      "1000000,0,6,1,6,6,0,0,0,9,1,7,0,1,0,0]");
	holds("\"stacks\":[[-1,0,1,2500000,0,0,0],[0,1,1,3000000,0,0,0]]");
	holds("\"text\":\"outer $id\",\"category\":\"test\",\"level\":6,"
	      "\"kind\":2,\"builtin\":0,\"observed_ns\":8500000,"
	      "\"count\":1,\"observed\":1,\"older\":0,\"samples\":1,\"total\":"
	      "5500000,"
	      "\"min\":5500000,\"median\":5500000,\"p99\":5500000,"
	      "\"max\":5500000,\"histogram\":[5242880,1]");
	tl_html_summary_free(summary);
}

TEST(an_open_span_counts_until_now)
{
	begin();
	put(&outer, TL_BEGIN, 8, 0);
	ask(0, 4 * MS);
	holds("\"stacks\":[[-1,0,1,4000000,0,0,0]]");
	ask(0, 10000 * MS);
	holds("\"stacks\":[[-1,0,1,10000000000,0,0,0]]");
	tl_html_summary_free(summary);
}

/*
 * Spans begin in one burst and end in another, and then one span is observed
 * whole.
 */
TEST(time_between_two_observed_intervals_belongs_to_no_span)
{
	begin();
	observed = 5;
	put(&outer, TL_BEGIN, 8, 0);
	observed = 6;
	put(&outer, TL_END, 8, 90 * MS);
	put(&outer, TL_BEGIN, 8, 91 * MS);
	put(&outer, TL_END, 8, 94 * MS);
	ask(0, 100 * MS);
	holds("\"stacks\":[[-1,0,2,3000000,0,0,0]]");
	tl_html_summary_free(summary);
}

TEST(a_pair_that_is_not_observed_is_not_measured)
{
	begin();
	observed = TL_UNOBSERVED;
	put(&outer, TL_BEGIN, 8, 0);
	observed = 6;
	put(&inner, TL_BEGIN, 8, 40 * MS);
	put(&inner, TL_END, 8, 42 * MS);
	put(&outer, TL_END, 8, 90 * MS);
	ask(0, 100 * MS);
	holds(",1,2000000,0,0,0]]");
	ck_assert_ptr_null(strstr(tl_text_string(&got), "\"total\":90000000"));
	tl_html_summary_free(summary);
}

TEST(a_loss_is_counted_and_ends_what_was_open)
{
	begin();
	put(&outer, TL_BEGIN, 8, 0);
	put(NULL, TL_LOST, 0, 2 * MS);
	put(&outer, TL_END, 8, 3 * MS);
	ask(0, 4 * MS);
	holds("\"entries\":2,\"missing\":5");
	holds("\"stacks\":[[-1,0,1,0,0,0,0]]");
	/* the end may belong to another span: no duration is measured */
	holds("\"count\":1,\"observed\":1,\"older\":0,\"samples\":0");
	tl_html_summary_free(summary);
}

TEST(overwritten_entries_are_not_lost)
{
	struct tl_event e = { .kind = TL_LOST,
		.lost = 7,
		.overwritten = true,
		.cpu = 1 };

	begin();
	e.ns = START;
	/* this loss precedes all counted entries */
	ck_assert_int_eq(tl_html_summary_put(summary, &e), 0);
	put(&outer, TL_BEGIN, 8, 0);
	e.unread = true;
	e.ns += MS;
	ck_assert_int_eq(tl_html_summary_put(summary, &e), 0);
	put(&outer, TL_END, 8, 3 * MS);
	ask(0, 4 * MS);
	holds("\"total_lost\":0,\"total_overwritten\":7");
	holds("\"entries\":2,\"missing\":0");
	holds("\"history\":[0,11,3000000,1]");
	holds("\"count\":1,\"observed\":1,\"older\":0,\"samples\":0");
	tl_html_summary_free(summary);
}

TEST(percentiles_are_a_bucket_above_at_most)
{
	static const char median[] = "\"median\":", p99[] = "\"p99\":";
	int64_t at = 0;
	double value;

	begin();
	for (int i = 1; i <= 1000; i++) {
		put(&inner, TL_BEGIN, 8, at);
		put(&inner, TL_END, 8, at + i * 100);
		at += 200000;
	}
	ask(0, at);
	ck_assert(strstr(tl_text_string(&got), median) != NULL);
	/* 500 of 1000 values are at most 50us, 990 at most 99us */
	value = strtod(strstr(got.data, median) + sizeof(median) - 1, NULL);
	ck_assert_double_ge(value, 50000);
	ck_assert_double_le(value, 1.25 * 50000);
	value = strtod(strstr(got.data, p99) + sizeof(p99) - 1, NULL);
	ck_assert_double_ge(value, 99000);
	ck_assert_double_le(value, 100000); /* the longest value */
	tl_html_summary_free(summary);
}

TEST(memory_is_bounded_and_everything_is_counted)
{
	begin();
	for (uint32_t i = 0; i < 1000; i++)
		put(&tick, TL_INSTANT, i + 1, i);
	ask(0, MS);
	holds("\"entries\":1000,\"missing\":0");
	holds("\"others\":true");
	tl_html_summary_free(summary);
}

TEST(a_clock_that_is_set_back_begins_anew)
{
	begin();
	put(&tick, TL_INSTANT, 8, INT64_C(1000000000) * MS);
	put(&tick, TL_INSTANT, 8, 0);
	put(&tick, TL_INSTANT, 8, MS);
	ask(0, 2 * MS);
	holds("\"entries\":2,\"missing\":0");
	tl_html_summary_free(summary);
}

/* == spans that may have ended == */

static bool
has_ended(uint32_t pid, uint32_t tid)
{
	return pid == 7 && tid == 8;
}

TEST(an_open_span_ends_with_the_last_entry_of_a_thread_that_has_ended)
{
	struct tl_html_question q = { .to_ns = INT64_MAX,
		.now_ns = START + 9 * MS };

	begin();
	put(&outer, TL_BEGIN, 8, 0);
	put(&outer, TL_BEGIN, 9, 0);
	put(&tick, TL_INSTANT, 8, 2 * MS);
	ask(0, 8 * MS);
	holds("\"entries\":2,\"gate\":6,\"bins\":[0,1,6,6,0,1000000,0,1,0,0,0,"
	      "0,1000000,0,2,1,7,0,1,1000000,0,3,");
	q.has_ended = has_ended;
	tl_text_clear(&got);
	tl_html_summary_write(summary, &got, &q);
	holds("\"ended\":true,\"entries\":2,\"gate\":6,\"bins\":[0,1,6,6,0,"
	      "1000000,0,1,0,0,0,0,1000000,0,2,1,7,0,1,0,0]");
	holds("\"ended\":false,\"entries\":1,\"gate\":6,\"bins\":[0,1,6,6,0,"
	      "1000000,0,");
	holds("\"stacks\":[[-1,0,2,11000000,0,0,0]]");
	tl_html_summary_free(summary);
}

/* The end may come at any time, but it would not be logged. */
TEST(a_span_whose_gate_has_closed_is_not_open)
{
	const struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = 1,
		.base = 4,
		.gates = true };
	struct tl_message priority = { .builtin = TIMELINE_BUILTIN_PRIORITY,
		.level = 9,
		.argc = 3 };
	struct tl_observer observer;
	struct tl_event e = { .message = &outer,
		.kind = TL_BEGIN,
		.level = 6,
		.ns = START,
		.tsc = 1000,
		.pid = 7,
		.tid = 8 };

	begin();
	tl_observer_init(&observer, &start);
	tl_observe(&observer, &e);
	ck_assert_uint_ne(e.observed, TL_UNOBSERVED);
	ck_assert_int_eq(tl_html_summary_put(summary, &e), 0);
	ask(0, 3 * MS);
	holds("\"entries\":1,\"gate\":6,\"bins\":[0,1,6,6,0,1000000,0,1,0,0,0,"
	      "0,1000000,0,");
	e = (struct tl_event){ .message = &priority,
		.kind = TL_INSTANT,
		.level = 9,
		.ns = START + 3 * MS,
		.tsc = 2000,
		.args = { 8, 8, 0 } };
	tl_observe(&observer, &e);
	ck_assert_int_eq(tl_html_summary_put(summary, &e), 0);
	ask(0, 9 * MS);
	holds("\"entries\":1,\"gate\":6,\"bins\":[0,1,6,6,0,0,0]");
	tl_html_summary_free(summary);
}

/* Levels below 8 are closed from 10 to 30 ms. */
TEST(the_history_has_the_lowest_open_level)
{
	const struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = 1,
		.base = 4,
		.gates = true };
	static const struct {
		int64_t ms;
		uint8_t level, to; /* to: a change of the priority */
	} list[] = { { 0, 6, 0 }, { 10, 9, 8 }, { 30, 9, 4 }, { 31, 3, 0 },
		{ 40, 6, 0 } };
	struct tl_message priority = { .builtin = TIMELINE_BUILTIN_PRIORITY,
		.level = 9,
		.argc = 3 };
	struct tl_message low = inner;
	struct tl_observer observer;

	low.level = low.gate = 3;
	begin();
	tl_observer_init(&observer, &start);
	for (size_t i = 0; i < TL_COUNT(list); i++) {
		struct tl_event e = { .message = list[i].to ? &priority
						 : list[i].level == 3 ? &low
								      : &outer,
			.kind = TL_INSTANT,
			.level = list[i].level,
			.ns = START + list[i].ms * MS,
			.tsc = (uint64_t)(1000 + 2 * list[i].ms),
			.pid = 7,
			.tid = 8,
			.args = { list[i].to, list[i].to, 0 } };

		tl_observe(&observer, &e);
		ck_assert_int_eq(tl_html_summary_put(summary, &e), 0);
	}
	ask(0, 49 * MS);
	holds("\"gate\":3,");
	holds("\"history\":[0,4,10000000,8,30000000,4]");
	tl_html_summary_free(summary);
}

/* The first 10 ms are overwritten in part, and inner is logged from 20 to 29 ms
 * only. */
TEST(rates_and_own_time_are_those_of_observed_time)
{
	const struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = 1,
		.base = 6,
		.complete_from = { { 0, 10000 } },
		.gates = true };
	static const struct {
		int64_t ms;
		struct tl_message *message;
		uint8_t kind;
	} list[] = { { 0, &outer, TL_BEGIN }, { 9, &outer, TL_END },
		{ 10, &outer, TL_BEGIN }, { 20, &tick, TL_INSTANT },
		{ 22, &inner, TL_BEGIN }, { 28, &inner, TL_END },
		{ 40, &outer, TL_END } };
	struct tl_message burst = { .builtin = TIMELINE_BUILTIN_BURST,
		.level = 9,
		.gate = 9,
		.argc = 3 };
	struct tl_observer observer;

	begin();
	tl_observer_init(&observer, &start);
	for (size_t i = 0; i < TL_COUNT(list); i++) {
		const bool is_burst = list[i].message == &tick;
		struct tl_event e = { .message =
					  is_burst ? &burst : list[i].message,
			.kind = list[i].kind,
			.level = list[i].message->level,
			.ns = START + list[i].ms * MS,
			.tsc = (uint64_t)(1000 * list[i].ms),
			.pid = 7,
			.tid = 8,
			.proven = list[i].message == &outer,
			.args = { 5, 6, 6 << TIMELINE_UNTIL_SHIFT } };

		if (e.proven && e.kind == TL_END) {
			e.begun = TL_BEGUN;
			e.begun_tsc = (uint64_t)(1000 * list[i - 1].ms);
			if (list[i].ms == 40)
				e.begun_tsc = 10000;
			e.duration_ns = (int64_t)(e.tsc - e.begun_tsc) * 1000;
			e.begun_ns = e.ns - e.duration_ns;
		}
		tl_observe(&observer, &e);
		ck_assert_int_eq(tl_html_summary_put(summary, &e), 0);
	}
	ask(0, 40 * MS);
	holds("\"history\":[0,11,10000000,6,20000000,5,28672000,6]");
	holds("\"kind\":2,\"builtin\":0,\"observed_ns\":30000000,"
	      "\"count\":1,\"observed\":1,\"older\":1,\"samples\":1,"
	      "\"total\":30000000,");
	holds("\"kind\":2,\"builtin\":0,\"observed_ns\":8672000,"
	      "\"count\":1,\"observed\":1,\"older\":0,\"samples\":1,"
	      "\"total\":6000000,");
	/* from 20 ms on a detail may still last that began before */
	holds("\"stacks\":[[-1,0,1,672000,23328000,0,0],"
	      "[0,2,1,6000000,0,0,0]]");
	tl_html_summary_free(summary);
}

TEST(a_span_that_is_not_sure_is_not_counted_but_those_within_it_are)
{
	begin();
	observed = 1;
	put(&outer, TL_BEGIN, 8, 0);
	put(&inner, TL_BEGIN, 8, MS);
	put(&inner, TL_END, 8, 2 * MS);
	observed = 2;
	put(&outer, TL_END, 8, 4 * MS);
	ask(0, 5 * MS);
	holds("\"bins\":[0,1,6,6,0,1000000,0,1,1,5,5,0,1000000,0,2,1,5,5,0,0,0,"
	      "4,1,6,6,0,0,0]");
	tl_html_summary_free(summary);
}

TEST(an_end_that_is_missed_within_a_span_keeps_no_thread_busy)
{
	begin();
	put(&outer, TL_BEGIN, 8, 0);
	put(&inner, TL_BEGIN, 8, MS);
	put(&outer, TL_END, 8, 2 * MS);
	put(&tick, TL_INSTANT, 8, 4 * MS);
	ask(0, 9 * MS);
	holds("\"bins\":[0,1,6,6,0,1000000,0,1,1,5,5,0,1000000,0,2,1,6,6,0,0,0,"
	      "4,1,7,0,1,0,0]");
	/* the end of inner arrives, and the two spans cross */
	put(&inner, TL_END, 8, 6 * MS);
	ask(0, 9 * MS);
	holds("4,1,7,0,1,1000000,0,5,0,0,0,0,1000000,0,6,1,5,5,0,0,0]");
	tl_html_summary_free(summary);
}

TEST(a_proven_span_is_counted_whole)
{
	struct tl_event end = { .message = &outer,
		.kind = TL_END,
		.level = 6,
		.ns = START + 5 * MS,
		.tsc = 500,
		.epoch = 0,
		.pid = 7,
		.tid = 8,
		.proven = true,
		.bare = true,
		.begun = TL_BEGUN,
		.begun_tsc = 200,
		.begun_ns = START + 2 * MS,
		.duration_ns = 3 * MS };

	begin();
	put(&tick, TL_INSTANT, 8, 0);
	ck_assert_int_eq(tl_html_summary_put(summary, &end), 0);
	ask(0, 9 * MS);
	holds("\"bins\":[0,1,7,0,1,0,0,2,0,0,0,0,1000000,0,3,0,0,0,0,1000000,0,"
	      "4,0,0,0,0,1000000,0,5,1,6,6,0,0,0]");
	holds("\"samples\":1,\"total\":3000000");
	tl_html_summary_free(summary);
}

TEST(counters_are_plotted)
{
	struct tl_message depth;
	struct tl_event e = { .message = &depth,
		.kind = TL_COUNTER,
		.level = 6,
		.pid = 7,
		.tid = 8 };
	static const int64_t at[] = { 0, 2, 2, 2, 5 };
	static const uint64_t values[] = { 4, 9, 2, 3, 6 };

	begin();
	define(&depth, "depth $n", TIMELINE_RECORD_COUNTER, 6);
	for (size_t i = 0; i < 5; i++) {
		e.ns = START + at[i] * MS;
		e.args[0] = values[i];
		ck_assert_int_eq(tl_html_summary_put(summary, &e), 0);
	}
	ask(MS, 9 * MS);
	holds("\"counters\":[{\"text\":\"depth $n\","
	      "\"category\":\"test\","
	      "\"pid\":7,\"low\":2,\"high\":9,\"before\":4,"
	      "\"bins\":[1,2,9,3,4,6,6,6]}]");
	tl_html_summary_free(summary);
}

TEST(what_comes_after_a_clock_was_set_back_a_little_is_counted)
{
	begin();
	put(&tick, TL_INSTANT, 8, 0);
	put(&tick, TL_INSTANT, 8, 20000 * MS);
	put(&outer, TL_BEGIN, 8, 10 * MS);
	put(&outer, TL_END, 8, 12 * MS);
	ask(0, 20 * MS);
	holds("\"newest\":\"1795202658012000000\"");
	holds("\"bin\":1000000,\"entries\":2,");
	holds("\"bins\":[10,1,6,6,0,1000000,0,11,0,0,0,0,1000000,0,12,1,6,6,0,"
	      "0,0]");
	tl_html_summary_free(summary);
}
