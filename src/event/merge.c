/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - a priority queue of cursors, ordered by their next events.
 *
 *	cursors of one clock --by stamp--> merge --+
 *	cursors of one clock --by stamp--> merge --+--by ns--> merge
 *	cursor of another ----------------------- -+
 *
 * Each clock has a merge of its own, because an order that compares some pairs
 * by stamp and other pairs by time is not transitive.
 *
 * The cursor of the last event is not in the queue.  The next event of that
 * cursor goes straight to the caller while it stays ahead of the first event of
 * the queue, so a run of events from one cursor costs one comparison per event.
 */
#include "event/merge.h"

#include "base/ns.h"
#include "base/pqueue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define NONE SIZE_MAX

struct input {
	struct tl_cursor *cursor;
	bool is_merge; /* a merge sets source and may go on after an error */
	bool failed;
	uint16_t source;
	unsigned clock;
	struct tl_event event; /* the next event, while in the queue */
};

/* How far the intervals of one input and of all other inputs reach. */
struct reach {
	size_t input; /* NONE: no event yet */
	int64_t most;
	int64_t most_of_others; /* INT64_MIN: none */
};

struct merge {
	struct tl_cursor cursor; /* first: callers hold a pointer to it */
	enum tl_order order;
	bool by_stamp; /* all cursors have one clock */
	bool marks;
	bool keeps_source;
	struct reach reach; /* of the events returned so far */
	size_t count;
	size_t current;         /* input of the last event, or NONE */
	struct tl_pqueue queue; /* of uint32_t, indexes of inputs */
	struct input inputs[];
};

/* Returns a negative number, 0 or a positive number when a is older than, as
 * old as, or newer than b. */
static int
compare(const struct tl_event *a, const struct tl_event *b, bool by_stamp)
{
	if (!by_stamp)
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
	const int newer = compare(a, b, m->by_stamp);

	if (m->order == TL_NEWEST_FIRST)
		return newer > 0 || (newer == 0 && i < j);
	return newer < 0 || (newer == 0 && i > j);
}

static bool
is_before(const void *context, const void *first, const void *second)
{
	const struct merge *m = context;
	const uint32_t i = *(const uint32_t *)first;
	const uint32_t j = *(const uint32_t *)second;

	return is_ahead(m, i, &m->inputs[i].event, j, &m->inputs[j].event);
}

static const struct tl_pqueue_order by_event = { sizeof(uint32_t), is_before };

/* The input in the queue whose event comes first, or NONE. */
static size_t
first_of(const struct merge *m)
{
	const uint32_t *first = tl_pqueue_first(&m->queue);

	return first ? *first : NONE;
}

/* Get the next event of input i.  Returns as the next of a cursor. */
static int
ask(struct merge *m, size_t i, struct tl_event *event)
{
	struct input *input = &m->inputs[i];
	const int rc = tl_cursor_next(input->cursor, event);

	if (input->is_merge)
		return rc;
	if (rc > 0 && !m->keeps_source)
		event->source = input->source;
	else if (rc < 0)
		input->failed = true;
	return rc;
}

/* Get the next event of input i for the queue.  A merge returns the error of
 * each of its cursors once, so errors of a merge are skipped; *first_rc keeps
 * the first. */
static int
ask_first(struct merge *m, size_t i, int *first_rc)
{
	int rc;

	do {
		rc = ask(m, i, &m->inputs[i].event);
		if (rc < 0 && *first_rc == 0)
			*first_rc = rc;
	} while (rc < 0 && m->inputs[i].is_merge);
	return rc;
}

/* Get an event of every input that has not failed.  Returns 0 or the first
 * error. */
static int
fill_queue(struct merge *m)
{
	int first_rc = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		if (m->inputs[i].failed || ask_first(m, i, &first_rc) <= 0)
			continue;
		/* reserved by make */
		tl_pqueue_push(&m->queue, &by_event, m, &i);
	}
	return first_rc;
}

/* Take the first event out of the queue.  Its input becomes the current
 * input. */
static int
take_first(struct merge *m, struct tl_event *event)
{
	m->current = first_of(m);
	*event = m->inputs[m->current].event;
	tl_pqueue_pop(&m->queue, &by_event, m);
	return 1;
}

static int
next_event(struct merge *m, struct tl_event *event)
{
	int rc;

	if (m->current == NONE) {
		if (m->queue.count == 0 && (rc = fill_queue(m)) < 0)
			return rc;
		return m->queue.count > 0 ? take_first(m, event) : 0;
	}
	rc = ask(m, m->current, event);
	if (rc > 0) {
		const size_t first = first_of(m);
		size_t behind;

		if (first == NONE || is_ahead(m, m->current, event, first,
					 &m->inputs[first].event))
			return 1;
		/* The current input fell behind with this event: the current
		 * input and the first input of the queue change places. */
		behind = m->current;
		m->inputs[behind].event = *event;
		m->current = first_of(m);
		*event = m->inputs[m->current].event;
		*(uint32_t *)tl_pqueue_first(&m->queue) = (uint32_t)behind;
		tl_pqueue_changed(&m->queue, &by_event, m);
		return 1;
	}
	if (rc < 0 && m->inputs[m->current].is_merge)
		return rc; /* one cursor failed; the merge goes on */
	m->current = NONE;
	if (rc < 0)
		return rc;
	return m->queue.count > 0 ? take_first(m, event) : 0;
}

/* == overlaps == */

/* The interval of time in which an event may have happened.  Newest first, the
 * times are negated, so that both directions share one order. */
struct interval {
	int64_t low;
	int64_t high;
};

