/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_fixture.h - cursors over random lists of several clocks.
 */
#ifndef TESTS_UNIT_MERGE_FIXTURE_H
#define TESTS_UNIT_MERGE_FIXTURE_H

#include "event/merge.h"
#include "lib/test.h"

#include <errno.h>
#include <stdlib.h>

enum { CURSORS_MAX = 40, EVENTS_MAX = 400, ALL_MAX = CURSORS_MAX * EVENTS_MAX };

/* A cursor over an array.  At position stop it returns rc once. */
struct list {
	struct tl_cursor cursor;
	const struct tl_event *events;
	size_t count;
	size_t at;
	size_t stop;
	int rc;
	unsigned *closed;
};

static inline int
list_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct list *l = (struct list *)(void *)cursor;

	if (l->at == l->stop) {
		l->stop = SIZE_MAX;
		return l->rc;
	}
	if (l->at == l->count)
		return 0;
	*event = l->events[l->at++];
	return 1;
}

static inline void
list_close(struct tl_cursor *cursor)
{
	struct list *l = (struct list *)(void *)cursor;

	++*l->closed;
	free(l);
}

static unsigned closed;

static inline struct tl_cursor *
list_new(const struct tl_event *events, size_t count, size_t stop, int rc)
{
	struct list *l = malloc(sizeof(*l));

	ck_assert_ptr_nonnull(l);
	*l = (struct list){ { list_next, list_close }, events, count, 0, stop,
		rc, &closed };
	return &l->cursor;
}

static struct tl_event lists[CURSORS_MAX][EVENTS_MAX];
static size_t counts[CURSORS_MAX];
static unsigned clocks[CURSORS_MAX];
static enum tl_order order;
static uint64_t seed;

static inline uint64_t
next_random(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* The rank of a clock is the place of its first list. */
static inline unsigned
rank_of(unsigned source)
{
	unsigned first = 0;

	while (clocks[first] != clocks[source])
		first++;
	return first;
}

/*
 * The expected order: by time, then by clock and source, then by place in the
 * list.  Newest first is the reverse of this order.
 */
static inline int
compare(const void *x, const void *y)
{
	const struct tl_event *a = x, *b = y;
	const bool same = clocks[a->source] == clocks[b->source];
	int64_t d;

	if (order == TL_OLDEST_FIRST) {
		a = y;
		b = x;
	}
	if (same && a->epoch != b->epoch)
		return a->epoch < b->epoch ? 1 : -1;
	d = same ? (int64_t)(a->tsc - b->tsc) : a->ns - b->ns;
	if (d != 0)
		return d < 0 ? 1 : -1;
	if (!same)
		return rank_of(a->source) > rank_of(b->source) ? 1 : -1;
	if (a->source != b->source)
		return a->source > b->source ? 1 : -1;
	return a->number < b->number ? 1 : -1;
}

/*
 * Make sorted lists of random length.  The values are few, so that many events
 * tie.
 */
static inline void
fill_lists(size_t cursors, unsigned clock_kinds, uint64_t range)
{
	for (size_t i = 0; i < cursors; i++) {
		counts[i] = next_random(EVENTS_MAX);
		clocks[i] = (unsigned)next_random(clock_kinds);
		for (size_t j = 0; j < counts[i]; j++) {
			struct tl_event *e = &lists[i][j];

			*e = (struct tl_event){ .kind = TL_INSTANT };
			if (next_random(20) == 0)
				e->kind = TL_LOST;
			/* stamps and times agree across clocks */
			e->ns = (int64_t)next_random(range);
			e->epoch = e->ns > (int64_t)range / 2;
			e->tsc = (uint64_t)e->ns + 1000 * clocks[i] -
				 (e->epoch ? range / 4 : 0);
			e->number = next_random(1 << 30) * ALL_MAX + j;
			e->source = (uint16_t)i;
		}
		qsort(lists[i], counts[i], sizeof(lists[i][0]), compare);
	}
}

static inline struct tl_cursor *
merge_lists(size_t cursors)
{
	struct tl_cursor *all[CURSORS_MAX], *merged = NULL;

	for (size_t i = 0; i < cursors; i++)
		all[i] = list_new(lists[i], counts[i], SIZE_MAX, 0);
	ck_assert_ok(tl_merge_new(&merged, all, clocks, cursors, order));
	return merged;
}

#endif
