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
#include "../lib/making.h"

int
main(int argc, char **argv)
{
	struct timeline_event *request, *job;

	making_open(argc, argv, 3, "PATH FILE", NULL);
	request = making_span("work", "info", "request", TIMELINE_THREAD);
	job = making_span("work", "trace", "job $n", TIMELINE_THREAD);
	expect_ok(timeline_priority(tl, "trace"));
	timeline_begin(request);
	timeline_begin(job, 1);
	timeline_end(job);
	timeline_begin(job, 2);
	expect_ok(timeline_priority(tl, "info"));
	timeline_end(job);
	timeline_begin(job, 3);
	expect_ok(timeline_priority(tl, "trace"));
	timeline_end(job);
	timeline_begin(job, 4);
	timeline_end(job);
	timeline_end(request);
	timeline_begin(job, 5);
	making_save(argv);
	return 0;
}
