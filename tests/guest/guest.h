/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - the interface between the parts of the test in a guest: a report on
 * the serial line, probes of the clock, and the list of its jumps.
 */
#ifndef TESTS_GUEST_H
#define TESTS_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#define GUEST_TIMELINE "/guest"
#define GUEST_SECOND   INT64_C(1000000000)

enum { GUEST_JUMPS_MAX = 32 };

/*
 * report() prints a statement and counts whether it holds; note() prints a line
 * of information.
 */
void report(bool holds, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Random numbers of the schedule; a seed repeats them. */
uint64_t chance(uint64_t below);

/*
 * Probe the clock for some time every few milliseconds, with a reader of the
 * live timeline about each second; closely: as fast as timers allow.
 */
void probe_for(int64_t ns);
void probe_closely_for(int64_t ns);
/* Probe without a pause, so that no process can react in between. */
void probe_at_once(void);
/* Read the live timeline now. */
void probe_reader(void);
/*
 * The stamp of the last probe before the time went back, from probe number
 * first on; 0: it did not go back.
 */
uint64_t probe_back(uint64_t first);
uint64_t probe_count(void);

/* Judge what readers found meanwhile, and all probes by the final snapshot. */
void judge_readers(void);
void judge_snapshot(void);

/* The clock was set right after this stamp. */
struct jump {
	const char *name;
	uint64_t tsc;
	bool leap;
};

/* Do everything to the clock that machines do, in random order. */
void play_schedule(void);
const struct jump *played_jumps(unsigned *count);

#endif
