/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.c - number the observed intervals of each gate.
 *
 * State per gate and tier is one number.  A change of the levels gives new
 * numbers to the gates that it opens or closes.
 *
 * Oldest first there is the last interval of each gate, too, for questions about
 * what did not happen.  A gate that levels close may be open in slots.
 */
#include "event/observe.h"

#include "event/levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
tl_observer_init(struct tl_observer *o, const struct tl_observed_start *start)
{
	*o = (struct tl_observer){ .start = *start,
		.threshold = start->base,
		.base = start->base,
		.count = 1 };
	for (unsigned t = 0; t < TIMELINE_TIERS_MAX; t++)
		for (unsigned g = 0; g < TL_OBSERVED_GATES; g++)
			o->numbers[t][g] = o->count;
	for (unsigned g = 0; g < TL_OBSERVED_GATES; g++)
		o->runs[g].slot = UINT64_MAX;
	if (start->lease == 0)
		return;
	o->has_plan = true;
	o->shift = start->lease & 63;
	o->lease = start->lease;
	o->seed = start->seed;
	o->plan_epoch = start->epoch;
	memcpy(o->shares, start->shares, sizeof(start->shares));
}

/* Gates in [from, to) begin a new interval. */
static void
renumber(struct tl_observer *o, unsigned from, unsigned to)
{
	o->count++;
	for (unsigned t = 0; t < TIMELINE_TIERS_MAX; t++)
		for (unsigned g = from; g < to; g++)
			o->numbers[t][g] = o->count;
}

static bool
is_before(uint32_t epoch, uint64_t tsc, uint32_t than_epoch, uint64_t than_tsc)
{
	return epoch != than_epoch ? epoch < than_epoch : tsc < than_tsc;
}

/* == intervals == */

static bool
is_open(const struct tl_observer *o, unsigned gate)
{
	return !o->blind && o->threshold != 0 && gate >= o->threshold;
}

/* The last interval of the gates in [from, to) ends. */
static void
close_gates(struct tl_observer *o, unsigned from, unsigned to, uint64_t tsc)
{
	for (unsigned g = from; g < to; g++) {
		if (!is_open(o, g))
			continue;
		if (tsc < o->since[g])
			tsc = o->since[g];
		o->ticks[g] += tsc - o->since[g];
		o->to[g] = tsc;
	}
}

/* Gates that are open now, in [from, to), begin an interval. */
static void
open_gates(struct tl_observer *o, unsigned from, unsigned to, uint64_t tsc)
{
	for (unsigned g = from; g < to; g++)
		if (is_open(o, g))
			o->since[g] = tsc;
}

/* The first event or question of an epoch: nothing is known of the time
 * before. */
static void
begin_epoch(struct tl_observer *o, uint32_t epoch, uint64_t tsc)
{
	if (o->begun)
		close_gates(o, 0, TL_OBSERVED_GATES, o->last);
	o->begun = true;
	o->epoch = epoch;
	o->last = o->slots_to = tsc;
	open_gates(o, 0, TL_OBSERVED_GATES, tsc);
}

/* == changes == */

static bool
is_level(uint64_t n)
{
	return n >= TIMELINE_LEVEL_MIN && n <= TIMELINE_LEVEL_NONE;
}

static void
take_plan(struct tl_observer *o, const struct tl_event *event)
{
	const unsigned level = event->args[0] & UINT8_MAX;
	const uint64_t share = event->args[1];
	const uint8_t shift = event->args[0] >> 8 & 63;
	/* Renewed before its lease was over, or the entry of another level. */
	const bool held = (event->args[0] >> 16 & 1) && o->has_plan &&
			  shift == o->shift && event->args[2] == o->seed &&
			  event->epoch == o->plan_epoch;

	if (level < TIMELINE_LEVEL_MIN || level > TIMELINE_LEVEL_MAX ||
	    share > UINT32_MAX) /* damaged */
		return;
	if (o->start.order == TL_NEWEST_FIRST) {
		/* It says what was in force before, unless it is the first. */
		o->plan_unknown = event->args[3] == 0;
		if (o->plan_unknown || !(event->args[0] >> 16 & 1)) {
			o->has_plan = false;
			return;
		}
	}
	o->shift = shift;
	o->seed = event->args[2];
	o->lease = event->args[3];
	o->plan_epoch = event->epoch;
	o->has_plan = event->args[3] != 0;
	for (unsigned g = level; g < TL_OBSERVED_GATES; g++) {
		if (held && share <= o->shares[g])
			continue;
		if (!held)
			o->runs[g].slot = UINT64_MAX;
		o->shares[g] = (uint32_t)share;
	}
}

