/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.h - what was found of one message, and what finding it shares.
 */
#ifndef TL_ANALYSIS_EXPLAIN_H
#define TL_ANALYSIS_EXPLAIN_H

#include "analysis/gather.h"

enum {
	TL_CAUSES_MAX = 10,
	TL_EXAMPLES_MAX = 3,
	TL_THRESHOLDS_MAX = TL_LEVELS_MAX - 1,
	TL_PERIODS = 6,
	TL_SPANS_MIN = 50 /* fewer are not explained */
};

enum tl_cause_kind {
	TL_CAUSE_ARGUMENT,
	TL_CAUSE_CPU,
	TL_CAUSE_MIGRATED,
	TL_CAUSE_PID,
	TL_CAUSE_TID,
	TL_CAUSE_RUN,
	TL_CAUSE_PERIOD,
	TL_CAUSE_START,
	TL_CAUSE_QUEUE,
	TL_CAUSE_SINCE_THREAD,
	TL_CAUSE_SINCE_ANY,
	TL_CAUSE_LOST,
	TL_CAUSE_FEATURE, /* at least so much of it */
	TL_CAUSE_WHERE    /* likewise: a part of the duration */
};

enum tl_cause_op { TL_OP_EQUAL, TL_OP_LEAST, TL_OP_MOST, TL_OP_IN };

struct tl_cause {
	uint8_t kind;
	uint8_t op;
	uint8_t argument; /* which; or which period */
	uint16_t feature;
	int64_t value;  /* a text's number, a bound (tl_why_key), a begin ... */
	int64_t end;    /* ... and an end, both within */
	unsigned level; /* slow is what reaches this threshold, from 1 on */
	double information;
	double share; /* of what slow spans take longer: a part's */
	double p;     /* corrected */
	double excess;
	uint64_t with, hits;
	int64_t median_with_ns, median_without_ns;
	const struct tl_record *examples[TL_EXAMPLES_MAX];
	size_t example_count;
};

struct tl_result {
	const struct tl_target *target;
	uint64_t weight; /* of all records */
	int64_t first_ns, last_ns;
	int64_t median_ns;
	size_t threshold_count;
	int64_t thresholds_ns[TL_THRESHOLDS_MAX]; /* rising */
	uint64_t slow[TL_THRESHOLDS_MAX];
	uint64_t tests;
	struct tl_cause causes[TL_CAUSES_MAX];
	size_t cause_count;
};

extern const int64_t tl_periods_ns[TL_PERIODS];

/* An argument as a number that is compared: itself, or the bits of a double in
 * an order. */
int64_t
tl_why_key(const struct tl_message *message, unsigned argument, uint64_t raw);
/* ... and back. */
double tl_why_double(int64_t key);

/* Does a span have it? */
bool tl_cause_holds(struct tl_why *why, const struct tl_cause *cause,
    const struct tl_record *record);

/* The sums of a part of the durations, by level. */
struct tl_part_sums {
	double ns[TL_LEVELS_MAX];
};

/* Which parts of the duration the slow spans take longer in: up to as many
 * causes as there is room for, the largest first.  sums has one for each
 * feature.  0 or -ENOMEM. */
int tl_where_explain(struct tl_why *why, struct tl_result *result,
    const struct tl_part_sums *sums);

#endif
