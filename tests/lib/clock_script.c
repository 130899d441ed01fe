/* SPDX-License-Identifier: Apache-2.0 */
/* clock_script.c - scripted clocks, and a simple conversion of stamps. */
#include "clock_script.h"

#include <assert.h>
#include <string.h>

enum { RAW_AHEAD_NS = 1000, BAD_TICKS_MAX = 300000 };

uint64_t
clock_script_random(struct clock_script *script, uint64_t below)
{
	script->seed ^= script->seed << 13;
	script->seed ^= script->seed >> 7;
	script->seed ^= script->seed << 17;
	return (script->seed >> 11) % below;
}

static __int128
at(const struct clock_script_piece *piece, uint64_t tsc)
{
	return piece->utc +
	       ((__int128)tsc - (__int128)piece->tsc) * (__int128)piece->mult;
}

static const struct clock_script_piece *
last_piece(const struct clock_script *script)
{
	return &script->pieces[script->count - 1];
}

static void
add_piece(struct clock_script *script, __int128 utc, uint64_t mult)
{
	assert(script->count < CLOCK_SCRIPT_PIECES_MAX);
	script->pieces[script->count++] =
	    (struct clock_script_piece){ .tsc = script->tsc,
		    .utc = utc,
		    .mult = mult,
		    .epoch = script->epoch };
}

void
clock_script_start(struct clock_script *script, uint64_t khz, uint64_t seed)
{
	memset(script, 0, sizeof(*script));
	script->tsc = 987654321;
	script->seed = seed * 0x9e3779b97f4a7c15 + 1;
	script->nominal = tl_clock_mult(1000000, khz);
	script->bad_percent = 5;
	script->tells_rate = true;
	add_piece(script, (__int128)1800000000000000000 << 63, script->nominal);
}

void
clock_script_run(struct clock_script *script, uint64_t ns)
{
	script->tsc += tl_ns_to_ticks(ns, script->nominal);
}

void
clock_script_rate(struct clock_script *script, int64_t ppb)
{
	const uint64_t mult = (uint64_t)((__int128)script->nominal *
					 (1000000000 + ppb) / 1000000000);

	add_piece(script, at(last_piece(script), script->tsc), mult);
}

void
clock_script_step(struct clock_script *script, int64_t ns)
{
	const struct clock_script_piece *last = last_piece(script);

	add_piece(script, at(last, script->tsc) + (__int128)ns * TL_MULT_ONE,
	    last->mult);
}

void
clock_script_reset(struct clock_script *script, uint64_t tsc)
{
	const struct clock_script_piece *last = last_piece(script);
	const __int128 utc = at(last, script->tsc);

	script->tsc = tsc;
	script->epoch++;
	add_piece(script, utc, last->mult);
}

int64_t
clock_script_truth(const struct clock_script *script, uint32_t epoch,
    uint64_t tsc)
{
	const struct clock_script_piece *best = NULL;

	for (size_t i = 0; i < script->count; i++) {
		const struct clock_script_piece *p = &script->pieces[i];

		if (p->epoch == epoch && (!best || p->tsc <= tsc))
			best = p;
	}
	return (int64_t)(at(best, tsc) >> 63);
}

static uint64_t
read_tsc(void *context)
{
	struct clock_script *script = context;

	return script->tsc += 20 + clock_script_random(script, 20);
}

static int64_t
read_utc(void *context)
{
	struct clock_script *script = context;
	int64_t ns;

	/* interrupted before or after the clock was read? */
	if (clock_script_random(script, 100) < script->bad_percent)
		script->tsc += clock_script_random(script, BAD_TICKS_MAX);
	script->tsc += 10 + clock_script_random(script, 60);
	ns = (int64_t)(at(last_piece(script), script->tsc) >> 63);
	script->tsc += 10 + clock_script_random(script, 60);
	if (clock_script_random(script, 100) < script->bad_percent)
		script->tsc += clock_script_random(script, BAD_TICKS_MAX);
	return ns;
}

static int64_t
read_raw(void *context)
{
	struct clock_script *script = context;

	return tl_ticks_to_ns((int64_t)script->tsc, script->nominal) +
	       RAW_AHEAD_NS;
}

static void
read_sync(void *context, struct tl_clock_sync *sync)
{
	const struct clock_script *script = context;

	*sync = (struct tl_clock_sync){ .steered = script->steered,
		.error_us = script->steered ? 1234 : UINT32_MAX,
		.tai_offset_s = script->tai_offset_s };
}

static int
read_rate(void *context, struct tl_rate *rate)
{
	const struct clock_script *script = context;

	if (!script->tells_rate)
		return -1;
	*rate = (struct tl_rate){ .mult = last_piece(script)->mult,
		.tsc_khz = 2000000,
		.error_ppb = 155,
		.source = TL_RATE_KERNEL };
	return 0;
}

struct tl_clock_source
clock_script_source(struct clock_script *script)
{
	return (struct tl_clock_source){ .tsc = read_tsc,
		.utc = read_utc,
		.raw = read_raw,
		.sync = read_sync,
		.rate = read_rate,
		.context = script,
		.kind = TIMELINE_CLOCK_TSC };
}

int64_t
clock_script_convert(const struct timeline_knot *knots, size_t count,
    uint32_t epoch, uint64_t tsc, uint32_t *bound_ns)
{
	const uint16_t breaks = TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP |
				TIMELINE_KNOT_GAP | TIMELINE_KNOT_NEW_EPOCH;

	*bound_ns = UINT32_MAX;
	for (size_t i = 0; i + 1 < count; i++) {
		const struct timeline_knot *a = &knots[i], *b = &knots[i + 1];

		if (a->epoch != epoch || b->epoch != epoch || tsc < a->tsc ||
		    tsc >= b->tsc)
			continue;
		*bound_ns = b->max_err_ns;
		if (b->flags & breaks)
			return a->utc_ns +
			       (int64_t)(((__int128)(tsc - a->tsc) * a->mult) >>
					 63);
		return a->utc_ns + (int64_t)((__int128)(tsc - a->tsc) *
					     (b->utc_ns - a->utc_ns) /
					     (__int128)(b->tsc - a->tsc));
	}
	return 0;
}
