/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sorter.h - events that are kept, to be had in order of time.
 *
 * What a reader yields stands in the order of its input; here it is sorted,
 * and given oldest or newest first, as often as wanted.  Beyond a budget of
 * memory sorted runs are spilled to a temporary file that has no name.
 */
#ifndef TL_EVENT_SORTER_H
#define TL_EVENT_SORTER_H

#include "event/merge.h"

struct tl_store;

enum {
	TL_STORE_MEMORY_MAX = 64 << 20,
	TL_STORE_MEMORY_LITTLE = 1 << 20 /* of who does not read them all */
};

/* memory_max is the budget in bytes; while it is sorted, twice as much is
 * needed.  0 or -ENOMEM. */
int tl_store_new(struct tl_store **store, size_t memory_max);
void tl_store_free(struct tl_store *store);

/* Where events go.  Its finish comes before the first cursor; nothing can be
 * put after it. */
struct tl_sink *tl_store_sink(struct tl_store *store);

/* How many there are. */
uint64_t tl_store_count(const struct tl_store *store);
/* The time of the newest that is no loss; -ENODATA without. */
int tl_store_newest(const struct tl_store *store, int64_t *ns);

/*
 * All events in order of time.  Those of one time stand in the order of the
 * input, or the other way round where all of the input ran from new to old;
 * newest first is oldest first turned round.  source is 0.  The events'
 * messages must still be there.
 */
int tl_store_cursor(struct tl_store *store, enum tl_order order,
    struct tl_cursor **cursor);

#endif
