/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimate.c - totals from samples: a ratio estimator over groups of
 * windows, whose variance comes from how the groups differ.
 */
#include "dump/stats/estimate.h"

#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* There is no estimate if threads waited for CPUs for at least this share of
 * the time.  Rates are compared only if samples have at least this many
 * entries. */
static const double contended_max = 0.05;
static const double control_min = 100;

/* The state of a window for a gate. */
enum part { PART_NONE, PART_OPEN, PART_SAMPLE };

static bool
is_sample(const struct tl_level_window *w)
{
	return w->burst && w->sample && !w->merged && !w->joined && !w->lossy;
}

static enum part
part_of(const struct tl_level_window *w, unsigned gate)
{
	if (w->threshold == 0 || gate < w->threshold)
		return PART_NONE;
	if (gate >= w->base) /* burst or not */
		return PART_OPEN;
	if (is_sample(w))
		return PART_SAMPLE;
	return w->lossy ? PART_NONE : PART_OPEN;
}

/* The part of a window within the time range, in seconds. */
static double
seconds_of(const struct tl_samples *s, const struct tl_level_window *w)
{
	const int64_t from = w->from_ns > s->from_ns ? w->from_ns : s->from_ns;
	const int64_t to = w->to_ns < s->to_ns ? w->to_ns : s->to_ns;

	return to > from ? ((double)to - (double)from) / 1e9 : 0;
}

static void
add_window(struct tl_samples *s, const struct tl_level_window *w,
    unsigned group)
{
	const double seconds = seconds_of(s, w);

	if (seconds <= 0 || w->threshold == 0)
		return;
	s->known_s += seconds;
	if (is_sample(w))
		s->control_s[group] += seconds;
	else if (!w->burst && !w->lossy)
		s->control_out_s += seconds;
	for (unsigned gate = w->threshold; gate < TL_LEVEL_GATES; gate++) {
		const enum part part = part_of(w, gate);

		if (part == PART_SAMPLE) {
			s->length_s[gate][group] += seconds;
			s->count[gate]++;
			continue;
		}
		s->open_s[gate] += part == PART_OPEN ? seconds : 0;
		s->left_out[gate] += w->burst;
	}
}

static size_t
count_samples(const struct tl_samples *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->levels->count; i++) {
		const struct tl_level_window *w = &s->levels->windows[i];

		count += is_sample(w) && seconds_of(s, w) > 0;
	}
	return count;
}

/* The share of the time between samples in which threads waited for CPUs, by
 * the counter that each carries. */
static double
contended_share(const struct tl_samples *s)
{
	const struct tl_level_window *before = NULL;
	double waited_s = 0, all_s = 0;

	for (size_t i = 0; i < s->levels->count; i++) {
		const struct tl_level_window *w = &s->levels->windows[i];
		double between, waited;

		if (!w->sample || seconds_of(s, w) <= 0)
			continue;
		if (before && before->pid == w->pid &&
		    (uint8_t)before->measure == (uint8_t)w->measure &&
		    (uint8_t)w->measure != TIMELINE_SAMPLE_UNMEASURED &&
		    w->measure >= before->measure) {
			between =
			    ((double)w->from_ns - (double)before->from_ns) /
			    1e9;
			waited = (double)((w->measure - before->measure) >>
					  TIMELINE_SAMPLE_SHIFT) /
				 1e6;
			all_s += between;
			waited_s += fmin(waited, between);
		}
		before = w;
	}
	return all_s > 0 ? waited_s / all_s : -1;
}

/* The level at and above which everything was always logged. */
static uint8_t
highest_base(const struct tl_samples *s)
{
	uint8_t highest = 0;

	for (size_t i = 0; i < s->levels->count; i++) {
		const struct tl_level_window *w = &s->levels->windows[i];

		if (seconds_of(s, w) > 0 && w->base > highest)
			highest = w->base;
	}
	return highest;
}

int
tl_samples_init(struct tl_samples *s, const struct tl_levels *levels,
    int64_t from_ns, int64_t to_ns)
{
	size_t count, number = 0;

	*s = (struct tl_samples){ .levels = levels,
		.from_ns = from_ns > levels->complete_ns ? from_ns
							 : levels->complete_ns,
		.to_ns = to_ns,
		.groups = calloc(levels->count + 1, 1) };
	if (!s->groups)
		return -ENOMEM;
	count = count_samples(s);
	for (size_t i = 0; i < levels->count; i++) {
		const struct tl_level_window *w = &levels->windows[i];
		size_t group = number;

		if (count > TL_SAMPLE_GROUPS)
			group = number * TL_SAMPLE_GROUPS / count;
		if (group >= TL_SAMPLE_GROUPS) /* after the last sample */
			group = TL_SAMPLE_GROUPS - 1;
		s->groups[i] = (uint8_t)group;
		add_window(s, w, (unsigned)group);
		number += is_sample(w) && seconds_of(s, w) > 0;
	}
	tl_slot_samples_init(&s->slots, &levels->slots, levels->windows,
	    levels->count, s->from_ns, s->to_ns);
	s->contended = contended_share(s);
	s->base_max = highest_base(s);
	return 0;
}

