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
#include "../lib/making.h"

#include <pthread.h>
#include <stdatomic.h>

enum { BURSTS = 400, BURST_NS = 100000, PAUSE_US = 2000 };
enum { JOB_NS = 30000, PERIOD_NS = 45000 };

static struct timeline_event *job;
static atomic_bool stop;
static int64_t longest;

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
	pthread_t thread;

	making_open(argc, argv, 3, "PATH FILE", NULL);
	job = making_span("work", "trace", "job $id", TIMELINE_THREAD);
	expect_ok(timeline_priority(tl, "info"));
	pthread_create(&thread, NULL, work, NULL);
	for (int i = 0; i < BURSTS; i++) {
		expect_ok(timeline_burst(tl, "trace", BURST_NS));
		usleep(PAUSE_US);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	making_save(argv);
	printf("%lld\n", (long long)longest);
	return 0;
}
