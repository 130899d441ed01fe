/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - a heap of cursors by their next event.
 *
 * The cursor that gave the last event is not in the heap: its next event goes
 * straight to the caller as long as it stays ahead of the heap's first, which
 * costs one comparison.
 */
#include "event/merge.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define NONE SIZE_MAX

struct input {
	struct tl_cursor *cursor;
	unsigned clock;
	bool failed;
	struct tl_event event; /* its next one, while it is in the heap */
};

struct merge {
	struct tl_cursor cursor; /* first: what callers see */
	enum tl_order order;
	size_t count;
	size_t current; /* gave the last event; or NONE */
	size_t *heap;   /* indexes of inputs */
	size_t heap_count;
	struct input inputs[];
};

/* Negative, 0, positive: a is older, as old, newer. */
static int
compare(const struct tl_event *a, const struct tl_event *b, bool same_clock)
{
	if (!same_clock)
		return (a->ns > b->ns) - (a->ns < b->ns);
	if (a->epoch != b->epoch)
		return a->epoch > b->epoch ? 1 : -1;
	return (a->tsc > b->tsc) - (a->tsc < b->tsc);
}

/* Does event a of input i come before event b of input j? */
static bool
is_ahead(const struct merge *m, size_t i, const struct tl_event *a, size_t j,
    const struct tl_event *b)
{
	const bool same_clock = m->inputs[i].clock == m->inputs[j].clock;
	const int newer = compare(a, b, same_clock);

	if (m->order == TL_NEWEST_FIRST)
		return newer > 0 || (newer == 0 && i < j);
	return newer < 0 || (newer == 0 && i > j);
}

static bool
is_heap_ahead(const struct merge *m, size_t i, size_t j)
{
	return is_ahead(m, i, &m->inputs[i].event, j, &m->inputs[j].event);
}

static void
sift_down(struct merge *m, size_t at)
{
	const size_t moving = m->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= m->heap_count)
			break;
		if (child + 1 < m->heap_count &&
		    is_heap_ahead(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!is_heap_ahead(m, m->heap[child], moving))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moving;
}

static void
sift_up(struct merge *m, size_t at)
{
	const size_t moving = m->heap[at];

	while (at > 0 && is_heap_ahead(m, moving, m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = moving;
}

/* The next event of input i: as a cursor's next. */
static int
ask(struct merge *m, size_t i, struct tl_event *event)
{
	const int rc = tl_cursor_next(m->inputs[i].cursor, event);

	if (rc > 0)
		event->source = (uint16_t)i;
	else if (rc < 0)
		m->inputs[i].failed = true;
	return rc;
}

/* Ask every input that works: 0, or the first error. */
static int
fill_heap(struct merge *m)
{
	int first_rc = 0;

	for (size_t i = 0; i < m->count; i++) {
		int rc;

		if (m->inputs[i].failed)
			continue;
		rc = ask(m, i, &m->inputs[i].event);
		if (rc < 0 && first_rc == 0)
			first_rc = rc;
		if (rc <= 0)
			continue;
		m->heap[m->heap_count++] = i;
		sift_up(m, m->heap_count - 1);
	}
	return first_rc;
}

/* Take the first out of the heap: it is current, its event the caller's. */
static int
take_first(struct merge *m, struct tl_event *event)
{
	m->current = m->heap[0];
	*event = m->inputs[m->current].event;
	m->heap[0] = m->heap[--m->heap_count];
	if (m->heap_count > 0)
		sift_down(m, 0);
	return 1;
}

/* The current one fell behind with this event: change places with the first
 * of the heap. */
static int
change_places(struct merge *m, struct tl_event *event)
{
	const size_t behind = m->current;

	m->inputs[behind].event = *event;
	m->current = m->heap[0];
	*event = m->inputs[m->current].event;
	m->heap[0] = behind;
	sift_down(m, 0);
	return 1;
}

static int
merge_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct merge *m = (struct merge *)(void *)cursor;
	int rc;

	if (m->current == NONE) {
		if (m->heap_count == 0 && (rc = fill_heap(m)) < 0)
			return rc;
		return m->heap_count > 0 ? take_first(m, event) : 0;
	}
	rc = ask(m, m->current, event);
	if (rc > 0) {
		const size_t first = m->heap_count > 0 ? m->heap[0] : NONE;

		if (first == NONE || is_ahead(m, m->current, event, first,
					 &m->inputs[first].event))
			return 1;
		return change_places(m, event);
	}
	m->current = NONE;
	if (rc < 0)
		return rc;
	return m->heap_count > 0 ? take_first(m, event) : 0;
}

static void
close_all(struct tl_cursor *const *cursors, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tl_cursor_close(cursors[i]);
}

static void
merge_close(struct tl_cursor *cursor)
{
	struct merge *m = (struct merge *)(void *)cursor;

	for (size_t i = 0; i < m->count; i++)
		tl_cursor_close(m->inputs[i].cursor);
	free(m->heap);
	free(m);
}

int
tl_merge_new(struct tl_cursor **cursor, struct tl_cursor *const *cursors,
    const unsigned *clocks, size_t count, enum tl_order order)
{
	struct merge *m = NULL;
	size_t *heap;

	assert(count <= UINT16_MAX + 1);
	heap = calloc(count + 1, sizeof(*heap));
	if (heap)
		m = calloc(1, sizeof(*m) + count * sizeof(m->inputs[0]));
	if (!m) {
		free(heap);
		close_all(cursors, count);
		return -ENOMEM;
	}
	m->cursor.next = merge_next;
	m->cursor.close = merge_close;
	m->order = order;
	m->count = count;
	m->current = NONE;
	m->heap = heap;
	for (size_t i = 0; i < count; i++) {
		m->inputs[i].cursor = cursors[i];
		m->inputs[i].clock = clocks[i];
	}
	*cursor = &m->cursor;
	return 0;
}
