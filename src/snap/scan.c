/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - search the entries of a lane, oldest first.
 *
 * An observer needs the entries of builtin messages, and the places where
 * entries are missing.  Several searches ask for these entries, so each lane is
 * read once for them, and the entries are kept.  Builtin messages are the first
 * messages that a file defines, so a single comparison rules out most other
 * entries.
 */
#include "base/array.h"
#include "snap/reader.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNK = 1024 /* entries of a lane in memory */ };

int
tl_snap_open_lane(struct tl_snap *snap, uint32_t number, uint64_t chunk,
    struct tl_lane *lane)
{
	const struct tl_lane_sort sort = { .epochs = snap->messages,
		.tail = snap->tail };

	/* a sorted lane is cut to its tail when it is sorted */
	return tl_lane_open(lane, snap->frozen, &snap->header, number,
	    &snap->lanes[number], TL_OLDEST_FIRST, chunk,
	    snap->tail && tl_snap_is_sorted(snap, number) ? &sort : NULL);
}

struct tl_observed_from
tl_snap_place(const struct tl_snap *snap, uint32_t lane, uint64_t number,
    uint64_t tsc)
{
	return (struct tl_observed_from){
		tl_messages_epoch(snap->messages, lane, number), tsc
	};
}

/* == entries of builtin messages == */

struct tl_snap_builtins {
	bool read;
	struct tl_builtin_entry *list;
	size_t count;
	size_t capacity;
};

uint32_t
tl_messages_end_of_builtins(const struct tl_messages *m)
{
	uint32_t end = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->list[i]->builtin != TIMELINE_BUILTIN_NONE &&
		    m->list[i]->id >= end)
			end = m->list[i]->id + 1;
	return end;
}

static int
read_lane(const struct tl_snap *snap, struct tl_snap_builtins *b,
    struct tl_lane *lane)
{
	const uint32_t end = tl_messages_end_of_builtins(snap->messages);
	struct tl_builtin_entry next = { .lane = lane->number };
	uint64_t before_tsc = 0;
	int rc;

	while ((rc = tl_lane_step(lane)) == 0 && lane->entry) {
		const struct timeline_entry *e = lane->entry;
		const uint32_t id =
		    e->message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS;

		next.number = lane->entry_number;
		next.lost = lane->lost;
		if (!next.follows || next.lost > 0 || id < end) {
			if (TL_ARRAY_ROOM(b->list, b->capacity, b->count) != 0)
				return -ENOMEM;
			next.entry = *e;
			next.message = tl_messages_find(snap->messages, id);
			next.at = tl_snap_place(snap, lane->number, next.number,
			    e->tsc);
			next.before = tl_snap_place(snap, lane->number,
			    next.before_number, before_tsc);
			b->list[b->count++] = next;
		}
		next.follows = true;
		next.before_number = next.number;
		before_tsc = e->tsc;
		tl_lane_skip(lane, end, UINT64_MAX);
	}
	return rc;
}

int
tl_snap_builtins(struct tl_snap *snap, uint32_t number,
    const struct tl_builtin_entry **list, size_t *count)
{
	struct tl_snap_builtins *b;
	struct tl_lane lane;
	int rc;

	if (!snap->builtins)
		snap->builtins =
		    calloc(snap->lane_count, sizeof(*snap->builtins));
	if (!snap->builtins)
		return -ENOMEM;
	b = &snap->builtins[number];
	if (!b->read) {
		rc = tl_snap_open_lane(snap, number, CHUNK, &lane);
		if (rc != 0)
			return rc;
		b->count = 0;
		rc = read_lane(snap, b, &lane);
		tl_lane_close(&lane);
		if (rc != 0)
			return rc;
		b->read = true;
	}
	*list = b->list;
	*count = b->count;
	return 0;
}

void
tl_snap_free_builtins(struct tl_snap *snap)
{
	for (size_t i = 0; snap->builtins && i < snap->lane_count; i++)
		free(snap->builtins[i].list);
	free(snap->builtins);
	snap->builtins = NULL;
}
