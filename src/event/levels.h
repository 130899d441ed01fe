/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.h - which levels were open over time, computed from the entries.
 *
 * Every change of the levels by a priority or a burst is an entry.  The caller
 * feeds a state the entries of one timeline, oldest first.  The state reports
 * each window of time in which the levels were constant:
 *
 *	struct tl_level_state state;
 *
 *	tl_level_init(&state, closed, context);
 *	tl_level_begin(&state, base, base, ns, 0);	(if they are known)
 *	while (tl_cursor_next(cursor, &event) > 0)
 *		tl_level_put(&state, &event, until_ns);
 *	tl_level_end(&state, now_ns);
 *
 * The windows are of the levels alone: slots and gates of single messages are
 * in observe.h.  A burst ends at the stamp in its entry or with the next
 * change, whichever comes first.
 */
#ifndef TL_EVENT_LEVELS_H
#define TL_EVENT_LEVELS_H

#include "event/event.h"

enum { TL_LEVEL_GATES = TIMELINE_LEVEL_MAX + 1 };

/* A window of time in which the levels were constant.  joined is set when a
 * change of the levels ended a burst early; merged is set when the burst began
 * inside another burst. */
struct tl_level_window {
	int64_t from_ns;
	int64_t to_ns;
	uint8_t threshold; /* lowest level that is logged; 0: unknown */
	uint8_t base;      /* lowest level without a burst; 0: unknown */
	bool burst;        /* a burst was open */
	bool sample;       /* the burst was a sample of a schedule */
	bool merged;
	bool joined;
	uint32_t pid; /* process that began the burst; 0: unknown */
};

/* Called with each window after the window has ended.  Returns 0, or -errno,
 * which tl_level_put returns. */
typedef int
tl_level_closed(void *context, const struct tl_level_window *window);

/*
 * A change that was logged and is not confirmed yet.  Writers of version 2.2
 * set TIMELINE_UNTIL_BEFORE in the entry of a change, log the entry before the
 * change, and log a confirmation after the change: such a change opens nothing
 * before its confirmation.
 */
struct tl_level_claim {
	bool waits; /* for a confirmation */
	uint32_t pid;
	uint32_t tid;
	uint64_t args[3];
};

struct tl_level_state {
	tl_level_closed *closed; /* may be NULL */
	void *context;
	struct tl_level_window window;  /* to_ns is the end of a burst */
	struct tl_level_window claimed; /* window of the last change */
	struct tl_level_claim claim;
	bool begun;   /* the start of the window is known */
	bool changed; /* the state has seen a change */
	uint64_t bursts;
	uint64_t merged_bursts;
	uint64_t samples; /* bursts that are samples */
};

void tl_level_init(struct tl_level_state *state, tl_level_closed *closed,
    void *context);
/* Set the levels from ns on; level 0 is unknown.  until_ns is the end of an
 * open burst, or 0.  Returns 0, or -errno of closed. */
int tl_level_begin(struct tl_level_state *state, uint8_t threshold,
    uint8_t base, int64_t ns, int64_t until_ns);
/* Put the next entry, of any kind.  until_ns is the time of the stamp in the
 * entry's third argument (tl_level_end_stamp); only changes of levels use
 * until_ns.  Returns 0, or -errno of closed. */
int tl_level_put(struct tl_level_state *state, const struct tl_event *event,
    int64_t until_ns);
/* End the input at now_ns: report the open window, and a burst that has ended.
 * Returns 0, or -errno of closed. */
int tl_level_end(struct tl_level_state *state, int64_t now_ns);

/* Can n be a level?  An entry with any other number is damaged. */
static inline bool
tl_level_is_valid(uint64_t n)
{
	return n >= TIMELINE_LEVEL_MIN && n <= TIMELINE_LEVEL_NONE;
}

/* Keep an entry that changes the levels as the last change. */
void tl_level_claim(struct tl_level_claim *claim, const struct tl_event *event);
/* Does a confirmation belong to the last change?  Each change is confirmed only
 * once. */
bool
tl_level_confirms(struct tl_level_claim *claim, const struct tl_event *event);

/* Did a writer log the change that confirms its changes? */
static inline bool
tl_level_is_before(const struct tl_event *event)
{
	return event->args[2] & TIMELINE_UNTIL_BEFORE;
}

/* Does an entry change the levels? */
static inline bool
tl_level_is_change(const struct tl_event *event)
{
	return event->message &&
	       (event->message->builtin == TIMELINE_BUILTIN_PRIORITY ||
		   event->message->builtin == TIMELINE_BUILTIN_BURST);
}

/* Is the burst of a change a sample of a schedule?  Since version 2.2 the end
 * of a burst tells the kind, in the entry of a priority, too. */
static inline bool
tl_level_is_sample(const struct tl_event *event)
{
	return tl_level_is_before(event)
		   ? event->args[2] >> TIMELINE_UNTIL_SHIFT & 1
		   : event->args[3] != 0;
}

/* The first stamp after the burst that a change opens.  Writers store the end
 * of a burst in units of 2^TIMELINE_UNTIL_SHIFT ticks, and the last unit
 * belongs to the burst. */
static inline uint64_t
tl_level_end_stamp(const struct tl_event *event)
{
	const uint64_t rest = (UINT64_C(1) << TIMELINE_UNTIL_SHIFT) - 1;

	return event->args[2] > UINT64_MAX - rest - 1
		   ? UINT64_MAX
		   : (event->args[2] | rest) + 1;
}

/* The entry of a plan of slots. */
struct tl_plan_entry {
	uint8_t level; /* first level that the plan's share opens */
	uint8_t shift; /* a slot is 2^shift ticks */
	bool held;     /* in force since the entry before */
	uint32_t share;
	uint32_t epoch;
	uint64_t seed;
	uint64_t lease; /* a stamp; 0: the plan is over */
};

/* Does a plan with this share and seed open the slot? */
static inline bool
tl_slot_is_open(uint64_t slot, uint32_t share, uint64_t seed)
{
	return timeline_slot_hash(slot, seed) < share;
}

/* Read the entry of a plan.  Returns false if the entry is damaged. */
static inline bool
tl_plan_read(const struct tl_event *event, struct tl_plan_entry *plan)
{
	const uint64_t *args = event->args;

	*plan = (struct tl_plan_entry){ .level = (uint8_t)args[0],
		.shift = args[0] >> TIMELINE_PLAN_SHIFT & 63,
		.held = args[0] >> TIMELINE_PLAN_HELD & 1,
		.share = (uint32_t)args[1],
		.epoch = event->epoch,
		.seed = args[2],
		.lease = args[3] };
	return plan->level >= TIMELINE_LEVEL_MIN &&
	       plan->level <= TIMELINE_LEVEL_MAX && args[1] <= UINT32_MAX;
}

#endif
