/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dpdk.c - DPDK's rte_trace in its overwriting mode: a buffer for each thread,
 * in memory of the process.
 */
#include "dpdk_points.h"

#include "bench.h"
#include "peer.h"

#include <rte_eal.h>
#include <rte_trace.h>
#include <stdio.h>
#include <unistd.h>

/* No huge pages and no devices: nothing of it is traced here. */
static void *
start(void)
{
	char prefix[48];
	char *argv[] = { "dpdk", "--no-huge", "--no-shconf", "--no-pci",
		"--no-telemetry", "-m", "64", "-l", "0", prefix,
		"--trace=bench.*", "--trace-bufsz=4M", "--trace-mode=overwrite",
		"--log-level=5", NULL };
	rte_trace_point_t *closed;
	static int it;

	snprintf(prefix, sizeof(prefix), "--file-prefix=bench-peers-%d",
	    (int)getpid());
	if (rte_eal_init(sizeof(argv) / sizeof(argv[0]) - 1, argv) < 0)
		peer_die("rte_trace: rte_eal_init failed");
	closed = rte_trace_point_lookup("bench.closed");
	if (!rte_trace_is_enabled() || !closed ||
	    rte_trace_point_disable(closed) < 0)
		peer_die("rte_trace: the trace is not enabled");
	return &it;
}

static void
log_four(void *it, long n)
{
	(void)it;
	for (long i = 0; i < n; i++) {
		bench_processed((uint64_t)i, 2, 3, 4);
		PEER_TURN();
	}
}

static void
log_closed(void *it, long n)
{
	(void)it;
	for (long i = 0; i < n; i++) {
		bench_closed((uint64_t)i, 2, 3, 4);
		PEER_TURN();
	}
}

int
main(void)
{
	const struct peer peer = { .name = "DPDK rte_trace",
		.n = 50000,
		.start = start,
		.log = log_four,
		.log_disabled = log_closed };

	peer_run(&peer);
	return 0;
}
