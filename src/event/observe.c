/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.c - number the observed intervals of each gate.
 *
 * The state of a gate is one number.  A change of the levels gives new numbers
 * to the gates that it opens or closes.  An observer keeps the state in force
 * in tl_observed_now.  Oldest first, tl_observed_now is the present state.
 * Newest first, tl_observed_now is loaded with the state after the last change
 * before the event (observe/back.c).
 *
 * A writer logs the entry of a change before the change, and the writer may
 * have been stopped or killed in between.  Therefore a gate that the change
 * closes counts as closed from the entry on, and a gate that the change opens
 * counts as open from the confirmation on.  Writers before version 2.2 log no
 * confirmation; their changes open gates at once.  A confirmation counts only
 * if no other change was logged since its entry, because the other change may
 * have been made before or after.
 *
 * Oldest first, an observer also keeps the last interval of each gate, for
 * questions about silence.  A gate that the levels close may still be open in
 * slots.
 */
#include "event/observe.h"

#include "base/word.h"
#include "event/observe/work.h"

#include <errno.h>
#include <stdlib.h>

/* == runs of events == */

void
tl_observe_forget(struct tl_observer *o)
{
	for (unsigned i = 0; i < TL_OBSERVED_RUNS; i++)
		o->known[i].class = 0;
}

static unsigned
tier_of(const struct tl_observer *o, uint32_t lane)
{
	const uint32_t tiers = o->start.tiers;

	/* a division would cost more than the rest of the function */
	if ((tiers & (tiers - 1)) == 0)
		return tiers ? lane & (tiers - 1) : 0;
	return lane % tiers;
}

/* What the number of an event depends on besides the place of the event: all
 * that tl_observed_gate() reads of a message that is not builtin, and the
 * tier.  The owner of a message may set its gates. */
static uint64_t
class_of(const struct tl_observer *o, const struct tl_event *event)
{
	const struct tl_message *m = event->message;
	const uint64_t id = tl_observe_gates(o)->count > 0 ? m->id : 0;

	return id << 32 | (uint64_t)tl_load_8(&m->gate) << 24 |
	       (uint64_t)m->level << 16 | (uint64_t)m->first_gate << 8 |
	       tier_of(o, event->lane) << 2 | (unsigned)m->regated << 1 | 1;
}

static struct tl_observed_run *
run_of(struct tl_observer *o, uint64_t class)
{
	return &o->known[class * UINT64_C(0x9e3779b97f4a7c15) >> 60];
}

/* == intervals == */

/* Begin a new interval of the gates in [from, to). */
void
tl_observe_renumber(struct tl_observer *o, unsigned from, unsigned to)
{
	o->count++;
	for (unsigned g = from; g < to; g++)
		o->now.numbers[g] = o->count;
}

bool
tl_observe_is_open(const struct tl_observer *o, unsigned gate)
{
	return !o->blind && o->now.threshold != 0 && gate >= o->now.threshold;
}

/* End the last interval of the open gates in [from, to). */
static void
close_gates(struct tl_observer *o, unsigned from, unsigned to, uint64_t tsc)
{
	for (unsigned g = from; g < to; g++) {
		if (!tl_observe_is_open(o, g))
			continue;
		if (tsc < o->since[g])
			tsc = o->since[g];
		o->ticks[g] += tsc - o->since[g];
		o->to[g] = tsc;
	}
}

/* Begin an interval of those gates in [from, to) that are open now. */
static void
open_gates(struct tl_observer *o, unsigned from, unsigned to, uint64_t tsc)
{
	for (unsigned g = from; g < to; g++)
		if (tl_observe_is_open(o, g))
			o->since[g] = tsc;
}

void
tl_observe_cut(struct tl_observer *o, unsigned gate, uint64_t tsc)
{
	if (tsc < o->since[gate])
		tsc = o->since[gate];
	close_gates(o, gate, gate + 1, tsc);
	o->since[gate] = o->to[gate] = tsc;
}

/* Begin an epoch at its first event or question.  Nothing is known of the time
 * before. */
static void
begin_epoch(struct tl_observer *o, uint32_t epoch, uint64_t tsc)
{
	if (o->begun)
		close_gates(o, 0, TL_OBSERVED_GATES, o->last);
	tl_observe_forget(o);
	o->begun = true;
	o->epoch = epoch;
	o->last = o->slots_to = tsc;
	open_gates(o, 0, TL_OBSERVED_GATES, tsc);
}

/* == changes == */

