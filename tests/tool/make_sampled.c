/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_sampled.c - spans of a message that bursts open now and then.
 *
 *	make_sampled PATH FILE
 *
 * A thread logs a job of about 30 us each 45 us, while the priority is above
 * the level of the job; a burst of 100 us each 2 ms opens it.  The program
 * saves FILE, removes PATH, and prints the longest job in ns.
 */
#include "../lib/now.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>
#include <unistd.h>

enum { BURSTS = 400, BURST_NS = 100000, PAUSE_US = 2000 };
enum { JOB_NS = 30000, PERIOD_NS = 45000 };

static struct timeline_event *job;
static atomic_bool stop;
static int64_t longest;

static void
must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "make_sampled: %s\n", timeline_error());
	exit(1);
}

static void
wait_until(int64_t ns)
{
	while (now() < ns)
		;
}

static void *
work(void *unused)
{
	(void)unused;
	for (int id = 0; !atomic_load(&stop); id++) {
		const int64_t begun = now();
		int64_t took;

		timeline_begin(job, id);
		wait_until(begun + JOB_NS);
		timeline_end(job);
		took = now() - begun;
		longest = took > longest ? took : longest;
		wait_until(begun + PERIOD_NS);
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	struct timeline *tl;
	pthread_t thread;

	if (argc != 3) {
		fprintf(stderr, "usage: make_sampled PATH FILE\n");
		return 2;
	}
	must(timeline_new(&tl, argv[1], NULL));
	must(timeline_define_span(tl, "work", "trace", "job $id",
	    TIMELINE_THREAD, &job));
	must(timeline_priority(tl, "info"));
	pthread_create(&thread, NULL, work, NULL);
	for (int i = 0; i < BURSTS; i++) {
		must(timeline_burst(tl, "trace", BURST_NS));
		usleep(PAUSE_US);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	must(timeline_save(tl, argv[2]));
	must(timeline_remove(argv[1]));
	timeline_close(tl);
	printf("%lld\n", (long long)longest);
	return 0;
}
