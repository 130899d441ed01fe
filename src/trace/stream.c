/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - write the events of one thread into blocks.
 *
 * An object is written only if there is room for the largest object, and after
 * all memory for the object was allocated.  The stream is thus whole after any
 * failure.
 */
#include "trace/writer.h"

#include "base/array.h"
#include "event/render.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	BUFFER_FIRST = 4096,
	AROUND = TL_BLOCK_AROUND,
	SILENT_SIZE = 24 /* approximate size of a footer without an end event */
};

/* The state of a message in a stream. */
struct stream_message {
	uint32_t id;
	uint8_t strings;
	uint32_t open; /* open spans of the message that are not cut */
};

static void
begin_block(struct tl_trace_stream *s)
{
	s->block = (struct tl_trace_block){ .thread = s->id,
		.logical = s->block.logical + s->out.size,
		.depth = s->shape.depth,
		.min_ns = INT64_MAX,
		.max_ns = INT64_MIN };
	s->out.size = 0;
	s->shape.cells_size = 0;
	s->state = (struct tl_point_state){ 0 };
}

/* Count the bytes of the stream that are not yet in the file. */
static void
count_waiting(struct tl_trace_stream *s)
{
	struct tl_trace_writer *w = s->writer;
	const uint64_t depth = s->shape.depth;
	uint64_t size = s->out.size + depth * SILENT_SIZE;

	if (!w->options.alone)
		return;
	if (size > 0)
		size += AROUND;
	size += s->kept_size;
	w->waiting += size - s->counted;
	s->counted = size;
}

/* Add a stream to the writer.  The lock of the writer is held. */
static int
register_stream(struct tl_trace_writer *w, struct tl_trace_stream *s,
    uint32_t pid, uint32_t tid, struct tl_bytes name)
{
	int rc;

	if (w->stream_count == INT32_MAX)
		return -ENOSPC;
	if (TL_ARRAY_ROOM(w->streams, w->stream_capacity, w->stream_count) < 0)
		return -ENOMEM;
	s->id = (int32_t)w->stream_count;
	rc = tl_define_thread(&w->definitions, s->id, pid, tid, name);
	if (rc == 0)
		rc = tl_block_settle(w);
	if (rc == 0)
		w->streams[w->stream_count++] = s;
	return rc;
}

__attribute__((cold)) int
tl_trace_stream_new(struct tl_trace_stream **stream, struct tl_trace_writer *w,
    uint32_t pid, uint32_t tid, struct tl_bytes name)
{
	struct tl_trace_stream *s = calloc(1, sizeof(*s));
	int rc = s ? tl_shape_init(&s->shape) : -ENOMEM;

	if (rc < 0) {
		free(s);
		return rc;
	}
	s->writer = w;
	s->kept_end = &s->kept;
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_lock(&w->lock);
	rc = register_stream(w, s, pid, tid, name);
	if (rc == 0)
		begin_block(s);
	pthread_mutex_unlock(&w->lock);
	if (rc < 0)
		tl_trace_stream_free(s);
	else
		*stream = s;
	return rc;
}

int
tl_trace_stream_rename(struct tl_trace_stream *s, uint32_t pid, uint32_t tid,
    struct tl_bytes name)
{
	struct tl_trace_writer *w = s->writer;

	pthread_mutex_lock(&w->lock);
	return tl_block_unlock(w,
	    tl_define_thread(&w->definitions, s->id, pid, tid, name));
}

__attribute__((cold)) void
tl_trace_stream_free(struct tl_trace_stream *s)
{
	while (s->kept) {
		struct tl_kept *next = s->kept->next;

		free(s->kept);
		s->kept = next;
	}
	tl_message_map_free(&s->messages, free);
	tl_shape_free(&s->shape);
	pthread_mutex_destroy(&s->lock);
	free(s->strings);
	free(s->buffer);
	free(s->packed);
	free(s);
}

static int
keep(struct tl_trace_stream *s)
{
	const size_t size = s->out.size + AROUND;
	const size_t cells_size = s->shape.cells_size;
	struct tl_kept *kept = malloc(sizeof(*kept) + size + cells_size);

	if (!kept)
		return -ENOMEM;
	*kept = (struct tl_kept){ .block = s->block, .cells_size = cells_size };
	memcpy(kept->bytes, s->buffer, size);
	if (cells_size > 0)
		memcpy(kept->bytes + size, s->shape.cells, cells_size);
	*s->kept_end = kept;
	s->kept_end = &kept->next;
	s->kept_size += size;
	return 0;
}

