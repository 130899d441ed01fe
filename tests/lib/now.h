/* SPDX-License-Identifier: Apache-2.0 */
/* now.h - the time of programs that tests start. */
#ifndef TESTS_LIB_NOW_H
#define TESTS_LIB_NOW_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, in nanoseconds. */
static inline int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
