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
#include "../lib/making.h"

#include <pthread.h>

enum { REQUESTS = 10 };

static struct timeline_event *request, *query, *ready;

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
	making_open(argc, argv, 3, "PATH FILE [wait]", NULL);
	request = making_span("app", "info", "request $id", TIMELINE_THREAD);
	query = making_span("app", "info", "query $id", TIMELINE_THREAD);
	ready = making_event("app", "info", "ready");
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
	making_save(argv);
	return 0;
}
