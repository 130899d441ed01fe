/* SPDX-License-Identifier: Apache-2.0 */
/* intervals.h - when the record observed a message. */
#ifndef TL_SOURCE_INTERVALS_H
#define TL_SOURCE_INTERVALS_H

#include "source/source.h"

/* As enum timeline_read_look. */
enum tl_look {
	TL_LOOK_OBSERVED = 1,
	TL_LOOK_NOT_LOGGED,
	TL_LOOK_NOT_KEPT,
	TL_LOOK_NOT_WHOLE,
	TL_LOOK_NOT_KNOWN
};

struct tl_interval {
	int64_t from_ns;
	int64_t to_ns;
	unsigned look;
};

struct tl_intervals;

/* Open the intervals of a message of a source, which run, the oldest first and
 * without a gap, from the first entry of the source to its cut, or to its last
 * entry.  Two observed intervals that touch have a loss between them.  They
 * have a cursor of their own.  0 or -errno. */
int tl_intervals_open(struct tl_intervals **intervals,
    const struct tl_source *source, const struct tl_message *message);
/* Returns 1; 0: no more; -errno. */
int
tl_intervals_next(struct tl_intervals *intervals, struct tl_interval *interval);
void tl_intervals_close(struct tl_intervals *intervals);

#endif
