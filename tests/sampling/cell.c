/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell.c - a program whose true number of calls is known, for sampling.
 *
 *	cell NAME KIND SECONDS FILE
 *
 * KIND sleeps: sleeps for 1 ms on average, then calls 20 times 1 us apart.
 *      spins:  calls every 20 us on average, all the time.
 *      ticks:  calls 500 times in 1 ms, at each 10 ms.
 *
 * Calls that the program misses while it waits for a CPU are not made up for.
 *
 * The program creates the timeline /NAME, waits until a daemon samples it, runs
 * for SECONDS, waits for the last entries of the daemon, saves FILE, removes
 * the timeline, and prints the number of calls.
 */
#include "base/word.h"
#include "ring/ring.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATIENCE_NS UINT64_C(120000000000)

static struct timeline *tl;
static struct timeline_event *call;
static uint64_t calls;
static uint64_t random_state;

static void
must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "cell: %s\n", timeline_error());
	exit(1);
}

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
sleep_until(uint64_t ns)
{
	const struct timespec t = { .tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void
spin_until(uint64_t ns)
{
	while (now_ns() < ns)
		;
}

static double
exponential(double mean)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return -mean * log(((double)(random_state >> 11) + 1) * 0x1p-53);
}

static void
call_it(void)
{
	timeline_log(call, calls);
	calls++;
}

static void
sleeps(uint64_t end)
{
	while (now_ns() < end) {
		sleep_until(now_ns() + (uint64_t)exponential(1e6));
		for (int i = 0; i < 20; i++) {
			call_it();
			spin_until(now_ns() + 1000);
		}
	}
}

static void
spins(uint64_t end)
{
	while (now_ns() < end) {
		spin_until(now_ns() + (uint64_t)exponential(20e3));
		call_it();
	}
}

static void
ticks(uint64_t end)
{
	while (now_ns() < end) {
		spin_until((now_ns() / 10000000 + 1) * 10000000);
		for (int i = 0; i < 500; i++) {
			call_it();
			spin_until(now_ns() + 2000);
		}
	}
}

/* Wait until a daemon samples: it has changed the levels, or has set a plan. */
static void
wait_for_daemon(void)
{
	const uint64_t word = tl_load_64(&tl->header->levels);
	const uint64_t give_up = now_ns() + PATIENCE_NS;

	while (tl_load_64(&tl->header->levels) == word &&
	       tl_load_64(&tl->header->lease) == 0) {
		if (now_ns() > give_up) {
			fprintf(stderr, "cell: no daemon samples it\n");
			exit(1);
		}
		sleep_until(now_ns() + 1000000);
	}
}

int
main(int argc, char **argv)
{
	const struct timeline_options options = { .entries = 1 << 19 };
	uint64_t end;

	if (argc != 5) {
		fprintf(stderr, "usage: cell NAME KIND SECONDS FILE\n");
		return 2;
	}
	random_state = now_ns();
	must(timeline_new(&tl, argv[1], &options));
	must(timeline_define(tl, "cell", "trace", "call $n", &call));
	must(timeline_priority(tl, "info"));
	wait_for_daemon();
	end = now_ns() + (uint64_t)(strtod(argv[3], NULL) * 1e9);
	if (strcmp(argv[2], "sleeps") == 0)
		sleeps(end);
	else if (strcmp(argv[2], "spins") == 0)
		spins(end);
	else
		ticks(end);
	sleep_until(now_ns() + 600000000);
	must(timeline_save(tl, argv[4]));
	must(timeline_remove(argv[1]));
	timeline_close(tl);
	printf("%llu\n", (unsigned long long)calls);
	return 0;
}
