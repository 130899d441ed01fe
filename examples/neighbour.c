/* SPDX-License-Identifier: Apache-2.0 */
/*
 * neighbour.c - a server whose requests take some hundred microseconds, but
 * some of them take milliseconds.  Nothing in them is different.
 *
 *	cc neighbour.c $(pkg-config --cflags --libs timeline) -o neighbour
 *	./neighbour
 *	timeline-dump --why 'request*' --slower 500us /timeline-example-neighbour
 *
 * (A batch job was placed on the same CPU.  Whenever it wakes up, the request
 * that runs just then waits for it.)
 */
#ifndef _GNU_SOURCE
#	define _GNU_SOURCE /* CPU_SET and the like */
#endif
#include "example.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

/* --why looks for what was logged beside a span within the median duration of
 * the spans.  The batch job logs only after it was woken up, which takes up to
 * 30 us in a virtual machine; so a request takes several times as long. */
enum {
	BATCHES = 100,
	REQUESTS_MAX = 60000,
	REQUEST_STEPS = 400000,
	BATCH_STEPS = 5000000
};

static const char default_name[] = "/timeline-example-neighbour";
static struct timeline_event *request;
static struct timeline_event *batch;
static int done; /* the batch job has ended */

/* Both threads on the first CPU that we may use and, where we have the right,
 * before all others there: who else is on the machine then does not matter. */
static void
share_a_cpu(void)
{
	const struct sched_param low = { .sched_priority = 1 };
	cpu_set_t mine, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(mine), &mine) != 0)
		return;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &mine))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setscheduler(0, SCHED_FIFO, &low);
}

static void *
run_batches(void *unused)
{
	const struct sched_param high = { .sched_priority = 2 };
	const struct timespec pause = { .tv_nsec = 4000000 };

	(void)unused;
	sched_setscheduler(0, SCHED_FIFO, &high);
	for (unsigned i = 0; i < BATCHES; i++) {
		nanosleep(&pause, NULL);
		timeline_scope(batch, i);
		example_work(BATCH_STEPS);
	}
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void
serve(unsigned id)
{
	timeline_scope(request, id);
	example_work(REQUEST_STEPS);
}

int
main(void)
{
	struct timeline *tl = example_new(default_name);
	pthread_t neighbour;

	example_must(timeline_define_span(tl, "server", "info", "request $id",
	    TIMELINE_THREAD, &request));
	example_must(timeline_define_span(tl, "batch", "info", "batch $number",
	    TIMELINE_THREAD, &batch));
	share_a_cpu();
	if (pthread_create(&neighbour, NULL, run_batches, NULL) != 0)
		return 1;
	sched_yield(); /* it raises its priority */
	for (unsigned id = 0;
	     id < REQUESTS_MAX && !__atomic_load_n(&done, __ATOMIC_ACQUIRE);
	     id++)
		serve(id);
	pthread_join(neighbour, NULL);
	timeline_close(tl);
	return 0;
}
