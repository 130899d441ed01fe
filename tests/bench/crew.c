/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crew.c - workers that meet in shared memory, twice a round: asleep while
 * somebody still works, spinning for the few microseconds before the start.
 */
#include "crew.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

enum { CANARY_COUNT = 50000, NAP_US = 50 };

struct meeting {
	int arrived;
	int phase;
};

struct board {
	struct meeting asleep;
	struct meeting awake;
	double alone[BENCH_ROUNDS_MAX];
	double cycles[BENCH_WORKERS_MAX][BENCH_ROUNDS_MAX];
	double canary[BENCH_WORKERS_MAX][BENCH_ROUNDS_MAX];
};

struct worker {
	const struct crew *crew;
	struct board *board;
	int number;
};

static void
meet(struct meeting *m, int workers, bool nap)
{
	const int phase = __atomic_load_n(&m->phase, __ATOMIC_ACQUIRE);

	if (__atomic_add_fetch(&m->arrived, 1, __ATOMIC_ACQ_REL) == workers) {
		m->arrived = 0;
		__atomic_store_n(&m->phase, phase + 1, __ATOMIC_RELEASE);
		return;
	}
	while (__atomic_load_n(&m->phase, __ATOMIC_ACQUIRE) == phase) {
		if (nap)
			usleep(NAP_US);
		else
			_mm_pause();
	}
}

static void
work(const struct worker *w)
{
	const struct crew *crew = w->crew;
	struct board *board = w->board;
	const int cpus = bench_cpus();
	void *it;

	bench_pin((cpus - 1 - w->number % cpus + cpus) % cpus);
	it = crew->enter(crew->arg, w->number);
	const struct bench_case body = { .body = crew->body, .arg = it };

	crew->body(it, crew->n / 10 + 1);
	for (int r = 0; r < crew->rounds; r++) {
		meet(&board->asleep, crew->workers, true);
		if (crew->alone && w->number == 0)
			board->alone[r] = bench_cycles(&body, crew->n);
		meet(&board->asleep, crew->workers, true);
		meet(&board->awake, crew->workers, false);
		board->cycles[w->number][r] = bench_cycles(&body, crew->n);
		board->canary[w->number][r] = bench_canary(CANARY_COUNT);
	}
}

static void *
work_thread(void *arg)
{
	work(arg);
	return NULL;
}

static void
run_threads(struct worker *workers, int count)
{
	pthread_t threads[BENCH_WORKERS_MAX];

	for (int i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, work_thread,
			&workers[i]) != 0)
			bench_die("cannot start a thread", -EAGAIN);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* A worker that fails leaves the others waiting: they go with it. */
static void
run_processes(const struct worker *workers, int count)
{
	pid_t pids[BENCH_WORKERS_MAX];
	int status;

	fflush(NULL);
	for (int i = 0; i < count; i++) {
		if ((pids[i] = fork()) < 0)
			bench_die("cannot fork", -errno);
		if (pids[i] == 0) {
			work(&workers[i]);
			_exit(0);
		}
	}
	for (int i = 0; i < count; i++) {
		if (wait(&status) > 0 && status == 0)
			continue;
		for (int k = 0; k < count; k++)
			kill(pids[k], SIGKILL);
		bench_die("a worker failed", -ECHILD);
	}
}

static void
fill(struct crew_sheet *sheet, const struct board *board,
    const struct crew *crew)
{
	for (int r = 0; r < crew->rounds; r++) {
		double cycles = 0;
		double canary = 0;

		for (int i = 0; i < crew->workers; i++) {
			cycles += board->cycles[i][r];
			canary += board->canary[i][r];
		}
		sheet->alone[r] = board->alone[r];
		sheet->cycles[r] = cycles / crew->workers;
		sheet->canary[r] = canary / crew->workers;
	}
	sheet->asked =
	    (crew->n / 10 + 1 + crew->n * crew->rounds) * crew->workers +
	    (crew->alone ? crew->n * crew->rounds : 0);
}

void
crew_run(const struct crew *crew, struct crew_sheet *sheet)
{
	struct worker workers[BENCH_WORKERS_MAX];
	struct board *board;

	if (crew->workers > BENCH_WORKERS_MAX || crew->workers < 1 ||
	    crew->rounds > BENCH_ROUNDS_MAX)
		bench_die("too many workers or rounds", -E2BIG);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED)
		bench_die("no memory to meet in", -errno);
	for (int i = 0; i < crew->workers; i++)
		workers[i] = (struct worker){ crew, board, i };
	if (crew->processes)
		run_processes(workers, crew->workers);
	else
		run_threads(workers, crew->workers);
	fill(sheet, board, crew);
	munmap(board, sizeof(*board));
}
