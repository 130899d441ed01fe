/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - the observer, shared by the files that make it.
 *
 *	../observe.c	levels, intervals, and the next event
 *	gates.c		gates of single messages
 *	slots.c		plans of slots
 *	back.c		newest first
 */
#ifndef TL_EVENT_OBSERVE_WORK_H
#define TL_EVENT_OBSERVE_WORK_H

#include "event/observe.h"

/* == observe.c == */

/* Gates in [from, to) begin a new interval. */
void
tl_observe_renumber(struct tl_observer *observer, unsigned from, unsigned to);
bool tl_observe_is_open(const struct tl_observer *observer, unsigned gate);
/* The last interval of the gates in [from, to) ends. */
void tl_observe_close(struct tl_observer *observer, unsigned from, unsigned to,
    uint64_t tsc);
/* Gates that are open now, in [from, to), begin an interval. */
void tl_observe_open(struct tl_observer *observer, unsigned from, unsigned to,
    uint64_t tsc);
/* A gate begins anew: what was open before was not so for all its messages. */
void tl_observe_cut(struct tl_observer *observer, unsigned gate, uint64_t tsc);
/* The base before a change, as far as its entry shows it. */
unsigned tl_observe_base_before(const struct tl_event *event);
/* Before this, entries of changes may be missing, and the levels at the start are
 * those that were in force then. */
bool tl_observe_is_incomplete(const struct tl_observer *observer,
    const struct tl_event *event);
bool tl_observe_is_damaged(const struct tl_event *event);
void tl_observe_forward(struct tl_observer *observer, struct tl_event *event);

/* == gates.c == */

/* Only the named messages changed their gates since then. */
void tl_observe_begin_named(struct tl_observer *observer);
/* Any gate may have changed. */
void
tl_observe_any_gate(struct tl_observer *observer, const struct tl_event *event);
void
tl_observe_level(struct tl_observer *observer, const struct tl_event *event);
/* Entries are missing, perhaps of changes. */
void tl_observe_lose_claims(struct tl_observer *observer);
const struct tl_named_gate *
tl_observe_find_named(const struct tl_observer *observer, uint32_t message);

static inline const struct tl_named_gates *
tl_observe_gates(const struct tl_observer *observer)
{
	return observer->loaded ? observer->loaded : &observer->gates;
}

/* What is known of a message that entries name; NULL: nothing.  Mostly none is
 * named. */
static inline const struct tl_named_gate *
tl_observe_named(const struct tl_observer *observer, uint32_t message)
{
	return tl_observe_gates(observer)->count == 0
		   ? NULL
		   : tl_observe_find_named(observer, message);
}

/* == slots.c == */

void
tl_observe_plan(struct tl_observer *observer, const struct tl_plan_entry *plan);
/* The interval of a slot: that of the slot asked for before, if no slot between
 * the two is closed. */
uint64_t tl_observe_slot_number(struct tl_observer *observer, unsigned gate,
    const struct tl_event *event);
/* Count the open slots up to a stamp, of gates that levels closed all that
 * time. */
void tl_observe_count_slots(struct tl_observer *observer, uint64_t tsc);
/* The run of open slots that a stamp lies in; an empty one where it lies in
 * none. */
void tl_observe_slots_at(struct tl_observer *observer, unsigned gate,
    uint64_t tsc, struct tl_observed *observed);

/* == back.c == */

/* Bring in force what was so at an event. */
void tl_observe_find_state(struct tl_observer *observer,
    const struct tl_event *event);
/* The next event of a recording, newest first. */
void tl_observe_back(struct tl_observer *observer, struct tl_event *event);

#endif