void
tl_samples_free(struct tl_samples *samples)
{
	free(samples->groups);
	*samples = (struct tl_samples){ 0 };
}

/* The window that contains ns; the search starts at the last one. */
static const struct tl_level_window *
find_window(const struct tl_levels *l, size_t *at, int64_t ns)
{
	size_t low = 0;

	if (*at < l->count && l->windows[*at].from_ns <= ns) {
		if (ns < l->windows[*at].to_ns)
			return &l->windows[*at];
		low = *at + 1;
	}
	TL_SEARCH(low, low, l->count, l->windows[low].to_ns <= ns);
	if (low == l->count || ns < l->windows[low].from_ns)
		return NULL;
	*at = low;
	return &l->windows[low];
}

void
tl_samples_control(struct tl_samples *s, unsigned gate, int64_t ns)
{
	const struct tl_level_window *w;

	if (gate < s->base_max || ns < s->from_ns || ns >= s->to_ns)
		return;
	w = find_window(s->levels, &s->control_at, ns);
	if (!w || w->threshold == 0)
		return;
	if (is_sample(w))
		s->control_seen[s->groups[s->control_at]]++;
	else if (!w->burst && !w->lossy)
		s->control_out++;
}

static int
count_group(double **groups, int group)
{
	if (!*groups)
		*groups = calloc(TL_SAMPLE_GROUPS, sizeof(**groups));
	if (!*groups)
		return -ENOMEM;
	(*groups)[group]++;
	return 0;
}

static int
put_slot(struct tl_tally *tally, const struct tl_samples *s, unsigned gate,
    int64_t ns, uint64_t stamp)
{
	const int group = tl_slot_samples_find(&s->slots, gate, ns, stamp);

	tally->slot_open += group == TL_SLOT_OPEN;
	return group < 0 ? 0 : count_group(&tally->slot_sampled, group);
}

int
tl_tally_put(struct tl_tally *tally, const struct tl_samples *s, unsigned gate,
    int64_t ns, uint64_t stamp)
{
	const struct tl_level_window *w;

	if (gate < TL_LEVEL_GATES && s->slots.count[gate] > 0)
		return put_slot(tally, s, gate, ns, stamp);
	if (gate >= TL_LEVEL_GATES || s->count[gate] == 0)
		return 0; /* there will be no estimate */
	if (ns < s->from_ns || ns >= s->to_ns)
		return 0;
	w = find_window(s->levels, &tally->at, ns);
	if (!w)
		return 0;
	switch (part_of(w, gate)) {
	case PART_OPEN:
		tally->open++;
		return 0;
	case PART_SAMPLE:
		return count_group(&tally->sampled, s->groups[tally->at]);
	default: /* logged by a late writer after the window */
		return 0;
	}
}

void
tl_tally_free(struct tl_tally *tally)
{
	free(tally->sampled);
	free(tally->slot_sampled);
	*tally = (struct tl_tally){ 0 };
}

/* Student's t, 97.5 %: exact for few degrees of freedom, then Hill's series
 * in 1 / freedom around the normal quantile. */
static double
t_quantile(unsigned freedom)
{
	static const double exact[] = { 0, 12.7062, 4.3027, 3.1824, 2.7764,
		2.5706 };
	const double z = 1.959964, n = freedom;

	if (freedom < sizeof(exact) / sizeof(exact[0]))
		return exact[freedom];
	return z + (pow(z, 3) + z) / (4 * n) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n);
}

/* The rate in sampled time, from the samples. */
struct ratio {
	double seen;
	double seconds;
	double rate;
	double half; /* of the interval: t * standard error */
	unsigned groups;
};

static struct ratio
ratio_of(const double *lengths, const double *seen)
{
	struct ratio r = { 0 };
	double squares = 0;

	for (unsigned i = 0; i < TL_SAMPLE_GROUPS; i++) {
		r.groups += lengths[i] > 0;
		r.seconds += lengths[i];
		r.seen += seen ? seen[i] : 0;
	}
	if (r.seconds <= 0)
		return r;
	r.rate = r.seen / r.seconds;
	for (unsigned i = 0; i < TL_SAMPLE_GROUPS; i++) {
		const double off = (seen ? seen[i] : 0) - r.rate * lengths[i];

		squares += off * off;
	}
	if (r.groups > 1)
		r.half = t_quantile(r.groups - 1) *
			 sqrt(squares * r.groups / (r.groups - 1)) / r.seconds;
	return r;
}

