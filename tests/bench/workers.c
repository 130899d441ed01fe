/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers.c - two threads and two processes that log to one timeline at
 * once, each on its CPU, beside one that has the machine to itself.
 */
#include "bench.h"
#include "crew.h"
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS = 2 };

static const double GOAL = 1.15; /* times one alone */

static char name[48];
static struct subject subject;
static struct crew_sheet sheet;

/* A process attaches by itself, as any other program would; threads share
 * the handle but each has counters of its own. */
static void *
enter(void *arg, int worker)
{
	const struct crew *crew = arg;
	struct subject *own = calloc(1, sizeof(*own));

	(void)worker;
	if (crew->processes)
		subject_open(own, name);
	else
		memcpy(own, &subject, sizeof(*own));
	return own;
}

static struct bench_figure
figure_of(const char *title, const double *samples, int count)
{
	struct bench_figure f = { .name = title,
		.unit = "cycles",
		.count = count };

	memcpy(f.samples, samples, (size_t)count * sizeof(*samples));
	return f;
}

static void
run(bool processes, long n, int rounds)
{
	struct crew crew = { .workers = WORKERS,
		.processes = processes,
		.alone = true,
		.rounds = rounds,
		.n = n,
		.enter = enter,
		.body = subject_log4 };
	uint8_t quiet[BENCH_ROUNDS_MAX];
	struct bench_figure alone;
	struct bench_figure both;
	struct bench_figure canary;

	crew.arg = &crew;
	crew_run(&crew, &sheet);
	subject.sent += (uint64_t)sheet.asked;
	alone = figure_of(processes ? "one process" : "one thread", sheet.alone,
	    rounds);
	both = figure_of(processes ? "two processes" : "two threads",
	    sheet.cycles, rounds);
	both.kind = BENCH_RATIO_AT_MOST;
	both.goal = GOAL;
	canary = figure_of("bare rdtsc, both CPUs", sheet.canary, rounds);
	printf("# %ld a round, %d of %d rounds are quiet\n", n,
	    bench_quiet(sheet.canary, rounds, quiet), rounds);
	bench_print(&canary, NULL, quiet);
	bench_print(&alone, NULL, quiet);
	bench_print(&both, &alone, quiet);
}

int
main(void)
{
	const long n = bench_setting("BENCH_N", 200000);
	const int rounds = (int)bench_setting("BENCH_ROUNDS", 41);

	bench_begin("workers");
	if (bench_cpus() < WORKERS) {
		printf("# one CPU only: nothing to measure\n");
		return 0;
	}
	snprintf(name, sizeof(name), "bench-workers-%d", (int)getpid());
	subject_new(&subject, name, NULL);
	run(true, n, rounds);
	run(false, n, rounds);
	subject_print_losses(&subject, "lost");
	subject_close(&subject);
	return 0;
}
