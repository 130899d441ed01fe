/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_clock.h - the bound of the error of a host's clock.  The kernel of the
 * host reported the bound when each knot was measured.
 *
 *	        10 ms     12 ms            unsynchronised
 *	 - - - K---------K- - - - - - - - K
 *	 grows  the greater of both  grows   no bound
 */
#ifndef TL_SOURCE_HOST_CLOCK_H
#define TL_SOURCE_HOST_CLOCK_H

#include "event/event.h"

/* Starts from all zeros. */
struct tl_host_clock {
	struct tl_host_point *points; /* sorted by epoch and stamp */
	size_t count;
	size_t capacity;
	size_t near; /* index of the point found last */
};

void tl_host_clock_free(struct tl_host_clock *clock);

/* Add a knot of a timeline of this boot of the host.  Returns 0 or -ENOMEM. */
int tl_host_clock_add(struct tl_host_clock *clock,
    const struct timeline_knot *knot);
/* Sort the points; call after all knots were added. */
void tl_host_clock_settle(struct tl_host_clock *clock);

/* The bound in microseconds, rounded up, at the stamp of an event;
 * TL_SYNC_UNBOUNDED if there is no bound. */
uint32_t
tl_host_clock_at(struct tl_host_clock *clock, const struct tl_event *event);
/* The greatest bound of all knots. */
uint32_t tl_host_clock_worst(const struct tl_host_clock *clock);

#endif