/* The base before a change, or 0 if the entry does not show the base. */
unsigned
tl_observe_base_before(const struct tl_event *event)
{
	return event->message->builtin == TIMELINE_BUILTIN_BURST
		   ? (unsigned)event->args[1]
		   : 0;
}

/* Change the levels at the event. */
static void
take_change(struct tl_observer *o, const struct tl_event *event)
{
	const unsigned threshold = (unsigned)event->args[0];
	const unsigned base = (unsigned)event->args[1];
	const unsigned before = o->now.threshold;

	close_gates(o, 0, threshold, event->tsc);
	if (tl_observe_base_before(event) > o->now.base) {
		/* The base is higher than the base that was assumed at the
		 * start. */
		tl_observe_renumber(o, 0, tl_observe_base_before(event));
	} else if (threshold != before) {
		tl_observe_renumber(o, threshold < before ? threshold : before,
		    threshold < before ? before : threshold);
	}
	o->now.threshold = (uint8_t)threshold;
	o->now.base = (uint8_t)base;
	o->now.until = tl_level_end_stamp(event);
	o->now.until_epoch = event->epoch;
	open_gates(o, threshold, before ? before : TL_OBSERVED_GATES,
	    event->tsc);
}

/* Is the event before the time from which all entries of changes are kept?  The
 * levels at the start are the levels that were in force at that time, so the
 * observer ignores earlier changes. */
bool
tl_observe_is_incomplete(const struct tl_observer *o,
    const struct tl_event *event)
{
	const unsigned keep = o->start.tiers > 1 ? o->start.tiers - 1 : 0;

	return tl_observed_before(tl_observed_place(event),
	    o->start.complete_from[keep]);
}

