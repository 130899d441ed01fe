/* SPDX-License-Identifier: Apache-2.0 */
/*
 * before.c - find the levels and the plan in force at the first entry of a
 * snapshot, from later entries.
 *
 * An entry of a level has the gate of its message before the change.  If no
 * other entry names the message or names no message, nothing has changed this
 * gate since the first entry of the snapshot.  The thread that makes a change
 * may read the gate long before it logs the entry.  So all entries count up to
 * the first change that was made.
 *
 * An entry of a plan of slots confirms that the plan was in force since the
 * entry before, which may be overwritten.
 */
#include "base/array.h"
#include "snap/reader.h"

#include <stdlib.h>
#include <string.h>

/* An entry of a level or a plan. */
struct entry {
	struct tl_observed_from at;
	uint64_t args[TL_ARGS_MAX];
};

struct search {
	const struct tl_snap *snap;
	struct tl_observed_from from;
	uint8_t builtin; /* of the entries to find */
	size_t left;     /* number of entries still wanted of the lane */
	struct entry *list;
	size_t count;
	size_t capacity;
	int rc;
};

static int
compare(const void *first, const void *second)
{
	const struct entry *a = first;
	const struct entry *b = second;

	return tl_observed_before(b->at, a->at) -
	       tl_observed_before(a->at, b->at);
}

static bool
take(void *context, const struct tl_builtin_entry *b)
{
	struct search *s = context;
	const struct tl_message *m = tl_messages_find(s->snap->messages,
	    b->entry.message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS);
	struct entry e = { .at = tl_snap_place(s->snap, b->lane, b->number,
			       b->entry.tsc) };

	if (!m || m->builtin != s->builtin)
		return true;
	if (tl_observed_before(e.at, s->from))
		return true;
	for (unsigned k = 0; k < TL_ARGS_MAX; k++)
		e.args[k] = b->entry.args[k];
	if ((s->rc = TL_ARRAY_ROOM(s->list, s->capacity, s->count)) != 0)
		return false;
	s->list[s->count++] = e;
	return --s->left > 0;
}

/* Find the entries of a tier, at most `most` of each lane. */
static int
find(struct search *s, struct tl_snap *snap, uint32_t tier, size_t most)
{
	int rc = 0;

	for (uint32_t i = tier; i < snap->lane_count && rc == 0;
	     i += snap->header.tiers) {
		s->left = most;
		rc = tl_snap_each_builtin(snap, i, take, s);
		if (rc == 0)
			rc = s->rc;
	}
	if (rc == 0 && s->count > 1)
		qsort(s->list, s->count, sizeof(*s->list), compare);
	return rc;
}

/* == gates == */

static uint8_t
lower(uint64_t a, uint8_t b)
{
	return a < b ? (uint8_t)a : b;
}

/* Add an entry to the known gates of its message.  false: too many messages. */
static bool
add_named(struct tl_named_gates *gates, const struct tl_gate_entry *entry)
{
	struct tl_named_gate *g = gates->list;
	struct tl_named_gate *const end = g + gates->count;

	while (g < end && g->message != entry->message)
		g++;
	if (g == end) {
		if (gates->count++ == TL_NAMED_GATES_MAX)
			return false;
		*g = (struct tl_named_gate){ .message = entry->message,
			.gate = TIMELINE_LEVEL_NONE,
			.floor = TIMELINE_LEVEL_NONE };
	}
	if (g->change == 0)
		g->gate = lower(entry->before, g->gate);
	if (entry->made)
		g->change = 1;
	return true;
}

/* Add the gates after the last entry that names no message. */
static bool
add_all_named(struct tl_observed_start *start, const struct search *s)
{
	struct tl_gate_entry entry;
	size_t i = s->count;

	while (i > 0 && tl_gate_read(s->list[i - 1].args, &entry))
		i--;
	for (; i < s->count; i++)
		if (tl_gate_read(s->list[i].args, &entry) &&
		    !add_named(&start->named_gates, &entry))
			return false;
	return true;
}

/* Lower the gate of the last change, which may not have been confirmed. */
static void
add_last(struct tl_named_gates *gates, const struct tl_messages *messages)
{
	for (uint32_t i = 0; i < gates->count; i++) {
		struct tl_named_gate *g = &gates->list[i];
		const struct tl_message *m =
		    tl_messages_find(messages, g->message);

		if (g->change == 0)
			g->gate =
			    m ? lower(m->gate, g->gate) : TIMELINE_LEVEL_OFF;
		g->change = 0;
	}
}

/* The lowest gate set by the entries. */
static uint8_t
find_floor(const struct search *s)
{
	uint8_t floor = TIMELINE_LEVEL_NONE;

	for (size_t i = 0; i < s->count; i++) {
		struct tl_gate_entry entry;

		floor = lower(s->list[i].args[0], floor);
		if (tl_gate_read(s->list[i].args, &entry))
			floor = lower(entry.after, floor);
	}
	return floor;
}

int
tl_snap_gates_before(struct tl_snap *snap, bool is_whole,
    struct tl_observed_start *start)
{
	struct search s = { .snap = snap, .builtin = TIMELINE_BUILTIN_LEVEL };
	const uint32_t keep = snap->header.tiers - 1;
	struct tl_gate_entry entry;
	int rc;

	s.from = start->complete_from[keep];
	rc = find(&s, snap, keep, SIZE_MAX);
	if (rc != 0)
		goto out;
	start->named = true;
	start->unnamed_all = !add_all_named(start, &s);
	for (size_t i = 0; i < s.count; i++)
		start->named_gates.unnamed +=
		    start->unnamed_all || !tl_gate_read(s.list[i].args, &entry);
	if (start->unnamed_all)
		start->named_gates.count = 0;
	add_last(&start->named_gates, snap->messages);
	start->defined = is_whole && start->named_gates.unnamed == 0 &&
			 snap->header.major >= 2 && snap->header.minor >= 2;
	start->floor = is_whole ? find_floor(&s) : TIMELINE_LEVEL_OFF;
out:
	free(s.list);
	return rc;
}

/* == slots == */

int
tl_snap_plan_before(struct tl_snap *snap, struct tl_observed_start *start)
{
	struct search s = { .snap = snap, .builtin = TIMELINE_BUILTIN_PLAN };
	int rc;

	if (snap->header.lease == 0)
		return 0;
	s.from = start->complete_from[0];
	rc = find(&s, snap, 0, TL_PLAN_ENTRIES_MAX);
	for (size_t i = 0; rc == 0 && i < s.count && i < TL_PLAN_ENTRIES_MAX;
	     i++) {
		const struct tl_event event = { .epoch = s.list[i].at.epoch,
			.args = { s.list[i].args[0], s.list[i].args[1],
			    s.list[i].args[2], s.list[i].args[3] } };
		struct tl_plan_entry *plan = &start->plan[i];

		if (!tl_plan_read(&event, plan) || !plan->held ||
		    plan->lease == 0 || plan->seed != start->plan[0].seed ||
		    plan->lease != start->plan[0].lease)
			break;
		start->plan_count++;
	}
	free(s.list);
	return rc;
}
