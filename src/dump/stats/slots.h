/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.h - the slots that a plan opened, and totals from them.
 *
 * Writers open slots of time by a hash of their number (timeline(5)), so
 * which ones were open can be worked out again, to the tick.  What is known of
 * the plan stands in its entries, a few a second:
 *
 *	plan A ------ A held ------ A held --- B new ------ B held
 *	       in force      in force      ?         in force
 *
 * Only what lies between two entries of which the second says that the plan
 * was held is sampled time; neither is a slot that touches a change of the
 * levels, a burst or a loss.  A window is an open slot of what is left.
 * Nothing that runs at some time takes part in this, so the scheduler does
 * not, either.
 *
 * An estimate covers the time from the first entry of a plan to the last; of
 * that, the part which is no sampled time is called starved.
 */
#ifndef TL_DUMP_STATS_SLOTS_H
#define TL_DUMP_STATS_SLOTS_H

#include "event/levels.h"

enum {
	/* Neighbours are put together in so many groups; their differences
	 * give the interval. */
	TL_SLOT_GROUPS = 40
};

/* One state of a plan, or the time between two. */
struct tl_slot_plan {
	int64_t from_ns;
	int64_t to_ns;
	uint64_t from; /* stamps */
	uint64_t to;
	uint64_t seed;
	uint8_t shift;
	uint32_t pid;
	uint32_t epoch;
	uint32_t shares[TL_LEVEL_GATES]; /* of each gate */
	uint8_t last_level; /* of the entries it is put together from */
	bool held;
	bool over; /* no plan from here on */
};

struct tl_slot_loss {
	int64_t from_ns;
	int64_t to_ns;
};

/* Starts from all zeros. */
struct tl_slots {
	struct tl_slot_plan *plans; /* times in force, in order */
	size_t count;
	size_t capacity;
	struct tl_slot_loss *losses;
	size_t loss_count;
	size_t loss_capacity;
	struct tl_slot_plan state; /* of the newest entries */
	bool begun;
	int64_t first_ns; /* of all entries of plans */
	int64_t last_ns;
};

static inline bool
tl_slots_is_plan(const struct tl_event *event)
{
	return event->message &&
	       event->message->builtin == TIMELINE_BUILTIN_PLAN;
}

/* The next entry of a plan, oldest first; something was lost between. */
int tl_slots_put(struct tl_slots *slots, const struct tl_event *event);
int tl_slots_lose(struct tl_slots *slots, int64_t from_ns, int64_t to_ns);
void tl_slots_free(struct tl_slots *slots);

/* The windows of each gate that slots have opened, in time of interest. */
struct tl_slot_samples {
	const struct tl_slots *slots;
	const struct tl_level_window *windows; /* of the levels */
	size_t window_count;
	int64_t from_ns; /* first and last entry of a plan, as far as it is */
	int64_t to_ns;   /* of interest */
	double length_s[TL_LEVEL_GATES][TL_SLOT_GROUPS];
	double open_s[TL_LEVEL_GATES]; /* by base or burst */
	double known_s;
	double starved; /* share of the time */
	uint64_t count[TL_LEVEL_GATES];
};

void tl_slot_samples_init(struct tl_slot_samples *samples,
    const struct tl_slots *slots, const struct tl_level_window *windows,
    size_t window_count, int64_t from_ns, int64_t to_ns);

/* Where an entry of a message of this gate belongs: a group, or */
enum {
	TL_SLOT_OPEN = -1,
	/* the base or a burst let it in */ TL_SLOT_NONE = -2
};
int tl_slot_samples_find(const struct tl_slot_samples *samples, unsigned gate,
    int64_t ns, uint64_t stamp);

#endif
