/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sink.c - put events of any threads into a trace; the format "trace".
 */
#include "base/array.h"
#include "base/table.h"
#include "trace/writer.h"

#include "clock/clock.h"
#include "event/names.h"
#include "event/spans.h"
#include "trace/write.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <timeline.h>

struct slot {
	uint64_t who; /* pid and tid */
	uint32_t source;
	struct tl_trace_stream *stream;
};

struct tl_trace_sink {
	struct tl_sink sink; /* first: what callers see */
	struct tl_trace_writer *writer;
	struct tl_table table; /* of slots, by pid, tid and source */
	struct slot *slots;
	size_t count;
	size_t capacity;
	struct slot last;          /* stream NULL: none yet */
	struct tl_spans *spans;    /* which spans are around an event */
	struct tl_names processes; /* the names last written */
};

/* Write the name of a process before its first thread. */
static int
write_process(struct tl_trace_sink *s, uint32_t pid, struct tl_bytes name)
{
	int rc;

	if (name.size == 0 ||
	    tl_bytes_equal(name, tl_names_process(&s->processes, pid)))
		return 0;
	rc = tl_names_add(&s->processes, pid, 0, name);
	return rc < 0 ? rc : tl_trace_write_process(s->writer, pid, name);
}

/* Find the stream of a thread, which becomes s->last.  A new stream gets the
 * name, or the name in names (NULL: none). */
static int
find_stream(struct tl_trace_sink *s, uint32_t pid, uint32_t tid,
    uint32_t source, struct tl_bytes name, const struct tl_names *names)
{
	const uint64_t who = (uint64_t)pid << 32 | tid;
	const uint64_t hash = tl_hash_pair(who, source);
	struct tl_probe probe = tl_table_probe(&s->table, hash);
	struct tl_trace_stream *stream;
	uint32_t at;
	int rc;

	while (tl_probe_next(&probe, &at)) {
		if (s->slots[at].who == who && s->slots[at].source == source) {
			s->last = s->slots[at];
			return 0;
		}
	}
	if (TL_ARRAY_ROOM(s->slots, s->capacity, s->count) < 0)
		return -ENOMEM;
	if (name.size == 0)
		name = tl_names_is_hidden(names, pid, tid)
			   ? tl_bytes_of(TL_TRACE_UNNAMED)
			   : tl_names_own(names, pid, tid);
	if ((rc = tl_table_reserve(&s->table)) < 0 ||
	    (rc = write_process(s, pid, tl_names_process(names, pid))) < 0 ||
	    (rc = tl_trace_stream_new(&stream, s->writer, pid, tid, name)) < 0)
		return rc;
	tl_table_add(&s->table, hash, s->count); /* there is room */
	s->last = s->slots[s->count++] = (struct slot){ who, source, stream };
	return 0;
}

/* Make the stream of a thread s->last. */
static int
turn_to(struct tl_trace_sink *s, const struct tl_event *event, uint32_t tid)
{
	const uint64_t who = (uint64_t)event->pid << 32 | tid;

	if (s->last.stream && s->last.who == who &&
	    s->last.source == event->source)
		return 0;
	return find_stream(s, event->pid, tid, event->source, tl_bytes("", 0),
	    tl_event_names(event));
}

/* Follow which spans are around an event, and end the others.  The own thread
 * of a span that another thread ends has the end. */
static int
follow(struct tl_trace_sink *s, const struct tl_event *event)
{
	struct tl_span span = { 0 };
	int rc = tl_spans_put(s->spans, event,
	    tl_event_is_stamped(event) ? &span : NULL);

	if (rc > 0 && span.handed)
		rc = turn_to(s, event, span.tid);
	return rc < 0 ? rc
		      : tl_trace_stream_leave(s->last.stream, s->spans, event);
}

static int
sink_put(struct tl_sink *sink, const struct tl_event *event)
{
	struct tl_trace_sink *s = (struct tl_trace_sink *)(void *)sink;
	int rc = turn_to(s, event, event->tid);

	if (rc == 0 && event->message) /* a loss stays within its span */
		rc = follow(s, event);
	return rc < 0 ? rc : tl_trace_stream_put(s->last.stream, event);
}

static int
sink_finish(struct tl_sink *sink)
{
	struct tl_trace_sink *s = (struct tl_trace_sink *)(void *)sink;

	return tl_trace_writer_finish(s->writer);
}

