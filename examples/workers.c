/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers.c - several processes of several threads on one timeline: spans
 * that end by themselves, a counter, warnings.
 *
 *	cc workers.c $(pkg-config --cflags --libs timeline) -o workers
 *	./workers [processes [threads [jobs]]]
 *	timeline-dump --tree /timeline-example-workers
 */
#include "example.h"

#include <pthread.h>

enum { PROCESSES_MAX = 64, THREADS_MAX = 64, PAUSE_US = 50 };

static const char default_name[] = "/timeline-example-workers";
static struct timeline_event *job;
static struct timeline_event *sorted;
static struct timeline_event *backlog;
static struct timeline_event *retry;
static unsigned jobs = 200;

/* Each process defines for itself; all get the same messages. */
static void
define(struct timeline *tl)
{
	example_must(timeline_define_span(tl, "worker", "info", "job $id",
	    TIMELINE_THREAD, &job));
	example_must(timeline_define(tl, "worker", "trace",
	    "sorted $items by $key%s\n"
	    "The key alternates; sorting by name takes three times as long.",
	    &sorted));
	example_must(timeline_define_counter(tl, "queue", "debug",
	    "backlog of $jobs", &backlog));
	example_must(timeline_define(tl, "worker", "warning",
	    "job $id had to be retried", &retry));
}

static void
do_job(unsigned id, uint64_t key, unsigned cost)
{
	const unsigned items = 100 + id * 7919 % 400;

	timeline_scope(job, id);
	example_work(items * cost);
	timeline_log(sorted, items, key);
	if (id % 50 != 49)
		return; /* the span ends here or below */
	timeline_log(retry, id);
	example_work(items * cost);
}

static void *
run_thread(void *timeline)
{
	uint64_t keys[2];

	example_must(timeline_string(timeline, "number", &keys[0]));
	example_must(timeline_string(timeline, "name", &keys[1]));
	for (unsigned id = 0; id < jobs; id++) {
		timeline_log(backlog, jobs - id);
		do_job(id, keys[id % 2], id % 2 ? 30 : 10);
		usleep(PAUSE_US);
	}
	return NULL;
}

static void
run_process(unsigned threads)
{
	pthread_t ids[THREADS_MAX];
	struct timeline *tl = example_new(default_name);

	define(tl);
	for (unsigned i = 0; i < threads; i++) {
		if (pthread_create(&ids[i], NULL, run_thread, tl) != 0)
			exit(1);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	timeline_close(tl);
	exit(0);
}

static unsigned
number(int argc, char **argv, int i, unsigned otherwise, unsigned max)
{
	const unsigned long n =
	    argc > i ? strtoul(argv[i], NULL, 10) : otherwise;

	return n < max ? (unsigned)n : max;
}

int
main(int argc, char **argv)
{
	const unsigned processes = number(argc, argv, 1, 3, PROCESSES_MAX);
	const unsigned threads = number(argc, argv, 2, 2, THREADS_MAX);
	int failed = 0;

	jobs = number(argc, argv, 3, jobs, 1000000);
	for (unsigned i = 0; i < processes; i++) {
		const pid_t child = fork();

		if (child == 0)
			run_process(threads);
		failed |= child < 0;
	}
	for (int status; wait(&status) > 0;)
		failed |= status != 0;
	return failed;
}