/* The base before a change, as far as its entry shows it. */
static unsigned
base_before(const struct tl_event *event)
{
	return event->message->builtin == TIMELINE_BUILTIN_BURST
		   ? (unsigned)event->args[1]
		   : 0;
}

/* Oldest first: the levels change from now on. */
static void
take_change(struct tl_observer *o, const struct tl_event *event)
{
	const unsigned threshold = (unsigned)event->args[0];
	const unsigned base = (unsigned)event->args[1];
	const unsigned before = o->threshold;

	close_gates(o, 0, threshold, event->tsc);
	if (base_before(event) > o->base) {
		/* the levels at the start were unknown or taken for open */
		renumber(o, 0, base_before(event));
	} else if (threshold != before) {
		renumber(o, threshold < before ? threshold : before,
		    threshold < before ? before : threshold);
	}
	o->threshold = (uint8_t)threshold;
	o->base = (uint8_t)base;
	o->until = tl_level_end_stamp(event);
	o->until_epoch = event->epoch;
	open_gates(o, threshold, before ? before : TL_OBSERVED_GATES,
	    event->tsc);
}

/* Oldest first: the gates of some messages changed. */
static void
take_gates(struct tl_observer *o, const struct tl_event *event)
{
	close_gates(o, 0, TL_OBSERVED_GATES, event->tsc);
	open_gates(o, 0, TL_OBSERVED_GATES, event->tsc);
}

/* Newest first: the levels were others before now. */
static void
take_change_back(struct tl_observer *o, const struct tl_event *event)
{
	o->base = (uint8_t)base_before(event);
	renumber(o, 0, o->base ? o->base : TIMELINE_LEVEL_NONE);
}

/* == slots == */

static bool
is_slot_open(const struct tl_observer *o, unsigned gate, uint64_t slot)
{
	return timeline_slot_hash(slot, o->seed) < o->shares[gate];
}

/* Does the plan open a gate at a stamp? */
static bool
is_in_slot(const struct tl_observer *o, unsigned gate, uint32_t epoch,
    uint64_t tsc)
{
	return o->has_plan && !o->blind && epoch == o->plan_epoch &&
	       o->shares[gate] != 0 &&
	       (o->start.order != TL_OLDEST_FIRST || tsc <= o->lease) &&
	       is_slot_open(o, gate, timeline_slot(tsc, o->shift));
}

/* The first of a run of open slots. */
static uint64_t
first_of_run(const struct tl_observer *o, unsigned gate, uint64_t slot)
{
	uint64_t first = slot;

	while (slot - first < TL_SLOTS_JOINED_MAX && first > 0 &&
	       is_slot_open(o, gate, first - 1))
		first--;
	return first;
}

/* Are all slots between two open?  Not where they are too many to look. */
static bool
is_run(const struct tl_observer *o, unsigned gate, uint64_t one, uint64_t other)
{
	const uint64_t last = one > other ? one : other;
	uint64_t slot = one > other ? other : one;

	if (last - slot > TL_SLOTS_JOINED_MAX)
		return false;
	while (slot < last)
		if (!is_slot_open(o, gate, slot++))
			return false;
	return true;
}

/* The interval of a slot: that of the slot asked for before, if no slot between
 * the two is closed. */
static uint64_t
slot_number(struct tl_observer *o, unsigned gate, const struct tl_event *event)
{
	const uint64_t slot = timeline_slot(event->tsc, o->shift);

	if (!is_in_slot(o, gate, event->epoch, event->tsc))
		return TL_UNOBSERVED;
	if (!is_run(o, gate, slot, o->runs[gate].slot))
		o->runs[gate].number = ++o->count;
	o->runs[gate].slot = slot;
	return o->runs[gate].number;
}

