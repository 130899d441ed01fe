/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimate.h - estimate how often a message would have been logged if its level
 * had always been open, from the bursts of a schedule.
 *
 * For each gate there are three kinds of time:
 *
 *	open	the base, or a requested burst, logged it: what
 *		was seen is all there was
 *	sample	a burst of a schedule, and nothing else, opened it: a sample
 *		of the rest, for a schedule knows nothing of the program
 *	closed	the rest of the rest
 *
 * So the total is the entries logged while open, plus the rate in samples times
 * the length of sample and closed.  A requested burst belongs to the first
 * kind, however busy the program was then.  A sample that merged with one
 * counts as open and is left out of the rate.  A sample that lost entries is
 * left out.
 *
 * A sample is independent of the program only while no thread waits for a CPU:
 * a burst begins when the daemon gets a CPU, and on a contended machine that
 * moment depends on the program.  So there is no estimate
 *
 *	contended	where threads waited for a CPU for 5 % of the sampled
 *			time or more, by the measure that samples carry
 *	unmeasured	where samples carry no measure
 *	skewed		where messages that are always logged come more often
 *			(or less) in samples than outside, beyond chance
 */
#ifndef TL_DUMP_STATS_ESTIMATE_H
#define TL_DUMP_STATS_ESTIMATE_H

#include "dump/stats/levels.h"

enum {
	/* Samples are combined, neighbours first, into this many groups.  A
	 * program with a period near that of the schedule makes neighbours
	 * alike, but hardly groups. */
	TL_SAMPLE_GROUPS = 40
};

/* The samples of a timeline, once for all messages. */
struct tl_samples {
	const struct tl_levels *levels;
	uint8_t *groups; /* of each window */
	int64_t from_ns; /* of the time range, and without losses */
	int64_t to_ns;
	double length_s[TL_LEVEL_GATES][TL_SAMPLE_GROUPS];
	double open_s[TL_LEVEL_GATES];
	double known_s;
	uint64_t count[TL_LEVEL_GATES];    /* samples */
	uint64_t left_out[TL_LEVEL_GATES]; /* bursts that are no samples */
	double contended; /* share of the sampled time; negative: unknown */
	/* Messages that are always logged, inside of samples and outside. */
	uint8_t base_max;
	size_t control_at; /* window of the previous entry */
	double control_seen[TL_SAMPLE_GROUPS];
	double control_s[TL_SAMPLE_GROUPS];
	double control_out;
	double control_out_s;
	struct tl_slot_samples slots;
};

/* Counts of one message.  Starts from all zeros. */
struct tl_tally {
	double *sampled; /* in each group; NULL: none yet */
	double open;
	size_t at;            /* window of the previous entry */
	double *slot_sampled; /* the same for slots */
	double slot_open;
};

enum tl_estimate_why {
	TL_ESTIMATE_NO_SAMPLES, /* or the level was always open */
	TL_ESTIMATE_CONTENDED,
	TL_ESTIMATE_UNMEASURED,
	TL_ESTIMATE_SKEWED,
	/* slots: their plan was not in force for too long */
	TL_ESTIMATE_STARVED,
	TL_ESTIMATE_GIVEN
};

struct tl_estimate {
	enum tl_estimate_why why; /* GIVEN, or why there is no estimate */
	bool known;               /* why is GIVEN */
	double contended;         /* as in tl_samples */
	bool slots;               /* from slots, not from bursts */
	double starved;           /* as in tl_slot_samples */
	/* Rate inside by rate outside of messages that are always logged. */
	double skew;
	bool interval;   /* rate_low and rate_high are set */
	double rate;     /* entries a second */
	double rate_low; /* with a confidence of 95 % */
	double rate_high;
	double seconds; /* of the time range: the count is rate * seconds */
	uint64_t samples;
	uint64_t left_out;
};

/* levels must outlive it.  -ENOMEM. */
int tl_samples_init(struct tl_samples *samples, const struct tl_levels *levels,
    int64_t from_ns, int64_t to_ns);
void tl_samples_free(struct tl_samples *samples);

/* An entry of any message of this gate but those of category timeline, for
 * the comparison of what is always logged. */
void tl_samples_control(struct tl_samples *samples, unsigned gate, int64_t ns);

/* An entry of a message of this gate.  0 or -ENOMEM. */
int tl_tally_put(struct tl_tally *tally, const struct tl_samples *samples,
    unsigned gate, int64_t ns, uint64_t stamp);
void tl_tally_free(struct tl_tally *tally);

void tl_estimate(struct tl_estimate *estimate, const struct tl_samples *samples,
    const struct tl_tally *tally, unsigned gate);

#endif
