/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chance.c - the tails of two distributions, mutual information, episodes.
 */
#include "analysis/chance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { TERMS_MAX = 1 << 20 };

/* The logarithm of the binomial coefficient n over k. */
static double
choose(double n, double k)
{
	int sign;

	return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) -
	       lgamma_r(n - k + 1, &sign);
}

/* The term of one of the four cells in the mutual information; both is the
 * number of things in the cell, a and b are the sums of its margins. */
static double
cell(double both, double a, double b, double all)
{
	return both > 0 ? both / all * log(both * all / (a * b)) : 0;
}

double
tl_information(const struct tl_fourfold *f)
{
	const double without = f->all - f->with, normal = f->all - f->slow;
	const double sum =
	    cell(f->hits, f->with, f->slow, f->all) +
	    cell(f->with - f->hits, f->with, normal, f->all) +
	    cell(f->slow - f->hits, without, f->slow, f->all) +
	    cell(normal - f->with + f->hits, without, normal, f->all);

	return fmax(sum, 0);
}

double
tl_risk_ratio(const struct tl_fourfold *f)
{
	const double missed = fmax(f->slow - f->hits, 0.5);

	return f->hits / f->with * (f->all - f->with) / missed;
}

double
tl_lift(const struct tl_fourfold *f)
{
	return f->hits / f->with * f->all / f->slow;
}

double
tl_hypergeometric_tail(const struct tl_fourfold *f)
{
	const double end = fmin(f->slow, f->with);
	const double rest = f->all - f->slow - f->with;
	const double first = choose(f->slow, f->hits) +
			     choose(f->all - f->slow, f->with - f->hits) -
			     choose(f->all, f->with);
	double term = 1, sum = 1;
	int terms = 0;

	for (double i = f->hits; i < end && term > sum * 1e-17; i++) {
		term *=
		    (f->slow - i) * (f->with - i) / ((i + 1) * (rest + i + 1));
		sum += term;
		if (++terms == TERMS_MAX)
			break;
	}
	return fmin(first + log(sum), 0);
}

double
tl_binomial_tail(double n, double p, double hits)
{
	const double first =
	    choose(n, hits) + hits * log(p) + (n - hits) * log1p(-p);
	double term = 1, sum = 1;
	int terms = 0;

	for (double i = hits; i < n && term > sum * 1e-17; i++) {
		term *= (n - i) / (i + 1) * (p / (1 - p));
		sum += term;
		if (++terms == TERMS_MAX)
			break;
	}
	return fmin(first + log(sum), 0);
}

double
tl_strata_mean(const struct tl_fourfold *strata, size_t count)
{
	double mean = 0;

	for (size_t i = 0; i < count; i++)
		if (strata[i].all > 0)
			mean += strata[i].slow * strata[i].with / strata[i].all;
	return mean;
}

double
tl_strata_tail(const struct tl_fourfold *strata, size_t count)
{
	const double mean = tl_strata_mean(strata, count);
	double slow = 0, hits = 0;

	for (size_t i = 0; i < count; i++) {
		slow += strata[i].slow;
		hits += strata[i].hits;
	}
	/* Hoeffding's bound holds from one hit above the mean on */
	if (hits < mean + 1 || mean <= 0 || mean >= slow)
		return 0;
	return tl_binomial_tail(slow, mean / slow, hits);
}

/* == episodes == */

static int
compare_begins(const void *a, const void *b)
{
	const struct tl_stretch *x = a, *y = b;

	return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static int
compare_ends(const void *a, const void *b)
{
	const struct tl_stretch *x = a, *y = b;

	return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

static int64_t
edge_of(const struct tl_stretch *s, bool ends)
{
	return ends ? s->end_ns : s->begin_ns;
}

/* Lower each share to the weight of the span divided by the weight of the spans
 * whose edges are near.  s is sorted by the edge. */
static void
share_edges(struct tl_stretch *s, size_t count, uint64_t near_ns, bool ends)
{
	uint64_t weight = 0;
	size_t low = 0, high = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t at = (uint64_t)edge_of(&s[i], ends);

		while (high < count &&
		       (high <= i ||
			   (uint64_t)edge_of(&s[high], ends) - at < near_ns))
			weight += s[high++].weight;
		while (
		    low < i && at - (uint64_t)edge_of(&s[low], ends) >= near_ns)
			weight -= s[low++].weight;
		*s[i].share =
		    fminf(*s[i].share, (float)s[i].weight / (float)weight);
	}
}

void
tl_episode_shares(struct tl_stretch *slow, size_t count, int64_t near_ns)
{
	for (size_t i = 0; i < count; i++)
		*slow[i].share = (float)slow[i].weight;
	qsort(slow, count, sizeof(*slow), compare_begins);
	share_edges(slow, count, (uint64_t)near_ns, false);
	qsort(slow, count, sizeof(*slow), compare_ends);
	share_edges(slow, count, (uint64_t)near_ns, true);
}
