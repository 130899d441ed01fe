/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns.h - the number of nanoseconds in each unit of time, and sums and
 * differences of times that do not wrap.  Durations come from files: two spans
 * of 285 years are more than 64 bits hold.
 */
#ifndef TL_BASE_NS_H
#define TL_BASE_NS_H

#include <stdint.h>

#define TL_NS_PER_US INT64_C(1000)
#define TL_NS_PER_MS INT64_C(1000000)
#define TL_NS_PER_S  INT64_C(1000000000)
#define TL_NS_PER_H  (3600 * TL_NS_PER_S)

/* a + b, saturating. */
static inline int64_t
tl_add_ns(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* a - b, saturating. */
static inline int64_t
tl_sub_ns(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < b ? INT64_MIN : INT64_MAX;
	return difference;
}

/* The time from from to to, saturating; 0 if to is not later. */
static inline int64_t
tl_ns_between(int64_t from, int64_t to)
{
	return from < to ? tl_sub_ns(to, from) : 0;
}

#endif
