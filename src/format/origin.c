/* SPDX-License-Identifier: Apache-2.0 */
/* origin.c - what this machine is called and when it was started. */
#include "format/origin.h"

#include <time.h>
#include <unistd.h>

static int64_t
now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void
tl_origin_here(struct tl_origin *origin)
{
	const int64_t utc_ns = now_ns(CLOCK_REALTIME);

	*origin = (struct tl_origin){ 0 };
	if (gethostname(origin->machine, sizeof(origin->machine) - 1) < 0)
		origin->machine[0] = '\0';
	origin->monotonic_ns = utc_ns - now_ns(CLOCK_MONOTONIC);
	origin->boottime_ns = utc_ns - now_ns(CLOCK_BOOTTIME);
}
