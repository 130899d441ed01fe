/* SPDX-License-Identifier: Apache-2.0 */
/*
 * where.c - find the parts of the duration in which slow spans take longer.
 *
 * A part is the time in all enclosed spans of a message, in a gap between two
 * messages, or in a state of the thread ("runnable").  A part always grows with
 * the duration, so no part is a cause in the sense of explain.c.  A part is
 * claimed if its share of the additional time is clearly larger than its share
 * of the usual time in most episodes of slow spans (chance.h).  There is no
 * claim if slow spans are slower in all parts in proportion, or in another part
 * each time.
 */
#include "analysis/chance.h"
#include "analysis/gather.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double more_than_usual = 0.4;
static const double slow_that_reach = 0.6;
static const double rate_least = 0.25;
static const double p_max = 0.01;
static const double part_max = 1e18; /* ns */

struct where {
	struct tl_why *why;
	struct tl_result *result;
	const struct tl_part_sums *sums;
	const struct tl_shares *shares;
	struct tl_weighed *room;
	double normal_ns; /* the median of spans that reach no threshold */
	double duration_ns[TL_LEVELS_MAX]; /* sums by level */
	double weight[TL_LEVELS_MAX];
	double tests;
};

/* The result of a part at one threshold. */
struct reach {
	double usual;          /* share of the time of the other spans */
	double need;           /* the least share of the additional time */
	double slow, slow_all; /* in episodes */
	double normal, normal_all;
	double more_ns; /* additional time of slow spans in the part */
};

static double
sum_from(const double *by_level, size_t from, size_t end)
{
	double sum = 0;

	for (size_t i = from; i < end; i++)
		sum += by_level[i];
	return sum;
}

/* The time by which the spans that reach a threshold exceed normal spans. */
static double
excess_of(const struct where *w, size_t level)
{
	return sum_from(w->duration_ns, level, TL_LEVELS_MAX) -
	       w->normal_ns * sum_from(w->weight, level, TL_LEVELS_MAX);
}

/* Can the part be claimed at any threshold? */
static bool
may_be(const struct where *w, const struct tl_part_sums *sums)
{
	for (size_t i = 1; i <= w->result->threshold_count; i++)
		if (sum_from(sums->ns, i, TL_LEVELS_MAX) >=
			more_than_usual * excess_of(w, i) &&
		    excess_of(w, i) > 0)
			return true;
	return false;
}

static double
median_part(const struct where *w, unsigned feature)
{
	struct tl_records_at at = { .records = &w->result->target->records };
	const struct tl_record *r;
	uint64_t weight = 0;
	size_t count = 0;

	while ((r = tl_records_known(&at))) {
		if (r->level > 0)
			continue;
		w->room[count++] =
		    (struct tl_weighed){ (int64_t)tl_record_amount(r, feature),
			    r->weight };
		weight += r->weight;
	}
	return count > 0 ? (double)tl_weighed_select(w->room, count, weight / 2)
			 : 0;
}

static void
reach_all(const struct where *w, unsigned feature, double median_ns,
    struct reach *reach)
{
	struct tl_records_at at = { .records = &w->result->target->records };
	const struct tl_record *r = NULL;
	size_t row = SIZE_MAX;

	while ((r = tl_records_known(&at))) {
		const double more =
		    (double)tl_record_amount(r, feature) - median_ns;
		const double longer = (double)r->duration_ns - w->normal_ns;

		row += r->level > 0;
		if (longer <= 0)
			continue;
		for (size_t i = 1; i <= w->result->threshold_count; i++) {
			struct reach *to = &reach[i];
			const bool reaches = more >= to->need * longer;
			double share;

			if (r->level < i) {
				to->normal_all += r->weight;
				to->normal += reaches ? r->weight : 0;
				continue;
			}
			share = (double)tl_share(w->shares, row, i);
			to->slow_all += share;
			to->slow += reaches ? share : 0;
			to->more_ns += more * r->weight;
		}
	}
}

static double
chance_of(const struct where *w, const struct reach *reach)
{
	/* a stop at a random time hits the part in this share of cases */
	const double usual = fmax(rate_least, reach->usual);
	const double rate = fmax(usual,
	    reach->normal_all > 0 ? reach->normal / reach->normal_all : 0);

	if (rate >= 1 || reach->slow <= rate * reach->slow_all)
		return 1;
	return exp(fmin(tl_binomial_tail(reach->slow_all, rate, reach->slow) +
			    log(w->tests),
	    0));
}

