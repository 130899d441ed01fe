/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.c - number the observed intervals of each gate.
 *
 * State per gate is one number.  A change of the levels gives new numbers to the
 * gates that it opens or closes.  What a number follows from is a state
 * (tl_observed_state).  Oldest first there is the present one.  Newest first the
 * states after all changes are kept, and that of the last change before an event
 * is loaded.
 *
 * The entry of a change is logged before the change, and its writer may have been
 * stopped or killed between the two.  So it closes what it closes, and what it
 * opens is open from its confirmation on.  Entries of writers before version 2.2
 * have none, and open at once.  A confirmation counts if no other change was
 * logged in between: that one may have been made before or after.
 *
 * Oldest first there is the last interval of each gate, too, for questions about
 * what did not happen.  A gate that levels close may be open in slots.
 */
#include "event/observe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The number of an interval of a message that entries name has two parts. */
enum { CHANGE_SHIFT = 32 };

/* Gates in [from, to) begin a new interval. */
static void
renumber(struct tl_observer *o, unsigned from, unsigned to)
{
	o->count++;
	for (unsigned g = from; g < to; g++)
		o->numbers[g] = o->count;
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
take_plan(struct tl_observer *o, const struct tl_plan_entry *plan)
{
	/* Renewed before its lease was over, or the entry of another level. */
	const bool held = plan->held && o->has_plan &&
			  plan->shift == o->shift && plan->seed == o->seed &&
			  plan->epoch == o->plan_epoch;
	bool same = held;

	o->shift = plan->shift;
	o->seed = plan->seed;
	o->lease = plan->lease;
	o->plan_epoch = plan->epoch;
	o->has_plan = plan->lease != 0;
	for (unsigned g = plan->level; g < TL_OBSERVED_GATES; g++)
		if (!held || plan->share > o->shares[g]) {
			o->shares[g] = plan->share;
			same = false;
		}
	if (!same)
		o->plan = ++o->count;
}

/* The base before a change, as far as its entry shows it. */
static unsigned
base_before(const struct tl_event *event)
{
	return event->message->builtin == TIMELINE_BUILTIN_BURST
		   ? (unsigned)event->args[1]
		   : 0;
}

/* The levels change from now on. */
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

/* Before this, entries of changes may be missing, and the levels at the start are
 * those that were in force then. */
static bool
is_incomplete(const struct tl_observer *o, const struct tl_event *event)
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

/* Oldest first: the levels are to change.  Open is what is open before and
 * after. */
static void
narrow(struct tl_observer *o, const struct tl_event *event)
{
	const uint8_t to = (uint8_t)event->args[0];
	const uint8_t base = (uint8_t)event->args[1];
	const uint64_t until = tl_level_end_stamp(event);
	const bool lasts = o->threshold < o->base;
	const uint8_t before = higher(o->base, (uint8_t)base_before(event));
	const uint8_t threshold = higher(lasts ? o->threshold : before, to);

	if (o->threshold == 0) /* unknown */
		return;
	close_gates(o, o->threshold, threshold, event->tsc);
	if (threshold > o->threshold)
		renumber(o, o->threshold, threshold);
	if (to < base &&
	    (!lasts || until < o->until || o->until_epoch != event->epoch)) {
		o->until = until;
		o->until_epoch = event->epoch;
	}
	o->threshold = threshold;
	o->base = higher(before, base);
}

static void
take_claim(struct tl_observer *o, const struct tl_event *event)
{
	if (is_incomplete(o, event))
		return;
	tl_level_claim(&o->claim, event);
	if (tl_level_is_before(event))
		narrow(o, event);
	else
		take_change(o, event);
	o->changed = true;
}

/* A confirmation without its change, before any other: its writer stood still
 * between the two since before the first event. */
static void
take_confirmation(struct tl_observer *o, const struct tl_event *event)
{
	if (tl_level_confirms(&o->claim, event))
		take_change(o, event);
	else if (!o->changed && !is_incomplete(o, event))
		narrow(o, event);
}

/* == gates of single messages == */

bool
tl_gate_read(const uint64_t *args, struct tl_gate_entry *entry)
{
	*entry = (struct tl_gate_entry){ .message = (uint32_t)args[2],
		.before = (uint8_t)args[3],
		.after = (uint8_t)(args[3] >> TIMELINE_LEVEL_AFTER),
		.made = args[3] >> TIMELINE_LEVEL_MADE & 1 };
	return entry->message != 0 && args[2] <= UINT32_MAX &&
	       entry->before < TIMELINE_LEVEL_NONE &&
	       entry->after < TIMELINE_LEVEL_NONE;
}

/* Only the named messages changed their gates since then. */
static void
begin_named(struct tl_observer *o)
{
	o->gates = o->start.named_gates;
	o->gates.unnamed = 0;
	for (uint32_t i = 0; i < o->gates.count; i++)
		o->gates.list[i].change = ++o->count;
}

/* Any gate may have changed. */
static void
take_gates(struct tl_observer *o, const struct tl_event *event)
{
	renumber(o, 0, TL_OBSERVED_GATES);
	o->plan = ++o->count;
	close_gates(o, 0, TL_OBSERVED_GATES, event->tsc);
	open_gates(o, 0, TL_OBSERVED_GATES, event->tsc);
	o->gates.count = 0;
	if (o->gates.unnamed > 0 && --o->gates.unnamed == 0)
		begin_named(o);
}

static const struct tl_named_gates *
gates_of(const struct tl_observer *o)
{
	return o->loaded ? o->loaded : &o->gates;
}

/* The place of a message in the table; count where it has none. */
static uint32_t
find_named(const struct tl_named_gates *gates, uint32_t message)
{
	uint32_t i = 0;

	while (i < gates->count && gates->list[i].message != message)
		i++;
	return i;
}

static uint8_t
lower(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* The claim of a thread; NULL: it has none. */
static struct tl_gate_claim *
claim_of(struct tl_named_gate *g, const struct tl_event *event)
{
	for (unsigned i = 0; i < g->claim_count; i++)
		if (g->claims[i].pid == event->pid &&
		    g->claims[i].tid == event->tid)
			return &g->claims[i];
	return NULL;
}

static void
drop_claim(struct tl_named_gate *g, struct tl_gate_claim *claim)
{
	if (claim)
		*claim = g->claims[--g->claim_count];
}

/* A gate is to change.  The last claim of the thread came to nothing. */
static void
claim_gate(struct tl_named_gate *g, const struct tl_gate_entry *entry,
    const struct tl_event *event)
{
	struct tl_gate_claim next = { .pid = event->pid,
		.tid = event->tid,
		.to = entry->after,
		.low = TIMELINE_LEVEL_NONE };

	drop_claim(g, claim_of(g, event));
	if (g->claim_count == TL_GATE_CLAIMS_MAX) {
		g->floor = lower(g->floor, g->claims[0].to);
		drop_claim(g, &g->claims[0]);
	}
	for (unsigned i = 0; i < g->claim_count; i++) {
		g->claims[i].low = lower(g->claims[i].low, next.to);
		next.low = lower(next.low, g->claims[i].to);
	}
	g->claims[g->claim_count++] = next;
	g->gate = lower(g->gate, next.to);
}

/* A gate has changed, and perhaps again in between by another thread. */
static void
confirm_gate(struct tl_named_gate *g, const struct tl_gate_entry *entry,
    const struct tl_event *event)
{
	struct tl_gate_claim *const own = claim_of(g, event);

	if (!own || own->to != entry->after) { /* the claim is missing */
		g->gate = lower(g->gate, lower(entry->before, entry->after));
		return;
	}
	g->gate = lower(entry->after, lower(own->low, g->floor));
	drop_claim(g, own);
}

/* An entry says how the gate of a message changes. */
static void
take_named(struct tl_observer *o, const struct tl_gate_entry *entry,
    const struct tl_event *event)
{
	const uint32_t i = find_named(&o->gates, entry->message);
	struct tl_named_gate *const g = &o->gates.list[i];

	if (entry->before == entry->after) {
		if (i < o->gates.count)
			drop_claim(g, claim_of(g, event));
		return;
	}
	if (i == TL_NAMED_GATES_MAX) {
		take_gates(o, event);
		return;
	}
	if (i == o->gates.count) {
		o->gates.count++;
		*g = (struct tl_named_gate){ .message = entry->message,
			.gate = entry->before,
			.floor = TIMELINE_LEVEL_NONE };
	}
	if (entry->made)
		confirm_gate(g, entry, event);
	else
		claim_gate(g, entry, event);
	g->change = ++o->count;
	/* silence is asked for by gate */
	close_gates(o, 0, TL_OBSERVED_GATES, event->tsc);
	open_gates(o, 0, TL_OBSERVED_GATES, event->tsc);
}

static void
take_level(struct tl_observer *o, const struct tl_event *event)
{
	struct tl_gate_entry entry;

	if (!o->start.named) {
		take_gates(o, event);
		return;
	}
	if (is_incomplete(o, event))
		return;
	if (!tl_gate_read(event->args, &entry) || o->start.unnamed_all)
		take_gates(o, event);
	else if (o->gates.unnamed == 0)
		take_named(o, &entry, event);
}

/* Entries are missing, perhaps of changes. */
static void
lose_claims(struct tl_observer *o)
{
	o->claim.waits = false;
	for (uint32_t i = 0; i < o->gates.count; i++)
		for (unsigned k = 0; k < o->gates.list[i].claim_count; k++)
			o->gates.list[i].claims[k].low = TIMELINE_LEVEL_OFF;
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
	       (tsc <= o->lease || o->start.order == TL_NEWEST_FIRST) &&
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
	if (o->runs[gate].plan != o->plan ||
	    !is_run(o, gate, slot, o->runs[gate].slot))
		o->runs[gate].number = ++o->count;
	o->runs[gate].plan = o->plan;
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

/* Is the last burst over at a stamp? */
static bool
is_burst_over(const struct tl_observer *o, uint32_t epoch, uint64_t tsc)
{
	const struct tl_observed_from now = { epoch, tsc };
	const struct tl_observed_from over = { o->until_epoch, o->until };

	return o->threshold < o->base && !tl_observed_before(now, over);
}

/* A burst ends by itself.  Gates that it opened get a new number when they are
 * opened next. */
static void
expire(struct tl_observer *o, uint32_t epoch, uint64_t tsc)
{
	const uint64_t end = epoch == o->until_epoch ? o->until : o->last;

	if (!is_burst_over(o, epoch, tsc))
		return;
	count_slots(o, end);
	close_gates(o, o->threshold, o->base, end);
	o->threshold = o->base;
}

/* == numbers == */

/* The gate of a message; where it is not known, the lowest that it may have. */
unsigned
tl_observed_gate(const struct tl_observer *o, const struct tl_message *message)
{
	const struct tl_named_gates *gates = gates_of(o);
	const uint8_t level = message->level, gate = message->gate;
	uint32_t i;

	if (gate >= TL_OBSERVED_GATES || message->builtin)
		return TIMELINE_LEVEL_NONE;
	if (gates->unnamed > 0 && !o->start.gates)
		return lower(level, o->start.floor);
	i = find_named(gates, message->id);
	if (o->start.named && i < gates->count)
		return gates->list[i].gate;
	if (o->start.gates)
		return gate;
	if (o->start.defined)
		return level;
	return gate == TIMELINE_LEVEL_OFF || (level != 0 && level < gate)
		   ? level
		   : gate;
}

/* Was all that was logged at the time of an event kept? */
static bool
is_kept(const struct tl_observer *o, const struct tl_event *event)
{
	const unsigned tier =
	    o->start.tiers > 1 ? event->lane % o->start.tiers : 0;

	return !o->blind && !tl_observed_before(tl_observed_place(event),
				o->start.complete_from[tier]);
}

/* The number of the interval of a gate. */
static uint64_t
gate_number(struct tl_observer *o, const struct tl_event *event, unsigned gate)
{
	const unsigned open =
	    is_burst_over(o, event->epoch, event->tsc) ? o->base : o->threshold;

	if (open != 0 && gate >= open)
		return o->numbers[gate];
	return o->has_plan ? slot_number(o, gate, event) : TL_UNOBSERVED;
}

static uint64_t
number_of(struct tl_observer *o, const struct tl_event *event)
{
	const unsigned gate = tl_observed_gate(o, event->message);
	uint64_t number;
	uint32_t i;

	if (event->message->timer) /* one entry has both ends of a span */
		return TL_OBSERVED;
	if (!is_kept(o, event))
		return TL_UNOBSERVED;
	number = gate_number(o, event, gate);
	if (!o->start.named || number == TL_UNOBSERVED)
		return number;
	/* its intervals end where its gate changes, too */
	i = find_named(gates_of(o), event->message->id);
	if (i < gates_of(o)->count)
		number |= gates_of(o)->list[i].change << CHANGE_SHIFT;
	return number;
}

void
tl_observer_init(struct tl_observer *o, const struct tl_observed_start *start)
{
	*o = (struct tl_observer){ .start = *start,
		.threshold = start->base,
		.base = start->base,
		.count = 1 };
	for (unsigned g = 0; g < TL_OBSERVED_GATES; g++)
		o->numbers[g] = o->count;
	for (uint32_t i = 0; i < start->plan_count; i++)
		take_plan(o, &start->plan[i]);
	o->gates.unnamed = start->named_gates.unnamed;
	if (o->gates.unnamed == 0)
		begin_named(o);
}

/* == oldest first == */

/* Time has passed up to an event. */
static void
pass(struct tl_observer *o, const struct tl_event *event)
{
	expire(o, event->epoch, event->tsc);
	if (!o->begun || event->epoch != o->epoch)
		begin_epoch(o, event->epoch, event->tsc);
	if (event->tsc > o->last)
		o->last = event->tsc;
}

static bool
is_damaged(const struct tl_event *event)
{
	return !is_level(event->args[0]) || !is_level(event->args[1]);
}

static void
observe_forward(struct tl_observer *o, struct tl_event *event)
{
	struct tl_plan_entry plan;

	pass(o, event);
	event->observed = number_of(o, event);
	if (event->message->builtin != TIMELINE_BUILTIN_NONE)
		count_slots(o, event->tsc);
	switch (event->message->builtin) {
	case TIMELINE_BUILTIN_PRIORITY:
	case TIMELINE_BUILTIN_BURST:
		if (!is_damaged(event))
			take_claim(o, event);
		break;
	case TIMELINE_BUILTIN_FORCE:
		if (!is_damaged(event))
			take_confirmation(o, event);
		break;
	case TIMELINE_BUILTIN_LEVEL:
		take_level(o, event);
		break;
	case TIMELINE_BUILTIN_PLAN:
		if (tl_plan_read(event, &plan))
			take_plan(o, &plan);
		break;
	default:
		break;
	}
}

/* == newest first, of a file == */

/* What numbers follow from, from one change to the next. */
struct tl_observed_state {
	/* the place of the change among all events */
	uint32_t epoch;
	uint32_t lane;
	uint64_t tsc;
	uint64_t entry;
	/* of the observer */
	uint8_t threshold;
	uint8_t base;
	uint8_t shift;
	bool has_plan;
	uint32_t until_epoch;
	uint64_t until;
	uint64_t numbers[TL_OBSERVED_GATES];
	uint32_t shares[TL_OBSERVED_GATES];
	uint32_t plan_epoch;
	uint64_t seed;
	uint64_t lease;
	uint64_t plan;
	struct tl_named_gates *gates; /* maybe those of the state before */
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

/* The gates after a change: a copy, or those before it. */
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
	struct tl_observed_state *s = &o->states[o->state_count];

	if (!gates)
		return -ENOMEM;
	o->state = o->state_count++;
	*s = (struct tl_observed_state){ .epoch = change->epoch,
		.lane = change->lane,
		.tsc = change->tsc,
		.entry = change->number,
		.threshold = o->threshold,
		.base = o->base,
		.shift = o->shift,
		.has_plan = o->has_plan,
		.until_epoch = o->until_epoch,
		.until = o->until,
		.plan_epoch = o->plan_epoch,
		.seed = o->seed,
		.lease = o->lease,
		.plan = o->plan,
		.gates = gates };
	memcpy(s->numbers, o->numbers, sizeof(s->numbers));
	memcpy(s->shares, o->shares, sizeof(s->shares));
	return 0;
}

static void
load(struct tl_observer *o, size_t state)
{
	const struct tl_observed_state *s = &o->states[state];

	o->state = state;
	o->threshold = s->threshold;
	o->base = s->base;
	o->shift = s->shift;
	o->has_plan = s->has_plan;
	o->until_epoch = s->until_epoch;
	o->until = s->until;
	o->plan_epoch = s->plan_epoch;
	o->seed = s->seed;
	o->lease = s->lease;
	o->plan = s->plan;
	o->loaded = s->gates;
	memcpy(o->numbers, s->numbers, sizeof(o->numbers));
	memcpy(o->shares, s->shares, sizeof(o->shares));
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
		lose_claims(o);
		return 0;
	}
	observe_forward(o, change);
	return keep(o, change);
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

/* Is a change before an event?  Their order is that of the events of a file. */
static bool
is_change_before(const struct tl_observed_state *s,
    const struct tl_event *event)
{
	const struct tl_observed_from change = { s->epoch, s->tsc };

	if (s->epoch != event->epoch || s->tsc != event->tsc)
		return tl_observed_before(change, tl_observed_place(event));
	if (s->lane != event->lane)
		return s->lane < event->lane;
	return s->entry < event->number;
}

/* Load the state that is in force at an event. */
static void
find_state(struct tl_observer *o, const struct tl_event *event)
{
	size_t i = o->state;

	while (i + 1 < o->state_count &&
	       is_change_before(&o->states[i + 1], event))
		i++;
	while (i > 0 && !is_change_before(&o->states[i], event))
		i--;
	if (i != o->state)
		load(o, i);
}

/* == newest first, of a recording == */

/* Gates below the base are open in bursts whose entries are not read yet. */
static uint64_t
number_back(struct tl_observer *o, const struct tl_event *event)
{
	const unsigned gate = tl_observed_gate(o, event->message);

	if (event->message->timer)
		return TL_OBSERVED;
	if (o->base != 0 && gate >= o->base)
		return o->numbers[gate];
	if (o->plan_unknown)
		return TL_UNOBSERVED;
	return o->has_plan ? slot_number(o, gate, event) : o->numbers[gate];
}

/* What was in force before the entry of a plan, unless it is the first of the
 * plan. */
static void
take_plan_back(struct tl_observer *o, const struct tl_plan_entry *plan)
{
	o->plan_unknown = plan->lease == 0;
	if (plan->held && !o->plan_unknown)
		take_plan(o, plan);
	else
		o->has_plan = false;
}

static void
observe_back(struct tl_observer *o, struct tl_event *event)
{
	struct tl_plan_entry plan;

	event->observed = number_back(o, event);
	switch (event->message->builtin) {
	case TIMELINE_BUILTIN_PRIORITY:
	case TIMELINE_BUILTIN_BURST:
		if (is_damaged(event))
			break;
		o->base = (uint8_t)base_before(event);
		renumber(o, 0, o->base ? o->base : TIMELINE_LEVEL_NONE);
		break;
	case TIMELINE_BUILTIN_FORCE:
		if (!is_damaged(event))
			renumber(o, 0, (unsigned)event->args[1]);
		break;
	case TIMELINE_BUILTIN_LEVEL:
		take_gates(o, event);
		break;
	case TIMELINE_BUILTIN_PLAN:
		if (tl_plan_read(event, &plan))
			take_plan_back(o, &plan);
		break;
	default:
		break;
	}
}

/* == events == */

void
tl_observe(struct tl_observer *o, struct tl_event *event)
{
	event->observed = TL_OBSERVED;
	if (!event->message) {
		if (!o->states) /* else known in advance */
			lose_claims(o);
		return;
	}
	if (o->states) {
		find_state(o, event);
		event->observed = number_of(o, event);
	} else if (o->start.order == TL_OLDEST_FIRST) {
		observe_forward(o, event);
	} else {
		observe_back(o, event);
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
	struct observe_cursor *c = calloc(1, sizeof(*c));

	if (!c) {
		tl_cursor_close(*cursor);
		return -ENOMEM;
	}
	c->cursor.next = observe_next;
	c->cursor.close = observe_close;
	c->inner = *cursor;
	tl_observer_init(&c->observer, &start);
	*cursor = &c->cursor;
	return 0;
}
