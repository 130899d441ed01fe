/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - a program that logs spans through one tracer and knows when each
 * span began and ended.
 *
 *	outside[0]  begin event  inside[0]  ..  inside[1]  end event  outside[1]
 *
 * The duration that a tracer shows is true if it is at least that of the inside
 * and at most that of the outside.
 */
#ifndef SPANS_H
#define SPANS_H

#include <stdbool.h>
#include <stdint.h>

enum { SPANS_OUTER, SPANS_INNER }; /* an outer span has an inner span in it */

/* Times are nanoseconds of CLOCK_MONOTONIC; 0: not reached. */
struct span {
	int64_t outside[2];
	int64_t inside[2];
	int32_t tid;
	int32_t which;
};

/* == spans.c == */
int64_t spans_now(void);
void spans_spin(int64_t ns);
void spans_die(const char *why) __attribute__((noreturn));
/* Wait until a tracer is ready, or die for this reason after 20 seconds. */
void spans_wait(bool (*is_ready)(void), const char *why);
/* Run an inner span of so many ns. */
void spans_inner(long ns);

/* == work.c: the functions that uftrace traces == */
void outer(long id, struct span *span, long ns);
void inner(long id, struct span *span, long ns);
void gate_open(void);
void gate_close(void);
/* A tracer without a gate of its own logs while this is set. */
extern volatile bool gate;

/* == one file for each tracer == */
/* Start in the process that logs.  The gate is to be closed before the first
 * burst if closed is set. */
void tracer_start(bool closed);
uint64_t tracer_begin(int which, long id);
void tracer_end(int which, long id, uint64_t begun);
/* Log for so many ns, and return when that time is over.  The ns for which the
 * gate was open; 0: the record has them. */
int64_t tracer_burst(int64_t ns);

/* The burst of a tracer that has no gate of its own. */
int64_t spans_burst(int64_t ns);

#endif
