/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - the levels word: threshold | base | until.
 *
 * One word, changed by compare and swap only, because three separate words
 * are unsound.  With alive = threshold < base and until not over:
 *
 *	burst(l, u)	alive: min(l, threshold), base, max(u, until)
 *			else:  min(l, base), base, u
 *	priority(p)	alive: min(p, threshold), p, until
 *			else:  p, p, 0
 *	expiry		not alive only, one try: base, base, 0
 *
 * Each change is logged before its swap, and again when the swap is retried
 * with other values, so that a reader knows which levels were open when.  A
 * burst's entry also says whether it is a sample of a schedule, which knows
 * nothing of what the program does just then, or somebody's wish.
 */
#include "base/word.h"
#include "ring/ring.h"

#include <assert.h>
#include <errno.h>

static const uint64_t hour_ns = 3600 * UINT64_C(1000000000);

struct levels {
	uint8_t threshold;
	uint8_t base;
	uint64_t until;
};

/* until as if the word had room for all of it: the bits that the word lacks
 * are those that bring it nearest to now. */
static struct levels
unpack(uint64_t word, uint64_t now)
{
	const uint64_t unit = now >> TIMELINE_UNTIL_SHIFT;
	const uint64_t ahead = ((word >> TIMELINE_LEVELS_UNTIL) - unit)
			       << TIMELINE_LEVELS_UNTIL;
	struct levels l = {
		.threshold = (uint8_t)word,
		.base = (uint8_t)(word >> TIMELINE_LEVELS_BASE),
	};

	if (word >> TIMELINE_LEVELS_UNTIL)
		l.until =
		    unit + (uint64_t)((int64_t)ahead >> TIMELINE_LEVELS_UNTIL);
	return l;
}

static uint64_t
pack(struct levels l)
{
	return l.threshold | (uint64_t)l.base << TIMELINE_LEVELS_BASE |
	       l.until << TIMELINE_LEVELS_UNTIL;
}

static uint8_t
least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

uint64_t
tl_burst_max(const struct timeline *tl)
{
	/* Twice what a burst may last: no doubt about rounding, about two
	 * processes' rates, or about which of two looked at the clock first. */
	return tl_calibrate_ticks(tl->header, 2 * hour_ns) >>
	       TIMELINE_UNTIL_SHIFT;
}

static bool
is_alive(const struct timeline *tl, struct levels l, uint64_t now)
{
	return l.threshold < l.base &&
	       !tl_until_is_over(l.until, now, tl_burst_max(tl));
}

static struct levels
with_burst(struct levels l, bool alive, uint8_t level, uint64_t until)
{
	if (!alive)
		return (struct levels){ least(level, l.base), l.base, until };
	l.threshold = least(level, l.threshold);
	l.until = until > l.until ? until : l.until;
	return l;
}

static struct levels
with_priority(struct levels l, bool alive, uint8_t level)
{
	if (!alive)
		return (struct levels){ level, level, 0 };
	l.threshold = least(level, l.threshold);
	l.base = level;
	return l;
}

/* What is wanted of the word. */
struct wish {
	struct timeline_event *event; /* that tells of it */
	uint8_t level;
	uint64_t until;  /* of a burst; 0: a priority */
	uint64_t sample; /* told of a burst */
};

/* Log a change, then make it; again as long as others change the word. */
static void
change(struct timeline *tl, const struct wish *wish)
{
	const uint64_t until = wish->until;
	uint64_t *const word = &tl->header->levels;

	for (;;) {
		const uint64_t old = tl_load_64(word);
		const uint64_t now = tl_stamp_now(tl);
		const struct levels l = unpack(old, now);

		/* stalled past its own end: it must not live on in another */
		if (until && until < now >> TIMELINE_UNTIL_SHIFT)
			return;
		const bool alive = is_alive(tl, l, now);
		const struct levels next =
		    until ? with_burst(l, alive, wish->level, until)
			  : with_priority(l, alive, wish->level);

		timeline_append(wish->event, next.threshold, next.base,
		    next.until << TIMELINE_UNTIL_SHIFT, wish->sample);
		if (tl_cas_64(word, old, pack(next)))
			return;
	}
}

int
timeline_priority(struct timeline *tl, const char *priority)
{
	const int level = tl_priority_parse(priority, TIMELINE_LEVEL_NONE);
	const struct wish wish = { .event = tl->priority_event,
		.level = (uint8_t)level };

	if (level < 0)
		return level;
	tl_clock_visit(tl);
	change(tl, &wish);
	return 0;
}

int
tl_burst(struct timeline *tl, uint8_t level, uint64_t duration_ns,
    uint64_t sample)
{
	const uint64_t round = (UINT64_C(1) << TIMELINE_UNTIL_SHIFT) - 1;
	struct wish wish = { .event = tl->burst_event,
		.level = level,
		.sample = sample };
	uint64_t end;

	assert(level >= TIMELINE_LEVEL_MIN && level <= TIMELINE_LEVEL_MAX);
	if (duration_ns == 0 || duration_ns > hour_ns)
		return tl_error(-ERANGE, "a burst lasts 1 ns to an hour");
	end = tl_stamp_now(tl) + tl_calibrate_ticks(tl->header, duration_ns);
	wish.until = (end + round) >> TIMELINE_UNTIL_SHIFT;
	change(tl, &wish);
	return 0;
}

int
timeline_burst(struct timeline *tl, const char *priority, uint64_t duration_ns)
{
	const int level = tl_priority_parse(priority, -1);

	if (level < 0)
		return level;
	return tl_burst(tl, (uint8_t)level, duration_ns, 0);
}

void
tl_levels_look(const struct timeline *tl, struct tl_levels_now *now)
{
	const uint64_t word = tl_load_64(&tl->header->levels);
	const uint64_t stamp = tl_stamp_now(tl); /* after the word */
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
	const uint64_t now = tl_stamp_now(tl); /* after the word, see log_c.c */
	const struct levels l = unpack(word, now);

	if (!is_alive(tl, l, now))
		tl_cas_64(&tl->header->levels, word,
		    pack((struct levels){ l.base, l.base, 0 }));
}
