/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hammer.c - eight processes write to one timeline while they are moved from
 * CPU to CPU: no entry is torn, lost or stored twice.  The same processes then
 * write to the fallback lane, where they are killed and jump out of their
 * appends.
 *
 * HAMMER_APPENDS=1000000000 continues until there were so many appends of each
 * kind.
 */
#include "../lib/writers.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { WRITERS = 8, SHORT = 4000 };

/* Entries of a lane: room for all entries of all_are_there(), or for few. */
enum { ROOMY = 1 << 15, TIGHT = 256 };

static struct timeline *tl;
static struct timeline_event *event;
static struct writer *writers;
static volatile int *stop;
static uint64_t appends_wanted; /* the least number of appends */

static void
write_some(void *context)
{
	for (int i = 0; i < SHORT; i++)
		write_one(event, context);
}

static void
write_until_told(void *context)
{
	while (!*stop)
		for (int i = 0; i < 64; i++)
			write_one(event, context);
}

static uint64_t
sum_of_attempts(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < WRITERS; i++)
		sum += *(volatile uint64_t *)&writers[i].sequence;
	return sum;
}

/* Move the writers between CPUs until time and appends suffice. */
static void
shake(const pid_t *pids, uint64_t ns, uint64_t wanted)
{
	const uint64_t end = now_ns() + ns;
	const int cpus[] = { nth_cpu(0), nth_cpu(1) };
	uint64_t seed = 3;

	while (now_ns() < end || sum_of_attempts() < wanted) {
		const uint64_t r = random_next(&seed);

		pin(pids[r % WRITERS], cpus[r >> 32 & 1]);
		sleep_ns(r >> 40 & 0xffff);
	}
	*stop = 1;
}

static uint64_t
run(void (*writer)(void *), uint64_t ns, uint64_t wanted)
{
	pid_t pids[WRITERS];
	uint64_t attempted = 0;

	*stop = 0;
	for (int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ .number = (uint64_t)i };
		pids[i] = spawn(writer, &writers[i]);
	}
	shake(pids, ns, wanted);
	for (int i = 0; i < WRITERS; i++) {
		expect_success(pids[i]);
		attempted += writers[i].sequence;
	}
	return attempted;
}

/* Create lanes for the CPUs that the writers are moved to. */
static void
open_timeline(uint64_t lane_entries)
{
	const int cpus[] = { nth_cpu(0), nth_cpu(1) };
	const uint32_t lanes = (uint32_t)(cpus[cpus[1] > cpus[0]] + 1);
	const struct timeline_options options = {
		.entries = lane_entries * lanes,
		.cpu_lanes = lanes,
	};

	timeline_close(tl);
	timeline_remove(test_name);
	expect_ok(timeline_new(&tl, test_name, &options));
	event = define_writers(tl);
}

/* No entry is overwritten: every single entry is present. */
static void
all_are_there(void)
{
	uint64_t attempted;
	struct check c;

	open_timeline(ROOMY);
	attempted = run(write_some, 50000000, 0);
	c = check_timeline(test_name);
	expect(sum_of_heads(tl) == attempted, "%lu appended of %lu",
	    sum_of_heads(tl), attempted);
	expect(c.entries == attempted && c.torn == 0 && c.missing == 0,
	    "%lu of %lu entries shown, %lu torn, %lu missing", c.entries,
	    attempted, c.torn, c.missing);
}

static void
none_is_torn(void)
{
	uint64_t attempted;
	struct check c;

	open_timeline(TIGHT);
	attempted = run(write_until_told, storm_ns(2000), appends_wanted);
	c = check_timeline(test_name);
	printf("%lu appends, %lu shown, %lu dropped\n", attempted, c.entries,
	    sum_of_drops(tl));
	expect(sum_of_heads(tl) == attempted, "%lu appended of %lu",
	    sum_of_heads(tl), attempted);
	expect_accounted(&c, tl);
}

static sigjmp_buf jump;

static void
leave(int signal)
{
	(void)signal;
	siglongjmp(jump, 1);
}

/*
 * Give up an append now and then by a jump, as programs with a time limit do.
 */
static void
write_and_jump(void *context)
{
	struct writer *w = context;
	const struct itimerval often = { { 0, 300 }, { 0, 300 } };

	signal(SIGALRM, leave);
	if (sigsetjmp(jump, 1)) {
		w->sequence++; /* the entry may have been logged; its number
			        * is not used again */
		w->spare[0]++;
	}
	setitimer(ITIMER_REAL, &often, NULL);
	for (;;)
		write_one(event, w);
}

/* Kill writers and start new ones, and read the timeline now and then. */
static unsigned
kill_some(uint64_t ns, uint64_t wanted)
{
	const uint64_t end = now_ns() + ns;
	pid_t pids[WRITERS];
	unsigned kills = 0;
	uint64_t seed = 7;

	for (int i = 0; i < WRITERS; i++)
		pids[i] = spawn(write_and_jump, &writers[i]);
	for (; now_ns() < end || sum_of_attempts() < wanted; kills++) {
		const int i = (int)random_below(&seed, WRITERS);

		sleep_ns(random_below(&seed, 3000000));
		kill(pids[i], SIGKILL);
		wait_for(pids[i]);
		writers[i].sequence++;
		pids[i] = spawn(write_and_jump, &writers[i]);
		if (kills % 16 == 0) /* fails on a mixed or a repeated entry */
			check_timeline(test_name);
	}
	for (int i = 0; i < WRITERS; i++) {
		kill(pids[i], SIGKILL);
		wait_for(pids[i]);
		writers[i].sequence++;
	}
	return kills + WRITERS;
}

/* The lane is whole again one lap after the kills and the jumps. */
static void
fallback_heals(void)
{
	const uint64_t lap = 2 * TIGHT;
	uint64_t jumps = 0;
	uint64_t dropped;
	unsigned kills;
	struct check c;

	setenv("TIMELINE_NO_RSEQ", "1", 1);
	open_timeline(TIGHT);
	for (int i = 0; i < WRITERS; i++)
		writers[i] = (struct writer){ .number = (uint64_t)i };
	kills = kill_some(storm_ns(2000), appends_wanted);
	for (int i = 0; i < WRITERS; i++)
		jumps += writers[i].spare[0];
	dropped = sum_of_drops(tl);
	printf("%lu appends, %u killed, %lu jumped out, %lu dropped\n",
	    sum_of_attempts(), kills, jumps, dropped);
	for (uint64_t i = 0; i < lap; i++)
		write_one(event, &writers[0]);
	c = check_timeline(test_name);
	expect(sum_of_drops(tl) == dropped && c.torn == 0,
	    "a lap later %lu dropped, %lu torn", sum_of_drops(tl) - dropped,
	    c.torn);
}

int
main(void)
{
	const char *wanted = getenv("HAMMER_APPENDS");

	appends_wanted = wanted ? strtoull(wanted, NULL, 10) : 0;
	choose_test_name("hammer");
	writers = share(WRITERS * sizeof(*writers));
	stop = share(sizeof(*stop));
	all_are_there();
	none_is_torn();
	fallback_heals();
	timeline_close(tl);
	return 0;
}
