/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the events of all lanes in order of time.
 *
 * Inside a lane the order is that of lane.h: by number, in fallback lanes by
 * stamp; between lanes it is (epoch, stamp).  A priority queue has the lane of
 * the next event first; a lane stays first as long as it is ahead, which costs
 * one or two comparisons.
 *
 * Two kinds of entries become two events.  An entry that ends a span and begins
 * the next becomes both at its place.  A whole span is logged at its end: so if
 * there are timers, all lanes are read once for the begin events, which are
 * sorted and merged with the lanes.
 */
#include "base/array.h"
#include "base/pqueue.h"
#include "snap/lane.h"
#include "snap/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK_MAX = 1024, /* entries of a lane in memory ... */
	CHUNK_MIN = 16,
	MEMORY_MAX = 16 << 20, /* bytes of all chunks */
	/* Entries whose messages are on the way from memory, if there are more
	 * messages than this. */
	AHEAD = 8,
	FEW = 64
};

struct walker {
	struct tl_lane lane;
	uint64_t tsc;                     /* of the next entry */
	const struct tl_message *message; /* of it; NULL: not defined */
	uint32_t epoch;
	/* losses to report first */
	/* overwritten entries, which are older than the lane */
	uint64_t overwritten;
	uint64_t lost;
	/* oldest first: entries are missing between two entries of the lane */
	bool missing;
};

/* The begin event of a whole span. */
struct begun {
	uint64_t tsc;
	uint64_t number; /* number of the entry */
	uint32_t lane;
	uint32_t epoch;
};

