/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_lanes.c - choose the lane and the number of each event's entry.
 */
#include "snap/write_parts.h"

#include "base/array.h"
#include "base/table.h"
#include "event/observe.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* == in a row == */

enum {
	SLOTS_MIN = 128, /* slots of a lane if there are several lanes */
	/* number of lanes for each part between long losses */
	LANES_WANTED = 16,
	LANES_MOST = 1500, /* approximate limit */
	CPU_LANES = 1 /* a timeline has at least one, which is empty here */
};
/* largest number of slots of a lane */
static const uint64_t slots_max = UINT64_C(1) << 31;

/* The loss after the last event. */
static uint64_t
tail_of(const struct tl_timeline_lanes *l)
{
	return l->any && l->lost <= TL_TIMELINE_TAIL_MAX ? l->lost : 0;
}

/* The loss at the begin of a lane, cut to the largest that can be written. */
static uint64_t
cut_lost(struct tl_timeline_lanes *l, uint64_t lost)
{
	if (lost <= TL_TIMELINE_LOST_MAX)
		return lost;
	l->cut = true;
	return TL_TIMELINE_LOST_MAX;
}

/* n rounded up to a power of two. */
static uint64_t
power_from(uint64_t n)
{
	uint64_t power = 2; /* the smallest size of a lane */

	while (power < n)
		power *= 2;
	return power;
}

/* Choose the number of slots of each lane.  A long lane may waste nearly half
 * of its slots, a short lane wastes its head. */
static uint64_t
choose_slots(const struct tl_timeline_lanes *l)
{
	uint64_t slots;

	if (!l->rises)
		return power_from(l->span + tail_of(l));
	slots = tl_most(l->span / LANES_MOST,
	    l->span / (LANES_WANTED * (l->breaks + 1)));
	slots = tl_most(slots, tail_of(l)) + 1 + l->has_cpus;
	return power_from(tl_most(slots, SLOTS_MIN));
}

void
tl_timeline_walk_start(struct tl_timeline_walk *w, struct tl_timeline_lanes *l,
    const struct timeline_header *header)
{
	*w = (struct tl_timeline_walk){ .lanes = l,
		.lost_cpu = TL_CPU_UNKNOWN,
		.mark = TL_CPU_UNKNOWN,
		.slots = header->tier_entries[0],
		.split = l->rises };
	for (size_t i = 0; i < l->strand_count; i++)
		l->strands[i].span = 0;
}

static void
lose_slots(struct tl_timeline_walk *w, uint64_t lost)
{
	w->used += lost;
	if (w->planning)
		w->lanes->heads[w->lane].torn += lost;
}

/* Continue in a new lane.  The lane begins with the loss: a number and, if the
 * CPU of the loss is known, a slot for the CPU. */
static int
open_lane(struct tl_timeline_walk *w)
{
	struct tl_timeline_lanes *l = w->lanes;
	const bool has_cpu = w->lost_cpu != TL_CPU_UNKNOWN;
	size_t capacity = l->head_capacity;
	int rc;

	w->lane++;
	w->used = 0;
	if (w->planning) {
		rc = TL_ARRAY_ZEROS(l->heads, capacity, w->lane);
		if (rc < 0)
			return rc;
		l->head_capacity = capacity;
		l->lane_count = w->lane + 1;
		/* cleared holds the loss until the plan is made */
		l->heads[w->lane].cleared = w->lost - has_cpu;
		l->heads[w->lane].overwritten = w->overwritten;
	}
	l->leads_cpu |= has_cpu && w->lane == CPU_LANES;
	lose_slots(w, has_cpu);
	return 0;
}

/* Drop the CPU of a loss that has no slot for the CPU. */
static void
drop_cpu(struct tl_timeline_walk *w)
{
	if (w->planning && w->lost_cpu != TL_CPU_UNKNOWN)
		w->lanes->cpus_lost++;
	w->lost_cpu = TL_CPU_UNKNOWN;
}

