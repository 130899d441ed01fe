/* SPDX-License-Identifier: Apache-2.0 */
/*
 * back.c - observe newest first.
 *
 * All changes of a file are known in advance.  The observer keeps the state
 * after each change.
 */
#include "event/observe/work.h"

#include <errno.h>
#include <stdlib.h>

/* The state in force from one change to the next. */
struct tl_observed_state {
	/* The place of the change among all events. */
	struct tl_observed_from at;
	uint32_t lane;
	uint64_t entry;
	struct tl_observed_now now;
	struct tl_named_gates *gates; /* may be shared with the state before */
};

bool
tl_observed_is_change(const struct tl_message *message)
{
	switch (message->builtin) {
	case TIMELINE_BUILTIN_PRIORITY:
	case TIMELINE_BUILTIN_BURST:
	case TIMELINE_BUILTIN_FORCE:
	case TIMELINE_BUILTIN_LEVEL:
	case TIMELINE_BUILTIN_PLAN:
		return true;
	default:
		return false;
	}
}

/* The gates after a change: a copy if the change may affect gates, otherwise
 * the gates of the state before. */
static struct tl_named_gates *
copy_gates(const struct tl_observer *o, const struct tl_event *change)
{
	struct tl_named_gates *gates;

	if (o->state_count > 0 &&
	    (!change->message ||
		change->message->builtin != TIMELINE_BUILTIN_LEVEL))
		return o->states[o->state_count - 1].gates;
	if ((gates = malloc(sizeof(*gates))))
		*gates = o->gates;
	return gates;
}

/* Keep the state after a change.  0 or -ENOMEM. */
static int
keep(struct tl_observer *o, const struct tl_event *change)
{
	struct tl_named_gates *const gates = copy_gates(o, change);

	if (!gates)
		return -ENOMEM;
	o->state = o->state_count++;
	o->states[o->state] =
	    (struct tl_observed_state){ .at = tl_observed_place(change),
		    .lane = change->lane,
		    .entry = change->number,
		    .now = o->now,
		    .gates = gates };
	return 0;
}

int
tl_observer_init_back(struct tl_observer *o,
    const struct tl_observed_start *start, size_t count)
{
	const struct tl_event none = { 0 };

	tl_observer_init(o, start);
	o->states = malloc((count + 1) * sizeof(*o->states));
	if (!o->states)
		return -ENOMEM;
	return keep(o, &none);
}

int
tl_observe_ahead(struct tl_observer *o, struct tl_event *change)
{
	if (!change->message) {
		tl_observe_lose_claims(o);
		return 0;
	}
	tl_observe_forward(o, change);
	return keep(o, change);
}

int
tl_observe_missing_ahead(struct tl_observer *o, const struct tl_event *place,
    bool begins)
{
	tl_observe_missing(o, place->lane, begins);
	return keep(o, place);
}

void
tl_observer_free(struct tl_observer *o)
{
	for (size_t i = 0; i < o->state_count; i++)
		if (i == 0 || o->states[i].gates != o->states[i - 1].gates)
			free(o->states[i].gates);
	free(o->states);
	o->states = NULL;
}

/* Is the change before the event in the order of a file's events? */
static bool
is_change_before(const struct tl_observed_state *s,
    const struct tl_event *event)
{
	if (s->at.epoch != event->epoch || s->at.tsc != event->tsc)
		return tl_observed_before(s->at, tl_observed_place(event));
	if (s->lane != event->lane)
		return s->lane < event->lane;
	return s->entry < event->number;
}

/* Load the state in force at the event. */
void
tl_observe_find_state(struct tl_observer *o, const struct tl_event *event)
{
	size_t i = o->state;

	while (i + 1 < o->state_count &&
	       is_change_before(&o->states[i + 1], event))
		i++;
	while (i > 0 && !is_change_before(&o->states[i], event))
		i--;
	if (i != o->state) {
		tl_observe_forget(o);
		o->state = i;
		o->now = o->states[i].now;
		o->loaded = o->states[i].gates;
	}
}

/* == a recording == */

/* Number an event of a recording.  Bursts whose entries are not read yet may
 * have opened the gates below the base. */
static uint64_t
number_back(struct tl_observer *o, const struct tl_event *event)
{
	const unsigned gate = tl_observed_gate(o, event->message);

	if (!tl_observe_is_kept(o, event))
		return TL_UNOBSERVED;
	if (o->now.base != 0 && gate >= o->now.base)
		return o->now.numbers[gate];
	if (o->plan_unknown)
		return TL_UNOBSERVED;
	return o->now.has_plan ? tl_observe_slot_number(o, gate, event)
			       : o->now.numbers[gate];
}

void
tl_observe_back(struct tl_observer *o, struct tl_event *event)
{
	const struct tl_named_gate *named =
	    tl_observe_named(o, event->message->id);
	struct tl_plan_entry plan;
	uint64_t number = number_back(o, event);

	if (named && number != TL_UNOBSERVED)
		number |= named->change << TL_CHANGE_SHIFT;
	tl_observe_set(event, number);
	switch (event->message->builtin) {
	case TIMELINE_BUILTIN_PRIORITY:
	case TIMELINE_BUILTIN_BURST:
		if (tl_observe_is_damaged(event))
			break;
		o->now.base = (uint8_t)tl_observe_base_before(event);
		tl_observe_renumber(o, 0,
		    o->now.base ? o->now.base : TIMELINE_LEVEL_NONE);
		break;
	case TIMELINE_BUILTIN_FORCE:
		if (!tl_observe_is_damaged(event))
			tl_observe_renumber(o, 0, (unsigned)event->args[1]);
		break;
	case TIMELINE_BUILTIN_LEVEL:
		tl_observe_level_back(o, event);
		break;
	case TIMELINE_BUILTIN_PLAN:
		if (tl_plan_read(event, &plan)) {
			const bool is_over = plan.lease == 0;
			const bool is_said = is_over && plan.held &&
					     plan.seed == o->now.seed &&
					     plan.shift == o->now.shift;

			/* Restore the state before the entry of a plan.  The
			 * entry shows that state, unless the entry is the first
			 * of its plan.  The last one does not show the shares,
			 * but the end of the recording may say them. */
			o->plan_unknown = is_over && !is_said;
			if (is_said) {
				o->now.has_plan = true;
				o->now.plan_epoch = event->epoch;
				o->now.lease = event->tsc;
				o->now.plan = ++o->count;
			} else if (plan.held && !is_over)
				tl_observe_plan(o, &plan);
			else
				o->now.has_plan = false;
		}
		break;
	default:
		break;
	}
}