static struct interval
interval_of(const struct merge *m, const struct tl_event *event)
{
	const int64_t error_ns =
	    (int64_t)event->error_ns + (int64_t)event->sync_us * 1000;
	const int64_t low = tl_add_ns(event->ns, -error_ns);
	const int64_t high = tl_add_ns(event->ns, error_ns);

	if (m->order == TL_OLDEST_FIRST)
		return (struct interval){ low, high };
	return (struct interval){ ~high, ~low };
}

static bool
is_bounded(const struct tl_event *event)
{
	return event->sync_us != TL_SYNC_UNBOUNDED;
}

/* Does an earlier event of another clock reach the interval? */
static bool
is_reached(const struct merge *m, int64_t low)
{
	const struct reach *r = &m->reach;

	return r->input == m->current ? r->most_of_others >= low
				      : r->input != NONE && r->most >= low;
}

/* Does the interval reach the next event of another clock? */
static bool
reaches(const struct merge *m, int64_t high)
{
	for (size_t k = 0; k < m->queue.count; k++) {
		const uint32_t *i = tl_pqueue_at(&m->queue, &by_event, k);
		const struct tl_event *next = &m->inputs[*i].event;

		if (is_bounded(next) && interval_of(m, next).low <= high)
			return true;
	}
	return false;
}

/* Record how far the current input has reached. */
static void
extend_reach(struct merge *m, int64_t high)
{
	struct reach *r = &m->reach;

	if (r->input == m->current) {
		if (high > r->most)
			r->most = high;
	} else if (r->input == NONE) {
		*r = (struct reach){ m->current, high, INT64_MIN };
	} else if (high > r->most) {
		*r = (struct reach){ m->current, high, r->most };
	} else if (high > r->most_of_others) {
		r->most_of_others = high;
	}
}

static void
mark(struct merge *m, struct tl_event *event)
{
	struct interval at;

	event->overlaps = true;
	if (!is_bounded(event))
		return;
	at = interval_of(m, event);
	event->overlaps = is_reached(m, at.low) || reaches(m, at.high);
	extend_reach(m, at.high);
}

static int
merge_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct merge *m = (struct merge *)(void *)cursor;
	const int rc = next_event(m, event);

	if (rc > 0 && m->marks)
		mark(m, event);
	return rc;
}

void
tl_merge_mark_overlaps(struct tl_cursor *merge)
{
	struct merge *m = (struct merge *)(void *)merge;

	assert(merge->next == merge_next);
	m->marks = !m->by_stamp && m->count > 1;
}

/* == making and closing == */

static void
merge_close(struct tl_cursor *cursor)
{
	struct merge *m = (struct merge *)(void *)cursor;

	for (size_t i = 0; i < m->count; i++)
		tl_cursor_close(m->inputs[i].cursor);
	tl_pqueue_free(&m->queue);
	free(m);
}

/* Make a merge without inputs that has room for this many inputs. */
static struct merge *
make(size_t room, enum tl_order order, bool by_stamp)
{
	struct merge *m = calloc(1, sizeof(*m) + room * sizeof(m->inputs[0]));

	if (!m)
		return NULL;
	if (tl_pqueue_reserve(&m->queue, &by_event, room) < 0) {
		free(m);
		return NULL;
	}
	m->cursor.next = merge_next;
	m->cursor.close = merge_close;
	m->order = order;
	m->by_stamp = by_stamp;
	m->reach.input = NONE;
	m->current = NONE;
	return m;
}

/* Add cursor i.  A second cursor of a clock makes a merge by stamp of the input
 * of this clock; room: the cursors that may follow. */
static int
add_cursor(struct merge *m, struct tl_cursor *cursor, const unsigned *clocks,
    size_t i, size_t room)
{
	const struct input own = { .cursor = cursor,
		.source = (uint16_t)i,
		.clock = clocks ? clocks[i] : 0 };
	struct input *input = m->inputs;
	struct merge *same;

	while (input < m->inputs + m->count &&
	       (m->by_stamp || !clocks || input->clock != own.clock))
		input++;
	if (input == m->inputs + m->count) {
		m->inputs[m->count++] = own;
		return 0;
	}
	if (!input->is_merge) {
		if (!(same = make(room + 1, m->order, true)))
			return -ENOMEM;
		same->inputs[same->count++] = *input;
		*input = (struct input){ .cursor = &same->cursor,
			.is_merge = true,
			.clock = own.clock };
	}
	same = (struct merge *)(void *)input->cursor;
	same->inputs[same->count++] = own;
	return 0;
}

int
tl_merge_new(struct tl_cursor **cursor, struct tl_cursor *const *cursors,
    const unsigned *clocks, size_t count, enum tl_order order)
{
	bool one_clock = clocks != NULL;
	size_t first = 0, i = 0, left = 0;
	struct merge *m;

	assert(count <= UINT16_MAX + 1);
	for (size_t k = 0; k < count; k++)
		left += cursors[k] != NULL;
	while (first < count && !cursors[first])
		first++;
	for (size_t k = first; k < count && one_clock; k++)
		one_clock = !cursors[k] || clocks[k] == clocks[first];
	if ((m = make(left, order, one_clock))) {
		m->keeps_source = !clocks;
		for (; i < count; i++)
			if (cursors[i] &&
			    add_cursor(m, cursors[i], clocks, i, left--) < 0)
				break;
		if (i == count) {
			*cursor = &m->cursor;
			return 0;
		}
		merge_close(&m->cursor);
	}
	for (; i < count; i++)
		tl_cursor_close(cursors[i]);
	return -ENOMEM;
}
