/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_live.c - snapshots while writers run: no torn entry is shown as
 * whole, the entries shown have no gap, and every loss is counted.
 */
#include "../lib/writers.h"

enum { WRITERS = 4 };

static struct timeline *tl;
static struct timeline_event *event;
static struct writer *writers;
static volatile int *stop;

static void
write_until_told(void *context)
{
	while (!*stop)
		write_one(event, context);
}

/* Write so slowly that a snapshot is not lapped all of the time. */
static void
write_slowly(void *context)
{
	while (!*stop) {
		for (int i = 0; i < 8; i++)
			write_one(event, context);
		sleep_ns(20000);
	}
}

static void
expect_no_hole(const struct check *c)
{
	if (has_cpu_lanes(tl))
		expect(c->missing == 0 && c->torn == 0,
		    "%s: %lu missing, %lu torn", c->path, c->missing, c->torn);
	else
		expect_accounted(c, tl);
}

static uint64_t
check_saved(const char *filename)
{
	static struct check c;

	memset(&c, 0, sizeof(c));
	c.until_tsc = __rdtsc();
	expect_ok(timeline_save(tl, filename));
	check_until(&c, filename);
	expect_no_hole(&c);
	return c.entries;
}

static uint64_t
check_live(void)
{
	const struct check c = check_timeline(test_name);

	expect_no_hole(&c);
	return c.entries;
}

int
main(void)
{
	const struct timeline_options options = { .entries = 1 << 14 };
	pid_t pids[WRITERS];
	uint64_t end, shown = 0;
	unsigned snapshots = 0;
	char filename[TEST_NAME_MAX];

	choose_test_name("snapshot");
	expect_ok(timeline_new(&tl, test_name, &options));
	snprintf(filename, sizeof(filename), "/dev/shm/test-saved-%d",
	    (int)getpid());
	event = define_writers(tl);
	writers = share(WRITERS * sizeof(*writers));
	stop = share(sizeof(*stop));
	for (int i = 0; i < WRITERS; i++) {
		writers[i].number = (uint64_t)i;
		pids[i] =
		    spawn(i < WRITERS / 2 ? write_until_told : write_slowly,
			&writers[i]);
	}
	end = now_ns() + storm_ns(2500);
	for (; now_ns() < end; snapshots++)
		shown += snapshots % 2 ? check_live() : check_saved(filename);
	*stop = 1;
	for (int i = 0; i < WRITERS; i++)
		expect_success(pids[i]);
	unlink(filename);
	printf("%u snapshots, %lu entries shown\n", snapshots, shown);
	expect(shown > 0, "no snapshot showed anything");
	timeline_close(tl);
	return 0;
}
