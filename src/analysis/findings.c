/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.c - choose the claims about slow spans that say something new.
 *
 *	claims --> a bit for each claim in each span
 *	       --> the extra time that each claim explains: the order
 *	       --> findings, and echoes of findings --> medians, examples
 *
 * Several features come with one cause: the CPU, the thread that is bound to
 * it, its process, the messages of the process.  A claim is a finding if the
 * claim would be made again among the spans that agree in all other findings
 * (chance.h, strata).  Any other claim is an echo of the finding with which it
 * has most spans in common.
 */
#include "analysis/chance.h"
#include "analysis/gather.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRATA_MAX_BITS = 6 };

static const double p_max = 0.01;
static const double lift_min = 1.5;
static const double same_min = 0.95;
static const double outliers_share = 0.05;

struct findings {
	struct tl_why *why;
	struct tl_result *result;
	const struct tl_shares *shares;
	uint32_t *holds;         /* by record: a bit for each claim */
	struct tl_weighed *room; /* an element for each record */
	struct tl_fourfold *strata;
	struct tl_cause claims[TL_CAUSES_MAX];
	size_t count;
};

/* A position in the records of a result. */
struct at {
	struct tl_records_at at;
	const struct tl_record *record;
	size_t number; /* number of the record */
	size_t row;    /* row of the record's shares */
	bool slow;
	double weight; /* slow: the share in an episode */
};

static struct at
first_record(const struct findings *f)
{
	return (struct at){ .at = { .records = &f->result->target->records },
		.number = SIZE_MAX };
}

static bool
next_record(const struct findings *f, struct at *at)
{
	const struct tl_record *r;

	at->row += at->record && at->record->level > 0;
	at->record = r = tl_records_known(&at->at);
	if (!r)
		return false;
	at->number++;
	at->slow = r->level >= f->result->level;
	at->weight =
	    at->slow ? (double)tl_share(f->shares, at->row, f->result->level)
		     : r->weight;
	return true;
}

/* The value below which a share of the weight lies. */
static int64_t
value_at(struct tl_weighed *values, size_t count, double share)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < count; i++)
		weight += values[i].weight;
	if (count == 0)
		return 0;
	return tl_weighed_select(values, count,
	    (uint64_t)((double)(weight - 1) * share));
}

/* The duration that all but the slowest of the slow spans stay below.  Longer
 * durations are cut to this one: a span of two microseconds that lost the CPU
 * for five milliseconds would outweigh a thousand other spans, and any claim
 * that holds for this span would come first. */
static int64_t
longest_counted(struct findings *f)
{
	struct at at = first_record(f);
	size_t slow = 0;

	while (next_record(f, &at))
		if (at.slow)
			f->room[slow++] =
			    (struct tl_weighed){ at.record->duration_ns,
				    at.record->weight };
	return value_at(f->room, slow, 1 - outliers_share);
}

/* Find the spans for which each claim holds, and the share of the extra time
 * that each claim explains.  Returns the extra time of all slow spans. */
static double
hold_all(struct findings *f)
{
	const double median = (double)f->result->median_ns;
	const double longest = (double)longest_counted(f);
	double over = 0, normal = 0, with_normal[TL_CAUSES_MAX] = { 0 };
	struct at at = first_record(f);

	while (next_record(f, &at)) {
		const struct tl_record *r = at.record;
		const double above =
		    (fmin((double)r->duration_ns, longest) - median) *
		    r->weight;
		uint32_t holds = 0;

		for (size_t i = 0; i < f->count; i++) {
			struct tl_cause *c = &f->claims[i];

			if (!tl_cause_holds(f->why, c, r))
				continue;
			holds |= UINT32_C(1) << i;
			c->with += r->weight;
			c->hits += at.slow ? r->weight : 0;
			c->excess += at.slow ? above : 0;
			with_normal[i] += at.slow ? 0 : r->weight;
		}
		f->holds[at.number] = holds;
		over += at.slow ? above : 0;
		normal += at.slow ? 0 : r->weight;
	}
	for (size_t i = 0; i < f->count; i++) {
		struct tl_cause *c = &f->claims[i];
		const double usual = normal > 0 ? with_normal[i] / normal : 0;

		c->excess = over > 0 ? fmin(fmax(c->excess / over, 0), 1) : 0;
		c->explains = usual < 1 ? (c->excess - usual) / (1 - usual) : 0;
	}
	return over;
}

