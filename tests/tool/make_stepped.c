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
#include "../lib/making.h"

#include <sys/syscall.h>

/* The library reads the clock once a second. */
enum {
	POINT_MS = 1050,
	BEGIN_MS = 1900,
	SET_MS = 2000,
	STEP_MS = 2150,
	END_MS = 2300
};
static const int64_t MS = 1000000;

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
sleep_until(int64_t ns)
{
	int64_t left;

	while ((left = ns - now()) > 0)
		sleep_ns((uint64_t)left);
}

/* A definition makes the library read the clock. */
static void
look_at_clock(const char *message)
{
	(void)making_event("work", "info", message);
}

int
main(int argc, char **argv)
{
	struct timeline_event *job;
	int64_t start, begun;

	making_open(argc, argv, 4, "PATH FILE SECONDS", NULL);
	job = making_span("work", "info", "job $id", TIMELINE_THREAD);
	start = now();
	sleep_until(start + POINT_MS * MS);
	look_at_clock("before");
	sleep_until(start + BEGIN_MS * MS);
	begun = now();
	timeline_begin(job, 1);
	sleep_until(start + SET_MS * MS);
	set_by = atol(argv[3]);
	sleep_until(start + STEP_MS * MS);
	look_at_clock("after");
	sleep_until(start + END_MS * MS);
	timeline_end(job);
	printf("%lld\n", (long long)(now() - begun));
	making_save(argv);
	return 0;
}