/* Insert a claim; the largest share comes first. */
static void
claim(struct tl_result *result, const struct tl_cause *cause)
{
	size_t i = result->where_count;

	if (i == TL_WHERE_MAX && result->where[--i].share >= cause->share)
		return;
	result->where_count = i + 1;
	for (; i > 0 && result->where[i - 1].share < cause->share; i--)
		result->where[i] = result->where[i - 1];
	result->where[i] = *cause;
}

/* Try a part at the threshold of the result, or at every threshold while none
 * is chosen. */
static struct tl_cause
try_part(const struct where *w, unsigned feature)
{
	const struct tl_result *result = w->result;
	const double median_ns = median_part(w, feature);
	struct reach reach[TL_LEVELS_MAX] = { 0 };
	struct tl_cause best = { .p = 1 };

	for (size_t i = 1; i <= result->threshold_count; i++) {
		const double usual = sum_from(w->sums[feature].ns, 0, i) /
				     fmax(sum_from(w->duration_ns, 0, i), 1);

		reach[i].usual = usual;
		reach[i].need = usual + more_than_usual * (1 - usual);
	}
	reach_all(w, feature, median_ns, reach);
	for (size_t i = 1; i <= result->threshold_count; i++) {
		const double excess = excess_of(w, i);
		const double share = excess > 0 ? reach[i].more_ns / excess : 0;
		const double p = chance_of(w, &reach[i]);
		const double more =
		    fmax((double)result->thresholds_ns[i - 1] - w->normal_ns,
			0);

		/* a part that is always the whole span explains nothing */
		if (reach[i].need >= 1 || share < reach[i].need || p >= p_max ||
		    p >= best.p || (result->level && i != result->level) ||
		    reach[i].slow < slow_that_reach * reach[i].slow_all)
			continue;
		best = (struct tl_cause){ .kind = TL_CAUSE_WHERE,
			.op = TL_OP_LEAST,
			.feature = (uint16_t)feature,
			.level = (unsigned)i,
			.share = fmin(share, 1),
			.p = p < 1e-308 ? 0 : p,
			.value = (int64_t)fmin(median_ns + reach[i].need * more,
			    part_max) };
		if (best.value < 1)
			best.value = 1;
	}
	return best;
}

/* Claim the parts that are found at the threshold of the result, or choose the
 * threshold with the best part. */
static void
try_parts(const struct where *w)
{
	struct tl_cause best = { .p = p_max };

	for (uint32_t i = 0; i < w->why->feature_ids.count; i++) {
		struct tl_cause cause;

		if (!tl_feature_is_part(w->why->features[i].kind) ||
		    !may_be(w, &w->sums[i]))
			continue;
		cause = try_part(w, i);
		if (w->result->level && cause.p < p_max)
			claim(w->result, &cause);
		else if (cause.p < best.p)
			best = cause;
	}
	if (w->result->level == 0)
		w->result->level = best.level;
}

int
tl_where_explain(struct tl_why *why, struct tl_result *result,
    const struct tl_part_sums *sums, const struct tl_shares *shares)
{
	struct where w = { .why = why,
		.result = result,
		.sums = sums,
		.shares = shares };
	uint64_t parts = 0;
	struct tl_records_at at = { .records = &result->target->records };
	const struct tl_record *r;
	uint64_t weight = 0;
	size_t count = 0;

	w.room = malloc(result->target->records.count * sizeof(*w.room));
	if (!w.room)
		return -ENOMEM;
	while ((r = tl_records_known(&at))) {
		w.duration_ns[r->level] += (double)r->duration_ns * r->weight;
		w.weight[r->level] += r->weight;
		if (r->level > 0)
			continue;
		w.room[count++] =
		    (struct tl_weighed){ r->duration_ns, r->weight };
		weight += r->weight;
	}
	if (count > 0)
		w.normal_ns =
		    (double)tl_weighed_select(w.room, count, weight / 2);
	for (uint32_t i = 0; i < why->feature_ids.count; i++)
		parts += tl_feature_is_part(why->features[i].kind) &&
			 sum_from(sums[i].ns, 0, TL_LEVELS_MAX) > 0;
	w.tests = (double)parts * (double)result->threshold_count;
	result->tests += parts * result->threshold_count;
	if (result->level == 0)
		try_parts(&w);
	if (result->level > 0)
		try_parts(&w);
	free(w.room);
	return 0;
}
