/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_crossing.c - make_crossing NAME FILE [COUNT]: make a timeline, log two
 * spans of a timer that cross or 3000 requests, so many at once, and save the
 * timeline.
 */
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>

/* Let the clock advance by about 20 us. */
static void
pass(const struct timeline_event *timer)
{
	for (int i = 0; i < 1000; i++)
		(void)timeline_timer_begin(timer);
}

/* Each request ends before the one that began count later. */
static int
log_requests(struct timeline *tl, unsigned count)
{
	struct timeline_event *request;
	uint64_t begun[8] = { 0 };

	if (count > 8 || timeline_define_span(tl, "crossing", "info",
			     "request $id", TIMELINE_SOURCE, &request) < 0)
		return -1;
	for (unsigned i = 0; i < 3000 + count; i++) {
		if (i >= count)
			timeline_end_of(request, begun[i % count], i - count);
		if (i < 3000)
			begun[i % count] = timeline_begin(request, i);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct timeline_event *timer;
	struct timeline *tl;
	uint64_t first, second;
	int rc;

	if (argc < 3)
		return 2;
	timeline_remove(argv[1]);
	if (timeline_new(&tl, argv[1], NULL) < 0)
		return 1;
	if (argc > 3)
		return log_requests(tl, (unsigned)atoi(argv[3])) < 0 ||
		       timeline_save(tl, argv[2]) < 0 ||
		       timeline_remove(argv[1]) < 0;
	if (timeline_define_timer(tl, "crossing", "info", "copy $id", &timer) <
	    0)
		return 1;
	first = timeline_timer_begin(timer);
	pass(timer);
	second = timeline_timer_begin(timer);
	pass(timer);
	timeline_timer_end(timer, first, 1);
	for (int i = 0; i < 5; i++)
		pass(timer);
	timeline_timer_end(timer, second, 2);
	rc = timeline_save(tl, argv[2]);
	timeline_remove(argv[1]);
	return rc < 0;
}
