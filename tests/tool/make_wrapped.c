/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_wrapped.c - spans across two CPUs, one of which has an overwritten lane.
 *
 *	make_wrapped PATH FILE [proven]
 *
 * Each order takes about 50 us; some orders begin on one CPU and end on the
 * other.  Noise on the second CPU overwrites its lane again and again.  The
 * program saves FILE, removes PATH, and prints the longest order in ns.  With
 * "proven", the ends have the stamps of their begins.  Exit status 77: there are
 * no two CPUs.
 */
#include "../lib/now.h"

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>
#include <unistd.h>

enum { ORDERS = 3000, NOISE = 20, ENTRIES = 4096 };

static int cpus[2];

static void
must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "make_wrapped: %s\n", timeline_error());
	exit(1);
}

static void
go_to(int which)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpus[which], &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		exit(77);
}

/* The first two CPUs that this process may use. */
static void
find_cpus(void)
{
	cpu_set_t set;
	int found = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
		if (CPU_ISSET(i, &set))
			cpus[found++] = i;
	if (found < 2)
		exit(77);
}

int
main(int argc, char **argv)
{
	const struct timeline_options options = { .entries = ENTRIES };
	struct timeline_event *order, *noise;
	struct timeline *tl;
	int64_t longest = 0;
	uint64_t stamp;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: make_wrapped PATH FILE [proven]\n");
		return 2;
	}
	find_cpus();
	must(timeline_new(&tl, argv[1], &options));
	must(timeline_define_span(tl, "server", "info", "order $id",
	    TIMELINE_THREAD, &order));
	must(timeline_define(tl, "server", "info", "noise $n", &noise));
	for (int id = 1; id <= ORDERS; id++) {
		int64_t begun, took;

		go_to(id % 150 == 0);
		begun = now();
		stamp = timeline_begin(order, id);
		if (id % 100 == 0 && id % 150 != 0)
			go_to(1);
		if (id % 150 == 0)
			go_to(0);
		usleep(50);
		if (argc == 4)
			timeline_end_of(order, stamp);
		else
			timeline_end(order);
		took = now() - begun;
		longest = took > longest ? took : longest;
		go_to(1);
		for (int n = 0; n < NOISE; n++)
			timeline_log(noise, n);
	}
	must(timeline_save(tl, argv[2]));
	must(timeline_remove(argv[1]));
	timeline_close(tl);
	printf("%lld %d\n", (long long)longest, cpus[1]);
	return 0;
}
