/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_merge.c - a merge beside a sort of everything. */
#include "../lib/suite.h"
#include "event/merge.h"

#include <errno.h>
#include <stdlib.h>

enum { CURSORS_MAX = 40, EVENTS_MAX = 400, ALL_MAX = CURSORS_MAX * EVENTS_MAX };

/* A cursor over an array; where stop lies it says rc, once. */
struct list {
	struct tl_cursor cursor;
	const struct tl_event *events;
	size_t count;
	size_t at;
	size_t stop;
	int rc;
	unsigned *closed;
};

static int
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

static void
list_close(struct tl_cursor *cursor)
{
	struct list *l = (struct list *)(void *)cursor;

	++*l->closed;
	free(l);
}

static unsigned closed;

static struct tl_cursor *
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

static uint64_t
next_random(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % below;
}

/* The order to be had, said as plainly as can be: by time, then by source,
 * then by place in the list; newest first is that turned round. */
static int
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
	if (a->source != b->source)
		return a->source > b->source ? 1 : -1;
	return a->number < b->number ? 1 : -1;
}

/* Sorted lists of random length; few values, so that there are many ties. */
static void
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
			/* Stamps and times that agree across clocks. */
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

static struct tl_cursor *
merge_lists(size_t cursors)
{
	struct tl_cursor *all[CURSORS_MAX], *merged = NULL;

	for (size_t i = 0; i < cursors; i++)
		all[i] = list_new(lists[i], counts[i], SIZE_MAX, 0);
	ck_assert_int_eq(tl_merge_new(&merged, all, clocks, cursors, order), 0);
	return merged;
}

static struct tl_event want[ALL_MAX];

static size_t
sort_lists(size_t cursors)
{
	size_t total = 0;

	for (size_t i = 0; i < cursors; i++) {
		for (size_t j = 0; j < counts[i]; j++)
			want[total++] = lists[i][j];
	}
	qsort(want, total, sizeof(want[0]), compare);
	return total;
}

static void
check_merge(size_t cursors)
{
	const size_t total = sort_lists(cursors);
	struct tl_cursor *merged = merge_lists(cursors);
	struct tl_event event;

	closed = 0;
	for (size_t i = 0; i < total; i++) {
		/* Check's own asserts are too slow for so many. */
		if (tl_cursor_next(merged, &event) != 1)
			ck_abort_msg("ends after %zu of %zu", i, total);
		if (event.source != want[i].source ||
		    event.number != want[i].number ||
		    event.kind != want[i].kind)
			ck_abort_msg("event %zu of %zu is another", i, total);
	}
	ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
	ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
	tl_cursor_close(merged);
	ck_assert_uint_eq(closed, cursors);
}

START_TEST(a_merge_gives_what_a_sort_gives)
{
	seed = 5;
	for (unsigned round = 0; round < 120; round++) {
		const size_t cursors = next_random(CURSORS_MAX + 1);

		order = round & 1 ? TL_OLDEST_FIRST : TL_NEWEST_FIRST;
		fill_lists(cursors, 1 + round % 3, round % 5 ? 10000 : 12);
		check_merge(cursors);
	}
}
END_TEST

START_TEST(one_order_is_the_other_turned_round)
{
	static struct tl_event newest[ALL_MAX];
	struct tl_cursor *merged;
	struct tl_event event;
	size_t total;

	seed = 9;
	order = TL_NEWEST_FIRST;
	fill_lists(8, 2, 20);
	total = sort_lists(8);
	merged = merge_lists(8);
	for (size_t i = 0; i < total; i++)
		ck_assert_int_eq(tl_cursor_next(merged, &newest[i]), 1);
	tl_cursor_close(merged);
	order = TL_OLDEST_FIRST;
	for (size_t i = 0; i < 8; i++)
		qsort(lists[i], counts[i], sizeof(lists[i][0]), compare);
	merged = merge_lists(8);
	for (size_t i = total; i-- > 0;) {
		ck_assert_int_eq(tl_cursor_next(merged, &event), 1);
		ck_assert_uint_eq(event.source, newest[i].source);
		ck_assert_uint_eq(event.number, newest[i].number);
	}
	tl_cursor_close(merged);
}
END_TEST

