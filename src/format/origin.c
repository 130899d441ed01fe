/* SPDX-License-Identifier: Apache-2.0 */
/* origin.c - what this machine is called and when it was started. */
#include "format/origin.h"

#include "base/clock.h"

#include <time.h>
#include <unistd.h>

void
tl_origin_here(struct tl_origin *origin)
{
	const int64_t utc_ns = tl_clock_read(CLOCK_REALTIME);

	*origin = (struct tl_origin){ 0 };
	if (gethostname(origin->machine, sizeof(origin->machine) - 1) < 0)
		origin->machine[0] = '\0';
	origin->monotonic_ns = utc_ns - tl_clock_read(CLOCK_MONOTONIC);
	origin->boottime_ns = utc_ns - tl_clock_read(CLOCK_BOOTTIME);
}
