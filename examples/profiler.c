/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profiler.c - modules that run in cycles, as LMS runs them.
 *
 *	cc profiler.c $(pkg-config --cflags --libs timeline) -o profiler
 *	./profiler --profiling /tmp/cycles.csv [cycles]
 *	timeline-dump --view intervals /tmp/cycles.csv
 */
#include "example.h"

#include <timeline_profiler.h>

static struct timeline_profiler *profiler; /* NULL: marks do nothing */

static void
run_module(const char *label, unsigned steps)
{
	timeline_profiler_mark_begin(profiler, label);
	example_work(steps);
	timeline_profiler_mark_end(profiler, label);
}

int
main(int argc, char **argv)
{
	int cycles;

	example_must(timeline_profiler_options(&profiler, &argc, argv));
	cycles = argc > 1 ? atoi(argv[1]) : 100;
	for (int i = 0; i < cycles; i++) {
		timeline_profiler_mark_begin(profiler, "main");
		run_module("main.camera", 3000);
		run_module("main.lanes", 8000);
		run_module("main.steering", 500);
		timeline_profiler_mark_end(profiler, "main");
	}
	printf("%d cycles%s\n", cycles,
	    profiler ? "" : ", of which --profiling FILE would tell more");
	timeline_profiler_close(profiler);
	return 0;
}
