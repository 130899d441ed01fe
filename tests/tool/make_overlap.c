/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_overlap.c - spans of a source that overlap without nesting.
 *
 *	make_overlap PATH FILE
 *
 * Of each of 10 pairs of requests, the second begins before the end of the
 * first, and ends before or after it; half of them while the level of details
 * is closed.  Then more requests than stacks are deep are open at once.  The
 * program saves FILE and removes PATH.
 */
#include "../lib/making.h"

enum { PAIRS = 10, MANY = 1000, AT_ONCE = 600, STEP_US = 200 };

int
main(int argc, char **argv)
{
	static uint64_t begun[MANY];
	struct timeline_event *request, *work;

	making_open(argc, argv, 3, "PATH FILE", NULL);
	request = making_span("app", "info", "request $id", TIMELINE_SOURCE);
	work = making_span("app", "debug", "work $id", TIMELINE_THREAD);
	for (int pair = 0; pair < PAIRS; pair++) {
		timeline_scope(work, pair);
		expect_ok(
		    timeline_priority(tl, pair % 4 < 2 ? "trace" : "info"));
		for (int i = 0; i < 2; i++) {
			begun[i] = timeline_begin(request, 2 * pair + i);
			usleep(STEP_US);
		}
		for (int i = 0; i < 2; i++) {
			timeline_end_of(request, begun[(pair + i) % 2]);
			usleep(STEP_US);
		}
	}
	for (int i = 0; i < MANY + AT_ONCE; i++) {
		if (i < MANY)
			begun[i] = timeline_begin(request, i);
		if (i >= AT_ONCE)
			timeline_end_of(request, begun[i - AT_ONCE]);
	}
	making_save(argv);
	return 0;
}
