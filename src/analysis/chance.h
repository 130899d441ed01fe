/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chance.h - tail probabilities of two distributions, and the mutual
 * information of two bits.
 */
#ifndef TL_ANALYSIS_CHANCE_H
#define TL_ANALYSIS_CHANCE_H

/* Of all things some are slow, some have a feature, hits both. */
struct tl_fourfold {
	double all;
	double slow;
	double with;
	double hits;
};

/* The mutual information of the two, in nats; never below 0. */
double tl_information(const struct tl_fourfold *f);

/* Share slow with it / share slow without it; where no slow one is without
 * it, as if it were half a one.  Some things must have it and some not. */
double tl_risk_ratio(const struct tl_fourfold *f);

/* Logarithm of the probability that at least hits of a random choice of
 * `with` things out of all are slow: hypergeometric, for hits above the
 * mean. */
double tl_hypergeometric_tail(const struct tl_fourfold *f);

/* Logarithm of the probability that of n independent events, each of
 * probability p, at least hits happen; for hits above the mean. */
double tl_binomial_tail(double n, double p, double hits);

#endif
