/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proven.c - ends that prove their spans: after "off", after fork, and after a
 * jump out of the block.
 */
#include "../lib/spans_seen.h"

#include <setjmp.h>

static struct timeline *tl;
static struct timeline_event *span;
static struct spans_seen seen;

static void
look(void)
{
	seen = spans_seen(test_name, 0);
}

static void
open_timeline(void)
{
	timeline_close(tl);
	timeline_remove(test_name);
	expect_ok(timeline_new(&tl, test_name, NULL));
	expect_ok(timeline_define_span(tl, "proven", "info", "job $n",
	    TIMELINE_THREAD, &span));
}

/* The span that is open when all is turned off ends; no other is logged. */
static void
turn_off(void)
{
	{
		timeline_scope(span, 1);
		expect_ok(timeline_priority(tl, "off"));
		for (int i = 0; i < 100; i++) {
			timeline_scope(span, i);
		}
	}
	look();
	expect(seen.begins == 1 && seen.ends == 1 && seen.sure == 1,
	    "off: %u begins, %u ends, %u sure", seen.begins, seen.ends,
	    seen.sure);
}

/* A child ends the span of its parent, with its first entry or a later one. */
static void
fork_within(bool first)
{
	pid_t child;

	{
		timeline_scope(span, 2);
		child = fork();
		expect(child >= 0, "fork: %m");
		if (child == 0 && !first) {
			timeline_scope(span, 3);
		}
		if (child != 0) /* its begin is open yet */
			(void)wait_for(child);
	}
	if (child == 0)
		_exit(0);
	look();
	expect(seen.begins == 2U - first && seen.ends == 3U - first &&
		   seen.proven == 3U - 2 * first && seen.sure == 2U - first &&
		   seen.unsure == !first,
	    "fork: %u begins, %u ends, %u proven, %u sure, %u unsure",
	    seen.begins, seen.ends, seen.proven, seen.sure, seen.unsure);
}

static jmp_buf away;

static void
leave(void)
{
	timeline_scope(span, 5);
	longjmp(away, 1);
}

/* The span that is left by a jump has no end, and takes none of others. */
static void
jump_out(void)
{
	{
		timeline_scope(span, 4);
		if (setjmp(away) == 0)
			leave();
	}
	look();
	expect(seen.begins == 2 && seen.ends == 1 && seen.sure == 1,
	    "jump: %u begins, %u ends, %u sure", seen.begins, seen.ends,
	    seen.sure);
}

int
main(void)
{
	choose_test_name("proven");
	open_timeline();
	turn_off();
	open_timeline();
	fork_within(true);
	open_timeline();
	fork_within(false);
	open_timeline();
	jump_out();
	timeline_close(tl);
	return 0;
}
