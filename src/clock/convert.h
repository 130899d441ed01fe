/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.h - convert stamps of a frozen timeline to Unix time.
 *
 * The table is built once from the knots of a file, none of which is trusted.
 * A stamp then costs one multiplication while stamps stay on one segment of the
 * line.
 */
#ifndef TL_CLOCK_CONVERT_H
#define TL_CLOCK_CONVERT_H

#include "base/fault.h"
#include "clock/clock.h"

#include <stddef.h>
#include <timeline_layout.h>

/* A list of knots, oldest first, wherever they are stored. */
struct tl_knot_list {
	const void *of;
	size_t count;
	const struct timeline_knot *(*at)(const void *of, size_t i);
};

/*
 * Do two lines that count the same ticks give the same time?  A knot of one
 * line is compared with the other line if that line has knots on both sides.
 * Copies of one virtual machine that were set apart do not agree.
 */
bool tl_knots_agree(const struct tl_knot_list *a, const struct tl_knot_list *b);

enum { TL_TIME_KNOTS_MAX = 65536 }; /* further knots of a file are ignored */

/* A straight piece: stamps [from, from + ticks) of an epoch.  The line goes
 * through (tsc, utc_ns); inside nothing can overflow.  A time minus steps_ns
 * never jumps, so lengths of time are computed from such differences. */
struct tl_time_segment {
	uint64_t from;
	uint64_t ticks;
	uint64_t tsc;
	int64_t utc_ns;
	uint64_t mult;
	uint32_t epoch;
	uint32_t max_err_ns;
	uint32_t est_err_ns;
	uint32_t rate_err_ppb; /* growth of the error from tsc on; 0: none */
	int64_t steps_ns;      /* jumps in this epoch up to the segment */
};

struct tl_time {
	struct timeline_knot *knots; /* without faults, oldest first */
	size_t knot_count;
	struct tl_time_segment *segments; /* by (epoch, from), without gaps */
	size_t segment_count;
};

/* Called for each damaged knot; at is its offset in bytes from the first
 * knot. */
typedef void tl_time_damage(void *context, uint64_t at, const char *what);

/*
 * Build the table from a private copy of a header (clock tail, knot_count,
 * clock_kind) and the knots_max slots of its knot ring; the tail is the last
 * point.  damage may be NULL.  Returns 0 or -ENOMEM.  A built table is always
 * usable: a file without a single good knot converts by its tail or, at worst,
 * takes stamps for nanoseconds with an unbounded error.
 */
int tl_time_build(struct tl_time *time, const struct timeline_header *header,
    const struct timeline_knot *knots, size_t knots_max, tl_time_damage *damage,
    void *context);
void tl_time_free(struct tl_time *time);

/* The segment of a stamp; never NULL on a built table. */
const struct tl_time_segment *
tl_time_find(const struct tl_time *time, uint32_t epoch, uint64_t tsc);
/* Convert any stamp by a segment, saturating; slower than
 * tl_time_convert_near. */
int64_t tl_time_on(const struct tl_time_segment *segment, uint64_t tsc,
    uint32_t *error_ns);

/* Convert a stamp to Unix time, and set *error_ns to the bound of the error;
 * error_ns may be NULL. */
static inline int64_t
tl_time_convert(const struct tl_time *time, uint32_t epoch, uint64_t tsc,
    uint32_t *error_ns)
{
	return tl_time_on(tl_time_find(time, epoch, tsc), tsc, error_ns);
}

/*
 * Convert a stamp, with the segment of the last stamp kept by the caller (NULL
 * at first): one multiplication while stamps stay on the segment.
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
