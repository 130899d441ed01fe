/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chance.c - the tails of two distributions, and mutual information.
 */
#include "analysis/chance.h"

#include <math.h>

enum { TERMS_MAX = 1 << 20 };

/* The logarithm of n over k. */
static double
choose(double n, double k)
{
	int sign;

	return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) -
	       lgamma_r(n - k + 1, &sign);
}

/* The share of one of four cells, which has both of all things. */
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
