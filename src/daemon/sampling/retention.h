/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retention.h - control the share of burst time so that the lanes keep enough
 * history.  Pure functions; the input is the head of each lane at several
 * times.
 *
 * Between two readings of the heads a lane grows by
 *
 *	quiet time * base rate + burst time * burst rate
 *
 * There are two kinds of intervals between readings: one around a burst, and
 * one from there to the next such burst.  Both rates follow from these
 * equations by least squares with a short memory.  A lane of N entries keeps
 * keep_ns of history as long as its mean rate stays below N / keep, which
 * bounds the share of burst time; the tightest lane decides.
 *
 * The share changes in steps, each a fixed part of the one before.  The share
 * goes down as far as needed, at once if it is far too large; it goes up half
 * of the way, and only after there was room for some time.  At the last step
 * bursts are so rare that they cost nothing, but their rate can still be
 * measured.
 *
 * If the base alone is too much and the priority may be raised, the priority is
 * raised one level at a time.  The priority is lowered again after the level
 * below would have had room for some time.  That room is estimated from bursts,
 * which log more than the level below would, or from the savings when the
 * priority was raised.
 */
#ifndef TL_DAEMON_SAMPLING_RETENTION_H
#define TL_DAEMON_SAMPLING_RETENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <timeline_layout.h>

enum {
	TL_RETENTION_STEPS = 40, /* of 2^(-1/4) each: down to 1/1024 */
	/* Bursts get shorter down to this part, then farther apart. */
	TL_RETENTION_LENGTH_PART = 8,
	TL_RETENTION_MEMORY_MS = 1000, /* of the measured rates */
	TL_RETENTION_CALM_MS = 2000,   /* time of room before a step up */
	TL_RETENTION_SHORT_MS = 2000,  /* time without room before a raise */
	/* time of room before the base is lowered */
	TL_RETENTION_ROOM_MS = 5000,
	TL_RETENTION_BACKOFF_MAX = 64 /* limit of the factor of that time */
};

struct tl_retention_plan {
	uint64_t keep_ns;
	uint64_t length_ns;  /* of a burst, as configured */
	uint64_t period_ns;  /* 0: no bursts */
	uint8_t burst_level; /* level drawn most often */
	uint8_t base_max;    /* limit of raising the priority; 0: never */
};

/* Sums of one lane, which fade. */
struct tl_retention_lane {
	uint64_t entries; /* entries that the lane holds */
	uint64_t head;    /* at the last reading */
	double qq, qb, bb, qn, bn;
	double base_rate; /* entries per second */
	double burst_rate;
};

struct tl_retention {
	struct tl_retention_plan plan;
	struct tl_retention_lane *lanes;
	size_t lane_count;
	uint64_t last_ns;
	bool begun;
	unsigned step;           /* of burst time; 0: as configured */
	uint64_t calm_since_ns;  /* start of the wish for another step; or 0 */
	uint64_t short_since_ns; /* start of no room for the base; or 0 */
	uint64_t room_since_ns;  /* start of room for the level below; or 0 */
	uint64_t raised_at_ns;
	uint64_t lowered_at_ns;
	unsigned backoff;
	uint8_t wanted_base; /* base without retention control */
	uint8_t base;        /* current base */
	/* By level: the share of room needed before and after the priority was
	 * raised from the level. */
	double rate_before[TIMELINE_LEVEL_NONE + 1];
	double rate_after[TIMELINE_LEVEL_NONE + 1];
};

/* A reading of a lane. */
struct tl_retention_reading {
	uint64_t entries;
	uint64_t head;
};

/* Initialise for a fixed lane_count.  Returns 0 or -ENOMEM. */
int tl_retention_init(struct tl_retention *retention, size_t lane_count);
void tl_retention_free(struct tl_retention *retention);
/* Change the plan; measured rates are kept. */
void tl_retention_configure(struct tl_retention *retention,
    const struct tl_retention_plan *plan);
/* Set the base that the user, or another process, chose. */
void tl_retention_want(struct tl_retention *retention, uint8_t base);

/*
 * Read the lanes at now_ns; bursts were open for burst_ns since the last
 * reading.  Readings with an earlier time are ignored.
 */
void tl_retention_read(struct tl_retention *retention,
    const struct tl_retention_reading *readings, uint64_t now_ns,
    uint64_t burst_ns);
/* Decide, a few times a second: sets step and base to the values to apply. */
void tl_retention_decide(struct tl_retention *retention, uint64_t now_ns);

/* The part of the configured burst time to use: 0 to 1. */
double tl_retention_scale(const struct tl_retention *retention);
uint64_t tl_retention_length(const struct tl_retention *retention);
uint64_t tl_retention_period(const struct tl_retention *retention);

#endif
