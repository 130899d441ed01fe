/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_keep.h - the keeper of a daemon with a scripted clock, and readers that
 * check every stamp against the script.  The functions stand in a header
 * because only some tests link the keeper.
 */
#ifndef TESTS_CLOCK_KEEP_H
#define TESTS_CLOCK_KEEP_H

#include "clock/convert.h"
#include "clock/keeper.h"
#include "clock_fixture.h"
#include "daemon/calibrator.h"

#include <errno.h>

enum { OFFS_MAX = 2000000 };

static struct tl_keeper keeper;
static struct tl_sampler sampler;
static struct tl_keep_news news;
static uint64_t tick_ns;
static unsigned lively; /* fast ticks to come */

/*
 * Stretches of time during which the clock was set: no straight line describes
 * the clock there, and measure_knots() leaves the errors out.
 */
static struct {
	uint32_t epoch;
	uint64_t from, to;
} windows[KNOTS];
static size_t window_count;

static inline void
set_up_keeper(uint64_t seed, bool steered)
{
	set_up(seed);
	header.clock_kind = TIMELINE_CLOCK_TSC;
	script.steered = steered;
	ck_assert_ok(tl_calibrate_first(&calibrate));
	tl_keeper_init(&keeper, &calibrate);
	tl_sampler_init(&sampler, &source, NULL);
	news = (struct tl_keep_news){ .sees_set = true };
	window_count = 0;
	tick_ns = SECOND / 2;
	lively = 0;
}

/* Take one point now; returns the result of the keeper. */
static inline int
tick_now(void)
{
	struct tl_clock_point point;
	const uint64_t before = header.clock.tsc;
	int rc = tl_sampler_take(&sampler, &point, &news);

	if (rc == 0)
		rc = tl_keeper_point(&keeper, &point, &news);
	if (rc < 0 || (rc & TL_CALIBRATE_BUSY))
		return rc;
	lively = keeper.bent ? 12 : lively - (lively > 0);
	/* the daemon uses the same periods */
	tick_ns = SECOND / (lively > 0 ? 4 : 2);
	if (rc & (TL_CALIBRATE_STEP | TL_CALIBRATE_EPOCH)) {
		windows[window_count].epoch = header.clock.epoch;
		windows[window_count].from = before;
		windows[window_count++].to = header.clock.tsc;
	}
	news = (struct tl_keep_news){ .sees_set = news.sees_set };
	return rc;
}

/*
 * The error at a stamp.  The clock rounds down to a nanosecond, and the
 * fraction is no error.
 */
static inline int64_t
off_at(const struct tl_time *time, uint32_t epoch, uint64_t tsc,
    uint32_t *bound)
{
	return tl_time_convert(time, epoch, tsc, bound) -
	       clock_script_truth(&script, epoch, tsc);
}

/*
 * Check the times that a reader computes now against their bounds.  With
 * closing the reader takes a closing point of its own, as every real reader
 * does.
 */
static inline void
check_reader(bool closing, int probes)
{
	static struct timeline_header copy;
	static struct timeline_knot copied[KNOTS];
	const struct tl_calibrate own = { .header = &copy,
		.knots = copied,
		.knots_max = KNOTS,
		.source = &source };
	struct tl_time time;
	uint64_t from, to;

	copy_clock(&header, knots, KNOTS, &copy, copied);
	copy.clock_kind = header.clock_kind;
	if (closing)
		ck_assert_int_ge(tl_calibrate_copied(&own), 0);
	ck_assert_ok(tl_time_build(&time, &copy, copied, KNOTS, NULL, NULL));
	from = time.knots[0].tsc;
	to = closing ? copy.clock.tsc : script.tsc;
	/* with several epochs, probe only the newest one */
	if (copy.epochs != 0)
		for (size_t i = 0; i < time.knot_count; i++)
			if (time.knots[i].flags & TIMELINE_KNOT_NEW_EPOCH)
				from = time.knots[i].tsc;
	/* half of the probes lie among the last three seconds */
	for (int i = 0; i < probes && to > from; i++) {
		const uint64_t back = 3 * UINT64_C(2596128000);
		const uint64_t first =
		    i % 2 && to - from > back ? to - back : from;
		const uint64_t tsc =
		    first + clock_script_random(&script, to - first);
		uint32_t bound;
		const int64_t off = off_at(&time, copy.epochs, tsc, &bound);

		if (llabs(off) > bound)
			fprintf(stderr,
			    "%s: off %lld bound %u, %.3f s before the end, "
			    "%zu knots\n",
			    closing ? "closing" : "file", (long long)off, bound,
			    (double)(to - tsc) / 2596128000.0, time.knot_count);
		ck_assert_int_le(llabs(off), bound);
	}
	tl_time_free(&time);
}

