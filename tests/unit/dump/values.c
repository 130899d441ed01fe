/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - the numbers of many messages take little memory, and few and many
 * numbers have the same summary.
 */
#include "dump/stats/values.h"

#include "dump/stats/row.h"
#include "lib/random.h"
#include "lib/test.h"

#include <string.h>
#include <sys/resource.h>

enum { MESSAGES = 20000, NUMBERS = 5 };

static struct tl_values numbers, others;

static void
teardown(void)
{
	tl_values_free(&numbers);
	tl_values_free(&others);
}

TEST_FILE(.teardown = teardown, .timeout = 60);

static long
most_memory_kib(void)
{
	struct rusage usage;

	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

/* A histogram takes 8 KiB and more for each power of two. */
TEST(many_messages_of_few_numbers_take_little_memory)
{
	enum { MEMORY_MAX_KIB = MESSAGES * 256 / 1024 };
	struct tl_values *all = calloc(MESSAGES, sizeof(*all));
	struct tl_values_summary s;
	long before, used;

	memset(all, 0, MESSAGES * sizeof(*all));
	before = most_memory_kib();
	for (int64_t i = 0; i < MESSAGES; i++)
		for (int64_t k = 0; k < NUMBERS; k++)
			ck_assert_int_eq(tl_values_add(&all[i], (i + k * 1000)
								    << k),
			    0);
	for (int64_t i = 0; i < MESSAGES; i++) {
		ck_assert_int_eq(tl_values_summarise(&all[i], &s), 0);
		ck_assert_uint_eq(s.count, NUMBERS);
	}
	used = most_memory_kib() - before;
#ifdef __SANITIZE_ADDRESS__ /* a sanitizer has an allocator of its own */
	used = 0;
#endif
	ck_assert_int_le(used, MEMORY_MAX_KIB);
	ck_assert_uint_le(sizeof(struct tl_stats_row), 512);
	free(all);
}

/*
 * Numbers counted at once and numbers first kept one by one give the same
 * result.
 */
TEST(the_first_numbers_are_counted_as_the_others_are)
{
	struct tl_values_summary few, many;
	uint64_t seed = 7;

	for (unsigned i = 1; i <= TL_VALUES_RAW_MAX; i++) {
		const int64_t value =
		    (int64_t)(random_next(&seed) >> random_below(&seed, 63)) -
		    1000;

		ck_assert_int_eq(tl_values_add(&numbers, value), 0);
		for (unsigned k = 0; k < 2; k++)
			ck_assert_int_eq(tl_values_add(&others, value), 0);
	}
	ck_assert_int_eq(tl_values_summarise(&numbers, &few), 0);
	ck_assert_int_eq(tl_values_summarise(&others, &many), 0);
	ck_assert_uint_eq(few.count, TL_VALUES_RAW_MAX);
	ck_assert_uint_eq(many.count, 2 * few.count);
	ck_assert_int_eq(few.min, many.min);
	ck_assert_int_eq(few.p50, many.p50);
	ck_assert_int_eq(few.p90, many.p90);
	ck_assert_int_eq(few.p99, many.p99);
	ck_assert_int_eq(few.p999, many.p999);
	ck_assert_int_eq(few.max, many.max);
	ck_assert_mem_eq(few.bars, many.bars, sizeof(few.bars));
}

TEST(numbers_that_were_summarised_are_forgotten)
{
	struct tl_values_summary s;

	ck_assert_int_eq(tl_values_add(&numbers, -3), 0);
	ck_assert_int_eq(tl_values_add(&numbers, 8), 0);
	ck_assert_int_eq(tl_values_summarise(&numbers, &s), 0);
	ck_assert_uint_eq(s.count, 2);
	ck_assert_int_eq(tl_values_add(&numbers, 5), 0);
	ck_assert_int_eq(tl_values_summarise(&numbers, &s), 0);
	ck_assert_uint_eq(s.count, 1);
	ck_assert_int_eq(s.min, 5);
	ck_assert_int_eq(s.max, 5);
	ck_assert_int_eq(tl_values_summarise(&numbers, &s), 0);
	ck_assert_uint_eq(s.count, 0);
}
