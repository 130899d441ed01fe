/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate.h - how fast the time stamp counter of this machine runs.
 */
#ifndef TL_CLOCK_RATE_H
#define TL_CLOCK_RATE_H

#include "clock/clock.h"

#include <stddef.h>

enum {
	TL_CLOCK_MEASURE_NS = 10000000,       /* baseline of a coarse rate */
	TL_CLOCK_MEASURE_LOOPS_MAX = 10000000 /* gives up if time stands */
};

/* The kernel's own line from the TSC to CLOCK_REALTIME, as a vDSO page has
 * it at one moment. */
struct tl_kernel_line {
	uint32_t sequence;
	uint32_t mult;
	uint32_t shift;
	uint64_t tsc;
	uint64_t utc_s;
	uint64_t utc_shifted; /* ns << shift */
};

/* The rate that the kernel or the CPU reports, checked; -ENODATA: neither
 * does. */
int tl_clock_rate_machine(struct tl_rate *rate);
/* The two ways apart, for tests. */
int tl_clock_rate_kernel(struct tl_rate *rate);
int tl_clock_rate_cpuid(struct tl_rate *rate);
/* By a sandwich at both ends of at least baseline_ns, without sleeping. */
int tl_clock_rate_measure(const struct tl_clock_source *source,
    uint64_t baseline_ns, struct tl_rate *rate);

/* The rate a kernel uses for a counter of khz: it rounds, by up to 60 ppb. */
uint64_t tl_clock_round(uint64_t khz);

/*
 * The next place from *offset on in a copy of a vDSO data page that could be
 * the line of a TSC clock: fills line, moves *offset past it.  Only a
 * comparison with the clock shows which one it is.
 */
bool tl_kernel_line_find(const unsigned char *page, size_t size, size_t *offset,
    struct tl_kernel_line *line);
/* Time of a stamp on the line, ns rounded down. */
int64_t tl_kernel_line_at(const struct tl_kernel_line *line, uint64_t tsc);

#endif
