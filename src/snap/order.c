/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the events of all lanes in order of time.
 *
 * Inside a lane order is that of lane.h: the entry's number, in fallback lanes
 * its stamp; between lanes it is (epoch, stamp).  A queue of lanes, that
 * of the next event first; a lane stays first as long as it is ahead, which costs one
 * comparison or two.
 */
#include "base/pqueue.h"
#include "snap/lane.h"
#include "snap/reader.h"

#include <errno.h>
#include <stdlib.h>

enum {
	CHUNK_MAX = 1024, /* entries of a lane in memory ... */
	CHUNK_MIN = 16,
	MEMORY_MAX = 16 << 20 /* ... bytes of all of them */
};

struct walker {
	struct tl_lane lane;
	uint64_t tsc; /* of what comes next */
	uint32_t epoch;
	uint64_t lost; /* say this first */
};

struct order {
	struct tl_cursor cursor; /* first: what callers hold */
	struct tl_snap *snap;
	bool newest_first;
	struct walker *walkers;
	uint32_t walker_count;
	struct tl_pqueue queue;                /* of struct walker * */
	const struct tl_time_segment *segment; /* of the last stamp */
	const struct tl_message *message;      /* of the last event */
};

static bool
is_before(const void *context, const void *first, const void *second)
{
	const struct order *o = context;
	const struct walker *a = *(struct walker *const *)first;
	const struct walker *b = *(struct walker *const *)second;

	if (a->epoch != b->epoch)
		return (a->epoch > b->epoch) == o->newest_first;
	if (a->tsc != b->tsc)
		return (a->tsc > b->tsc) == o->newest_first;
	return (a->lane.number > b->lane.number) == o->newest_first;
}

static const struct tl_pqueue_order by_time = { sizeof(struct walker *),
	is_before };

static struct walker *
first_of(const struct order *o)
{
	return *(struct walker **)tl_pqueue_first(&o->queue);
}

/* Take up what the lane found; what was lost stands where its neighbour is. */
static void
look(struct order *o, struct walker *w)
{
	w->lost = w->lane.lost;
	if (!w->lane.entry) {
		if (o->newest_first) /* this is where the lane begins */
			w->lost += o->snap->lanes[w->lane.number].lapped;
		return;
	}
	w->tsc = w->lane.entry->tsc;
	w->epoch = 0;
	if (o->snap->messages->epoch_count > 0)
		w->epoch = tl_messages_epoch(o->snap->messages, w->lane.number,
		    w->lane.entry_number);
}

/* Go on in the lane on top and let the right one come up. */
static int
advance(struct order *o)
{
	struct walker *w = first_of(o);
	const int rc = tl_lane_step(&w->lane);

	if (rc != 0)
		return rc;
	look(o, w);
	if (!w->lane.entry && w->lost == 0)
		tl_pqueue_pop(&o->queue, &by_time, o);
	else
		tl_pqueue_changed(&o->queue, &by_time, o);
	return 0;
}

static const struct tl_message *
message_of(struct order *o, const struct walker *w, uint32_t id)
{
	struct tl_snap *snap = o->snap;

	if (o->message && o->message->id == id)
		return o->message;
	o->message = tl_messages_find(snap->messages, id);
	if (o->message)
		return o->message;
	tl_faults_add(&snap->faults,
	    timeline_entry_offset(&snap->header, w->lane.number,
		w->lane.entry_number),
	    "an entry of a message that is not defined: 0x%x", id);
	return &snap->messages->unknown;
}

static uint8_t
kind_of(const struct tl_message *message, uint32_t flags)
{
	if (message->kind == TIMELINE_RECORD_SPAN)
		return flags & TIMELINE_MESSAGE_END ? TL_END : TL_BEGIN;
	if (message->kind == TIMELINE_RECORD_COUNTER)
		return TL_COUNTER;
	return TL_INSTANT;
}

static void
fill_place(struct order *o, const struct walker *w, struct tl_event *event)
{
	const uint32_t cpu = o->snap->lanes[w->lane.number].cpu;

	event->tsc = w->tsc;
	event->epoch = w->epoch;
	event->ns = tl_time_convert_near(&o->snap->time, &o->segment, w->epoch,
	    w->tsc, &event->error_ns);
	event->lane = w->lane.number;
	event->cpu = cpu;
	event->source = 0;
}

