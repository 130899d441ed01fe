/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.c - sources that are open during a whole time window: select.h.
 *
 *	window          |           |
 *	closed before  +-+          |		no
 *	closed inside  +---------+  |		no: its end is shown
 *	held           +----------------+	opened at the start
 *
 * All events up to the end of the window are read once beforehand.  A loss may
 * have hidden an end, so no span is held over a loss.
 */
#include "script/select.h"

#include "base/array.h"
#include "event/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

struct held {
	struct tl_cursor cursor; /* first: callers see only this cursor */
	struct tl_cursor *inner;
	struct tl_select *select;
	enum tl_order order;
	struct tl_span *spans;
	size_t capacity, count;
	size_t at;            /* the span that comes next */
	struct tl_event next; /* an event of inner that waits */
	int waits;            /* the result of inner for next */
	bool has_next;
};

/* Keep the spans that are open at the end of the window and began before the
 * window. */
static int
keep(struct held *h, const struct tl_spans *spans)
{
	const struct tl_filter *f = &h->select->filter;
	struct tl_span span;
	struct tl_event begin;
	uint32_t index = 0;

	while (tl_spans_open(spans, &index, &span)) {
		begin = tl_span_begin(&span);
		if (span.begin_ns >= f->since_ns || !tl_span_is_sure(&span) ||
		    !tl_filter_place(f, &begin))
			continue;
		if (TL_ARRAY_ROOM(h->spans, h->capacity, h->count) < 0)
			return -ENOMEM;
		h->spans[h->count++] = span;
	}
	return 0;
}

static int
read_all(struct held *h, const struct tl_sources *inputs)
{
	struct tl_spans *spans;
	struct tl_cursor *cursor;
	struct tl_event event;
	struct tl_span unused;
	int rc = tl_spans_new(&spans);

	if (rc < 0)
		return rc;
	rc = tl_sources_cursor(inputs, TL_OLDEST_FIRST, &cursor);
	if (rc == 0) {
		while ((rc = tl_cursor_next(cursor, &event)) > 0 &&
		       event.ns <= h->select->filter.until_ns) {
			tl_progress_tick(&h->select->progress);
			/* only sources that are selected, and losses */
			if (event.message &&
			    (event.message->scope != TIMELINE_SOURCE ||
				!tl_select_of(h->select, &event)))
				continue;
			if ((rc = tl_spans_put(spans, &event, &unused)) < 0)
				break;
		}
		tl_cursor_close(cursor);
	}
	if (rc >= 0)
		rc = keep(h, spans);
	tl_spans_free(spans);
	return rc;
}

/* Set *event to the next held begin, at the start of the window; false: no
 * more. */
static bool
take(struct held *h, struct tl_event *event)
{
	const int64_t since_ns = h->select->filter.since_ns;

	if (h->at == h->count)
		return false;
	*event = tl_span_begin(&h->spans[h->at++]);
	if (event->tsc == (uint64_t)event->ns) /* the stamp is the time */
		event->tsc = (uint64_t)since_ns;
	event->ns = since_ns;
	h->select->passed++;
	return true;
}

static int
held_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct held *h = (struct held *)cursor;
	const int64_t since_ns = h->select->filter.since_ns;
	bool outside;

	if (!h->has_next)
		h->waits = tl_cursor_next(h->inner, &h->next);
	if (h->waits < 0)
		return h->waits;
	outside = h->waits == 0 ||
		  (h->order == TL_OLDEST_FIRST ? h->next.ns >= since_ns
					       : h->next.ns < since_ns);
	h->has_next = outside && take(h, event);
	if (h->has_next)
		return 1;
	*event = h->next;
	return h->waits;
}

static void
held_close(struct tl_cursor *cursor)
{
	struct held *h = (struct held *)cursor;

	tl_cursor_close(h->inner);
	free(h->spans);
	free(h);
}

static bool
has_sources(const struct tl_sources *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_source *input = &inputs->items[i];
		const size_t n = tl_source_is_open(input)
				     ? tl_source_message_count(input)
				     : 0;

		for (size_t k = 0; k < n; k++) {
			const struct tl_message *m =
			    tl_source_message(input, k);

			if (m->kind == TIMELINE_RECORD_SPAN &&
			    m->scope == TIMELINE_SOURCE)
				return true;
		}
	}
	return false;
}

int
tl_select_held(struct tl_select *select, const struct tl_sources *inputs,
    enum tl_order order, struct tl_cursor **cursor)
{
	struct held *h;
	int rc;

	if (select->filter.since_ns == INT64_MIN || select->on_condition ||
	    !has_sources(inputs))
		return 0;
	h = calloc(1, sizeof(*h));
	if (!h) {
		tl_cursor_close(*cursor);
		return -ENOMEM;
	}
	h->cursor = (struct tl_cursor){ held_next, held_close };
	h->inner = *cursor;
	h->select = select;
	h->order = order;
	rc = read_all(h, inputs);
	if (rc < 0)
		held_close(&h->cursor);
	else
		*cursor = &h->cursor;
	return rc;
}