static uint8_t
higher(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/* Oldest first: a change was logged that may not have been made yet.  A gate
 * counts as open only if it is open before and after the change. */
static void
narrow(struct tl_observer *o, const struct tl_event *event)
{
	const uint8_t to = (uint8_t)event->args[0];
	const uint8_t base = (uint8_t)event->args[1];
	const uint64_t until = tl_level_end_stamp(event);
	const bool lasts = o->now.threshold < o->now.base;
	const uint8_t before =
	    higher(o->now.base, (uint8_t)tl_observe_base_before(event));
	const uint8_t threshold = higher(lasts ? o->now.threshold : before, to);

	if (o->now.threshold == 0) /* unknown */
		return;
	close_gates(o, o->now.threshold, threshold, event->tsc);
	if (threshold > o->now.threshold)
		tl_observe_renumber(o, o->now.threshold, threshold);
	if (to < base && (!lasts || until < o->now.until ||
			     o->now.until_epoch != event->epoch)) {
		o->now.until = until;
		o->now.until_epoch = event->epoch;
	}
	o->now.threshold = threshold;
	o->now.base = higher(before, base);
}

/* Is the last burst over at a stamp? */
static bool
is_burst_over(const struct tl_observer *o, uint32_t epoch, uint64_t tsc)
{
	const struct tl_observed_from now = { epoch, tsc };
	const struct tl_observed_from over = { o->now.until_epoch,
		o->now.until };

	return o->now.threshold < o->now.base && !tl_observed_before(now, over);
}

bool
tl_observed_expires(const struct tl_observer *o, const struct tl_event *event)
{
	return is_burst_over(o, event->epoch, event->tsc);
}

/* End a burst that is over.  Gates that the burst opened get a new number at
 * their next opening. */
static void
expire(struct tl_observer *o, uint32_t epoch, uint64_t tsc)
{
	const uint64_t end =
	    epoch == o->now.until_epoch ? o->now.until : o->last;

	if (!is_burst_over(o, epoch, tsc))
		return;
	tl_observe_forget(o);
	tl_observe_count_slots(o, end);
	close_gates(o, o->now.threshold, o->now.base, end);
	o->now.threshold = o->now.base;
}

/* == numbers == */

void
tl_observe_missing(struct tl_observer *o, uint32_t lane, bool begins)
{
	const unsigned tier = tier_of(o, lane);

	tl_observe_forget(o);
	if (begins) {
		o->now.missing[tier]++;
		return;
	}
	o->now.missing[tier] -= o->now.missing[tier] > 0;
	o->now.losses[tier] = ++o->count;
	tl_observe_lose_claims(o);
}

bool
tl_observe_is_kept(const struct tl_observer *o, const struct tl_event *event)
{
	const unsigned tier = tier_of(o, event->lane);

	return !o->blind && o->now.missing[tier] == 0 &&
	       !tl_observed_before(tl_observed_place(event),
		   o->start.complete_from[tier]);
}

/* The number of a gate's interval at the event. */
static uint64_t
gate_number(struct tl_observer *o, const struct tl_event *event, unsigned gate)
{
	const unsigned open = is_burst_over(o, event->epoch, event->tsc)
				  ? o->now.base
				  : o->now.threshold;

	if (open != 0 && gate >= open)
		return o->now.numbers[gate];
	return o->now.has_plan ? tl_observe_slot_number(o, gate, event)
			       : TL_UNOBSERVED;
}

uint64_t
tl_observe_number(struct tl_observer *o, const struct tl_event *event)
{
	const unsigned gate = tl_observed_gate(o, event->message);
	const struct tl_named_gate *named;
	uint64_t number, last;

	if (!tl_observe_is_kept(o, event))
		return TL_UNOBSERVED;
	number = gate_number(o, event, gate);
	if (number == TL_UNOBSERVED)
		return number;
	/* Intervals of a message also end at losses and at changes of the
	 * message's gate. */
	last = o->now.losses[tier_of(o, event->lane)];
	if ((named = tl_observe_named(o, event->message->id)) &&
	    named->change > last)
		last = named->change;
	return number | last << TL_CHANGE_SHIFT;
}

void
tl_observer_init(struct tl_observer *o, const struct tl_observed_start *start)
{
	*o = (struct tl_observer){ .start = *start,
		.now = start->now,
		.count = 1 };
	if (o->now.base == 0)
		o->now.threshold = o->now.base = start->base;
	if (o->now.has_plan)
		o->now.plan = ++o->count;
	for (unsigned g = 0; g < TL_OBSERVED_GATES; g++)
		o->now.numbers[g] = o->count;
	for (uint32_t i = 0; i < start->plan_count; i++)
		tl_observe_plan(o, &start->plan[i]);
	o->gates.unnamed = start->named_gates.unnamed;
	if (o->gates.unnamed == 0)
		tl_observe_begin_named(o);
}

/* == oldest first == */

bool
tl_observe_is_damaged(const struct tl_event *event)
{
	return !tl_level_is_valid(event->args[0]) ||
	       !tl_level_is_valid(event->args[1]);
}

/* Take a change that was logged.  A priority does not show the base before: any
 * gate may be open again that was closed before. */
static void
take_claim(struct tl_observer *o, const struct tl_event *event)
{
	if (tl_observe_is_incomplete(o, event))
		return;
	if (o->start.guessed && !o->changed && !tl_observe_base_before(event))
		tl_observe_renumber(o, 0, TL_OBSERVED_GATES);
	tl_level_claim(&o->claim, event);
	if (tl_level_is_before(event))
		narrow(o, event);
	else
		take_change(o, event);
	o->changed = true;
}

void
tl_observe_forward(struct tl_observer *o, struct tl_event *event)
{
	struct tl_plan_entry plan;

	/* advance the time to the event */
	expire(o, event->epoch, event->tsc);
	if (!o->begun || event->epoch != o->epoch)
		begin_epoch(o, event->epoch, event->tsc);
	if (event->tsc > o->last)
		o->last = event->tsc;
	tl_observe_set(event, tl_observe_number(o, event));
	if (event->message->builtin == TIMELINE_BUILTIN_NONE)
		return;
	tl_observe_forget(o);
	tl_observe_count_slots(o, event->tsc);
	switch (event->message->builtin) {
	case TIMELINE_BUILTIN_PRIORITY:
	case TIMELINE_BUILTIN_BURST:
		if (!tl_observe_is_damaged(event))
			take_claim(o, event);
		break;
	case TIMELINE_BUILTIN_FORCE:
		if (tl_observe_is_damaged(event))
			break;
		/* A confirmation without a claim, before any change, belongs to
		 * a writer that logged its entry before the first event. */
		if (tl_level_confirms(&o->claim, event))
			take_change(o, event);
		else if (!o->changed && !tl_observe_is_incomplete(o, event))
			narrow(o, event);
		break;
	case TIMELINE_BUILTIN_LEVEL:
		tl_observe_level(o, event);
		break;
	case TIMELINE_BUILTIN_PLAN:
		if (tl_plan_read(event, &plan))
			tl_observe_plan(o, &plan);
		break;
	default:
		break;
	}
}

/* == events == */

/* Keep a run on the side of a place on which an event is. */
static void
bound(struct tl_observed_run *run, struct tl_observed_from place, uint64_t tsc)
{
	const bool is_near =
	    place.epoch == run->epoch && place.tsc - run->from < run->ticks;

	if (is_near && tsc < place.tsc) {
		run->ticks = place.tsc - run->from;
	} else if (is_near) {
		run->ticks -= place.tsc - run->from;
		run->from = place.tsc;
	}
}

/* Keep the number of an event for the events next to it.  Slots may change the
 * number at each stamp. */
static void
remember(struct tl_observer *o, const struct tl_event *event)
{
	const struct tl_message *m = event->message;
	const struct tl_observed_from over = { o->now.until_epoch,
		o->now.until };
	struct tl_observed_run run = { .class = class_of(o, event),
		.ticks = UINT64_MAX,
		.number = event->stretch,
		.epoch = event->epoch,
		.partial = event->partial };

	if (m->builtin != TIMELINE_BUILTIN_NONE ||
	    (o->now.has_plan &&
		(o->now.base == 0 || tl_observed_gate(o, m) < o->now.base)))
		return;
	bound(&run, o->start.complete_from[tier_of(o, event->lane)],
	    event->tsc);
	bound(&run, o->start.complete_from[0], event->tsc);
	bound(&run, over, event->tsc);
	*run_of(o, run.class) = run;
}

/* Observe an event that does not continue a run. */
static __attribute__((noinline)) void
observe_anew(struct tl_observer *o, struct tl_event *event)
{
	event->observed = event->stretch = TL_OBSERVED;
	event->partial = tl_observed_before(tl_observed_place(event),
	    o->start.complete_from[0]);
	if (!event->message) {
		if (!o->states) /* otherwise known in advance */
			tl_observe_lose_claims(o);
		return;
	}
	if (!o->states && o->start.order == TL_NEWEST_FIRST) {
		tl_observe_back(o, event);
		return;
	}
	if (o->states)
		tl_observe_set(event, tl_observe_number(o, event));
	else
		tl_observe_forward(o, event);
	remember(o, event);
}

void
tl_observe(struct tl_observer *o, struct tl_event *event)
{
	const struct tl_message *m = event->message;
	const struct tl_observed_run *run;
	uint64_t class;

	event->base = o->now.base;
	if (o->states && m)
		tl_observe_find_state(o, event);
	if (!m || m->builtin != TIMELINE_BUILTIN_NONE) {
		observe_anew(o, event);
		return;
	}
	class = class_of(o, event);
	run = run_of(o, class);
	if (run->class != class || run->epoch != event->epoch ||
	    event->tsc - run->from >= run->ticks) {
		observe_anew(o, event);
		return;
	}
	if (event->tsc > o->last)
		o->last = event->tsc;
	event->partial = run->partial;
	tl_observe_set(event, run->number);
}

void
tl_observe_loss(struct tl_observer *o)
{
	tl_observe_forget(o);
	tl_observe_count_slots(o, o->last);
	close_gates(o, 0, TL_OBSERVED_GATES, o->last);
	o->blind = true;
}

void
tl_observe_again(struct tl_observer *o)
{
	tl_observe_forget(o);
	o->blind = false;
	o->begun = false; /* the next event begins an epoch */
	tl_observe_renumber(o, 0, TL_OBSERVED_GATES);
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
	*observed = (struct tl_observed){ .open = tl_observe_is_open(o, gate),
		.since = o->since[gate],
		.to = o->to[gate],
		.ticks = o->ticks[gate] };
	if (observed->open) {
		observed->to = tsc > observed->since ? tsc : observed->since;
		observed->ticks += observed->to - observed->since;
	}
	o->counts_slots = true;
	/* there may have been a plan */
	tl_observe_slots_at(o, gate, tsc, observed);
}

struct observe_cursor {
	struct tl_cursor cursor; /* first: callers hold a pointer to it */
	struct tl_cursor *inner;
	struct tl_observer observer;
	const struct tl_message *messages[];
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
tl_observe_recording(const struct tl_observed_start *said,
    const struct tl_message *const *messages, size_t count,
    struct tl_cursor **cursor)
{
	struct tl_observed_start start = *said;
	struct observe_cursor *c =
	    calloc(1, sizeof(*c) + count * sizeof(c->messages[0]));

	if (!c) {
		tl_cursor_close(*cursor);
		return -ENOMEM;
	}
	/* the list of a chain may move while it is read */
	for (size_t i = 0; i < count; i++)
		c->messages[i] = messages[i];
	start.gates = start.named = true;
	start.messages = c->messages;
	start.message_count = count;
	c->cursor.next = observe_next;
	c->cursor.close = observe_close;
	c->inner = *cursor;
	tl_observer_init(&c->observer, &start);
	*cursor = &c->cursor;
	return 0;
}
