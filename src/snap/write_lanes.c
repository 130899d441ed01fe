/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_lanes.c - note what is put, and plan the lanes as they were. */
#include "snap/write_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t slots_max = UINT64_C(1) << 31; /* of a lane */
static const uint64_t head_max = UINT64_MAX / 4;     /* as readers have it */

uint64_t
tl_timeline_lost_cut(struct tl_timeline_lanes *l, uint64_t lost)
{
	if (lost <= TL_TIMELINE_LOST_MAX)
		return lost;
	l->cut = true;
	return TL_TIMELINE_LOST_MAX;
}

uint64_t
tl_timeline_power_from(uint64_t n)
{
	uint64_t power = 2; /* the least that a lane may have */

	while (power < n)
		power *= 2;
	return power;
}

void
tl_timeline_epochs_free(struct tl_timeline_lanes *l)
{
	for (size_t i = 0; i < l->epoch_count; i++)
		free(l->epochs[i].heads);
	free(l->epochs);
	l->epochs = NULL;
	l->epoch_count = 0;
}

struct tl_timeline_epoch *
tl_timeline_epoch_add(struct tl_timeline_lanes *l, size_t at, uint32_t number,
    size_t heads)
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
	tl_timeline_epochs_free(l);
	free(l->strands);
	free(l->heads);
}

/* Do they come in an order in which lanes are merged? */
static void
note_order(struct tl_timeline_lanes *l, const struct tl_event *e)
{
	const struct tl_event *last = &l->last;

	if (l->any && (e->epoch < last->epoch ||
			  (e->epoch == last->epoch && e->tsc < last->tsc)))
		l->rises = l->lanes_rise = false;
	if (l->any && e->epoch == last->epoch && e->tsc == last->tsc &&
	    e->lane < last->lane)
		l->lanes_rise = false;
	l->last = *e;
}

static void
note_in_row(struct tl_timeline_lanes *l)
{
	if (l->any && l->lost <= TL_TIMELINE_TORN_MAX)
		l->span += l->lost;
	else if (l->any && l->breaks < TL_TIMELINE_BREAKS_MAX)
		l->breaks++;
	l->span++;
	l->events++;
	l->lost = 0;
}

/* The epoch of the lane is another from here on. */
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
		e = tl_timeline_epoch_add(l, at, number, l->strand_count);
		if (!e)
			return -ENOMEM;
	} else
		l->epochs_full = true;
	s->epoch = number;
	if (e) /* 0 is not known */
		e->heads[lane] = s->span + 1;
	return 0;
}

static int
note_strand(struct tl_timeline_lanes *l, const struct tl_event *event)
{
	struct tl_timeline_strand *s;
	int rc = 0;

	if (event->lane >= l->strand_count) { /* of no timeline we know */
		l->apart = false;
		return 0;
	}
	s = &l->strands[event->lane];
	if (event->kind == TL_LOST && !s->any) {
		s->lead = tl_timeline_lost_add(s->lead, event->lost);
		return 0;
	}
	if (event->kind == TL_LOST) {
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
	if (event->kind == TL_LOST) {
		l->lost = tl_timeline_lost_add(l->lost, event->lost);
	} else {
		note_order(l, event);
		note_in_row(l);
		l->any = true;
	}
	return l->apart ? note_strand(l, event) : 0;
}

/* Did all of the lane come that there is? */
static bool
is_whole(const struct tl_timeline_strand *s, const struct tl_snap_lane *lane)
{
	if (!s->any)
		return s->lead == lane->lapped + (lane->end - lane->first);
	return !s->renumbered && s->base >= lane->first &&
	       s->base + s->span == lane->end &&
	       s->lead == lane->lapped + (s->base - lane->first);
}

static bool
are_whole(const struct tl_timeline_lanes *l)
{
	for (size_t i = 0; i < l->strand_count; i++) {
		if (!is_whole(&l->strands[i], tl_snap_lane(l->snap, i)))
			return false;
	}
	return true;
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
			.stuck = lane->stuck };
		if (lane->head > lane->end && lane->head <= head_max)
			head->head = lane->head;
		return;
	}
	s->renumbered |= s->base < s->lead || s->base > TL_TIMELINE_LOST_MAX;
	s->lead = tl_timeline_lost_cut(l, s->lead);
	s->start = s->any && !s->renumbered ? s->base : s->lead;
	*head = (struct timeline_head){ .head = s->start + s->span,
		.cleared = s->start - s->lead,
		.first = s->start,
		.end = s->start + s->span,
		.torn = s->torn };
}

/* Heads were counted from the first event; lanes in which the epoch did not
 * begin are over before it, or begin in a later one. */
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
		    is_used ? tl_timeline_power_from(slots[0][tier]) : 0;
		h->fallback_entries[tier] =
		    is_used ? tl_timeline_power_from(slots[1][tier]) : 0;
	}
	return 0;
}

int
tl_timeline_lanes_plan(struct tl_timeline_lanes *l,
    const struct tl_timeline_source *events, struct timeline_header *h)
{
	l->apart =
	    l->apart && !l->epochs_full && (l->lanes_rise || are_whole(l));
	if (l->apart)
		return plan_as_they_were(l, h);
	tl_timeline_epochs_free(l);
	l->epochs_full = false;
	return tl_timeline_row_plan(l, events, h);
}
