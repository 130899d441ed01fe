/* SPDX-License-Identifier: Apache-2.0 */
/* chance.c - probabilities, compared with a count of all cases. */
#include "analysis/chance.h"
#include "analysis/records.h"
#include "lib/test.h"

#include <math.h>
#include <stdlib.h>

static double
choose(unsigned n, unsigned k)
{
	double c = 1;

	for (unsigned i = 0; i < k; i++)
		c = c * (n - i) / (i + 1);
	return c;
}

TEST(the_tail_of_the_hypergeometric_distribution_is_that_of_all_choices)
{
	for (unsigned all = 2; all < 14; all++)
		for (unsigned slow = 1; slow < all; slow++)
			for (unsigned with = 1; with < all; with++)
				for (unsigned hits = 1;
				     hits <= slow && hits <= with; hits++) {
					const struct tl_fourfold f = { all,
						slow, with, hits };
					double sum = 0;

					if (hits * all <= slow * with ||
					    with - hits > all - slow)
						continue;
					for (unsigned i = hits;
					     i <= slow && i <= with; i++)
						sum += choose(slow, i) *
						       choose(all - slow,
							   with - i);
					ck_assert_double_eq_tol(
					    exp(tl_hypergeometric_tail(&f)),
					    sum / choose(all, with), 1e-9);
				}
}

TEST(the_tail_of_the_binomial_distribution_is_a_sum)
{
	for (unsigned n = 1; n < 20; n++)
		for (unsigned hits = n / 4 + 1; hits <= n; hits++) {
			double sum = 0;

			for (unsigned i = hits; i <= n; i++)
				sum += choose(n, i) * pow(0.25, i) *
				       pow(0.75, n - i);
			ck_assert_double_eq_tol(exp(tl_binomial_tail(n, 0.25,
						    hits)),
			    sum, 1e-9);
		}
}

TEST(a_tail_beyond_all_doubles_has_a_logarithm)
{
	const struct tl_fourfold f = { 1e6, 1e4, 1e4, 1e4 };

	ck_assert(tl_hypergeometric_tail(&f) < -50000);
}

TEST(what_says_all_carries_more_information_than_what_says_half)
{
	const struct tl_fourfold all = { 1000, 10, 10, 10 };
	const struct tl_fourfold half = { 1000, 10, 5, 5 };
	const struct tl_fourfold none = { 1000, 10, 500, 5 };

	ck_assert(tl_information(&all) > tl_information(&half));
	ck_assert(tl_information(&half) > 0);
	ck_assert_double_eq_tol(tl_information(&none), 0, 1e-12);
	ck_assert_double_eq_tol(tl_risk_ratio(&none), 1, 1e-9);
}

static int
compare(const void *a, const void *b)
{
	const struct tl_weighed *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

TEST(a_weighed_selection_is_that_of_a_sorted_list)
{
	struct tl_weighed values[50], sorted[50];

	srand(1);
	for (int round = 0; round < 200; round++) {
		uint64_t weight = 0, rank, below = 0;
		size_t i = 0;

		for (size_t k = 0; k < 50; k++) {
			values[k] = (struct tl_weighed){ rand() % 20,
				(uint64_t)(1 + rand() % 4) };
			weight += values[k].weight;
		}
		memcpy(sorted, values, sizeof(values));
		qsort(sorted, 50, sizeof(sorted[0]), compare);
		rank = (uint64_t)rand() % weight;
		while (below + sorted[i].weight <= rank)
			below += sorted[i++].weight;
		ck_assert_int_eq(tl_weighed_select(values, 50, rank),
		    sorted[i].value);
	}
}

TEST(thinning_keeps_what_is_slow_and_the_weight_of_the_rest)
{
	struct tl_records records = { 0 };
	struct tl_records_at at = { .records = &records };
	const uint64_t parts[3] = { 1, 2, 3 };
	const struct tl_record *r;
	uint64_t slow = 0, weight = 0;

	for (int i = 0; i < 100000; i++) {
		const struct tl_record head = { .begin_ns = i,
			.duration_ns = i % 20 == 0 ? 1000 : 10,
			.weight = 1,
			.part_count = (uint8_t)(i % 4) };

		ck_assert_ok(
		    tl_records_add(&records, &head, NULL, parts, NULL));
	}
	tl_records_thin(&records, 1000);
	while ((r = tl_records_next(&at))) {
		ck_assert_int_eq(r->part_count, r->begin_ns % 4);
		ck_assert_int_eq(r->weight, r->duration_ns == 1000 ? 1 : 2);
		slow += r->duration_ns == 1000;
		weight += r->weight;
	}
	ck_assert_int_eq(slow, 5000);
	ck_assert_int_eq(weight, records.weight);
	ck_assert(weight > 98000 && weight < 102000);
	ck_assert(records.count < 60000);
	tl_records_free(&records);
}

TEST(spans_that_began_or_ended_together_are_one_observation)
{
	/*
	 * three spans that one stop delayed, two that waited for one end, and
	 * one alone
	 */
	float share[6];
	struct tl_stretch s[6] = { { 100, 5100, 1, &share[0] },
		{ 150, 5120, 1, &share[1] }, { 190, 5150, 1, &share[2] },
		{ 20000, 30000, 1, &share[3] }, { 26000, 30050, 1, &share[4] },
		{ 90000, 95000, 1, &share[5] } };

	tl_episode_shares(s, 6, 100);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_double_eq_tol((double)share[i], 1 / 3.0, 1e-6);
	for (unsigned i = 3; i < 5; i++)
		ck_assert_double_eq_tol((double)share[i], 0.5, 1e-6);
	ck_assert_double_eq_tol((double)share[5], 1, 1e-6);
}

TEST(a_feature_that_follows_from_another_says_nothing_in_its_strata)
{
	/*
	 * follows: in each stratum the slow spans have it as often as all spans
	 */
	const struct tl_fourfold follows[2] = { { 1000, 500, 500, 250 },
		{ 9000, 90, 900, 9 } };
	const struct tl_fourfold own[2] = { { 1000, 500, 500, 250 },
		{ 9000, 90, 900, 80 } };

	ck_assert_double_eq_tol(tl_strata_mean(follows, 2), 259, 1e-9);
	ck_assert(tl_strata_tail(follows, 2) > log(0.4));
	ck_assert(tl_strata_tail(own, 2) < log(1e-4));
}

TEST(the_tail_of_strata_is_no_less_than_that_of_all_choices)
{
	/*
	 * Two tables of 4 spans: 2 are slow, 2 have the feature, and both of
	 * these are slow.  The chance is 1 in 6 for each table.
	 */
	const struct tl_fourfold strata[2] = { { 4, 2, 2, 2 }, { 4, 2, 2, 2 } };

	ck_assert(exp(tl_strata_tail(strata, 2)) >= 1 / 36.0);
	ck_assert(exp(tl_strata_tail(strata, 2)) < 0.1);
}
