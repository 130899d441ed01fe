/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_clock.h - how far the clock of a host may have been from the time that
 * all hosts share: what its kernel said whenever a knot was measured.
 *
 *	        10 ms     12 ms            unsynchronised
 *	 - - - K---------K- - - - - - - - K
 *	 grows  the greater of both  grows   no bound
 */
#ifndef TL_SOURCE_HOST_CLOCK_H
#define TL_SOURCE_HOST_CLOCK_H

#include "event/event.h"

/* Starts from all zeros: nothing is known. */
struct tl_host_clock {
	struct tl_host_point *points; /* by epoch and stamp */
	size_t count;
	size_t capacity;
	size_t near; /* the point that was looked up last */
};

void tl_host_clock_free(struct tl_host_clock *clock);

/* A knot of a timeline of this host, since this start of it.  0, -ENOMEM. */
int tl_host_clock_add(struct tl_host_clock *clock,
    const struct timeline_knot *knot);
/* All are added. */
void tl_host_clock_settle(struct tl_host_clock *clock);

/* The bound of its error, in microseconds rounded up, when an event was
 * stamped; TL_SYNC_UNBOUNDED: none. */
uint32_t
tl_host_clock_at(struct tl_host_clock *clock, const struct tl_event *event);
/* The greatest of those that were measured. */
uint32_t tl_host_clock_worst(const struct tl_host_clock *clock);

#endif
