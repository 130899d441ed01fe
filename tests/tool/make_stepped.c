/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_stepped.c - a span of 400 ms during which the clock is set.
 *
 *	make_stepped PATH FILE SECONDS
 *
 * The clock of this program alone is set, by SECONDS, in the middle of the
 * span.  The program saves FILE, removes PATH, and prints the length of the
 * span in ns by a clock that is never set.
 */
#include "../lib/now.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <timeline.h>
#include <unistd.h>

/* The library reads the clock once a second. */
enum {
	POINT_MS = 1050,
	BEGIN_MS = 1900,
	SET_MS = 2000,
	STEP_MS = 2150,
	END_MS = 2300
};

static long set_by;

/* Replaces the function of the C library. */
int
clock_gettime(clockid_t clock, struct timespec *t)
{
	const int rc = (int)syscall(SYS_clock_gettime, clock, t);

	if (rc == 0 && clock == CLOCK_REALTIME)
		t->tv_sec += set_by;
	return rc;
}

static void
must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "make_stepped: %s\n", timeline_error());
	exit(1);
}

static void
wait_until(int64_t start, int64_t ms)
{
	const int64_t left = start + ms * 1000000 - now();

	if (left > 0)
		usleep((useconds_t)(left / 1000));
}

/* A definition makes the library read the clock. */
static void
look_at_clock(struct timeline *tl, const char *message)
{
	struct timeline_event *unused;

	must(timeline_define(tl, "work", "info", message, &unused));
}

int
main(int argc, char **argv)
{
	struct timeline_event *job;
	struct timeline *tl;
	int64_t start, begun;

	if (argc != 4) {
		fprintf(stderr, "usage: make_stepped PATH FILE SECONDS\n");
		return 2;
	}
	must(timeline_new(&tl, argv[1], NULL));
	must(timeline_define_span(tl, "work", "info", "job $id",
	    TIMELINE_THREAD, &job));
	start = now();
	wait_until(start, POINT_MS);
	look_at_clock(tl, "before");
	wait_until(start, BEGIN_MS);
	begun = now();
	timeline_begin(job, 1);
	wait_until(start, SET_MS);
	set_by = atol(argv[3]);
	wait_until(start, STEP_MS);
	look_at_clock(tl, "after");
	wait_until(start, END_MS);
	timeline_end(job);
	printf("%lld\n", (long long)(now() - begun));
	must(timeline_save(tl, argv[2]));
	must(timeline_remove(argv[1]));
	timeline_close(tl);
	return 0;
}