static void
count_in(struct tl_fourfold *table, const struct at *at, bool with)
{
	table->all += at->weight;
	table->slow += at->slow ? at->weight : 0;
	table->with += with ? at->weight : 0;
	table->hits += at->slow && with ? at->weight : 0;
}

/* Would the claim be made over all strata together? */
static bool
holds_in_strata(const struct findings *f, const struct tl_cause *claim,
    size_t count)
{
	const double mean = tl_strata_mean(f->strata, count);
	double hits = 0;

	for (size_t i = 0; i < count; i++)
		hits += f->strata[i].hits;
	return hits >= lift_min * mean &&
	       tl_strata_tail(f->strata, count) + log(claim->tests) <
		   log(p_max);
}

/* Would the claim be made among the spans that agree in the other claims? */
static bool
is_new(const struct findings *f, size_t claim, const unsigned *others,
    size_t count)
{
	struct at at = first_record(f);

	if (count == 0)
		return true;
	if (count > STRATA_MAX_BITS)
		count = STRATA_MAX_BITS;
	memset(f->strata, 0, sizeof(*f->strata) << count);
	while (next_record(f, &at)) {
		const uint32_t holds = f->holds[at.number];
		size_t stratum = 0;

		for (size_t i = 0; i < count; i++)
			stratum |= (size_t)(holds >> others[i] & 1) << i;
		count_in(&f->strata[stratum], &at, holds >> claim & 1);
	}
	return holds_in_strata(f, &f->claims[claim], (size_t)1 << count);
}

/* Are the first spans of threads slower than later spans of the same threads?
 * A slow thread has few spans, so the spans of slow threads are early ones
 * anyway. */
static bool
is_new_in_threads(const struct findings *f, size_t claim)
{
	const size_t count = f->why->thread_ids.count;
	struct at at = first_record(f);

	memset(f->strata, 0, sizeof(*f->strata) * count);
	while (next_record(f, &at))
		count_in(&f->strata[at.record->thread], &at,
		    f->holds[at.number] >> claim & 1);
	return holds_in_strata(f, &f->claims[claim], count);
}

/* The kind of a feature without its argument. */
static unsigned
plain_kind(unsigned kind)
{
	switch (kind) {
	case TL_FEATURE_BEFORE_ARG:
		return TL_FEATURE_BEFORE;
	case TL_FEATURE_INSIDE_ARG:
		return TL_FEATURE_INSIDE;
	case TL_FEATURE_AROUND_ARG:
		return TL_FEATURE_AROUND;
	default:
		return kind;
	}
}

/* Are two claims about the same variable? */
static bool
restates(const struct findings *f, const struct tl_cause *a,
    const struct tl_cause *b)
{
	const struct tl_feature *x, *y;

	if (a->kind != b->kind)
		return false;
	if (a->kind == TL_CAUSE_ARGUMENT)
		return a->argument == b->argument;
	if (a->kind != TL_CAUSE_FEATURE)
		return true;
	x = &f->why->features[a->feature];
	y = &f->why->features[b->feature];
	if (tl_feature_group(x) != tl_feature_group(y))
		return false;
	if (x->kind == y->kind)
		return x->a == y->a &&
		       (x->kind != TL_FEATURE_STATE || x->b == y->b);
	/* a message, and the same message with a certain argument */
	return plain_kind(x->kind) == plain_kind(y->kind);
}

/* Is claim a better than claim b, or equally good and simpler? */
static bool
is_better(const struct findings *f, const struct tl_cause *a,
    const struct tl_cause *b)
{
	const double off = a->information - b->information;

	if (fabs(off) > 1e-9 * b->information)
		return off > 0;
	if (a->kind == TL_CAUSE_FEATURE) {
		const unsigned x = f->why->features[a->feature].kind;
		const unsigned y = f->why->features[b->feature].kind;

		if (tl_feature_is_arg(x) != tl_feature_is_arg(y))
			return !tl_feature_is_arg(x);
	}
	return a < b;
}

