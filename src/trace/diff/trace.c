/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - write the differences as a trace.
 *
 * A span without an end event also stays open in the written trace, until an
 * event follows that is not inside it.
 */
#include "trace/diff/trace.h"
#include "event/message_map.h"

#include <errno.h>
#include <stdlib.h>

enum {
	STREAMS_AT_ONCE = 64, /* threads that may hold a buffer */
	MARK_SIZE = 2
};

/* The kinds of a message. */
enum variant {
	PLAIN,
	REMOVED,
	ADDED,
	CHANGED,
	OLD, /* the left side of a changed event, as an instant */
	VARIANTS
};

struct marked {
	struct tl_message message;
	char text[];
};

/* The variants of one message; each is made when it is needed. */
struct variants {
	struct marked *made[VARIANTS];
};

struct trace_sink {
	struct tl_diff_sink sink; /* first: what callers see */
	struct tl_trace_writer *writer;
	struct tl_trace_stream *stream;
	struct tl_message_map variants;
	struct tl_message took;
	struct tl_message took_now;
	/* The messages of the spans that are open, by depth; NULL: none. */
	const struct tl_message **open;
	size_t depth;
	size_t capacity;
	uint64_t threads;
	uint64_t shift; /* added to the times of threads that only left has */
	bool shifted;
	int64_t now;
};

static struct trace_sink *
trace_of(struct tl_diff_sink *sink)
{
	return (struct trace_sink *)sink;
}

/* == messages == */

static const char *const marks[VARIANTS] = {
	[PLAIN] = "",
	[REMOVED] = "- ",
	[ADDED] = "+ ",
	[CHANGED] = "! ",
	[OLD] = "- ",
};

static struct marked *
make_marked(const struct tl_message *from, enum variant variant)
{
	const char *mark = marks[variant];
	const size_t mark_size = strlen(mark);
	size_t size = from->text.size;
	struct marked *m;

	if (size > TL_TRACE_TEXT_MAX - MARK_SIZE)
		size = TL_TRACE_TEXT_MAX - MARK_SIZE;
	m = malloc(sizeof(*m) + mark_size + size);
	if (!m)
		return NULL;
	memcpy(m->text, mark, mark_size);
	if (size > 0)
		memcpy(m->text + mark_size, from->text.data, size);
	m->message = *from;
	m->message.user = NULL;
	/* the same arguments as in from: it cannot be refused */
	(void)tl_message_parse(&m->message,
	    tl_bytes(m->text, mark_size + size));
	if (variant == OLD)
		m->message.kind = TIMELINE_RECORD_INSTANT;
	return m;
}

static struct variants *
variants_of(struct trace_sink *s, const struct tl_message *message, int *rc)
{
	struct variants *v = tl_message_map_find(&s->variants, message);

	if (v)
		return v;
	v = calloc(1, sizeof(*v));
	*rc = v ? tl_message_map_add(&s->variants, message, v) : -ENOMEM;
	if (*rc < 0) {
		free(v);
		return NULL;
	}
	return v;
}

static const struct tl_message *
variant_of(struct trace_sink *s, const struct tl_message *message,
    enum variant variant, int *rc)
{
	struct variants *v;

	if (variant == PLAIN)
		return message;
	v = variants_of(s, message, rc);
	if (!v)
		return NULL;
	if (!v->made[variant] &&
	    !(v->made[variant] = make_marked(message, variant))) {
		*rc = -ENOMEM;
		return NULL;
	}
	return &v->made[variant]->message;
}

static void
free_variants(void *value)
{
	struct variants *v = value;

	for (unsigned i = 0; i < VARIANTS; i++)
		free(v->made[i]);
	free(v);
}

/* == events == */

static const uint8_t variant_for[TL_DIFF_RESULTS] = {
	[TL_DIFF_SAME] = PLAIN,
	[TL_DIFF_REMOVED] = REMOVED,
	[TL_DIFF_ADDED] = ADDED,
	[TL_DIFF_SLOWER] = CHANGED,
	[TL_DIFF_FASTER] = CHANGED,
	[TL_DIFF_CHANGED] = CHANGED,
};

/* Put an event of a node with another message.  The times of the left side are
 * of another run: they are shifted, or replaced by that of the last event. */
static int
put(struct trace_sink *s, const struct tl_event *from, bool right,
    const struct tl_message *message)
{
	struct tl_event event = *from;

	event.message = message;
	if (!right) { /* another clock */
		event.tsc = event.number = 0;
		event.error_ns = event.epoch = 0;
		event.ns = s->shifted ? (int64_t)((uint64_t)event.ns + s->shift)
				      : s->now;
	}
	s->now = event.ns;
	return tl_trace_stream_put(s->stream, &event);
}

/* Put an instant with a duration. */
static int
put_took(struct trace_sink *s, const struct tl_message *message,
    const struct tl_diff_item *item)
{
	const struct tl_node *node = item->right ? item->right : item->left;
	struct tl_event event = node->event;

	event.ns = s->now;
	event.tsc = event.number = 0;
	event.kind = TL_INSTANT;
	event.message = message;
	event.level = message->level;
	memset(event.args, 0, sizeof(event.args));
	event.args[0] = (uint64_t)item->left_ns;
	if (message->argc > 1)
		event.args[1] = (uint64_t)item->right_ns;
	return tl_trace_stream_put(s->stream, &event);
}

/* End the open spans without end events from a depth on. */
static int
end_deeper(struct trace_sink *s, uint32_t depth)
{
	while (s->depth > depth) {
		const struct tl_message *message = s->open[s->depth - 1];
		struct tl_event event = { .kind = TL_END,
			.bare = true,
			.ns = s->now,
			.cpu = TL_CPU_UNKNOWN,
			.message = message };
		int rc = 0;

		if (message) {
			event.level = message->level;
			rc = tl_trace_stream_put(s->stream, &event);
		}
		if (rc < 0)
			return rc;
		s->depth--;
	}
	return 0;
}

