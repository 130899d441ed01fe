/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrate_tail.c - the sequence lock of the clock tail, and the judgement of
 * a new point by the line so far.
 *
 * The first 8 bytes of the tail are one word: the sequence, and the pid of the
 * last process to take the lock.  Both change in one compare and swap, so an
 * odd sequence always stands beside the pid that made it odd.  Taking the lock:
 * even to odd.  Stealing the lock from a dead pid: odd to the next odd, by the
 * same instruction, so that only one of several thieves wins; the dead writer
 * may have stored any part of the tail, so a thief starts again from the last
 * knot.  Releasing the lock: odd to even, unless the lock was stolen (two pid
 * namespaces can consider each other's pids dead: the tail is then wrong until
 * the next point, but knots stay as they are).  Readers copy between two equal
 * even words.
 */
#include "clock/calibrate_tail.h"

#include "base/ns.h"
#include "base/word.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
	TAIL_WORDS = sizeof(struct timeline_clock_tail) / 8,
	KNOT_WORDS = sizeof(struct timeline_knot) / 8,
	KNOT_SEQ_WORD = offsetof(struct timeline_knot, seq) / 8,
	STRAY_FADES = 8,  /* part that fades with each point */
	WANDER_PPB = 500, /* undetected, while the clock is steered */
	STEP_FLOOR_NS = 1000,
	SLOW_HALF_NS = 80 /* wider brackets: no vDSO */
};
_Static_assert(KNOT_SEQ_WORD == KNOT_WORDS - 1, "seq is stored last");
_Static_assert(offsetof(struct timeline_clock_tail, tsc) == 8, "one word");

static uint64_t *
words_of(struct timeline_header *header)
{
	return (uint64_t *)(void *)&header->clock;
}

static const uint64_t *
const_words_of(const struct timeline_header *header)
{
	return (const uint64_t *)(const void *)&header->clock;
}

static uint64_t
lock_word(uint32_t sequence, uint32_t owner)
{
	return (uint64_t)owner << 32 | sequence;
}

