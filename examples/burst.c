/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burst.c - log little always and everything for a moment: the priority is
 * info, and a burst opens trace for 100 microseconds.  The loop does not know.
 *
 *	cc burst.c $(pkg-config --cflags --libs timeline) -o burst
 *	./burst
 */
#include "example.h"

enum { BREATHS = 1000, PACKETS = 32, BURST_NS = 100000 };

static const char default_name[] = "/timeline-example-burst";
static struct timeline_event *breath;
static struct timeline_event *packet;

/* How many of the packets were logged. */
static unsigned
breathe(unsigned number)
{
	unsigned caught = 0;

	timeline_log(breath, number, PACKETS);
	for (unsigned i = 0; i < PACKETS; i++) {
		caught += (unsigned)timeline_enabled(packet);
		timeline_log(packet, i, 64 + i * 37 % 1400);
		example_work(100);
	}
	return caught;
}

int
main(void)
{
	struct timeline *tl = example_new(default_name);
	unsigned caught = 0;

	example_must(timeline_define(tl, "engine", "info",
	    "breath $number of $packets", &breath));
	example_must(timeline_define(tl, "engine", "trace",
	    "packet $index of $bytes bytes", &packet));
	example_must(timeline_priority(tl, "info"));
	for (unsigned i = 0; i < BREATHS; i++) {
		if (i == BREATHS / 2)
			example_must(timeline_burst(tl, "trace", BURST_NS));
		caught += breathe(i);
	}
	printf("of %d packets the burst caught %u\n", BREATHS * PACKETS,
	    caught);
	timeline_close(tl);
	example_show(default_name, "engine", "5");
	return 0;
}
