/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate.h - keep the line from stamps to wall time in a live file.
 *
 * Every process that creates, attaches, defines, sets a priority or saves
 * measures a point; points that lie on one straight line are forgotten, the
 * corners become knots that never change.  No process waits here, or holds a
 * lock that another process waits for: a process that finds the tail busy goes
 * on without it.
 */
#ifndef TL_CLOCK_CALIBRATE_H
#define TL_CLOCK_CALIBRATE_H

#include "base/ns.h"
#include "clock/clock.h"

#include <stdbool.h>
#include <timeline_layout.h>

enum {
	TL_CALIBRATE_TOLERANCE_NS = 15, /* nearer points are forgotten */
	TL_CALIBRATE_READS_MAX = 64,    /* tries to read the tail */
	TL_CALIBRATE_PERIOD_NS = TL_NS_PER_S
};
/* How late a daemon that keeps the clock may be before other processes
 * calibrate. */
#define TL_CALIBRATE_KEPT_NS UINT64_C(3000000000)

/* The result of tl_calibrate_maybe, _now and _copied: these flags, 0 if nothing
 * was done, or -errno. */
enum {
	TL_CALIBRATE_POINT = 1 << 0, /* a point was added */
	TL_CALIBRATE_KNOT = 1 << 1,  /* one or more knots were committed */
	TL_CALIBRATE_STEP = 1 << 2,  /* the wall clock was set */
	/* The counter began again: the caller writes an epoch record. */
	TL_CALIBRATE_EPOCH = 1 << 3,
	TL_CALIBRATE_BUSY = 1 << 4 /* another process calibrates */
};

/* The caller's parts, which the caller has checked: knots_max comes from the
 * private copy of the geometry, source is tl_clock_source(clock_kind).
 * suspect: the kernel no longer trusts the counter; all later points are marked
 * as suspect. */
struct tl_calibrate {
	struct timeline_header *header;
	struct timeline_knot *knots;
	uint32_t knots_max;
	const struct tl_clock_source *source;
	bool suspect;
};

/* Calibrate at creation, before the file has its name: find the rate, set
 * tsc_khz, rate_source and the tail, and commit the first knot.  Returns 0 or
 * -errno. */
int tl_calibrate_first(const struct tl_calibrate *calibrate);
/* Like tl_calibrate_now, but do nothing if the tail is younger than a second,
 * or younger than three seconds while a living daemon keeps the clock.  A
 * counter that became suspect is marked at once, unless a daemon keeps the
 * clock. */
int tl_calibrate_maybe(const struct tl_calibrate *calibrate);
/* Take a point and add it; in a new epoch if the file comes from another boot.
 * save calls this right before it copies: the tail is then the closing point of
 * the snapshot. */
int tl_calibrate_now(const struct tl_calibrate *calibrate, bool new_epoch);

/* Like tl_calibrate_now, on a private copy of a live file's header and knots: a
 * tail that was copied while it was written is dropped for the last knot. */
int tl_calibrate_copied(const struct tl_calibrate *calibrate);

/* Append a knot, and set its number, its seq and the count.  The caller holds
 * the tail or is alone. */
void tl_calibrate_commit(const struct tl_calibrate *calibrate,
    const struct timeline_knot *knot);

/* The number of ticks in ns, by the newest rate of the file, rounded up. */
uint64_t tl_calibrate_ticks(const struct timeline_header *header, uint64_t ns);

/* Copy the whole tail.  Returns 0, or -EAGAIN if the tail stayed busy; then its
 * sequence is odd, and readers ignore the tail. */
int tl_calibrate_read(const struct timeline_header *header,
    struct timeline_clock_tail *tail);

#endif