static void
add_loss(struct tl_timeline_walk *w, const struct tl_event *event)
{
	if (event->lost == 0)
		return;
	if (w->lost == 0) {
		w->lost_cpu = event->cpu;
	} else if (w->lost_cpu != event->cpu) {
		drop_cpu(w);
		if (w->planning)
			w->lanes->cpus_lost += event->cpu != TL_CPU_UNKNOWN;
	}
	w->lost = tl_timeline_lost_add(w->lost, event->lost);
	w->starts |= tl_event_is_start(event);
	if (event->overwritten)
		w->overwritten =
		    tl_timeline_lost_add(w->overwritten, event->lost);
}

/* Move a loss that has no slots before all events. */
static void
displace(struct tl_timeline_walk *w)
{
	struct timeline_head *head = &w->lanes->heads[CPU_LANES];

	drop_cpu(w);
	if (!w->planning)
		return;
	w->lanes->displaced = true;
	head->cleared = tl_timeline_lost_add(head->cleared, w->lost);
}

/* Put the loss before an event into the event's lane. */
static int
make_place(struct tl_timeline_walk *w)
{
	const uint64_t behind =
	    w->events + 1 == w->lanes->events ? tail_of(w->lanes) : 0;

	if (w->lane == 0)
		return open_lane(w);
	if ((w->lost > TL_TIMELINE_TORN_MAX || w->starts) && w->split &&
	    w->breaks < TL_TIMELINE_BREAKS_MAX) {
		w->breaks++;
		return open_lane(w);
	}
	if (w->lost > TL_TIMELINE_TORN_MAX) {
		displace(w);
		w->lost = 0;
	}
	/* no room for the event and the losses around it */
	if (w->split && w->used + w->lost + 1 + behind > w->slots)
		return open_lane(w);
	lose_slots(w, w->lost);
	return 0;
}

/* Add an epoch whose heads are all 0.  NULL: no memory. */
static struct tl_timeline_epoch *
add_epoch(struct tl_timeline_lanes *l, size_t at, uint32_t number, size_t heads)
{
	struct tl_timeline_epoch *e;

	if (!l->epochs)
		l->epochs = calloc(TL_TIMELINE_EPOCHS_MAX, sizeof(*e));
	if (!l->epochs || l->epoch_count == TL_TIMELINE_EPOCHS_MAX)
		return NULL;
	e = &l->epochs[at];
	memmove(e + 1, e, (l->epoch_count - at) * sizeof(*e));
	*e = (struct tl_timeline_epoch){ .number = number,
		.heads = calloc(heads, sizeof(uint64_t)) };
	if (!e->heads) {
		memmove(e, e + 1, (l->epoch_count - at) * sizeof(*e));
		return NULL;
	}
	l->epoch_count++;
	return e;
}

/* Note that an epoch begins.  Until the plan is made, heads[0] is the lane and
 * heads[1] the slot. */
static int
note_row_epoch(struct tl_timeline_walk *w, uint32_t number)
{
	struct tl_timeline_lanes *l = w->lanes;
	struct tl_timeline_epoch *e;

	w->epoch = number;
	if (l->epoch_count == TL_TIMELINE_EPOCHS_MAX) {
		l->epochs_full = true;
		return 0;
	}
	e = add_epoch(l, l->epoch_count, number, 2);
	if (!e)
		return -ENOMEM;
	e->heads[0] = w->lane;
	e->heads[1] = w->used;
	return 0;
}

int
tl_timeline_walk_put(struct tl_timeline_walk *w, const struct tl_event *event,
    uint32_t *lane, uint64_t *number)
{
	struct tl_timeline_lanes *l = w->lanes;
	int rc;

	if (l->apart) { /* as it was */
		struct tl_timeline_strand *s = &l->strands[event->lane];

		if (event->kind != TL_LOST) {
			*lane = event->lane;
			*number = s->start + s->span++;
		} else if (s->span > 0) {
			s->span += event->lost;
		}
		return 0;
	}
	if (event->kind == TL_LOST) {
		add_loss(w, event);
		return 0;
	}
	if ((rc = make_place(w)) < 0)
		return rc;
	/* the first loss may include other losses */
	w->mark = w->events == 0 && l->displaced ? TL_CPU_UNKNOWN : w->lost_cpu;
	if (w->planning && event->epoch != w->epoch &&
	    (rc = note_row_epoch(w, event->epoch)) < 0)
		return rc;
	w->lost = w->overwritten = 0;
	w->starts = false;
	w->lost_cpu = TL_CPU_UNKNOWN;
	w->events++;
	*lane = w->lane;
	*number = l->heads[w->lane].first + w->used++;
	if (w->planning)
		l->heads[w->lane].end = w->used;
	return 0;
}

