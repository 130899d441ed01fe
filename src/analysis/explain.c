/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - find the causes of slow spans in the records.
 *
 *	records --> thresholds, a level for each record
 *	        --> scales: bounds of the numbers, from a sorted sample
 *	        --> counts: a histogram of levels for each candidate (one scan)
 *	        --> claims at all thresholds; the best claim chooses one
 *	        --> claims at this threshold --> findings.c: medians, ranks,
 *	                                         echoes
 */
#include "analysis/gather.h"

#include "analysis/chance.h"
#include "base/array.h"
#include "base/ns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum {
	SAMPLE_MAX = 1 << 16,
	BOUNDS_MAX = 1024,
	BINS = 100,
	PHASES_APART = 20, /* of a period: nearer spans are one observation */
	STOP_TIMES = 16,   /* a stop: a pause longer than the mean by this */
	VALUES_MAX = 1 << 16, /* different values of one family */
	COUNTS = 64,          /* buckets for the number of spans inside */
	/* most spans that count as far above all others */
	FAR_MAX = 9,
	FAR_TIMES = 4, /* far above all others: longer by this factor */
	SLOW_MIN = 10,
	HITS_MIN = 5
};

static const double p_max = 0.01;
static const double covers_min = 0.1;
static const double risk_min = 2;
static const double lift_min = 1.5;

/* HZ is 1000, 400, 300, 250 or 100. */
static const int64_t periods_ns[TL_PERIODS] = { 1000000, 2500000, 3333333,
	4000000, 10000000, 100000000, 1000000000, 60000000000, 3600000000000,
	86400000000000 };

/* Spans by level, and the episodes of the spans that reach each threshold. */
struct counts {
	uint32_t spans[TL_LEVELS_MAX];
	float episodes[TL_LEVELS_MAX];
};

enum family {
	FAMILY_ARGUMENT, /* one family for each argument */
	FAMILY_CPU = FAMILY_ARGUMENT + TL_ARGS_MAX,
	FAMILY_PID,
	FAMILY_TID,
	FAMILY_TIME,
	FAMILY_PERIOD, /* one family for each period */
	FAMILY_BEFORE = FAMILY_PERIOD + TL_PERIODS,
	FAMILY_AROUND,
	FAMILY_BEFORE_ARG,
	FAMILY_INSIDE_ARG,
	FAMILY_AROUND_ARG,
	FAMILY_BESIDE,
	FAMILY_QUEUE,
	FAMILY_CHILDREN,
	FAMILY_SINCE_THREAD,
	FAMILY_SINCE_ANY,
	FAMILY_LOST,
	FAMILY_STATE,
	FAMILIES
};

/* The numbers for which thresholds are tried. */
enum scale_kind {
	SCALE_ARGUMENT,
	SCALE_START = SCALE_ARGUMENT + TL_ARGS_MAX,
	SCALE_QUEUE,
	SCALE_SINCE_THREAD,
	SCALE_SINCE_ANY,
	SCALE_CHILDREN,
	SCALES
};

/* The bounds of one number. */
struct scale {
	bool used;
	bool up, down; /* up: try >= bound; down: try <= bound */
	uint8_t cause;
	uint8_t family;
	int64_t *sample;
	size_t sample_count;
	int64_t bounds[BOUNDS_MAX]; /* ascending */
	/* a bound for >=; a bound for <= the number before */
	bool is_up[BOUNDS_MAX], is_down[BOUNDS_MAX];
	size_t count;
	/* counts[i]: numbers with i bounds at or below */
	struct counts counts[BOUNDS_MAX + 1];
};

struct explain {
	struct tl_why *why;
	struct tl_target *target;
	struct tl_result *result;
	const struct tl_message *message;
	bool uses_argument[TL_ARGS_MAX];
	struct scale scales[SCALES];
	size_t stops; /* the first pauses of the target */
	struct tl_shares shares;
	const float *share; /* of the record being counted; NULL: not slow */
	struct counts all;  /* all records */
	int64_t bin_ns;     /* length of a bin of the run */
	struct counts run[BINS];
	struct counts phases[TL_PERIODS][BINS];
	struct tl_shares cycles[TL_PERIODS]; /* by period */
	struct counts cycle_counts[TL_PERIODS];
	struct counts migrated, lost;
	struct counts full; /* records without room for a further part */
	struct counts *threads;
	struct counts *features;
	struct counts **inside; /* by feature: buckets by number of spans */
	struct tl_part_sums *sums;
	double duration_ns[TL_LEVELS_MAX]; /* sums by level */
	size_t feature_count;
	struct tl_id_map value_ids; /* by family and value */
	struct counts *values;
	size_t value_capacity;
	size_t value_counts[FAMILIES];
	struct tl_id_map text_ids; /* string table and number -> texts[] */
	uint32_t *texts;
	size_t text_capacity;
	/* by family, without the factor of thresholds */
	uint64_t tests[FAMILIES];
	double families;
};

/* == numbers == */

static const uint64_t SIGN = UINT64_C(1) << 63;

int64_t
tl_why_key(const struct tl_message *message, unsigned argument, uint64_t raw)
{
	switch (message->args[argument].format) {
	case TIMELINE_ARG_UNSIGNED:
	case TIMELINE_ARG_HEX:
		return (int64_t)(raw ^ SIGN);
	case TIMELINE_ARG_DOUBLE:
		return (int64_t)(raw & SIGN ? raw ^ ~SIGN : raw);
	default:
		return (int64_t)raw;
	}
}

/* Inverts tl_why_key. */
uint64_t
tl_why_raw(const struct tl_message *message, unsigned argument, int64_t key)
{
	return (uint64_t)tl_why_key(message, argument, (uint64_t)key);
}

static bool
is_string(const struct tl_message *message, unsigned argument)
{
	return tl_arg_is_text(&message->args[argument]);
}

