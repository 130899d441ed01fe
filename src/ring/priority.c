/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - the levels word: enter | base | threshold | until, and the
 * plan of slots beside it.
 *
 * The levels are one word, changed by compare and swap, because changes of
 * separate words are not atomic.  With alive: threshold < base, and until is
 * not over:
 *
 *	burst(l, u)	alive: min(l, threshold), base, max(u, until)
 *			else:  min(l, base), base, u
 *	priority(p)	alive: threshold, p, until, or until - 2 if p <= base
 *			else, or if p <= threshold: p, p, past
 *	plan begins	as priority(base)
 *	expiry		only if not alive, one try: base, base, until
 *
 * The lowest bit of until distinguishes a caller's burst (even) from a sample
 * of a schedule (odd).  A caller's burst replaces a sample, as if the sample
 * were over.  A sample during a caller's burst is left out.  So neither gets
 * the level or the length of the other.
 *
 * No value of the word comes back, so if a caller's swap succeeds, no other
 * change came between the copy and the swap.  Outside of bursts until is past:
 * a time that is over, and a different time for each call.  In a burst each
 * change lowers until, or keeps until and lowers threshold or raises base.  So
 * a burst may end early, by two units (8192 ticks) for each priority that does
 * not raise base, but a burst never ends late.  A burst that changes nothing is
 * not logged, and the word is not swapped.
 *
 * There is one exception, for which the word has no bits left.  A burst that
 * was ended or shortened may be followed by a burst to the same level that ends
 * in the same two units as the first one did, over the same base.  If a caller
 * was stalled between its entry and its swap all the while, its swap succeeds,
 * and readers take the levels for those of the later entries until the next
 * change.
 *
 * An append compares its gate with enter: the threshold, or less while a plan
 * gives lower gates a share of the slots and its lease is not over.  Each
 * change computes enter again, from the plan, after loading the word.  A plan
 * is changed before the word; a change that used the old plan finds a different
 * word, and its swap fails.
 *
 * Each change is logged before its swap, and once more if the swap is retried,
 * so that readers know at any time which levels may be closed.  The thread may
 * be stopped or killed between entry and swap.  So a priority, and a burst that
 * opens any level, is confirmed by an entry after the swap; from this entry on
 * readers know which levels are open.  The entry of a burst tells a sample of a
 * schedule from a request.
 */
#include "base/ns.h"
#include "base/word.h"
#include "ring/ring.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

struct levels {
	uint8_t threshold;
	uint8_t base;
	uint64_t until;
};

/* The lowest gate that has a share of the slots; TIMELINE_LEVEL_NONE: none. */
static uint8_t
plan_enter(const struct timeline *tl, uint64_t now)
{
	uint8_t gate = TIMELINE_LEVEL_MIN;

	if (tl_load_64(&tl->header->lease) < now)
		return TIMELINE_LEVEL_NONE;
	while (gate < TIMELINE_PLAN_GATES &&
	       tl_load_32(&tl->header->shares[gate]) == 0)
		gate++;
	return gate;
}

/* Unpack the word, which has only the low bits of until.  The high bits are
 * chosen so that until is nearest to now. */
static struct levels
unpack(uint64_t word, uint64_t now)
{
	const uint64_t unit = now >> TIMELINE_UNTIL_SHIFT;
	const uint64_t ahead = ((word >> TIMELINE_LEVELS_UNTIL) - unit)
			       << TIMELINE_LEVELS_UNTIL;
	struct levels l = {
		.threshold = timeline_threshold(word),
		.base = (uint8_t)(word >> TIMELINE_LEVELS_BASE),
	};

	if (word >> TIMELINE_LEVELS_UNTIL)
		l.until =
		    unit + (uint64_t)((int64_t)ahead >> TIMELINE_LEVELS_UNTIL);
	return l;
}

static uint64_t
pack(struct levels l, uint8_t enter)
{
	const uint64_t rest = (uint64_t)l.base << TIMELINE_LEVELS_BASE |
			      l.until << TIMELINE_LEVELS_UNTIL;

	if (enter >= l.threshold)
		return l.threshold | rest;
	return enter | (uint64_t)l.threshold << TIMELINE_LEVELS_THRESHOLD |
	       rest;
}

