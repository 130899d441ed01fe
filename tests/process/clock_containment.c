/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_containment.c - the clock of this machine must stay in its bracket.
 *
 * The test needs no oracle: read the stamp counter, the wall clock, and the
 * counter again.  The two stamps, converted, must enclose the time of the wall
 * clock, to the bound that the conversion itself states.  The same readings
 * also judge worse conversions than ours: a test that lets them pass would
 * prove nothing.
 */
#include "clock/calibrate.h"
#include "clock/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <timeline_layout.h>

enum {
	KNOTS = 1024,
	PROBES_MAX = 30000,
	RUN_MS = 2500,
	PAUSE_NS = 100000,
	NAIVE_TRIES = 5,
	CLEARLY = 8, /* a control drifts by this many tolerances or is
		      * skipped */
	COLD_SIZE = 8 << 20,
	SKIPPED = 77
};

struct probe {
	uint64_t before;
	int64_t ns;
	uint64_t after;
};

/* A straight line, the conversion of simple tools. */
struct line {
	uint64_t tsc;
	int64_t ns;
	uint64_t mult;
};

static struct timeline_header header;
static struct timeline_knot knots[KNOTS];
static struct probe probes[PROBES_MAX];
static size_t probe_count;
static struct tl_time table;
static const struct tl_clock_source *source;

