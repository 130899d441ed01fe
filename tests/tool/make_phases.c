/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_phases.c - spans of each kind while the priority opens and closes them.
 *
 *	make_phases PATH FILE
 *
 * Each ms for 450 ms: "tick", a span "always" that proves itself, and below the
 * priority of the middle third a span "plain", one that proves itself and a
 * timer "timed".  Saves FILE, removes PATH, and prints the steps a second, and
 * those a second of the first and the last third.
 */
#include "../lib/making.h"

enum { STEPS = 450, THIRD = STEPS / 3, STEP_NS = 1000000 };

int
main(int argc, char **argv)
{
	struct timeline_event *tick, *always, *plain, *proven, *timed;
	int64_t begun, closed = 0, end;

	making_open(argc, argv, 3, "PATH FILE", NULL);
	tick = making_event("work", "info", "tick $n");
	always = making_span("work", "info", "always $n", TIMELINE_THREAD);
	plain = making_span("work", "debug", "plain $n", TIMELINE_THREAD);
	proven = making_span("work", "debug", "proven $n", TIMELINE_THREAD);
	expect_ok(
	    timeline_define_timer(tl, "work", "debug", "timed $n", &timed));
	begun = now();
	for (uint64_t i = 0; i < STEPS; i++) {
		uint64_t outer, inner, start;

		while (now() < begun + (int64_t)i * STEP_NS)
			continue;
		if (i == THIRD) {
			expect_ok(timeline_priority(tl, "info"));
			closed -= now();
		}
		if (i == 2 * THIRD) {
			expect_ok(timeline_priority(tl, "trace"));
			closed += now();
		}
		timeline_log(tick, i);
		outer = timeline_begin(always, i);
		timeline_begin(plain, i);
		inner = timeline_begin(proven, i);
		start = timeline_timer_begin(timed);
		timeline_timer_end(timed, start, i);
		timeline_end_of(proven, inner);
		timeline_end(plain);
		timeline_end_of(always, outer);
	}
	end = now();
	printf("%.0f %.0f\n", STEPS * 1e9 / (double)(end - begun),
	    2 * THIRD * 1e9 / (double)(end - begun - closed));
	making_save(argv);
	return 0;
}