/* == lanes as they were == */

static const uint64_t head_max = UINT64_MAX / 4; /* as in readers */

static void
free_epochs(struct tl_timeline_lanes *l)
{
	for (size_t i = 0; i < l->epoch_count; i++)
		free(l->epochs[i].heads);
	free(l->epochs);
	l->epochs = NULL;
	l->epoch_count = 0;
}

int
tl_timeline_lanes_init(struct tl_timeline_lanes *l, const struct tl_snap *snap)
{
	*l = (struct tl_timeline_lanes){ .snap = snap,
		.apart = snap != NULL,
		.lanes_rise = true,
		.rises = true };
	if (!snap)
		return 0;
	l->strand_count = tl_snap_lane_count(snap);
	l->strands = calloc(l->strand_count, sizeof(*l->strands));
	return l->strands ? 0 : -ENOMEM;
}

void
tl_timeline_lanes_free(struct tl_timeline_lanes *l)
{
	free_epochs(l);
	free(l->strands);
	free(l->heads);
}

/* Note that the lane has another epoch from now on. */
static int
note_epoch(struct tl_timeline_lanes *l, struct tl_timeline_strand *s,
    uint32_t lane, uint32_t number)
{
	struct tl_timeline_epoch *e = NULL;
	size_t at = 0;

	if (number < s->epoch)
		l->apart = false;
	while (at < l->epoch_count && l->epochs[at].number < number)
		at++;
	if (at < l->epoch_count && l->epochs[at].number == number)
		e = &l->epochs[at];
	else if (l->epoch_count < TL_TIMELINE_EPOCHS_MAX) {
		e = add_epoch(l, at, number, l->strand_count);
		if (!e)
			return -ENOMEM;
	} else
		l->epochs_full = true;
	s->epoch = number;
	if (e) /* 0 means unknown */
		e->heads[lane] = s->span + 1;
	return 0;
}

static int
note_strand(struct tl_timeline_lanes *l, const struct tl_event *event)
{
	struct tl_timeline_strand *s;
	int rc = 0;

	/* an event of an unknown timeline */
	if (event->lane >= l->strand_count) {
		l->apart = false;
		return 0;
	}
	s = &l->strands[event->lane];
	if (event->kind == TL_LOST && !s->any) {
		s->lead = tl_timeline_lost_add(s->lead, event->lost);
		if (event->overwritten)
			s->overwritten =
			    tl_timeline_lost_add(s->overwritten, event->lost);
		return 0;
	}
	if (event->kind == TL_LOST) {
		/* the begin of a timer was before its lane's entries */
		l->apart &= !tl_event_is_start(event);
		s->span = tl_timeline_lost_add(s->span, event->lost);
		s->torn = tl_timeline_lost_add(s->torn, event->lost);
		s->next += event->lost;
		if (s->span > slots_max)
			l->apart = false;
		return 0;
	}
	if (!s->any)
		s->base = event->number;
	else if (event->number != s->next)
		s->renumbered = true;
	s->any = true;
	if (event->epoch != s->epoch)
		rc = note_epoch(l, s, event->lane, event->epoch);
	s->span++;
	s->next = event->number + 1;
	return rc;
}