/* Write a block, packed if packing makes the block smaller. */
static int
write_out(struct tl_trace_stream *s, struct tl_trace_block block,
    uint8_t *bytes, const uint8_t *cells, size_t cells_size)
{
	const struct tl_trace_codec *codec = s->writer->options.codec;
	int64_t size;

	if (codec) {
		free(s->packed);
		s->packed = malloc((size_t)block.size + AROUND);
		if (!s->packed)
			return -ENOMEM;
		size = codec->pack(codec->context,
		    s->packed + TL_TRACE_BLOCK_HEADER, block.size - 1,
		    bytes + TL_TRACE_BLOCK_HEADER, block.size);
		if (size < 0)
			return (int)size;
		if (size > 0 && size < block.size) {
			block.flags |= TL_BLOCK_PACKED;
			block.stored = (uint32_t)size;
			bytes = s->packed;
		}
	}
	return tl_block_write(s->writer, &block, bytes, cells, cells_size);
}

__attribute__((cold)) int
tl_trace_stream_flush(struct tl_trace_stream *s)
{
	int rc;

	if (s->out.size == 0)
		return 0;
	s->block.stored = s->block.size = (uint32_t)s->out.size;
	if (s->writer->options.strategy == TL_TRACE_COLLECT)
		rc = keep(s);
	else
		rc = write_out(s, s->block, s->buffer, s->shape.cells,
		    s->shape.cells_size);
	if (rc < 0)
		return rc;
	begin_block(s);
	count_waiting(s);
	return 0;
}

__attribute__((cold)) int
tl_stream_rest(struct tl_trace_stream *s)
{
	if (s->out.size > 0)
		return tl_trace_stream_flush(s);
	/* no events since the last call, so the thread may have ended */
	free(s->buffer);
	free(s->packed);
	s->buffer = s->packed = NULL;
	s->out = (struct tl_data_out){ 0 };
	return 0;
}

__attribute__((cold)) int
tl_trace_stream_write_kept(struct tl_trace_stream *s)
{
	struct tl_kept *k;

	while ((k = s->kept)) {
		const int rc = write_out(s, k->block, k->bytes,
		    k->bytes + k->block.size + AROUND, k->cells_size);

		if (rc < 0)
			return rc;
		s->kept = k->next;
		free(k);
	}
	s->kept_end = &s->kept;
	s->kept_size = 0;
	count_waiting(s);
	return 0;
}

__attribute__((cold)) static int
grow_buffer(struct tl_trace_stream *s)
{
	const size_t max = s->writer->options.block_size;
	size_t capacity = s->out.capacity ? s->out.capacity * 2 : BUFFER_FIRST;
	uint8_t *buffer;

	if (capacity > max)
		capacity = max;
	buffer = realloc(s->buffer, capacity + AROUND);
	if (!buffer)
		return -ENOMEM;
	s->buffer = buffer;
	s->out.data = buffer + TL_TRACE_BLOCK_HEADER;
	s->out.capacity = capacity;
	return 0;
}

/* Make room for one more object, in this block or in the next. */
static int
make_room(struct tl_trace_stream *s)
{
	int rc = 0;

	if (s->out.capacity - s->out.size < TL_POINT_SIZE_MAX)
		rc = s->out.capacity < s->writer->options.block_size
			 ? grow_buffer(s)
			 : tl_trace_stream_flush(s);
	return rc < 0 ? rc : tl_shape_reserve(&s->shape);
}

static struct stream_message *
find_message(struct tl_trace_stream *s, const struct tl_message *message,
    int *rc)
{
	struct stream_message *m = tl_message_map_find(&s->messages, message);
	const struct tl_defined *defined;

	if (m)
		return m;
	pthread_mutex_lock(&s->writer->lock);
	defined = tl_define_message(&s->writer->definitions, message, rc);
	*rc = tl_block_unlock(s->writer, defined ? 0 : *rc);
	if (*rc == 0 && !(m = malloc(sizeof(*m))))
		*rc = -ENOMEM;
	if (*rc < 0)
		return NULL;
	*m = (struct stream_message){ defined->id, defined->strings, 0 };
	*rc = tl_message_map_add(&s->messages, message, m);
	if (*rc == 0)
		return m;
	free(m);
	return NULL;
}

