/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rate.h - the rate of the time stamp counter of this machine.
 */
#ifndef TL_CLOCK_RATE_H
#define TL_CLOCK_RATE_H

#include "clock/clock.h"

#include <stddef.h>

enum {
	TL_CLOCK_MEASURE_NS = 10000000, /* baseline of a coarse rate */
	/* gives up if time stands still */
	TL_CLOCK_MEASURE_LOOPS_MAX = 10000000
};

/* The kernel's own line from the TSC to CLOCK_REALTIME, as a vDSO page has it
 * at one moment. */
struct tl_kernel_line {
	uint32_t sequence;
	uint32_t mult;
	uint32_t shift;
	uint64_t tsc;
	uint64_t utc_s;
	uint64_t utc_shifted; /* ns << shift */
};

/* Get the rate that the kernel or the CPU reports, checked.  Returns 0, or
 * -ENODATA if neither reports a rate. */
int tl_clock_rate_machine(struct tl_rate *rate);
/* The two ways of tl_clock_rate_machine, separate for tests. */
int tl_clock_rate_kernel(struct tl_rate *rate);
int tl_clock_rate_cpuid(struct tl_rate *rate);
/* Measure the rate by sandwiches at both ends of at least baseline_ns, without
 * sleeping.  Returns 0 or -errno. */
int tl_clock_rate_measure(const struct tl_clock_source *source,
    uint64_t baseline_ns, struct tl_rate *rate);

/* The rate that a kernel uses for a counter of khz: kernels round by up to 60
 * ppb. */
uint64_t tl_clock_round(uint64_t khz);

/*
 * Find the next place in a copy of a vDSO data page that could be the line of a
 * TSC clock; sets line.  *offset counts the places tried, from 0.  Only a
 * comparison with the clock shows which line is right.
 */
bool tl_kernel_line_find(const unsigned char *page, size_t size, size_t *offset,
    struct tl_kernel_line *line);
/* The time of a stamp on the line, in ns, rounded down. */
int64_t tl_kernel_line_at(const struct tl_kernel_line *line, uint64_t tsc);

#endif