static uint8_t
lower(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

uint64_t
tl_burst_max(const struct timeline *tl)
{
	/* Twice the longest burst: a margin for rounding, for different clock
	 * rates in two processes, and for the order in which they read the
	 * clock. */
	return tl_calibrate_ticks(tl->header, 2 * TL_NS_PER_H) >>
	       TIMELINE_UNTIL_SHIFT;
}

static bool
is_alive(const struct timeline *tl, struct levels l, uint64_t now)
{
	return l.threshold < l.base &&
	       !tl_until_is_over(l.until, now, tl_burst_max(tl));
}

static bool
is_sample(uint64_t until)
{
	return until % 2 == 1;
}

static struct levels
with_burst(struct levels l, bool alive, uint8_t level, uint64_t until)
{
	if (!alive || (is_sample(l.until) && !is_sample(until)))
		return (struct levels){ lower(level, l.base), l.base, until };
	l.threshold = lower(level, l.threshold);
	l.until = until > l.until ? until : l.until;
	return l;
}

/* An until that is over, and that no other reading of the clock gives within
 * 2^42 ticks.  If slots are open, the append examines until, and finds no
 * burst. */
static uint64_t
past(uint64_t now)
{
	return (now >> TIMELINE_UNTIL_SHIFT) - 1 -
	       (now & ((UINT64_C(1) << 42) - 1));
}

/* A base that does not rise shortens the burst: see the head of this file. */
static struct levels
with_priority(const struct timeline *tl, struct levels l, uint8_t level,
    uint64_t now)
{
	if (level <= l.base)
		l.until -= 2;
	if (level <= l.threshold || !is_alive(tl, l, now))
		return (struct levels){ level, level, past(now) };
	l.base = level;
	return l;
}

/* Does next let through, at any time, an entry that the levels l did not? */
static bool
opens(struct levels l, bool alive, struct levels next)
{
	return next.threshold < (alive ? l.threshold : l.base) ||
	       next.base < l.base ||
	       (next.threshold < next.base && next.until > l.until);
}

/* A requested change of the levels. */
struct request {
	struct timeline_event *event; /* event of the entry */
	struct timeline_event *in_force;
	uint8_t level;
	uint64_t until; /* end of a burst; 0: a priority */
};

/* Keep the order of reading a stamp and the accesses before and after. */
static void
in_order(void)
{
	__builtin_ia32_lfence();
}

/* Log a change, make the change unless the word has changed meanwhile, and
 * confirm the change.  false: the word has changed. */
static bool
swap(struct timeline *tl, const struct request *request, uint64_t old,
    struct levels next, uint64_t now, bool confirm)
{
	const bool follows = confirm && request->in_force;
	const uint64_t end = next.threshold < next.base ? next.until : 0;
	const uint64_t until = end << TIMELINE_UNTIL_SHIFT |
			       TIMELINE_UNTIL_BEFORE |
			       (follows ? TIMELINE_UNTIL_FOLLOWS : 0);

	timeline_append(request->event, next.threshold, next.base, until,
	    is_sample(end));
	if (!tl_cas_64(&tl->header->levels, old,
		pack(next, plan_enter(tl, now))))
		return false;
	in_order();
	if (follows)
		timeline_append(request->in_force, next.threshold, next.base,
		    until, 0);
	return true;
}

/* Make a change; repeat while others change the word.  0; -EBUSY: a sample
 * during a caller's burst. */
static int
change(struct timeline *tl, const struct request *request)
{
	const uint64_t until = request->until;

	for (;;) {
		const uint64_t old = tl_load_64(&tl->header->levels);

		in_order();
		const uint64_t now = tl_stamp_now(tl);
		const struct levels l = unpack(old, now);

		/* this thread stood still until after the end of its burst,
		 * which must not become a part of a later burst */
		if (until && until < now >> TIMELINE_UNTIL_SHIFT)
			return 0;
		const bool alive = is_alive(tl, l, now);
		if (alive && is_sample(until) && !is_sample(l.until))
			return -EBUSY;
		const struct levels next =
		    until ? with_burst(l, alive, request->level, until)
			  : with_priority(tl, l, request->level, now);
		const bool more = !until || opens(l, alive, next);

		if (!more && (!alive || is_sample(l.until) == is_sample(until)))
			return 0; /* a burst that changes nothing */
		if (swap(tl, request, old, next, now, more))
			return 0;
	}
}

int
timeline_priority(struct timeline *tl, const char *priority)
{
	const int level = tl_priority_parse(priority, TIMELINE_LEVEL_NONE);
	struct request request = { .level = (uint8_t)level };

	if (!tl)
		return tl_error(-EINVAL, "no timeline");
	if (level < 0)
		return level;
	request.event = tl->priority_event;
	request.in_force = tl->priority_in_force;
	tl_clock_visit(tl);
	return change(tl, &request);
}

int
tl_burst(struct timeline *tl, uint8_t level, uint64_t duration_ns, bool sample)
{
	const uint64_t round = (UINT64_C(1) << TIMELINE_UNTIL_SHIFT) - 1;
	struct request request = { .event = tl->burst_event,
		.in_force = tl->burst_in_force,
		.level = level };
	uint64_t end;

	assert(level >= TIMELINE_LEVEL_MIN && level <= TIMELINE_LEVEL_MAX);
	if (duration_ns == 0 || duration_ns > TL_NS_PER_H)
		return tl_error(-ERANGE, "a burst lasts 1 ns to an hour");
	end = tl_stamp_now(tl) + tl_calibrate_ticks(tl->header, duration_ns);
	request.until = (end + round) >> TIMELINE_UNTIL_SHIFT;
	if (is_sample(request.until) != sample)
		request.until++;
	return change(tl, &request);
}

int
timeline_burst(struct timeline *tl, const char *priority, uint64_t duration_ns)
{
	const int level = tl_priority_parse(priority, -1);

	if (!tl)
		return tl_error(-EINVAL, "no timeline");
	if (level < 0)
		return level;
	return tl_burst(tl, (uint8_t)level, duration_ns, false);
}

void
tl_levels_get(const struct timeline *tl, struct tl_levels_now *now)
{
	const uint64_t word = tl_load_64(&tl->header->levels);
	const uint64_t stamp = tl_stamp_now(tl); /* read after the word */
	const struct levels l = unpack(word, stamp);

	*now = (struct tl_levels_now){ .threshold = l.threshold,
		.base = l.base,
		.burst = is_alive(tl, l, stamp),
		.word = word };
	if (!now->burst)
		now->threshold = l.base;
}

void
tl_levels_expire(struct timeline *tl)
{
	const uint64_t word = tl_load_64(&tl->header->levels);
	/* read after the word, see log_c.c */
	const uint64_t now = tl_stamp_now(tl);
	const struct levels l = unpack(word, now);

	const uint8_t enter = plan_enter(tl, now);

	if (!is_alive(tl, l, now))
		tl_cas_64(&tl->header->levels, word,
		    pack((struct levels){ l.base, l.base, l.until }, enter));
	else if ((uint8_t)word < l.threshold && enter >= l.threshold)
		tl_cas_64(&tl->header->levels, word, pack(l, enter));
}

/*
 * Set enter for the current plan.  A plan that begins needs a new value of the
 * word: a writer that stood still while it ended the last plan would otherwise
 * find its old value and end the new plan.  So a plan that begins changes the
 * word as a priority does, and logs the new end of a burst.
 */
static void
follow_plan(struct timeline *tl, bool begins)
{
	const struct request request = { .event = tl->burst_event,
		.in_force = tl->burst_in_force };
	uint64_t *const word = &tl->header->levels;

	for (;;) {
		const uint64_t old = tl_load_64(word);

		in_order();
		const uint64_t now = tl_stamp_now(tl);
		struct levels l = unpack(old, now);
		const bool alive = is_alive(tl, l, now);

		if (begins)
			l = with_priority(tl, l, l.base, now);
		else if (!alive)
			l.threshold = l.base;
		if (alive && begins
			? swap(tl, &request, old, l, now, true)
			: tl_cas_64(word, old, pack(l, plan_enter(tl, now))))
			return;
	}
}

/* Log an entry for each level of a plan: the share of the level from now on,
 * and whether the plan was in force without a gap since the entry before. */
static void
log_plan(struct timeline *tl, const struct tl_plan *plan, bool held,
    uint64_t lease)
{
	uint32_t before = 0;

	for (uint8_t level = TIMELINE_LEVEL_MIN; level < TIMELINE_PLAN_GATES;
	     level++) {
		const uint32_t share = plan->shares[level];

		if (share == before)
			continue;
		before = share;
		timeline_append(tl->plan_event,
		    level | (uint64_t)plan->shift << TIMELINE_PLAN_SHIFT |
			(uint64_t)held << TIMELINE_PLAN_HELD,
		    lease ? share : 0, plan->seed, lease);
	}
}

bool
tl_plan_is_held(const struct timeline *tl, const struct tl_plan *plan)
{
	const struct timeline_header *h = tl->header;
	const uint64_t now = tl_stamp_now(tl);
	const uint64_t word = tl_load_64(&h->levels);
	const uint8_t enter = plan_enter(tl, now);

	if ((uint8_t)tl_load_64(&h->lease) != plan->shift ||
	    tl_load_64(&h->seed) != plan->seed || tl_load_64(&h->lease) < now)
		return false;
	for (size_t i = 0; i < TIMELINE_PLAN_GATES; i++)
		if (tl_load_32(&h->shares[i]) != plan->shares[i])
			return false;
	return (uint8_t)word <= enter;
}

int
tl_plan_set(struct timeline *tl, const struct tl_plan *before,
    const struct tl_plan *plan, uint64_t lease_ns)
{
	struct timeline_header *h = tl->header;
	const bool held = before && tl_plan_is_held(tl, before);
	const bool same =
	    held && plan && memcmp(before, plan, sizeof(*plan)) == 0;
	const int rc = tl_define_plan(tl);
	const uint64_t lease =
	    ((tl_stamp_now(tl) + tl_calibrate_ticks(h, lease_ns)) &
		~UINT64_C(0xff)) |
	    (plan ? plan->shift : 0);

	if (rc != 0)
		return rc;
	if (same) {
		/* extend the lease before it is logged */
		tl_store_64(&h->lease, lease);
		log_plan(tl, plan, true, lease);
		return 0;
	}
	if (before)
		log_plan(tl, before, held, 0);
	tl_store_64(&h->lease, 0);
	for (size_t i = 0; i < TIMELINE_PLAN_GATES; i++)
		tl_store_32(&h->shares[i], plan ? plan->shares[i] : 0);
	if (plan) {
		tl_store_64(&h->seed, plan->seed);
		tl_store_release_64(&h->lease, lease);
	}
	follow_plan(tl, plan != NULL);
	if (plan)
		log_plan(tl, plan, false, lease);
	return 0;
}
