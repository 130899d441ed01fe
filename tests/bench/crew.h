/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew.h - several workers, one a CPU, that begin every round together:
 * threads of this process, or processes.
 */
#ifndef CREW_H
#define CREW_H

#include "bench.h"

#include <stdbool.h>

struct crew {
	int workers;
	bool processes; /* else threads */
	bool alone;     /* each round, worker 0 first by itself */
	int rounds;
	long n;
	/* what the body of this worker gets; called once, by the worker */
	void *(*enter)(void *arg, int worker);
	void (*body)(void *it, long n);
	void *arg;
};

/* What came of it; cycles an event. */
struct crew_sheet {
	double alone[BENCH_ROUNDS_MAX];
	double cycles[BENCH_ROUNDS_MAX]; /* the mean of the workers */
	double canary[BENCH_ROUNDS_MAX]; /* the same */
	long asked; /* how often a body was to do its thing, warm-up too */
};

void crew_run(const struct crew *crew, struct crew_sheet *sheet);

#endif
