/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.c - four processes log below the priority while a plan opens slots,
 * migrate from CPU to CPU and log from signal handlers: no entry is stamped
 * outside of an open slot.  A plan that no process renews opens nothing after
 * its lease, even if the process that set it was killed.
 */
#include "../lib/writers.h"

#include <sys/time.h>

enum {
	WRITERS = 4,
	PERIOD_US = 197,
	SHIFT = 13, /* a few us: many borders of slots */
	PATIENCE_MS = 300000
};

static struct timeline *tl;
static struct timeline_event *event;
static struct writer (*writers)[2];
static struct writer *in_handler;
static struct tl_plan plan = { .seed = 0x5eed, .shift = SHIFT };

static void
handle(int signal_number)
{
	(void)signal_number;
	write_one(event, in_handler);
}

static void
write_and_wander(void *context)
{
	const struct itimerval period = { .it_interval.tv_usec = PERIOD_US,
		.it_value.tv_usec = PERIOD_US };
	const struct itimerval none = { 0 };
	const struct sigaction action = { .sa_handler = handle,
		.sa_flags = SA_RESTART };
	const uint64_t end = now_ns() + storm_ns(1500);
	const int cpus[] = { nth_cpu(0), nth_cpu(1) };
	struct writer *w = context;
	unsigned n = 0;

	in_handler = w + 1;
	expect(sigaction(SIGALRM, &action, NULL) == 0, "sigaction: %m");
	expect(setitimer(ITIMER_REAL, &period, NULL) == 0, "setitimer: %m");
	while (now_ns() < end) {
		for (int i = 0; i < 512; i++)
			write_one(event, w);
		if (++n % 16 == 0 && cpus[1] >= 0)
			pin(0, cpus[n / 16 % 2]);
	}
	setitimer(ITIMER_REAL, &none, NULL);
	signal(SIGALRM, SIG_IGN);
}

/*
 * Count the entries of the writers; each entry must lie in an open slot, and
 * not behind the end.
 */
static uint64_t
check_slots(uint64_t end, uint64_t *strays)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	uint64_t count = 0;

	expect(snap_open(&snap, test_name, 0, &fault) == 0, "%s", fault.text);
	expect(tl_snap_cursor(snap, TL_NEWEST_FIRST, &cursor) == 0, "cursor");
	*strays = 0;
	while (tl_cursor_next(cursor, &e) > 0) {
		if (e.kind == TL_LOST || e.message->builtin)
			continue;
		count++;
		if (e.tsc > end ||
		    timeline_slot_hash(timeline_slot(e.tsc, SHIFT),
			plan.seed) >= plan.shares[e.message->gate])
			++*strays;
	}
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	return count;
}

static void
no_entry_lies_outside_of_an_open_slot(void)
{
	pid_t pids[WRITERS];
	uint64_t attempted = 0, count, strays;

	expect_ok(tl_plan_set(tl, NULL, &plan, UINT64_C(600000000000)));
	for (int i = 0; i < WRITERS; i++) {
		writers[i][0].number = 2 * (uint64_t)i;
		writers[i][1].number = 2 * (uint64_t)i + 1;
		pids[i] = spawn(write_and_wander, writers[i]);
	}
	for (int i = 0; i < WRITERS; i++) {
		expect_success(pids[i]);
		attempted += writers[i][0].sequence + writers[i][1].sequence;
	}
	count = check_slots(UINT64_MAX, &strays);
	printf("%lu calls, %lu entries kept, %lu of them outside of slots\n",
	    attempted, count, strays);
	expect(strays == 0, "%lu strays", strays);
	expect(count > 100 && sum_of_heads(tl) < attempted / 2,
	    "%lu entries of %lu calls", sum_of_heads(tl), attempted);
}

static void
set_plan_and_die(void *unused)
{
	(void)unused;
	expect_ok(tl_plan_set(tl, NULL, &plan, 200000000));
	kill(getpid(), SIGKILL);
}

static void
a_plan_ends_with_its_lease(void)
{
	const uint64_t give_up = now_ns() + PATIENCE_MS * UINT64_C(1000000);
	uint64_t lease, strays;

	expect_ok(tl_plan_set(tl, &plan, NULL, 0));
	expect(!timeline_enabled(event), "open without a plan");
	for (int gate = 4; gate < TIMELINE_PLAN_GATES; gate++)
		plan.shares[gate] = UINT32_MAX; /* nearly all slots are open */
	timeline_clear(tl);
	wait_for(spawn(set_plan_and_die, NULL));
	lease = tl->header->lease;
	expect(timeline_enabled(event), "no plan");
	while (timeline_enabled(event)) {
		write_one(event, &writers[0][0]);
		expect(now_ns() < give_up, "the plan never ends");
	}
	for (int i = 0; i < 1000; i++)
		write_one(event, &writers[0][0]);
	expect((uint16_t)tl->header->levels == 0x0606,
	    "levels %lx after the plan", tl->header->levels);
	expect(check_slots(lease, &strays) > 0 && strays == 0,
	    "%lu entries after the lease", strays);
}

int
main(void)
{
	const struct timeline_options options = { .entries = 1 << 18 };

	choose_test_name("slots");
	expect_ok(timeline_new(&tl, test_name, &options));
	event = define_writers(tl);
	expect_ok(timeline_priority(tl, "info"));
	writers = share(WRITERS * sizeof(*writers));
	for (int gate = 4; gate < TIMELINE_PLAN_GATES; gate++)
		plan.shares[gate] = UINT32_MAX / 20;
	no_entry_lies_outside_of_an_open_slot();
	a_plan_ends_with_its_lease();
	timeline_close(tl);
	return 0;
}
