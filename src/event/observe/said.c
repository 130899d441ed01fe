/* SPDX-License-Identifier: Apache-2.0 */
/*
 * said.c - the place where a recording begins or ends, as its file says it:
 * numbers as decimal text.
 */
#include "event/observe.h"

enum { NUMBERS_MAX = 64 };

/* The numbers that are read or written. */
struct numbers {
	uint64_t list[NUMBERS_MAX];
	size_t count;
	bool are_read;
};

static uint64_t
number(struct numbers *n, uint64_t value)
{
	uint64_t *at = &n->list[n->count++];

	if (!n->are_read)
		*at = value;
	return *at;
}

static void
place(struct numbers *n, struct tl_observed_from *at)
{
	at->epoch = (uint32_t)number(n, at->epoch);
	at->tsc = number(n, at->tsc);
}

/* The numbers of a file, in their order. */
static void
each(struct numbers *n, struct tl_observed_start *start)
{
	struct tl_observed_now *now = &start->now;
	struct tl_observed_from until = { now->until_epoch, now->until };
	struct tl_observed_from lease = { now->plan_epoch, now->lease };

	start->guessed = number(n, start->guessed);
	start->tiers = (uint32_t)number(n, start->tiers);
	for (uint32_t i = 0; i < TIMELINE_TIERS_MAX; i++)
		place(n, &start->complete_from[i]);
	place(n, &start->cut);
	start->cut_ns = (int64_t)number(n, (uint64_t)start->cut_ns);
	start->cut_steps_ns = (int64_t)number(n, (uint64_t)start->cut_steps_ns);
	now->threshold = (uint8_t)number(n, now->threshold);
	now->base = (uint8_t)number(n, now->base);
	place(n, &until);
	now->shift = number(n, now->shift) & 63;
	now->seed = number(n, now->seed);
	place(n, &lease);
	for (unsigned g = TIMELINE_LEVEL_MIN; g < TL_OBSERVED_GATES; g++)
		now->shares[g] = (uint32_t)number(n, now->shares[g]);
	now->until_epoch = until.epoch;
	now->until = until.tsc;
	now->plan_epoch = lease.epoch;
	now->lease = lease.tsc;
	now->has_plan = lease.tsc != 0;
}

void
tl_observed_put(struct tl_text *text, const struct tl_observer *o)
{
	struct tl_observed_start start = o->start;
	struct numbers n = { .count = 0 };

	start.now = o->now;
	if (!o->now.has_plan)
		start.now.lease = 0;
	each(&n, &start);
	for (size_t i = 0; i < n.count; i++)
		tl_put_format(text, i > 0 ? " %lu" : "%lu", n.list[i]);
}

void
tl_observed_said(struct tl_observed_start *start, enum tl_order order,
    struct tl_bytes text)
{
	struct numbers n = { .are_read = true };
	size_t count = 0;

	for (size_t at = 0, digits; count < NUMBERS_MAX; at += digits + 1) {
		const size_t rest = at < text.size ? text.size - at : 0;

		digits = rest ? tl_number_take(tl_bytes(text.data + at, rest),
				    &n.list[count])
			      : 0;
		if (digits == 0)
			break;
		count++;
	}
	*start = (struct tl_observed_start){ 0 };
	each(&n, start);
	if (count != n.count || start->tiers < 1 ||
	    start->tiers > TIMELINE_TIERS_MAX ||
	    start->now.base > TIMELINE_LEVEL_NONE ||
	    start->now.threshold > TIMELINE_LEVEL_NONE)
		*start =
		    (struct tl_observed_start){ .guessed = true, .tiers = 1 };
	start->order = order;
	start->base = start->now.base;
	if (!start->guessed)
		return;
	start->now = (struct tl_observed_now){ 0 };
	start->base = order == TL_OLDEST_FIRST ? TIMELINE_LEVEL_MIN : 0;
}