/* Map the number of a source's string to the number in the file.  A string that
 * the source does not have becomes the text that listings show for it. */
static int
map_string(struct tl_trace_stream *s, const struct tl_message *message,
    uint64_t *number)
{
	struct tl_string_seen *seen;
	char missing[TL_MISSING_MAX];
	struct tl_bytes text;
	uint64_t id;
	int rc;

	if (!s->strings)
		s->strings = calloc(TL_STREAM_STRINGS, sizeof(*s->strings));
	if (!s->strings)
		return -ENOMEM;
	seen = &s->strings[(*number ^ *number >> 6) % TL_STREAM_STRINGS];
	if (seen->id > 0 && seen->strings == message->strings &&
	    seen->number == *number) {
		*number = seen->id;
		return 0;
	}
	text = tl_message_string(message, *number);
	if (!text.data)
		text = tl_render_missing(missing, *number);
	if ((rc = tl_trace_write_string(s->writer, text, &id)) < 0)
		return rc;
	*seen = (struct tl_string_seen){ message->strings, *number, id };
	*number = id;
	return 0;
}

static int
map_strings(struct tl_trace_stream *s, const struct tl_message *message,
    uint8_t strings, struct tl_event *event)
{
	int rc = 0;

	if (event->bare || message->strings == &tl_trace_own_strings)
		return 0;
	for (unsigned i = 0; rc == 0 && strings >> i; i++)
		if (strings >> i & 1)
			rc = map_string(s, message, &event->args[i]);
	return rc;
}

static void
note_time(struct tl_trace_stream *s, const struct tl_point *point)
{
	const int64_t ns = point->event.ns;

	s->last_ns = ns;
	if (point->silent)
		return;
	s->block.events++;
	if (ns < s->block.min_ns)
		s->block.min_ns = ns;
	if (ns > s->block.max_ns)
		s->block.max_ns = ns;
}

static int
put_point(struct tl_trace_stream *s, struct tl_point *point,
    struct stream_message *message)
{
	struct tl_shape *shape = &s->shape;
	const int rc = make_room(s);
	uint64_t at;

	if (rc == -ENOSPC && point->kind == TL_TRACE_SPAN)
		point->kind = TL_TRACE_POINT; /* too deep for a tree */
	if (rc < 0 && rc != -ENOSPC)
		return rc;
	at = s->block.logical + s->out.size;
	point->message = message ? message->id : 0;
	if (point->kind == TL_TRACE_FOOTER) {
		point->children = tl_shape_top(shape)->children;
		point->size = at - tl_shape_top(shape)->start;
		message->open -= !tl_shape_top(shape)->cut;
		tl_shape_end(shape, at);
	} else {
		tl_shape_child(shape, at);
	}
	tl_point_put(&s->out, &s->state, point);
	if (point->kind == TL_TRACE_SPAN) {
		message->open++;
		tl_shape_begin(shape, s->block.logical + s->out.size,
		    (uint64_t)(uintptr_t)message);
		tl_shape_top(shape)->observed = point->event.observed;
		tl_shape_top(shape)->tsc = point->event.tsc;
		tl_shape_top(shape)->ns = point->event.ns;
		tl_shape_top(shape)->steps_ns = point->event.steps_ns;
		tl_shape_top(shape)->epoch = point->event.epoch;
		tl_shape_top(shape)->losses = s->losses;
		tl_shape_top(shape)->proven = point->event.proven;
	}
	note_time(s, point);
	return 0;
}

static struct stream_message *
innermost(const struct tl_trace_stream *s)
{
	return (struct stream_message *)(uintptr_t)tl_shape_top(&s->shape)
	    ->user;
}

/* End the innermost span, which has no end event. */
__attribute__((cold)) static int
put_silent(struct tl_trace_stream *s, bool at_the_end)
{
	const struct tl_point_state *state = &s->state;
	struct tl_point point = { .kind = TL_TRACE_FOOTER,
		.silent = true,
		.event = { .ns = s->last_ns,
		    .tsc = state->tsc,
		    .number = state->number + 1,
		    .cpu = state->cpu,
		    .pid = state->pid,
		    .tid = state->tid,
		    .epoch = state->epoch,
		    .lane = state->lane,
		    .error_ns = state->error_ns,
		    .kind = TL_END,
		    .bare = at_the_end } };

	return put_point(s, &point, innermost(s));
}