START_TEST(the_order_within_a_cursor_is_never_changed)
{
	static const struct tl_event wild[] = { { .ns = 5, .number = 0 },
		{ .ns = 9, .number = 1 }, { .ns = 1, .number = 2 } };
	static const struct tl_event tame[] = { { .ns = 8 }, { .ns = 4 },
		{ .ns = 2 } };
	const unsigned own_clocks[] = { 0, 1 };
	struct tl_cursor *both[] = { list_new(wild, 3, SIZE_MAX, 0),
		list_new(tame, 3, SIZE_MAX, 0) };
	struct tl_cursor *merged;
	struct tl_event event;
	uint64_t number = 0;

	ck_assert_int_eq(tl_merge_new(&merged, both, own_clocks, 2,
			     TL_NEWEST_FIRST),
	    0);
	while (tl_cursor_next(merged, &event) > 0) {
		if (event.source == 0)
			ck_assert_uint_eq(event.number, number++);
	}
	ck_assert_uint_eq(number, 3);
	tl_cursor_close(merged);
}
END_TEST

START_TEST(a_failed_cursor_is_said_once_and_the_others_go_on)
{
	static const struct tl_event events[] = { { .ns = 9 }, { .ns = 5 },
		{ .ns = 1 } };

	for (size_t stop = 0; stop <= 3; stop++) {
		struct tl_cursor *both[] = { list_new(events, 3, stop, -EIO),
			list_new(events, 3, SIZE_MAX, 0) };
		const unsigned own_clocks[] = { 0, 0 };
		struct tl_cursor *merged;
		struct tl_event event;
		unsigned seen = 0, errors = 0;
		int rc;

		ck_assert_int_eq(tl_merge_new(&merged, both, own_clocks, 2,
				     TL_NEWEST_FIRST),
		    0);
		while ((rc = tl_cursor_next(merged, &event)) != 0) {
			seen += rc > 0;
			errors += rc == -EIO;
		}
		/* Asked again, it still is given up. */
		ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
		ck_assert_uint_eq(errors, 1);
		ck_assert_uint_eq(seen, 3 + stop);
		tl_cursor_close(merged);
	}
}
END_TEST

START_TEST(cursors_that_follow_are_asked_again)
{
	static const struct tl_event events[] = { { .ns = 1 }, { .ns = 3 },
		{ .ns = 5 } };
	struct tl_cursor *both[] = { list_new(events, 3, 2, 0),
		list_new(events, 1, SIZE_MAX, 0) };
	const unsigned own_clocks[] = { 0, 1 };
	struct tl_cursor *merged;
	struct tl_event event;

	ck_assert_int_eq(tl_merge_new(&merged, both, own_clocks, 2,
			     TL_OLDEST_FIRST),
	    0);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(tl_cursor_next(merged, &event), 1);
	ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
	ck_assert_int_eq(tl_cursor_next(merged, &event), 1);
	ck_assert_int_eq(event.ns, 5);
	ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
	tl_cursor_close(merged);
}
END_TEST

START_TEST(a_merge_of_nothing_is_empty)
{
	struct tl_cursor *merged;
	struct tl_event event;

	ck_assert_int_eq(tl_merge_new(&merged, NULL, NULL, 0, TL_NEWEST_FIRST),
	    0);
	ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
	tl_cursor_close(merged);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("event merge");
	TCase *t = tcase_create("merge");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_merge_gives_what_a_sort_gives);
	tcase_add_test(t, one_order_is_the_other_turned_round);
	tcase_add_test(t, the_order_within_a_cursor_is_never_changed);
	tcase_add_test(t, a_failed_cursor_is_said_once_and_the_others_go_on);
	tcase_add_test(t, cursors_that_follow_are_asked_again);
	tcase_add_test(t, a_merge_of_nothing_is_empty);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return run_suite(suite());
}