/* Count the time of one slot, or of what is left of it. */
static void
count_slot(struct tl_observer *o, uint64_t ticks)
{
	const uint32_t hash =
	    timeline_slot_hash(timeline_slot(o->slots_to, o->shift), o->seed);

	for (unsigned g = TIMELINE_LEVEL_MIN;
	     g < TL_OBSERVED_GATES && !is_open(o, g); g++)
		o->slot_ticks[g] += hash < o->shares[g] ? ticks : 0;
}

/* Count the open slots up to a stamp, of gates that levels closed all that
 * time. */
static void
count_slots(struct tl_observer *o, uint64_t tsc)
{
	const uint64_t size = UINT64_C(1) << o->shift;
	uint64_t to = tsc;

	if (o->counts_slots && o->has_plan && !o->blind &&
	    o->epoch == o->plan_epoch) {
		if (to > o->lease)
			to = o->lease;
		while (o->slots_to < to) {
			const uint64_t rest = size - o->slots_to % size;
			const uint64_t ticks =
			    to - o->slots_to < rest ? to - o->slots_to : rest;

			count_slot(o, ticks);
			o->slots_to += ticks;
		}
	}
	if (o->slots_to < tsc)
		o->slots_to = tsc;
}

/* A burst ends by itself. */
static void
expire(struct tl_observer *o, uint32_t epoch, uint64_t tsc)
{
	const uint64_t end = epoch == o->until_epoch ? o->until : o->last;

	if (o->threshold >= o->base ||
	    is_before(epoch, tsc, o->until_epoch, o->until))
		return;
	count_slots(o, end);
	renumber(o, o->threshold, o->base);
	close_gates(o, o->threshold, o->base, end);
	o->threshold = o->base;
}

/* == events == */

/* The gate of a message.  The one at the time of the event is not recorded: the
 * one that is open less often, unless it is known. */
unsigned
tl_observed_gate(const struct tl_observer *o, const struct tl_message *message)
{
	const unsigned level = message->level, gate = message->gate;

	if (gate >= TL_OBSERVED_GATES)
		return TIMELINE_LEVEL_NONE;
	if (o->start.gates)
		return gate;
	return gate == TIMELINE_LEVEL_OFF || (level != 0 && level < gate)
		   ? level
		   : gate;
}

static uint64_t
number_of(struct tl_observer *o, const struct tl_event *event)
{
	const unsigned gate = tl_observed_gate(o, event->message);
	const unsigned tier =
	    o->start.tiers > 1 ? event->lane % o->start.tiers : 0;
	const struct tl_observed_from *from = &o->start.complete_from[tier];
	/* newest first, lower gates are open in bursts that are not read yet */
	const unsigned open =
	    o->start.order == TL_OLDEST_FIRST ? o->threshold : o->base;

	if (event->message->timer) /* one entry has both ends of a span */
		return TL_OBSERVED;
	if (o->blind ||
	    is_before(event->epoch, event->tsc, from->epoch, from->tsc))
		return TL_UNOBSERVED;
	if (open != 0 && gate >= open)
		return o->numbers[tier][gate];
	if (o->plan_unknown)
		return TL_UNOBSERVED;
	if (o->has_plan &&
	    (o->start.order == TL_OLDEST_FIRST || event->tsc <= o->lease))
		return slot_number(o, gate, event);
	return o->start.order == TL_OLDEST_FIRST ? TL_UNOBSERVED
						 : o->numbers[tier][gate];
}

/* Oldest first: time has passed up to an event. */
static void
pass(struct tl_observer *o, const struct tl_event *event)
{
	expire(o, event->epoch, event->tsc);
	if (!o->begun || event->epoch != o->epoch)
		begin_epoch(o, event->epoch, event->tsc);
	if (event->tsc > o->last)
		o->last = event->tsc;
}

