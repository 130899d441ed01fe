/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_why.c - any bytes as events, eight for each, through --why: as many
 * spans as event/spans.h pairs with certainty, and valid JSON whose shares are
 * in 0..1 and whose examples are slow.
 */
#include "analysis/why.h"
#include "base/json.h"
#include "event/spans.h"

#include <assert.h>
#include <stdlib.h>
#include <timeline.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGES = 6, EVENT_SIZE = 8, TIMES = 40 };

static struct tl_message messages[MESSAGES];

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t number)
{
	static const char texts[] = "abcdefgh";

	(void)strings;
	return number < 8 ? tl_bytes(&texts[number], 1) : tl_bytes(NULL, 0);
}

static void
define(void)
{
	static const struct tl_strings strings = { get_string };
	static const struct {
		const char *category, *text;
		uint8_t kind, scope;
	} rows[MESSAGES] = {
		{ "c", "span $a of $b%s", TIMELINE_RECORD_SPAN,
		    TIMELINE_THREAD },
		{ "c", "inner $x%f", TIMELINE_RECORD_SPAN, TIMELINE_THREAD },
		{ "c", "anywhere $n", TIMELINE_RECORD_SPAN, TIMELINE_SOURCE },
		{ "c", "instant", TIMELINE_RECORD_INSTANT, TIMELINE_THREAD },
		{ "sched", "state $s%s", TIMELINE_RECORD_INSTANT,
		    TIMELINE_THREAD },
		{ "c", "count $v", TIMELINE_RECORD_COUNTER, TIMELINE_THREAD },
	};

	for (unsigned i = 0; i < MESSAGES && !messages[i].text.data; i++) {
		struct tl_message *m = &messages[i];
		const int rc = tl_message_parse(m, tl_bytes_of(rows[i].text));

		assert(rc == 0);
		m->category = tl_bytes_of(rows[i].category);
		m->kind = rows[i].kind;
		m->scope = rows[i].scope;
		m->strings = &strings;
		m->id = i;
	}
}

static void
make_event(struct tl_event *event, const uint8_t *bytes, int64_t *ns)
{
	const struct tl_message *m = &messages[bytes[0] % MESSAGES];

	*event = (struct tl_event){ .message = m,
		.kind = m->kind == TIMELINE_RECORD_SPAN
			    ? (bytes[1] & 1 ? TL_BEGIN : TL_END)
			: m->kind == TIMELINE_RECORD_COUNTER ? TL_COUNTER
							     : TL_INSTANT,
		.pid = bytes[2] & 1u,
		.tid = bytes[2] & 3u,
		.cpu = bytes[3] & 7u,
		.args = { bytes[4], bytes[5] % 9u } };
	if (bytes[0] == 255) {
		event->kind = TL_LOST;
		event->message = NULL;
	}
	if (event->cpu == 7)
		event->cpu = TL_CPU_UNKNOWN;
	*ns += bytes[1] > 250 ? -bytes[6] : bytes[6] << (bytes[7] % 24);
	event->ns = *ns;
}

/*
 * Check the members that have bounds, wherever they are; returns the number of
 * spans.
 */
static uint64_t
check_json(struct tl_bytes text)
{
	struct tl_json json = { 0 };
	struct tl_json_token token;
	bool is_share = false, is_spans = false;
	uint64_t spans = 0;
	int kind;

	tl_json_feed(&json, text);
	tl_json_finish(&json);
	while ((kind = tl_json_next(&json, &token)) != TL_JSON_END) {
		double share;
		uint64_t number;

		assert(kind > 0);
		if (kind == TL_JSON_KEY) {
			is_share =
			    tl_bytes_equal(token.text, tl_bytes_of("covers")) ||
			    tl_bytes_equal(token.text,
				tl_bytes_of("precision")) ||
			    tl_bytes_equal(token.text, tl_bytes_of("excess")) ||
			    tl_bytes_equal(token.text, tl_bytes_of("p"));
			is_spans =
			    tl_bytes_equal(token.text, tl_bytes_of("spans"));
			continue;
		}
		if (kind == TL_JSON_NUMBER && is_share) {
			assert(tl_json_double(token.text, &share) == 0);
			assert(share >= 0 && share <= 1);
		}
		if (kind == TL_JSON_NUMBER && is_spans &&
		    tl_json_unsigned(token.text, &number) == 0)
			spans += number;
		is_share = is_spans = false;
	}
	tl_json_free(&json);
	return spans;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_why_plan plan = { .glob = "*",
		.slower_ns = size > 0 && data[0] & 1 ? data[0] : 0,
		.slowest = size > 0 && data[0] == 2 ? 20 : 0 };
	struct tl_spans *spans;
	uint64_t sure = 0;
	struct tl_why *why;
	struct tl_sink *sink;
	struct tl_text text = { 0 };
	struct tl_event event;
	struct tl_span span;
	int64_t ns = 1000;
	int rc;

	define();
	rc = tl_why_new(&why, &plan) | tl_spans_new(&spans);
	assert(rc == 0);
	sink = tl_why_sink(why);
	for (unsigned times = 0; times < TIMES; times++) {
		for (size_t at = 1; at + EVENT_SIZE <= size; at += EVENT_SIZE) {
			make_event(&event, data + at, &ns);
			rc = sink->put(sink, &event);
			assert(rc == 0);
			rc = tl_spans_put(spans, &event, &span);
			assert(rc >= 0);
			sure += rc > 0 && tl_span_is_sure(&span);
		}
	}
	rc = sink->finish(sink);
	assert(rc == 0);
	rc = tl_why_put_json(why, &text);
	assert(rc == 0);
	assert(check_json(tl_bytes(text.data, text.size)) == sure);
	rc = tl_why_put_text(why, &text);
	assert(rc == 0);
	tl_text_free(&text);
	tl_why_free(why);
	tl_spans_free(spans);
	return 0;
}
