/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers.h - read the durations of all spans of a timer, from a live or a saved
 * file.
 *
 * Histograms are read while they are written: each word is read once, and the
 * state of a histogram has its last addition, which may not be in the buckets
 * yet.  So the counts of a CPU whose threads do not log meanwhile are exact;
 * other counts are as of a moment during the read.
 */
#ifndef TL_SNAP_TIMERS_H
#define TL_SNAP_TIMERS_H

#include "base/fields.h"
#include "snap/snap.h"

/* The sum over all CPUs. */
struct tl_timer {
	struct timeline_timer fixed;
	uint64_t count;
	uint64_t sum; /* in ticks, like the fields below */
	uint64_t max;
	uint64_t values[TIMELINE_BUCKETS];
	uint64_t mult; /* ns per tick, times 2^63 */
};

/* Read timer number i of a file whose header has been checked.  1; 0: there is
 * no such timer, and no later one; -errno. */
int tl_timer_read(struct tl_timer *timer, int fd,
    const struct timeline_header *header, uint32_t i);
/* Read timer number i of an open timeline.  As tl_timer_read(). */
int
tl_snap_timer(struct tl_timer *timer, const struct tl_snap *snap, uint32_t i);
/* Is the message the message of a timer?  In an imported file the entries of a
 * timer are begin and end events as for any span, and message->timer is not
 * set. */
bool
tl_snap_is_timed(const struct tl_snap *snap, const struct tl_message *message);
/* The number of timers. */
uint32_t tl_snap_timer_count(const struct tl_snap *snap);
/* Make the histogram of a timer in a copy.  Its only row is the sum of all
 * rows. */
void tl_timer_histogram(struct timeline_histogram *histogram,
    const struct tl_timer *timer);
/* Read the timer of a message.  1; 0: the message has no timer, or the timer
 * was not saved; -errno. */
int tl_snap_timer_of(struct tl_timer *timer, const struct tl_snap *snap,
    const struct tl_message *message);

/* Readings of the timers of a timeline, from one and two windows ago. */
struct tl_timers_past;
/* Make an object.  Spans count for window_ns.  0 or -ENOMEM. */
int tl_timers_past_new(struct tl_timers_past **past, int64_t window_ns);
void tl_timers_past_free(struct tl_timers_past *past);

/*
 * Set the thresholds of the timers that follow a percentile of their spans.
 * past NULL: of all spans.  Otherwise of the spans of the last one to two
 * windows, so that old spans do not matter; if fewer than TL_TIMERS_BEYOND
 * spans of the windows are beyond the percentile, of all spans.  now_ns:
 * CLOCK_MONOTONIC.  0 or -errno.
 */
enum { TL_TIMERS_BEYOND = 10 };
struct timeline;
int tl_timers_keep(struct timeline *tl, struct tl_timers_past *past,
    int64_t now_ns);

/* Replace now by its difference from an earlier reading.  The maximum is exact
 * if it is the maximum of all spans, else exact to a bucket. */
void tl_timer_since(struct tl_timer *now, const struct tl_timer *before);

/* Convert ticks to nanoseconds. */
uint64_t tl_timer_ns(const struct tl_timer *timer, uint64_t ticks);
/* A percentile of the durations in ticks: the upper edge of its bucket, at most
 * the maximum.  0: no spans. */
uint64_t tl_timer_at(const struct tl_timer *timer, double percent);

/* Append the JSON members count, p50_ns, p99_ns, p999_ns, max_ns and sum_ns. */
void tl_timer_put(struct tl_fields *fields, const struct tl_timer *timer);
/* Append the JSON member slower_ns: the least duration of a span that becomes
 * an entry; null: no span does. */
void
tl_timer_put_slower(struct tl_fields *fields, const struct tl_timer *timer);

#endif