/* The innermost open span of a message that has open spans. */
static struct tl_shape_level *
open_span(const struct tl_trace_stream *s, const struct stream_message *message)
{
	struct tl_shape_level *level = tl_shape_top(&s->shape);

	while (level->user != (uint64_t)(uintptr_t)message || level->cut)
		level--;
	return level;
}

static void
cut_span(struct tl_shape_level *level, struct stream_message *message)
{
	level->cut = true;
	message->open--;
}

/* Cut the open spans of a message whose observed interval has ended.  For an
 * end event, cut also a span that the event may not belong to.  true: no open
 * span is left for an end event. */
static bool
cut_spans(struct tl_trace_stream *s, const struct tl_event *event,
    struct stream_message *message)
{
	struct tl_shape_level *level;

	while (message->open > 0) {
		level = open_span(s, message);
		if (level->proven)
			return event->kind == TL_END;
		if (level->observed == TL_OBSERVED ||
		    tl_observed_joins(level->observed, event->observed))
			return false;
		if (tl_observed_cut(level->observed, event->observed)) {
			cut_span(level, message);
			continue;
		}
		if (event->kind == TL_END)
			cut_span(level, message);
		return event->kind == TL_END;
	}
	return true;
}

/* End the cut spans that are innermost.  Other cut spans end with the first
 * span around them that ends. */
static int
close_cut(struct tl_trace_stream *s)
{
	int rc = 0;

	while (rc == 0 && tl_shape_top(&s->shape)->cut)
		rc = put_silent(s, false);
	return rc;
}

/* The open span of a stamped end.  levels[0]: none. */
static struct tl_shape_level *
stamped_span(const struct tl_trace_stream *s, const struct tl_event *end,
    const struct stream_message *message)
{
	struct tl_shape_level *level = tl_shape_top(&s->shape);

	while (level != s->shape.levels &&
	       (level->user != (uint64_t)(uintptr_t)message ||
		   level->tsc != end->begun_tsc ||
		   (level->epoch != end->epoch && level->ns != end->begun_ns)))
		level--;
	return level;
}

/* Put a stamped end.  The spans inside the span end without an end event. */
static int
put_stamped_end(struct tl_trace_stream *s, struct tl_point *point,
    struct stream_message *message)
{
	struct tl_shape *shape = &s->shape;
	const size_t at =
	    (size_t)(stamped_span(s, &point->event, message) - shape->levels);
	int rc = 0;

	if (at == 0)
		return put_point(s, point, message);
	while (rc == 0 && shape->depth > at)
		rc = put_silent(s, false);
	if (rc < 0)
		return rc;
	point->kind = TL_TRACE_FOOTER;
	return put_point(s, point, message);
}

/* If the clock was set within a span, the difference of the times is not the
 * length.  The end event then gets the stamp of the begin event and the
 * length. */
static void
keep_length(const struct tl_trace_stream *s, struct tl_event *end)
{
	const struct tl_shape_level *level = tl_shape_top(&s->shape);
	const struct tl_event begin = { .ns = level->ns,
		.steps_ns = level->steps_ns,
		.epoch = level->epoch,
		.source = end->source };

	if (level->epoch != end->epoch || level->steps_ns == end->steps_ns ||
	    level->losses != s->losses || level->tsc > end->tsc)
		return;
	end->proven = true;
	end->begun_tsc = level->tsc;
	end->duration_ns = tl_event_between(&begin, end);
}

/* Cut the spans that stay open at an end whose begin is unsure or missing. */
static void
cut_left(struct tl_trace_stream *s, const struct tl_event *end,
    struct stream_message *message)
{
	struct tl_shape_level *level = tl_shape_top(&s->shape);

	if (end->begun == TL_BEGUN_UNSURE) {
		level = stamped_span(s, end, message);
		if (level != s->shape.levels && !level->cut)
			cut_span(level, message);
		return;
	}
	for (; level != s->shape.levels; level--)
		if (level->user == (uint64_t)(uintptr_t)message &&
		    !level->cut && !level->proven)
			cut_span(level, message);
}

