/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gates.c - the gates of single messages, from the entries of timeline_level.
 *
 * A writer logs an entry before and after the change of a gate, and other
 * threads may log theirs in between.  The order of the changes is then unknown,
 * so the observer takes the lowest gate that the message may have.
 */
#include "event/observe/work.h"

#include "base/word.h"

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

/* Read the entry of a change.  In a copy an entry names the text of a message,
 * which only one may have. */
static bool
read_entry(const struct tl_observer *o, const struct tl_event *event,
    struct tl_gate_entry *entry)
{
	const uint64_t args[] = { 0, 0, 1, event->args[3] };
	size_t found = 0;
	struct tl_bytes line;

	if (!o->start.messages)
		return tl_gate_read(event->args, entry);
	if (!tl_gate_read(args, entry))
		return false;
	line = tl_message_string(event->message, event->args[2]);
	for (size_t i = 0; i < o->start.message_count; i++) {
		const struct tl_message *m = o->start.messages[i];

		if (m->builtin != TIMELINE_BUILTIN_NONE ||
		    !tl_bytes_equal(m->line1, line))
			continue;
		entry->message = m->id;
		found++;
	}
	return found == 1;
}

/* Start with the named gates: from here on, only named messages changed their
 * gates. */
void
tl_observe_begin_named(struct tl_observer *o)
{
	o->gates = o->start.named_gates;
	o->gates.unnamed = 0;
	for (uint32_t i = 0; i < o->gates.count; i++)
		o->gates.list[i].change = ++o->count;
}

/* Any gate may have changed: end all intervals. */
static void
any_gate(struct tl_observer *o, const struct tl_event *event)
{
	tl_observe_renumber(o, 0, TL_OBSERVED_GATES);
	o->now.plan = ++o->count;
	for (unsigned g = 0; g < TL_OBSERVED_GATES; g++)
		tl_observe_cut(o, g, event->tsc);
	o->gates.count = 0;
	o->start.first_gates = false;
	if (o->gates.unnamed > 0 && --o->gates.unnamed == 0)
		tl_observe_begin_named(o);
}

/* The index of a message in the table, or count. */
static uint32_t
find_named(const struct tl_named_gates *gates, uint32_t message)
{
	uint32_t i = 0;

	while (i < gates->count && gates->list[i].message != message)
		i++;
	return i;
}

const struct tl_named_gate *
tl_observe_find_named(const struct tl_observer *o, uint32_t message)
{
	const struct tl_named_gates *gates = tl_observe_gates(o);
	const uint32_t i = find_named(gates, message);

	return o->start.named && i < gates->count ? &gates->list[i] : NULL;
}

