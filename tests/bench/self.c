/* SPDX-License-Identifier: Apache-2.0 */
/* self.c - every thread does the same, all of them at once. */
#include "self.h"

#include "bench.h"

#include <errno.h>
#include <pthread.h>
#include <timeline_trace.h>

enum { THREADS_MAX = 8 };

struct worker {
	struct timeline_trace_message *span, *instant, *counter;
	long count;
	int rc;
};

static void *
work(void *argument)
{
	struct worker *w = argument;
	int rc = 0;

	for (long i = 0; rc == 0 && i < w->count; i += 4) {
		const uint64_t n = (uint64_t)i;

		rc = timeline_trace_begin(w->span, 1, n);
		if (rc == 0)
			rc = timeline_trace_log(w->instant, 3, n, n % 1500,
			    n << 20);
		if (rc == 0)
			rc = timeline_trace_log(w->counter, 1, n);
		if (rc == 0)
			rc = timeline_trace_end(w->span, 0);
	}
	w->rc = rc;
	return NULL;
}

static int
define(struct timeline_trace *trace, struct worker *w)
{
	int rc =
	    timeline_trace_span(trace, "http", "info", "request $id", &w->span);

	if (rc == 0)
		rc = timeline_trace_instant(trace, "net", "info",
		    "processed $tcp, $udp, and $other", &w->instant);
	if (rc == 0)
		rc = timeline_trace_counter(trace, "queue", "info",
		    "depth $length", &w->counter);
	return rc;
}

int
self_record(const char *path, long events, int threads)
{
	struct worker workers[THREADS_MAX] = { 0 };
	pthread_t ids[THREADS_MAX];
	struct timeline_trace *trace;
	int rc = timeline_trace_create(&trace, path, NULL);

	if (rc == 0)
		rc = define(trace, &workers[0]);
	for (int i = 0; rc == 0 && i < threads; i++) {
		workers[i] = workers[0];
		workers[i].count = events / threads;
		if (pthread_create(&ids[i], NULL, work, &workers[i]) != 0)
			bench_die("pthread_create", -EAGAIN);
	}
	for (int i = 0, all = rc; all == 0 && i < threads; i++) {
		pthread_join(ids[i], NULL);
		rc = rc < 0 ? rc : workers[i].rc;
	}
	return rc < 0 ? rc : timeline_trace_close(trace);
}
