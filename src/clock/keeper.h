/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.h - one timeline's clock, kept: points go in, the tail in
 * the file moves, knots are committed.
 *
 * Reads no clock but the one it is given, and never waits.  The keeper takes
 * the tail's lock for each point, as every process does.  When another process
 * worked a point in meanwhile (the keeper was stopped for seconds), or
 * its last owner died at it, the next point goes by the common rule, the cone
 * of clock/calibrate.c, and the keeper takes over from there.
 */
#ifndef TL_CLOCK_KEEPER_H
#define TL_CLOCK_KEEPER_H

#include "clock/calibrate_tail.h"
#include "clock/knots.h"

/* Facts about the time since the last point. */
struct tl_keep_news {
	bool was_set;   /* the wall clock was set */
	bool sees_set;  /* a change would have been noticed */
	bool slept;     /* the machine did */
	bool restarted; /* the counter belongs to another boot */
	bool suspect;   /* it does not go with the kernel's raw clock */
};

struct tl_keeper {
	struct tl_calibrate calibrate;
	struct tl_knots knots;
	struct timeline_clock_tail tail; /* as it was left */
	uint32_t sequence;               /* of the lock, then */
	bool keeping;
	/* the totals */
	uint64_t points;
	uint64_t committed;
	uint64_t steps;
	uint64_t epochs;
	bool busy;
	bool bent; /* the rate changed before the newest point */
};

void
tl_keeper_init(struct tl_keeper *keeper, const struct tl_calibrate *calibrate);
/* Work a point in.  Flags as of tl_calibrate_now: BUSY, the point is not worked
 * in and its news are to be reported again; EPOCH, publish a record; or
 * -errno. */
int tl_keeper_point(struct tl_keeper *keeper,
    const struct tl_clock_point *point, const struct tl_keep_news *news);
/* Leave the clock to others, after pending points were committed. */
void tl_keeper_leave(struct tl_keeper *keeper);

#endif
