/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_c.c - the append in C: for threads that have no lane of their own, and
 * the twin of asm/log.S.
 *
 *	gate	gate byte >= threshold, else return
 *	burst	gate < base and the burst is over: expire it, test again
 *	ticket	q = head++ of a fallback lane (fetch and add)
 *	look	stamp odd, or newer than q: somebody is in there, or a lap
 *		ahead: drop and count
 *	claim	stamp: what was seen -> 2q+1 (compare and swap), else drop
 *		and count
 *	fill	message, ids, cpu, arguments, now
 *	commit	stamp = 2q+2
 *
 * A claim makes the slot the writer's own: a writer that is stalled and
 * lapped fails its claim or keeps others out, it never tears a newer entry.
 * One that dies inside costs that slot in every later lap.  Nothing spins;
 * signal handlers may log over it at any point.  Built with LOG=c this file
 * is the whole append; what it logs is what log.S logs but for the lane.
 */
#include "base/word.h"
#include "ring/ring.h"

#include <sched.h>

#undef timeline_log

static uint64_t
ids_now(void)
{
	const uint64_t *ids =
	    (const uint64_t *)(const void *)((const char *)
						 __builtin_thread_pointer() +
					     tl_ids_offset());

	if (*ids == 0)
		tl_ids_fill();
	return *ids;
}

static void
drop(struct timeline *tl, int cause)
{
	tl_fetch_add_64(&tl->header->drops[cause], 1);
}

/*
 * Is it open, and when?  The clock is read after the word: a burst that began
 * in between would look as if it ended too far ahead.  Ends a burst that is
 * over, then asks once more.
 */
static bool
is_open(struct timeline_event *event, uint64_t *now)
{
	const uint8_t gate = tl_load_8(event->gate);

	for (int again = 0; again < 2; again++) {
		const uint64_t word =
		    tl_load_64(&event->timeline->header->levels);

		*now = tl_stamp_now(event->timeline);
		if (gate < (uint8_t)word)
			return false;
		if (gate >= (uint8_t)(word >> TIMELINE_LEVELS_BASE) ||
		    !tl_until_is_over(word >> TIMELINE_LEVELS_UNTIL, *now,
			event->burst_max))
			return true;
		tl_levels_expire(event->timeline);
	}
	return false;
}

/* Entry q of a fallback lane for this caller alone, or NULL. */
static struct timeline_entry *
claim(struct timeline_event *event, unsigned cpu, uint64_t *q)
{
	struct timeline *tl = event->timeline;
	const uint64_t lane = cpu == ~0U ? 0 : cpu % event->fallback_lanes;
	uint64_t *head = (uint64_t *)(void *)(event->fallback_heads +
					      lane * event->head_step);
	struct timeline_entry *slot;
	uint64_t stamp;

	*q = tl_fetch_add_64(head, 1);
	slot = (struct timeline_entry *)(void *)event->fallback_entries +
	       (lane * (event->fallback_mask + UINT64_C(1)) +
		   (*q & event->fallback_mask));
	stamp = tl_load_acquire_64(&slot->stamp);
	if (stamp & 1)
		drop(tl, TIMELINE_DROP_BUSY);
	else if (stamp > timeline_stamp_writing(*q))
		drop(tl, TIMELINE_DROP_LAPPED);
	else if (!tl_cas_64(&slot->stamp, stamp, timeline_stamp_writing(*q)))
		drop(tl, TIMELINE_DROP_RACED);
	else
		return slot;
	return NULL;
}

void
tl_append_fallback(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	const uint64_t ids = ids_now();
	const unsigned cpu = (unsigned)sched_getcpu();
	struct timeline_entry *slot;
	uint64_t now;
	uint64_t q;

	if (!is_open(event, &now))
		return;
	if (!(slot = claim(event, cpu, &q)))
		return;
	/* The claim made the slot ours: plain stores. */
	slot->tid = (uint32_t)ids;
	slot->pid = (uint32_t)(ids >> 32);
	slot->message = event->message;
	slot->cpu = cpu;
	slot->args[0] = a0;
	slot->args[1] = a1;
	slot->args[2] = a2;
	slot->args[3] = a3;
	slot->tsc = now; /* when it was open, however long ago */
	/* release: pairs with the next lap's claim and with take.c */
	tl_store_release_64(&slot->stamp, timeline_stamp_whole(q));
}

/* log.S found no ids for this thread. */
void
tl_append_ids(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3)
{
	tl_ids_fill();
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
