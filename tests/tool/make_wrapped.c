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
#include "../lib/making.h"

enum { ORDERS = 3000, NOISE = 20, ENTRIES = 4096 };

int
main(int argc, char **argv)
{
	const struct timeline_options options = { .entries = ENTRIES };
	struct timeline_event *order, *noise;
	int64_t longest = 0;
	uint64_t stamp;

	making_find_cpus();
	making_open(argc, argv, 3, "PATH FILE [proven]", &options);
	order = making_span("server", "info", "order $id", TIMELINE_THREAD);
	noise = making_event("server", "info", "noise $n");
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
	making_save(argv);
	printf("%lld %d\n", (long long)longest, making_cpus[1]);
	return 0;
}
