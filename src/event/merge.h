/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.h - merge several cursors into one, in order of time.
 */
#ifndef TL_EVENT_MERGE_H
#define TL_EVENT_MERGE_H

#include "event/cursor.h"

enum tl_order { TL_NEWEST_FIRST, TL_OLDEST_FIRST };

/*
 * Merge count cursors, all of the given order, into one cursor that owns them.
 * A cursor may be NULL.  clocks[i] is the number of the clock of cursor i.
 * Cursors of one clock (one boot of one machine) merge by epoch and raw stamp;
 * the results merge across clocks by ns.  Events of another clock never change
 * the order of the events of one clock.  event.source is set to i.  clocks
 * NULL: each cursor has a clock of its own, and event.source stays.  Returns 0,
 * or -ENOMEM after closing the cursors.
 *
 * Events of equal time are ordered by clock; a clock has the place of its first
 * cursor.  Events of equal time and one clock are ordered by cursor: the lower
 * index comes first when newest first, and last when oldest first.  If every
 * cursor is in order of time, one order is thus the reverse of the other.
 *
 * next returns the error of a cursor once; the next call continues with the
 * other cursors.  When all cursors are at the end, next returns 0; the next
 * call tries all cursors again, so that cursors of live files can be merged.
 */
int tl_merge_new(struct tl_cursor **cursor, struct tl_cursor *const *cursors,
    const unsigned *clocks, size_t count, enum tl_order order);

/*
 * Make a merge set event.overlaps.  Call the function before the first event.
 * An event overlaps when its order relative to an event of another clock is
 * unknown: the intervals of ns plus and minus error_ns and sync_us intersect.
 * An event whose sync_us is TL_SYNC_UNBOUNDED always overlaps, and does not
 * make other events overlap.  With one clock no event overlaps.
 *
 * The merge reads ahead one event of each clock.  Therefore at least one of two
 * overlapping events is marked.  Both events are marked if neither the times
 * nor the lower ends (newest first: the upper ends) of a clock's intervals go
 * back.
 */
void tl_merge_mark_overlaps(struct tl_cursor *merge);

#endif
