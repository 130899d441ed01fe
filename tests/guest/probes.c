/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probes.c - compare the guest's clock with the timeline's.
 *
 * A probe is the counter, the clock, and the counter again, the narrowest of a
 * few.  Whatever the clock did, its time was read between the two stamps, so
 * the converted stamps and their bounds must enclose it: the test needs no
 * oracle.  The error is the distance of the time from the middle of the
 * bracket, as far as half the bracket does not explain it.
 */
#include "guest.h"

#include "../lib/random.h"
#include "../lib/snap_open.h"
#include "clock/clock.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
	PROBES_MAX = 100000,
	TRIES = 8,
	AT_ONCE = 40,
	READ_BACK = 400, /* probes that a reader of the live file checks */
	NARROW = 3,      /* in halves of the narrowest bracket */
	SHOWN_MAX = 10,  /* lines about failed probes */
	/* the targets outside of windows, for the certain part of the error */
	P99_NS = 40,
	MOST_NS = 100,
	SEEN_US = 100000, /* far less than a tick of the keeper */
	KNOTS_MAX = 60    /* for two minutes of such changes */
};
static const uint16_t breaks = TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP |
			       TIMELINE_KNOT_GAP | TIMELINE_KNOT_NEW_EPOCH;

static struct probe {
	uint64_t before, after;
	int64_t ns;
} probes[PROBES_MAX];
static size_t probe_n;
static uint64_t pauses = 1; /* seed of the pauses, apart from the schedule's */
static uint64_t narrowest = UINT64_MAX;
static unsigned readers, reader_misses, reader_failures;

/* How far a probe is off by a snapshot. */
struct off {
	int64_t ns;   /* of the middle; +: the clock is ahead */
	int64_t sure; /* the part that the bracket does not explain */
	uint32_t bound;
	bool holds;
};

static int64_t
read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * GUEST_SECOND + now.tv_nsec;
}

static uint64_t
read_tsc(void)
{
	uint64_t tsc;

	_mm_lfence();
	tsc = __rdtsc();
	_mm_lfence();
	return tsc;
}

static uint64_t
width(const struct probe *p)
{
	return p->after - p->before;
}

static void
take_probe(void)
{
	struct probe best = { .after = UINT64_MAX };

	for (int i = 0; i < TRIES; i++) {
		struct probe p;

		p.before = read_tsc();
		p.ns = read_clock(CLOCK_REALTIME);
		p.after = read_tsc();
		if (width(&p) < width(&best))
			best = p;
	}
	if (width(&best) < narrowest)
		narrowest = width(&best);
	if (probe_n < PROBES_MAX)
		probes[probe_n++] = best;
}

uint64_t
probe_count(void)
{
	return probe_n;
}

uint64_t
probe_back(uint64_t first)
{
	for (size_t i = first > 0 ? first : 1; i < probe_n; i++)
		if (probes[i].ns < probes[i - 1].ns)
			return probes[i - 1].after;
	return 0;
}

void
probe_at_once(void)
{
	for (int i = 0; i < AT_ONCE; i++)
		take_probe();
}

void
probe_closely_for(int64_t ns)
{
	const int64_t end = read_clock(CLOCK_MONOTONIC) + ns;

	do {
		take_probe();
		usleep(50);
	} while (read_clock(CLOCK_MONOTONIC) < end);
}

void
probe_for(int64_t ns)
{
	const int64_t begin = read_clock(CLOCK_MONOTONIC);
	int64_t read = begin, read_after = GUEST_SECOND, now = begin;

	while (now - begin < ns) {
		take_probe();
		usleep((useconds_t)(3000 + random_below(&pauses, 4000)));
		now = read_clock(CLOCK_MONOTONIC);
		if (now - read > read_after) {
			probe_reader();
			read = now;
			read_after =
			    GUEST_SECOND / 2 +
			    (int64_t)random_below(&pauses, GUEST_SECOND / 2);
		}
	}
}

