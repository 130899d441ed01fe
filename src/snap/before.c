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

/* Entries of a level or a plan, oldest first. */
struct entries {
	const struct tl_builtin_entry **list;
	size_t count;
	size_t capacity;
};

static int
compare(const void *first, const void *second)
{
	const struct tl_builtin_entry *const *a = first, *const *b = second;

	return tl_observed_before((*b)->at, (*a)->at) -
	       tl_observed_before((*a)->at, (*b)->at);
}

/* Find the entries of a tier from a place on, at most `most` of each lane. */
static int
find(struct entries *s, struct tl_snap *snap, uint8_t builtin, uint32_t tier,
    size_t most, struct tl_observed_from from)
{
	int rc = 0;

	for (uint32_t i = tier; i < snap->lane_count && rc == 0;
	     i += snap->header.tiers) {
		const struct tl_builtin_entry *b;
		size_t count, left = most;

		rc = tl_snap_builtins(snap, i, &b, &count);
		for (; rc == 0 && count > 0 && left > 0; b++, count--) {
			if (!b->message || b->message->builtin != builtin ||
			    tl_observed_before(b->at, from))
				continue;
			left--;
			rc = TL_ARRAY_ROOM(s->list, s->capacity, s->count);
			if (rc == 0)
				s->list[s->count++] = b;
		}
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

int
tl_snap_gates_before(struct tl_snap *snap, bool is_whole,
    struct tl_observed_start *start)
{
	struct entries s = { 0 };
	const uint32_t keep = snap->header.tiers - 1;
	uint8_t floor = TIMELINE_LEVEL_NONE;
	struct tl_gate_entry entry;
	size_t named = 0, unnamed = 0;
	const int rc = find(&s, snap, TIMELINE_BUILTIN_LEVEL, keep, SIZE_MAX,
	    start->complete_from[keep]);

	if (rc != 0)
		goto out;
	/* the lowest gate that the entries set, and the last of the entries
	 * that name no message */
	for (size_t i = 0; i < s.count; i++) {
		const uint64_t *args = s.list[i]->entry.args;

		floor = lower(args[0], floor);
		if (tl_gate_read(args, &entry)) {
			floor = lower(entry.after, floor);
		} else {
			unnamed++;
			named = i + 1;
		}
	}
	start->named = true;
	/* add the gates after that entry */
	for (; named < s.count && !start->unnamed_all; named++)
		start->unnamed_all =
		    tl_gate_read(s.list[named]->entry.args, &entry) &&
		    !add_named(&start->named_gates, &entry);
	start->named_gates.unnamed +=
	    (uint32_t)(start->unnamed_all ? s.count : unnamed);
	if (start->unnamed_all)
		start->named_gates.count = 0;
	add_last(&start->named_gates, snap->messages);
	start->defined = is_whole && start->named_gates.unnamed == 0 &&
			 snap->header.major >= 2 && snap->header.minor >= 2;
	start->floor = is_whole ? floor : TIMELINE_LEVEL_OFF;
out:
	free(s.list);
	return rc;
}

/* == slots == */

int
tl_snap_plan_before(struct tl_snap *snap, struct tl_observed_start *start)
{
	struct entries s = { 0 };
	int rc;

	if (snap->header.lease == 0)
		return 0;
	rc = find(&s, snap, TIMELINE_BUILTIN_PLAN, 0, TL_PLAN_ENTRIES_MAX,
	    start->complete_from[0]);
	for (size_t i = 0; rc == 0 && i < s.count && i < TL_PLAN_ENTRIES_MAX;
	     i++) {
		struct tl_event event = { .epoch = s.list[i]->at.epoch };
		struct tl_plan_entry *plan = &start->plan[i];

		memcpy(event.args, s.list[i]->entry.args, sizeof(event.args));
		if (!tl_plan_read(&event, plan) || !plan->held ||
		    plan->lease == 0 || plan->seed != start->plan[0].seed ||
		    plan->lease != start->plan[0].lease)
			break;
		start->plan_count++;
	}
	free(s.list);
	return rc;
}
