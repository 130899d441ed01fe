/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doubles.h - counts of finite doubles in log-linear buckets.
 *
 * Each power of two from 2^-1074 to 2^1023, of either sign, has 1024 buckets of
 * equal width.  So a bucket tells doubles apart to one part in a thousand, as
 * base/histogram.h does for integers.  The buckets of a power of two are
 * allocated for its first value.
 */
#ifndef TL_DUMP_STATS_DOUBLES_H
#define TL_DUMP_STATS_DOUBLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_doubles;

/* 0 or -ENOMEM. */
int tl_doubles_new(struct tl_doubles **doubles);
void tl_doubles_free(struct tl_doubles *doubles);
/* Count a finite value.  0; -ENOMEM: the value was not counted. */
int tl_doubles_add(struct tl_doubles *doubles, double value);
uint64_t tl_doubles_count(const struct tl_doubles *doubles);
/* The exact least and greatest value.  0 if empty. */
double tl_doubles_min(const struct tl_doubles *doubles);
double tl_doubles_max(const struct tl_doubles *doubles);
double tl_doubles_mean(const struct tl_doubles *doubles);
/* The highest value in the bucket of value number rank, in ascending order from
 * 1, but at most the greatest value.  0 if empty. */
double tl_doubles_at(const struct tl_doubles *doubles, uint64_t rank);
/* Iterate over the buckets with counts, lowest first: start with *index 0 and
 * continue until false.  [low, high] is the range of values in the bucket. */
bool tl_doubles_bucket(const struct tl_doubles *doubles, size_t *index,
    double *low, double *high, uint64_t *count);

#endif
