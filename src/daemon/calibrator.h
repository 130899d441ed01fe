/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calibrator.h - calibrate the clock of a timeline: two points a second, a knot
 * when the kernel's clock changed its rate, a step when the clock was set.
 */
#ifndef TL_DAEMON_CALIBRATOR_H
#define TL_DAEMON_CALIBRATOR_H

#include "clock/clock.h"

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

#endif
