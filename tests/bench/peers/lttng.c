/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lttng.c - LTTng-UST.  The session, which run makes, has enabled
 * bench:processed and not bench:closed.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_points.h"
#include "peer.h"

#include <unistd.h>

enum { TRIES = 500, NAP_US = 10000 };

/* A thread of the library learns from the session daemon what is enabled. */
static void *
start(void)
{
	static int it;

	for (int i = 0; i < TRIES; i++) {
		if (lttng_ust_tracepoint_enabled(bench, processed))
			return &it;
		usleep(NAP_US);
	}
	peer_die("LTTng-UST: the session does not enable bench:processed");
}

static void
log_four(void *it, long n)
{
	(void)it;
	for (long i = 0; i < n; i++) {
		lttng_ust_tracepoint(bench, processed, (uint64_t)i, 2, 3, 4);
		PEER_TURN();
	}
}

static void
log_closed(void *it, long n)
{
	(void)it;
	for (long i = 0; i < n; i++) {
		lttng_ust_tracepoint(bench, closed, (uint64_t)i, 2, 3, 4);
		PEER_TURN();
	}
}

int
main(void)
{
	const struct peer peer = { .name = "LTTng-UST snapshot",
		.n = 10000,
		.start = start,
		.log = log_four,
		.log_disabled = log_closed };

	peer_run(&peer);
	return 0;
}
