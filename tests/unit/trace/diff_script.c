/* SPDX-License-Identifier: Apache-2.0 */
/* diff_script.c - lists against lists: the script makes one
 * out of the other, and is as short as a table of all pairs says. */
#include "lib/random.h"
#include "lib/test.h"
#include "trace/diff/script.h"

#include <stdlib.h>

enum { ROUNDS = 3000, SMALL = 40, LARGE = 100000 };

static struct tl_diff_script script;

static struct tl_diff_list
random_list(uint64_t *seed, uint64_t count, uint64_t letters)
{
	uint64_t *items = calloc(count + 1, sizeof(*items));

	ck_assert_ptr_nonnull(items);
	for (uint64_t i = 0; i < count; i++)
		items[i] = random_below(seed, letters);
	return (struct tl_diff_list){ items, count };
}

/* How many two lists have in common at most: the table of all pairs. */
static uint64_t
dumb_common(struct tl_diff_list a, struct tl_diff_list b)
{
	static uint64_t table[SMALL + 1][SMALL + 1];

	for (uint64_t i = a.count + 1; i-- > 0;)
		for (uint64_t k = b.count + 1; k-- > 0;) {
			uint64_t best = 0;

			if (i < a.count && k < b.count)
				best = a.items[i] == b.items[k]
					   ? table[i + 1][k + 1] + 1
					   : 0;
			if (i < a.count && table[i + 1][k] > best)
				best = table[i + 1][k];
			if (k < b.count && table[i][k + 1] > best)
				best = table[i][k + 1];
			table[i][k] = best;
		}
	return table[0][0];
}

/* What stays, after a look at every run. */
static uint64_t
walk_script(struct tl_diff_list a, struct tl_diff_list b)
{
	uint64_t x = 0, y = 0, same = 0;

	for (size_t i = 0; i < script.count; i++) {
		const struct tl_diff_run run = script.runs[i];

		ck_assert(run.removed + run.added > 0 || i == 0);
		ck_assert(run.same > 0 || i + 1 == script.count);
		x += run.removed;
		y += run.added;
		for (uint64_t k = 0; k < run.same; k++)
			ck_assert_uint_eq(a.items[x + k], b.items[y + k]);
		x += run.same;
		y += run.same;
		same += run.same;
	}
	ck_assert_uint_eq(x, a.count);
	ck_assert_uint_eq(y, b.count);
	return same;
}

static uint64_t
compare(struct tl_diff_list a, struct tl_diff_list b)
{
	tl_diff_script_free(&script);
	ck_assert_int_eq(tl_diff_script_make(&script, a, b), 0);
	return walk_script(a, b);
}

static void
free_lists(struct tl_diff_list a, struct tl_diff_list b)
{
	tl_diff_script_free(&script);
	free((void *)(uintptr_t)a.items);
	free((void *)(uintptr_t)b.items);
}

TEST_FILE(.timeout = 120);

TEST(a_script_is_as_short_as_can_be)
{
	uint64_t seed = 1;

	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint64_t letters = 1 + random_below(&seed, 8);
		const struct tl_diff_list a =
		    random_list(&seed, random_below(&seed, SMALL), letters);
		const struct tl_diff_list b =
		    random_list(&seed, random_below(&seed, SMALL), letters);

		ck_assert_uint_eq(compare(a, b), dumb_common(a, b));
		ck_assert(!script.guessed);
		free_lists(a, b);
	}
}

TEST(equal_lists_are_one_run)
{
	uint64_t seed = 2;
	const struct tl_diff_list a = random_list(&seed, LARGE, 3);

	ck_assert_uint_eq(compare(a, a), LARGE);
	ck_assert_uint_eq(script.count, 1);
	ck_assert_uint_eq(compare(a, (struct tl_diff_list){ a.items, 0 }), 0);
	ck_assert_uint_eq(script.count, 1);
	ck_assert_uint_eq(compare((struct tl_diff_list){ NULL, 0 }, a), 0);
	ck_assert_uint_eq(compare((struct tl_diff_list){ NULL, 0 },
			      (struct tl_diff_list){ NULL, 0 }),
	    0);
	ck_assert_uint_eq(script.count, 0);
	free_lists(a, (struct tl_diff_list){ NULL, 0 });
}

/* Some are replaced, some left out. */
static struct tl_diff_list
mutate(uint64_t *seed, struct tl_diff_list a, uint64_t one_in, uint64_t *kept)
{
	struct tl_diff_list b = random_list(seed, a.count, 2);
	uint64_t *to = (uint64_t *)(uintptr_t)b.items;
	uint64_t count = 0;

	*kept = 0;
	for (uint64_t i = 0; i < a.count; i++) {
		const uint64_t r = random_below(seed, 2 * one_in);

		if (r == 0)
			continue;
		*kept += r != 1;
		to[count++] = r == 1 ? UINT64_MAX : a.items[i];
	}
	b.count = count;
	return b;
}

TEST(wide_lists_take_little_time)
{
	static const uint64_t letters[] = { 2, 10, 1000, UINT64_MAX };
	uint64_t seed = 3, kept;

	for (unsigned i = 0; i < 4; i++) {
		const struct tl_diff_list a =
		    random_list(&seed, LARGE, letters[i]);
		const struct tl_diff_list b = mutate(&seed, a, 5000, &kept);

		ck_assert_uint_ge(compare(a, b), kept);
		ck_assert(!script.guessed);
		free_lists(a, b);
	}
}

TEST(lists_that_have_little_in_common_are_compared_all_the_same)
{
	static const uint64_t letters[] = { 2, 10, 1000, UINT64_MAX };
	uint64_t seed = 4;

	for (unsigned i = 0; i < 4; i++) {
		const struct tl_diff_list a =
		    random_list(&seed, LARGE, letters[i]);
		const struct tl_diff_list b =
		    random_list(&seed, LARGE, letters[i]);

		compare(a, b);
		ck_assert(script.guessed);
		free_lists(a, b);
	}
}