/* Set the number of a record that a scale uses.  false: the record has none. */
static bool
number_of(const struct explain *e, unsigned scale, const struct tl_record *r,
    int64_t *number)
{
	switch (scale) {
	case SCALE_START:
		*number = r->rank;
		return true;
	case SCALE_QUEUE:
		*number = r->queue;
		return true;
	case SCALE_CHILDREN:
		*number = r->children;
		return true;
	case SCALE_SINCE_THREAD:
		*number = r->since_thread_ns;
		return *number != INT64_MIN;
	case SCALE_SINCE_ANY:
		*number = r->since_any_ns;
		return *number != INT64_MIN;
	default:
		*number =
		    tl_why_key(e->message, scale, tl_record_args(r)[scale]);
		return true;
	}
}

static int64_t
phase_of(int64_t ns, int64_t period_ns)
{
	const int64_t phase = ns % period_ns;

	return phase < 0 ? phase + period_ns : phase;
}

/* == thresholds and levels == */

static struct tl_weighed *
weigh_durations(const struct explain *e, size_t *count)
{
	struct tl_records_at at = { .records = &e->target->records };
	struct tl_weighed *values =
	    malloc(e->target->records.count * sizeof(*values));
	const struct tl_record *r;

	*count = 0;
	while (values && (r = tl_records_next(&at)))
		values[(*count)++] =
		    (struct tl_weighed){ r->duration_ns, r->weight };
	return values;
}

static void
add_threshold(struct tl_result *result, int64_t ns)
{
	size_t i = result->threshold_count;

	for (size_t k = 0; k < i; k++)
		if (result->thresholds_ns[k] == ns)
			return;
	if (i == TL_THRESHOLDS_MAX)
		return;
	for (; i > 0 && result->thresholds_ns[i - 1] > ns; i--)
		result->thresholds_ns[i] = result->thresholds_ns[i - 1];
	result->thresholds_ns[i] = ns;
	result->threshold_count++;
}

static int
compare_numbers(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Find at most FAR_MAX spans that took FAR_TIMES as long as all others. */
static void
add_far(const struct explain *e, struct tl_weighed *values, size_t count)
{
	int64_t longest[FAR_MAX + 1]; /* ascending */
	size_t far = 0;

	if (count <= FAR_MAX + 1)
		return;
	for (size_t i = 0; i < count; i++) {
		if (i > FAR_MAX && values[i].value <= longest[0])
			continue;
		longest[i > FAR_MAX ? 0 : i] = values[i].value;
		if (i >= FAR_MAX)
			qsort(longest, FAR_MAX + 1, sizeof(longest[0]),
			    compare_numbers);
	}
	for (size_t i = FAR_MAX; i > 0; i--)
		if (longest[i] / FAR_TIMES >= longest[i - 1] && longest[i] > 0)
			far = i;
	if (far > 0 &&
	    (double)longest[far] >= 1.5 * (double)e->result->median_ns)
		add_threshold(e->result, longest[far]);
}

static void
choose_thresholds(struct explain *e, struct tl_weighed *values, size_t count)
{
	static const double percents[] = { 5, 2, 1, 0.5, 0.2, 0.1 };
	const struct tl_why_plan *plan = &e->why->plan;
	struct tl_result *result = e->result;
	const double all = (double)result->weight;

	result->median_ns =
	    tl_weighed_select(values, count, result->weight / 2);
	if (plan->slower_ns > 0) {
		add_threshold(result, plan->slower_ns);
		return;
	}
	if (plan->slowest > 0) {
		const uint64_t k = (uint64_t)(all * plan->slowest / 100);

		add_threshold(result, tl_weighed_select(values, count,
					  result->weight - (k > 0 ? k : 1)));
		return;
	}
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		const uint64_t k = (uint64_t)(all * percents[i] / 100);
		int64_t ns;

		if (k < SLOW_MIN)
			break;
		ns = tl_weighed_select(values, count, result->weight - k);
		if ((double)ns >= 1.5 * (double)result->median_ns && ns > 0)
			add_threshold(result, ns);
	}
	add_far(e, values, count);
}

/* Set the level of each record, and collect sums for the result. */
static void
set_levels(struct explain *e)
{
	struct tl_records_at at = { .records = &e->target->records };
	struct tl_result *result = e->result;
	struct tl_record *r;

	result->first_ns = INT64_MAX;
	result->last_ns = INT64_MIN;
	while ((r = tl_records_next(&at))) {
		unsigned level = 0;

		while (level < result->threshold_count &&
		       r->duration_ns >= result->thresholds_ns[level])
			result->slow[level++] += r->weight;
		r->level = level & 0xf;
		result->known += r->alone ? 0 : r->weight;
		for (unsigned i = 0; i < level && !r->alone; i++)
			result->known_slow[i] += r->weight;
		if (r->begin_ns < result->first_ns)
			result->first_ns = r->begin_ns;
		if (r->begin_ns > result->last_ns)
			result->last_ns = r->begin_ns;
	}
}

/* == episodes == */

/* Does the record have five of the periods? */
static bool
is_periodic(const struct explain *e, unsigned period)
{
	return (uint64_t)e->result->last_ns - (uint64_t)e->result->first_ns >=
	       5 * (uint64_t)periods_ns[period];
}

/* Move a slow span that a stop hit, or that began after the stop for no longer
 * than it lasted, to the begin of the stop: all of them are one observation. */
static void
move_to_stop(const struct explain *e, struct tl_stretch *s)
{
	const int64_t least_ns = e->result->thresholds_ns[0];

	for (size_t i = 0; i < e->stops; i++) {
		const struct tl_pause *p = &e->target->pauses[i];

		if (s->begin_ns < tl_sub_ns(p->from_ns, least_ns) ||
		    s->begin_ns >
			tl_add_ns(p->to_ns, tl_sub_ns(p->to_ns, p->from_ns)))
			continue;
		s->begin_ns = s->end_ns = p->from_ns;
		return;
	}
}

/* A span that reaches the first threshold. */
struct slow {
	struct tl_stretch stretch;
	unsigned level;
};