static void
fill_event(struct order *o, const struct walker *w, struct tl_event *event)
{
	const struct timeline_entry *e = w->lane.entry;
	const struct tl_message *message =
	    message_of(o, w, e->message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS);

	fill_place(o, w, event);
	if (event->cpu == TL_CPU_UNKNOWN) /* a fallback lane */
		event->cpu = e->cpu;
	event->message = message;
	event->kind = kind_of(message, e->message);
	event->level = message->level;
	event->bare = (e->message & TIMELINE_MESSAGE_BARE) != 0;
	event->continued = false;
	event->overlaps = false;
	event->sync_us = 0;
	event->pid = e->pid;
	event->tid = e->tid;
	event->number = w->lane.entry_number;
	event->lost = 0;
	for (unsigned i = 0; i < TL_ARGS_MAX; i++)
		event->args[i] = e->args[i];
}

static void
fill_lost(struct order *o, struct walker *w, struct tl_event *event)
{
	*event = (struct tl_event){ .kind = TL_LOST, .lost = w->lost };
	fill_place(o, w, event);
	if (event->cpu == TL_CPU_UNKNOWN)
		event->cpu = w->lane.lost_cpu;
	w->lost = 0;
}

static int
order_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct order *o = (struct order *)(void *)cursor;
	struct walker *w;
	int rc;

	if (o->queue.count == 0)
		return 0;
	w = first_of(o);
	if (w->lost > 0) {
		fill_lost(o, w, event);
		if (!w->lane.entry)
			tl_pqueue_pop(&o->queue, &by_time, o);
		return 1;
	}
	fill_event(o, w, event);
	rc = advance(o);
	return rc < 0 ? rc : 1;
}

static void
order_close(struct tl_cursor *cursor)
{
	struct order *o = (struct order *)(void *)cursor;

	for (uint32_t i = 0; i < o->walker_count; i++)
		tl_lane_close(&o->walkers[i].lane);
	free(o->walkers);
	tl_pqueue_free(&o->queue);
	free(o);
}

static int
open_lanes(struct order *o, enum tl_order order)
{
	struct tl_snap *snap = o->snap;
	const struct tl_lane_sort sort = { .epochs = snap->messages,
		.tail = snap->tail,
		.has_losses = !snap->is_round || snap->header.major == 1 };
	uint64_t chunk =
	    MEMORY_MAX / TIMELINE_ENTRY_SIZE / (snap->lane_count + 1);
	int rc;

	if (chunk > CHUNK_MAX)
		chunk = CHUNK_MAX;
	if (chunk < CHUNK_MIN)
		chunk = CHUNK_MIN;
	for (uint32_t i = 0; i < snap->lane_count; i++) {
		struct walker *w = &o->walkers[o->walker_count];

		if (snap->lanes[i].first == snap->lanes[i].end &&
		    snap->lanes[i].lapped == 0)
			continue;
		if ((rc = tl_lane_open(&w->lane, snap->frozen, &snap->header, i,
			 &snap->lanes[i], order, chunk,
			 tl_snap_is_sorted(snap, i) ? &sort : NULL)) != 0)
			return rc;
		o->walker_count++;
		if ((rc = tl_lane_step(&w->lane)) != 0)
			return rc;
		look(o, w);
		if (order == TL_OLDEST_FIRST)
			w->lost += snap->lanes[i].lapped;
		if ((rc = tl_pqueue_push(&o->queue, &by_time, o, &w)) < 0)
			return rc;
	}
	return 0;
}

int
tl_snap_cursor(struct tl_snap *snap, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct order *o = calloc(1, sizeof(*o));
	int rc = -ENOMEM;

	if (!o)
		return rc;
	o->cursor.next = order_next;
	o->cursor.close = order_close;
	o->snap = snap;
	o->newest_first = order == TL_NEWEST_FIRST;
	o->walkers = calloc(snap->lane_count, sizeof(*o->walkers));
	if (o->walkers)
		rc = open_lanes(o, order);
	if (rc != 0) {
		order_close(&o->cursor);
		return rc;
	}
	*cursor = &o->cursor;
	return 0;
}
