/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_samples.c - log at trace all the time to a timeline of priority info,
 * and open the timeline for samples, as timelined does.
 *
 *	make_samples PATH FILE SAMPLES WISHES
 *
 * There are SAMPLES bursts of a schedule and then WISHES requested bursts; the
 * program saves FILE and removes PATH.  If the thread is interrupted while it
 * begins a burst, everything begins again, because that burst would be shorter
 * than the others.
 */
#include "../lib/making.h"

static const uint64_t burst_ns = 200000, between_ns = 1000000;

static struct timeline_event *work;
static uint64_t logged; /* entries logged or closed */

/* Log an entry about every microsecond. */
static void
log_for(uint64_t ns)
{
	const uint64_t end = now_ns() + ns;
	uint64_t next = 0;

	for (uint64_t now = now_ns(); now < end; now = now_ns()) {
		if (now < next)
			continue;
		timeline_log(work, logged);
		logged++;
		next = now + 1000;
	}
}

/* Returns false if a burst began late. */
static bool
make(const char *path, const char *file, unsigned samples, unsigned wishes)
{
	const struct timeline_options options = { .entries = 1 << 18 };
	bool in_time = true;

	expect_ok(timeline_new(&tl, path, &options));
	work = making_event("work", "trace", "step $n");
	expect_ok(timeline_priority(tl, "info"));
	for (unsigned i = 0; in_time && i < samples + wishes; i++) {
		const uint64_t begin = now_ns();

		expect_ok(tl_burst(tl, 4, burst_ns, i < samples));
		in_time = now_ns() - begin < burst_ns / 2;
		log_for(between_ns);
	}
	remove(file);
	expect_ok(timeline_save(tl, file));
	expect_ok(timeline_remove(path));
	timeline_close(tl);
	return in_time;
}

int
main(int argc, char **argv)
{
	unsigned samples, wishes;

	expect(argc == 5, "usage: make_samples PATH FILE SAMPLES WISHES");
	samples = (unsigned)strtoul(argv[3], NULL, 10);
	wishes = (unsigned)strtoul(argv[4], NULL, 10);
	while (!make(argv[1], argv[2], samples, wishes))
		;
	return 0;
}
