/* SPDX-License-Identifier: Apache-2.0 */
/* sink.c - events of all threads, each to the stream of its own. */
#include "trace/writer.h"

#include <errno.h>
#include <stdlib.h>

enum { SLOTS_FIRST = 64 };

struct slot {
	uint64_t who; /* pid and tid */
	uint32_t source;
	struct tl_trace_stream *stream; /* NULL: free */
};

struct tl_trace_sink {
	struct tl_sink sink; /* first: what callers see */
	struct tl_trace_writer *writer;
	struct slot *slots;
	size_t size; /* a power of two, at least twice count */
	size_t count;
	struct slot last;
};

static struct slot *
find_slot(struct slot *slots, size_t size, uint64_t who, uint32_t source)
{
	const uint64_t hash = (who + source) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (size - 1);

	while (slots[i].stream &&
	       (slots[i].who != who || slots[i].source != source))
		i = (i + 1) & (size - 1);
	return &slots[i];
}

static int
grow(struct tl_trace_sink *s)
{
	const size_t size = s->size * 2;
	struct slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < s->size; i++) {
		const struct slot *old = &s->slots[i];

		if (old->stream)
			*find_slot(slots, size, old->who, old->source) = *old;
	}
	free(s->slots);
	s->slots = slots;
	s->size = size;
	return 0;
}

/* The stream of a thread, which is s->last then; a new one gets the name. */
static int
find_stream(struct tl_trace_sink *s, uint32_t pid, uint32_t tid,
    uint32_t source, struct tl_bytes name)
{
	const uint64_t who = (uint64_t)pid << 32 | tid;
	struct slot *slot;
	int rc = 0;

	if (s->count * 2 >= s->size)
		rc = grow(s);
	if (rc < 0)
		return rc;
	slot = find_slot(s->slots, s->size, who, source);
	if (!slot->stream) {
		struct tl_trace_stream *stream;

		rc = tl_trace_stream_new(&stream, s->writer, pid, tid, name);
		if (rc < 0)
			return rc;
		*slot = (struct slot){ who, source, stream };
		s->count++;
	}
	s->last = *slot;
	return 0;
}

static int
sink_put(struct tl_sink *sink, const struct tl_event *event)
{
	struct tl_trace_sink *s = (struct tl_trace_sink *)(void *)sink;
	const uint64_t who = (uint64_t)event->pid << 32 | event->tid;

	if (!s->last.stream || s->last.who != who ||
	    s->last.source != event->source) {
		const int rc = find_stream(s, event->pid, event->tid,
		    event->source, tl_bytes("", 0));

		if (rc < 0)
			return rc;
	}
	return tl_trace_stream_put(s->last.stream, event);
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
		s->slots = calloc(SLOTS_FIRST, sizeof(*s->slots));
		if (!s->slots) {
			free(s);
			return -ENOMEM;
		}
		s->size = SLOTS_FIRST;
		s->sink = (struct tl_sink){ sink_put, sink_finish };
		s->writer = writer;
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

	return rc < 0 ? rc : find_stream(writer->sink, pid, tid, 0, name);
}

void
tl_trace_sink_free(struct tl_trace_sink *s)
{
	if (!s)
		return;
	free(s->slots);
	free(s);
}
