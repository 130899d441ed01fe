/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_crossing.c - make_crossing NAME FILE [COUNT]: make a timeline, log two
 * spans of a timer that cross or 3000 requests, so many at once, and save the
 * timeline.
 */
#include "../lib/making.h"

enum { REQUESTS = 3000, AT_ONCE_MAX = 8, STEP_NS = 20000 };

/* Each request ends before the one that began count later. */
static void
log_requests(int count)
{
	struct timeline_event *const request =
	    making_span("crossing", "info", "request $id", TIMELINE_SOURCE);
	uint64_t begun[AT_ONCE_MAX] = { 0 };

	expect(count > 0 && count <= AT_ONCE_MAX, "%d at once", count);
	for (int i = 0; i < REQUESTS + count; i++) {
		if (i >= count)
			timeline_end_of(request, begun[i % count], i - count);
		if (i < REQUESTS)
			begun[i % count] = timeline_begin(request, i);
	}
}

static void
log_crossing(void)
{
	struct timeline_event *timer;
	uint64_t first, second;

	expect_ok(
	    timeline_define_timer(tl, "crossing", "info", "copy $id", &timer));
	first = timeline_timer_begin(timer);
	wait_until(now() + STEP_NS);
	second = timeline_timer_begin(timer);
	wait_until(now() + STEP_NS);
	timeline_timer_end(timer, first, 1);
	wait_until(now() + 5 * STEP_NS);
	timeline_timer_end(timer, second, 2);
}

int
main(int argc, char **argv)
{
	making_open(argc, argv, 3, "NAME FILE [COUNT]", NULL);
	if (argc > 3)
		log_requests(atoi(argv[3]));
	else
		log_crossing();
	making_save(argv);
	return 0;
}
