/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_fixture.h - messages, a list of events with cursors in both orders,
 * and functions to run a script over them and keep its output.
 */
#ifndef TL_TESTS_SCRIPT_FIXTURE_H
#define TL_TESTS_SCRIPT_FIXTURE_H

#include "base/text.h"
#include "event/sched.h"
#include "script/script.h"
#include "source/sources.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list of messages leaves out those of the kernel. */
enum { PROC, RATIO, LINK, WORK, STEP, QUEUE, MESSAGES };
enum { OUT = MESSAGES, IN, WOKEN, ALL_MESSAGES };
enum { FEED_MAX = 4096 };

static const struct {
	const char *category;
	const char *text;
	unsigned kind;
	unsigned level;
} defined[ALL_MESSAGES] = {
	{ "example", "processed $tcp, $udp, and $other\nLong explanation.",
	    TIMELINE_RECORD_INSTANT, 4 },
	{ "math", "ratio $x%f delta $d%d", TIMELINE_RECORD_INSTANT, 5 },
	{ "net", "link $name%s up after $t%t", TIMELINE_RECORD_INSTANT, 7 },
	{ "work", "request $id", TIMELINE_RECORD_SPAN, 6 },
	{ "work", "step $n", TIMELINE_RECORD_SPAN, 5 },
	{ "queue", "depth $value", TIMELINE_RECORD_COUNTER, 6 },
	{ TL_SCHED_CATEGORY, TL_SCHED_OUT, TIMELINE_RECORD_INSTANT, 4 },
	{ TL_SCHED_CATEGORY, TL_SCHED_IN, TIMELINE_RECORD_INSTANT, 4 },
	{ TL_SCHED_CATEGORY, TL_SCHED_WOKEN, TIMELINE_RECORD_INSTANT, 4 },
};

struct feed {
	struct tl_strings strings;
	struct tl_message messages[ALL_MESSAGES];
	const struct tl_message *list[ALL_MESSAGES];
	struct tl_event events[FEED_MAX]; /* oldest first */
	size_t count;
	int fail_after; /* the number of events after which next fails; -1:
			 * next never fails */
	size_t listed;
	struct tl_source source;
	int open; /* open cursors */
};

static struct tl_bytes
feed_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n == 1   ? tl_bytes_of("eth0")
	       : n == 2 ? tl_bytes_of("bad\x1b[31m")
	       : n == 3 ? tl_bytes_of("S")
	       : n == 4 ? tl_bytes_of(TL_SCHED_TASK)
			: tl_bytes(NULL, 0);
}

struct feed_cursor {
	struct tl_cursor cursor;
	struct feed *feed;
	size_t at;
	bool newest;
};

static inline int
feed_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct feed_cursor *self = (struct feed_cursor *)cursor;

	if (self->feed->fail_after >= 0 &&
	    self->at >= (size_t)self->feed->fail_after)
		return -5;
	if (self->at == self->feed->count)
		return 0;
	*event =
	    self->feed->events[self->newest ? self->feed->count - 1 - self->at
					    : self->at];
	self->at++;
	return 1;
}

static inline void
feed_close(struct tl_cursor *cursor)
{
	struct feed_cursor *self = (struct feed_cursor *)cursor;

	self->feed->open--;
	free(self);
}

static inline int
feed_open(const struct tl_source *source, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct feed_cursor *self = calloc(1, sizeof(*self));

	assert(self);
	self->cursor.next = feed_next;
	self->cursor.close = feed_close;
	self->feed = source->state;
	self->newest = order == TL_NEWEST_FIRST;
	self->feed->open++;
	*cursor = &self->cursor;
	return 0;
}

static inline size_t
feed_messages(const struct tl_source *source,
    const struct tl_message *const **list)
{
	const struct feed *feed = source->state;

	*list = feed->list;
	return feed->listed;
}

static inline void
feed_init(struct feed *feed, const char *name)
{
	static const struct tl_source_ops ops = { .cursor = feed_open,
		.messages = feed_messages };

	memset(feed, 0, sizeof(*feed));
	feed->fail_after = -1;
	feed->strings.get = feed_string;
	for (int i = 0; i < ALL_MESSAGES; i++) {
		struct tl_message *message = &feed->messages[i];
		const int rc =
		    tl_message_parse(message, tl_bytes_of(defined[i].text));

		assert(rc == 0);
		(void)rc;
		message->category = tl_bytes_of(defined[i].category);
		message->file = tl_bytes_of("example.c");
		message->line = 10 + (uint32_t)i;
		message->id = 16 * (1 + (uint32_t)i);
		message->kind = (uint8_t)defined[i].kind;
		message->level = (uint8_t)defined[i].level;
		message->gate = message->level;
		message->strings = &feed->strings;
		feed->list[i] = message;
	}
	feed->listed = MESSAGES;
	feed->source = (struct tl_source){ .ops = &ops,
		.state = feed,
		.name = name,
		.file = name,
		.format = "timeline" };
}