int
tl_trace_sink(struct tl_trace_writer *writer, struct tl_sink **sink)
{
	struct tl_trace_sink *s = writer->sink;

	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return -ENOMEM;
		s->sink = (struct tl_sink){ sink_put, sink_finish };
		s->writer = writer;
		if (tl_spans_new(&s->spans) < 0) {
			free(s);
			return -ENOMEM;
		}
		writer->sink = s;
	}
	*sink = &s->sink;
	return 0;
}

int
tl_trace_sink_thread(struct tl_trace_writer *writer, uint32_t pid, uint32_t tid,
    struct tl_bytes name)
{
	struct tl_sink *sink;
	const int rc = tl_trace_sink(writer, &sink);

	return rc < 0 ? rc : find_stream(writer->sink, pid, tid, 0, name, NULL);
}

void
tl_trace_sink_free(struct tl_trace_sink *s)
{
	if (!s)
		return;
	tl_spans_free(s->spans);
	tl_table_free(&s->table);
	tl_names_free(&s->processes);
	free(s->slots);
	free(s);
}

/* == as a format == */

struct trace_write {
	struct tl_writer writer; /* first: what callers see */
	struct tl_trace_writer *trace;
	struct tl_sink *sink;
	struct tl_observer observer; /* fed the changes of levels */
};

static struct trace_write *
write_of(struct tl_writer *writer)
{
	return (struct trace_write *)writer;
}

/* Pass blocks on unbuffered, because they are large. */
static int
append(void *context, const void *data, size_t size)
{
	const struct tl_out *out = context;

	return out->write(out->context, data, size);
}

static int
tell(struct trace_write *w, const char *name, const char *value)
{
	if (value[0] == '\0')
		return 0;
	return tl_trace_write_info(w->trace, tl_bytes_of(name),
	    tl_bytes_of(value));
}

/* Write the timeline and the host of the events, so that the trace merges with
 * other traces like the timeline itself. */
static int
tell_origin(struct trace_write *w)
{
	const struct tl_writer *writer = &w->writer;
	const struct tl_origin *origin = &writer->facts.origin;
	char boot[TL_ORIGIN_BOOT_SIZE];
	int rc;

	tl_origin_boot_text(origin->boot_id, boot);
	if ((rc = tell(w, "host", origin->machine)) < 0 ||
	    (rc = tell(w, "command", origin->command)) < 0 ||
	    (rc = tell(w, "timeline", origin->timeline)) < 0 ||
	    (rc = tell(w, "boot", boot)) < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < writer->facts.knot_count; i++)
		rc = tl_trace_write_knot(w->trace, &writer->facts.knots[i]);
	return rc;
}

static int
trace_begin(struct tl_writer *writer)
{
	struct trace_write *w = write_of(writer);
	const struct tl_trace_options options = { .data = append,
		.context = &writer->out,
		.created_ns = tl_clock_read(CLOCK_REALTIME) };
	int rc = tl_trace_writer_new(&w->trace, &options);

	if (rc < 0 || (rc = tl_trace_sink(w->trace, &w->sink)) < 0 ||
	    (rc = tell_origin(w)) < 0)
		return rc;
	if (writer->facts.observed) {
		tl_observer_init(&w->observer, writer->facts.observed);
		rc = tl_trace_write_observed(w->trace, &w->observer,
		    TL_TRACE_OBSERVED);
	}
	if (rc < 0)
		return rc;
	return tell(w, "title", writer->facts.title ? writer->facts.title : "");
}

static int
trace_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct trace_write *w = write_of(writer);
	struct tl_event change = *event;

	if (writer->facts.observed && event->message &&
	    tl_observed_is_change(event->message))
		tl_observe(&w->observer, &change);
	return w->sink->put(w->sink, event);
}

static int
trace_end(struct tl_writer *writer)
{
	struct trace_write *w = write_of(writer);
	const int rc =
	    writer->facts.observed
		? tl_trace_write_observed(w->trace, &w->observer, TL_TRACE_ENDS)
		: 0;

	return rc < 0 ? rc : tl_trace_writer_finish(w->trace);
}

static void
trace_free(struct tl_writer *writer)
{
	tl_trace_writer_free(write_of(writer)->trace);
}

static const struct tl_writer_kind trace_kind = { .begin = trace_begin,
	.put = trace_put,
	.end = trace_end,
	.free = trace_free };

int
tl_trace_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	return tl_writer_make(writer, sizeof(struct trace_write), &trace_kind,
	    write, context, report);
}
