/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chance.h - would chance explain that slow spans have a feature?
 *
 *	            with   without
 *	slow        hits                 the test of Fisher: a hypergeometric
 *	others                           tail, given the sums of both margins
 *
 * The test counts observations that are independent.  Slow spans are not
 * independent: one stop of 16 threads makes 16 slow spans, which began
 * together, had the same number of other spans open and fall into the same
 * window of any clock.  So each of m slow spans that began or ended together
 * counts as 1/m: the m spans are one observation, an episode, as in Kish's
 * effective size of a sample in clusters (Survey Sampling, 1965; Rao and Scott
 * in Biometrics 48, 1992).  Spans that are slow for reasons of their own rarely
 * begin or end together, and lose little.
 *
 * Does a feature say something once another is known?  Then the feature says
 * something among the spans that have the other feature, and among the spans
 * that lack the other feature: in strata, by Mantel and Haenszel (1959).  A sum
 * of hypergeometric numbers is distributed like a sum of independent trials of
 * unequal chances, and its tail is at most the tail of the binomial
 * distribution with the same mean (Hoeffding in Annals of Mathematical
 * Statistics 27, 1956).
 */
#ifndef TL_ANALYSIS_CHANCE_H
#define TL_ANALYSIS_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/* A table of things: all, the slow, those with a feature, and hits, the slow
 * things with the feature. */
struct tl_fourfold {
	double all;
	double slow;
	double with;
	double hits;
};

/* The mutual information of slowness and feature, in nats; never below 0. */
double tl_information(const struct tl_fourfold *f);

/* The share of slow things among the things with the feature, divided by the
 * share among the things without the feature.  If no slow thing lacks the
 * feature, half a thing is assumed.  Some things must have the feature and some
 * must not. */
double tl_risk_ratio(const struct tl_fourfold *f);

/* The share of slow things among the things with the feature, divided by the
 * share among all things. */
double tl_lift(const struct tl_fourfold *f);

/* The logarithm of the probability that at least `hits` of `with` things,
 * chosen at random out of all, are slow.  Hypergeometric; hits must be above
 * the mean. */
double tl_hypergeometric_tail(const struct tl_fourfold *f);

/* The logarithm of the probability that at least `hits` of n independent events
 * of probability p happen.  hits must be above the mean. */
double tl_binomial_tail(double n, double p, double hits);

/* The number of slow things with the feature that chance explains, from the
 * margins of each of `count` tables. */
double tl_strata_mean(const struct tl_fourfold *strata, size_t count);

/* The logarithm of the probability of at least this many hits in all tables
 * together; 0 if the hits are no more than the mean. */
double tl_strata_tail(const struct tl_fourfold *strata, size_t count);

/* A slow span, which represents `weight` spans. */
struct tl_stretch {
	int64_t begin_ns, end_ns;
	uint32_t weight;
	float *share; /* where the result is stored */
};

/* Set the share of each span in its episode: the weight of the span divided by
 * the weight of the spans whose begins are less than near_ns apart from its
 * begin, or of the spans whose ends are less than near_ns apart from its end,
 * whichever weigh more.  Reorders the spans. */
void tl_episode_shares(struct tl_stretch *slow, size_t count, int64_t near_ns);

#endif
