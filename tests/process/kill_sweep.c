/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill_sweep.c - kill -9 between any two instructions of the append, in
 * assembly and in C: only the unfinished event is missing, and the next
 * writer goes on without repair.
 */
#include "../lib/trace.h"
#include "../lib/writers.h"

enum { STEPS_MAX = 2000, BEFORE = 150, AFTER = 3 };

static struct timeline *tl;
static struct timeline_event *event;
static struct writer *writers; /* [0] this process, [1] the victim */

typedef uint64_t append(struct timeline_event *event, uint64_t a0, uint64_t a1,
    uint64_t a2, uint64_t a3);

static void
be_victim(void *context)
{
	append *const function = context;
	const uint64_t pid = (uint64_t)getpid();
	struct writer *w = &writers[1];

	pin(0, nth_cpu(0));
	tl_ids_fill(event->ids);
	be_traced();
	function(event, w->number, w->sequence, pid,
	    writer_sum(w->number, w->sequence, pid));
}

/* With a burst alive the append takes another way. */
static void
open_timeline(bool burst)
{
	const struct timeline_options options = { .entries = 64 };

	timeline_close(tl);
	timeline_remove(test_name);
	expect_ok(timeline_new(&tl, test_name, &options));
	event = define_writers(tl);
	if (burst) {
		expect_ok(timeline_priority(tl, "info"));
		expect_ok(timeline_burst(tl, "trace", 600000000000));
	}
	writers[0] = (struct writer){ .number = 0 };
	writers[1] = (struct writer){ .number = 1 };
	for (int i = 0; i < BEFORE; i++)
		write_one(event, &writers[0]);
}

/* Kill a victim after so many instructions of the append.  False: it came to
 * its end before. */
static bool
kill_after(append *function, unsigned steps)
{
	struct traced victim = {
		.pid = spawn(be_victim, (void *)function),
		.rseq = has_cpu_lanes(tl) ? tl_rseq_offset(tl) : 0,
	};
	bool running = true;

	go_to(&victim, (void (*)(void))function);
	for (unsigned i = 0; running && i < steps; i++) {
		running = step(&victim);
		leave_sequence(&victim);
	}
	kill_traced(&victim);
	return running;
}

/* What is there after the death, and after others went on. */
static void
check_after(unsigned steps, bool fallback)
{
	const uint64_t before = sum_of_heads(tl);
	struct check c = check_timeline(test_name);

	expect(c.torn <= fallback && c.missing <= fallback,
	    "killed after %u: %lu torn, %lu missing", steps, c.torn, c.missing);
	expect(c.seen[0].count >= 62, "killed after %u: %lu entries left",
	    steps, c.seen[0].count);
	for (int i = 0; i < AFTER; i++)
		write_one(event, &writers[0]);
	expect(sum_of_heads(tl) == before + AFTER,
	    "killed after %u: %lu of %d appended", steps,
	    sum_of_heads(tl) - before, AFTER);
	c = check_timeline(test_name);
	expect(c.seen[0].most + 1 == writers[0].sequence,
	    "killed after %u: the next events are missing", steps);
	expect(c.torn <= fallback, "killed after %u: %lu torn", steps, c.torn);
}

/* The whole ring once more: nothing of the dead is left. */
static void
check_next_lap(unsigned steps)
{
	const uint64_t dropped = sum_of_drops(tl);
	struct check c;

	for (int i = 0; i < 64; i++)
		write_one(event, &writers[0]);
	c = check_timeline(test_name);
	expect(sum_of_drops(tl) == dropped && c.torn == 0 && c.missing == 0,
	    "killed after %u: a lap later %lu dropped, %lu torn, %lu missing",
	    steps, sum_of_drops(tl) - dropped, c.torn, c.missing);
}

static void
sweep(const char *name, append *function, bool fallback, bool burst)
{
	unsigned steps = 0;
	unsigned stored = 0;
	bool running = true;

	for (; running && steps < STEPS_MAX; steps++) {
		struct check c;

		open_timeline(burst);
		running = kill_after(function, steps);
		c = check_timeline(test_name);
		stored += c.seen[1].count > 0;
		check_after(steps, fallback);
		check_next_lap(steps);
	}
	printf("%s: killed at %u places, stored after %u of them\n", name,
	    steps, stored);
	expect(!running, "%s: no end after %u instructions", name, steps);
	expect(stored > 0 && stored < steps, "%s: the sweep missed the commit",
	    name);
}

int
main(void)
{
	if (!may_trace())
		skip("ptrace is forbidden here");
	choose_test_name("sweep");
	pin(0, nth_cpu(0));
	writers = share(2 * sizeof(*writers));
	open_timeline(false);
	sweep("append", timeline_span_append, !has_cpu_lanes(tl), false);
	sweep("append in a burst", timeline_span_append, !has_cpu_lanes(tl),
	    true);
	if (has_cpu_lanes(tl)) {
		/* send this process there, too */
		setenv("TIMELINE_NO_RSEQ", "1", 1);
		sweep("fallback", tl_append_fallback, true, false);
		sweep("fallback in a burst", tl_append_fallback, true, true);
	}
	timeline_close(tl);
	return 0;
}
