/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - the numbers of many messages take little memory, and few and many
 * numbers have the same summary.
 */
#include "dump/stats/values.h"

#include "dump/stats/row.h"
#include "lib/random.h"
#include "lib/test.h"

#include <math.h>
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
			ck_assert_ok(
			    tl_values_add(&all[i], (i + k * 1000) << k));
	for (int64_t i = 0; i < MESSAGES; i++) {
		ck_assert_ok(tl_values_summarise(&all[i], true, &s));
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

		ck_assert_ok(tl_values_add(&numbers, value));
		for (unsigned k = 0; k < 2; k++)
			ck_assert_ok(tl_values_add(&others, value));
	}
	ck_assert_ok(tl_values_summarise(&numbers, true, &few));
	ck_assert_ok(tl_values_summarise(&others, true, &many));
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

	ck_assert_ok(tl_values_add(&numbers, -3));
	ck_assert_ok(tl_values_add(&numbers, 8));
	ck_assert_ok(tl_values_summarise(&numbers, true, &s));
	ck_assert_uint_eq(s.count, 2);
	ck_assert_ok(tl_values_add(&numbers, 5));
	ck_assert_ok(tl_values_summarise(&numbers, true, &s));
	ck_assert_uint_eq(s.count, 1);
	ck_assert_int_eq(s.min, 5);
	ck_assert_int_eq(s.max, 5);
	ck_assert_ok(tl_values_summarise(&numbers, true, &s));
	ck_assert_uint_eq(s.count, 0);
}

static void
add_double(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	ck_assert_ok(tl_values_add_bits(&numbers, TL_VALUES_DOUBLE, bits));
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Is x the value or at most one part in a thousand above it? */
static bool
stands_for(double x, double value)
{
	return x >= value && x - value <= fabs(value) / 1000 + 0x1p-1074;
}

/* Numbers of all sizes, also below 2^-1022, few of them and many. */
TEST(doubles_of_any_size_have_percentiles_to_one_in_a_thousand)
{
	const size_t counts[] = { 1, 100, 2 * TL_VALUES_RAW_MAX };
	double all[2 * TL_VALUES_RAW_MAX];
	struct tl_values_summary s;
	uint64_t seed = 11;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const size_t n = counts[i];
		long double sum = 0;

		for (size_t k = 0; k < n;) {
			const uint64_t bits = random_next(&seed);

			memcpy(&all[k], &bits, sizeof(bits));
			if (k % 7 == 0)
				all[k] = ldexp(1, -1074 + (int)(k % 90));
			if (!isfinite(all[k]))
				continue;
			add_double(all[k]);
			sum += all[k++];
		}
		qsort(all, n, sizeof(all[0]), compare);
		ck_assert_ok(tl_values_summarise(&numbers, true, &s));
		ck_assert_uint_eq(s.count, n);
		ck_assert(tl_double_of((uint64_t)s.min) == all[0]);
		ck_assert(tl_double_of((uint64_t)s.max) == all[n - 1]);
		ck_assert(stands_for(tl_double_of((uint64_t)s.p50),
		    all[tl_percentile_rank(n, 50) - 1]));
		ck_assert(stands_for(tl_double_of((uint64_t)s.p99),
		    all[tl_percentile_rank(n, 99) - 1]));
		ck_assert(
		    s.mean == (double)(sum / (long double)n) ||
		    fabs(s.mean / (double)(sum / (long double)n) - 1) < 1e-9);
	}
}

TEST(doubles_that_are_no_numbers_are_counted_apart)
{
	struct tl_values_summary s;

	add_double(NAN);
	add_double(INFINITY);
	add_double(-INFINITY);
	ck_assert_ok(tl_values_summarise(&numbers, true, &s));
	ck_assert_uint_eq(s.count, 0);
	ck_assert_uint_eq(s.nan, 1);
	ck_assert_uint_eq(s.infinite, 2);
	add_double(-0.0);
	add_double(0);
	ck_assert_ok(tl_values_summarise(&numbers, true, &s));
	ck_assert_uint_eq(s.count, 2);
	ck_assert_uint_eq(s.nan, 0);
	ck_assert_int_eq(s.min, 0);
	ck_assert_int_eq(s.max, 0);
}

/* Numbers at equal ratios are in each bar. */
TEST(bars_of_doubles_are_logarithmic)
{
	struct tl_values_summary s;
	unsigned drawn = 0;

	for (int power = -300; power < 300; power += 4)
		add_double(pow(10, power));
	ck_assert_ok(tl_values_summarise(&numbers, true, &s));
	for (unsigned i = 0; i < TL_VALUES_BARS; i++)
		drawn += s.bars[i] > 0;
	ck_assert_uint_eq(drawn, TL_VALUES_BARS);
}
