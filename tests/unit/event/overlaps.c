/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlaps.c - the overlaps that a merge marks, compared with those of all
 * pairs.
 */
#include "lib/random.h"
#include "lib/test.h"
#include "merge_fixture.h"

static struct tl_event given[ALL_MAX];

/* Set the errors of the events: equal for all events of a clock, or wild. */
static void
set_errors(size_t cursors, bool wild)
{
	const uint64_t from = seed;

	for (size_t i = 0; i < cursors; i++) {
		uint64_t of_clock = from + clocks[i];
		const uint32_t error_ns =
		    (uint32_t)random_below(&of_clock, 900);
		const uint32_t sync_us = (uint32_t)random_below(&of_clock, 3);

		for (size_t j = 0; j < counts[i]; j++) {
			struct tl_event *e = &lists[i][j];

			e->error_ns =
			    wild ? (uint32_t)next_random(900) : error_ns;
			e->sync_us = wild ? (uint32_t)next_random(3) : sync_us;
			if (wild && next_random(50) == 0)
				e->sync_us = TL_SYNC_UNBOUNDED;
		}
	}
}

static bool
is_bounded(const struct tl_event *e)
{
	return e->sync_us != TL_SYNC_UNBOUNDED;
}

/* The definition: the intervals of two events of different clocks meet. */
static bool
do_overlap(const struct tl_event *a, const struct tl_event *b)
{
	const int64_t apart = a->ns > b->ns ? a->ns - b->ns : b->ns - a->ns;

	return clocks[a->source] != clocks[b->source] && is_bounded(a) &&
	       is_bounded(b) &&
	       apart <= (int64_t)a->error_ns + b->error_ns +
			    INT64_C(1000) * ((int64_t)a->sync_us + b->sync_us);
}

/* Compare the marks with those of all pairs. */
static void
check_marks(size_t total, bool exact)
{
	for (size_t i = 0; i < total; i++) {
		bool any = !is_bounded(&given[i]);

		for (size_t j = 0; j < total; j++) {
			if (!do_overlap(&given[i], &given[j]))
				continue;
			any = true;
			if (!given[i].overlaps && !given[j].overlaps)
				ck_abort_msg("%zu and %zu are not marked", i,
				    j);
		}
		if (exact ? any != given[i].overlaps
			  : given[i].overlaps && !any)
			ck_abort_msg("%zu is marked %d", i, given[i].overlaps);
	}
}

static void
try_marks(size_t cursors, bool wild)
{
	struct tl_cursor *merged = merge_lists(cursors);
	size_t total = 0;

	tl_merge_mark_overlaps(merged);
	while (tl_cursor_next(merged, &given[total]) > 0)
		total++;
	tl_cursor_close(merged);
	check_marks(total, !wild);
}

TEST_FILE(.timeout = 600);

TEST(what_overlaps_is_marked)
{
	seed = 21;
	for (unsigned round = 0; round < 60; round++) {
		const size_t cursors = 1 + next_random(6);
		const bool wild = round % 3 == 0;

		order = round & 1 ? TL_OLDEST_FIRST : TL_NEWEST_FIRST;
		fill_lists(cursors, 1 + round % 5, 1 + next_random(3000000));
		set_errors(cursors, wild);
		try_marks(cursors, wild);
	}
}

TEST(bounds_at_the_ends_of_time_overlap_nothing_else)
{
	static const struct tl_event ends[] = { { .ns = INT64_MIN + 1,
						    .error_ns = 5 },
		{ .ns = INT64_MAX, .error_ns = UINT32_MAX, .sync_us = 7 } };
	static const struct tl_event middle[] = { { .ns = 0 } };
	struct tl_cursor *both[] = { list_new(ends, 2, SIZE_MAX, 0),
		list_new(middle, 1, SIZE_MAX, 0) };
	const unsigned own_clocks[] = { 3, 4 };
	struct tl_cursor *merged;
	struct tl_event event;

	ck_assert_ok(
	    tl_merge_new(&merged, both, own_clocks, 2, TL_OLDEST_FIRST));
	tl_merge_mark_overlaps(merged);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(tl_cursor_next(merged, &event), 1);
		ck_assert(!event.overlaps);
	}
	tl_cursor_close(merged);
}
