/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chance.h - tail probabilities of two distributions, and the mutual
 * information of two bits.
 */
#ifndef TL_ANALYSIS_CHANCE_H
#define TL_ANALYSIS_CHANCE_H

/* All things: slow ones, those with a feature, and hits, which are both. */
struct tl_fourfold {
	double all;
	double slow;
	double with;
	double hits;
};

/* The mutual information of the two, in nats; never below 0. */
double tl_information(const struct tl_fourfold *f);

/* The share of slow things with the feature by that without it; if no slow one
 * is without it, half a one is assumed.  Some things must have it and some
 * not. */
double tl_risk_ratio(const struct tl_fourfold *f);

/* The logarithm of the probability that at least hits of `with` things, chosen
 * at random out of all, are slow: hypergeometric, for hits above the mean. */
double tl_hypergeometric_tail(const struct tl_fourfold *f);

/* The logarithm of the probability that at least hits of n independent events
 * of probability p happen; for hits above the mean. */
double tl_binomial_tail(double n, double p, double hits);

#endif