static struct off
off_of(const struct tl_snap *snap, const struct probe *p)
{
	const uint64_t middle = p->before + width(p) / 2;
	uint32_t early, late;
	const int64_t from = tl_snap_time(snap, 0, p->before, &early);
	const int64_t to = tl_snap_time(snap, 0, p->after, &late);
	struct off off;

	off.ns = p->ns - tl_snap_time(snap, 0, middle, &off.bound);
	off.holds = early == UINT32_MAX || late == UINT32_MAX || /* unknown */
		    (p->ns >= from - early && p->ns <= to + late);
	off.sure = 0;
	if (p->ns < from)
		off.sure = from - p->ns;
	else if (p->ns > to)
		off.sure = p->ns - to;
	return off;
}

static void
show(const char *who, const struct off *off, double before_end_s)
{
	note("%s: off %+lld ns, sure of %lld, bound %u, %.4f s before its end",
	    who, (long long)off->ns, (long long)off->sure, off->bound,
	    before_end_s);
}

static double
seconds(const struct tl_snap *snap, uint64_t from, uint64_t to)
{
	return (double)(to - from) /
	       ((double)tl_snap_header(snap)->tsc_khz * 1000);
}

void
probe_reader(void)
{
	const size_t first = probe_n > READ_BACK ? probe_n - READ_BACK : 0;
	struct tl_fault fault;
	struct tl_snap *snap;

	if (snap_open(&snap, GUEST_TIMELINE, 0, &fault) != 0) {
		reader_failures++;
		return;
	}
	const uint64_t end = read_tsc();

	for (size_t i = first; i < probe_n; i++) {
		const struct off off = off_of(snap, &probes[i]);

		if (!off.holds && reader_misses++ < SHOWN_MAX)
			show("live reader", &off,
			    seconds(snap, probes[i].before, end));
	}
	readers++;
	tl_snap_close(snap);
}

void
judge_readers(void)
{
	report(reader_failures == 0 && readers > 0,
	    "%u readers of the live timeline could read it", readers);
	report(reader_misses == 0,
	    "and all times were within their bounds: %u were not",
	    reader_misses);
}

/*
 * The knot that ends the piece of a stamp; NULL: the stamp is after the last
 * knot.
 */
static const struct timeline_knot *
knot_after(const struct tl_snap *snap, uint64_t tsc)
{
	const size_t n = tl_snap_knot_count(snap);

	for (size_t i = 0; i < n; i++)
		if (tl_snap_knot(snap, i)->tsc >= tsc)
			return tl_snap_knot(snap, i);
	return NULL;
}

static bool
in_window(const struct tl_snap *snap, uint64_t tsc)
{
	const struct timeline_knot *knot = knot_after(snap, tsc);

	return knot && knot->flags & breaks;
}

static int
by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The value at a percentile of sorted values. */
static int64_t
part(const int64_t *offs, size_t n, size_t percent)
{
	return n > 0 ? offs[(n - 1) * percent / 100] : 0;
}

/* Errors outside of windows. */
static int64_t near[PROBES_MAX], sure[PROBES_MAX];
static size_t near_n, sure_n;

/*
 * Add the error of a probe, if the probe is outside of windows; near counts
 * narrow brackets only.
 */
static void
add_off(const struct tl_snap *snap, const struct probe *p,
    const struct off *off)
{
	if (in_window(snap, p->after))
		return;
	sure[sure_n++] = off->sure;
	if (width(p) * 2 <= narrowest * NARROW)
		near[near_n++] = llabs(off->ns);
}

static void
judge_nearness(void)
{
	qsort(near, near_n, sizeof(*near), by_size);
	qsort(sure, sure_n, sizeof(*sure), by_size);
	note("outside windows, by %zu narrow brackets: p50 %lld, p99 %lld, "
	     "max %lld ns",
	    near_n, (long long)part(near, near_n, 50),
	    (long long)part(near, near_n, 99),
	    (long long)part(near, near_n, 100));
	note("by all %zu, what is certain: p99 %lld, max %lld ns; %zu in "
	     "windows",
	    sure_n, (long long)part(sure, sure_n, 99),
	    (long long)part(sure, sure_n, 100), probe_n - sure_n);
	report(near_n > sure_n / 4 && part(sure, sure_n, 99) <= P99_NS &&
		   part(sure, sure_n, 100) <= MOST_NS,
	    "and outside windows they are off by %d ns at most, 99 %% by %d",
	    MOST_NS, P99_NS);
}

