/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sorter.h - keep events, and yield them in order of time.
 *
 * A reader yields events in the order of its input.  The store sorts the
 * events, and yields them oldest or newest first, any number of times.  Beyond
 * a budget of memory the store spills sorted runs to a temporary file without a
 * name.
 */
#ifndef TL_EVENT_SORTER_H
#define TL_EVENT_SORTER_H

#include "event/merge.h"

struct tl_store;

enum {
	TL_STORE_MEMORY_MAX = 64 << 20,
	/* for readers that do not read all events */
	TL_STORE_MEMORY_LITTLE = 1 << 20
};

/* memory_max is the budget in bytes; sorting needs twice as much.  Returns 0 or
 * -ENOMEM. */
int tl_store_new(struct tl_store **store, size_t memory_max);
/* Keep the order of the input also where the whole input runs from new to old.
 * Call this before the first event. */
void tl_store_keep_order(struct tl_store *store);
void tl_store_free(struct tl_store *store);

/* The sink that takes the events.  Finish the sink before the first cursor; no
 * event can be put after finish. */
struct tl_sink *tl_store_sink(struct tl_store *store);

/* The number of events. */
uint64_t tl_store_count(const struct tl_store *store);
/* Set *ns to the time of the newest event that is not TL_LOST.  Returns 0, or
 * -ENODATA if there is no such event. */
int tl_store_newest(const struct tl_store *store, int64_t *ns);

/*
 * All events in order of time.  Events of equal time keep the order of the
 * input, or are reversed if the whole input ran from new to old; newest first
 * is the exact reverse of oldest first.  source is 0.  The messages of the
 * events must outlive the cursor.
 */
int tl_store_cursor(struct tl_store *store, enum tl_order order,
    struct tl_cursor **cursor);

#endif