/* Do messages that are always logged have another rate in samples than outside,
 * by more than chance explains? */
static bool
is_skewed(const struct tl_samples *s, double *skew)
{
	const struct ratio r = ratio_of(s->control_s, s->control_seen);
	double outside, chance;

	*skew = 1;
	if (r.seen < control_min || r.groups < 2 || s->control_out_s <= 0)
		return false;
	outside = s->control_out / s->control_out_s;
	*skew = outside > 0 ? r.rate / outside : INFINITY;
	/* at least the chance of a count: periodic entries vary less, but
	 * windows cut their periods anywhere */
	chance = fmax(r.half, 2 * sqrt(r.seen) / r.seconds);
	return fabs(r.rate - outside) > chance;
}

static enum tl_estimate_why
why_of(const struct tl_samples *s, double *skew)
{
	if (s->contended < 0)
		return TL_ESTIMATE_UNMEASURED;
	if (s->contended >= contended_max)
		return TL_ESTIMATE_CONTENDED;
	return is_skewed(s, skew) ? TL_ESTIMATE_SKEWED : TL_ESTIMATE_GIVEN;
}

/* a message with this many entries in the samples, on average, is seen in 97.5
 * % of them */
static const double none_seen = 3.689;
/* no estimate if slots had no plan in force for this share of the time */
static const double starved_max = 0.05;

/* There are few slots, and their counts vary a lot: the interval is symmetric
 * in the logarithm. */
static void
estimate_slots(struct tl_estimate *e, const struct tl_slot_samples *s,
    const struct tl_tally *tally, unsigned gate)
{
	struct ratio r = ratio_of(s->length_s[gate], tally->slot_sampled);
	const double rest_s = s->known_s - s->open_s[gate];
	const double open = tally->slot_open / s->known_s;
	const double part = rest_s / s->known_s;
	double spread;

	if (r.seconds <= 0 || rest_s <= 0)
		return;
	r.half *= sqrt(fmax(0, 1 - r.seconds / rest_s));
	/* if all slots had the same count, an entry may still be cut off at
	 * their ends */
	r.half = fmax(r.half, 1 / r.seconds);
	spread = r.rate > 0 ? exp(r.half / r.rate) : 1;
	e->slots = true;
	e->starved = s->starved;
	e->why =
	    s->starved > starved_max ? TL_ESTIMATE_STARVED : TL_ESTIMATE_GIVEN;
	e->known = e->why == TL_ESTIMATE_GIVEN;
	e->interval = r.groups > 1;
	e->seconds = s->known_s;
	e->samples = s->count[gate];
	e->rate = open + r.rate * part;
	e->rate_low = open + fmax(r.rate / spread * part, r.seen / s->known_s);
	e->rate_high =
	    open +
	    (r.seen > 0 ? r.rate * spread : none_seen / r.seconds) * part;
}

void
tl_estimate(struct tl_estimate *e, const struct tl_samples *s,
    const struct tl_tally *tally, unsigned gate)
{
	struct ratio r;
	double rest_s, open;

	*e = (struct tl_estimate){ .contended = -1 };
	if (gate == 0 || gate >= TL_LEVEL_GATES || s->known_s <= 0)
		return;
	if (s->slots.count[gate] > 0) {
		estimate_slots(e, &s->slots, tally, gate);
		return;
	}
	r = ratio_of(s->length_s[gate], tally->sampled);
	rest_s = s->known_s - s->open_s[gate];
	if (r.seconds <= 0 || rest_s <= 0)
		return;
	/* the sampled part of the rest is known and not estimated */
	r.half *= sqrt(fmax(0, 1 - r.seconds / rest_s));
	if (r.seen == 0)
		r.half = none_seen / r.seconds;
	open = tally->open / s->known_s;
	e->contended = s->contended;
	e->why = why_of(s, &e->skew);
	e->known = e->why == TL_ESTIMATE_GIVEN;
	e->interval = s->count[gate] > 1;
	e->seconds = s->known_s;
	e->samples = s->count[gate];
	e->left_out = s->left_out[gate];
	e->rate = open + r.rate * rest_s / s->known_s;
	e->rate_low = fmax(e->rate - r.half * rest_s / s->known_s,
	    open + r.seen / s->known_s);
	e->rate_high = e->rate + r.half * rest_s / s->known_s;
}
