/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_silent.c - log requests and, in bursts, their steps, with four silences.
 *
 *	make_silent PATH FILE
 *
 * Priority info and bursts to trace every few requests.  The silences last 200
 * ms each, with bursts in the first, second and fourth:
 *
 *	request 99  [silence]  step, first of a burst
 *	request 199 [silence]  request 200, without a burst
 *	request 299 [silence, closed for requests]  request 300
 *	request 399 [silence until FILE is saved]
 *
 * The program saves FILE and removes PATH.
 */
#include "../lib/making.h"

enum { BURSTS = 4, REQUESTS = 100 };
static const uint64_t silence_ns = 200000000, burst_ns = 2000000;

static struct timeline_event *request, *step;

static void
burst(void)
{
	expect_ok(tl_burst(tl, 4, burst_ns, 1));
}

/* Log nothing; timeline itself logs bursts. */
static void
be_silent(int bursts)
{
	const uint64_t part = silence_ns / (uint64_t)(bursts + 1);
	const struct timespec time = { .tv_nsec = (long)part };

	for (int i = 0; i <= bursts; i++) {
		nanosleep(&time, NULL);
		if (i < bursts)
			burst();
	}
}

static void
serve(uint64_t from)
{
	for (uint64_t id = from; id < from + REQUESTS; id++) {
		if (id % 10 == 5)
			burst();
		timeline_begin(request, id);
		timeline_log(step, id);
		timeline_end(request, id);
	}
}

int
main(int argc, char **argv)
{
	making_open(argc, argv, 3, "PATH FILE", NULL);
	request = making_span("work", "info", "request $id", TIMELINE_THREAD);
	step = making_event("work", "trace", "step $n");
	expect_ok(timeline_priority(tl, "info"));
	serve(0);
	be_silent(BURSTS);
	burst();
	timeline_log(step, 100);
	serve(REQUESTS);
	be_silent(BURSTS);
	serve(2 * REQUESTS);
	expect_ok(timeline_priority(tl, "error"));
	be_silent(0);
	expect_ok(timeline_priority(tl, "info"));
	serve(3 * REQUESTS);
	be_silent(BURSTS);
	remove(argv[2]);
	making_save(argv);
	return 0;
}