static void
pause_ns(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* Evict the caches, as the rest of a program does during a sleep. */
static void
cool_down(void)
{
	static unsigned char other_work[COLD_SIZE];

	for (size_t i = 0; i < sizeof(other_work); i += 64)
		((volatile unsigned char *)other_work)[i]++;
}

/* Calibrate as simple tools do: one pair, a sleep, another pair. */
static struct line
calibrate_naively(long ns)
{
	const int64_t from = source->utc(source->context);
	const uint64_t start = source->tsc(source->context);

	pause_ns(ns);
	cool_down();
	const int64_t to = source->utc(source->context);
	const uint64_t end = source->tsc(source->context);

	return (struct line){ .tsc = end,
		.ns = to,
		.mult = to > from
			    ? tl_clock_mult((uint64_t)(to - from), end - start)
			    : TL_MULT_ONE };
}

static void
run(const struct tl_calibrate *calibrate)
{
	const int64_t start = source->utc(source->context);
	int64_t now = start;

	while (probe_count < PROBES_MAX &&
	       now - start < (int64_t)RUN_MS * 1000000 && now >= start) {
		struct probe *p = &probes[probe_count++];

		p->before = source->tsc(source->context);
		p->ns = now = source->utc(source->context);
		p->after = source->tsc(source->context);
		pause_ns(PAUSE_NS);
		(void)tl_calibrate_maybe(calibrate);
	}
}

/*
 * Count the probes whose clock lies outside the bracket, to the stated bound or
 * to 1 ns.
 */
static size_t
count_ours(bool to_bound, uint32_t *worst_ns)
{
	size_t outside = 0;

	for (size_t i = 0; i < probe_count; i++) {
		const struct probe *p = &probes[i];
		uint32_t low_error, high_error;
		const int64_t low =
		    tl_time_convert(&table, 0, p->before, &low_error);
		const int64_t high =
		    tl_time_convert(&table, 0, p->after, &high_error);

		if (low_error > *worst_ns)
			*worst_ns = low_error;
		if (!to_bound)
			low_error = high_error = 1;
		outside += low - (int64_t)low_error > p->ns ||
			   high + (int64_t)high_error < p->ns;
	}
	return outside;
}

static size_t
count_line(struct line line, uint32_t allowed_ns)
{
	size_t outside = 0;

	for (size_t i = 0; i < probe_count; i++) {
		const struct probe *p = &probes[i];
		const int64_t low =
		    line.ns +
		    tl_ticks_to_ns(tl_ticks_between(line.tsc, p->before),
			line.mult);
		const int64_t high =
		    line.ns +
		    tl_ticks_to_ns(tl_ticks_between(line.tsc, p->after),
			line.mult);

		outside += low - (int64_t)allowed_ns > p->ns ||
			   high + (int64_t)allowed_ns < p->ns;
	}
	return outside;
}

static int
by_width(const void *a, const void *b)
{
	const struct probe *p = a, *q = b;
	const uint64_t x = p->after - p->before, y = q->after - q->before;

	return x < y ? -1 : x > y;
}

/* The drift at which a wrong line becomes visible: the bound and a bracket. */
static uint64_t
tolerance_ns(uint32_t bound_ns)
{
	static struct probe sorted[PROBES_MAX];

	memcpy(sorted, probes, sizeof(sorted));
	qsort(sorted, probe_count, sizeof(*sorted), by_width);
	const struct probe *middle = &sorted[probe_count / 2];

	return bound_ns + (uint64_t)tl_ticks_to_ns((int64_t)(middle->after -
							     middle->before),
			      header.clock.mult);
}

static bool
control(const char *name, size_t outside)
{
	const bool fails = outside * 4 > probe_count;

	printf("  control %-28s %6zu of %zu outside: %s\n", name, outside,
	    probe_count, fails ? "caught" : "NOT CAUGHT");
	return fails;
}

/* The mean of all naive startups, because a single one may be lucky. */
static size_t
count_naive(const struct line *lines, uint32_t allowed_ns)
{
	size_t outside = 0;

	for (int i = 0; i < NAIVE_TRIES; i++)
		outside += count_line(lines[i], allowed_ns);
	return outside / NAIVE_TRIES;
}

/* A line through our first point whose rate is wrong by ppb. */
static struct line
line_off_by(uint64_t ppb)
{
	const struct timeline_knot *first = &table.knots[0];
	const uint64_t mult = header.clock.mult;

	return (struct line){ .tsc = first->tsc,
		.ns = first->utc_ns,
		.mult = mult + (uint64_t)((unsigned __int128)mult * ppb /
					  1000000000) };
}

/*
 * The nominal frequency differs from the kernel's rate, often by enough to
 * show.
 */
static bool
control_nominal(uint64_t tolerance, uint32_t allowed_ns)
{
	const uint64_t mult = tl_clock_mult(1000000, header.tsc_khz);
	const uint64_t ours = header.clock.mult;
	const uint64_t apart = mult > ours ? mult - ours : ours - mult;
	const uint64_t ppb =
	    (uint64_t)((unsigned __int128)apart * 1000000000 / ours);
	struct line line = line_off_by(0);

	if (ppb * RUN_MS / 1000 < tolerance * CLEARLY) {
		printf("  control nominal kHz: skipped, only %llu ppb off\n",
		    (unsigned long long)ppb);
		return true;
	}
	line.mult = mult;
	return control("nominal kHz", count_line(line, allowed_ns));
}

static int
judge(const struct line *naive_1ms, const struct line *naive_10ms)
{
	uint32_t bound_ns = 0;
	const size_t strict = count_ours(false, &bound_ns);
	const size_t outside = count_ours(true, &bound_ns);
	const uint64_t tolerance = tolerance_ns(bound_ns);
	const uint64_t wrong_ppb = tolerance * CLEARLY * 1000 / RUN_MS + 1;
	bool good = outside == 0;

	printf("clock containment: %zu probes, %zu knots, rate source %u, "
	       "bound %u ns\n  ours: %zu outside the bound, %zu to 1 ns\n",
	    probe_count, table.knot_count, header.rate_source, bound_ns,
	    outside, strict);
	good &= control("rate off by a little",
	    count_line(line_off_by(wrong_ppb), bound_ns));
	good &=
	    control("1 ms at start, naive", count_naive(naive_1ms, bound_ns));
	/*
	 * a naive sleep of 10 ms is ten times better and may lie within the
	 * bound by luck: the line is for information
	 */
	(void)control("10 ms at start, naive",
	    count_naive(naive_10ms, bound_ns));
	good &= control_nominal(tolerance, bound_ns);
	return good ? 0 : 1;
}

int
main(void)
{
	struct line naive_1ms[NAIVE_TRIES], naive_10ms[NAIVE_TRIES];
	const uint32_t kind = tl_clock_choose(&header.cpu_flags);
	int rc;

	source = tl_clock_source(kind);
	header.clock_kind = kind;
	const struct tl_calibrate calibrate = { .header = &header,
		.knots = knots,
		.knots_max = KNOTS,
		.source = source };

	if (kind != TIMELINE_CLOCK_TSC) {
		printf("clock containment: no trustworthy TSC here\n");
		return SKIPPED;
	}
	for (int i = 0; i < NAIVE_TRIES; i++) {
		naive_1ms[i] = calibrate_naively(1000000);
		naive_10ms[i] = calibrate_naively(10000000);
	}
	if (tl_calibrate_first(&calibrate) < 0)
		return 1;
	run(&calibrate);
	(void)tl_calibrate_now(&calibrate, false);
	if (tl_time_build(&table, &header, knots, KNOTS, NULL, NULL) < 0)
		return 1;
	if (header.epochs != 0) {
		printf("clock containment: the counter began again\n");
		return SKIPPED;
	}
	rc = judge(naive_1ms, naive_10ms);
	tl_time_free(&table);
	return rc;
}
