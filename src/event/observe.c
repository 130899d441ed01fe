/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.c - number the observed intervals of each gate.
 *
 * State per gate and tier is one number.  A change of the levels gives new
 * numbers to the gates that it opens or closes.
 */
#include "event/observe.h"

#include "event/levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of slots: apart from those of intervals. */
#define SLOT_NUMBER (UINT64_C(1) << 63)

void
tl_observer_init(struct tl_observer *o, const struct tl_observed_start *start)
{
	*o = (struct tl_observer){ .start = *start,
		.threshold = start->base,
		.base = start->base,
		.count = 1,
		.run = UINT64_MAX,
		.slot = UINT64_MAX };
	for (unsigned t = 0; t < TIMELINE_TIERS_MAX; t++)
		for (unsigned g = 0; g < TL_OBSERVED_GATES; g++)
			o->numbers[t][g] = o->count;
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

	if (level < TIMELINE_LEVEL_MIN || level > TIMELINE_LEVEL_MAX ||
	    share > UINT32_MAX) /* damaged */
		return;
	o->shift = event->args[0] >> 8 & 63;
	o->seed = event->args[2];
	o->lease = event->args[3];
	o->plan_epoch = event->epoch;
	o->has_plan = event->args[3] != 0;
	for (unsigned g = level; g < TL_OBSERVED_GATES; g++)
		o->shares[g] = (uint32_t)share;
	o->slot = o->run = UINT64_MAX;
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
}

/* Newest first: the levels were others before now. */
static void
take_change_back(struct tl_observer *o, const struct tl_event *event)
{
	o->base = (uint8_t)base_before(event);
	renumber(o, 0, o->base ? o->base : TIMELINE_LEVEL_NONE);
}

/* Oldest first: a burst ends by itself. */
static void
expire(struct tl_observer *o, const struct tl_event *event)
{
	if (o->threshold >= o->base ||
	    is_before(event->epoch, event->tsc, o->until_epoch, o->until))
		return;
	renumber(o, o->threshold, o->base);
	o->threshold = o->base;
}

static bool
is_slot_open(const struct tl_observer *o, unsigned gate, uint64_t slot)
{
	return timeline_slot_hash(slot, o->seed) < o->shares[gate];
}

/* The interval of a slot: the first of its run of open slots. */
static uint64_t
slot_number(struct tl_observer *o, unsigned gate, const struct tl_event *event)
{
	const uint64_t slot = timeline_slot(event->tsc, o->shift);
	uint64_t first = slot;

	if (!o->has_plan || event->epoch != o->plan_epoch ||
	    o->shares[gate] == 0 ||
	    (o->start.order == TL_OLDEST_FIRST && event->tsc > o->lease) ||
	    !is_slot_open(o, gate, slot))
		return TL_UNOBSERVED;
	while (slot - first < TL_SLOTS_JOINED_MAX && first > 0 &&
	       is_slot_open(o, gate, first - 1))
		first--;
	return SLOT_NUMBER | first;
}

/* The gate of a message at the time of the event is not recorded: the one that
 * is open less often. */
static unsigned
gate_of(const struct tl_message *message)
{
	const unsigned level = message->level, gate = message->gate;

	if (gate >= TL_OBSERVED_GATES)
		return TIMELINE_LEVEL_NONE;
	return gate == TIMELINE_LEVEL_OFF || (level != 0 && level < gate)
		   ? level
		   : gate;
}

static uint64_t
number_of(struct tl_observer *o, const struct tl_event *event)
{
	const unsigned gate = gate_of(event->message);
	const unsigned tier =
	    o->start.tiers > 1 ? event->lane % o->start.tiers : 0;
	const struct tl_observed_from *from = &o->start.complete_from[tier];
	/* newest first, lower gates are open in bursts that are not read yet */
	const unsigned open =
	    o->start.order == TL_OLDEST_FIRST ? o->threshold : o->base;

	if (event->message->timer) /* one entry has both ends of a span */
		return TL_OBSERVED;
	if (is_before(event->epoch, event->tsc, from->epoch, from->tsc))
		return TL_UNOBSERVED;
	if (open != 0 && gate >= open)
		return o->numbers[tier][gate];
	if (o->has_plan)
		return slot_number(o, gate, event);
	return o->start.order == TL_OLDEST_FIRST ? TL_UNOBSERVED
						 : o->numbers[tier][gate];
}

void
tl_observe(struct tl_observer *o, struct tl_event *event)
{
	event->observed = TL_OBSERVED;
	if (!event->message) /* a loss */
		return;
	if (o->start.order == TL_OLDEST_FIRST)
		expire(o, event);
	event->observed = number_of(o, event);
	switch (event->message->builtin) {
	case TIMELINE_BUILTIN_PRIORITY:
	case TIMELINE_BUILTIN_BURST:
		if (!is_level(event->args[0]) || !is_level(event->args[1]))
			break; /* damaged */
		if (o->start.order == TL_OLDEST_FIRST)
			take_change(o, event);
		else
			take_change_back(o, event);
		break;
	case TIMELINE_BUILTIN_LEVEL:
		renumber(o, 0, TL_OBSERVED_GATES);
		break;
	case TIMELINE_BUILTIN_PLAN:
		take_plan(o, event);
		break;
	default:
		break;
	}
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
