/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.c - the events of all threads in order of time.
 *
 *	queue of threads, by the next event of each
 *	  | a thread whose next block has not been read is placed by the bound
 *	  | in the header of the block: a block is read only when it may matter
 *	  v
 *	block: marks on every CHUNK objects, so that a block can be read
 *	backwards
 */
#include "base/pqueue.h"
#include "trace/opened.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNK = TL_MARK_EVERY };

struct source {
	struct tl_trace_lane *lane;
	uint32_t rank; /* of the lane */
	/* number of blocks read, from the cursor's end of the stream */
	size_t blocks;
	struct tl_block_data *data;
	struct tl_data_in in; /* the rest of the block, forward */
	struct tl_point_state state;
	/* number of marks of the block still to be read, backward */
	size_t marks;
	/* events in memory; [next, count) are to be returned */
	struct tl_event *events;
	unsigned next;
	unsigned count;
	int64_t key; /* time of the next event, or a bound for this time */
	bool bound;
};

struct trace_cursor {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_trace *trace;
	bool backward;
	struct source *sources;
	struct tl_pqueue queue; /* of struct source * */
	size_t source_count;
};

/* Sources with events of the same time are ordered by the lanes of the events,
 * then by thread. */
static bool
is_before(const void *context, const void *first, const void *second)
{
	const struct trace_cursor *c = context;
	const struct source *a = *(struct source *const *)first;
	const struct source *b = *(struct source *const *)second;
	int order = 0;

	if (a->key != b->key)
		return c->backward ? a->key > b->key : a->key < b->key;
	if (a->bound != b->bound)
		/* the event of a bound may turn out to be later */
		return a->bound;
	if (!a->bound)
		order = tl_event_compare_tied(&a->events[a->next],
		    &b->events[b->next]);
	return (order != 0 ? order < 0 : a->rank < b->rank) != c->backward;
}

static const struct tl_pqueue_order by_key = { sizeof(struct source *),
	is_before };

/* The number of the next block in its lane. */
static size_t
next_block(const struct trace_cursor *c, const struct source *s)
{
	return c->backward ? s->lane->block_count - 1 - s->blocks : s->blocks;
}

/* Close the block of a source, so that only a thread with an open block takes
 * memory. */
static void
close_block(struct source *s)
{
	tl_trace_block_release(s->data);
	s->data = NULL;
	free(s->events);
	s->events = NULL;
	s->next = s->count = 0;
}

static int
open_block(struct trace_cursor *c, struct source *s)
{
	int rc;

	if (!s->events)
		s->events = malloc(CHUNK * sizeof(*s->events));
	if (!s->events)
		return -ENOMEM;
	rc = tl_trace_block_data(c->trace, s->lane, next_block(c, s), &s->data);
	if (rc < 0)
		return rc;
	s->blocks++;
	s->in = tl_data_in(s->data->content.data, s->data->content.size);
	s->state = (struct tl_point_state){ 0 };
	rc = c->backward ? tl_trace_block_mark(s->data, SIZE_MAX) : 0;
	s->marks = s->data->mark_count;
	return rc;
}

/* Read up to CHUNK objects.  Silent objects are left out. */
static void
read_chunk(struct trace_cursor *c, struct source *s)
{
	s->next = s->count = 0;
	for (unsigned i = 0; i < CHUNK && s->in.at < s->in.size; i++) {
		struct tl_point point;

		if (tl_point_get(&point, &s->state, &s->in) < 0) {
			s->in.at = s->in.size;
			break;
		}
		if (point.silent)
			continue;
		tl_trace_name(c->trace, &point);
		s->events[s->count++] = point.event;
	}
}

/* Read more events of the block.  false: no more events. */
static bool
more_of_block(struct trace_cursor *c, struct source *s)
{
	s->next = s->count = 0;
	while (s->count == 0) {
		if (!c->backward) {
			if (s->in.at == s->in.size)
				return false;
			read_chunk(c, s);
			continue;
		}
		if (s->marks == 0)
			return false;
		s->marks--;
		s->in.at = s->data->marks[s->marks].at;
		s->state = s->data->marks[s->marks].state;
		read_chunk(c, s);
		for (unsigned i = 0, k = s->count; i + 1 < k; i++) {
			const struct tl_event event = s->events[i];

			s->events[i] = s->events[--k];
			s->events[k] = event;
		}
	}
	return true;
}

/* Set the key of a source.  false: the source is at its end. */
static bool
set_key(struct trace_cursor *c, struct source *s)
{
	const struct tl_trace_block *block;

	s->bound = false;
	if (s->next < s->count || (s->data && more_of_block(c, s))) {
		s->key = s->events[s->next].ns;
		return true;
	}
	close_block(s);
	if (s->blocks == s->lane->block_count)
		return false;
	block = &s->lane->blocks[next_block(c, s)].block;
	s->bound = true;
	s->key = c->backward ? block->max_ns : block->min_ns;
	if (block->events == 0) /* the block has no times */
		s->key = c->backward ? INT64_MAX : INT64_MIN;
	return true;
}

/* Restore the order of the queue after its first element has changed. */
static void
settle_first(struct trace_cursor *c)
{
	struct source **first = tl_pqueue_first(&c->queue);

	if (set_key(c, *first))
		tl_pqueue_changed(&c->queue, &by_key, c);
	else
		tl_pqueue_pop(&c->queue, &by_key, c);
}

static int
cursor_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct trace_cursor *c = (struct trace_cursor *)(void *)cursor;

	while (c->queue.count > 0) {
		struct source *first =
		    *(struct source **)tl_pqueue_first(&c->queue);
		int rc;

		if (!first->bound) {
			*event = first->events[first->next++];
			settle_first(c);
			return 1;
		}
		if ((rc = open_block(c, first)) < 0) {
			first->blocks = first->lane->block_count;
			settle_first(c);
			return rc;
		}
		settle_first(c);
	}
	return 0;
}

static void
cursor_close(struct tl_cursor *cursor)
{
	struct trace_cursor *c = (struct trace_cursor *)(void *)cursor;

	for (size_t i = 0; c->sources && i < c->source_count; i++)
		close_block(&c->sources[i]);
	free(c->sources);
	tl_pqueue_free(&c->queue);
	free(c);
}

int
tl_trace_cursor(struct tl_trace *trace, enum tl_order order,
    struct tl_cursor **cursor)
{
	const size_t count = trace->index.lane_count;
	struct trace_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*c = (struct trace_cursor){ .cursor = { cursor_next, cursor_close },
		.trace = trace,
		.backward = order == TL_NEWEST_FIRST,
		.sources = calloc(count + 1, sizeof(*c->sources)),
		.source_count = count };
	if (!c->sources || tl_pqueue_reserve(&c->queue, &by_key, count) < 0) {
		cursor_close(&c->cursor);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		struct source *s = &c->sources[i];

		s->lane = &trace->index.lanes[i];
		s->rank = (uint32_t)i;
		if (set_key(c, s))
			tl_pqueue_push(&c->queue, &by_key, c, &s);
	}
	*cursor = &c->cursor;
	return 0;
}
