/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burst_share.c - four processes share one CPU during a burst, and no entry is
 * lost.  Writers also end a burst by themselves when the process that started
 * it was killed.
 */
#include "../lib/writers.h"

enum { WRITERS = 4, BURST_MS = 150, PATIENCE_MS = 300000 };

static struct timeline *tl;
static struct timeline_event *event;
static struct writer *writers;
static volatile int *stop;

static void
write_until_told(void *context)
{
	while (!*stop)
		for (int i = 0; i < 32; i++)
			write_one(event, context);
}

/* The burst is so long that it outlives the writers. */
static void
nothing_is_lost(void)
{
	const uint64_t before = sum_of_heads(tl);
	pid_t pids[WRITERS];
	uint64_t attempted = 0;
	struct check c;

	expect_ok(timeline_burst(tl, "trace", 600000000000));
	for (int i = 0; i < WRITERS; i++) {
		writers[i].number = (uint64_t)i;
		pids[i] = spawn(write_until_told, &writers[i]);
	}
	sleep_ns(storm_ns(1500));
	*stop = 1;
	for (int i = 0; i < WRITERS; i++) {
		expect_success(pids[i]);
		attempted += writers[i].sequence;
	}
	c = check_timeline(test_name);
	printf("%lu appends in a burst, %lu dropped\n", attempted,
	    sum_of_drops(tl));
	/* the burst itself adds two entries */
	expect(sum_of_heads(tl) - before == attempted + 2,
	    "%lu appended of %lu", sum_of_heads(tl) - before, attempted + 2);
	expect_accounted(&c, tl);
}

static void
start_and_die(void *unused)
{
	(void)unused;
	expect_ok(timeline_burst(tl, "trace", BURST_MS * 1000000));
	kill(getpid(), SIGKILL);
}

/* The stamp of the newest entry of a writer. */
static uint64_t
newest_stamp(void)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	uint64_t stamp = 0;

	expect(snap_open(&snap, test_name, 0, &fault) == 0, "%s", fault.text);
	expect(tl_snap_cursor(snap, TL_NEWEST_FIRST, &cursor) == 0, "cursor");
	while (stamp == 0 && tl_cursor_next(cursor, &e) > 0)
		if (e.kind != TL_LOST && !e.message->builtin)
			stamp = e.tsc;
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	return stamp;
}

static void
it_ends_by_itself(void)
{
	const uint64_t give_up = now_ns() + PATIENCE_MS * UINT64_C(1000000);
	uint64_t levels, until;

	/* setting the priority ends the long burst of nothing_is_lost() */
	tl->header->levels = 0x0606;
	wait_for(spawn(start_and_die, NULL));
	levels = tl->header->levels;
	until = levels >> TIMELINE_LEVELS_UNTIL;
	expect((uint8_t)levels == 4 && timeline_enabled(event),
	    "no burst: levels %lx", levels);
	while (timeline_enabled(event)) {
		write_one(event, &writers[0]);
		expect(now_ns() < give_up, "the burst never ends");
	}
	expect((uint16_t)tl->header->levels == 0x0606,
	    "levels %lx after the burst", tl->header->levels);
	if (has_cpu_lanes(tl))
		expect(newest_stamp() >> TIMELINE_UNTIL_SHIFT <= until,
		    "logged at %lx after the end %lx",
		    newest_stamp() >> TIMELINE_UNTIL_SHIFT, until);
}

int
main(void)
{
	const struct timeline_options options = { .entries = 8192 };

	choose_test_name("burst");
	pin(0, nth_cpu(0)); /* the writers inherit the CPU */
	expect_ok(timeline_new(&tl, test_name, &options));
	event = define_writers(tl);
	expect_ok(timeline_priority(tl, "info"));
	writers = share(WRITERS * sizeof(*writers));
	stop = share(sizeof(*stop));
	write_one(event, &writers[0]);
	expect(sum_of_heads(tl) == 2, "logged though closed");
	writers[0].sequence = 0;
	nothing_is_lost();
	it_ends_by_itself();
	timeline_close(tl);
	return 0;
}