static uint8_t
lower(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* The claim of the event's thread, or NULL. */
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

/* A gate has changed.  Another thread may have changed it again in between. */
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

/* The gate of a message that an entry names; a new message is added.  NULL: too
 * many messages, and all intervals have ended. */
static struct tl_named_gate *
get_named(struct tl_observer *o, const struct tl_gate_entry *entry,
    const struct tl_event *event)
{
	const uint32_t i = find_named(&o->gates, entry->message);

	if (i == TL_NAMED_GATES_MAX) {
		any_gate(o, event);
		return NULL;
	}
	if (i == o->gates.count)
		o->gates.list[o->gates.count++] =
		    (struct tl_named_gate){ .message = entry->message,
			    .gate = entry->before,
			    .floor = TIMELINE_LEVEL_NONE };
	return &o->gates.list[i];
}

void
tl_observe_level(struct tl_observer *o, const struct tl_event *event)
{
	struct tl_gate_entry entry;

	if (!o->start.named) {
		any_gate(o, event);
		return;
	}
	if (tl_observe_is_incomplete(o, event))
		return;
	if (!read_entry(o, event, &entry) || o->start.unnamed_all)
		any_gate(o, event);
	else if (o->gates.unnamed == 0) {
		const uint32_t i = find_named(&o->gates, entry.message);
		struct tl_named_gate *g = &o->gates.list[i];

		/* Take an entry that changes the gate of one message. */
		if (entry.before == entry.after) {
			if (i < o->gates.count)
				drop_claim(g, claim_of(g, event));
			return;
		}
		if (!(g = get_named(o, &entry, event)))
			return;
		if (entry.made)
			confirm_gate(g, &entry, event);
		else {
			struct tl_gate_claim next = { .pid = event->pid,
				.tid = event->tid,
				.to = entry.after,
				.low = TIMELINE_LEVEL_NONE };

			/* A gate is about to change.  An earlier claim of the
			 * same thread was not made. */
			drop_claim(g, claim_of(g, event));
			if (g->claim_count == TL_GATE_CLAIMS_MAX) {
				g->floor = lower(g->floor, g->claims[0].to);
				drop_claim(g, &g->claims[0]);
			}
			for (unsigned k = 0; k < g->claim_count; k++) {
				g->claims[k].low =
				    lower(g->claims[k].low, next.to);
				next.low = lower(next.low, g->claims[k].to);
			}
			g->claims[g->claim_count++] = next;
			g->gate = lower(g->gate, next.to);
		}
		g->change = ++o->count;
		/* questions about silence go by gate */
		tl_observe_cut(o, entry.before, event->tsc);
		tl_observe_cut(o, entry.after, event->tsc);
		tl_observe_cut(o, g->gate, event->tsc);
	}
}

/* Between its two entries a change may have been made or not, and other changes
 * that are under way may have been made before. */
void
tl_observe_level_back(struct tl_observer *o, const struct tl_event *event)
{
	struct tl_gate_entry entry;
	struct tl_named_gate *g;

	if (!read_entry(o, event, &entry)) {
		any_gate(o, event);
		return;
	}
	if (!(g = get_named(o, &entry, event)))
		return;
	drop_claim(g, claim_of(g, event));
	if (entry.made && g->claim_count < TL_GATE_CLAIMS_MAX)
		g->claims[g->claim_count++] =
		    (struct tl_gate_claim){ .pid = event->pid,
			    .tid = event->tid,
			    .to = entry.after };
	else if (entry.made)
		g->floor = lower(g->floor, entry.after);
	g->gate = lower(entry.before, g->floor);
	for (unsigned i = 0; i < g->claim_count; i++)
		g->gate = lower(g->gate, g->claims[i].to);
	g->change = ++o->count;
}

/* Entries are missing, perhaps entries of changes: a claim no longer shows
 * which changes came between. */
void
tl_observe_lose_claims(struct tl_observer *o)
{
	o->claim.waits = false;
	for (uint32_t i = 0; i < o->gates.count; i++)
		for (unsigned k = 0; k < o->gates.list[i].claim_count; k++)
			o->gates.list[i].claims[k].low = TIMELINE_LEVEL_OFF;
}

/* The gate of a message, or the lowest gate it may have if the gate is not
 * known. */
unsigned
tl_observed_gate(const struct tl_observer *o, const struct tl_message *message)
{
	const struct tl_named_gate *named;
	/* a reader of a live file may be setting the gate */
	const uint8_t gate = tl_load_8(&message->gate);
	const uint8_t level = message->level;

	if (gate >= TL_OBSERVED_GATES || message->builtin)
		return TIMELINE_LEVEL_NONE;
	if (tl_observe_gates(o)->unnamed > 0 && !o->start.gates)
		return lower(level, o->start.floor);
	if ((named = tl_observe_named(o, message->id)))
		return named->gate;
	if (o->start.first_gates && message->first_gate > 0)
		return message->first_gate - 1U;
	/* a copy may have a gate that is not known, or not yet in force */
	if (o->start.gates &&
	    !(o->start.messages &&
		(gate == TIMELINE_LEVEL_OFF ||
		    (message->regated && o->start.order == TL_OLDEST_FIRST))))
		return gate;
	if (o->start.defined)
		return level;
	return level != 0 && level < gate ? level : gate;
}
