/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bursts.h - sampling bursts, slots, and retention control of a timeline.
 *
 * A burst shows details of a moment.  No total follows from bursts: a burst
 * begins when the scheduler runs the daemon, and if threads wait for CPUs that
 * moment depends on the actions of the program.  Slots are a fair sample.
 *
 * A burst is one call; writers end the burst by comparing their TSC with the
 * levels word.  Starts are jittered so that they cannot lock onto a period of
 * the program.  The next burst never starts before the last has ended.  If
 * history must be kept (keep_ns) a control loop measures how fast the lanes
 * turn over and scales the time of bursts: down when the ring overwrites too
 * soon, up to the configured time when there is room.
 */
#ifndef TL_DAEMON_SAMPLING_BURSTS_H
#define TL_DAEMON_SAMPLING_BURSTS_H

#include "daemon/config/config.h"

#include <ev.h>

struct tl_bursts;

struct tl_bursts_status {
	uint64_t made;
	uint64_t by_level[TIMELINE_LEVEL_NONE + 1];
	uint64_t skipped;   /* another burst was open */
	uint64_t triggered; /* bursts by tl_bursts_raise */
	double scale;       /* of the time of bursts: 0 .. 1 */
	uint64_t length_ns; /* current length */
	uint64_t period_ns;
	int64_t kept_ns;     /* history that the ring holds now; -1 unknown */
	bool keeps;          /* at least keep_ns, or keep_ns is 0 */
	uint8_t base;        /* priority set by keep; 0: none */
	uint64_t slot_ns;    /* length of slots; 0: no slots */
	double share;        /* of slots that are open now */
	uint64_t starved_ns; /* time without our plan in force */
};

/* Start sampling on the loop.  A config without bursts and keep does nothing
 * until tl_bursts_configure.  seed 0: a seed of the kernel.  tl must outlive
 * the bursts.  Returns 0 or -errno. */
int tl_bursts_new(struct tl_bursts **bursts, struct ev_loop *loop,
    struct timeline *tl, const struct tl_config_timeline *config,
    uint64_t seed);
/* Change the configuration from now on; the scale is kept. */
void tl_bursts_configure(struct tl_bursts *bursts,
    const struct tl_config_timeline *config);
/* Set whether all processes that logged have ended.  Then there is one burst a
 * minute, so that the last entries stay.  A process that logs only what bursts
 * show is noticed by this burst. */
void tl_bursts_set_left(struct tl_bursts *bursts, bool is_left);
/* Begin a burst for a trigger now, which is not a sample.  Returns 0 or the
 * error of timeline_burst. */
int tl_bursts_raise(struct tl_bursts *bursts, uint8_t level, uint64_t ns);
/* The shift of a slot of about this many ticks: the slot has 2^shift ticks. */
unsigned tl_bursts_slot_shift(uint64_t ticks);
void tl_bursts_status(const struct tl_bursts *bursts,
    struct tl_bursts_status *status);
void tl_bursts_free(struct tl_bursts *bursts);

/* == schedule == */

/*
 * The start and the level of the next sample: pure functions, with the time as
 * an argument and a random generator of their own.
 *
 * The distance from one start to the next is about a period: each distance is
 * drawn uniformly and independently, so that after a few samples all phases of
 * a periodic program are equally likely.  The level is drawn independently,
 * too: each next level is `rarer` times less likely.
 */

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