int
tl_trace_stream_leave(struct tl_trace_stream *s, struct tl_spans *spans,
    const struct tl_event *event)
{
	const struct tl_shape_level *level;
	const struct tl_event *begin;
	int rc = 0;

	if (s->shape.depth == 0 || event->kind == TL_END || !event->message ||
	    event->message->scope == TIMELINE_SOURCE)
		return 0;
	begin = event->kind == TL_BEGIN ? tl_spans_outer(spans)
					: tl_spans_around(spans, event);
	/* the innermost span, or none that is open, is around the event */
	level = tl_shape_top(&s->shape);
	while (begin && level != s->shape.levels &&
	       (level->tsc != begin->tsc || level->epoch != begin->epoch))
		level--;
	if (begin &&
	    (level == tl_shape_top(&s->shape) || level == s->shape.levels))
		return 0;
	if (!begin)
		level = s->shape.levels;
	pthread_mutex_lock(&s->lock);
	for (size_t left = s->shape.depth - (size_t)(level - s->shape.levels);
	     rc == 0 && left > 0; left--) {
		if (!tl_shape_top(&s->shape)->cut)
			cut_span(tl_shape_top(&s->shape), innermost(s));
		rc = put_silent(s, false);
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static int
put_event(struct tl_trace_stream *s, const struct tl_event *event)
{
	struct tl_point point = { .kind = TL_TRACE_POINT, .event = *event };
	struct stream_message *message;
	int rc = 0;

	if (event->kind == TL_LOST) {
		point.kind = TL_TRACE_LOSS;
		s->losses++;
		return put_point(s, &point, NULL);
	}
	message = find_message(s, event->message, &rc);
	if (!message)
		return rc;
	if (event->message->builtin == TIMELINE_BUILTIN_LEVEL) {
		const uint64_t gates = event->args[3];
		const uint8_t before = (uint8_t)gates;
		const uint8_t after = (uint8_t)(gates >> TIMELINE_LEVEL_AFTER);
		const bool made = gates >> TIMELINE_LEVEL_MADE & 1;
		char name[] = TL_TRACE_GATE;

		/* Write the INFO of an entry that changes gates.  Newest first,
		 * a reader needs the gates at the end. */
		name[sizeof(name) - 2] =
		    (char)('0' +
			   (made || after < before ? after : before) % 10);
		rc = tl_trace_write_info(s->writer, tl_bytes_of(name),
		    tl_message_string(event->message, event->args[2]));
	}
	if (rc == 0)
		rc = map_strings(s, event->message, message->strings,
		    &point.event);
	if (rc < 0)
		return rc;
	if (event->message->scope == TIMELINE_SOURCE)
		return put_point(s, &point, message);
	if (event->kind == TL_END) {
		const uint8_t begun = point.event.begun;
		const bool is_left =
		    begun == TL_BEGUN_UNSURE || begun == TL_BEGUN_NONE;

		if (is_left)
			cut_left(s, &point.event, message);
		else if (tl_event_is_stamped(&point.event))
			return put_stamped_end(s, &point, message);
		if (is_left || cut_spans(s, &point.event, message)) {
			rc = close_cut(s);
			return rc < 0 ? rc : put_point(s, &point, message);
		}
		while (
		    innermost(s) != message || tl_shape_top(&s->shape)->cut) {
			rc = put_silent(s, false);
			if (rc < 0)
				return rc;
		}
		keep_length(s, &point.event);
		point.kind = TL_TRACE_FOOTER;
		return put_point(s, &point, message);
	}
	if (event->kind == TL_BEGIN) {
		(void)cut_spans(s, &point.event, message);
		if ((rc = close_cut(s)) < 0)
			return rc;
		point.kind = TL_TRACE_SPAN;
	}
	return put_point(s, &point, message);
}

int
tl_trace_stream_put(struct tl_trace_stream *s, const struct tl_event *event)
{
	const bool alone = s->writer->options.alone;
	int rc;

	if (!alone)
		pthread_mutex_lock(&s->lock);
	rc = put_event(s, event);
	count_waiting(s);
	if (!alone)
		pthread_mutex_unlock(&s->lock);
	return rc;
}

__attribute__((cold)) int
tl_trace_stream_finish(struct tl_trace_stream *s)
{
	while (s->shape.depth > 0) {
		const int rc = put_silent(s, true);

		if (rc < 0)
			return rc;
	}
	return tl_trace_stream_flush(s);
}
