/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate.h - keep the line from stamps to wall time in a live file.
 *
 * Whoever creates, attaches, defines, sets a priority or saves measures a
 * point; points that lie on one straight line are forgotten, the corners
 * become knots that never change.  No process waits here, nor holds a lock that
 * another waits for: a process that finds the tail busy goes on without.
 */
#ifndef TL_CLOCK_CALIBRATE_H
#define TL_CLOCK_CALIBRATE_H

#include "base/ns.h"
#include "clock/clock.h"

#include <stdbool.h>
#include <timeline_layout.h>

enum {
	TL_CALIBRATE_TOLERANCE_NS = 15, /* points this near are forgotten */
	TL_CALIBRATE_READS_MAX = 64,    /* tries to read the tail */
	TL_CALIBRATE_PERIOD_NS = TL_NS_PER_S
};
/* A daemon that keeps the clock may be so late before others do it. */
#define TL_CALIBRATE_KEPT_NS UINT64_C(3000000000)

/* The result of _maybe, _now and _epoch: flags; 0: nothing; -errno. */
enum {
	TL_CALIBRATE_POINT = 1 << 0, /* a point was worked in */
	TL_CALIBRATE_KNOT = 1 << 1,  /* one or more knots were committed */
	TL_CALIBRATE_STEP = 1 << 2,  /* the wall clock had been set */
	TL_CALIBRATE_EPOCH = 1 << 3, /* the counter began again: the caller
				      * writes an epoch record */
	TL_CALIBRATE_BUSY = 1 << 4   /* another process is at it */
};

/* What the caller owns, checked by it: knots_max comes from its private copy of
 * the geometry, source is tl_clock_source(clock_kind).  suspect: the kernel no
 * longer trusts the counter; all later points are marked with this. */
struct tl_calibrate {
	struct timeline_header *header;
	struct timeline_knot *knots;
	uint32_t knots_max;
	const struct tl_clock_source *source;
	bool suspect;
};

/* At creation, before the file has its name: finds the rate, fills tsc_khz,
 * rate_source and the tail, commits the first knot.  0 or -errno. */
int tl_calibrate_first(const struct tl_calibrate *calibrate);
/* Nothing if the tail is younger than a second, or than three where a living
 * daemon keeps it; else as _now. */
int tl_calibrate_maybe(const struct tl_calibrate *calibrate);
/* Take a point and work it in; in a new epoch if the file comes from another
 * boot.  save calls it right before it copies: the
 * tail is then the closing point of the snapshot. */
int tl_calibrate_now(const struct tl_calibrate *calibrate, bool new_epoch);

/* As _now, on a private copy of a live file's header and knots: a tail that
 * was being written while it was copied is left, the last knot taken. */
int tl_calibrate_copied(const struct tl_calibrate *calibrate);

/* Append a knot: number, seq and the count are set here.  The caller holds
 * the tail (or is alone). */
void tl_calibrate_commit(const struct tl_calibrate *calibrate,
    const struct timeline_knot *knot);

/* How many ticks ns are, by the newest rate of the file (rounded up). */
uint64_t tl_calibrate_ticks(const struct timeline_header *header, uint64_t ns);

/* Copy the tail as one: 0, or -EAGAIN if it stayed busy (tail then has an
 * odd sequence and readers ignore it). */
int tl_calibrate_read(const struct timeline_header *header,
    struct timeline_clock_tail *tail);

#endif