/* Is there a better claim about the same variable? */
static bool
is_restated(const struct findings *f, const struct tl_cause *claim)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct tl_cause *c = &f->claims[i];

		if (c != claim && restates(f, c, claim) &&
		    is_better(f, c, claim))
			return true;
	}
	return false;
}

/* The spans for which both claims hold, as a share of those for which either
 * holds. */
static double
common_share(const struct findings *f, size_t a, size_t b)
{
	struct at at = first_record(f);
	double both = 0, either = 0;

	while (next_record(f, &at)) {
		const uint32_t x = f->holds[at.number] >> a & 1;
		const uint32_t y = f->holds[at.number] >> b & 1;

		both += x & y ? at.weight : 0;
		either += x | y ? at.weight : 0;
	}
	return either > 0 ? both / either : 0;
}

static void
remove_at(unsigned *list, size_t *count, size_t at)
{
	memmove(&list[at], &list[at + 1], (--*count - at) * sizeof(list[0]));
}

/* Choose the findings, in order.  Returns their number. */
static size_t
choose(const struct findings *f, const unsigned *order, unsigned *found)
{
	size_t count = 0;

	for (size_t i = 0; i < f->count && count < STRATA_MAX_BITS; i++) {
		if (!is_restated(f, &f->claims[order[i]]) &&
		    is_new(f, order[i], found, count))
			found[count++] = order[i];
	}
	/* the claim that explains most may be an echo of a later finding */
	for (size_t i = 0; i < count && count > 1;) {
		unsigned others[STRATA_MAX_BITS];
		size_t left = count;

		memcpy(others, found, sizeof(others));
		remove_at(others, &left, i);
		if (is_new(f, found[i], others, left))
			i++;
		else
			remove_at(found, &count, i);
	}
	return count;
}

/* Put the findings into the result, followed by their echoes. */
static void
put_claims(const struct findings *f, unsigned *bits)
{
	struct tl_result *result = f->result;
	unsigned order[TL_CAUSES_MAX], found[TL_CAUSES_MAX];
	size_t count;

	/* Sort the numbers of claims by what the claims explain. */
	for (size_t i = 0; i < f->count; i++) {
		const struct tl_cause *c = &f->claims[i];
		size_t at = i;

		for (;
		     at > 0 && f->claims[order[at - 1]].explains < c->explains;
		     at--)
			order[at] = order[at - 1];
		order[at] = (unsigned)i;
	}
	count = choose(f, order, found);
	result->cause_count = result->finding_count = count;
	for (size_t i = 0; i < count; i++) {
		bits[i] = found[i];
		result->causes[i] = f->claims[found[i]];
	}
	for (size_t i = 0; i < f->count; i++) {
		struct tl_cause *c = &result->causes[result->cause_count];
		double most = -1;
		bool is_finding = false;

		for (size_t k = 0; k < count; k++)
			is_finding |= found[k] == order[i];
		if (is_finding)
			continue;
		bits[result->cause_count++] = order[i];
		*c = f->claims[order[i]];
		for (size_t k = 0; k < count; k++) {
			const double share =
			    common_share(f, found[k], order[i]);

			if (share <= most)
				continue;
			most = share;
			c->echo_of = (unsigned)k + 1;
			c->same = share >= same_min &&
				  !restates(f, c, &result->causes[k]);
		}
	}
}

/* == the description of a cause == */

/* Add a record to the examples of a cause if the record is one of the
 * slowest. */
static void
add_example(struct tl_cause *cause, const struct tl_record *r)
{
	size_t i = cause->example_count;

	if (i == TL_EXAMPLES_MAX) {
		if (cause->examples[i - 1]->duration_ns >= r->duration_ns)
			return;
		i--;
	} else {
		cause->example_count++;
	}
	for (; i > 0 && cause->examples[i - 1]->duration_ns < r->duration_ns;
	     i--)
		cause->examples[i] = cause->examples[i - 1];
	cause->examples[i] = r;
}

