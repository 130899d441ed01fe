/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - two threads record themselves, without a timeline.
 *
 *	cc trace.c $(pkg-config --cflags --libs timeline) -o trace
 *	./trace run.trace && timeline-dump --tree run.trace
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <timeline_trace.h>

static struct timeline_trace *trace;
static struct timeline_trace_message *batch, *item, *found, *queue;

static void *
work(void *name)
{
	timeline_trace_thread_name(trace, name);
	timeline_trace_begin(batch, 1, UINT64_C(3));
	for (uint64_t i = 1; i <= 3; i++) {
		timeline_trace_log(queue, 1, 3 - i);
		timeline_trace_begin(item, 1, i);
		timeline_trace_log(found, 1, i * i);
		timeline_trace_end(item, 0);
	}
	timeline_trace_end(batch, 0);
	return NULL;
}

int
main(int argc, char **argv)
{
	pthread_t other;
	const int rc = timeline_trace_create(&trace,
	    argc > 1 ? argv[1] : "run.trace", NULL);

	if (rc < 0)
		return fprintf(stderr, "trace: %s\n", strerror(-rc)), 1;
	timeline_trace_span(trace, "work", "info", "batch of $items", &batch);
	timeline_trace_span(trace, "work", "debug", "item $number", &item);
	timeline_trace_instant(trace, "work", "trace", "found $n", &found);
	timeline_trace_counter(trace, "queue", "debug", "waiting $n", &queue);
	pthread_create(&other, NULL, work, "other");
	work("main");
	pthread_join(other, NULL);
	return timeline_trace_close(trace) < 0;
}
