/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_handed.c - spans of a thread that another thread ends, by mistake.
 *
 *	make_handed PATH FILE [wait]
 *
 * Each of 10 requests begins in the first thread, and holds a query; the second
 * thread ends the request with the stamp of its begin.  The program saves FILE
 * and removes PATH.  With "wait", it waits for a line of input before the first
 * request.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>
#include <unistd.h>

enum { REQUESTS = 10 };

static struct timeline_event *request, *query, *ready;

static void
must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "make_handed: %s\n", timeline_error());
	exit(1);
}

static void *
end_it(void *begun)
{
	timeline_log(ready); /* the first entry of a thread proves nothing */
	timeline_end_of(request, *(uint64_t *)begun);
	return NULL;
}

int
main(int argc, char **argv)
{
	struct timeline *tl;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: make_handed PATH FILE [wait]\n");
		return 2;
	}
	must(timeline_new(&tl, argv[1], NULL));
	must(timeline_define_span(tl, "app", "info", "request $id",
	    TIMELINE_THREAD, &request));
	must(timeline_define_span(tl, "app", "info", "query $id",
	    TIMELINE_THREAD, &query));
	must(timeline_define(tl, "app", "info", "ready", &ready));
	if (argc == 4)
		(void)getchar();
	for (int id = 1; id <= REQUESTS; id++) {
		uint64_t begun = timeline_begin(request, id);
		pthread_t thread;

		timeline_begin(query, id);
		usleep(100);
		timeline_end(query);
		if (pthread_create(&thread, NULL, end_it, &begun) != 0 ||
		    pthread_join(thread, NULL) != 0)
			return 1;
	}
	must(timeline_save(tl, argv[2]));
	must(timeline_remove(argv[1]));
	timeline_close(tl);
	return 0;
}