/* Add an event, ns later than the last one. */
static inline struct tl_event *
feed_add(struct feed *feed, int message, unsigned kind, uint64_t ns, uint64_t a,
    uint64_t b, uint64_t c)
{
	struct tl_event *event = &feed->events[feed->count];
	const int64_t before =
	    feed->count > 0 ? event[-1].ns : 1763666658123456789;

	assert(feed->count < FEED_MAX);
	*event = (struct tl_event){ .ns = before + (int64_t)ns,
		.tsc = 1000 + 3 * feed->count,
		.args = { a, b, c },
		.number = feed->count,
		.cpu = (uint32_t)(feed->count % 2),
		.pid = 100,
		.tid = 101,
		.kind = (uint8_t)kind };
	if (kind != TL_LOST) {
		event->message = &feed->messages[message];
		event->level = event->message->level;
	}
	feed->count++;
	return event;
}

/* Add a small sequence: instants, nested spans, a counter, a loss. */
static inline void
feed_story(struct feed *feed)
{
	const double ratio = 2.5;
	uint64_t bits;

	memcpy(&bits, &ratio, sizeof(bits));
	feed_add(feed, PROC, TL_INSTANT, 0, 10, 20, 3);
	feed_add(feed, PROC, TL_INSTANT, 1000, UINT64_MAX, 60, 8);
	feed_add(feed, RATIO, TL_INSTANT, 1000, bits, (uint64_t)-7, 0);
	feed_add(feed, LINK, TL_INSTANT, 1000, 1, 1234, 0);
	feed_add(feed, LINK, TL_INSTANT, 1000, 2, 1234, 0);
	feed_add(feed, LINK, TL_INSTANT, 1000, 9, 1234, 0);
	feed_add(feed, WORK, TL_BEGIN, 1000, 7, 0, 0);
	feed_add(feed, STEP, TL_BEGIN, 1000, 1, 0, 0);
	feed_add(feed, PROC, TL_INSTANT, 500, 1, 2, 3);
	feed_add(feed, STEP, TL_END, 1500, 0, 0, 0);
	feed_add(feed, QUEUE, TL_COUNTER, 1000, 42, 0, 0);
	feed_add(feed, WORK, TL_END, 1000, 0, 0, 0);
	feed_add(feed, 0, TL_LOST, 5000, 0, 0, 0)->lost = 1234;
	feed_add(feed, WORK, TL_BEGIN, 1000, 8, 0, 0);
}

struct result {
	struct tl_text out;
	struct tl_fault fault;
	char error[2000];
	int rc;
	int write_rc; /* result of io.write */
};

static inline int
result_write(void *context, const char *data, size_t size)
{
	struct result *result = context;

	if (result->write_rc < 0)
		return result->write_rc;
	tl_put_bytes(&result->out, tl_bytes(data, size));
	return 0;
}

static inline void
result_free(struct result *result)
{
	tl_text_free(&result->out);
}

/* Run a loaded script over the inputs of feeds. */
static inline int
run_loaded(struct tl_script *script, struct feed *const *feeds, size_t count,
    struct tl_fault *fault)
{
	struct tl_source items[4];
	struct tl_sources sources = { .items = items, .count = count };
	int rc;

	assert(count <= 4);
	for (size_t i = 0; i < count; i++)
		items[i] = feeds[i]->source;
	rc = tl_sources_find_hosts(&sources);
	if (rc == 0)
		rc = tl_script_run(script, &sources, NULL, fault);
	tl_hosts_free(sources.hosts);
	return rc;
}

/* Run a script, or a view if text is NULL, over the inputs of feeds. */
static inline void
run_with(struct result *result, struct feed *const *feeds, size_t count,
    const struct tl_script_limits *limits, const char *name, const char *text,
    int argc, const char *const *argv)
{
	const struct tl_script_io io = { .write = result_write,
		.context = result };
	struct tl_script *script;
	char *words[8], chunk[64];

	assert(argc <= 8);
	for (int i = 0; i < argc; i++)
		words[i] = strdup(argv[i]);
	result->error[0] = '\0';
	result->rc = tl_script_new(&script, limits, &io, &result->fault);
	if (result->rc < 0)
		goto words;
	snprintf(chunk, sizeof(chunk), "=%s", name);
	result->rc = text ? tl_script_load_text(script, chunk,
				tl_bytes_of(text), argc, words, &result->fault)
			  : tl_script_load_view(script, name, argc, words,
				&result->fault);
	if (result->rc == 0)
		result->rc = run_loaded(script, feeds, count, &result->fault);
	snprintf(result->error, sizeof(result->error), "%s",
	    tl_script_error(script));
	tl_script_free(script);
words:
	for (int i = 0; i < argc; i++)
		free(words[i]);
}

/* Run a script over one feed, with the default limits. */
static inline void
run_text(struct result *result, struct feed *feed, const char *text)
{
	run_with(result, &feed, 1, NULL, "test", text, 0, NULL);
}

#endif
