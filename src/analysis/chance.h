/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chance.h - would chance explain that slow spans have a feature?
 *
 *	            with   without
 *	slow        hits                 the test of Fisher: a hypergeometric
 *	others                           tail, given the sums of both margins
 *
 * The test counts observations that are independent.  Slow spans are not: one
 * stop of all threads makes 16 of them, which began together, have as many
 * others open and fall into the same window of any clock.  So one of m slow
 * spans that began or ended together counts as 1/m: all of them are one
 * observation, an episode, as in Kish's effective size of a sample in clusters
 * (Survey Sampling, 1965; Rao and Scott in Biometrics 48, 1992).  Spans that
 * are slow for reasons of their own rarely begin or end together, and lose
 * little.
 *
 * Does a feature say something once another is known?  Then it does so among
 * the spans that have the other and among those that have not: in strata, as of
 * Mantel and Haenszel (1959).  The sum of hypergeometric numbers is one of
 * independent trials of unequal chances, whose tail is at most that of the
 * binomial distribution with the same mean (Hoeffding in Annals of Mathematical
 * Statistics 27, 1956).
 */
#ifndef TL_ANALYSIS_CHANCE_H
#define TL_ANALYSIS_CHANCE_H

#include <stddef.h>
#include <stdint.h>

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

/* The share of slow things among those with the feature by that among all. */
double tl_lift(const struct tl_fourfold *f);

/* The logarithm of the probability that at least hits of `with` things, chosen
 * at random out of all, are slow: hypergeometric, for hits above the mean. */
double tl_hypergeometric_tail(const struct tl_fourfold *f);

/* The logarithm of the probability that at least hits of n independent events
 * of probability p happen; for hits above the mean. */
double tl_binomial_tail(double n, double p, double hits);

/* The number of slow things with the feature that chance explains, by the sums
 * of the margins of each of count tables. */
double tl_strata_mean(const struct tl_fourfold *strata, size_t count);

/* The logarithm of the probability of as many hits in all tables together; 0 if
 * there are no more than the mean. */
double tl_strata_tail(const struct tl_fourfold *strata, size_t count);

/* A slow span, which stands for `weight` ones. */
struct tl_stretch {
	int64_t begin_ns, end_ns;
	uint32_t weight;
	float *share; /* where its share goes */
};

/* Set the share of each in its episode: its weight by that of all whose begins
 * are less than near_ns apart from its own, or whose ends are, whichever are
 * more.  Reorders them. */
void tl_episode_shares(struct tl_stretch *slow, size_t count, int64_t near_ns);

#endif
