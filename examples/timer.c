/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timer.c - count how long all requests took, and log only the slow ones.
 *
 *	cc timer.c $(pkg-config --cflags --libs timeline) -o timer
 *	timer
 *	timeline-dump --stats /timeline-example-timer
 */
#include "example.h"

enum {
	REQUESTS = 10000,
	STEPS = 1000,
	SLOW_EVERY = 100, /* one of so many takes longer */
	SLOW_STEPS = 2000000
};

static void
serve(struct timeline_event *request, unsigned i)
{
	const unsigned size = i % SLOW_EVERY == 0 ? SLOW_STEPS : STEPS;

	timeline_timed(request, i, size);
	example_work(size);
}

int
main(void)
{
	struct timeline *tl = example_new("/timeline-example-timer");
	struct timeline_event *request;

	example_must(timeline_define_timer(tl, "server", "info",
	    "request $id of $size", &request));
	example_must(timeline_slower(tl, "server", "request*", 200000));
	for (unsigned i = 0; i < REQUESTS; i++)
		serve(request, i);
	example_show("/timeline-example-timer", "server", "10");
	timeline_close(tl);
	return 0;
}
