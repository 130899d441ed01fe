/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ftrace.c - the kernel's ring, written through trace_marker: text, in the
 * instance of tracefs that BENCH_TRACEFS names.
 */
#include "peer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *
start(void)
{
	const char *instance = getenv("BENCH_TRACEFS");
	static int marker;
	char path[256];

	if (!instance)
		peer_die("BENCH_TRACEFS names no instance of tracefs");
	snprintf(path, sizeof(path), "%s/trace_marker", instance);
	marker = open(path, O_WRONLY | O_CLOEXEC);
	if (marker < 0)
		peer_die("trace_marker cannot be opened");
	return &marker;
}

static void
log_four(void *it, long n)
{
	const int *marker = it;
	char line[128];

	for (long i = 0; i < n; i++) {
		const int size = snprintf(line, sizeof(line),
		    "processed %ld, %ld, %ld and %ld\n", i, 2L, 3L, 4L);

		if (write(*marker, line, (size_t)size) < 0)
			peer_die("trace_marker cannot be written");
	}
}

int
main(void)
{
	const struct peer peer = { .name = "ftrace trace_marker",
		.n = 5000,
		.start = start,
		.log = log_four };

	peer_run(&peer);
	return 0;
}
