/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h - several cursors as one, in order of time.
 */
#ifndef TL_EVENT_MERGE_H
#define TL_EVENT_MERGE_H

#include "event/cursor.h"

enum tl_order { TL_NEWEST_FIRST, TL_OLDEST_FIRST };

/*
 * Merge count cursors, all of the given order, into one that owns them.
 * clocks[i] says which clock the stamps of cursor i count: those of the same
 * clock (the same boot of one machine) merge by epoch and raw stamp, and what
 * comes of that with those of other clocks by ns.  The order of the events of
 * one clock is never changed by another.  Sets event.source to i.  0 or
 * -ENOMEM (the cursors are closed then, too).
 *
 * Events of one time stand in the order of their clocks (each stands where
 * its first cursor does), those of one clock in the order of their cursors,
 * the lower first when newest first and last when oldest first: where every
 * cursor is itself in order of time, one order is the other turned round.  A
 * cursor that failed is given up, its error returned once; calling next again
 * goes on with the others.  When all have said 0, next says 0; calling it
 * again asks them all again, so that cursors that follow live files can be
 * merged.
 */
int tl_merge_new(struct tl_cursor **cursor, struct tl_cursor *const *cursors,
    const unsigned *clocks, size_t count, enum tl_order order);

/*
 * Have a merge, before its first event, set event.overlaps of what may have
 * happened before or after an event of another clock: the interval of ns plus
 * and minus error_ns and sync_us has a point in common with one of another
 * clock's.  An event whose sync_us is TL_SYNC_UNBOUNDED overlaps, and says
 * nothing of those of the others.  With one clock nothing overlaps.
 *
 * Of every two events that overlap at least one is marked, and both where
 * neither times nor the lower ends of intervals of a clock (newest first:
 * the upper) ever go back: as much as can be told without looking further
 * ahead than the next event of each clock.
 */
void tl_merge_mark_overlaps(struct tl_cursor *merge);

#endif
