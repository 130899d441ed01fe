/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.c - gates that a plan opens in slots of time.
 *
 * A run is a sequence of open slots without a closed slot between them.  A run
 * is one interval.
 */
#include "event/observe/work.h"

#include <string.h>

void
tl_observe_plan(struct tl_observer *o, const struct tl_plan_entry *plan)
{
	/* The entry renews the plan before its lease was over, or gives the
	 * share of another level. */
	const bool held =
	    plan->held && o->now.has_plan && plan->shift == o->now.shift &&
	    plan->seed == o->now.seed && plan->epoch == o->now.plan_epoch;
	bool same = held;

	/* a plan that is over is still known to a reader newest first */
	if (plan->lease == 0) {
		o->now.has_plan = false;
		return;
	}
	if (!o->now.has_plan)
		memset(o->now.shares, 0, sizeof(o->now.shares));
	o->now.shift = plan->shift;
	o->now.seed = plan->seed;
	o->now.lease = plan->lease;
	o->now.plan_epoch = plan->epoch;
	o->now.has_plan = true;
	for (unsigned g = plan->level; g < TL_OBSERVED_GATES; g++)
		if (!held || plan->share > o->now.shares[g]) {
			o->now.shares[g] = plan->share;
			same = false;
		}
	if (!same)
		o->now.plan = ++o->count;
}

unsigned
tl_observed_lowest(const struct tl_observed_now *now, uint32_t epoch,
    uint64_t tsc, uint64_t *until)
{
	const bool is_burst = now->threshold < now->base &&
			      epoch == now->until_epoch && tsc < now->until;
	const unsigned lowest =
	    is_burst || now->threshold > now->base ? now->threshold : now->base;
	unsigned level = TIMELINE_LEVEL_MIN;
	uint64_t slot, end;
	uint32_t hash;

	if (is_burst && now->until < *until)
		*until = now->until;
	if (!now->has_plan || epoch != now->plan_epoch || tsc >= now->lease)
		return lowest;
	slot = timeline_slot(tsc, now->shift);
	end = (slot + 1) << now->shift;
	if (end > now->lease || end <= tsc) /* the last slot of all wraps */
		end = now->lease;
	if (end < *until)
		*until = end;
	hash = timeline_slot_hash(slot, now->seed);
	while (level < lowest && hash >= now->shares[level])
		level++;
	return level;
}

bool
tl_observed_is_long(const struct tl_observed_now *now, uint64_t from_tsc,
    uint64_t to_tsc)
{
	const uint64_t end = tl_least(to_tsc, now->lease);

	return now->has_plan && from_tsc < end &&
	       (end - from_tsc) >> now->shift > TL_SLOTS_COUNTED_MAX;
}

static bool
is_slot_open(const struct tl_observer *o, unsigned gate, uint64_t slot)
{
	return tl_slot_is_open(slot, o->now.shares[gate], o->now.seed);
}

/* Is the plan in force known at a stamp?  Entries of plans are in the tier of
 * details.  Before the time from which that tier is complete, another plan may
 * have been in force. */
static bool
is_plan_known(const struct tl_observer *o, uint32_t epoch, uint64_t tsc)
{
	const struct tl_observed_from at = { epoch, tsc };

	return o->now.has_plan &&
	       !tl_observed_before(at, o->start.complete_from[0]);
}

/* Does the plan open a gate at a stamp? */
static bool
is_in_slot(const struct tl_observer *o, unsigned gate, uint32_t epoch,
    uint64_t tsc)
{
	return is_plan_known(o, epoch, tsc) && !o->blind &&
	       epoch == o->now.plan_epoch && o->now.shares[gate] != 0 &&
	       tsc <= o->now.lease &&
	       is_slot_open(o, gate, timeline_slot(tsc, o->now.shift));
}

/* The first slot of the run that a slot belongs to. */
static uint64_t
first_of_run(const struct tl_observer *o, unsigned gate, uint64_t slot)
{
	uint64_t first = slot;

	while (slot - first < TL_SLOTS_JOINED_MAX && first > 0 &&
	       is_slot_open(o, gate, first - 1))
		first--;
	return first;
}

/* Are all slots between two slots open?  False if the slots are too many to
 * examine. */
static bool
is_run(const struct tl_observer *o, unsigned gate, uint64_t one, uint64_t other)
{
	const uint64_t last = one > other ? one : other;
	uint64_t slot = one > other ? other : one;

	if (last - slot > TL_SLOTS_JOINED_MAX)
		return false;
	while (slot < last)
		if (!is_slot_open(o, gate, slot++))
			return false;
	return true;
}

/* The number of a slot's interval: the number of the last slot asked for, if no
 * slot between the two is closed. */
uint64_t
tl_observe_slot_number(struct tl_observer *o, unsigned gate,
    const struct tl_event *event)
{
	const uint64_t slot = timeline_slot(event->tsc, o->now.shift);

	if (!is_in_slot(o, gate, event->epoch, event->tsc))
		return TL_UNOBSERVED;
	if (o->runs[gate].plan != o->now.plan ||
	    !is_run(o, gate, slot, o->runs[gate].slot))
		o->runs[gate].number = ++o->count;
	o->runs[gate].plan = o->now.plan;
	o->runs[gate].slot = slot;
	return o->runs[gate].number;
}

/* Count the time of one slot, or of the rest of a slot. */
static void
count_slot(struct tl_observer *o, uint64_t ticks)
{
	const uint64_t slot = timeline_slot(o->slots_to, o->now.shift);

	for (unsigned g = TIMELINE_LEVEL_MIN;
	     g < TL_OBSERVED_GATES && !tl_observe_is_open(o, g); g++)
		o->slot_ticks[g] += is_slot_open(o, g, slot) ? ticks : 0;
}

/* Count the time of open slots up to a stamp, for gates that the levels closed
 * all that time. */
void
tl_observe_count_slots(struct tl_observer *o, uint64_t tsc)
{
	const struct tl_observed_from *known = &o->start.complete_from[0];
	const uint64_t size = UINT64_C(1) << o->now.shift;
	uint64_t to = tsc;

	if (o->epoch == known->epoch && o->slots_to < known->tsc)
		o->slots_to = known->tsc < tsc ? known->tsc : tsc;
	if (o->counts_slots && is_plan_known(o, o->epoch, o->slots_to) &&
	    !o->blind && o->epoch == o->now.plan_epoch &&
	    !tl_observed_is_long(&o->now, o->slots_to, tsc)) {
		if (to > o->now.lease)
			to = o->now.lease;
		while (o->slots_to < to) {
			const uint64_t rest = size - o->slots_to % size;
			const uint64_t ticks =
			    to - o->slots_to < rest ? to - o->slots_to : rest;

			count_slot(o, ticks);
			o->slots_to += ticks;
		}
	}
	if (o->slots_to < tsc)
		o->slots_to = tsc;
}

/* The run of open slots around a stamp; an empty interval if the stamp is in no
 * open slot. */
void
tl_observe_slots_at(struct tl_observer *o, unsigned gate, uint64_t tsc,
    struct tl_observed *observed)
{
	tl_observe_count_slots(o, tsc);
	observed->ticks += o->slot_ticks[gate];
	if (observed->open || !is_in_slot(o, gate, o->epoch, tsc))
		return;
	observed->open = true;
	observed->since =
	    first_of_run(o, gate, timeline_slot(tsc, o->now.shift))
	    << o->now.shift;
	if (observed->since < observed->to)
		observed->since = observed->to;
	observed->to = tsc;
}
