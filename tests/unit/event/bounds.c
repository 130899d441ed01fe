/* SPDX-License-Identifier: Apache-2.0 */
/* bounds.c - bounds beside all of them closed anew each time. */
#include "event/hosts/pairs.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <stdbool.h>

enum { COUNT_MAX = 8, ROUNDS = 300, ADDED = 40 };

#define NONE INT64_MAX

static uint64_t state;

/* Everything said so far, the shortest edge of each pair only. */
static int64_t edges[COUNT_MAX][COUNT_MAX];
static int64_t paths[COUNT_MAX][COUNT_MAX];

/* All shortest paths; false when a cycle is negative. */
static bool
close_all(size_t count)
{
	memcpy(paths, edges, sizeof(paths));
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; j < count; j++)
				if (paths[i][k] != NONE &&
				    paths[k][j] != NONE &&
				    paths[i][k] + paths[k][j] < paths[i][j])
					paths[i][j] = paths[i][k] + paths[k][j];
	for (size_t i = 0; i < count; i++)
		if (paths[i][i] < 0)
			return false;
	return true;
}

static void
add_edge(size_t a, size_t b, int64_t length)
{
	if (length < edges[a][b])
		edges[a][b] = length;
}

static void
forget(size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			edges[i][j] = i == j ? 0 : NONE;
}

static int64_t
some_ns(void)
{
	return (int64_t)random_below(&state, 2001) - 1000;
}

static struct tl_range
some_range(void)
{
	const int64_t least = some_ns();
	const struct tl_range range = { random_below(&state, 4) ? least
								: INT64_MIN,
		random_below(&state, 4)
		    ? least + (int64_t)random_below(&state, 800)
		    : INT64_MAX };

	return range;
}

static void
check_all(const struct tl_bounds *bounds, size_t count)
{
	for (size_t a = 0; a < count; a++) {
		for (size_t b = 0; b < count; b++) {
			const struct tl_range r = tl_bounds_of(bounds, a, b);

			ck_assert_int_eq(r.most, paths[a][b]);
			ck_assert_int_eq(r.least,
			    paths[b][a] == NONE ? INT64_MIN : -paths[b][a]);
		}
	}
}

/* One more range: does it fit, and does the dumb way say so, too? */
static void
try_range(struct tl_bounds *bounds, size_t count)
{
	const size_t a = random_below(&state, count);
	const size_t b = (a + 1 + random_below(&state, count - 1)) % count;
	struct tl_range range = some_range();
	int64_t before[COUNT_MAX][COUNT_MAX], by = 0;
	const int rc = tl_bounds_add(bounds, a, b, range, &by);

	memcpy(before, edges, sizeof(before));
	if (rc < 0) { /* widened by so much it would have fitted ... */
		ck_assert_int_eq(rc, -EDOM);
		ck_assert_int_gt(by, 0);
	}
	if (range.most != INT64_MAX)
		add_edge(a, b, range.most);
	if (range.least != INT64_MIN)
		add_edge(b, a, -range.least);
	ck_assert_int_eq(close_all(count), rc == 0);
	if (rc < 0) {
		memcpy(edges, before, sizeof(edges));
		ck_assert(close_all(count));
	}
	check_all(bounds, count);
}

TEST(bounds_are_as_narrow_as_all_of_them_make_them)
{
	state = 3;
	for (unsigned round = 0; round < ROUNDS; round++) {
		const size_t count = 2 + random_below(&state, COUNT_MAX - 1);
		struct tl_bounds *bounds;

		ck_assert_int_eq(tl_bounds_new(&bounds, count), 0);
		forget(count);
		for (unsigned i = 0; i < ADDED; i++)
			try_range(bounds, count);
		tl_bounds_free(bounds);
	}
}

TEST(what_cannot_be_is_told_with_its_amount)
{
	struct tl_bounds *bounds;
	int64_t by = 0;

	ck_assert_int_eq(tl_bounds_new(&bounds, 3), 0);
	ck_assert_int_eq(tl_bounds_add(bounds, 0, 1,
			     (struct tl_range){ 10, 20 }, &by),
	    0);
	ck_assert_int_eq(tl_bounds_add(bounds, 1, 2,
			     (struct tl_range){ 10, 20 }, &by),
	    0);
	ck_assert_int_eq(tl_bounds_add(bounds, 0, 2,
			     (struct tl_range){ 47, INT64_MAX }, &by),
	    -EDOM);
	ck_assert_int_eq(by, 7);
	ck_assert_int_eq(tl_bounds_add(bounds, 2, 0, (struct tl_range){ 3, 5 },
			     &by),
	    -EDOM);
	ck_assert_int_eq(by, 23);
	ck_assert_int_eq(tl_bounds_add(bounds, 0, 1,
			     (struct tl_range){ 16, 12 }, &by),
	    -EDOM);
	ck_assert_int_eq(by, 4);
	ck_assert_int_eq(tl_bounds_of(bounds, 0, 2).least, 20);
	ck_assert_int_eq(tl_bounds_of(bounds, 0, 2).most, 40);
	ck_assert_int_eq(tl_bounds_add(bounds, 0, 2,
			     (struct tl_range){ 37, INT64_MAX }, &by),
	    0);
	ck_assert_int_eq(tl_bounds_of(bounds, 0, 1).least, 17);
	tl_bounds_free(bounds);
}

TEST(the_largest_numbers_are_no_bounds)
{
	static const struct tl_range ranges[] = { { INT64_MIN, INT64_MAX },
		{ INT64_MIN + 1, INT64_MAX - 1 }, { INT64_MIN, 0 },
		{ -INT64_MAX / 5, INT64_MAX / 5 } };
	struct tl_bounds *bounds;
	int64_t by;

	ck_assert_int_eq(tl_bounds_new(&bounds, TL_BOUNDS_MAX + 1), -E2BIG);
	ck_assert_int_eq(tl_bounds_new(&bounds, 4), 0);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		for (size_t a = 0; a < 4; a++)
			ck_assert_int_eq(tl_bounds_add(bounds, a, (a + 1) % 4,
					     ranges[i], &by),
			    0);
	ck_assert_int_eq(tl_bounds_of(bounds, 0, 1).most, 0);
	ck_assert_int_eq(tl_bounds_of(bounds, 1, 0).least, 0);
	tl_bounds_free(bounds);
}
