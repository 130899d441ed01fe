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
 * clocks[i] says which clock the stamps of cursor i count: two of the same
 * clock (the same boot of one machine) merge by epoch and raw stamp, others
 * by ns.  The order of the events of one cursor is never changed.  Sets
 * event.source to i.  0 or -ENOMEM (the cursors are closed then, too).
 *
 * Events of one time stand in the order of their cursors, the lower i first
 * when newest first and last when oldest first: where every cursor is itself
 * in order of time, one order is the other turned round.  A cursor that
 * failed is given up, its error returned once; calling next again goes on
 * with the others.  When all have said 0, next says 0; calling it again asks
 * them all again, so that cursors that follow live files can be merged.
 */
int tl_merge_new(struct tl_cursor **cursor, struct tl_cursor *const *cursors,
    const unsigned *clocks, size_t count, enum tl_order order);

#endif
