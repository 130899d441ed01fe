/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_clock.h - the clock of a snapshot that is being written: the knots
 * of the timeline that its events come from, or a line of its own.
 */
#ifndef TL_SNAP_WRITE_CLOCK_H
#define TL_SNAP_WRITE_CLOCK_H

#include "snap/snap.h"

/* The first bit of a stamp that counts from the least int64_t. */
#define TL_TIMELINE_BIAS ((uint64_t)1 << 63)

struct tl_timeline_clock {
	struct timeline_knot knots[TIMELINE_KNOTS_MAX]; /* by slot */
	uint32_t knots_max;                             /* slots */
};

/* The knots as a snapshot has them; header has its clock already. */
void tl_timeline_clock_copy(struct tl_timeline_clock *clock,
    const struct tl_snap *snap, struct timeline_header *header);

/*
 * Stamps are Unix time, from oldest to newest ns: as it is, or if oldest is
 * before 1970, counted from the least int64_t.  error_ns is the bound of the
 * error of each.
 */
void tl_timeline_clock_make(struct tl_timeline_clock *clock, int64_t oldest_ns,
    int64_t newest_ns, uint32_t error_ns, struct timeline_header *header);
static inline uint64_t
tl_timeline_clock_bias(int64_t oldest_ns)
{
	return oldest_ns < 0 ? TL_TIMELINE_BIAS : 0;
}

/* Of several timelines of one clock the one that tells stamps from oldest to
 * newest with the least error; of equals, that which was measured last. */
const struct tl_snap *
tl_timeline_clock_choose(const struct tl_snap *const *snaps, size_t count,
    const struct tl_event *oldest, const struct tl_event *newest);

#endif
