/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_clock.c - bound the error of a host's clock by the knots of its
 * timelines.
 *
 * Between two knots the clock was corrected.  Outside of the knots the bound
 * grows by 500 ppm, the largest error of the clock's rate that the kernel
 * permits; the kernel lets its own bound of an uncorrected clock grow by the
 * same rate.
 */
#include "source/hosts.h"

#include "base/array.h"
#include "clock/clock.h"

#include <errno.h>
#include <stdlib.h>

enum { GROWTH_PARTS = 1000000 / TL_CLOCK_STEER_PPM };

struct tl_host_point {
	uint64_t tsc;
	int64_t ns;
	uint32_t epoch;
	uint32_t sync_us; /* or TL_SYNC_UNBOUNDED */
	bool breaks;      /* the clock was set just before */
};

static const uint16_t break_flags = TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP |
				    TIMELINE_KNOT_GAP | TIMELINE_KNOT_NEW_EPOCH;

void
tl_host_clock_free(struct tl_host_clock *clock)
{
	free(clock->points);
	*clock = (struct tl_host_clock){ 0 };
}

int
tl_host_clock_add(struct tl_host_clock *clock, const struct timeline_knot *knot)
{
	if (TL_ARRAY_ROOM(clock->points, clock->capacity, clock->count) < 0)
		return -ENOMEM;
	clock->points[clock->count++] = (struct tl_host_point){
		.tsc = knot->tsc,
		.ns = knot->utc_ns,
		.epoch = knot->epoch,
		.sync_us = knot->flags & TIMELINE_KNOT_UNSYNC
			       ? TL_SYNC_UNBOUNDED
			       : knot->sync_err_us,
		.breaks = (knot->flags & break_flags) != 0,
	};
	return 0;
}

static int
compare_points(const void *a, const void *b)
{
	const struct tl_host_point *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch > y->epoch ? 1 : -1;
	if (x->tsc != y->tsc)
		return x->tsc > y->tsc ? 1 : -1;
	return (x->sync_us > y->sync_us) - (x->sync_us < y->sync_us);
}

void
tl_host_clock_settle(struct tl_host_clock *clock)
{
	if (clock->count > 0)
		qsort(clock->points, clock->count, sizeof(clock->points[0]),
		    compare_points);
	clock->near = 0;
}

/* Is the point at or before the event? */
static bool
is_before(const struct tl_host_point *point, const struct tl_event *event)
{
	return point->epoch < event->epoch ||
	       (point->epoch == event->epoch && point->tsc <= event->tsc);
}

/* The bound at ns, without a correction since the point. */
static uint32_t
grow(const struct tl_host_point *from, int64_t ns)
{
	const uint64_t away_ns = ns > from->ns
				     ? (uint64_t)ns - (uint64_t)from->ns
				     : (uint64_t)from->ns - (uint64_t)ns;
	const uint64_t sync_us =
	    from->sync_us + away_ns / 1000 / GROWTH_PARTS + 1;

	if (away_ns == 0 || from->sync_us == TL_SYNC_UNBOUNDED)
		return from->sync_us;
	return sync_us < TL_SYNC_UNBOUNDED ? (uint32_t)sync_us
					   : TL_SYNC_UNBOUNDED;
}

uint32_t
tl_host_clock_at(struct tl_host_clock *clock, const struct tl_event *event)
{
	const struct tl_host_point *at, *next;
	size_t i = clock->near;

	if (clock->count == 0)
		return TL_SYNC_UNBOUNDED;
	/* the last point at or before the event; the first if there is none */
	if (!is_before(&clock->points[i], event) ||
	    (i + 1 < clock->count && is_before(&clock->points[i + 1], event))) {
		TL_SEARCH(i, 1, clock->count,
		    is_before(&clock->points[i], event));
		clock->near = i - 1;
	}
	at = &clock->points[clock->near];
	next = clock->near + 1 < clock->count ? at + 1 : NULL;
	if (next && at->epoch < next->epoch && next->epoch == event->epoch)
		/* the event is before the first point of its epoch */
		return grow(next, event->ns);
	if (!is_before(at, event) || !next || next->epoch != at->epoch ||
	    next->breaks || next->sync_us == TL_SYNC_UNBOUNDED ||
	    at->sync_us == TL_SYNC_UNBOUNDED)
		return grow(at, event->ns);
	return next->sync_us > at->sync_us ? next->sync_us : at->sync_us;
}

uint32_t
tl_host_clock_worst(const struct tl_host_clock *clock)
{
	uint32_t worst = clock->count > 0 ? 0 : TL_SYNC_UNBOUNDED;

	for (size_t i = 0; i < clock->count; i++) {
		if (clock->points[i].sync_us > worst)
			worst = clock->points[i].sync_us;
	}
	return worst;
}