static bool
is_dead(uint32_t pid)
{
	if (pid == 0 || pid > INT32_MAX) /* not a pid */
		return true;
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

int
tl_tail_lock(struct timeline_header *header, struct tl_tail_lock *lock)
{
	const int saved_errno = errno;
	uint64_t *words = words_of(header);
	const uint64_t seen = tl_load_acquire_64(&words[0]);
	const uint32_t sequence = (uint32_t)seen;
	const bool taken = sequence % 2 != 0;

	if (taken && !is_dead((uint32_t)(seen >> 32))) {
		errno = saved_errno;
		return -EBUSY;
	}
	errno = saved_errno;
	lock->stolen = taken;
	lock->word = lock_word(sequence + (taken ? 2 : 1), (uint32_t)getpid());
	return tl_cas_64(&words[0], seen, lock->word) ? 0 : -EBUSY;
}

void
tl_tail_unlock(struct timeline_header *header, const struct tl_tail_lock *lock,
    const struct timeline_clock_tail *tail)
{
	uint64_t *words = words_of(header);
	uint64_t copy[TAIL_WORDS];
	const uint32_t sequence = (uint32_t)lock->word;

	memcpy(copy, tail, sizeof(copy));
	for (int i = 1; i < TAIL_WORDS; i++)
		tl_store_64(&words[i], copy[i]);
	/* release: pairs with the second load of tl_calibrate_read */
	(void)tl_cas_64(&words[0], lock->word,
	    lock_word(sequence + 1, (uint32_t)(lock->word >> 32)));
}

void
tl_tail_load(const struct timeline_header *header,
    struct timeline_clock_tail *tail)
{
	const uint64_t *words = const_words_of(header);
	uint64_t copy[TAIL_WORDS];

	for (int i = 0; i < TAIL_WORDS; i++)
		copy[i] = tl_load_acquire_64(&words[i]);
	memcpy(tail, copy, sizeof(*tail));
}

int
tl_calibrate_read(const struct timeline_header *header,
    struct timeline_clock_tail *tail)
{
	for (int i = 0; i < TL_CALIBRATE_READS_MAX; i++) {
		tl_tail_load(header, tail);
		/* not taken, nor taken and released during the copy */
		if (tail->sequence % 2 == 0 &&
		    tl_load_acquire_64(const_words_of(header)) ==
			lock_word(tail->sequence, tail->owner))
			return 0;
	}
	tail->sequence |= 1;
	return -EAGAIN;
}

bool
tl_tail_is_kept(const struct timeline_header *header)
{
	const int saved_errno = errno;
	const uint32_t keeper = tl_load_32(&header->clock.keeper);
	const bool kept = keeper != 0 && !is_dead(keeper);

	errno = saved_errno;
	return kept;
}

void
tl_tail_set_errors(struct timeline_clock_tail *tail)
{
	const bool forgot = tail->points > 1;
	const uint64_t brackets = (uint64_t)tail->widest_ns * (forgot ? 2 : 1);
	const uint64_t tolerance = forgot ? TL_CALIBRATE_TOLERANCE_NS : 0;

	tail->max_err_ns =
	    tl_add_32(brackets + tolerance + TL_ROUNDING_NS, tail->bend_ns);
	tail->est_err_ns =
	    tl_add_32(tail->half_ns / 4 + tolerance / 2 + 1, tail->bend_ns / 4);
}

bool
tl_knot_load(const struct timeline_knot *knots, uint32_t knots_max, uint64_t i,
    struct timeline_knot *knot)
{
	const uint64_t *words =
	    (const uint64_t *)(const void *)&knots[i % knots_max];
	uint64_t copy[KNOT_WORDS];
	const uint64_t seq = tl_load_acquire_64(&words[KNOT_SEQ_WORD]);

	for (int k = 0; k < KNOT_WORDS; k++)
		copy[k] = tl_load_acquire_64(&words[k]);
	memcpy(knot, copy, sizeof(*knot));
	return seq == i + 1 && knot->seq == seq;
}

/*
 * Commit a knot.  The order is: seq 0, contents, seq, count.  A process that
 * dies in between leaves a slot that is no knot, or a knot that is not counted
 * and is written again.
 */
void
tl_calibrate_commit(const struct tl_calibrate *calibrate,
    const struct timeline_knot *knot)
{
	struct timeline_header *header = calibrate->header;
	const uint64_t i = tl_load_acquire_64(&header->knot_count);
	uint64_t *words =
	    (uint64_t *)(void *)&calibrate->knots[i % calibrate->knots_max];
	uint64_t copy[KNOT_WORDS];

	memcpy(copy, knot, sizeof(copy));
	tl_store_64(&words[KNOT_SEQ_WORD], 0);
	for (int k = 0; k < KNOT_SEQ_WORD; k++)
		/* release: a reader of any part sees that seq was cleared */
		tl_store_release_64(&words[k], copy[k]);
	/* release: pairs with tl_knot_load */
	tl_store_release_64(&words[KNOT_SEQ_WORD], i + 1);
	tl_store_release_64(&header->knot_count, i + 1);
	if (i >= calibrate->knots_max) /* overwrote the oldest knot */
		tl_fetch_add_64(&header->drops[TIMELINE_DROP_KNOTS], 1);
}

uint64_t
tl_ppb_of(uint64_t ns, uint64_t ppb)
{
	const uint64_t part =
	    tl_divide((unsigned __int128)ns * ppb, TL_NS_PER_S);

	return part < INT64_MAX ? part + 1 : INT64_MAX;
}

static uint32_t
ppb_between(uint64_t part_ns, uint64_t ns)
{
	return tl_add_32(tl_divide((unsigned __int128)part_ns * TL_NS_PER_S,
			     ns ? ns : 1),
	    1);
}

/*
 * Judge how far the clock may have strayed from the chord between two points.
 * A clock that is not steered and that arrived where expected has not strayed.
 * Otherwise its rate may have changed anywhere in between: the clock then
 * arrives off by off_ns, and a corner lies no further from the chord than
 * off_ns.  Recent changes of the rate may have happened here and been undone,
 * so their size is added, and half a ppm besides: that much steering to and fro
 * between two points goes undetected.
 */
static void
judge_bend(const struct timeline_clock_tail *tail, bool steered,
    uint64_t passed_ns, struct tl_verdict *v)
{
	const uint64_t off = tl_size_ns(v->off_ns);
	const uint64_t wander =
	    tail->rate_err_ppb > WANDER_PPB ? tail->rate_err_ppb : WANDER_PPB;
	const int64_t before = tl_ticks_between(tail->before_tsc, tail->tsc);

	v->stray_ppb = tail->stray_ppb - tail->stray_ppb / STRAY_FADES;
	if (!steered && !v->bent)
		return;
	v->bend_ns = tl_add_32(off, tl_ppb_of(passed_ns, wander) / 2 +
					tl_ppb_of(passed_ns, tail->stray_ppb));
	if (!v->bent)
		return;
	if (ppb_between(off, passed_ns) > v->stray_ppb)
		v->stray_ppb = ppb_between(off, passed_ns);
	if (before > 0)
		v->bend_before_ns = tl_add_32(0,
		    tl_ppb_of((uint64_t)tl_ticks_to_ns(before, tail->mult),
			v->stray_ppb));
}

void
tl_tail_judge(const struct timeline_clock_tail *tail,
    const struct tl_clock_point *point, struct tl_verdict *v)
{
	const int64_t ticks = tl_ticks_between(tail->tsc, point->tsc);
	const uint64_t passed = tl_size_ns(tl_ticks_to_ns(ticks, tail->mult));
	const int64_t rise = tl_sub_ns(point->utc_ns, tail->utc_ns);
	const uint64_t half_ticks =
	    point->half_ticks > INT64_MAX ? INT64_MAX : point->half_ticks;
	const uint64_t half =
	    (uint64_t)tl_ticks_to_ns((int64_t)half_ticks, tail->mult);
	const bool steered =
	    point->sync.steered || !(tail->flags & TIMELINE_KNOT_UNSYNC);

	*v = (struct tl_verdict){ .ticks = ticks };
	/* the clock truncates to 1 ns, and so do we */
	v->half_ns = half_ticks == 0 ? 0 : tl_add_32(half, 2);
	v->off_ns = tl_sub_ns(rise, tl_ticks_to_ns(ticks, tail->mult));
	v->noise_ns = (uint64_t)tail->half_ns + v->half_ns +
		      tl_ppb_of(passed, tail->rate_err_ppb);
	v->allow_ns = v->noise_ns + STEP_FLOOR_NS +
		      tl_ppb_of(passed, TL_CLOCK_STEER_PPM * 1000);
	v->step = tl_size_ns(v->off_ns) > v->allow_ns;
	v->bent = tl_size_ns(v->off_ns) > v->noise_ns;
	v->slope_ppb =
	    ppb_between((uint64_t)tail->half_ns + v->half_ns, passed);
	if (rise > 0 && ticks > 0)
		v->slope = tl_clock_mult((uint64_t)rise, (uint64_t)ticks);
	judge_bend(tail, steered, passed, v);
}

uint16_t
tl_point_flags(const struct tl_clock_point *point, uint32_t half_ns)
{
	return (uint16_t)((point->sync.steered ? 0 : TIMELINE_KNOT_UNSYNC) |
			  (half_ns > SLOW_HALF_NS ? TIMELINE_KNOT_NO_VDSO : 0));
}

void
tl_point_knot(const struct tl_clock_point *point, uint64_t mult,
    struct timeline_knot *knot)
{
	*knot = (struct timeline_knot){
		.tsc = point->tsc,
		.utc_ns = point->utc_ns,
		.mult = mult,
		.sync_err_us = point->sync.error_us,
		.tai_offset_s = point->sync.tai_offset_s,
		.pid = (uint32_t)getpid(),
	};
	if (point->raw_tsc != 0)
		knot->raw_ns = tl_add_ns(point->raw_ns,
		    tl_ticks_to_ns(tl_ticks_between(point->raw_tsc, point->tsc),
			mult));
}

void
tl_knot_cone(const struct timeline_knot *knot,
    const struct tl_clock_point *point, uint32_t half_ns, uint64_t *low,
    uint64_t *high)
{
	const uint64_t ticks = point->tsc - knot->tsc;
	const int64_t room = (int64_t)half_ns + TL_CALIBRATE_TOLERANCE_NS;
	__int128 rise = (__int128)point->utc_ns - knot->utc_ns;

	if (rise > INT64_MAX)
		rise = INT64_MAX;
	*low = rise > room ? tl_clock_mult((uint64_t)(rise - room), ticks) : 0;
	*high =
	    rise + room > 0 ? tl_clock_mult((uint64_t)(rise + room), ticks) : 0;
}

uint64_t
tl_knot_slope(const struct timeline_knot *knot,
    const struct tl_clock_point *point)
{
	const __int128 rise = (__int128)point->utc_ns - knot->utc_ns;

	if (rise <= 0 || rise > INT64_MAX || point->tsc <= knot->tsc)
		return 0;
	return tl_clock_mult((uint64_t)rise, point->tsc - knot->tsc);
}

void
tl_tail_knot(const struct timeline_clock_tail *tail, struct timeline_knot *knot)
{
	*knot = (struct timeline_knot){
		.tsc = tail->tsc,
		.utc_ns = tail->utc_ns,
		.mult = tail->mult,
		.raw_ns = tail->raw_ns,
		.est_err_ns = tail->est_err_ns,
		.max_err_ns = tail->max_err_ns,
		.sync_err_us = tail->sync_err_us,
		.epoch = tail->epoch,
		.flags = tail->flags,
		.tai_offset_s = tail->tai_offset_s,
		.pid = tail->owner,
	};
}
