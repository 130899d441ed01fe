/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the events are the lines of two tables, over and over again,
 * with times, numbers and first arguments that grow.
 */
#include "stream.h"

#include "bench.h"

#include <errno.h>
#include <timeline.h>

#define START_NS INT64_C(1795202658123456789)

enum { REQUEST, QUERY, PROCESSED, DEPTH, MESSAGES };

static const struct {
	const char *category;
	const char *text;
	uint8_t kind;
} defined[MESSAGES] = {
	{ "http", "request $id to $path%s", TIMELINE_RECORD_SPAN },
	{ "db", "query $rows", TIMELINE_RECORD_SPAN },
	{ "net", "processed $tcp, $udp, and $other", TIMELINE_RECORD_INSTANT },
	{ "queue", "depth $length", TIMELINE_RECORD_COUNTER },
};

struct line {
	uint8_t message;
	uint8_t kind;
	uint8_t thread;
	int32_t after_ns; /* the event before */
};

static const struct line work[] = {
	{ REQUEST, TL_BEGIN, 0, 400 },
	{ PROCESSED, TL_INSTANT, 1, 300 },
	{ QUERY, TL_BEGIN, 0, 1200 },
	{ DEPTH, TL_COUNTER, 1, 90 },
	{ REQUEST, TL_BEGIN, 1, 200 },
	{ PROCESSED, TL_INSTANT, 0, 400 },
	{ QUERY, TL_END, 0, 2100 },
	{ PROCESSED, TL_INSTANT, 1, 700 },
	{ REQUEST, TL_END, 1, 350 },
	{ DEPTH, TL_COUNTER, 0, 80 },
	{ PROCESSED, TL_INSTANT, 0, 310 },
	{ REQUEST, TL_END, 0, 4000 },
};

static const struct line spans_only[] = {
	{ REQUEST, TL_BEGIN, 0, 400 },
	{ QUERY, TL_BEGIN, 0, 1200 },
	{ QUERY, TL_END, 0, 2100 },
	{ REQUEST, TL_END, 0, 4000 },
};

static struct tl_message messages[MESSAGES];

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	static const char *const paths[] = { "/", "/index.html", "/cart?id=7",
		"/static/site.css" };

	(void)strings;
	return n >= 1 && n <= 4 ? tl_bytes_of(paths[n - 1]) : tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };

static void
define(void)
{
	for (unsigned i = 0; i < MESSAGES; i++) {
		struct tl_message *m = &messages[i];

		*m = (struct tl_message){ .category =
					      tl_bytes_of(defined[i].category),
			.id = 64 * (i + 1),
			.kind = defined[i].kind,
			.level = 6,
			.gate = 6,
			.strings = &strings };
		if (tl_message_parse(m, tl_bytes_of(defined[i].text)) < 0)
			bench_die("cannot define", -EINVAL);
	}
}

static void
fill(struct tl_event *event, const struct line *line, uint64_t i)
{
	event->ns += line->after_ns;
	event->tsc = (uint64_t)event->ns * 2;
	event->number = i;
	event->message = &messages[line->message];
	event->kind = line->kind;
	event->cpu = line->thread;
	event->tid = 4242u + line->thread;
	event->args[0] = i;
	event->args[1] = line->message == PROCESSED ? i % 1500
			 : line->message == REQUEST ? i % 4 + 1
						    : 0;
	event->args[2] = line->message == PROCESSED ? i << 20 : 0;
}

int
stream_put(struct tl_sink *sink, long count, bool spans)
{
	const struct line *lines = spans ? spans_only : work;
	const unsigned size = spans ? sizeof(spans_only) / sizeof(*lines)
				    : sizeof(work) / sizeof(*lines);
	struct tl_event event = { .ns = START_NS, .pid = 4242, .level = 6 };
	unsigned at = 0;
	int rc = 0;

	if (!messages[0].text.data)
		define();
	for (long i = 0; i < count && rc == 0; i++) {
		fill(&event, &lines[at], (uint64_t)i);
		rc = sink->put(sink, &event);
		at = at + 1 == size ? 0 : at + 1;
	}
	return rc == 0 ? sink->finish(sink) : rc;
}
