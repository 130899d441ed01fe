/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orders.c - spans and calls that are too many to log all of them, and the truth
 * beside what a daemon samples: the program counts and measures for itself.
 *
 *	cc orders.c $(pkg-config --cflags --libs timeline) -o orders
 *	./orders [orders]
 *
 * Each order sorts a list, which compares many times.  One order in the middle
 * waits for 20 milliseconds.
 */
#include "example.h"

#include <stdint.h>
#include <time.h>

enum { ORDERS_MAX = 1000000, PAUSE_US = 100, WAIT_US = 20000 };

static const char default_name[] = "/timeline-example-orders";
static struct timeline_event *order;
static struct timeline_event *sort;
static struct timeline_event *compared;
static uint64_t comparisons;

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A tenth of the lists are four times as long. */
static void
sort_list(unsigned id)
{
	const unsigned items = (10 + id * 7919 % 20) * (id % 10 ? 1 : 4);

	timeline_scope(sort, items);
	for (unsigned i = 0; i < items; i++) {
		example_work(500);
		timeline_log(compared, i, items);
		comparisons++;
	}
}

/* Returns how long its list took. */
static uint64_t
take_order(unsigned id, unsigned waits)
{
	uint64_t began;

	timeline_scope(order, id);
	if (id == waits)
		usleep(WAIT_US);
	began = now_ns();
	sort_list(id);
	return now_ns() - began;
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	const unsigned long wanted =
	    argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	const unsigned orders =
	    wanted > 0 && wanted < ORDERS_MAX ? (unsigned)wanted : ORDERS_MAX;
	struct timeline *tl = example_new(default_name);
	uint64_t *ns = calloc(orders, sizeof(*ns));

	if (!ns)
		return 1;
	example_must(timeline_define_span(tl, "orders", "info", "order $id",
	    TIMELINE_THREAD, &order));
	example_must(timeline_define_span(tl, "orders", "debug", "sort $items",
	    TIMELINE_THREAD, &sort));
	example_must(timeline_define(tl, "orders", "trace",
	    "compared $i of $items", &compared));
	for (unsigned id = 0; id < orders; id++) {
		ns[id] = take_order(id, orders / 2);
		usleep(PAUSE_US);
	}
	qsort(ns, orders, sizeof(*ns), compare);
	printf("the truth: %llu compared; sort took %.1fus (p50), %.1fus "
	       "(p99)\n",
	    (unsigned long long)comparisons, (double)ns[orders / 2] / 1e3,
	    (double)ns[orders - 1 - orders / 100] / 1e3);
	free(ns);
	timeline_close(tl);
	return 0;
}
