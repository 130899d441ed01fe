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
#include "base/table.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

/* A source, by its message, label and process. */
struct span {
	struct tl_event begin;
	uint64_t outside; /* begins before the window that have no end */
	uint64_t inside;
};

struct held {
	struct tl_cursor cursor; /* first: callers see only this cursor */
	struct tl_cursor *inner;
	struct tl_select *select;
	enum tl_order order;
	struct tl_id_map ids;
	struct span *spans; /* by id */
	size_t capacity;
	size_t at;            /* the span that comes next */
	struct tl_event next; /* an event of inner that waits */
	int waits;            /* the result of inner for next */
	bool has_next;
};

static int
find(struct held *h, const struct tl_event *event, struct span **span)
{
	const struct tl_id_key key = { (uintptr_t)event->message,
		tl_hash_more(event->args[0], event->pid) };
	uint32_t id;
	int rc = tl_id_map_get(&h->ids, key, &id);

	if (rc >= 0 && id >= h->capacity)
		rc = TL_ARRAY_ZEROS(h->spans, h->capacity, id);
	if (rc < 0)
		return rc;
	*span = &h->spans[id];
	return 0;
}

/* Count an event up to the end of the window. */
static int
count(struct held *h, const struct tl_event *event)
{
	const struct tl_filter *f = &h->select->filter;
	struct span *span;
	int rc;

	if (event->kind == TL_LOST) {
		for (size_t i = 0; i < h->capacity; i++)
			h->spans[i].outside = h->spans[i].inside = 0;
		return 0;
	}
	if ((event->kind != TL_BEGIN && event->kind != TL_END) ||
	    event->message->scope != TIMELINE_SOURCE ||
	    !tl_select_of(h->select, event))
		return 0;
	if ((rc = find(h, event, &span)) < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (event->kind == TL_END) {
		if (span->inside > 0)
			span->inside--;
		else if (span->outside > 0)
			span->outside--;
	} else if (event->ns >= f->since_ns) {
		span->inside++;
	} else if (tl_filter_place(f, event)) {
		if (span->outside++ == 0)
			span->begin = *event;
	}
	return 0;
}

static int
count_all(struct held *h, const struct tl_sources *inputs)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_sources_cursor(inputs, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0 &&
	       event.ns <= h->select->filter.until_ns) {
		tl_progress_tick(&h->select->progress);
		if ((rc = count(h, &event)) < 0)
			break;
	}
	tl_cursor_close(cursor);
	return rc < 0 ? rc : 0;
}

/* Set *event to the next held begin, at the start of the window; false: no
 * more. */
static bool
take(struct held *h, struct tl_event *event)
{
	const int64_t since_ns = h->select->filter.since_ns;

	while (h->at < h->capacity && h->spans[h->at].outside == 0)
		h->at++;
	if (h->at == h->capacity)
		return false;
	h->spans[h->at].outside--;
	*event = h->spans[h->at].begin;
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
	tl_id_map_free(&h->ids);
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
	rc = count_all(h, inputs);
	if (rc < 0)
		held_close(&h->cursor);
	else
		*cursor = &h->cursor;
	return rc;
}