static size_t
collect_slow(const struct explain *e, struct slow *slow)
{
	struct tl_records_at at = { .records = &e->target->records };
	const struct tl_record *r;
	size_t count = 0;

	while ((r = tl_records_known(&at))) {
		if (r->level == 0)
			continue;
		if (slow) {
			slow[count].level = r->level;
			slow[count].stretch = (struct tl_stretch){ r->begin_ns,
				(int64_t)((uint64_t)r->begin_ns +
					  (uint64_t)r->duration_ns),
				r->weight, NULL };
			move_to_stop(e, &slow[count].stretch);
		}
		count++;
	}
	return count;
}

/* Set the shares of spans; spans that began or ended less than near_ns apart
 * are one episode. */
static int
make_shares(const struct explain *e, struct tl_shares *shares,
    const struct slow *slow, size_t rows, int64_t near_ns)
{
	struct tl_stretch *at = calloc(rows + 1, sizeof(*at));

	shares->row = e->result->threshold_count;
	shares->of = calloc(rows * shares->row + 1, sizeof(*shares->of));
	if (!shares->of || !at) {
		free(at);
		return -ENOMEM;
	}
	for (size_t level = 1; level <= shares->row; level++) {
		size_t count = 0;

		for (size_t i = 0; i < rows; i++) {
			if (slow[i].level < level)
				continue;
			at[count] = slow[i].stretch;
			at[count++].share =
			    &shares->of[i * shares->row + level - 1];
		}
		tl_episode_shares(at, count, near_ns);
	}
	free(at);
	return 0;
}

/* Set all shares.  The spans that one stop hits were not slow before the stop,
 * so these spans began within the least threshold.  For phases, spans that are
 * slow together for a while are one observation. */
static int
make_all_shares(struct explain *e)
{
	const int64_t least_ns = e->result->thresholds_ns[0];
	const size_t rows = collect_slow(e, NULL);
	struct slow *slow = calloc(rows + 1, sizeof(*slow));
	int rc;
	const struct tl_target *t = e->target;
	const double mean = ((double)t->latest_ns - (double)t->first_ns) /
			    fmax((double)t->logged, 1);
	const double least = fmax((double)least_ns, STOP_TIMES * mean);

	if (!slow)
		return -ENOMEM;
	/* Find the pauses in which the program stopped: each is longer than any
	 * slow span must be, and far longer than pauses usually are. */
	while (e->stops < t->pause_count &&
	       (double)t->pauses[e->stops].to_ns -
		       (double)t->pauses[e->stops].from_ns >=
		   least)
		e->stops++;
	collect_slow(e, slow);
	rc = make_shares(e, &e->shares, slow, rows, least_ns);
	for (unsigned i = 0; i < TL_PERIODS && is_periodic(e, i) && rc == 0;
	     i++) {
		const int64_t apart_ns = periods_ns[i] / PHASES_APART;

		rc = make_shares(e, &e->cycles[i], slow, rows,
		    apart_ns > least_ns ? apart_ns : least_ns);
	}
	free(slow);
	return rc;
}

/* == scales == */

/* An argument that rises from span to span is a counter, and stands for
 * time. */
static bool
only_counts(const struct tl_target *t, unsigned argument)
{
	const double all = (double)t->rises[argument];
	const double own = (double)t->rises_in_thread[argument];

	return t->begun > 1 && (all > 0.9 * (double)(t->begun - 1) ||
				   own > 0.9 * (double)t->compared_in_thread);
}

static void
choose_scales(struct explain *e)
{
	/* the scales from SCALE_START on */
	static const struct {
		bool up, down;
		uint8_t cause, family;
	} others[] = { { false, true, TL_CAUSE_START, FAMILY_TIME },
		{ true, false, TL_CAUSE_QUEUE, FAMILY_QUEUE },
		{ true, true, TL_CAUSE_SINCE_THREAD, FAMILY_SINCE_THREAD },
		{ true, true, TL_CAUSE_SINCE_ANY, FAMILY_SINCE_ANY },
		{ true, false, TL_CAUSE_CHILDREN, FAMILY_CHILDREN } };

	for (unsigned i = 0; i < e->message->argc; i++) {
		e->uses_argument[i] =
		    is_string(e->message, i) || !only_counts(e->target, i);
		e->scales[i] =
		    (struct scale){ .used = e->uses_argument[i] &&
					    !is_string(e->message, i),
			    .up = true,
			    .down = true,
			    .cause = TL_CAUSE_ARGUMENT,
			    .family = (uint8_t)(FAMILY_ARGUMENT + i) };
	}
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		e->scales[SCALE_START + i] = (struct scale){ .used = true,
			.up = others[i].up,
			.down = others[i].down,
			.cause = others[i].cause,
			.family = others[i].family };
}

/* A cut between two numbers of a scale. */
struct cut {
	int64_t bound;
	bool up;
};

static int
compare_cuts(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;

	return (x->bound > y->bound) - (x->bound < y->bound);
}

/* Cut from one end of the sample; each cut has at least 2 % more numbers than
 * the cut before. */
static size_t
cut_from(const struct scale *s, bool up, struct cut *cuts)
{
	const size_t n = s->sample_count;
	double taken = 0;
	size_t count = 0;

	for (size_t i = 0; i < n && count < BOUNDS_MAX / 2; i++) {
		const int64_t v = s->sample[up ? n - 1 - i : i];

		if (i + 1 < n && s->sample[up ? n - 2 - i : i + 1] == v)
			continue;
		if (i + 1 == n || (double)(i + 1) < 1.02 * taken)
			continue;
		if (!up && v == INT64_MAX)
			continue;
		cuts[count++] = (struct cut){ up ? v : v + 1, up };
		taken = (double)(i + 1);
	}
	return count;
}

static void
make_bounds(struct scale *s)
{
	struct cut cuts[BOUNDS_MAX];
	size_t count = 0;

	qsort(s->sample, s->sample_count, sizeof(*s->sample), compare_numbers);
	if (s->up)
		count = cut_from(s, true, cuts);
	if (s->down)
		count += cut_from(s, false, cuts + count);
	qsort(cuts, count, sizeof(cuts[0]), compare_cuts);
	for (size_t i = 0; i < count; i++) {
		if (s->count == 0 || s->bounds[s->count - 1] != cuts[i].bound)
			s->bounds[s->count++] = cuts[i].bound;
		*(cuts[i].up ? &s->is_up[s->count - 1]
			     : &s->is_down[s->count - 1]) = true;
	}
}

