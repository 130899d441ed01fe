/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h - the start and the level of the next sample: pure functions, with
 * the time as an argument and a random generator of their own.
 *
 * The distance from one start to the next is about a period: each distance is
 * drawn uniformly and independently, so that after a few samples all phases of
 * a periodic program are equally likely.  The level is drawn independently,
 * too: each next level is `rarer` times less likely.
 */
#ifndef TL_DAEMON_SAMPLING_SCHEDULE_H
#define TL_DAEMON_SAMPLING_SCHEDULE_H

#include "daemon/config/config.h"

/* The least time from the end of a burst to the next burst: the end is rounded
 * up to units of the levels word. */
enum { TL_SCHEDULE_GAP_NS = 20000 };

struct tl_schedule {
	struct tl_config_bursts plan;
	uint64_t length_ns; /* current length */
	uint64_t period_ns;
	uint64_t at_ns; /* the next start */
	uint64_t random;
};

/* A random seed, from the kernel if possible. */
uint64_t tl_schedule_seed(void);
/* Start a schedule.  The first sample begins within a period of now_ns. */
void tl_schedule_init(struct tl_schedule *schedule,
    const struct tl_config_bursts *plan, uint64_t seed, uint64_t now_ns);
/* Change length and distance, from the next distance on. */
void tl_schedule_pace(struct tl_schedule *schedule, uint64_t length_ns,
    uint64_t period_ns);
/* Draw the next at_ns after the sample at at_ns was begun or skipped, at
 * now_ns.  The next sample starts after the end of that burst.  Missed samples
 * are not made up. */
void tl_schedule_next(struct tl_schedule *schedule, uint64_t now_ns);
/* Draw the level of a burst. */
uint8_t tl_schedule_level(struct tl_schedule *schedule);

#endif
