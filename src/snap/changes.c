/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.c - observe a snapshot in either direction.
 *
 * Newest first, an entry that changes the levels is read after the entries that
 * it governs.  So when the cursor is opened all lanes are read once, oldest
 * first, for the entries that change levels.  These entries are in all tiers,
 * because bursts and plans of slots are logged, often many times, in the tiers
 * with most entries.
 */
#include "base/array.h"
#include "snap/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of changes.  A loss ends before the next entry of its lane, and
 * begins after an entry, which may be a change itself. */
enum what { LOSS_ENDS, CLAIMS_LOST, LEVELS, LOSS_BEGINS };

/* An entry that changes the levels, or a loss of entries next to one. */
struct change {
	const struct tl_builtin_entry *entry;
	enum what what;
	struct tl_observed_from at;
	uint64_t number;
};

struct changes {
	struct change *list;
	size_t count;
	size_t capacity;
};

static int
add(struct changes *c, const struct tl_builtin_entry *b, enum what what)
{
	if (TL_ARRAY_ROOM(c->list, c->capacity, c->count) != 0)
		return -ENOMEM;
	c->list[c->count++] = (struct change){ .entry = b,
		.what = what,
		.at = what == LOSS_BEGINS ? b->before : b->at,
		.number = what == LOSS_BEGINS
			      ? b->before_number
			      : b->number - (what == LOSS_ENDS) };
	return 0;
}

/* Compare changes in the order of events (order.c). */
static int
compare_changes(const void *first, const void *second)
{
	const struct change *a = first;
	const struct change *b = second;

	if (a->at.epoch != b->at.epoch || a->at.tsc != b->at.tsc)
		return tl_observed_before(a->at, b->at) ? -1 : 1;
	if (a->entry->lane != b->entry->lane)
		return a->entry->lane < b->entry->lane ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (int)a->what - (int)b->what;
}

/* Add what an entry changes, and the loss of the entries that are missing
 * before it; lapped: entries before the first entry of the lane are. */
static int
add_entry(struct changes *changes, const struct tl_builtin_entry *b,
    bool lapped)
{
	int rc = 0;

	if (b->lost > 0 && b->follows) {
		rc = add(changes, b, LOSS_BEGINS);
		if (rc == 0)
			rc = add(changes, b, LOSS_ENDS);
	} else if (b->lost > 0 || lapped) {
		rc = add(changes, b, CLAIMS_LOST);
	}
	if (rc < 0 || !b->message)
		return rc;
	if (b->message->builtin == TIMELINE_BUILTIN_LOST)
		return add(changes, b, CLAIMS_LOST);
	return tl_observed_is_change(b->message) ? add(changes, b, LEVELS) : 0;
}

static int
observe_ahead(struct tl_observer *observer, const struct change *change)
{
	const struct tl_builtin_entry *b = change->entry;
	const bool is_level = change->what == LEVELS;
	struct tl_event event = { .message = is_level ? b->message : NULL,
		.kind = is_level ? TL_INSTANT : TL_LOST,
		.tsc = change->at.tsc,
		.number = change->number,
		.lane = b->lane,
		.epoch = change->at.epoch,
		.pid = b->entry.pid,
		.tid = b->entry.tid };

	memcpy(event.args, b->entry.args, sizeof(event.args));
	return change->what == LOSS_BEGINS || change->what == LOSS_ENDS
		   ? tl_observe_missing_ahead(observer, &event,
			 change->what == LOSS_BEGINS)
		   : tl_observe_ahead(observer, &event);
}

int
tl_snap_observe(struct tl_snap *snap, enum tl_order order,
    struct tl_observer *observer)
{
	struct changes changes = { 0 };
	struct tl_observed_start start;
	int rc = tl_snap_observed(snap, &start);

	if (rc != 0)
		return rc;
	tl_observer_init(observer, &start);
	for (size_t i = 0; i < snap->messages->count; i++) {
		struct tl_message *m = snap->messages->list[i];

		m->first_gate = (uint8_t)tl_observed_gate(observer, m) + 1;
	}
	if (order == TL_OLDEST_FIRST)
		return 0;
	rc = 0;
	for (uint32_t i = 0; i < snap->lane_count && rc == 0; i++) {
		const struct tl_builtin_entry *b;
		size_t count;

		rc = tl_snap_builtins(snap, i, &b, &count);
		for (size_t k = 0; rc == 0 && k < count; k++)
			rc = add_entry(&changes, &b[k],
			    k == 0 && snap->lanes[i].lapped > 0);
	}
	if (rc == 0 && changes.count > 1)
		qsort(changes.list, changes.count, sizeof(*changes.list),
		    compare_changes);
	if (rc == 0)
		rc = tl_observer_init_back(observer, &start, changes.count);
	for (size_t i = 0; i < changes.count && rc == 0; i++)
		rc = observe_ahead(observer, &changes.list[i]);
	free(changes.list);
	return rc;
}
