/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_c.c - the append in C: for threads without a CPU lane, and the C twin of
 * asm/log.S.
 *
 *	gate	if the gate is below the threshold, return
 *	burst	if the gate is below the base: read the clock, for the stamp;
 *		if the burst is over, expire it and test once more
 *	slot	if no burst opens it: return unless the slot of that stamp is
 *		open to the gate
 *	ticket	count forks; q = head++ of a fallback lane (fetch, add)
 *	ids	read pid and tid of the thread
 *	stamp	read the clock, unless that was done for a burst or a slot
 *	fork	if this thread forked since the count: again from ticket
 *	test	if the place of q has an entry newer than q, this thread is a
 *		lap late: count a drop and return
 *	fill	message, ids, cpu, arguments, stamp
 *	commit	one store, the last: 2q+2 in the low half, above it a sum of
 *		the entry
 *	fork	if this thread forked since the count: again from ticket
 *
 * No thread owns a place, so no place has to be released: a thread that is
 * killed here, jumps out of here or forks here loses its own entry only.  A
 * thread that is a lap late between test and commit overwrites a newer entry;
 * the sum then fits neither of the two, and readers skip the place.  Rejected:
 * a claim by an odd stamp; each thread that was killed in between made its
 * place useless for good (tests/model/sum.pml).
 *
 * A signal handler may log at any point, and may fork.  The ticket belongs to
 * the parent, so the child takes another ticket.  All that is stored was read
 * before the first store: a child that is forked between the stores stores the
 * same bytes as its parent, and then appends an entry of its own, with its own
 * ids.  A child that is forked between count and ticket cannot know that the
 * ticket is its own, and leaves a hole (tests/model/fork.pml).  Each repetition
 * is a fork; there is no other loop.  Built with LOG=c this file is the whole
 * append; its entries differ from those of log.S in the lane and the sum only.
 */
#include "base/word.h"
#include "ring/ring.h"

#include <sched.h>
#include <string.h>

#undef timeline_log
#undef timeline_begin
#undef timeline_end_of

/*
 * Let an entry prove nothing of a span of a thread.  A thread that has logged
 * nothing has begun no span: if a child is forked within a span, the end of the
 * span in the child is not proven, because the parent logged the begin.
 * Another thread may have begun a span of a source.
 */
__attribute__((cold)) static void
drop_proof(const struct timeline *tl, uint32_t *message,
    uint64_t args[TIMELINE_ARGS_MAX])
{
	const uint32_t proven = TIMELINE_MESSAGE_END | TIMELINE_MESSAGE_WHOLE;
	const struct timeline_record *record =
	    (const void *)(tl->strings +
			   (*message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS));

	if ((*message & proven) != proven || record->scope != TIMELINE_THREAD)
		return;
	args[timeline_begun_word(*message)] = 0;
	*message &= ~(uint32_t)TIMELINE_MESSAGE_WHOLE;
}

/* Is the slot of now open to the gate?  The plan is read after the clock, as in
 * log.S.  If the plan was changed in between, the entry may be missing in a
 * slot of the old plan, or stand in a slot that the old plan had closed; a
 * reading before the clock would not prevent this. */
static bool
is_slot_open(const struct timeline *tl, uint8_t gate, uint64_t lease,
    uint64_t now)
{
	const uint32_t hash =
	    timeline_slot_hash(timeline_slot(now, (uint8_t)lease),
		tl_load_64(&tl->header->seed));

	return gate < TIMELINE_PLAN_GATES &&
	       hash < tl_load_32(&tl->header->shares[gate]);
}

/*
 * If only a burst or a slot lets the event pass, the clock is read before the
 * word that decides, as in log.S: a burst that ended before *now lets nothing
 * pass.  A burst that began after *now ends at most an hour later, which is
 * well below burst_max.
 */
bool
tl_event_is_open(struct timeline_event *event, uint64_t *now)
{
	const struct timeline *tl = event->timeline;
	const uint8_t gate = tl_load_8(event->gate);

	for (int again = 0; again < 2; again++) {
		uint64_t word = tl_load_64(&tl->header->levels);
		uint64_t lease;

		if (gate < (uint8_t)word)
			return false;
		if (gate >= (uint8_t)(word >> TIMELINE_LEVELS_BASE))
			return true;
		*now = tl_stamp_now(tl);
		word = tl_load_64(&tl->header->levels);
		if (gate < (uint8_t)word)
			return false;
		if (gate >= timeline_threshold(word)) {
			if (!tl_until_is_over(word >> TIMELINE_LEVELS_UNTIL,
				*now, event->burst_max))
				return true;
		} else if ((lease = tl_load_64(&tl->header->lease)) >= *now) {
			return is_slot_open(tl, gate, lease, *now);
		}
		tl_levels_expire(event->timeline);
		*now = 0;
	}
	return false;
}

/*
 * Does the place have an entry newer than q?  Stamps count modulo 2^32.  A
 * stamp that no append can have written to this place does not count.
 */
