/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hello.c - create a timeline, define a message, log it.
 *
 *	cc hello.c $(pkg-config --cflags --libs timeline) -o hello
 *	./hello && timeline-dump /timeline-example
 *
 * TIMELINE=/name logs to another timeline, TIMELINE_PRIORITY=info leaves the
 * trace out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>

int
main(void)
{
	const char *name = getenv("TIMELINE");
	const char *priority = getenv("TIMELINE_PRIORITY");
	struct timeline *tl;
	struct timeline_event *processed;

	if (timeline_new(&tl, name ? name : "/timeline-example", NULL) != 0 ||
	    (priority && timeline_priority(tl, priority) != 0) ||
	    timeline_define(tl, "example", "trace",
		"processed $tcp, $udp, and $other", &processed) != 0) {
		fprintf(stderr, "%s\n", timeline_error());
		return 1;
	}
	timeline_log(processed, 10, 20, 3);
	timeline_log(processed, 50, 60, 8);
	timeline_close(tl);
	return 0;
}
