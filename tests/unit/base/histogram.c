/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.c - the histogram, compared with a sorted array and with the
 * original in Node.
 */
#include "base/histogram.h"
#include "lib/test.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 5000 };

static uint64_t values[COUNT];
static uint64_t seed;

static uint64_t
next_random(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 11; /* 53 bits */
}

/* Random values of all magnitudes from 1 on. */
static void
fill_values(void)
{
	seed = 7;
	for (size_t i = 0; i < COUNT; i++)
		values[i] = (next_random() >> (next_random() % 53)) + 1;
}

static struct tl_histogram *
histogram_of(const uint64_t *some, size_t count, unsigned digits)
{
	struct tl_histogram *h = malloc(sizeof(*h));

	ck_assert_ptr_nonnull(h);
	tl_histogram_init(h, digits);
	for (size_t i = 0; i < count; i++)
		ck_assert_ok(tl_histogram_add(h, some[i], 1));
	return h;
}

static void
release(struct tl_histogram *h)
{
	tl_histogram_clear(h);
	free(h);
}

static void
reset(struct tl_histogram *h)
{
	const unsigned digits = h->digits;

	tl_histogram_clear(h);
	tl_histogram_init(h, digits);
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

TEST_FILE(.timeout = 60);

TEST(an_empty_histogram_says_zero)
{
	struct tl_histogram *h = histogram_of(NULL, 0, 3);
	uint64_t low, high, count;
	size_t index = 0;

	ck_assert_uint_eq(h->count, 0);
	ck_assert_uint_eq(h->min, 0);
	ck_assert_uint_eq(h->max, 0);
	ck_assert_uint_eq(tl_histogram_percentile(h, 50), 0);
	ck_assert(tl_histogram_mean(h) == 0);
	ck_assert(tl_histogram_stddev(h) == 0);
	ck_assert(!tl_histogram_bucket(h, &index, &low, &high, &count));
	release(h);
}

TEST(percentiles_are_those_of_a_sorted_array_to_the_digits_asked)
{
	static const double percents[] = { 0, 1, 10, 25, 50, 75, 90, 99, 99.9,
		100 };

	fill_values();
	qsort(values, COUNT, sizeof(values[0]), compare);
	for (unsigned digits = 1; digits <= 5; digits++) {
		struct tl_histogram *h = histogram_of(values, COUNT, digits);

		for (size_t i = 0; i < 10; i++) {
			const size_t rank =
			    (size_t)ceil(percents[i] * COUNT / 100 - 1e-6);
			const double want =
			    (double)values[rank > 0 ? rank - 1 : 0];
			const double got =
			    (double)tl_histogram_percentile(h, percents[i]);

			ck_assert_double_le(fabs(got - want),
			    want * pow(10, -(int)digits));
		}
		ck_assert_uint_eq(h->min, values[0]);
		ck_assert_uint_eq(h->max, values[COUNT - 1]);
		release(h);
	}
}

TEST(a_percentile_is_the_first_value_at_which_so_many_are_reached)
{
	static const struct {
		uint64_t count;
		double percent;
		uint64_t rank;
	} cases[] = { { 0, 50, 0 }, { 1, 0, 1 }, { 1, 50, 1 }, { 2, 50, 1 },
		{ 3, 50, 2 }, { 3, 33, 1 }, { 3, 34, 2 }, { 10, 99, 10 },
		{ 100, 99, 99 }, { 101, 99, 100 }, { 1000, 99.9, 999 },
		{ 1001, 99.9, 1000 }, { 10000, 99.99, 9999 },
		{ 1000000, 99.9, 999000 }, { 7, 100, 7 }, { 7, 1e300, 7 },
		{ 7, -1, 1 }, { UINT64_MAX, 100, UINT64_MAX },
		{ UINT64_MAX, 50, UINT64_C(1) << 63 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(tl_percentile_rank(cases[i].count,
				      cases[i].percent),
		    cases[i].rank);
}

TEST(the_mean_lies_between_the_least_and_the_greatest_value)
{
	struct tl_histogram *h = histogram_of(NULL, 0, 3);

	ck_assert_ok(tl_histogram_add(h, 494610000, 1));
	ck_assert(tl_histogram_mean(h) == 494610000);
	ck_assert_ok(tl_histogram_add(h, 494610001, 3));
	ck_assert(tl_histogram_mean(h) >= 494610000);
	ck_assert(tl_histogram_mean(h) <= 494610001);
	release(h);
}

TEST(mean_and_deviation_are_those_of_the_values)
{
	double sum = 0, squares = 0, mean;
	struct tl_histogram *h;

	fill_values();
	h = histogram_of(values, COUNT, 5);
	for (size_t i = 0; i < COUNT; i++)
		sum += (double)values[i];
	mean = sum / COUNT;
	for (size_t i = 0; i < COUNT; i++)
		squares +=
		    ((double)values[i] - mean) * ((double)values[i] - mean);
	ck_assert_double_le(fabs(tl_histogram_mean(h) - mean), mean * 1e-5);
	ck_assert_double_le(fabs(
				tl_histogram_stddev(h) - sqrt(squares / COUNT)),
	    mean * 1e-5);
	release(h);
}

/*
 * Check that each value lies in one bucket, and that buckets do not overlap and
 * hold all values.
 */
static void
check_buckets(unsigned digits)
{
	struct tl_histogram *h = histogram_of(values, COUNT, digits);
	uint64_t low, high, count, before = 0, total = 0;
	size_t index = 0, i = 0;

	while (tl_histogram_bucket(h, &index, &low, &high, &count)) {
		ck_assert(total == 0 || low > before);
		ck_assert_uint_ge(high, low);
		ck_assert((double)(high - low) <=
			  (double)low * pow(10, -(int)digits));
		for (uint64_t n = 0; n < count; n++, i++) {
			ck_assert_uint_ge(values[i], low);
			ck_assert_uint_le(values[i], high);
		}
		total += count;
		before = high;
	}
	ck_assert_uint_eq(total, COUNT);
	ck_assert_uint_eq(h->count, COUNT);
	release(h);
}

TEST(buckets_hold_every_value_once)
{
	fill_values();
	qsort(values, COUNT, sizeof(values[0]), compare);
	for (unsigned digits = 1; digits <= 5; digits++)
		check_buckets(digits);
}

TEST(the_largest_values_have_buckets)
{
	static const uint64_t large[] = { INT64_MAX, UINT64_MAX,
		(uint64_t)INT64_MAX + 1 };
	static const uint64_t lows[] = { INT64_MAX, (uint64_t)INT64_MAX + 1,
		UINT64_MAX };

	for (unsigned digits = 1; digits <= 5; digits++) {
		struct tl_histogram *h = histogram_of(large, 3, digits);
		uint64_t low, high, count;
		size_t index = 0;

		for (size_t i = 0; i < 3; i++) {
			ck_assert(tl_histogram_bucket(h, &index, &low, &high,
			    &count));
			ck_assert_uint_eq(count, 1);
			ck_assert(low <= lows[i] && lows[i] <= high);
		}
		ck_assert_uint_eq(high, UINT64_MAX);
		ck_assert_uint_eq(h->max, UINT64_MAX);
		ck_assert_uint_eq(tl_histogram_percentile(h, 100), UINT64_MAX);
		ck_assert(!tl_histogram_bucket(h, &index, &low, &high, &count));
		release(h);
	}
}

TEST(merging_counts_what_both_counted)
{
	struct tl_histogram *a, *b, *all, *other;

	fill_values();
	a = histogram_of(values, COUNT / 3, 3);
	b = histogram_of(values + COUNT / 3, COUNT - COUNT / 3, 3);
	all = histogram_of(values, COUNT, 3);
	other = histogram_of(values, 1, 2);
	ck_assert_ok(tl_histogram_merge(a, b));
	ck_assert_int_eq(tl_histogram_merge(a, other), -EINVAL);
	ck_assert_uint_eq(a->count, COUNT);
	ck_assert_uint_eq(a->min, all->min);
	ck_assert_uint_eq(a->max, all->max);
	ck_assert(tl_histogram_mean(a) == tl_histogram_mean(all));
	for (unsigned p = 0; p <= 100; p++)
		ck_assert_uint_eq(tl_histogram_percentile(a, p),
		    tl_histogram_percentile(all, p));
	release(a);
	release(b);
	release(all);
	release(other);
}

/* A value that counts twice is in counters; values that count once are a list
 * first, which is sorted in two ways, and has at most 16,384 values. */
TEST(a_list_of_values_says_what_counters_say)
{
	static const size_t counts[] = { 1, 2, 32, 33, 1000, 16384, 16385 };
	uint64_t low, high, n, list_low, list_high, list_n;

	seed = 7;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct tl_histogram *list = histogram_of(NULL, 0, 3);
		struct tl_histogram *h = histogram_of(NULL, 0, 3);
		size_t at = 0, list_at = 0;

		for (size_t k = 0; k < counts[i]; k++) {
			const uint64_t value =
			    next_random() >> (next_random() % 53);

			ck_assert_int_eq(tl_histogram_add(list, value, 1), 0);
			ck_assert_int_eq(tl_histogram_add(h, value, 2), 0);
			if (k == counts[i] / 2) /* sorts the list */
				ck_assert_uint_eq(tl_histogram_percentile(list,
						      50),
				    tl_histogram_percentile(h, 50));
		}
		ck_assert(tl_histogram_mean(list) == tl_histogram_mean(h));
		ck_assert(tl_histogram_stddev(list) == tl_histogram_stddev(h));
		for (unsigned p = 0; p <= 1000; p++)
			ck_assert_uint_eq(tl_histogram_percentile(list,
					      (double)p / 10),
			    tl_histogram_percentile(h, (double)p / 10));
		while (tl_histogram_bucket(h, &at, &low, &high, &n)) {
			ck_assert(tl_histogram_bucket(list, &list_at, &list_low,
			    &list_high, &list_n));
			ck_assert_uint_eq(low, list_low);
			ck_assert_uint_eq(high, list_high);
			ck_assert_uint_eq(n, 2 * list_n);
		}
		ck_assert(
		    !tl_histogram_bucket(list, &list_at, &low, &high, &n));
		release(list);
		release(h);
	}
}

TEST(merging_into_an_empty_one_takes_the_least_along)
{
	const uint64_t value = 500;
	struct tl_histogram *a = histogram_of(NULL, 0, 3);
	struct tl_histogram *b = histogram_of(&value, 1, 3);

	ck_assert_ok(tl_histogram_merge(a, b));
	ck_assert_uint_eq(a->min, 500);
	reset(b);
	ck_assert_ok(tl_histogram_merge(a, b));
	ck_assert_uint_eq(a->min, 500);
	ck_assert_uint_eq(a->count, 1);
	release(a);
	release(b);
}

TEST(a_reset_histogram_is_empty)
{
	struct tl_histogram *h;

	fill_values();
	h = histogram_of(values, COUNT, 3);
	reset(h);
	ck_assert_uint_eq(h->count, 0);
	ck_assert_uint_eq(tl_histogram_percentile(h, 100), 0);
	ck_assert_ok(tl_histogram_add(h, 5, 10));
	ck_assert_ok(tl_histogram_add(h, 9, 0));
	ck_assert_uint_eq(h->count, 10);
	ck_assert_uint_eq(h->min, 5);
	ck_assert_uint_eq(h->max, 5);
	release(h);
}

/* Hand the values to Node's histogram, which writes its answers to a file. */
static const char script[] =
    "const h = require('perf_hooks').createHistogram();"
    "require('fs').readFileSync(0, 'utf8').trim().split('\\n')"
    "    .forEach(v => h.record(BigInt(v)));"
    "console.log([h.minBigInt ?? h.min, h.maxBigInt ?? h.max].join(' '));"
    "console.log([h.mean, h.stddev].join(' '));"
    "for (const p of [0.001, 1, 5, 10, 25, 33.3, 50, 66.6, 75, 90, 95, 99,"
    "    99.9, 99.99, 100])"
    "    console.log(p + ' ' + (h.percentileBigInt ?"
    "        h.percentileBigInt(p) : h.percentile(p)));";

static void
ask_node(const char *answers)
{
	char command[2000];
	FILE *node;

	snprintf(command, sizeof(command), "node -e \"%s\" > %s", script,
	    answers);
	node = popen(command, "w");
	ck_assert_ptr_nonnull(node);
	for (size_t i = 0; i < COUNT; i++)
		fprintf(node, "%" PRIu64 "\n", values[i]);
	ck_assert_int_eq(pclose(node), 0);
}

/* The bucket that contains a value. */
static void
bucket_of(uint64_t value, uint64_t *low, uint64_t *high)
{
	struct tl_histogram *h = histogram_of(&value, 1, 3);
	uint64_t count;
	size_t index = 0;

	ck_assert(tl_histogram_bucket(h, &index, low, high, &count));
	release(h);
}

static void
compare_with_answers(struct tl_histogram *h, FILE *f)
{
	uint64_t min, max, low, high, value;
	double mean, stddev, percent;
	unsigned lines = 0;

	ck_assert_int_eq(fscanf(f, "%" SCNu64 " %" SCNu64, &min, &max), 2);
	bucket_of(h->min, &low, &high);
	ck_assert_uint_eq(min, low);
	bucket_of(h->max, &low, &high);
	ck_assert_uint_eq(max, high);
	ck_assert_int_eq(fscanf(f, "%lf %lf", &mean, &stddev), 2);
	ck_assert_double_le(fabs(mean - tl_histogram_mean(h)),
	    fabs(mean) * 1e-12);
	ck_assert_double_le(fabs(stddev - tl_histogram_stddev(h)),
	    stddev * 1e-12);
	while (fscanf(f, "%lf %" SCNu64, &percent, &value) == 2) {
		lines++;
		/*
		 * Node takes the nearest rank, and upper edges beyond the
		 * greatest value
		 */
		if (fmod(percent * COUNT / 100, 1) > 1e-6 &&
		    fmod(percent * COUNT / 100, 1) < 0.5 + 1e-6)
			continue;
		if (value > h->max)
			value = h->max;
		ck_assert_uint_eq(value, tl_histogram_percentile(h, percent));
	}
	ck_assert_uint_eq(lines, 15);
}

TEST(node_gives_the_same_answers)
{
	char directory[] = "/tmp/test_base_histogram.XXXXXX", answers[64];
	struct tl_histogram *h;
	FILE *f;

	if (system("command -v node >/dev/null") != 0) {
		fputs("skipped: no node to compare with\n", stderr);
		return;
	}
	fill_values();
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(answers, sizeof(answers), "%s/answers", directory);
	ask_node(answers);
	f = fopen(answers, "r");
	unlink(answers);
	rmdir(directory);
	ck_assert_ptr_nonnull(f);
	h = histogram_of(values, COUNT, 3);
	compare_with_answers(h, f);
	fclose(f);
	release(h);
}
