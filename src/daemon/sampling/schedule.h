/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h - when the next sample starts and which level it has: pure, with
 * the time as an argument and a generator of its own.
 *
 * From one beginning to the next it is a period, more or less: each distance
 * is drawn uniformly and independently, so that after a few samples all phases
 * of a periodic program are equally likely.  The level is drawn independently,
 * too: each next one is `rarer` times less likely.
 */
#ifndef TL_DAEMON_SAMPLING_SCHEDULE_H
#define TL_DAEMON_SAMPLING_SCHEDULE_H

#include "daemon/config/config.h"

/* Between the end of a burst and the next: its end is rounded up to units of
 * the levels word. */
enum { TL_SCHEDULE_GAP_NS = 20000 };

struct tl_schedule {
	struct tl_config_bursts plan;
	uint64_t length_ns; /* as it is just now */
	uint64_t period_ns;
	uint64_t at_ns; /* the next beginning */
	uint64_t random;
};

/* A good number of the kernel's, for a seed. */
uint64_t tl_schedule_seed(void);
/* The first sample begins within a period of now_ns. */
void tl_schedule_init(struct tl_schedule *schedule,
    const struct tl_config_bursts *plan, uint64_t seed, uint64_t now_ns);
/* From the next distance on bursts have this length and distance. */
void tl_schedule_pace(struct tl_schedule *schedule, uint64_t length_ns,
    uint64_t period_ns);
/* It is now_ns and the one at at_ns was begun, or is left out: draws the next
 * at_ns, behind its end.  Those that were missed are not made up. */
void tl_schedule_next(struct tl_schedule *schedule, uint64_t now_ns);
/* The level of a burst. */
uint8_t tl_schedule_level(struct tl_schedule *schedule);

#endif
