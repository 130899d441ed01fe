/* SPDX-License-Identifier: Apache-2.0 */
/* html_summary.c - the counts of a live timeline at any zoom. */
#include "format/html/summary.h"

#include "base/array.h"
#include "base/json.h"
#include "event/observe.h"
#include "lib/event_text.h"

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
	ck_assert_ok(tl_message_parse(m, tl_bytes_of(text)));
}

static void
begin(void)
{
	define(&outer, "outer $id", TIMELINE_RECORD_SPAN, 6);
	define(&inner, "inner", TIMELINE_RECORD_SPAN, 5);
	define(&tick, "tick $n", TIMELINE_RECORD_INSTANT, 7);
	ck_assert_ok(tl_html_summary_new(&summary));
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

	ck_assert_ok(tl_html_summary_put(summary, &e));
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

/* == cases in html_summary.cases == */

static bool
has_ended(uint32_t pid, uint32_t tid)
{
	return pid == 7 && tid == 8;
}

/* Print the answer, a line for each object. */
static void
put_answer(struct tl_text *out)
{
	for (const char *c = tl_text_string(&got); *c && *c != '\n'; c++) {
		if (c[0] == '{' && c[1] == '"')
			tl_put_string(out, "\n\t");
		tl_put_char(out, *c);
	}
}

/*
 * Count an event (event_text.h), whose time is after START.  Other lines:
 *	ask FROM TO	in nanoseconds
 *	ask_ended	at 9 ms; thread 8 has ended
 */
static void
run_line(struct tl_text *out, const char *line)
{
	const struct tl_html_question q = { .to_ns = INT64_MAX,
		.now_ns = START + 9 * MS,
		.has_ended = has_ended };
	struct tl_event e;
	long from, to;

	if (!summary) {
		event_text_reset();
		ck_assert_ok(tl_html_summary_new(&summary));
	}
	if (event_text_define(line))
		return;
	if (sscanf(line, "ask %ld %ld", &from, &to) == 2) {
		ask(from, to);
		put_answer(out);
	} else if (strcmp(line, "ask_ended") == 0) {
		tl_text_clear(&got);
		tl_html_summary_write(summary, &got, &q);
		put_answer(out);
	} else {
		e = event_text_parse(line, event_text_defined);
		e.ns += START;
		e.begun_ns += e.begun_ns ? START : 0;
		ck_assert_ok(tl_html_summary_put(summary, &e));
	}
}

TEST_LINES(answers, "tests/unit/format/html_summary.cases", run_line);

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