/* Choose the bounds of all scales from a sample of the records. */
static int
make_scales(struct explain *e)
{
	struct tl_records_at at = { .records = &e->target->records };
	const uint64_t every = e->target->records.count / SAMPLE_MAX + 1;
	const struct tl_record *r;
	uint64_t number = 0;
	int64_t value;

	for (unsigned i = 0; i < SCALES; i++) {
		struct scale *s = &e->scales[i];

		if (s->used &&
		    !(s->sample = malloc(SAMPLE_MAX * sizeof(value))))
			return -ENOMEM;
	}
	while ((r = tl_records_known(&at))) {
		if (number++ % every != 0)
			continue;
		for (unsigned i = 0; i < SCALES; i++) {
			struct scale *s = &e->scales[i];

			if (s->used && s->sample_count < SAMPLE_MAX &&
			    number_of(e, i, r, &value))
				s->sample[s->sample_count++] = value;
		}
	}
	for (unsigned i = 0; i < SCALES; i++) {
		if (e->scales[i].used)
			make_bounds(&e->scales[i]);
		free(e->scales[i].sample);
		e->scales[i].sample = NULL;
	}
	return 0;
}

/* == counts == */

static void
add_share(struct counts *counts, const struct tl_record *r, const float *share)
{
	counts->spans[r->level] += r->weight;
	for (unsigned i = 1; i <= r->level; i++)
		counts->episodes[i] += share[i - 1];
}

static inline void
add(const struct explain *e, struct counts *counts, const struct tl_record *r)
{
	add_share(counts, r, e->share);
}

/* The counters of a value.  NULL: too many values, or an error in *rc. */
static struct counts *
value_counts(struct explain *e, unsigned family, uint64_t value, int *rc)
{
	const struct tl_id_key key = { family, value };
	uint32_t at;
	int found;

	if (e->value_counts[family] >= VALUES_MAX) {
		e->why->left_out.values++;
		return NULL;
	}
	found = tl_id_map_get(&e->value_ids, key, &at);
	if (found == -ENOMEM)
		*rc = found;
	if (found < 0)
		return NULL;
	e->value_counts[family] += found == 1;
	if (TL_ARRAY_ZEROS(e->values, e->value_capacity, at) < 0) {
		*rc = -ENOMEM;
		return NULL;
	}
	return &e->values[at];
}

static int
count_value(struct explain *e, unsigned family, uint64_t value,
    const struct tl_record *r)
{
	int rc = 0;
	struct counts *counts = value_counts(e, family, value, &rc);

	if (counts)
		add(e, counts, r);
	return rc;
}

/* The number of the text of a string argument, from a cache. */
static uint32_t
text_of(struct explain *e, const struct tl_record *r, unsigned argument)
{
	const struct tl_message *m = e->why->list[r->definition]->message;
	const uint64_t number = tl_record_args(r)[argument];
	const bool is_own = m->args[argument].format == TIMELINE_ARG_TEXT8;
	const struct tl_id_key key = { is_own ? 0
					      : (uint64_t)(uintptr_t)m->strings,
		number };
	uint32_t at;
	const int found = tl_id_map_get(&e->text_ids, key, &at);

	if (found < 0 || TL_ARRAY_ROOM(e->texts, e->text_capacity, at) < 0)
		return TL_TEXT_NONE;
	if (found == 1)
		e->texts[at] =
		    tl_why_text(e->why, tl_message_text(m, argument, &number));
	return e->texts[at];
}

static unsigned
bucket_of(uint64_t count)
{
	unsigned octave;

	if (count <= 32)
		return (unsigned)count - 1;
	octave = 63 - (unsigned)__builtin_clzll(count);
	return octave > 20 ? COUNTS - 1
			   : 32 + 2 * (octave - 5) +
				 (unsigned)(count >> (octave - 1) & 1);
}

/* The smallest number in a bucket. */
static uint64_t
bucket_floor(unsigned bucket)
{
	const unsigned at = bucket - 32;

	return bucket < 32 ? bucket + 1u
			   : (UINT64_C(2) + at % 2) << (at / 2 + 4);
}

static int
count_parts(struct explain *e, const struct tl_record *r)
{
	const uint64_t *parts = tl_record_parts(r);

	for (unsigned i = 0; i < r->part_count; i++) {
		const unsigned f = tl_part_feature(parts[i]);
		const uint64_t amount = tl_part_amount(parts[i]);

		/* what a full record lacks, the span may have had */
		if (r->part_count < TL_PARTS_MAX ||
		    e->why->features[f].kind != TL_FEATURE_INSIDE)
			add(e, &e->features[f], r);
		switch (e->why->features[f].kind) {
		case TL_FEATURE_INSIDE:
			if (!e->inside[f] && !(e->inside[f] = calloc(COUNTS,
						   sizeof(struct counts))))
				return -ENOMEM;
			add(e, &e->inside[f][bucket_of(amount)], r);
			break;
		case TL_FEATURE_SPENT:
		case TL_FEATURE_GAP:
		case TL_FEATURE_PART:
			e->sums[f].ns[r->level] += (double)amount * r->weight;
			break;
		default:
			break;
		}
	}
	return 0;
}

static bool
has_any(const struct counts *counts)
{
	uint32_t any = 0;

	for (unsigned i = 0; i < TL_LEVELS_MAX; i++)
		any |= counts->spans[i];
	return any != 0;
}

static void
sum_counts(struct counts *to, const struct counts *counts)
{
	for (unsigned i = 0; i < TL_LEVELS_MAX; i++) {
		to->spans[i] += counts->spans[i];
		to->episodes[i] += counts->episodes[i];
	}
}

static void
take_counts(struct counts *from, const struct counts *counts)
{
	for (unsigned i = 0; i < TL_LEVELS_MAX; i++) {
		from->spans[i] -= counts->spans[i];
		from->episodes[i] -= counts->episodes[i];
	}
}