static void
describe(const struct findings *f, struct tl_cause *cause, unsigned bit)
{
	const size_t all = f->result->target->records.count;
	struct tl_weighed *without_room = f->room + all;
	struct at at = first_record(f);
	size_t with = 0, without = 0;

	while (next_record(f, &at)) {
		const bool holds = f->holds[at.number] >> bit & 1;
		const struct tl_weighed value = { at.record->duration_ns,
			at.record->weight };

		if (holds)
			f->room[with++] = value;
		else
			*(without_room - ++without) = value;
		if (holds && at.slow)
			add_example(cause, at.record);
	}
	without_room -= without;
	cause->median_with_ns = value_at(f->room, with, 0.5);
	cause->p99_with_ns = value_at(f->room, with, 0.99);
	cause->median_without_ns = value_at(without_room, without, 0.5);
	cause->p99_without_ns = value_at(without_room, without, 0.99);
}

static void
remove_ranks(struct findings *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->count; i++)
		if (f->claims[i].kind != TL_CAUSE_START ||
		    is_new_in_threads(f, i))
			f->claims[kept++] = f->claims[i];
	if (kept == f->count)
		return;
	f->count = kept;
	for (size_t i = 0; i < f->count; i++)
		f->claims[i].excess = f->claims[i].with = f->claims[i].hits = 0;
	hold_all(f);
}

/* Choose the threshold of the first claim, which says most about which spans
 * are slow, unless a claim at another threshold explains more than twice the
 * time. */
static void
choose_level(struct findings *f, const struct tl_cause *claims, size_t count)
{
	struct tl_result *result = f->result;
	double time[TL_CAUSES_MAX] = { 0 };
	bool several = false;
	size_t best = 0;

	for (size_t i = 0; i < count; i++)
		several |= claims[i].level != claims[0].level;
	for (size_t level = 1; several && level <= result->threshold_count;
	     level++) {
		unsigned of[TL_CAUSES_MAX];
		double over;

		f->count = 0;
		for (size_t i = 0; i < count; i++) {
			if (claims[i].level != level)
				continue;
			of[f->count] = (unsigned)i;
			f->claims[f->count++] = claims[i];
		}
		result->level = level;
		over = f->count > 0 ? hold_all(f) : 0;
		for (size_t i = 0; i < f->count; i++)
			time[of[i]] = f->claims[i].explains * over;
	}
	for (size_t i = 1; i < count; i++)
		if (time[i] > 2 * time[0] && time[i] > time[best])
			best = i;
	result->level = claims[best].level;
}

static int
findings_init(struct findings *f)
{
	const size_t records = f->result->target->records.count;
	size_t strata = (size_t)1 << STRATA_MAX_BITS;

	if (strata < f->why->thread_ids.count)
		strata = f->why->thread_ids.count;
	f->holds = malloc((records + 1) * sizeof(*f->holds));
	f->room = malloc((records + 1) * sizeof(*f->room));
	f->strata = malloc(strata * sizeof(*f->strata));
	return f->holds && f->room && f->strata ? 0 : -ENOMEM;
}

static void
findings_free(struct findings *f)
{
	free(f->holds);
	free(f->room);
	free(f->strata);
}

int
tl_findings_choose(struct tl_why *why, struct tl_result *result,
    const struct tl_shares *shares)
{
	struct findings f = { .why = why, .result = result, .shares = shares };
	const int rc = findings_init(&f);

	if (rc == 0)
		choose_level(&f, result->causes, result->cause_count);
	findings_free(&f);
	return rc;
}

int
tl_findings_make(struct tl_why *why, struct tl_result *result,
    const struct tl_shares *shares)
{
	struct findings f = { .why = why,
		.result = result,
		.shares = shares,
		.count = result->cause_count };
	unsigned bits[TL_CAUSES_MAX];
	const int rc = findings_init(&f);

	memcpy(f.claims, result->causes, sizeof(f.claims));
	if (rc == 0) {
		hold_all(&f);
		remove_ranks(&f);
		put_claims(&f, bits);
		for (size_t i = 0; i < result->cause_count; i++)
			if (i < TL_FINDINGS_MAX || why->plan.all)
				describe(&f, &result->causes[i], bits[i]);
		/* Describe the parts of the duration.  A part holds for the
		 * spans that have as much of the part as a slow span must have.
		 * / */
		f.count = f.result->where_count;
		memcpy(f.claims, f.result->where, sizeof(f.result->where));
		hold_all(&f);
		for (unsigned i = 0; i < f.count; i++) {
			f.result->where[i] = f.claims[i];
			describe(&f, &f.result->where[i], i);
		}
	}
	findings_free(&f);
	return rc;
}
