/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hammer.c - eight processes write to one timeline while they are moved from
 * CPU to CPU: nothing torn, nothing lost, nothing twice.
 */
#include "../lib/writers.h"

enum { WRITERS = 8, SHORT = 4000 };

/* Entries of a lane: all of the short ones, or few. */
enum { ROOMY = 1 << 15, TIGHT = 256 };

static struct timeline *tl;
static struct timeline_event *event;
static struct writer *writers;
static volatile int *stop;

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

/* Move writers about until all have had their time. */
static void
shake(const pid_t *pids, uint64_t ns)
{
	const uint64_t end = now_ns() + ns;
	const int cpus[] = { nth_cpu(0), nth_cpu(1) };
	uint64_t seed = 3;

	while (now_ns() < end) {
		const uint64_t r = random_next(&seed);

		pin(pids[r % WRITERS], cpus[r >> 32 & 1]);
		sleep_ns(r >> 40 & 0xffff);
	}
	*stop = 1;
}

static uint64_t
run(void (*writer)(void *), uint64_t ns)
{
	pid_t pids[WRITERS];
	uint64_t attempted = 0;

	*stop = 0;
	for (int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){ .number = (uint64_t)i };
		pids[i] = spawn(writer, &writers[i]);
	}
	shake(pids, ns);
	for (int i = 0; i < WRITERS; i++) {
		expect_success(pids[i]);
		attempted += writers[i].sequence;
	}
	return attempted;
}

/* Lanes for the CPUs that writers are moved to. */
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

/* Nothing is overwritten: every single entry is there. */
static void
all_are_there(void)
{
	uint64_t attempted;
	struct check c;

	open_timeline(ROOMY);
	attempted = run(write_some, 50000000);
	c = check_timeline(test_name);
	expect(sum_of_heads(tl) == attempted, "%lu appended of %lu",
	    sum_of_heads(tl), attempted);
	expect(c.entries == attempted && c.torn == 0 && c.missing == 0,
	    "%lu of %lu entries shown, %lu torn, %lu missing", c.entries,
	    attempted, c.torn, c.missing);
}

/* Writers lap each other all the time. */
static void
none_is_torn(void)
{
	uint64_t attempted;
	struct check c;

	open_timeline(TIGHT);
	attempted = run(write_until_told, storm_ns(2000));
	c = check_timeline(test_name);
	printf("%lu appends, %lu shown, %lu dropped, %lu stuck\n", attempted,
	    c.entries, sum_of_drops(tl), c.stuck);
	expect(sum_of_heads(tl) == attempted, "%lu appended of %lu",
	    sum_of_heads(tl), attempted);
	expect(c.missing <= sum_of_drops(tl) && c.torn <= sum_of_drops(tl),
	    "%lu missing, %lu torn, %lu dropped", c.missing, c.torn,
	    sum_of_drops(tl));
	expect(c.stuck == 0, "%lu slots stuck and nobody died", c.stuck);
}

int
main(void)
{
	choose_test_name("hammer");
	writers = share(WRITERS * sizeof(*writers));
	stop = share(sizeof(*stop));
	all_are_there();
	none_is_torn();
	timeline_close(tl);
	return 0;
}
