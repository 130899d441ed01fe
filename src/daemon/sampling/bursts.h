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

#endif
