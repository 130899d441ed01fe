/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill_random.c - kill -9 of writers at any time: the remaining writers go on
 * without repair, and the entries of the killed writers are present.
 */
#include "../lib/writers.h"

enum { WRITERS = 6 };

static struct timeline *tl;
static struct timeline_event *event;
static struct writer *writers;

/* A kill may hit before the append, or between the append and the count. */
static void
write_for_ever(void *context)
{
	struct writer *w = context;

	for (;;)
		write_one(event, w);
}

/* A kill may also interrupt attaching and defining. */
static void
attach_for_ever(void *context)
{
	struct writer *w = context;
	uint64_t number;

	for (unsigned i = 0;; i++) {
		struct timeline *own;
		char text[32];

		expect_ok(timeline_open(&own, test_name));
		snprintf(text, sizeof(text), "text %u", i % 200);
		expect_ok(timeline_string(own, text, &number));
		write_one(define_writers(own), w);
		timeline_close(own);
	}
}

static pid_t
start(int i)
{
	return spawn(i == 0 ? attach_for_ever : write_for_ever, &writers[i]);
}

static unsigned
storm(pid_t *pids)
{
	const uint64_t end = now_ns() + storm_ns(2500);
	unsigned kills = 0;
	uint64_t seed = 5;

	for (; now_ns() < end; kills++) {
		const int i = (int)random_below(&seed, WRITERS);

		sleep_ns(random_below(&seed, 3000000));
		kill(pids[i], SIGKILL);
		wait_for(pids[i]);
		writers[i].sequence++; /* the entry may have been logged; its
				        * number is not used again */
		pids[i] = start(i);
	}
	return kills;
}

static void
check_counts(unsigned kills)
{
	const uint64_t appended = sum_of_heads(tl);
	uint64_t attempted = 0;

	for (int i = 0; i < WRITERS; i++)
		attempted += writers[i].sequence;
	expect(appended + kills >= attempted && appended <= attempted + WRITERS,
	    "%lu appended, %lu counted, %u killed", appended, attempted, kills);
}

int
main(void)
{
	const struct timeline_options options = { .entries = 2048 };
	pid_t pids[WRITERS];
	unsigned kills;
	struct check c;

	choose_test_name("kill");
	expect_ok(timeline_new(&tl, test_name, &options));
	event = define_writers(tl);
	writers = share(WRITERS * sizeof(*writers));
	for (int i = 0; i < WRITERS; i++) {
		writers[i].number = (uint64_t)i;
		pids[i] = start(i);
	}
	kills = storm(pids);
	for (int i = 0; i < WRITERS; i++) {
		kill(pids[i], SIGKILL);
		wait_for(pids[i]);
	}
	check_counts(kills);
	kills += WRITERS;
	/* every writer is dead; a lap later all entries must be whole */
	for (int i = 0; i < 3000; i++)
		write_one(event, &writers[1]);
	c = check_timeline(test_name);
	printf("%u killed, %lu shown, %lu torn, %lu dropped\n", kills,
	    c.entries, c.torn, sum_of_drops(tl));
	expect(c.torn == 0, "%lu torn a lap after %u were killed", c.torn,
	    kills);
	expect(c.missing <= kills + sum_of_drops(tl),
	    "%lu missing, %u killed, %lu dropped", c.missing, kills,
	    sum_of_drops(tl));
	timeline_close(tl);
	return 0;
}
