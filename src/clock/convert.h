/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - stamps of a frozen timeline to Unix time.
 *
 * Built once from the knots of a file, every one of them suspect; then a
 * stamp is one multiplication while stamps stay on one segment of the line.
 */
#ifndef TL_CLOCK_CONVERT_H
#define TL_CLOCK_CONVERT_H

#include "base/fault.h"
#include "clock/clock.h"

#include <stddef.h>
#include <timeline_layout.h>

/* Knots, oldest first, wherever they are kept. */
struct tl_knot_list {
	const void *of;
	size_t count;
	const struct timeline_knot *(*at)(const void *of, size_t i);
};

/*
 * Do two lines that count the same ticks give the same time?  The knots of
 * each are compared with the line of the other where it has knots on both
 * sides.  Copies of one virtual machine, set apart since, do not agree.
 */
bool tl_knots_agree(const struct tl_knot_list *a, const struct tl_knot_list *b);

enum { TL_TIME_KNOTS_MAX = 65536 }; /* more in a file are not looked at */

/* A straight piece: stamps [from, from + ticks) of an epoch.  The line goes
 * through (tsc, utc_ns); inside nothing can overflow.  A time less steps_ns
 * never jumps: lengths of time are differences of these. */
struct tl_time_segment {
	uint64_t from;
	uint64_t ticks;
	uint64_t tsc;
	int64_t utc_ns;
	uint64_t mult;
	uint32_t epoch;
	uint32_t max_err_ns;
	uint32_t est_err_ns;
	uint32_t rate_err_ppb; /* growth of the error away from tsc; 0 none */
	int64_t steps_ns;      /* jumps of the line in this epoch before it */
};

struct tl_time {
	struct timeline_knot *knots; /* trusted, oldest first */
	size_t knot_count;
	struct tl_time_segment *segments; /* by (epoch, from), without gaps */
	size_t segment_count;
};

/* Called for each damaged knot; at is its byte counted from the first knot. */
typedef void tl_time_damage(void *context, uint64_t at, const char *what);

/*
 * Build from a private copy of a header (clock tail, knot_count, clock_kind)
 * and the knots_max slots of its knot ring; the tail is the last point.
 * damage may be NULL.  Always usable after 0: a file without a single good
 * knot converts by its tail or, at worst, takes stamps for nanoseconds with
 * an unbounded error.  -ENOMEM otherwise.
 */
int tl_time_build(struct tl_time *time, const struct timeline_header *header,
    const struct timeline_knot *knots, size_t knots_max, tl_time_damage *damage,
    void *context);
void tl_time_free(struct tl_time *time);

/* The segment of a stamp; never NULL on a built table. */
const struct tl_time_segment *
tl_time_find(const struct tl_time *time, uint32_t epoch, uint64_t tsc);
/* Convert by a segment whatever the stamp: the slow and saturating way. */
int64_t tl_time_on(const struct tl_time_segment *segment, uint64_t tsc,
    uint32_t *error_ns);

/* Unix time of a stamp and the bound of its error (may be NULL). */
static inline int64_t
tl_time_convert(const struct tl_time *time, uint32_t epoch, uint64_t tsc,
    uint32_t *error_ns)
{
	return tl_time_on(tl_time_find(time, epoch, tsc), tsc, error_ns);
}

/*
 * The same with the segment of the last stamp kept by the caller (start with
 * NULL): one multiplication while stamps stay on it.
 */
static inline int64_t
tl_time_convert_near(const struct tl_time *time,
    const struct tl_time_segment **last, uint32_t epoch, uint64_t tsc,
    uint32_t *error_ns)
{
	const struct tl_time_segment *s = *last;

	if (!s || s->rate_err_ppb || tsc - s->from >= s->ticks ||
	    epoch != s->epoch) {
		s = *last = tl_time_find(time, epoch, tsc);
		return tl_time_on(s, tsc, error_ns);
	}
	if (error_ns)
		*error_ns = s->max_err_ns;
	return s->utc_ns +
	       (int64_t)(((unsigned __int128)(tsc - s->tsc) * s->mult) >> 63);
}

#endif