/* Make room for a node at a depth; the nodes around it are there. */
static int
reserve(struct trace_sink *s, uint32_t depth)
{
	const size_t capacity = (size_t)depth * 2 + 16;
	const struct tl_message **open;

	if (depth < s->capacity)
		return 0;
	open = realloc(s->open, capacity * sizeof(*open));
	if (!open)
		return -ENOMEM;
	s->open = open;
	s->capacity = capacity;
	return 0;
}

static int
put_old(struct trace_sink *s, const struct tl_diff_item *item)
{
	const struct tl_message *message;
	struct tl_event old;
	int rc = 0;

	if (!item->changed || !item->left->event.message)
		return 0;
	old = item->left->event;
	message = variant_of(s, old.message, OLD, &rc);
	if (!message)
		return rc;
	old.kind = TL_INSTANT;
	old.bare = false;
	return put(s, &old, false, message);
}

/* == the sink == */

static int
trace_thread(struct tl_diff_sink *sink, const struct tl_trace_thread *left,
    const struct tl_trace_thread *right)
{
	struct trace_sink *s = trace_of(sink);
	const struct tl_trace_thread *thread = right ? right : left;
	int rc = 0;

	s->depth = 0;
	s->shifted = !right;
	s->now = thread->min_ns;
	if (s->threads++ % STREAMS_AT_ONCE == STREAMS_AT_ONCE - 1)
		rc = tl_trace_writer_flush(s->writer);
	if (rc == 0)
		rc = tl_trace_stream_new(&s->stream, s->writer, thread->pid,
		    thread->tid, thread->name);
	return rc;
}

/* Put durations that the times of the trace do not show: both of a span that
 * became slower or faster, and that of a removed span. */
static int
put_durations(struct trace_sink *s, const struct tl_diff_item *item)
{
	if (item->result == TL_DIFF_SLOWER || item->result == TL_DIFF_FASTER)
		return put_took(s, &s->took_now, item);
	if (item->result == TL_DIFF_REMOVED && !s->shifted &&
	    item->left_ns != TL_DIFF_NO_TIME)
		return put_took(s, &s->took, item);
	return 0;
}

static int
trace_enter(struct tl_diff_sink *sink, const struct tl_diff_item *item)
{
	struct trace_sink *s = trace_of(sink);
	const struct tl_node *node = item->right ? item->right : item->left;
	const struct tl_event *event = &node->event;
	const struct tl_message *message = NULL;
	int rc = reserve(s, item->depth);

	if (rc < 0 || (rc = end_deeper(s, item->depth)) < 0 ||
	    (rc = put_old(s, item)) < 0)
		return rc;
	if (event->message)
		message = variant_of(s, event->message,
		    variant_for[item->result], &rc);
	/* losses of left are left out */
	if (rc == 0 && (message || item->right))
		rc = put(s, event, item->right, message);
	s->open[item->depth] = node->ended == TL_NODE_LEAF ? NULL : message;
	s->depth = (size_t)item->depth + 1;
	return rc < 0 ? rc : put_durations(s, item);
}

static int
trace_leave(struct tl_diff_sink *sink, const struct tl_diff_item *item)
{
	struct trace_sink *s = trace_of(sink);
	const struct tl_node *node = item->right ? item->right : item->left;

	if (node->ended != TL_NODE_ENDED)
		return 0;
	s->depth = item->depth;
	return put(s, &node->end, item->right, s->open[item->depth]);
}

static int
trace_finish(struct tl_diff_sink *sink, const struct tl_diff_counts *counts)
{
	struct trace_sink *s = trace_of(sink);
	struct tl_text text = { 0 };
	int rc;

	tl_diff_put_counts(&text, counts);
	rc = text.rc;
	if (rc == 0)
		rc = tl_trace_write_info(s->writer,
		    tl_bytes_of(TL_DIFF_CATEGORY),
		    tl_bytes(text.data, text.size));
	tl_text_free(&text);
	return rc;
}

static void
define(struct tl_message *message, const char *text)
{
	(void)tl_message_parse(message, tl_bytes_of(text)); /* it is valid */
	message->category = tl_bytes_of(TL_DIFF_CATEGORY);
	message->kind = TIMELINE_RECORD_INSTANT;
	message->level = message->gate = (uint8_t)tl_level_parse("info");
}

static int64_t
begin_of(const struct tl_trace *trace)
{
	int64_t begin = INT64_MAX;

	for (size_t i = 0; i < tl_trace_thread_count(trace); i++) {
		const struct tl_trace_thread *t = tl_trace_thread(trace, i);

		if (t->min_ns < begin)
			begin = t->min_ns;
	}
	return begin;
}

int
tl_diff_trace_new(struct tl_diff_sink **sink, struct tl_trace *left,
    struct tl_trace *right, struct tl_trace_writer *writer)
{
	struct trace_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->sink = (struct tl_diff_sink){ trace_thread, trace_enter, trace_leave,
		trace_finish };
	s->writer = writer;
	s->shift = (uint64_t)begin_of(right) - (uint64_t)begin_of(left);
	if (begin_of(right) == INT64_MAX)
		s->shift = 0; /* there is no time to move it to */
	define(&s->took, "took $left%t");
	define(&s->took_now, "took $left%t, now $right%t");
	*sink = &s->sink;
	return 0;
}

void
tl_diff_trace_free(struct tl_diff_sink *sink)
{
	struct trace_sink *s;

	if (!sink)
		return;
	s = trace_of(sink);
	tl_message_map_free(&s->variants, free_variants);
	free(s->open);
	free(s);
}
