/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer.c - processes come first and are forked before the library is started:
 * its threads would not be in them.
 */
#include "peer.h"

#include "bench.h"
#include "crew.h"

#include <stdio.h>
#include <stdlib.h>

/* A round takes about a millisecond: what else runs here spoils few of them. */
enum { ROUNDS = 101 };

static void *started;

static void *
enter(void *arg, int worker)
{
	const struct peer *peer = arg;

	(void)worker;
	return started ? started : peer->start();
}

static void
measure(const struct peer *peer, const char *how, struct crew crew)
{
	static struct crew_sheet sheet;
	static struct bench_figure figure, rdtsc;
	uint8_t quiet[BENCH_ROUNDS_MAX];
	char name[64];

	crew.rounds = ROUNDS;
	crew.n = peer->n;
	crew.enter = enter;
	crew.arg = (void *)(uintptr_t)peer;
	crew_run(&crew, &sheet);
	snprintf(name, sizeof(name), "%s%s", peer->name, how);
	figure.name = name;
	figure.unit = "cycles";
	figure.count = rdtsc.count = ROUNDS;
	for (int r = 0; r < ROUNDS; r++) {
		figure.samples[r] = sheet.cycles[r];
		rdtsc.samples[r] = sheet.canary[r];
	}
	bench_quiet(sheet.canary, ROUNDS, quiet);
	bench_print(&figure, &rdtsc, quiet);
}

void
peer_run(const struct peer *peer)
{
	const struct crew alone = { .workers = 1,
		.processes = true,
		.body = peer->log };
	struct crew crew = alone;

	setvbuf(stdout, NULL, _IOLBF, 0);
	measure(peer, "", alone);
	crew.workers = 2;
	measure(peer, ", 2 processes", crew);
	if (peer->log_disabled) {
		crew = alone;
		crew.body = peer->log_disabled;
		measure(peer, ", disabled", crew);
	}
	crew = alone;
	crew.workers = 2;
	crew.processes = false;
	started = peer->start();
	measure(peer, ", 2 threads", crew);
}

void
peer_die(const char *why)
{
	fprintf(stderr, "bench: %s\n", why);
	exit(1);
}