struct order {
	struct tl_cursor cursor; /* first: what callers hold */
	struct tl_snap *snap;
	bool newest_first;
	struct walker *walkers;
	uint32_t walker_count;
	struct tl_pqueue queue;                /* of struct walker * */
	const struct tl_time_segment *segment; /* segment of the last stamp */
	/* begins[begin, begin_end) are still to be returned */
	struct begun *begins;
	size_t begin;
	size_t begin_end;
	size_t begin_capacity;
	/* unused for a round, whose follower has an observer */
	struct tl_observer observer;
	/* oldest first: a loss begins after the next event, or ended before
	 * it */
	const struct walker *begun_loss;
	const struct walker *ended_loss;
	/* entries between those that can change the levels; NULL: all entries
	 * are events */
	uint64_t *skipped;
	uint32_t builtins; /* the first id after those of builtin messages */
	/* the second event of an entry, which is returned next */
	struct tl_event second;
	bool has_second;
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

/* Report the overwritten entries of a lane at its old end. */
static void
add_overwritten(const struct order *o, struct walker *w)
{
	const struct tl_snap_lane *lane = &o->snap->lanes[w->lane.number];

	if (timeline_is_whole(&o->snap->header)) {
		w->overwritten = lane->lapped;
		return;
	}
	/* entries missing in a file of another format were lost, unless the
	 * file says that they were overwritten */
	w->lost += lane->lapped;
	w->overwritten =
	    lane->overwritten < w->lost ? lane->overwritten : w->lost;
	w->lost -= w->overwritten;
}

static const struct tl_message *
message_of(const struct order *o, const struct timeline_entry *e)
{
	return tl_messages_find(o->snap->messages,
	    e->message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS);
}

/* Have the message of a later entry read from memory. */
static void
fetch_ahead(const struct order *o, const struct tl_lane *lane)
{
	const uint64_t at = lane->entry_number - lane->chunk_first +
			    (o->newest_first ? -(uint64_t)AHEAD : AHEAD);

	if (at < lane->chunk_end - lane->chunk_first)
		__builtin_prefetch(
		    (const void *)tl_messages_place(o->snap->messages,
			lane->chunk[at].message));
}

/* Take the entry that the lane has found.  A loss has the place of the entry
 * next to it. */
static void
look(struct order *o, struct walker *w)
{
	w->lost = w->lane.lost;
	w->overwritten = 0;
	if (!w->lane.entry) {
		if (o->newest_first) /* older entries were overwritten */
			add_overwritten(o, w);
		return;
	}
	w->tsc = w->lane.entry->tsc;
	w->message = message_of(o, w->lane.entry);
	if (o->snap->messages->count > FEW)
		fetch_ahead(o, &w->lane);
	w->epoch = 0;
	if (o->snap->messages->epoch_count > 0)
		w->epoch = tl_messages_epoch(o->snap->messages, w->lane.number,
		    w->lane.entry_number);
}

/* Step in the first lane, and move the lane of the next event to the front. */
static int
advance(struct order *o)
{
	struct walker *w = first_of(o);
	int rc;

	/* times rise with the stamps of a segment */
	if (o->skipped)
		*o->skipped += tl_lane_skip(&w->lane, o->builtins,
		    o->segment->from + o->segment->ticks);
	rc = tl_lane_step(&w->lane);
	if (rc != 0)
		return rc;
	look(o, w);
	w->missing = !o->newest_first && w->lane.entry && w->lost > 0;
	if (w->missing)
		o->begun_loss = w;
	if (!w->lane.entry && w->lost + w->overwritten == 0)
		tl_pqueue_pop(&o->queue, &by_time, o);
	else
		tl_pqueue_changed(&o->queue, &by_time, o);
	return 0;
}

/* The message of entries without one. */
static const struct tl_message *
unknown_of(struct order *o, uint32_t lane, uint64_t number,
    const struct timeline_entry *e)
{
	struct tl_snap *snap = o->snap;

	if (!snap->messages->is_cut)
		tl_faults_add(&snap->faults,
		    timeline_entry_offset(&snap->header, lane, number),
		    "an entry of a message that is not defined: 0x%x",
		    e->message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS);
	else if (!snap->messages->has_noted_cut)
		tl_faults_add(&snap->faults,
		    timeline_entry_offset(&snap->header, lane, number),
		    "the messages are cut off: entries are shown without text");
	snap->messages->has_noted_cut = snap->messages->is_cut;
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

static inline __attribute__((always_inline)) void
fill_place(struct order *o, uint32_t lane, uint32_t epoch, uint64_t tsc,
    struct tl_event *event)
{
	event->tsc = tsc;
	event->epoch = epoch;
	event->ns = tl_time_convert_near(&o->snap->time, &o->segment, epoch,
	    tsc, &event->error_ns);
	event->steps_ns = o->segment->steps_ns;
	event->lane = lane;
	event->cpu = o->snap->lanes[lane].cpu;
	event->source = 0;
}

/* Fill in an event.  Inlined, because it runs for each entry. */
static inline __attribute__((always_inline)) void
fill_entry(struct order *o, uint32_t lane, uint64_t number,
    const struct timeline_entry *e, const struct tl_message *message,
    struct tl_event *event)
{
	if (!message)
		message = unknown_of(o, lane, number, e);
	/* the entry of a fallback lane has the CPU */
	if (event->cpu == TL_CPU_UNKNOWN &&
	    (!message->timer || !(e->message & TIMELINE_MESSAGE_WHOLE)))
		event->cpu = e->cpu;
	event->message = message;
	event->kind = kind_of(message, e->message);
	event->level = message->level;
	event->bare = (e->message & TIMELINE_MESSAGE_BARE) != 0;
	event->moved = (e->message & TIMELINE_MESSAGE_MOVED) != 0;
	event->overwritten = event->unread = false;
	event->paired = false;
	event->begun = TL_BEGUN_UNKNOWN;
	event->begun_ns = event->duration_ns = 0;
	event->begun_tsc = 0;
	event->proven = event->known = false;
	event->continued = event->aside = false;
	event->overlaps = false;
	event->sync_us = 0;
	event->observed = event->stretch = TL_OBSERVED;
	event->pid = e->pid;
	event->tid = e->tid;
	event->number = number;
	event->lost = 0;
	for (unsigned i = 0; i < TL_ARGS_MAX; i++)
		event->args[i] = e->args[i];
}

/* The stamp of the begin event of a whole span. */
static uint64_t
begin_of(const struct timeline_entry *e)
{
	const uint64_t ticks = timeline_duration(e->cpu);

	return e->tsc > ticks ? e->tsc - ticks : 0;
}

/* Was the clock stepped between two stamps that count wall time? */
static bool
is_stepped_over(const struct order *o, uint64_t from, uint64_t to)
{
	const uint16_t steps =
	    TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP | TIMELINE_KNOT_GAP;
	const struct tl_time *time = &o->snap->time;

	if (o->snap->header.clock_kind != TIMELINE_CLOCK_REALTIME)
		return false;
	for (size_t i = time->knot_count; i > 0; i--) {
		const struct timeline_knot *k = &time->knots[i - 1];

		if (k->tsc <= from)
			return false;
		if (k->tsc <= to && k->flags & steps)
			return true;
	}
	return false;
}

/* Set the begin of a span from the stamp of the begin.  The stamp may be from a
 * counter that has restarted since, or from a clock that was set; such a stamp
 * proves nothing. */
static void
fill_begun(struct order *o, uint32_t epoch, uint64_t tsc,
    struct tl_event *event)
{
	const struct tl_time_segment *segment =
	    tl_time_find(&o->snap->time, epoch, tsc);
	struct tl_event begin = { .epoch = epoch,
		.ns = tl_time_on(segment, tsc, NULL),
		.steps_ns = segment->steps_ns };

	event->proven = true;
	event->begun_tsc = tsc;
	event->begun_ns = begin.ns;
	event->duration_ns = tl_event_between(&begin, event);
}

static void
prove(struct order *o, const struct walker *w, struct tl_event *event)
{
	const struct timeline_entry *e = w->lane.entry;
	const unsigned word = timeline_begun_word(e->message);
	uint64_t tsc = event->args[word];
	const struct tl_time_segment *segment;
	uint8_t begun = TL_BEGUN_UNKNOWN;

	event->args[word] = 0;
	if (tsc > w->tsc && o->snap->header.state == TIMELINE_IMPORTED) {
		const uint64_t said = tsc - w->tsc - 1;

		begun = tsc == TIMELINE_BEGUN_NONE ? TL_BEGUN_NONE
			: said & 1                 ? TL_BEGUN_UNSURE
						   : TL_BEGUN;
		tsc = w->tsc - said / 2;
	}
	segment = tl_time_find(&o->snap->time, w->epoch, tsc);
	if ((tsc == 0 && o->snap->header.state != TIMELINE_IMPORTED) ||
	    tsc > w->tsc || begun == TL_BEGUN_NONE ||
	    (w->epoch > 0 && tsc < segment->tsc) ||
	    is_stepped_over(o, tsc, w->tsc)) {
		if (begun == TL_BEGUN_UNSURE || begun == TL_BEGUN_NONE)
			event->begun = TL_BEGUN_NONE;
		return;
	}
	fill_begun(o, w->epoch, tsc, event);
	event->begun = begun;
	event->proven = begun == TL_BEGUN_UNKNOWN;
}

static void
fill_event(struct order *o, const struct walker *w, struct tl_event *event)
{
	const struct timeline_entry *e = w->lane.entry;

	fill_place(o, w->lane.number, w->epoch, w->tsc, event);
	fill_entry(o, w->lane.number, w->lane.entry_number, e, w->message,
	    event);
	if (event->message->builtin == TIMELINE_BUILTIN_LOST) {
		event->kind = TL_LOST;
		event->lost = e->args[0];
		event->message = NULL;
		return;
	}
	if (event->kind == TL_BEGIN && event->bare) {
		struct tl_event end = *event;

		/* Split an entry that ends a span and begins the next.  *event
		 * becomes the first of the two events. */
		end.kind = TL_END;
		memset(end.args, 0, sizeof(end.args));
		event->bare = false;
		o->second = o->newest_first ? end : *event;
		o->second.paired = true;
		o->has_second = true;
		if (!o->newest_first)
			*event = end;
	}
	if (!(e->message & TIMELINE_MESSAGE_WHOLE))
		return;
	if (event->message->timer) {
		event->begun = TL_BEGUN;
		fill_begun(o, w->epoch, begin_of(e), event);
	} else if (event->kind == TL_END) {
		prove(o, w, event);
	} else if (event->kind == TL_BEGIN) {
		event->proven = true;
	}
}

/* Fill in the next begin event of a whole span.  1; 0: the entry is gone,
 * because the file was truncated; -errno. */
static int
fill_begin(struct order *o, struct tl_event *event)
{
	const struct begun *b =
	    &o->begins[o->newest_first ? --o->begin_end : o->begin++];
	struct timeline_entry e = { 0 };
	const int64_t n = tl_storage_read_at(o->snap->frozen, &e, sizeof(e),
	    timeline_entry_offset(&o->snap->header, b->lane, b->number));

	if (n < 0)
		return (int)n;
	if (n < (int64_t)sizeof(e))
		return 0;
	fill_place(o, b->lane, b->epoch, b->tsc, event);
	fill_entry(o, b->lane, b->number, &e, message_of(o, &e), event);
	event->kind = TL_BEGIN;
	event->paired = event->proven = true;
	return 1;
}

/* Is a begin event due before the next entry of the lanes? */
static bool
is_begin_next(const struct order *o)
{
	const struct begun *b;
	const struct walker *w;

	if (o->begin == o->begin_end)
		return false;
	if (o->queue.count == 0)
		return true;
	w = first_of(o);
	b = &o->begins[o->newest_first ? o->begin_end - 1 : o->begin];
	if (b->epoch != w->epoch)
		return (b->epoch > w->epoch) == o->newest_first;
	return o->newest_first ? b->tsc > w->tsc : b->tsc <= w->tsc;
}

static int
next_event(struct order *o, struct tl_event *event)
{
	struct walker *w;
	int rc;

	if (o->has_second) {
		*event = o->second;
		o->has_second = false;
		return 1;
	}
	while (is_begin_next(o))
		if ((rc = fill_begin(o, event)) != 0)
			return rc;
	if (o->queue.count == 0)
		return 0;
	w = first_of(o);
	if (w->lost + w->overwritten > 0) {
		const bool overwritten =
		    w->lost == 0 || (w->overwritten > 0 && !o->newest_first);
		const bool is_imported = !timeline_is_whole(&o->snap->header);
		uint64_t *count = overwritten ? &w->overwritten : &w->lost;

		/* Fill in a loss.  Overwritten entries are older than lost
		 * entries. */
		*event = (struct tl_event){ .kind = TL_LOST,
			.lost = *count,
			.overwritten = overwritten,
			.unread = overwritten && is_imported };
		fill_place(o, w->lane.number, w->epoch, w->tsc, event);
		if (event->cpu == TL_CPU_UNKNOWN &&
		    (!overwritten || is_imported))
			event->cpu = w->lane.lost_cpu;
		*count = 0;
		if (w->missing && w->lost == 0) {
			o->ended_loss = w;
			w->missing = false;
		}
		if (!w->lane.entry && w->lost + w->overwritten == 0)
			tl_pqueue_pop(&o->queue, &by_time, o);
		return 1;
	}
	fill_event(o, w, event);
	rc = advance(o);
	return rc < 0 ? rc : 1;
}

static int
order_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct order *o = (struct order *)(void *)cursor;
	const int rc = next_event(o, event);

	if (rc <= 0 || o->snap->is_round || o->skipped)
		return rc;
	tl_observe(&o->observer, event);
	if (o->ended_loss)
		tl_observe_missing(&o->observer, o->ended_loss->lane.number,
		    false);
	o->ended_loss = NULL;
	if (o->begun_loss && !o->has_second) {
		tl_observe_missing(&o->observer, o->begun_loss->lane.number,
		    true);
		o->begun_loss = NULL;
	}
	return rc;
}

static void
order_close(struct tl_cursor *cursor)
{
	struct order *o = (struct order *)(void *)cursor;

	for (uint32_t i = 0; i < o->walker_count; i++)
		tl_lane_close(&o->walkers[i].lane);
	free(o->walkers);
	free(o->begins);
	tl_observer_free(&o->observer);
	tl_pqueue_free(&o->queue);
	free(o);
}

static int
compare_begins(const void *first, const void *second)
{
	const struct begun *a = first;
	const struct begun *b = second;

	if (a->epoch != b->epoch)
		return a->epoch < b->epoch ? -1 : 1;
	if (a->tsc != b->tsc)
		return a->tsc < b->tsc ? -1 : 1;
	/* the outer span is logged later */
	return (b->number > a->number) - (b->number < a->number);
}

/* Collect the begin events of whole spans in a lane. */
static int
collect_lane(struct order *o, uint32_t number)
{
	struct tl_snap *snap = o->snap;
	struct tl_lane lane;
	int rc = tl_lane_open(&lane, snap->frozen, &snap->header, number,
	    &snap->lanes[number], TL_OLDEST_FIRST, CHUNK_MAX, NULL);

	if (rc != 0)
		return rc;
	while ((rc = tl_lane_step(&lane)) == 0 && lane.entry) {
		const struct timeline_entry *e = lane.entry;
		const struct tl_message *message;

		if (!(e->message & TIMELINE_MESSAGE_WHOLE))
			continue;
		message = message_of(o, e);
		if (!message || !message->timer)
			continue;
		if ((rc = TL_ARRAY_ROOM(o->begins, o->begin_capacity,
			 o->begin_end)) < 0)
			break;
		o->begins[o->begin_end++] = (struct begun){ .tsc = begin_of(e),
			.number = lane.entry_number,
			.lane = number,
			.epoch = tl_messages_epoch(snap->messages, number,
			    lane.entry_number) };
	}
	tl_lane_close(&lane);
	return rc;
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
			add_overwritten(o, w);
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
	if (o->walkers && (rc = open_lanes(o, order)) == 0) {
		const struct tl_messages *m = o->snap->messages;
		bool any = false;

		rc = 0;
		for (size_t i = 0; i < m->count; i++)
			any |= m->list[i]->timer;
		for (uint32_t i = 0; any && rc == 0 && i < o->snap->lane_count;
		     i++)
			rc = collect_lane(o, i);
		if (rc == 0 && o->begin_end > 1)
			qsort(o->begins, o->begin_end, sizeof(*o->begins),
			    compare_begins);
	}
	if (rc == 0 && !snap->is_round)
		rc = tl_snap_observe(snap, order, &o->observer);
	if (rc != 0) {
		order_close(&o->cursor);
		return rc;
	}
	*cursor = &o->cursor;
	return 0;
}

int
tl_snap_changes(struct tl_snap *snap, struct tl_cursor **cursor,
    uint64_t *skipped)
{
	const int rc = tl_snap_cursor(snap, TL_OLDEST_FIRST, cursor);
	struct order *o;

	*skipped = 0;
	if (rc != 0 || snap->messages->epoch_count > 0)
		return rc;
	o = (struct order *)(void *)*cursor;
	o->skipped = skipped;
	o->builtins = tl_messages_end_of_builtins(snap->messages);
	return 0;
}

struct tl_observer *
tl_snap_observer(struct tl_cursor *cursor)
{
	return &((struct order *)(void *)cursor)->observer;
}