/* Add the counts of each thread to the counts of its pid and its tid. */
static int
count_threads(struct explain *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < e->why->thread_ids.count; i++) {
		const struct tl_thread *t = e->why->threads[i];
		struct counts *pid, *tid;

		if (!has_any(&e->threads[i]) || !t)
			continue;
		if ((pid = value_counts(e, FAMILY_PID, t->pid, &rc)))
			sum_counts(pid, &e->threads[i]);
		if ((tid = value_counts(e, FAMILY_TID, t->tid, &rc)))
			sum_counts(tid, &e->threads[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The number of bounds of a scale at or below a number. */
static size_t
bounds_below(const struct scale *s, int64_t number)
{
	size_t low = 0, size = s->count;

	while (size > 0) {
		const size_t half = size / 2;

		if (s->bounds[low + half] <= number) {
			low += half + 1;
			size -= half + 1;
		} else {
			size = half;
		}
	}
	return low;
}

/* Count the features of a record; row is its row of shares if the record is
 * slow. */
static int
count_record(struct explain *e, const struct tl_record *r, size_t row)
{
	int64_t number;
	int rc = 0;

	e->share = r->level ? &e->shares.of[row * e->shares.row] : NULL;
	for (unsigned i = 0; i < e->message->argc && rc == 0; i++) {
		uint64_t value = tl_record_args(r)[i];

		if (is_string(e->message, i))
			value = text_of(e, r, i);
		if (e->uses_argument[i] &&
		    (!is_string(e->message, i) || value != TL_TEXT_NONE))
			rc = count_value(e, FAMILY_ARGUMENT + i, value, r);
	}
	if (r->cpu != TL_CPU_UNKNOWN && rc == 0)
		rc = count_value(e, FAMILY_CPU, r->cpu, r);
	for (unsigned i = 0; i < SCALES; i++) {
		struct scale *s = &e->scales[i];

		if (s->used && number_of(e, i, r, &number))
			add(e, &s->counts[bounds_below(s, number)], r);
	}
	add(e,
	    &e->run[(uint64_t)(r->begin_ns - e->result->first_ns) /
		    (uint64_t)e->bin_ns],
	    r);
	for (unsigned i = 0; i < TL_PERIODS && is_periodic(e, i); i++) {
		const float *share =
		    r->level ? &e->cycles[i].of[row * e->shares.row] : NULL;

		add_share(&e->phases[i][phase_of(r->begin_ns, periods_ns[i]) /
					(periods_ns[i] / BINS)],
		    r, share);
		add_share(&e->cycle_counts[i], r, share);
	}
	if (r->cpu != r->end_cpu)
		add(e, &e->migrated, r);
	if (r->lost)
		add(e, &e->lost, r);
	if (r->part_count == TL_PARTS_MAX)
		add(e, &e->full, r);
	add(e, &e->threads[r->thread], r);
	add(e, &e->all, r);
	e->duration_ns[r->level] += (double)r->duration_ns * r->weight;
	return rc < 0 ? rc : count_parts(e, r);
}

static int
count_all(struct explain *e)
{
	struct tl_records_at at = { .records = &e->target->records };
	const struct tl_record *r;
	size_t row = 0;
	int rc = 0;

	e->feature_count = e->why->feature_ids.count;
	e->features = calloc(e->feature_count + 1, sizeof(*e->features));
	e->inside = calloc(e->feature_count + 1, sizeof(*e->inside));
	e->sums = calloc(e->feature_count + 1, sizeof(*e->sums));
	e->threads = calloc(e->why->thread_ids.count + 1u, sizeof(*e->threads));
	if (!e->features || !e->inside || !e->sums || !e->threads)
		return -ENOMEM;
	e->bin_ns = (int64_t)(((uint64_t)e->result->last_ns -
				  (uint64_t)e->result->first_ns) /
				  BINS +
			      1);
	if (e->bin_ns <= 0)
		e->bin_ns = INT64_MAX;
	while (rc == 0 && (r = tl_records_known(&at))) {
		rc = count_record(e, r, row);
		row += r->level > 0;
	}
	return rc < 0 ? rc : count_threads(e);
}

/* == claims == */

/* Are windows of this size tried?  A size exceeds the size before by a
 * quarter. */
static bool
is_window_size(unsigned size)
{
	unsigned tried = 1;

	while (tried < size)
		tried += tried / 4 + 1;
	return tried == size;
}

/* Is a feature an amount of time, which where.c tests? */
static bool
is_measured(unsigned kind)
{
	return tl_feature_is_part(kind) || kind == TL_FEATURE_TASK;
}

static bool
is_compared(const struct explain *e, size_t feature)
{
	return has_any(&e->features[feature]) &&
	       !tl_feature_is_dropped(&e->why->features[feature],
		   e->why->groups);
}

/* The families of the features that a span has or lacks. */
static const uint8_t family_of[TL_FEATURE_KINDS] = { [TL_FEATURE_BEFORE] =
							 FAMILY_BEFORE,
	[TL_FEATURE_BESIDE] = FAMILY_BESIDE,
	[TL_FEATURE_STATE] = FAMILY_STATE,
	[TL_FEATURE_AROUND] = FAMILY_AROUND,
	[TL_FEATURE_BEFORE_ARG] = FAMILY_BEFORE_ARG,
	[TL_FEATURE_INSIDE_ARG] = FAMILY_INSIDE_ARG,
	[TL_FEATURE_AROUND_ARG] = FAMILY_AROUND_ARG };

/* Count the tests of each family, and the families. */
static void
count_tests(struct explain *e)
{
	uint64_t inside = 0;

	for (unsigned i = 0; i < FAMILIES; i++)
		e->tests[i] = e->value_counts[i];
	for (unsigned i = 0; i < SCALES; i++)
		for (size_t k = 0; k < e->scales[i].count; k++)
			e->tests[e->scales[i].family] +=
			    (uint64_t)e->scales[i].is_up[k] +
			    e->scales[i].is_down[k];
	e->tests[FAMILY_CPU] += has_any(&e->migrated);
	e->tests[FAMILY_LOST] += has_any(&e->lost);
	for (unsigned size = 1; size < BINS; size++) {
		if (!is_window_size(size))
			continue;
		e->tests[FAMILY_TIME] += BINS + 1 - size;
		for (unsigned i = 0; i < TL_PERIODS && size <= BINS / 2; i++)
			e->tests[FAMILY_PERIOD + i] +=
			    is_periodic(e, i) ? BINS : 0;
	}
	for (size_t i = 0; i < e->feature_count; i++) {
		const uint8_t kind = e->why->features[i].kind;

		if (!is_compared(e, i))
			continue;
		if (kind == TL_FEATURE_INSIDE) {
			e->families++;
			inside++; /* the claim that there is no span inside */
			for (unsigned k = 0; k < COUNTS; k++)
				inside += has_any(&e->inside[i][k]);
		} else if (!is_measured(kind)) {
			e->tests[family_of[kind]]++;
		}
	}
	for (unsigned i = 0; i < FAMILIES; i++) {
		e->families += e->tests[i] > 0;
		e->result->tests += e->tests[i];
	}
	e->result->tests =
	    (e->result->tests + inside) * e->result->threshold_count;
}

/* Fill in the table of a candidate at a threshold.  An episode of slow spans
 * counts as one; hits are rounded down.  false: there is nothing to test, or
 * too few slow spans have the feature. */
static bool
table_of(const struct explain *e, const struct counts *counts,
    const struct counts *all, size_t level, struct tl_fourfold *f)
{
	const struct tl_result *result = e->result;
	uint64_t with = 0, hits = 0;

	for (size_t i = 0; i < TL_LEVELS_MAX; i++) {
		with += counts->spans[i];
		hits += i >= level ? counts->spans[i] : 0;
	}
	if (with == 0 || with >= result->known ||
	    (double)hits < covers_min * (double)result->known_slow[level - 1])
		return false;
	f->hits = floor((double)counts->episodes[level] + 0.01);
	f->slow = fmax(rint((double)all->episodes[level]), f->hits);
	f->with = (double)(with - hits) + f->hits;
	f->all =
	    (double)(result->known - result->known_slow[level - 1]) + f->slow;
	return f->hits > 0 && f->slow < f->all && f->with < f->all;
}

/* Try a candidate among all spans at the threshold of the result, or at every
 * threshold while none is chosen.  The best table replaces *best. */
static void
try_among(const struct explain *e, const struct tl_cause *what,
    const struct counts *counts, const struct counts *all, uint64_t tests,
    struct tl_cause *best)
{
	const struct tl_result *result = e->result;
	const double corrected =
	    (double)tests * (double)result->threshold_count * e->families;

	for (size_t i = result->threshold_count; i > 0; i--) {
		struct tl_fourfold f;
		double information, p;

		if ((result->level && i != result->level) ||
		    !table_of(e, counts, all, i, &f) ||
		    (f.hits < HITS_MIN && f.hits < f.slow) ||
		    tl_risk_ratio(&f) < risk_min || tl_lift(&f) < lift_min ||
		    (what->op == TL_OP_IN && f.hits < HITS_MIN))
			continue;
		information = tl_information(&f);
		if (information <= best->information * (1 + 1e-9))
			continue;
		p = exp(fmin(tl_hypergeometric_tail(&f) + log(corrected), 0));
		if (p >= p_max)
			continue;
		*best = *what;
		best->information = information;
		best->p = p < 1e-308 ? 0 : p;
		best->tests = corrected;
		best->risk = tl_risk_ratio(&f);
		best->lift = tl_lift(&f);
		best->level = (unsigned)i;
	}
}

static void
try_counts(const struct explain *e, const struct tl_cause *what,
    const struct counts *counts, uint64_t tests, struct tl_cause *best)
{
	try_among(e, what, counts, &e->all, tests, best);
}

/* Insert a claim into the claims of the result, best first. */
static void
claim(struct explain *e, const struct tl_cause *cause)
{
	struct tl_result *result = e->result;
	size_t i = result->cause_count;

	if (cause->information <= 0)
		return;
	if (i == TL_CAUSES_MAX)
		i--;
	else
		result->cause_count++;
	if (i == TL_CAUSES_MAX - 1 && result->causes[i].information > 0 &&
	    result->causes[i].information >= cause->information)
		return;
	while (i > 0 && result->causes[i - 1].information * (1 + 1e-9) <
			    cause->information) {
		result->causes[i] = result->causes[i - 1];
		i--;
	}
	result->causes[i] = *cause;
}

static void
claim_scale(struct explain *e, unsigned number)
{
	const struct scale *s = &e->scales[number];
	struct tl_cause what = { .kind = s->cause,
		.argument =
		    (uint8_t)(s->cause == TL_CAUSE_ARGUMENT ? number : 0) };

	for (int up = 1; up >= 0; up--) {
		struct tl_cause best = { 0 };
		struct counts counts = { 0 };

		what.op = up ? TL_OP_LEAST : TL_OP_MOST;
		for (size_t k = 0; k < s->count; k++) {
			const size_t i = up ? s->count - 1 - k : k;

			sum_counts(&counts, &s->counts[i + (size_t)up]);
			what.value = s->bounds[i] - !up;
			if (up ? s->is_up[i] : s->is_down[i])
				try_counts(e, &what, &counts,
				    e->tests[s->family], &best);
		}
		claim(e, &best);
	}
}

/* The start of a bin; INT64_MAX if the sum overflows. */
static int64_t
bin_at(int64_t first_ns, int64_t bin_ns, unsigned bin)
{
	int64_t ns;

	return __builtin_add_overflow(first_ns, (uint64_t)bin_ns * bin, &ns)
		   ? INT64_MAX
		   : ns;
}

/* Claim the best of all windows of bins that are tried.  Phases form a circle,
 * so their windows may wrap. */
static void
claim_windows(struct explain *e, struct tl_cause what,
    const struct counts *bins, int64_t first_ns, int64_t bin_ns,
    unsigned family)
{
	const bool circle = what.kind == TL_CAUSE_PERIOD;
	const struct counts *all =
	    circle ? &e->cycle_counts[what.argument] : &e->all;
	struct tl_cause best = { 0 };

	what.op = TL_OP_IN;
	for (unsigned from = 0; from < BINS; from++) {
		const unsigned size = circle ? BINS / 2 : BINS - from;
		struct counts counts = { 0 };

		for (unsigned i = 0; i < size; i++) {
			const unsigned bin = (from + i) % BINS;

			sum_counts(&counts, &bins[bin]);
			what.value = bin_at(first_ns, bin_ns, from);
			what.end = bin_at(first_ns, bin_ns, bin + 1) - 1;
			if (!is_window_size(i + 1))
				continue;
			try_among(e, &what, &counts, all, e->tests[family],
			    &best);
		}
	}
	claim(e, &best);
}

/* Does the absence of events prove that the message was not logged?  Not if its
 * level was closed, if entries are missing, or outside of the time in which the
 * message was seen. */
static bool
is_known_absent(const struct explain *e, size_t feature)
{
	const struct tl_group *g = e->why->groups[e->why->features[feature].a];
	const struct tl_result *r = e->result;
	const uint64_t edge_ns = (uint64_t)e->bin_ns; /* 1 % of the run */

	return !g->broken &&
	       (g->first_ns <= r->first_ns ||
		   (uint64_t)g->first_ns - (uint64_t)r->first_ns <= edge_ns) &&
	       (g->latest_ns >= r->last_ns ||
		   (uint64_t)r->last_ns - (uint64_t)g->latest_ns <= edge_ns);
}

static void
claim_inside(struct explain *e, size_t feature)
{
	struct tl_cause what = { .kind = TL_CAUSE_FEATURE,
		.op = TL_OP_LEAST,
		.feature = (uint16_t)feature };
	struct tl_cause best = { 0 };
	struct counts counts = { 0 };
	uint64_t tests = 1;

	for (unsigned i = 0; i < COUNTS; i++)
		tests += has_any(&e->inside[feature][i]);
	for (unsigned i = COUNTS; i > 0; i--) {
		if (!has_any(&e->inside[feature][i - 1]))
			continue;
		sum_counts(&counts, &e->inside[feature][i - 1]);
		what.value = (int64_t)bucket_floor(i - 1);
		try_counts(e, &what, &counts, tests, &best);
	}
	claim(e, &best);
	if (!is_known_absent(e, feature))
		return;
	best = (struct tl_cause){ 0 };
	what.op = TL_OP_EQUAL;
	what.value = 0;
	counts = e->all;
	take_counts(&counts, &e->full);
	take_counts(&counts, &e->features[feature]);
	try_counts(e, &what, &counts, tests, &best);
	claim(e, &best);
}

/* Claim the best of one table at all thresholds. */
static void
claim_one(struct explain *e, const struct tl_cause *what,
    const struct counts *counts, unsigned family)
{
	struct tl_cause best = { 0 };

	try_counts(e, what, counts, e->tests[family], &best);
	claim(e, &best);
}

/* Claim all causes.  Equal claims stay in the order of their families. */
static void
claim_all(struct explain *e)
{
	const struct tl_cause run = { .kind = TL_CAUSE_RUN };
	const struct tl_cause migrated = { .kind = TL_CAUSE_MIGRATED,
		.op = TL_OP_EQUAL,
		.value = 1 };
	const struct tl_cause lost = { .kind = TL_CAUSE_LOST,
		.op = TL_OP_LEAST,
		.value = 1 };

	for (uint32_t i = 0; i < e->value_ids.count; i++) {
		const struct tl_id_key key = e->value_ids.keys[i];
		const unsigned family = (unsigned)key.a;
		struct tl_cause what = { .op = TL_OP_EQUAL,
			.value = (int64_t)key.b };

		if (family == FAMILY_CPU)
			what.kind = TL_CAUSE_CPU;
		else if (family == FAMILY_PID)
			what.kind = TL_CAUSE_PID;
		else if (family == FAMILY_TID)
			what.kind = TL_CAUSE_TID;
		else
			what.argument = (uint8_t)(family - FAMILY_ARGUMENT);
		claim_one(e, &what, &e->values[i], family);
	}
	claim_one(e, &migrated, &e->migrated, FAMILY_CPU);
	for (unsigned i = 0; i < SCALE_CHILDREN; i++)
		if (e->scales[i].used)
			claim_scale(e, i);
	for (size_t i = 0; i < e->feature_count; i++) {
		const uint8_t kind = e->why->features[i].kind;
		const bool equal =
		    kind == TL_FEATURE_STATE || tl_feature_is_arg(kind);
		const struct tl_cause what = { .kind = TL_CAUSE_FEATURE,
			.op = equal ? TL_OP_EQUAL : TL_OP_LEAST,
			.feature = (uint16_t)i,
			.value = 1 };

		if (!is_compared(e, i) || is_measured(kind))
			continue;
		if (kind == TL_FEATURE_INSIDE)
			claim_inside(e, i);
		else
			claim_one(e, &what, &e->features[i], family_of[kind]);
	}
	/* one message inside says more than the number of all */
	claim_scale(e, SCALE_CHILDREN);
	claim_one(e, &lost, &e->lost, FAMILY_LOST);
	claim_windows(e, run, e->run, e->result->first_ns, e->bin_ns,
	    FAMILY_TIME);
	for (unsigned i = 0; i < TL_PERIODS; i++) {
		const struct tl_cause phase = { .kind = TL_CAUSE_PERIOD,
			.argument = (uint8_t)i };

		if (is_periodic(e, i))
			claim_windows(e, phase, e->phases[i], 0,
			    periods_ns[i] / BINS, FAMILY_PERIOD + i);
	}
}

/* == the text of a claim == */

static bool
compare_key(const struct tl_cause *cause, int64_t key)
{
	return cause->op == TL_OP_LEAST ? key >= cause->value
					: key <= cause->value;
}

bool
tl_cause_holds(struct tl_why *why, const struct tl_cause *cause,
    const struct tl_record *r)
{
	int64_t phase;

	switch (cause->kind) {
	case TL_CAUSE_ARGUMENT: {
		const struct tl_message *m = why->list[r->definition]->message;
		const uint64_t raw = tl_record_args(r)[cause->argument];

		if (cause->op != TL_OP_EQUAL)
			return compare_key(cause,
			    tl_why_key(m, cause->argument, raw));
		if (!is_string(m, cause->argument))
			return raw == (uint64_t)cause->value;
		return tl_bytes_equal(tl_message_text(m, cause->argument, &raw),
		    why->texts[cause->value]);
	}
	case TL_CAUSE_CPU:
		return r->cpu == (uint64_t)cause->value;
	case TL_CAUSE_MIGRATED:
		return r->cpu != r->end_cpu;
	case TL_CAUSE_PID:
		return why->threads[r->thread]->pid == (uint64_t)cause->value;
	case TL_CAUSE_TID:
		return why->threads[r->thread]->tid == (uint64_t)cause->value;
	case TL_CAUSE_RUN:
		return r->begin_ns >= cause->value && r->begin_ns <= cause->end;
	case TL_CAUSE_PERIOD:
		phase = phase_of(r->begin_ns, periods_ns[cause->argument]);
		if (cause->value <= cause->end)
			return phase >= cause->value && phase <= cause->end;
		return phase >= cause->value || phase <= cause->end;
	case TL_CAUSE_START:
		return r->rank <= cause->value;
	case TL_CAUSE_QUEUE:
		return r->queue >= cause->value;
	case TL_CAUSE_CHILDREN:
		return r->children >= cause->value;
	case TL_CAUSE_SINCE_THREAD:
		return r->since_thread_ns != INT64_MIN &&
		       compare_key(cause, r->since_thread_ns);
	case TL_CAUSE_SINCE_ANY:
		return r->since_any_ns != INT64_MIN &&
		       compare_key(cause, r->since_any_ns);
	case TL_CAUSE_LOST:
		return r->lost;
	default:
		if (cause->value == 0)
			return tl_record_amount(r, cause->feature) == 0 &&
			       r->part_count < TL_PARTS_MAX;
		return tl_record_amount(r, cause->feature) >=
		       (uint64_t)cause->value;
	}
}

/* The threshold whose share of slow spans is nearest to 1 %. */
static size_t
usual_level(const struct tl_result *result)
{
	double nearest = INFINITY;
	size_t level = 0;

	for (size_t i = 0; i < result->threshold_count; i++) {
		const double off = fabs(log(fmax((double)result->slow[i], 0.5) *
					    100 / (double)result->weight));

		if (off < nearest) {
			nearest = off;
			level = i + 1;
		}
	}
	return level;
}

/* The sum over the levels in [from, end) as a share of the durations. */
static double
share_of(const double *sums, const double *durations, size_t from, size_t end)
{
	double sum = 0, all = 0;

	for (size_t i = from; i < end; i++) {
		sum += sums[i];
		all += durations[i];
	}
	return all > 0 ? sum / all : 0;
}

/* Claim causes at all thresholds, choose one threshold, and claim again at this
 * threshold. */
static int
claim_at_one(struct explain *e)
{
	struct tl_result *result = e->result;
	int rc;

	claim_all(e);
	if (result->cause_count == 0)
		return 0;
	rc = tl_findings_choose(e->why, result, &e->shares);
	result->cause_count = 0;
	if (rc == 0)
		claim_all(e);
	return rc;
}

static int
explain_records(struct explain *e)
{
	struct tl_result *result = e->result;
	size_t count;
	struct tl_weighed *room = weigh_durations(e, &count);
	int rc = room ? 0 : -ENOMEM;

	if (rc < 0)
		return rc;
	choose_thresholds(e, room, count);
	free(room);
	set_levels(e);
	if (result->threshold_count == 0)
		return 0;
	choose_scales(e);
	rc = make_scales(e);
	if (rc == 0)
		rc = make_all_shares(e);
	if (rc == 0)
		rc = count_all(e);
	if (rc < 0)
		return rc;
	count_tests(e);
	rc = claim_at_one(e);
	if (rc == 0)
		rc = tl_where_explain(e->why, result, e->sums, &e->shares);
	if (result->level == 0)
		result->level = usual_level(result);
	/* Compute the shares of time that threads spent in each state. */
	for (size_t i = 0; i < e->feature_count; i++) {
		const struct tl_feature *f = &e->why->features[i];

		if (f->kind == TL_FEATURE_PART)
			e->result->states[f->a] = (struct tl_state_share){
				share_of(e->sums[i].ns, e->duration_ns,
				    result->level, TL_LEVELS_MAX),
				share_of(e->sums[i].ns, e->duration_ns, 0,
				    result->level)
			};
	}
	result->episodes = (double)e->all.episodes[result->level];
	return rc < 0 ? rc : tl_findings_make(e->why, result, &e->shares);
}

static int
explain_target(struct tl_why *why, struct tl_target *target,
    struct tl_result *result)
{
	struct explain *e;
	int rc;

	result->target = target;
	result->weight = target->records.weight;
	if (target->spans < TL_SPANS_MIN || target->records.count == 0)
		return 0;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->why = why;
	e->target = target;
	e->result = result;
	e->message = target->message;
	rc = explain_records(e);
	for (unsigned i = 0; i < SCALES; i++)
		free(e->scales[i].sample);
	for (size_t i = 0; e->inside && i < e->feature_count; i++)
		free(e->inside[i]);
	free(e->inside);
	free(e->features);
	free(e->sums);
	free(e->threads);
	free(e->shares.of);
	for (unsigned i = 0; i < TL_PERIODS; i++)
		free(e->cycles[i].of);
	free(e->values);
	free(e->texts);
	tl_id_map_free(&e->value_ids);
	tl_id_map_free(&e->text_ids);
	free(e);
	return rc;
}

int
tl_why_explain(struct tl_why *why)
{
	int rc = 0;

	tl_why_forget(why);
	why->results = calloc(why->target_count + 1, sizeof(*why->results));
	if (!why->results)
		return -ENOMEM;
	for (size_t i = 0; i < why->target_count && rc == 0; i++)
		rc = explain_target(why, &why->targets[i], &why->results[i]);
	return rc;
}

void
tl_why_forget(struct tl_why *why)
{
	free(why->results);
	why->results = NULL;
}