void
tl_observe(struct tl_observer *o, struct tl_event *event)
{
	const bool forward = o->start.order == TL_OLDEST_FIRST;

	event->observed = TL_OBSERVED;
	if (!event->message) /* a loss */
		return;
	if (forward)
		pass(o, event);
	event->observed = number_of(o, event);
	if (forward && event->message->builtin != TIMELINE_BUILTIN_NONE)
		count_slots(o, event->tsc);
	switch (event->message->builtin) {
	case TIMELINE_BUILTIN_PRIORITY:
	case TIMELINE_BUILTIN_BURST:
		if (!is_level(event->args[0]) || !is_level(event->args[1]))
			break; /* damaged */
		if (forward)
			take_change(o, event);
		else
			take_change_back(o, event);
		break;
	case TIMELINE_BUILTIN_LEVEL:
		renumber(o, 0, TL_OBSERVED_GATES);
		if (forward)
			take_gates(o, event);
		break;
	case TIMELINE_BUILTIN_PLAN:
		take_plan(o, event);
		break;
	default:
		break;
	}
}

void
tl_observe_loss(struct tl_observer *o)
{
	count_slots(o, o->last);
	close_gates(o, 0, TL_OBSERVED_GATES, o->last);
	o->blind = true;
}

void
tl_observe_again(struct tl_observer *o)
{
	o->blind = false;
	o->begun = false; /* the next event begins */
	renumber(o, 0, TL_OBSERVED_GATES);
}

/* The run of open slots that a stamp lies in; an empty one where it lies in
 * none. */
static void
slots_at(struct tl_observer *o, unsigned gate, uint64_t tsc,
    struct tl_observed *observed)
{
	count_slots(o, tsc);
	observed->ticks += o->slot_ticks[gate];
	if (observed->open || !is_in_slot(o, gate, o->epoch, tsc))
		return;
	observed->open = true;
	observed->since = first_of_run(o, gate, timeline_slot(tsc, o->shift))
			  << o->shift;
	if (observed->since < observed->to)
		observed->since = observed->to;
	observed->to = tsc;
}

void
tl_observed_at(struct tl_observer *o, unsigned gate, uint64_t tsc,
    struct tl_observed *observed)
{
	if (tsc < o->last)
		tsc = o->last;
	expire(o, o->epoch, tsc);
	if (!o->begun)
		begin_epoch(o, o->epoch, tsc);
	*observed = (struct tl_observed){ .open = is_open(o, gate),
		.since = o->since[gate],
		.to = o->to[gate],
		.ticks = o->ticks[gate] };
	if (observed->open) {
		observed->to = tsc > observed->since ? tsc : observed->since;
		observed->ticks += observed->to - observed->since;
	}
	o->counts_slots = true;
	if (o->has_plan)
		slots_at(o, gate, tsc, observed);
}

struct observe_cursor {
	struct tl_cursor cursor; /* first: what callers hold */
	struct tl_cursor *inner;
	struct tl_observer observer;
};

static int
observe_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct observe_cursor *c = (struct observe_cursor *)(void *)cursor;
	const int rc = tl_cursor_next(c->inner, event);

	if (rc > 0)
		tl_observe(&c->observer, event);
	return rc;
}

static void
observe_close(struct tl_cursor *cursor)
{
	struct observe_cursor *c = (struct observe_cursor *)(void *)cursor;

	tl_cursor_close(c->inner);
	free(c);
}

int
tl_observe_recording(enum tl_order order, struct tl_cursor **cursor)
{
	const struct tl_observed_start start = { .order = order,
		.tiers = 1,
		.base = order == TL_OLDEST_FIRST ? TIMELINE_LEVEL_MIN : 0 };

	return tl_observe_cursor(&start, *cursor, cursor);
}

int
tl_observe_cursor(const struct tl_observed_start *start,
    struct tl_cursor *inner, struct tl_cursor **cursor)
{
	struct observe_cursor *c = calloc(1, sizeof(*c));

	if (!c) {
		tl_cursor_close(inner);
		return -ENOMEM;
	}
	c->cursor.next = observe_next;
	c->cursor.close = observe_close;
	c->inner = inner;
	tl_observer_init(&c->observer, start);
	*cursor = &c->cursor;
	return 0;
}
