/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.c - ours: all processes in one file. */
#include "peer.h"

#include "bench.h"
#include "subject.h"

#include <stdio.h>
#include <unistd.h>

/* 4 MiB for each CPU, as the others have for each CPU or thread. */
enum { LANE_ENTRIES = 1 << 16 };

static char name[48];

static void *
start(void)
{
	static struct subject subject;

	subject_open(&subject, name);
	return &subject;
}

int
main(void)
{
	const struct timeline_options options = {
		.entries = LANE_ENTRIES * (uint64_t)bench_cpus()
	};
	const struct peer peer = { .name = "timeline",
		.n = 50000,
		.start = start,
		.log = subject_log4,
		.log_disabled = subject_off };
	struct subject subject;

	bench_begin("events of four integers");
	snprintf(name, sizeof(name), "bench-peers-%d", (int)getpid());
	subject_new(&subject, name, &options);
	peer_run(&peer);
	subject_close(&subject);
	return 0;
}
