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
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>

enum { ENTRIES = 2048, NOISE = 2 * ENTRIES };

static int cpus[2];

static void
must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "make_unsure: %s\n", timeline_error());
	exit(1);
}

static void
find_cpus(void)
{
	cpu_set_t set;
	int count = 0;

	(void)sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE && count < 2; i++)
		if (CPU_ISSET(i, &set))
			cpus[count++] = i;
	if (count < 2)
		exit(77);
}

static void
go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpus[cpu], &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

int
main(int argc, char **argv)
{
	const struct timeline_options options = { .entries = ENTRIES };
	struct timeline_event *work, *gone, *trip, *noise;
	struct timeline *tl;
	uint64_t trips[2];

	if (argc != 3) {
		fprintf(stderr, "usage: make_unsure PATH FILE\n");
		return 2;
	}
	find_cpus();
	must(timeline_new(&tl, argv[1], &options));
	must(timeline_define_span(tl, "app", "info", "work $id",
	    TIMELINE_THREAD, &work));
	must(timeline_define_span(tl, "app", "info", "gone", TIMELINE_THREAD,
	    &gone));
	must(timeline_define_span(tl, "app", "info", "trip $id",
	    TIMELINE_THREAD, &trip));
	must(timeline_define(tl, "app", "info", "noise $n", &noise));
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
	must(timeline_save(tl, argv[2]));
	must(timeline_remove(argv[1]));
	timeline_close(tl);
	return 0;
}
