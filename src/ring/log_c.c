/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_c.c - the append in C: for threads that have no lane of their own, and
 * the twin of asm/log.S.
 *
 *	gate	gate byte >= threshold, else return
 *	burst	gate < base: read the clock now, and that is the stamp; the
 *		burst is over: expire it, test once more
 *	slot	no burst opens it: the slot of that stamp is open to it, or
 *		return
 *	ticket	q = head++ of a fallback lane (fetch and add)
 *	now	no burst was needed: read the clock here
 *	look	the slot has an entry that is newer than q: this thread is a
 *		lap late: drop and count
 *	fill	message, ids, cpu, arguments, now
 *	commit	stamp = 2q+2 below the sum of the entry: one store, the last
 *
 * No thread owns a slot and nothing is claimed, so nothing has to be given
 * back: a thread that is killed here, jumps out of here or forks here costs
 * its own entry and nothing else.  One that is a lap late between look and
 * commit stores over a newer entry; the sum then fits neither of the two and
 * readers leave that one out.  A claim by an odd stamp was tried before: each
 * thread that died inside cost its slot for ever (tests/model/sum.pml).
 *
 * Nothing spins; signal handlers may log over it at any point.  Built with
 * LOG=c this file is the whole append; what it logs is what log.S logs but
 * for the lane and the sum.
 */
#include "base/word.h"
#include "ring/ring.h"

#include <sched.h>
#include <string.h>

#undef timeline_log

static uint64_t
ids_now(const struct timeline_event *event)
{
	const uint64_t *ids =
	    (const uint64_t *)(const void *)((const char *)
						 __builtin_thread_pointer() +
					     event->ids);

	if (*ids == 0) {
		tl_ids_fill(event->ids);
		tl_names_note(event->timeline);
	}
	return *ids;
}

static uint32_t
share_of(const struct timeline *tl, uint8_t gate)
{
	return gate < TIMELINE_PLAN_GATES
		   ? tl_load_32(&tl->header->shares[gate])
		   : 0;
}

/* Is the slot of now open, by the share of before now and by that of after?
 * Nothing but a change of the plan makes the two differ. */
static bool
is_slot_open(const struct timeline *tl, uint8_t gate, uint32_t share,
    uint64_t now)
{
	const uint64_t lease = tl_load_64(&tl->header->lease);
	const uint32_t hash =
	    timeline_slot_hash(timeline_slot(now, (uint8_t)lease),
		tl_load_64(&tl->header->seed));

	return hash < share && hash < share_of(tl, gate);
}

/*
 * Is it open?  Where only a burst or a slot lets it pass, *now is set, and the
 * word that decides is read after it, as log.S does: a burst that ended before
 * that lets nothing pass.  One that began after *now ends at most an hour
 * later, which is well below burst_max.  Ends a burst that is over, then asks
 * once more.
 */
bool
tl_event_is_open(struct timeline_event *event, uint64_t *now)
{
	const struct timeline *tl = event->timeline;
	const uint8_t gate = tl_load_8(event->gate);

	for (int again = 0; again < 2; again++) {
		uint64_t word = tl_load_64(&tl->header->levels);
		uint32_t share;

		if (gate < (uint8_t)word)
			return false;
		if (gate >= (uint8_t)(word >> TIMELINE_LEVELS_BASE))
			return true;
		share = share_of(tl, gate);
		*now = tl_stamp_now(tl);
		word = tl_load_64(&tl->header->levels);
		if (gate < (uint8_t)word)
			return false;
		if (gate >= timeline_threshold(word)) {
			if (!tl_until_is_over(word >> TIMELINE_LEVELS_UNTIL,
				*now, event->burst_max))
				return true;
		} else if (tl_load_64(&tl->header->lease) >= *now) {
			return is_slot_open(tl, gate, share, *now);
		}
		tl_levels_expire(event->timeline);
		*now = 0;
	}
	return false;
}

/*
 * Has the slot an entry that is newer than q?  Stamps count modulo 2^32.
 * Bytes that no append left there are no reason to keep out.
 */
static bool
is_lapped(const struct timeline_event *event, uint64_t stamp, uint64_t q)
{
	const uint32_t ahead =
	    (uint32_t)stamp - (uint32_t)timeline_stamp_whole(q);

	return (int32_t)ahead > 0 && stamp != 0 &&
	       (ahead / 2 & event->fallback_mask) == 0 && ahead % 2 == 0;
}

void
tl_append_fallback(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	const uint64_t args[TIMELINE_ARGS_MAX] = { a0, a1, a2, a3 };
	uint64_t now = 0;

	if (tl_event_is_open(event, &now))
		tl_append_shared(event, now, 0, args);
}

void
tl_append_shared(struct timeline_event *event, uint64_t stamp, uint32_t code,
    const uint64_t args[TIMELINE_ARGS_MAX])
{
	const uint64_t ids = ids_now(event);
	const unsigned cpu = (unsigned)sched_getcpu();
	const uint64_t mask = event->fallback_mask;
	uint64_t *head = (uint64_t *)(void *)event->fallback_heads;
	struct timeline_entry *slot = (void *)event->fallback_entries;
	struct timeline_entry e = { .tsc = stamp,
		.tid = (uint32_t)ids,
		.pid = (uint32_t)(ids >> 32),
		.message = event->message,
		.cpu = event->histogram ? code : cpu };
	uint64_t q;

	memcpy(e.args, args, sizeof(e.args));
	if (event->fallback_lanes > 1 && cpu != ~0U) {
		const uint64_t lane = cpu % event->fallback_lanes;

		head += lane * event->head_step / sizeof(*head);
		slot += lane * (mask + 1);
	}
	q = tl_fetch_add_64(head, 1);
	slot += q & mask;
	if (e.tsc == 0)
		e.tsc = tl_stamp_now(event->timeline);
	if (is_lapped(event, tl_load_64(&slot->stamp), q)) {
		tl_fetch_add_64(&event->timeline->header
				     ->drops[TIMELINE_DROP_LAPPED],
		    1);
		return;
	}
	tl_store_64(&slot->tsc, e.tsc);
	tl_store_32(&slot->tid, e.tid);
	tl_store_32(&slot->pid, e.pid);
	tl_store_32(&slot->message, e.message);
	tl_store_32(&slot->cpu, e.cpu);
	for (int i = 0; i < TIMELINE_ARGS_MAX; i++)
		tl_store_64(&slot->args[i], e.args[i]);
	/* release: pairs with take.c, which reads the words below it */
	tl_store_release_64(&slot->stamp, timeline_stamp_fallback(q, &e));
}

/* log.S found no ids for this thread. */
void
tl_append_ids(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	tl_ids_fill(event->ids);
	tl_names_note(event->timeline);
	timeline_append(event, a0, a1, a2, a3);
}

/* log.S found the burst over: end it, ask again, and log what is open all the
 * same, for a new burst has just begun.  Here, so that it cannot go round. */
void
tl_append_expired(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	tl_append_fallback(event, a0, a1, a2, a3);
}

#ifdef TL_LOG_C
void
timeline_append(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	tl_append_fallback(event, a0, a1, a2, a3);
}

void
timeline_log(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	if (timeline_enabled(event))
		timeline_append(event, a0, a1, a2, a3);
}
#endif
