/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_unsure.c - spans whose begin or end is overwritten.
 *
 *	make_unsure PATH FILE
 *
 *	CPU a   > work(1)                          < work    noise ...
 *	CPU b            < work  ...  > work(2)                       work(3..5)
 *
 * The lane of CPU b turns: what is left is the begin of 1 and the end of 2, an
 * unsure pair.  The end of gone has no begin: its begin was on CPU b, too.
 * Then spans begin and end on CPU b; trip 1 crosses trip 2.  The program
 * saves FILE and removes PATH.  It exits with 77 if it may use one CPU only.
 */
#include "../lib/making.h"

enum { ENTRIES = 2048, NOISE = 2 * ENTRIES };

int
main(int argc, char **argv)
{
	const struct timeline_options options = { .entries = ENTRIES };
	struct timeline_event *work, *gone, *trip, *noise;
	uint64_t trips[2];

	making_find_cpus();
	making_open(argc, argv, 3, "PATH FILE", &options);
	work = making_span("app", "info", "work $id", TIMELINE_THREAD);
	gone = making_span("app", "info", "gone", TIMELINE_THREAD);
	trip = making_span("app", "info", "trip $id", TIMELINE_THREAD);
	noise = making_event("app", "info", "noise $n");
	go_to(0);
	timeline_begin(work, 1);
	go_to(1);
	timeline_end(work);
	timeline_begin(gone);
	timeline_begin(work, 2);
	go_to(0);
	timeline_end(work);
	timeline_end(gone);
	go_to(1);
	for (int i = 0; i < NOISE; i++)
		timeline_log(noise, i);
	for (int i = 3; i <= 5; i++) {
		timeline_begin(work, i);
		timeline_end(work);
	}
	trips[0] = timeline_begin(trip, 1);
	trips[1] = timeline_begin(trip, 2);
	timeline_end_of(trip, trips[0], 1);
	timeline_end_of(trip, trips[1]);
	making_save(argv);
	return 0;
}
