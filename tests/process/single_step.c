/* SPDX-License-Identifier: Apache-2.0 */
/*
 * single_step.c - a debugger that steps through a logging call never lets the
 * restartable sequence finish: the call must end in the fallback lane.
 */
#include "../lib/trace.h"

enum { STEPS_MAX = 4000 };

static struct timeline *tl;
static struct timeline_event *event;

static void
be_stepped(void *unused)
{
	(void)unused;
	pin(0, nth_cpu(0));
	tl_ids_fill(event->ids);
	be_traced();
	timeline_append(event, 1, 2, 3, 4);
}

static struct timeline_entry
first_fallback_entry(void)
{
	const uint32_t lane =
	    timeline_lane(&tl->geometry, tl->geometry.cpu_lanes, event->tier);

	return *(struct timeline_entry *)(void
		*)(tl->map + timeline_entry_offset(&tl->geometry, lane, 0));
}

int
main(void)
{
	struct traced child;
	struct timeline_entry e;
	unsigned steps = 1;

	if (append_is_inlined())
		skip("the append is inlined here");
	if (!may_trace())
		skip("ptrace is forbidden here");
	choose_test_name("step");
	expect_ok(timeline_new(&tl, test_name, NULL));
	expect_ok(timeline_define(tl, "step", "fatal", "$a $b $c $d", &event));
	child.pid = spawn(be_stepped, NULL);
	go_to(&child, (void (*)(void))timeline_append);
	while (step(&child))
		expect(steps++ < STEPS_MAX, "no end after %u steps", steps);
	kill_traced(&child);
	e = first_fallback_entry();
	printf("%u steps\n", steps);
	expect(sum_of_heads(tl) == 1 && sum_of_drops(tl) == 0,
	    "%lu entries, %lu dropped", sum_of_heads(tl), sum_of_drops(tl));
	expect(e.stamp == timeline_stamp_fallback(0, &e) &&
		   e.pid == (uint32_t)child.pid && e.args[1] == 2,
	    "stamp %lu, pid %u, %lu", e.stamp, e.pid, e.args[1]);
	timeline_close(tl);
	return 0;
}