int
tl_timeline_lanes_note(struct tl_timeline_lanes *l,
    const struct tl_event *event)
{
	const struct tl_observed_from last = tl_observed_place(&l->last);

	if (event->kind == TL_LOST) {
		l->lost = tl_timeline_lost_add(l->lost, event->lost);
		l->starts |= tl_event_is_start(event);
		l->has_cpus |= event->cpu != TL_CPU_UNKNOWN;
		return l->apart ? note_strand(l, event) : 0;
	}
	/* are the events in an order in which lanes can be merged? */
	if (l->any && tl_observed_before(tl_observed_place(event), last))
		l->rises = l->lanes_rise = false;
	if (l->any && event->epoch == last.epoch && event->tsc == last.tsc &&
	    event->lane < l->last.lane)
		l->lanes_rise = false;
	l->last = *event;
	/* the slots that events and losses take in a row */
	if (l->any && l->lost <= TL_TIMELINE_TORN_MAX && !l->starts)
		l->span += l->lost;
	else if (l->any && l->breaks < TL_TIMELINE_BREAKS_MAX)
		l->breaks++;
	l->span += 1 + (l->has_cpus && l->lost > 0);
	l->events++;
	l->lost = 0;
	l->starts = false;
	l->any = true;
	return l->apart ? note_strand(l, event) : 0;
}

/* Were all entries of the lane put? */
static bool
is_whole(const struct tl_timeline_strand *s, const struct tl_snap_lane *lane)
{
	if (!s->any)
		return s->lead == lane->lapped + (lane->end - lane->first);
	return !s->renumbered && s->base >= lane->first &&
	       s->base + s->span == lane->end &&
	       s->lead == lane->lapped + (s->base - lane->first);
}

static void
plan_head(struct tl_timeline_lanes *l, struct timeline_head *head,
    struct tl_timeline_strand *s, const struct tl_snap_lane *lane)
{
	if (is_whole(s, lane)) {
		s->start = s->base;
		*head = (struct timeline_head){ .head = lane->end,
			.cleared = lane->first - lane->lapped,
			.first = lane->first,
			.end = lane->end,
			.torn = lane->torn,
			.stuck = lane->stuck,
			.overwritten = s->overwritten };
		if (lane->head > lane->end && lane->head <= head_max)
			head->head = lane->head;
		return;
	}
	s->renumbered |= s->base < s->lead || s->base > TL_TIMELINE_LOST_MAX;
	s->lead = cut_lost(l, s->lead);
	s->start = s->any && !s->renumbered ? s->base : s->lead;
	*head = (struct timeline_head){ .head = s->start + s->span,
		.cleared = s->start - s->lead,
		.first = s->start,
		.end = s->start + s->span,
		.torn = s->torn,
		.overwritten = s->overwritten };
}

/* Plan the heads of epochs.  Heads count from the first event.  A lane in which
 * an epoch does not begin has ended before the epoch, or begins in a later
 * epoch. */
static void
plan_epochs(struct tl_timeline_lanes *l)
{
	for (size_t lane = 0; lane < l->strand_count; lane++) {
		uint64_t next = l->heads[lane].end;

		for (size_t i = l->epoch_count; i > 0; i--) {
			uint64_t *head = &l->epochs[i - 1].heads[lane];

			if (*head > 0)
				next = l->strands[lane].start + *head - 1;
			*head = next;
		}
	}
}

static int
plan_as_they_were(struct tl_timeline_lanes *l, struct timeline_header *h)
{
	const struct timeline_header *from = tl_snap_header(l->snap);
	uint64_t slots[2][TIMELINE_TIERS_MAX] = { { 0 } };

	l->lane_count = (uint32_t)l->strand_count;
	l->heads = calloc(l->lane_count, sizeof(*l->heads));
	if (!l->heads)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->lane_count; i++) {
		struct timeline_head *head = &l->heads[i];
		uint64_t *most =
		    &slots[timeline_lane_is_fallback(from, i)][i % from->tiers];

		plan_head(l, head, &l->strands[i], tl_snap_lane(l->snap, i));
		if (head->end - head->first > *most)
			*most = head->end - head->first;
		if (*most > slots_max)
			return -EFBIG;
	}
	plan_epochs(l);
	h->cpu_lanes = from->cpu_lanes;
	h->fallback_lanes = from->fallback_lanes;
	h->tiers = from->tiers;
	for (uint32_t tier = 0; tier < TIMELINE_TIERS_MAX; tier++) {
		const bool is_used = tier < from->tiers;

		h->tier_entries[tier] =
		    is_used ? power_from(slots[0][tier]) : 0;
		h->fallback_entries[tier] =
		    is_used ? power_from(slots[1][tier]) : 0;
	}
	return 0;
}

