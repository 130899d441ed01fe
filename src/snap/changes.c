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

/* An entry that changes the levels, or a loss of entries. */
struct change {
	const struct tl_message *message; /* for LEVELS */
	enum what what;
	uint64_t tsc;
	uint64_t number;
	uint32_t lane;
	uint32_t epoch;
	uint32_t pid;
	uint32_t tid;
	uint64_t args[TL_ARGS_MAX];
};

struct changes {
	const struct tl_snap *snap;
	const struct tl_message **messages; /* messages of changes */
	size_t message_count;
	size_t message_capacity;
	struct change *list;
	size_t count;
	size_t capacity;
	/* == of the lane being read == */
	bool overwritten; /* entries before the next entry are overwritten */
	int rc;
};

static int
find_messages(struct changes *c)
{
	const struct tl_messages *m = c->snap->messages;
	int rc;

	for (size_t i = 0; i < m->count; i++) {
		if (!tl_observed_is_change(m->list[i]) &&
		    m->list[i]->builtin != TIMELINE_BUILTIN_LOST)
			continue;
		if ((rc = TL_ARRAY_ROOM(c->messages, c->message_capacity,
			 c->message_count)) != 0)
			return rc;
		c->messages[c->message_count++] = m->list[i];
	}
	return 0;
}

/* The message of an entry that changes levels; NULL: any other entry. */
static const struct tl_message *
message_of(const struct changes *c, const struct timeline_entry *e)
{
	const uint32_t id = e->message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS;

	for (size_t i = 0; i < c->message_count; i++)
		if (c->messages[i]->id == id)
			return c->messages[i];
	return NULL;
}

static bool
add(struct changes *c, const struct change *change)
{
	if ((c->rc = TL_ARRAY_ROOM(c->list, c->capacity, c->count)) != 0)
		return false;
	c->list[c->count++] = *change;
	return true;
}

static struct change
place_of(const struct changes *c, const struct tl_builtin_entry *b)
{
	return (struct change){ .tsc = b->entry.tsc,
		.number = b->number,
		.lane = b->lane,
		.pid = b->entry.pid,
		.tid = b->entry.tid,
		.epoch =
		    tl_messages_epoch(c->snap->messages, b->lane, b->number) };
}

static bool
add_entry(struct changes *c, const struct tl_builtin_entry *b,
    const struct tl_message *message)
{
	struct change change = place_of(c, b);

	change.what = LEVELS;
	if (message->builtin == TIMELINE_BUILTIN_LOST)
		change.what = CLAIMS_LOST;
	else
		change.message = message;
	memcpy(change.args, b->entry.args, sizeof(change.args));
	return add(c, &change);
}

/* Add the loss of the entries that are missing before an entry. */
static bool
add_loss(struct changes *c, const struct tl_builtin_entry *b)
{
	struct change begin, end = place_of(c, b);

	/* a loss before the first entry of the lane */
	if (b->lost == 0 || !b->follows) {
		end.what = CLAIMS_LOST;
		return add(c, &end);
	}
	begin = end;
	begin.what = LOSS_BEGINS;
	begin.tsc = b->before_tsc;
	begin.number = b->before_number;
	begin.epoch =
	    tl_messages_epoch(c->snap->messages, b->lane, b->before_number);
	end.what = LOSS_ENDS;
	end.number--;
	return add(c, &begin) && add(c, &end);
}

static bool
take_change(void *context, const struct tl_builtin_entry *b)
{
	struct changes *c = context;
	const struct tl_message *message = message_of(c, &b->entry);

	if ((b->lost > 0 || c->overwritten) && !add_loss(c, b))
		return false;
	c->overwritten = false;
	return !message || add_entry(c, b, message);
}

/* Compare changes in the order of events (order.c). */
static int
compare_changes(const void *first, const void *second)
{
	const struct change *a = first;
	const struct change *b = second;

	if (a->epoch != b->epoch)
		return a->epoch < b->epoch ? -1 : 1;
	if (a->tsc != b->tsc)
		return a->tsc < b->tsc ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (int)a->what - (int)b->what;
}

static int
find_changes(struct changes *c, struct tl_snap *snap)
{
	int rc = find_messages(c);

	for (uint32_t i = 0; i < snap->lane_count && rc == 0; i++) {
		c->overwritten = snap->lanes[i].lapped > 0;
		rc = tl_snap_each_builtin(snap, i, take_change, c);
		if (rc == 0)
			rc = c->rc;
	}
	if (rc == 0 && c->count > 1)
		qsort(c->list, c->count, sizeof(*c->list), compare_changes);
	return rc;
}

static int
observe_back(const struct changes *c, const struct tl_observed_start *start,
    struct tl_observer *observer)
{
	int rc = tl_observer_init_back(observer, start, c->count);

	for (size_t i = 0; i < c->count && rc == 0; i++) {
		const struct change *change = &c->list[i];
		struct tl_event event = { .message = change->message,
			.kind = change->message ? TL_INSTANT : TL_LOST,
			.tsc = change->tsc,
			.number = change->number,
			.lane = change->lane,
			.epoch = change->epoch,
			.pid = change->pid,
			.tid = change->tid };

		memcpy(event.args, change->args, sizeof(event.args));
		rc = change->what == LOSS_BEGINS || change->what == LOSS_ENDS
			 ? tl_observe_missing_ahead(observer, &event,
			       change->what == LOSS_BEGINS)
			 : tl_observe_ahead(observer, &event);
	}
	return rc;
}

int
tl_snap_observe(struct tl_snap *snap, enum tl_order order,
    struct tl_observer *observer)
{
	struct changes changes = { .snap = snap };
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
	rc = find_changes(&changes, snap);
	if (rc == 0)
		rc = observe_back(&changes, &start, observer);
	free(changes.messages);
	free(changes.list);
	return rc;
}
