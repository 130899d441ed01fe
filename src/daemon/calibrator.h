/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrator.h - calibrate the clock of a timeline: two points a second, a knot
 * when the kernel's clock changed its rate, a step when the clock was set.
 */
#ifndef TL_DAEMON_CALIBRATOR_H
#define TL_DAEMON_CALIBRATOR_H

#include "clock/clock.h"
#include "clock/keeper.h"

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <timeline.h>

struct tl_calibrator;

struct tl_calibrator_status {
	uint64_t points;
	uint64_t rejected;   /* readings of clocks were too far apart */
	uint64_t knots;      /* knots committed */
	uint64_t steps;      /* times that the clock was set */
	uint64_t epochs;     /* restarts of the TSC */
	uint32_t est_err_ns; /* error of a stamp taken now */
	uint32_t max_err_ns;
	uint32_t rate_err_ppb;
	bool busy;    /* another process holds the clock */
	bool suspect; /* the TSC is no longer trusted */
};

/* Calibrate tl on the loop.  tl must outlive the calibrator.  Returns 0 or
 * -errno. */
int tl_calibrator_new(struct tl_calibrator **calibrator, struct ev_loop *loop,
    struct timeline *tl);
void tl_calibrator_status(const struct tl_calibrator *calibrator,
    struct tl_calibrator_status *status);
void tl_calibrator_free(struct tl_calibrator *calibrator);

/* == clock sampler == */

/*
 * Points of the clock, and the events that affect it.
 *
 * One sampler serves every timeline of this machine, because a point does not
 * depend on a file.  All clocks are read through functions, so that tests can
 * script them.
 */

enum { TL_SAMPLER_WIDTHS = 15 };

/* Further readings of the machine; each function may be NULL. */
struct tl_sampler_machine {
	/* The total time of suspends: CLOCK_BOOTTIME - CLOCK_MONOTONIC. */
	int64_t (*asleep_ns)(void *context);
	/* Does the kernel use the counter for its own clock? */
	bool (*uses_counter)(void *context);
	void (*boot_id)(void *context, uint8_t id[16]);
	void *context;
};

struct tl_sampler {
	const struct tl_clock_source *clock;
	const struct tl_sampler_machine *machine;
	/* half widths of the last brackets */
	uint64_t widths[TL_SAMPLER_WIDTHS];
	uint64_t takes;
	uint64_t rejected;
	int64_t asleep_ns;
	uint8_t boot_id[16];
	bool used_counter;
	/* The rate of the raw clock by the counter when first measured, and the
	 * last reading of the raw clock. */
	uint64_t raw_mult;
	uint64_t raw_tsc; /* 0: no reading */
	int64_t raw_ns;
	unsigned raw_doubts;
	bool suspect; /* never cleared */
};

/* The machine that this process runs on. */
const struct tl_sampler_machine *tl_sampler_machine(void);

void
tl_sampler_init(struct tl_sampler *sampler, const struct tl_clock_source *clock,
    const struct tl_sampler_machine *machine);
/*
 * Take a point.  The sampler sets in news what it detected (slept, restarted,
 * suspect); the caller clears news.  Returns 0, -EAGAIN if the bracket was too
 * wide and is counted as rejected, or -EIO without a clock.
 */
int tl_sampler_take(struct tl_sampler *sampler, struct tl_clock_point *point,
    struct tl_keep_news *news);

#endif
