/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_script.h - a counter and a wall clock that follow a script.
 *
 * Time passes when the script lets it pass, and a little with every reading.  A
 * test therefore runs hours in milliseconds and knows the true time of every
 * stamp.
 */
#ifndef TESTS_CLOCK_SCRIPT_H
#define TESTS_CLOCK_SCRIPT_H

#include "clock/clock.h"

#include <stddef.h>
#include <timeline_layout.h>

enum { CLOCK_SCRIPT_PIECES_MAX = 16384 };

struct clock_script_piece {
	uint64_t tsc;
	__int128 utc; /* ns times 2^63 */
	uint64_t mult;
	uint32_t epoch;
};

struct clock_script {
	uint64_t tsc;
	uint64_t seed;
	uint64_t nominal; /* mult at the nominal rate */
	uint32_t epoch;
	uint32_t bad_percent; /* brackets that are interrupted */
	bool steered;
	bool tells_rate;
	int16_t tai_offset_s;
	size_t count;
	struct clock_script_piece pieces[CLOCK_SCRIPT_PIECES_MAX];
};

void
clock_script_start(struct clock_script *script, uint64_t khz, uint64_t seed);
struct tl_clock_source clock_script_source(struct clock_script *script);
uint64_t clock_script_random(struct clock_script *script, uint64_t below);
/* Let time pass, change the rate, set the clock, restart the counter. */
void clock_script_run(struct clock_script *script, uint64_t ns);
void clock_script_rate(struct clock_script *script, int64_t ppb);
void clock_script_step(struct clock_script *script, int64_t ns);
void clock_script_reset(struct clock_script *script, uint64_t tsc);
/* The wall clock at a stamp. */
int64_t clock_script_truth(const struct clock_script *script, uint32_t epoch,
    uint64_t tsc);

/*
 * Convert a stamp in the simplest way: search all knots, which are valid and in
 * order, and divide with 128 bits.  The bound is the bound of the later knot;
 * outside of the knots the bound is UINT32_MAX.
 */
int64_t clock_script_convert(const struct timeline_knot *knots, size_t count,
    uint32_t epoch, uint64_t tsc, uint32_t *bound_ns);

#endif
