/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_cut.c - spans whose end or begin alone passes the levels.
 *
 *	make_cut PATH FILE
 *
 *	> request > job(1) < job  > job(2)   [info: < job > job(3)]
 *	< job  > job(4) < job  < request  > job(5)
 *
 * The end of job 3 does not end job 2, which began with other levels.  Job 5 is
 * open at the end.  The program saves FILE and removes PATH.
 */
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>

static void
must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "make_cut: %s\n", timeline_error());
	exit(1);
}

int
main(int argc, char **argv)
{
	struct timeline_event *request, *job;
	struct timeline *tl;

	if (argc != 3) {
		fprintf(stderr, "usage: make_cut PATH FILE\n");
		return 2;
	}
	must(timeline_new(&tl, argv[1], NULL));
	must(timeline_define_span(tl, "work", "info", "request",
	    TIMELINE_THREAD, &request));
	must(timeline_define_span(tl, "work", "trace", "job $n",
	    TIMELINE_THREAD, &job));
	must(timeline_priority(tl, "trace"));
	timeline_begin(request);
	timeline_begin(job, 1);
	timeline_end(job);
	timeline_begin(job, 2);
	must(timeline_priority(tl, "info"));
	timeline_end(job);
	timeline_begin(job, 3);
	must(timeline_priority(tl, "trace"));
	timeline_end(job);
	timeline_begin(job, 4);
	timeline_end(job);
	timeline_end(request);
	timeline_begin(job, 5);
	must(timeline_save(tl, argv[2]));
	must(timeline_remove(argv[1]));
	timeline_close(tl);
	return 0;
}