/*
 * Inside a window, where the clock was set, the bound covers the step;
 * elsewhere the stamps are near.
 */
static void
judge_offs(const struct tl_snap *snap)
{
	const uint64_t end = probes[probe_n - 1].after;
	size_t misses = 0;

	for (size_t i = 0; i < probe_n; i++) {
		const struct off off = off_of(snap, &probes[i]);

		if (!off.holds && misses++ < SHOWN_MAX)
			show("snapshot", &off,
			    seconds(snap, probes[i].before, end));
		add_off(snap, &probes[i], &off);
	}
	report(misses == 0,
	    "all %zu times were within their bounds: %zu were not", probe_n,
	    misses);
	judge_nearness();
}

/*
 * This test can fail: a line drawn at the start of the program misses many
 * probes.
 */
static void
judge_start(const struct tl_snap *snap)
{
	const struct timeline_knot *first = tl_snap_knot(snap, 0);
	size_t misses = 0;

	for (size_t i = 0; i < probe_n; i++) {
		const struct probe *p = &probes[i];
		const int64_t from =
		    tl_ticks_to_ns(tl_ticks_between(first->tsc, p->before),
			first->mult);
		const int64_t to =
		    tl_ticks_to_ns(tl_ticks_between(first->tsc, p->after),
			first->mult);
		const int64_t ns = p->ns - first->utc_ns;

		misses += ns < from || ns > to;
	}
	report(misses > probe_n / 2,
	    "a line drawn at the start misses most: %zu of %zu", misses,
	    probe_n);
}

static void
judge_jump(const struct tl_snap *snap, const struct jump *jump)
{
	const struct timeline_knot *knot = knot_after(snap, jump->tsc);
	const uint16_t flags =
	    TIMELINE_KNOT_STEP | (jump->leap ? TIMELINE_KNOT_LEAP : 0);
	const double late_us =
	    knot ? seconds(snap, jump->tsc, knot->tsc) * 1e6 : 0;

	report(knot &&
		   (knot->flags & (TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP)) ==
		       flags &&
		   late_us < SEEN_US,
	    "%s is marked%s, %.0f us later", jump->name,
	    jump->leap ? " as such" : "", late_us);
}

static void
judge_jumps(const struct tl_snap *snap)
{
	unsigned jumps, steps = 0, gaps = 0;
	const struct jump *jump = played_jumps(&jumps);

	for (unsigned i = 0; i < jumps; i++)
		judge_jump(snap, &jump[i]);
	for (size_t i = 0; i < tl_snap_knot_count(snap); i++) {
		const uint16_t flags = tl_snap_knot(snap, i)->flags;

		steps += (flags & TIMELINE_KNOT_STEP) != 0;
		gaps += (flags & TIMELINE_KNOT_GAP) != 0;
	}
	report(steps == jumps && gaps == 0, "nothing else is taken for a jump");
}

static void
show_knots(const struct tl_snap *snap)
{
	for (size_t i = 0; i < tl_snap_knot_count(snap); i++) {
		const struct timeline_knot *knot = tl_snap_knot(snap, i);

		note("knot at %.3f s: flags %#x, bound %u ns",
		    seconds(snap, tl_snap_knot(snap, 0)->tsc, knot->tsc),
		    knot->flags, knot->max_err_ns);
	}
}

static void
judge_knots(const struct tl_snap *snap)
{
	const size_t n = tl_snap_knot_count(snap);
	const double length_s =
	    seconds(snap, probes[0].before, probes[probe_n - 1].after);

	report(n <= KNOTS_MAX, "%zu knots describe %.1f s: no more than %d", n,
	    length_s, KNOTS_MAX);
	if (n > KNOTS_MAX)
		show_knots(snap);
}

void
judge_snapshot(void)
{
	struct tl_fault fault;
	struct tl_snap *snap;
	const int rc = snap_open(&snap, GUEST_TIMELINE, 0, &fault);

	report(rc == 0 && probe_n > 0 && probe_n < PROBES_MAX &&
		   tl_snap_fault_count(snap) == 0,
	    "a snapshot is read at the end");
	if (rc != 0)
		return;
	judge_offs(snap);
	judge_start(snap);
	judge_jumps(snap);
	judge_knots(snap);
	tl_snap_close(snap);
}
