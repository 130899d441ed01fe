/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - the functions that the files of the observer share.
 *
 *	../observe.c	levels, intervals, and the next event
 *	gates.c		gates of single messages
 *	slots.c		plans of slots
 *	back.c		newest first
 *	said.c		the start of a recording, as its file says it
 */
#ifndef TL_EVENT_OBSERVE_WORK_H
#define TL_EVENT_OBSERVE_WORK_H

#include "event/observe.h"

/* The interval number of a message whose gate is named has two parts. */
enum { TL_CHANGE_SHIFT = 32 };

/* == observe.c == */

/* Something changes: forget the runs of events. */
void tl_observe_forget(struct tl_observer *observer);
/* Begin a new interval of the gates in [from, to). */
void
tl_observe_renumber(struct tl_observer *observer, unsigned from, unsigned to);
bool tl_observe_is_open(const struct tl_observer *observer, unsigned gate);
/* Begin the interval of a gate anew, because the gate was not open before for
 * all of its messages. */
void tl_observe_cut(struct tl_observer *observer, unsigned gate, uint64_t tsc);
/* The base before a change, or 0 if the entry does not show the base. */
unsigned tl_observe_base_before(const struct tl_event *event);
/* Is the event before the time from which all entries of changes are kept? */
bool tl_observe_is_incomplete(const struct tl_observer *observer,
    const struct tl_event *event);
/* Were all entries logged at the time of the event kept? */
bool tl_observe_is_kept(const struct tl_observer *observer,
    const struct tl_event *event);
bool tl_observe_is_damaged(const struct tl_event *event);
/* Set the intervals of an event.  The one entry of a timer's span has both
 * ends, so the pair is sure. */
static inline void
tl_observe_set(struct tl_event *event, uint64_t number)
{
	event->stretch = number;
	event->observed = event->message->timer ? TL_OBSERVED : number;
}
void tl_observe_forward(struct tl_observer *observer, struct tl_event *event);

/* == gates.c == */

/* Start with the named gates: from here on, only named messages changed their
 * gates. */
void tl_observe_begin_named(struct tl_observer *observer);
void
tl_observe_level(struct tl_observer *observer, const struct tl_event *event);
/* Restore the gate before an entry, newest first. */
void tl_observe_level_back(struct tl_observer *observer,
    const struct tl_event *event);
/* Entries are missing, perhaps entries of changes. */
void tl_observe_lose_claims(struct tl_observer *observer);
const struct tl_named_gate *
tl_observe_find_named(const struct tl_observer *observer, uint32_t message);

static inline const struct tl_named_gates *
tl_observe_gates(const struct tl_observer *observer)
{
	return observer->loaded ? observer->loaded : &observer->gates;
}

/* The gate of a message that entries name, or NULL.  Most inputs name no
 * message. */
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
/* The number of a slot's interval: the number of the last slot asked for, if no
 * slot between the two is closed. */
uint64_t tl_observe_slot_number(struct tl_observer *observer, unsigned gate,
    const struct tl_event *event);
/* Count the time of open slots up to a stamp, for gates that the levels closed
 * all that time. */
void tl_observe_count_slots(struct tl_observer *observer, uint64_t tsc);
/* The run of open slots around a stamp; an empty interval if the stamp is in no
 * open slot. */
void tl_observe_slots_at(struct tl_observer *observer, unsigned gate,
    uint64_t tsc, struct tl_observed *observed);

/* == back.c == */

/* Load the state in force at the event. */
void tl_observe_find_state(struct tl_observer *observer,
    const struct tl_event *event);
/* Take the next event of a recording, newest first. */
void tl_observe_back(struct tl_observer *observer, struct tl_event *event);

#endif
