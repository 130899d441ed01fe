/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.h - the slots that a plan opened, and totals from these slots.
 *
 * Writers open slots of time by a hash of their number (timeline(5)), so a
 * reader can compute the open slots to the tick.  The plan is logged a few
 * times a second:
 *
 *	plan A ------ A held ------ A held --- B new ------ B held
 *	       in force      in force      ?         in force
 *
 * The time between two entries is sampled time only if the second entry
 * confirms that the plan was held.  A slot that touches a change of the levels,
 * a burst or a loss is not sampled time.  A window is an open slot in sampled
 * time.  The choice of slots does not depend on when a thread runs, so the
 * scheduler cannot influence the choice.
 *
 * A total covers the time from the first entry of a plan to the last.  The
 * total is the number of entries that base and bursts let in, plus the rate in
 * windows times the rest of the time.  The starved share is the share of the
 * time that is not sampled time.
 */
#ifndef TL_DUMP_STATS_SLOTS_H
#define TL_DUMP_STATS_SLOTS_H

#include "event/levels.h"

enum {
	/* Neighbouring windows are combined into this many groups.  The
	 * interval comes from the differences between the groups. */
	TL_SLOT_GROUPS = 40
};

/* One state of a plan, or the time between two states. */
struct tl_slot_plan {
	int64_t from_ns;
	int64_t to_ns;
	uint64_t from; /* stamps */
	uint64_t to;
	uint64_t seed;
	uint8_t shift;
	uint32_t pid;
	uint32_t epoch;
	uint32_t shares[TL_LEVEL_GATES]; /* by gate */
	uint8_t last_level; /* the last level in the entries of the plan */
	bool held;
	bool over; /* no plan is in force from now on */
};

struct tl_slot_loss {
	int64_t from_ns;
	int64_t to_ns;
};

/* Starts from all zeros. */
struct tl_slots {
	/* in order, with the times in which the plans were in force */
	struct tl_slot_plan *plans;
	size_t count;
	size_t capacity;
	struct tl_slot_loss *losses;
	size_t loss_count;
	size_t loss_capacity;
	struct tl_slot_plan state; /* the state by the newest entries */
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

/* Add the next entry of a plan, oldest first; add a time in which entries were
 * lost.  0 or -ENOMEM. */
int tl_slots_put(struct tl_slots *slots, const struct tl_event *event);
int tl_slots_lose(struct tl_slots *slots, int64_t from_ns, int64_t to_ns);
void tl_slots_free(struct tl_slots *slots);

/* The windows that slots opened for each gate within the time range. */
struct tl_slot_samples {
	const struct tl_slots *slots;
	const struct tl_level_window *windows; /* of the levels */
	size_t window_count;
	int64_t from_ns; /* first entry of a plan, or the start of the range */
	int64_t to_ns;   /* last entry of a plan, or the end of the range */
	double length_s[TL_LEVEL_GATES][TL_SLOT_GROUPS];
	/* time in which base or burst opened the gate */
	double open_s[TL_LEVEL_GATES];
	double known_s;
	double starved; /* share of the time */
	uint64_t count[TL_LEVEL_GATES];
};

void tl_slot_samples_init(struct tl_slot_samples *samples,
    const struct tl_slots *slots, const struct tl_level_window *windows,
    size_t window_count, int64_t from_ns, int64_t to_ns);

/* The counts of one message.  Starts from all zeros. */
struct tl_slot_tally {
	double *seen; /* by group; NULL: none yet */
	double open;
};

/* Count an entry of a message with a gate.  0 or -ENOMEM. */
int tl_slot_tally_put(struct tl_slot_tally *tally,
    const struct tl_slot_samples *samples, unsigned gate, int64_t ns,
    uint64_t stamp);
void tl_slot_tally_free(struct tl_slot_tally *tally);

struct tl_slot_total {
	uint64_t slots;  /* windows; 0: no slot opened the gate */
	double starved;  /* as in tl_slot_samples */
	bool known;      /* there are slots, and the plan was not starved */
	bool interval;   /* rate_low and rate_high are set */
	double rate;     /* entries a second */
	double rate_low; /* with a confidence of 95 % */
	double rate_high;
	double seconds; /* the count is rate * seconds */
};

void tl_slot_total(struct tl_slot_total *total,
    const struct tl_slot_samples *samples, const struct tl_slot_tally *tally,
    unsigned gate);

#endif