static bool
is_lapped(const struct timeline_event *event, uint64_t stamp, uint64_t q)
{
	const uint32_t ahead =
	    (uint32_t)stamp - (uint32_t)timeline_stamp_whole(q);

	return (int32_t)ahead > 0 && stamp != 0 &&
	       (ahead / 2 & event->fallback_mask) == 0 && ahead % 2 == 0;
}

uint64_t
tl_append_fallback(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	const uint64_t args[TIMELINE_ARGS_MAX] = { a0, a1, a2, a3 };
	uint64_t now = 0;

	if (!event->timeline || !tl_event_is_open(event, &now))
		return 0;
	return tl_append_shared(event, now, 0, args);
}

/* Set the ids of an entry.  Begins the first entry of a thread. */
static void
set_ids(struct timeline *tl, struct timeline_entry *e)
{
	uint64_t ids;

	while ((ids = tl_load_64(tl_ids_word(tl->ids))) == 0 &&
	       tl_ids_fill(tl->ids)) {
		tl_names_record(tl);
		drop_proof(tl, &e->message, e->args);
	}
	e->tid = (uint32_t)ids;
	e->pid = (uint32_t)(ids >> 32);
}

static void
store(const struct timeline_event *event, struct timeline_entry *slot,
    uint64_t q, const struct timeline_entry *e)
{
	if (is_lapped(event, tl_load_64(&slot->stamp), q)) {
		tl_fetch_add_64(&event->timeline->header
				     ->drops[TIMELINE_DROP_LAPPED],
		    1);
		return;
	}
	tl_store_64(&slot->tsc, e->tsc);
	tl_store_32(&slot->tid, e->tid);
	tl_store_32(&slot->pid, e->pid);
	tl_store_32(&slot->message, e->message);
	tl_store_32(&slot->cpu, e->cpu);
	for (int i = 0; i < TIMELINE_ARGS_MAX; i++)
		tl_store_64(&slot->args[i], e->args[i]);
	/* release: the words of the entry before its stamp */
	tl_store_release_64(&slot->stamp, timeline_stamp_fallback(q, e));
}

uint64_t
tl_append_shared(struct timeline_event *event, uint64_t stamp, uint32_t code,
    const uint64_t args[TIMELINE_ARGS_MAX])
{
	struct timeline *tl = event->timeline;
	const unsigned cpu = (unsigned)sched_getcpu();
	const uint64_t mask = event->fallback_mask;
	uint64_t *head = (uint64_t *)(void *)event->fallback_heads;
	struct timeline_entry *slots = (void *)event->fallback_entries;
	struct timeline_entry e = { .message = event->message,
		.cpu = event->histogram ? code : cpu };

	memcpy(e.args, args, sizeof(e.args));
	if (event->fallback_lanes > 1 && cpu != ~0U) {
		const uint64_t lane = cpu % event->fallback_lanes;

		head += lane * event->head_step / sizeof(*head);
		slots += lane * (mask + 1);
	}
	for (;;) {
		const uint32_t forks = tl_load_32(&tl_forks);
		const uint64_t q = tl_fetch_add_64(head, 1);

		set_ids(tl, &e);
		e.tsc = stamp != 0 ? stamp : tl_stamp_now(tl);
		if (tl_load_32(&tl_forks) == forks)
			store(event, &slots[q & mask], q, &e);
		if (tl_load_32(&tl_forks) == forks)
			return e.tsc;
		/* This process was forked here; its parent began the span. */
		drop_proof(tl, &e.message, e.args);
	}
}

/* log.S has found that the ids of this thread are unknown. */
uint64_t
tl_append_ids(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	uint64_t args[TIMELINE_ARGS_MAX] = { a0, a1, a2, a3 };
	struct timeline_event first;

	/* the thread has no ids for this timeline */
	if (!tl_ids_fill(event->timeline->ids))
		return tl_append_fallback(event, a0, a1, a2, a3);
	tl_names_record(event->timeline);
	first = *event;
	drop_proof(event->timeline, &first.message, args);
	return timeline_span_append(&first, args[0], args[1], args[2], args[3]);
}

/* log.S has found that the burst is over.  tl_event_is_open() ends the burst
 * and tests again; a new burst may still open the event.  The entry is logged
 * here, in a fallback lane, so that this function and log.S cannot call each
 * other in turn. */
uint64_t
tl_append_expired(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	return tl_append_fallback(event, a0, a1, a2, a3);
}

/* == functions of the macros, for other languages == */

uint64_t
timeline_begin(struct timeline_event *span, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	return timeline_span_log(span, a0, a1, a2, a3);
}

void
timeline_end_of(struct timeline_event *span, uint64_t begun, uint64_t a0,
    uint64_t a1, uint64_t a2)
{
	if (begun != 0)
		(void)timeline_span_append(span + TIMELINE_PART_END_OF, a0, a1,
		    a2, begun);
}

#ifdef TL_LOG_C
uint64_t
timeline_span_append(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	return tl_append_fallback(event, a0, a1, a2, a3);
}

uint64_t
timeline_span_log(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	return timeline_enabled(event)
		   ? timeline_span_append(event, a0, a1, a2, a3)
		   : 0;
}

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