/* Put all events, and the losses between and after them, into lanes in a
 * row. */
static int
walk_all(struct tl_timeline_lanes *l, struct tl_store *events,
    const struct timeline_header *h)
{
	struct tl_timeline_walk w;
	struct tl_cursor *cursor;
	struct tl_event event;
	uint64_t number;
	uint32_t lane;
	int rc = tl_store_cursor(events, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	tl_timeline_walk_start(&w, l, h);
	w.planning = true;
	while ((rc = tl_cursor_next(cursor, &event)) > 0)
		if ((rc = tl_timeline_walk_put(&w, &event, &lane, &number)) < 0)
			break;
	tl_cursor_close(cursor);
	if (rc < 0)
		return rc;
	/* place the loss after the last event, where no slot has its CPU */
	drop_cpu(&w);
	if (w.lane == 0)
		return open_lane(&w);
	if (w.lost > TL_TIMELINE_TAIL_MAX) {
		displace(&w);
		return 0;
	}
	assert(w.used + w.lost <= w.slots);
	lose_slots(&w, w.lost);
	l->heads[w.lane].end = w.used;
	return 0;
}

static int
plan_in_a_row(struct tl_timeline_lanes *l, struct tl_store *events,
    struct timeline_header *h)
{
	const uint64_t slots = choose_slots(l);
	int rc;

	h->cpu_lanes = CPU_LANES;
	h->tiers = 1;
	memset(h->tier_entries, 0, sizeof(h->tier_entries));
	h->tier_entries[0] = slots;
	if (slots > slots_max)
		return -EFBIG;
	memcpy(h->fallback_entries, h->tier_entries,
	    sizeof(h->fallback_entries));
	if ((rc = walk_all(l, events, h)) < 0)
		return rc;
	l->cpus_lost += l->displaced && l->leads_cpu;
	assert(l->lane_count - CPU_LANES <= TIMELINE_LANES_MAX);
	h->fallback_lanes = l->lane_count - CPU_LANES;
	/* the first entry of a lane is in the first slot */
	for (uint32_t i = CPU_LANES; i < l->lane_count; i++) {
		struct timeline_head *head = &l->heads[i];
		const uint64_t lost = cut_lost(l, head->cleared);

		head->first = (lost + slots - 1) & ~(slots - 1);
		head->cleared = head->first - lost;
		head->end += head->first;
		head->head = head->end;
	}
	/* earlier lanes ended before an epoch */
	for (size_t i = 0; i < l->epoch_count; i++) {
		uint64_t *heads = calloc(l->lane_count, sizeof(*heads));
		const uint64_t lane = l->epochs[i].heads[0];

		if (!heads)
			return -ENOMEM;
		for (uint64_t k = 0; k < lane; k++)
			heads[k] = l->heads[k].end;
		heads[lane] = l->heads[lane].first + l->epochs[i].heads[1];
		free(l->epochs[i].heads);
		l->epochs[i].heads = heads;
	}
	return 0;
}

int
tl_timeline_lanes_plan(struct tl_timeline_lanes *l, struct tl_store *events,
    struct timeline_header *h)
{
	bool are_whole = true;

	for (size_t i = 0; l->snap && are_whole && i < l->strand_count; i++)
		are_whole = is_whole(&l->strands[i], tl_snap_lane(l->snap, i));
	l->apart = l->apart && !l->epochs_full && (l->lanes_rise || are_whole);
	if (l->apart)
		return plan_as_they_were(l, h);
	free_epochs(l);
	l->epochs_full = false;
	return plan_in_a_row(l, events, h);
}
