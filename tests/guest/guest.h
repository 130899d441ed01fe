/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - what the parts of the test in a guest share: a report by serial
 * line, probes of the clock, and what was done to it.
 */
#ifndef TESTS_GUEST_H
#define TESTS_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#define GUEST_TIMELINE "/guest"
#define GUEST_SECOND   INT64_C(1000000000)

enum { GUEST_JUMPS_MAX = 32 };

/* A sentence that holds or not; init.c counts.  note: a line for people. */
void report(bool holds, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The numbers that make the schedule: those of a seed are the same. */
uint64_t chance(uint64_t below);

/* Probe the clock for so long, every few milliseconds, with a reader of the
 * live timeline each second; closely: as fast as timers go. */
void probe_for(int64_t ns);
void probe_closely_for(int64_t ns);
/* Without a pause, so that nobody had a chance to notice. */
void probe_at_once(void);
/* A reader comes just now. */
void probe_reader(void);
/* The stamp of the last probe before the time went back, since the first one
 * given; 0: none. */
uint64_t probe_back(uint64_t first);
uint64_t probe_count(void);

/* What readers found meanwhile; and all probes by the final snapshot. */
void judge_readers(void);
void judge_snapshot(void);

/* The clock was set: right after this stamp. */
struct jump {
	const char *name;
	uint64_t tsc;
	bool leap;
};

/* Do everything that is done to clocks, in an order of its own. */
void play_schedule(void);
const struct jump *played_jumps(unsigned *count);

#endif
