/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - four threads run spans for a while; the parent process prints the
 * truth, also about a child that was killed.
 *
 *	spans whole|bursts|kill MS >TRUTH
 *
 * A line for each span: name, id, thread, outside and inside begin, inside and
 * outside end.  "clock" has CLOCK_MONOTONIC and the Unix time of one moment,
 * "open" the ns for which the gate was open in all bursts.
 */
#define _GNU_SOURCE
#include "spans.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SPANS_MAX = 1 << 20,
	THREADS = 4,
	OUTER_NS_MIN = 5000, /* ... and up to OUTER_NS_MORE more */
	OUTER_NS_MORE = 20000,
	PAUSE_NS_MAX = 30000,
	BURST_NS = 30000,
	BETWEEN_BURSTS_US = 2900,
	NAP_US = 1000,
	WAIT_US = 10000,
	WAITS_MAX = 2000,
	NS_PER_MS = 1000000,
	NS_PER_S = 1000000000
};

/* What the parent shares with the process that logs. */
static struct shared {
	uint32_t count;
	bool is_over;
	int64_t open_ns;
	struct span spans[SPANS_MAX];
} * shared;

void
spans_die(const char *why)
{
	fprintf(stderr, "spans: %s\n", why);
	_exit(1);
}

void
spans_wait(bool (*is_ready)(void), const char *why)
{
	for (int i = 0; !is_ready(); i++) {
		if (i == WAITS_MAX)
			spans_die(why);
		usleep(WAIT_US);
	}
}

static int64_t
read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t
spans_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void
spans_spin(int64_t ns)
{
	const int64_t start = spans_now();

	while (spans_now() - start < ns)
		;
}

int64_t
spans_burst(int64_t ns)
{
	gate_open();
	const int64_t opened = spans_now();
	spans_spin(ns);
	const int64_t closed = spans_now();
	gate_close();
	return closed - opened;
}

static void
run_span(int which, long ns)
{
	const uint32_t id =
	    __atomic_fetch_add(&shared->count, 1, __ATOMIC_RELAXED);

	if (id >= SPANS_MAX)
		spans_die("more spans than there is room for");
	struct span *span = &shared->spans[id];
	span->tid = gettid();
	span->which = which;
	span->outside[0] = spans_now();
	if (which == SPANS_OUTER)
		outer(id, span, ns);
	else
		inner(id, span, ns);
	span->outside[1] = spans_now();
}

void
spans_inner(long ns)
{
	run_span(SPANS_INNER, ns);
}

/* The thread spins or sleeps between two spans, by chance. */
static void *
run_spans(void *seed)
{
	unsigned random = (unsigned)(uintptr_t)seed;

	while (!__atomic_load_n(&shared->is_over, __ATOMIC_RELAXED)) {
		run_span(SPANS_OUTER,
		    OUTER_NS_MIN + rand_r(&random) % OUTER_NS_MORE);
		if (rand_r(&random) % 3 > 0)
			spans_spin(rand_r(&random) % PAUSE_NS_MAX);
		else
			usleep((useconds_t)rand_r(&random) % 64);
	}
	return NULL;
}

static void
log_spans(const char *shape, long ms)
{
	const bool bursts = strcmp(shape, "bursts") == 0;
	pthread_t threads[THREADS];

	tracer_start(bursts);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_spans,
			(void *)(i + 1)) != 0)
			spans_die("no thread");
	const int64_t end = spans_now() + ms * NS_PER_MS;
	while (spans_now() < end) {
		usleep(bursts ? BETWEEN_BURSTS_US : NAP_US);
		if (bursts)
			shared->open_ns += tracer_burst(BURST_NS);
	}
	if (strcmp(shape, "kill") == 0)
		raise(SIGKILL);
	__atomic_store_n(&shared->is_over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void
print_truth(void)
{
	static const char *const names[] = { "outer", "inner" };

	printf("clock %ld %ld\n", (long)spans_now(),
	    (long)read_clock(CLOCK_REALTIME));
	printf("open %ld\n", (long)shared->open_ns);
	for (uint32_t id = 0; id < shared->count && id < SPANS_MAX; id++) {
		const struct span *span = &shared->spans[id];

		printf("%s %u %d %ld %ld %ld %ld\n", names[span->which], id,
		    (int)span->tid, (long)span->outside[0],
		    (long)span->inside[0], (long)span->inside[1],
		    (long)span->outside[1]);
	}
}

int
main(int argc, char **argv)
{
	int status;

	if (argc != 3)
		spans_die("usage: spans whole|bursts|kill MS");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		spans_die("no memory");
	const pid_t child = fork();
	if (child == 0) {
		log_spans(argv[1], atol(argv[2]));
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		spans_die("no process");
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		return 1;
	print_truth();
	return fflush(stdout) != 0;
}
