/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_parts.c - requests that spend nearly all of their time in queries, of
 * which few are recorded.
 *
 *	make_parts PATH FILE bursts|slow|short|slots|single|turned
 *
 *	bursts	queries are open in bursts of several requests
 *	slow	queries are open except in requests that are slow
 *	short	queries are open in bursts that are shorter than a query, and
 *		some begin within a query
 *	slots	queries are open in slots
 *	single	the level of queries alone is off in two requests of three
 *	turned	the lanes of queries turn, those of requests do not
 *
 * The program saves FILE, removes PATH, and prints the share of requests that
 * is no query, in thousandths.
 */
#include "../lib/making.h"

enum {
	REQUESTS = 300,
	ENTRIES = 256,
	NOISE = 16,
	SLOW_US = 100000,
	WORK_NS = 20000,
	QUERY_NS = 1000000
};

static struct timeline_event *noise;
static const char *mode;
static int64_t in_queries, in_requests;

static void
work(int64_t ns)
{
	for (const int64_t until = now() + ns; now() < until;)
		;
}

static void
burst(uint64_t ns)
{
	expect_ok(timeline_burst(tl, "trace", ns));
}

static void
query(struct timeline_event *span, int id)
{
	const int64_t begin = now();

	timeline_scope(span, id);
	work(QUERY_NS / 2);
	if (strcmp(mode, "slow") == 0 && id % 20 == 19)
		usleep(SLOW_US);
	if (strcmp(mode, "short") == 0 && id % 10 == 5)
		burst(QUERY_NS / 4);
	for (int i = 0; i < NOISE; i++)
		timeline_log(noise, i);
	work(QUERY_NS / 2);
	in_queries += now() - begin;
}

static void
request(struct timeline_event *outer, struct timeline_event *inner, int id)
{
	const int64_t begin = now();

	timeline_scope(outer, id);
	work(WORK_NS);
	query(inner, id);
	in_requests += now() - begin;
}

int
main(int argc, char **argv)
{
	struct timeline_options options = { 0 };
	struct tl_plan plan = { .seed = 1, .shift = 16 };
	struct timeline_event *outer, *inner;
	bool turned;

	mode = argc > 3 ? argv[3] : "";
	turned = strcmp(mode, "turned") == 0;
	options.entries = turned ? ENTRIES : 1 << 14;
	making_open(argc, argv, 4, "PATH FILE MODE", &options);
	expect_ok(
	    timeline_define_span(tl, "server", turned ? "warning" : "info",
		"request $id", TIMELINE_THREAD, &outer));
	inner = making_span("db", "debug", "query $shard", TIMELINE_THREAD);
	noise = making_event("db", "trace", "step $n");
	expect_ok(timeline_priority(tl,
	    turned || strcmp(mode, "single") == 0 ? "trace" : "info"));
	if (strcmp(mode, "slots") == 0) {
		for (unsigned i = 4; i < TIMELINE_PLAN_GATES; i++)
			plan.shares[i] = UINT32_MAX / 5;
		expect_ok(tl_plan_set(tl, NULL, &plan, UINT64_C(60000000000)));
	}
	for (int id = 0; id < REQUESTS; id++) {
		if (id % 20 == 0 && strcmp(mode, "bursts") == 0)
			burst(5 * QUERY_NS);
		if (id % 10 == 0 && strcmp(mode, "short") == 0)
			burst(QUERY_NS / 4);
		if (strcmp(mode, "slow") == 0)
			expect_ok(timeline_priority(tl,
			    id % 20 == 19 ? "info" : "trace"));
		if (strcmp(mode, "single") == 0)
			expect_ok(timeline_level(tl, "db", "query*",
			    id % 3 == 0 ? "default" : "off"));
		request(outer, inner, id);
	}
	making_save(argv);
	printf("%ld\n", 1000 * (in_requests - in_queries) / in_requests);
	return 0;
}
