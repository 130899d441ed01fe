/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.h - keep the clock of one timeline: points go in, the tail in the file
 * moves, knots are committed.
 *
 * The keeper reads only the given clock, and never waits.  The keeper takes the
 * tail's lock for each point, as every process does.  If another process added
 * a point meanwhile (the keeper was stopped for seconds), or the last owner of
 * the tail died while writing, the next point goes by the common rule, the cone
 * of clock/calibrate.c, and the keeper takes over from there.
 */
#ifndef TL_CLOCK_KEEPER_H
#define TL_CLOCK_KEEPER_H

#include "clock/calibrate_tail.h"
#include "clock/knots.h"

/* Facts about the time since the last point. */
struct tl_keep_news {
	bool was_set;   /* the wall clock was set */
	bool sees_set;  /* a setting would have been noticed */
	bool slept;     /* the machine slept */
	bool restarted; /* the counter belongs to another boot */
	bool suspect;   /* differs from the kernel's raw clock */
};

struct tl_keeper {
	struct tl_calibrate calibrate;
	struct tl_knots knots;
	struct timeline_clock_tail tail; /* as last written */
	uint32_t sequence;               /* of the lock after that */
	bool keeping;
	/* Totals: */
	uint64_t points;
	uint64_t committed;
	uint64_t steps;
	uint64_t epochs;
	bool busy;
	bool bent; /* the rate changed before the newest point */
};

void
tl_keeper_init(struct tl_keeper *keeper, const struct tl_calibrate *calibrate);
/* Add a point.  Returns the flags of tl_calibrate_now or -errno.  BUSY: the
 * point was not added, and its news must be reported again; EPOCH: the caller
 * publishes a record. */
int tl_keeper_point(struct tl_keeper *keeper,
    const struct tl_clock_point *point, const struct tl_keep_news *news);
/* Commit pending points, and leave the clock to other processes. */
void tl_keeper_leave(struct tl_keeper *keeper);

#endif
