/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proven.c - ends that prove their spans: after "off", after fork, after a jump
 * out of the block, over a restart of the counter, within spans of the same
 * message, and beside ends that prove nothing.
 */
#include "../lib/spans_seen.h"

#include <pthread.h>
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

/*
 * A span that was open when all levels were turned off still ends; later spans
 * are not logged.
 */
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
		/* the child's span must be whole before the parent's ends */
		if (child != 0)
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

/*
 * A span that is left by a jump has no end, and takes no end of another span.
 */
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

/*
 * The counter begins again: the stamp of the begin belongs to the old counter,
 * and the end proves nothing.
 */
static void
restart_the_counter(void)
{
	{
		timeline_scope(span, 6);
		tl->header->clock.tsc += 100 * tl->header->tsc_khz * 1000;
		/* the definition detects the restart */
		expect_ok(timeline_define_span(tl, "proven", "info", "job $n",
		    TIMELINE_THREAD, &span));
		expect(tl->header->epochs == 1, "%u epochs",
		    tl->header->epochs);
	}
	{
		timeline_scope(span, 7);
	}
	look();
	expect(seen.begins == 2 && seen.ends == 2 && seen.proven == 1 &&
		   seen.sure == 1 && seen.last.args[0] == 7,
	    "restart: %u begins, %u ends, %u proven, %u sure, the last of %lu",
	    seen.begins, seen.ends, seen.proven, seen.sure, seen.last.args[0]);
}

static uint64_t
recurse(unsigned depth)
{
	const uint64_t begun = timeline_begin(span, depth);

	if (depth % 3 == 0) {
		timeline_scope(span, depth + 100);
		(void)(depth > 0 && recurse(depth - 1));
	} else if (depth % 3 == 1) {
		timeline_begin(span, depth + 100);
		(void)recurse(depth - 1);
		timeline_end(span, depth + 100);
	} else {
		(void)recurse(depth - 1);
	}
	if (depth % 2 == 0)
		timeline_end_of(span, begun);
	else
		timeline_end(span, depth);
	return begun;
}

/* Nest spans of one message, with each kind of end. */
static void
nest(void)
{
	(void)recurse(11);
	look();
	expect(seen.begins == 20 && seen.ends == 20 && seen.sure == 20 &&
		   seen.unsure == 0 && seen.open == 0,
	    "nested: %u begins, %u ends, %u sure, %u unsure, %u open",
	    seen.begins, seen.ends, seen.sure, seen.unsure, seen.open);
	expect(seen.last.args[0] == 11, "nested: the last is %lu",
	    seen.last.args[0]);
}

/*
 * Proven ends name their begins in any order; unproven ends take the remaining
 * begins, the last begin first.
 */
static void
cross(void)
{
	const uint64_t first = timeline_begin(span, 1);
	const uint64_t second = timeline_begin(span, 2);

	timeline_begin(span, 3);
	timeline_end(span, 3);
	timeline_end_of(span, second, 2);
	timeline_end_of(span, first, 1);
	look();
	expect(seen.sure == 3 && seen.unsure == 0 && seen.open == 0 &&
		   seen.last.begin_tsc == first,
	    "crossed: %u sure, %u unsure, %u open", seen.sure, seen.unsure,
	    seen.open);
}

/* == after "off" no more ends than spans were open == */

enum { THREADS = 4, DEPTH = 3 };

static unsigned turned_off;
static unsigned inside;

static void
wait_until(const unsigned *word, unsigned least)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < least)
		sleep_ns(10000);
}

/*
 * Open spans, wait, and open as many again after "off", which are not logged.
 */
static void *
stay_inside(void *unused)
{
	timeline_scope(span, 1);
	timeline_scope(span, 2);
	const uint64_t begun = timeline_begin(span, 3);

	(void)unused;
	__atomic_fetch_add(&inside, 1, __ATOMIC_RELEASE);
	wait_until(&turned_off, 1);
	for (int i = 0; i < 1000; i++) {
		timeline_scope(span, 4);
		timeline_end_of(span, timeline_begin(span, 5), 5);
		timeline_begin(span, 6);
		timeline_end(span, 6);
	}
	timeline_end_of(span, begun, 3);
	return NULL;
}

static void
count_after_off(void)
{
	pthread_t threads[THREADS];
	uint64_t before;

	for (int i = 0; i < THREADS; i++)
		expect(pthread_create(&threads[i], NULL, stay_inside, NULL) ==
			   0,
		    "pthread_create");
	wait_until(&inside, THREADS);
	expect_ok(timeline_priority(tl, "off"));
	before = sum_of_heads(tl);
	__atomic_store_n(&turned_off, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	look();
	expect(sum_of_heads(tl) == before + THREADS * DEPTH,
	    "%lu entries after off, of %d spans", sum_of_heads(tl) - before,
	    THREADS * DEPTH);
	expect(seen.begins == THREADS * DEPTH && seen.ends == seen.begins &&
		   seen.sure == seen.begins && seen.open == 0,
	    "off in threads: %u begins, %u ends, %u sure, %u open", seen.begins,
	    seen.ends, seen.sure, seen.open);
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
	open_timeline();
	restart_the_counter();
	open_timeline();
	nest();
	open_timeline();
	cross();
	open_timeline();
	count_after_off();
	timeline_close(tl);
	return 0;
}
