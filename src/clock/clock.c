/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.c - read clocks: sandwiches, sources, arithmetic.
 *
 * A sandwich reads the counter, the wall clock, and the counter again.  The
 * clock was read somewhere in between, so the middle is wrong by half the width
 * at most, even after an interruption; the narrowest of several sandwiches is
 * used.  The first sandwich runs on cold caches and is thrown away.
 */
#include "clock/clock.h"

#include "base/ns.h"
#include "clock/rate.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <timeline_layout.h>
#include <x86intrin.h>

enum { RAW_TRIES_MAX = 4, TRIES_MIN = 3, TICK_US = 10000 };

/* Read the counter; the fences keep other instructions from moving across the
 * read. */
static uint64_t
read_tsc(void *context)
{
	uint64_t tsc;

	(void)context;
	_mm_lfence();
	tsc = __rdtsc();
	_mm_lfence();
	return tsc;
}

int64_t
tl_clock_read(clockid_t id)
{
	struct timespec now;

	if (clock_gettime(id, &now) < 0)
		return 0;
	return (int64_t)now.tv_sec * TL_NS_PER_S + now.tv_nsec;
}

static int64_t
read_utc(void *context)
{
	(void)context;
	return tl_clock_read(CLOCK_REALTIME);
}

static int64_t
read_raw(void *context)
{
	(void)context;
	return tl_clock_read(CLOCK_MONOTONIC_RAW);
}

/* Stamps of TIMELINE_CLOCK_REALTIME are the wall clock itself. */
static uint64_t
read_utc_stamp(void *context)
{
	return (uint64_t)read_utc(context);
}

/*
 * Is the clock steered?  Some daemons leave UNSYNC set while they work, but
 * they leave a frequency behind.
 */
static void
read_sync(void *context, struct tl_clock_sync *sync)
{
	struct timex t;

	(void)context;
	*sync =
	    (struct tl_clock_sync){ .steered = true, .error_us = UINT32_MAX };
	memset(&t, 0, sizeof(t));
	if (adjtimex(&t) < 0) /* forbidden here */
		return;
	sync->steered = !(t.status & STA_UNSYNC) || t.freq != 0 ||
			t.offset != 0 || t.tick != TICK_US;
	if (!(t.status & STA_UNSYNC) && t.maxerror >= 0)
		sync->error_us = (uint32_t)t.maxerror;
	sync->tai_offset_s = (int16_t)t.tai;
}

static int
rate_tsc(void *context, struct tl_rate *rate)
{
	(void)context;
	return tl_clock_rate_machine(rate);
}

static int
rate_exact(void *context, struct tl_rate *rate)
{
	(void)context;
	*rate = (struct tl_rate){ .mult = TL_MULT_ONE,
		.tsc_khz = 1000000,
		.source = TL_RATE_EXACT };
	return 0;
}

const struct tl_clock_source *
tl_clock_source(uint32_t kind)
{
	static const struct tl_clock_source tsc = { .tsc = read_tsc,
		.utc = read_utc,
		.raw = read_raw,
		.sync = read_sync,
		.rate = rate_tsc,
		.kind = TIMELINE_CLOCK_TSC };
	static const struct tl_clock_source realtime = { .tsc = read_utc_stamp,
		.utc = read_utc,
		.raw = read_raw,
		.sync = read_sync,
		.rate = rate_exact,
		.kind = TIMELINE_CLOCK_REALTIME };

	if (kind == TIMELINE_CLOCK_TSC)
		return &tsc;
	return kind == TIMELINE_CLOCK_REALTIME ? &realtime : NULL;
}

uint64_t
tl_clock_now(uint32_t kind)
{
	return kind == TIMELINE_CLOCK_TSC ? __rdtsc() : read_utc_stamp(NULL);
}

/* A bracket around a clock. */
struct bracket {
	uint64_t tsc;
	uint64_t width;
	int64_t ns;
};

static bool
take(const struct tl_clock_source *source, int64_t (*read)(void *),
    struct bracket *bracket)
{
	const uint64_t before = source->tsc(source->context);
	const int64_t ns = read(source->context);
	const uint64_t after = source->tsc(source->context);

	if (after < before) /* moved to a CPU with another counter */
		return false;
	*bracket = (struct bracket){ .tsc = before + (after - before) / 2,
		.width = after - before,
		.ns = ns };
	return true;
}

/*
 * Take the narrowest of at most tries brackets after the cold one.  Stops early
 * when two brackets have about the same width.
 */
static bool
take_best(const struct tl_clock_source *source, int64_t (*read)(void *),
    int tries, struct bracket *best)
{
	struct bracket next;
	int found = 0;

	(void)take(source, read, &next);
	for (int i = 0; i < tries; i++) {
		if (!take(source, read, &next))
			continue;
		if (found++ == 0) {
			*best = next;
			continue;
		}
		const bool alike =
		    next.width <= best->width + best->width / 8 &&
		    best->width <= next.width + next.width / 8;

		if (next.width < best->width)
			*best = next;
		if (alike && found > TRIES_MIN)
			break;
	}
	return found > 0;
}

int
tl_clock_sample(const struct tl_clock_source *source,
    struct tl_clock_point *point)
{
	struct bracket utc = { 0 }, raw = { 0 };

	*point = (struct tl_clock_point){ .sync = { .steered = true,
					      .error_us = UINT32_MAX } };
	if (source->sync)
		source->sync(source->context, &point->sync);
	if (source->raw &&
	    take_best(source, source->raw, RAW_TRIES_MAX, &raw)) {
		point->raw_tsc = raw.tsc;
		point->raw_ns = raw.ns;
	}
	if (source->kind == TIMELINE_CLOCK_REALTIME) {
		/* The stamp is the time: there is nothing to bracket. */
		point->tsc = source->tsc(source->context);
		point->utc_ns = (int64_t)point->tsc;
		return 0;
	}
	if (!take_best(source, source->utc, TL_CLOCK_TRIES_MAX, &utc))
		return -EIO;
	point->tsc = utc.tsc;
	point->utc_ns = utc.ns;
	point->half_ticks = utc.width / 2 + 1;
	return 0;
}

uint32_t
tl_add_32(uint64_t a, uint64_t b)
{
	return a > UINT32_MAX || b > UINT32_MAX - a ? UINT32_MAX
						    : (uint32_t)(a + b);
}

uint64_t
tl_divide(unsigned __int128 n, uint64_t by)
{
	uint64_t low = (uint64_t)n, high = (uint64_t)(n >> 64);

	if (high >= by) /* the quotient has more than 64 bits */
		return UINT64_MAX;
	__asm__("divq %2" : "+a"(low), "+d"(high) : "rm"(by) : "cc");
	return low;
}

uint64_t
tl_ns_to_ticks(uint64_t ns, uint64_t mult)
{
	return tl_divide(((unsigned __int128)ns << 63) + mult - (mult > 0),
	    mult);
}

uint64_t
tl_clock_mult(uint64_t ns, uint64_t ticks)
{
	const unsigned __int128 shifted =
	    ((unsigned __int128)ns << 63) + ticks / 2;

	return shifted >> 64 >= ticks ? 0 : tl_divide(shifted, ticks);
}

int
tl_clock_rate(const struct tl_clock_source *source, struct tl_rate *rate)
{
	if (source->rate && source->rate(source->context, rate) == 0)
		return 0;
	return tl_clock_rate_measure(source, TL_CLOCK_MEASURE_NS, rate);
}