static inline bool
in_window(uint32_t epoch, uint64_t tsc)
{
	for (size_t i = 0; i < window_count; i++)
		if (windows[i].epoch == epoch && tsc >= windows[i].from &&
		    tsc <= windows[i].to)
			return true;
	return false;
}

static inline int
by_size(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

struct offs {
	size_t count;
	uint32_t p99, max;
};

/*
 * Measure the error of committed knots outside of the windows, and check the
 * error of all knots against their bounds.
 */
static inline struct offs
measure_knots(size_t probes)
{
	static struct timeline_knot line[KNOTS + 1];
	static uint32_t offs[OFFS_MAX];
	const size_t n = polyline(line);
	struct offs result = { 0 };

	for (size_t i = 0; i + 1 < n; i++) {
		const struct timeline_knot *a = &line[i], *b = &line[i + 1];

		if (a->epoch != b->epoch)
			continue;
		for (size_t k = 0; k < probes / n + 10; k++) {
			uint32_t bound;
			const uint64_t tsc =
			    a->tsc +
			    clock_script_random(&script, b->tsc - a->tsc);
			const int64_t off =
			    clock_script_convert(line, n, a->epoch, tsc,
				&bound) -
			    clock_script_truth(&script, a->epoch, tsc);

			ck_assert_int_le(llabs(off), bound);
			if (!in_window(a->epoch, tsc))
				offs[result.count++] = (uint32_t)llabs(off);
		}
	}
	qsort(offs, result.count, sizeof(*offs), by_size);
	if (result.count > 0) {
		result.p99 = offs[result.count - 1 - result.count / 100];
		result.max = offs[result.count - 1];
	}
	return result;
}

/*
 * Take a point; the call may fail with EAGAIN because its bracket is too wide.
 */
static inline void
tick_or_miss(void)
{
	const int rc = tick_now();

	ck_assert(rc >= 0 || rc == -EAGAIN);
}

/* Let time pass in ticks, and change the clock from time to time. */
static inline void
run_for(uint64_t ns, int probes)
{
	for (uint64_t passed = 0; passed < ns; passed += tick_ns) {
		clock_script_run(&script, tick_ns);
		tick_or_miss();
		if (probes > 0)
			check_reader(true, probes);
	}
}

/* Let time pass; a duration may end between two ticks. */
static inline void
pass(uint64_t ns, int probes)
{
	static uint64_t left_ns;

	for (;;) {
		if (left_ns == 0)
			left_ns = tick_ns +
				  clock_script_random(&script, tick_ns / 50);
		const uint64_t now = ns < left_ns ? ns : left_ns;

		clock_script_run(&script, now);
		ns -= now;
		left_ns -= now;
		if (left_ns == 0) {
			tick_or_miss();
			if (probes > 0)
				check_reader(true, probes);
		}
		if (ns == 0)
			return;
	}
}

static inline void
slew(int64_t ppb, uint64_t ns, int probes)
{
	clock_script_rate(&script, ppb);
	pass(ns, probes);
}

/* Set the clock; the kernel reports it at once, and the keeper reads it. */
static inline void
set_clock(int64_t ns)
{
	clock_script_step(&script, ns);
	clock_script_run(&script, 50000 + clock_script_random(&script, 400000));
	news.was_set = true;
	ck_assert_int_ge(tick_now(), 0);
}

#endif
