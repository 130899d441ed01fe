/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.h - counts of 64-bit values in log-linear buckets.
 *
 * The layout is that of HdrHistogram: for d significant digits there are enough
 * sub-buckets to distinguish values to one part in 10^d, and the width of a
 * bucket doubles as values grow.  Buckets are allocated when values need them,
 * up to 2^64-1.  Sources of the layout: HdrHistogram's documentation, and the
 * results of Node's perf_hooks.createHistogram.
 */
#ifndef TL_BASE_HISTOGRAM_H
#define TL_BASE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_histogram {
	uint64_t count; /* of values */
	/* the exact least and greatest value; 0 without values */
	uint64_t min;
	uint64_t max;
	/* == of histogram.c == */
	uint64_t **chunks;
	uint16_t *few; /* without chunks */
	uint16_t few_capacity;
	bool is_sorted;
	uint8_t digits;
	uint8_t half_bits; /* S/2 is 1 << half_bits */
};

/* Begin and end a histogram; digits: 1 to 5 significant decimal digits. */
void tl_histogram_init(struct tl_histogram *histogram, unsigned digits);
void tl_histogram_clear(struct tl_histogram *histogram);
/* Count a value n times.  0; -ENOMEM: nothing was counted. */
int
tl_histogram_add(struct tl_histogram *histogram, uint64_t value, uint64_t n);
/* Add all counts of other, which must have the same digits.  0, -EINVAL,
 * -ENOMEM. */
int
tl_histogram_merge(struct tl_histogram *histogram, struct tl_histogram *other);
/* The mean, as exact as the buckets, and between min and max.  0 if empty. */
double tl_histogram_mean(struct tl_histogram *histogram);
double tl_histogram_stddev(struct tl_histogram *histogram);
/* The highest value in the bucket of value number rank, in ascending order from
 * 1, but at most the greatest value.  0 if empty. */
uint64_t tl_histogram_at(struct tl_histogram *histogram, uint64_t rank);
/* Like tl_histogram_at(), for the rank of a percentile, 0 <= percent <= 100.
 * For 0 the least value. */
uint64_t
tl_histogram_percentile(struct tl_histogram *histogram, double percent);

/*
 * The rank of a percentile among `count` values in ascending order, from 1: the
 * first rank at which at least percent of all values are reached.  0 without
 * values.  Every percentile that a program shows, of buckets or of values, is
 * the value of this rank.  percent counts in millionths.
 */
uint64_t tl_percentile_rank(uint64_t count, double percent);
/* Iterate over the buckets with counts, lowest first: start with *index 0 and
 * continue until false.  [low, high] is the range of values in the bucket. */
bool tl_histogram_bucket(struct tl_histogram *histogram, size_t *index,
    uint64_t *low, uint64_t *high, uint64_t *count);

#endif
