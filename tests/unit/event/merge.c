/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - a merge compared with a sort of all events. */
#include "lib/test.h"
#include "merge_fixture.h"

#include <malloc.h>

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
		/* libcheck's assertions are too slow for so many events */
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

TEST_FILE(.timeout = 600);

TEST(a_merge_gives_what_a_sort_gives)
{
	seed = 5;
	for (unsigned round = 0; round < 120; round++) {
		const size_t cursors = next_random(CURSORS_MAX + 1);

		order = round & 1 ? TL_OLDEST_FIRST : TL_NEWEST_FIRST;
		fill_lists(cursors, 1 + round % 3, round % 5 ? 10000 : 12);
		check_merge(cursors);
	}
}

TEST(one_order_is_the_other_turned_round)
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

TEST(the_order_within_a_cursor_is_never_changed)
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

	ck_assert_ok(
	    tl_merge_new(&merged, both, own_clocks, 2, TL_NEWEST_FIRST));
	while (tl_cursor_next(merged, &event) > 0) {
		if (event.source == 0)
			ck_assert_uint_eq(event.number, number++);
	}
	ck_assert_uint_eq(number, 3);
	tl_cursor_close(merged);
}

/* == times that do not follow the stamps == */

/*
 * The next event of a clock: among the heads of its lists the one with the
 * foremost stamp.
 */
static size_t
head_of_clock(const size_t *at, size_t cursors, unsigned clock)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < cursors; i++) {
		if (clocks[i] != clock || at[i] == counts[i])
			continue;
		if (best == SIZE_MAX ||
		    compare(&lists[i][at[i]], &lists[best][at[best]]) < 0)
			best = i;
	}
	return best;
}

/*
 * The next event: among the heads of all clocks the one with the foremost time.
 */
static size_t
head_of_all(const size_t *at, size_t cursors)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < cursors; i++) {
		const size_t head = head_of_clock(at, cursors, clocks[i]);

		if (head == SIZE_MAX || rank_of((unsigned)head) != i)
			continue;
		if (best == SIZE_MAX ||
		    compare(&lists[head][at[head]], &lists[best][at[best]]) < 0)
			best = head;
	}
	return best;
}

TEST(a_clock_that_was_set_back_keeps_its_order)
{
	seed = 11;
	for (unsigned round = 0; round < 60; round++) {
		const size_t cursors = 1 + next_random(12);
		size_t at[CURSORS_MAX] = { 0 }, next;
		struct tl_cursor *merged;
		struct tl_event event;

		order = round & 1 ? TL_OLDEST_FIRST : TL_NEWEST_FIRST;
		fill_lists(cursors, 4, 1000);
		for (size_t i = 0; i < cursors; i++) {
			for (size_t j = 0; j < counts[i]; j++)
				lists[i][j].ns = (int64_t)next_random(1000);
		}
		merged = merge_lists(cursors);
		while ((next = head_of_all(at, cursors)) != SIZE_MAX) {
			ck_assert_int_eq(tl_cursor_next(merged, &event), 1);
			ck_assert_uint_eq(event.source, next);
			ck_assert_uint_eq(event.number,
			    lists[next][at[next]++].number);
		}
		ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
		tl_cursor_close(merged);
	}
}

TEST(a_failed_cursor_of_a_clock_leaves_the_others_of_it)
{
	static const struct tl_event events[] = { { .ns = 9, .tsc = 9 },
		{ .ns = 5, .tsc = 5 }, { .ns = 1, .tsc = 1 } };
	const unsigned own_clocks[] = { 0, 1, 0 };

	for (size_t stop = 0; stop <= 3; stop++) {
		struct tl_cursor *all[] = { list_new(events, 3, stop, -EIO),
			list_new(events, 3, SIZE_MAX, 0),
			list_new(events, 3, stop, -EBADMSG) };
		unsigned seen_of[3] = { 0 }, errors = 0;
		struct tl_cursor *merged;
		struct tl_event event;
		int rc;

		ck_assert_ok(
		    tl_merge_new(&merged, all, own_clocks, 3, TL_NEWEST_FIRST));
		while ((rc = tl_cursor_next(merged, &event)) != 0) {
			if (rc > 0)
				seen_of[event.source]++;
			else
				errors++;
		}
		ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
		ck_assert_uint_ge(errors, 1);
		ck_assert_uint_le(errors, 2);
		ck_assert_uint_eq(seen_of[0], stop);
		ck_assert_uint_eq(seen_of[1], 3);
		ck_assert_uint_eq(seen_of[2], stop);
		tl_cursor_close(merged);
	}
}

TEST(a_failed_cursor_is_said_once_and_the_others_go_on)
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

		ck_assert_ok(tl_merge_new(&merged, both, own_clocks, 2,
		    TL_NEWEST_FIRST));
		while ((rc = tl_cursor_next(merged, &event)) != 0) {
			seen += rc > 0;
			errors += rc == -EIO;
		}
		/* a second call does not return the error again */
		ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
		ck_assert_uint_eq(errors, 1);
		ck_assert_uint_eq(seen, 3 + stop);
		tl_cursor_close(merged);
	}
}

TEST(cursors_that_follow_are_asked_again)
{
	static const struct tl_event events[] = { { .ns = 1 }, { .ns = 3 },
		{ .ns = 5 } };
	struct tl_cursor *both[] = { list_new(events, 3, 2, 0),
		list_new(events, 1, SIZE_MAX, 0) };
	const unsigned own_clocks[] = { 0, 1 };
	struct tl_cursor *merged;
	struct tl_event event;

	ck_assert_ok(
	    tl_merge_new(&merged, both, own_clocks, 2, TL_OLDEST_FIRST));
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(tl_cursor_next(merged, &event), 1);
	ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
	ck_assert_int_eq(tl_cursor_next(merged, &event), 1);
	ck_assert_int_eq(event.ns, 5);
	ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
	tl_cursor_close(merged);
}

TEST(a_merge_of_nothing_is_empty)
{
	struct tl_cursor *merged;
	struct tl_event event;

	ck_assert_ok(tl_merge_new(&merged, NULL, NULL, 0, TL_NEWEST_FIRST));
	ck_assert_int_eq(tl_cursor_next(merged, &event), 0);
	tl_cursor_close(merged);
}

TEST(a_merge_takes_memory_for_the_cursors_that_there_are)
{
	enum { ALL = UINT16_MAX + 1, MANY = 200 };
	static const struct tl_event events[] = { { .ns = 1 } };
	static struct tl_cursor *cursors[ALL], *merged[MANY];
	static unsigned own_clocks[ALL];
	const struct mallinfo2 before = mallinfo2();
	struct mallinfo2 now;
	struct tl_event event;

	for (size_t i = 0; i < MANY; i++) {
		cursors[i] = list_new(events, 1, SIZE_MAX, 0);
		ck_assert_ok(tl_merge_new(&merged[i], cursors, own_clocks, ALL,
		    TL_OLDEST_FIRST));
		cursors[i] = NULL;
	}
	now = mallinfo2();
	ck_assert_uint_lt(now.uordblks + now.hblkhd - before.uordblks -
			      before.hblkhd,
	    MANY << 12);
	for (size_t i = 0; i < MANY; i++) {
		ck_assert_int_eq(tl_cursor_next(merged[i], &event), 1);
		ck_assert_uint_eq(event.source, i);
		tl_cursor_close(merged[i]);
	}
}
