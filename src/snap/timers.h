/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers.h - how long all spans of a timer took, of a live or a saved file.
 *
 * Histograms are read while they are written: each word is read once, and the
 * state of a histogram says what its last addition was, which may not be in
 * the buckets yet.  So the counts of a CPU whose threads do not log meanwhile
 * are exact, and others are those of a moment during the read.
 */
#ifndef TL_SNAP_TIMERS_H
#define TL_SNAP_TIMERS_H

#include "base/fields.h"
#include "snap/snap.h"

/* Of all CPUs. */
struct tl_timer {
	struct timeline_timer fixed;
	uint64_t count;
	uint64_t sum; /* ticks, as all that follows */
	uint64_t max;
	uint64_t values[TIMELINE_BUCKETS];
	uint64_t mult; /* ns per tick, times 2^63 */
};

/* Timer number i of a file whose header was checked: 1; 0 there is none, nor
 * behind it; -errno. */
int tl_timer_read(struct tl_timer *timer, int fd,
    const struct timeline_header *header, uint32_t i);
/* The same of an open timeline. */
int
tl_snap_timer(struct tl_timer *timer, const struct tl_snap *snap, uint32_t i);
/* The one of this message; 0: it is no timer, or was not saved. */
int tl_snap_timer_of(struct tl_timer *timer, const struct tl_snap *snap,
    const struct tl_message *message);

/* Set the thresholds that are to be kept at a percentile of all that a timer
 * has counted: 0, -errno. */
struct timeline;
int tl_timers_keep(struct timeline *tl);

/* What was counted after an earlier reading: now becomes the difference.  Its
 * largest is exact where it is the largest of all, else within a bucket. */
void tl_timer_since(struct tl_timer *now, const struct tl_timer *before);

/* Ticks as ns. */
uint64_t tl_timer_ns(const struct tl_timer *timer, uint64_t ticks);
/* The duration in ticks that this share of the counts does not exceed: the
 * middle of its bucket, but not above the largest.  0 without any. */
uint64_t tl_timer_at(const struct tl_timer *timer, double share);

/* JSON: count, p50_ns, p99_ns, p999_ns, max_ns and sum_ns. */
void tl_timer_put(struct tl_fields *fields, const struct tl_timer *timer);
/* JSON: slower_ns, the spans of at least so long are entries; null: none
 * are. */
void
tl_timer_put_slower(struct tl_fields *fields, const struct tl_timer *timer);

#endif
