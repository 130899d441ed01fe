/* SPDX-License-Identifier: Apache-2.0 */
/*
 * closed.c - closed events: of a NULL timeline, of a wrong definition, and of a
 * full string table.  Each entry point logs nothing and stores nothing in the
 * head of the thread, which holds the thread's table of thread-local blocks;
 * glibc frees that table when the thread ends.
 */
#include "../lib/process.h"

#include <pthread.h>
#include <timeline_profiler.h>
#include <timeline_source.h>

enum { HEAD_SIZE = 64, REASONS = 3 };

static struct timeline *tl;
static uint64_t begun; /* of a span that is logged */

static int
define(struct timeline *of, const char *priority, int kind,
    struct timeline_event **event)
{
	return timeline_define_at(of, "closed", priority, "closed $a $b $c $d",
	    kind, TIMELINE_SOURCE, __FILE__, __LINE__, event);
}

/* A closed event of a kind, and the reason why it is closed. */
static struct timeline_event *
closed_event(int reason, int kind)
{
	struct timeline_event *event = NULL;
	const int rc = reason == 0   ? define(NULL, "info", kind, &event)
		       : reason == 1 ? define(tl, "no such", kind, &event)
				     : define(tl, "info", kind, &event);

	expect(rc == (reason == 2 ? -ENOSPC : -EINVAL), "reason %d: %d", reason,
	    rc);
	return event;
}

static void
fill_strings(void)
{
	struct timeline_event *event;
	char text[32];

	for (int i = 0, rc = 0; rc == 0; i++) {
		snprintf(text, sizeof(text), "filler %d", i);
		rc = timeline_define(tl, "closed", "info", text, &event);
	}
}

/* The functions of other languages, and those that the macros call after they
 * have tested the gate. */
static void
call_functions(struct timeline_event *e)
{
	for (int i = 0; i < TIMELINE_PART_COUNT; i++, e++) {
		(timeline_log)(e, 1, 2, 3, 4);
		timeline_append(e, 1, 2, 3, 4);
		expect(timeline_span_log(e, 1, 2, 3, 4) == 0, "span_log");
		expect(timeline_span_append(e, 1, 2, 3, 4) == 0, "span_append");
		(timeline_log_at)(e, 1, 1, 2, 3, 4);
		timeline_append_at(e, 1, 1, 2, 3, 4);
		timeline_append_at(e, UINT64_MAX, 1, 2, 3, 4);
		expect((timeline_timer_begin)(e) == 0, "timer_begin");
		(timeline_timer_end)(e, begun, 1, 2, 3, 4);
		timeline_timer_append(e, begun, 1, 2, 3, 4);
		expect((timeline_stamp)(e) == 0, "stamp");
		timeline_check(e, 4, __FILE__, __LINE__);
	}
	e -= TIMELINE_PART_COUNT;
	expect((timeline_begin)(e, 1, 2, 3, 4) == 0, "begin");
	(timeline_end_of)(e, begun, 1, 2, 3);
}

static void
call_macros(struct timeline_event *e)
{
	timeline_scope(e, 1);
	timeline_timed(e, 1);
	expect(!timeline_enabled(e) && timeline_stamp(e) == 0, "open");
	timeline_log(e);
	timeline_log(e, 1, 2.0, 3, 4);
	timeline_log_at(e, 1, 1, 2, 3, 4);
	expect(timeline_begin(e, 1, 2, 3, 4) == 0, "timeline_begin");
	timeline_next(e, 1, 2, 3, 4);
	timeline_end(e);
	timeline_end(e, 1, 2, 3, 4);
	timeline_end_of(e, begun);
	timeline_end_of(e, begun, 1);
	timeline_end_of(e, begun, 1, 2, 3, 4);
	expect(timeline_timer_begin(e) == 0, "timeline_timer_begin");
	timeline_timer_end(e, begun, 1, 2, 3, 4);
}

/* The front ends without a timeline, and with one that has no room. */
static void
call_fronts(struct timeline *of)
{
	struct timeline_profiler *profiler;
	struct timeline_source *source;

	(void)timeline_source_new(&source, of, "source");
	timeline_source_open(source);
	timeline_source_close(source);
	timeline_source_free(source);
	expect_ok(timeline_profiler_new(&profiler, of));
	timeline_profiler_mark_begin(profiler, "label");
	timeline_profiler_mark_end(profiler, "label");
	timeline_profiler_close(profiler);
}

static void
call_without_timeline(void)
{
	uint64_t number;

	timeline_thread_name(NULL, "name");
	expect(timeline_string(NULL, "text", &number) == -EINVAL &&
		   timeline_priority(NULL, "info") == -EINVAL &&
		   timeline_burst(NULL, "info", 1) == -EINVAL &&
		   timeline_level(NULL, "*", "*", "info") == -EINVAL &&
		   timeline_slower(NULL, "*", "*", 1) == -EINVAL &&
		   timeline_clear(NULL) == -EINVAL &&
		   timeline_save(NULL, "file") == -EINVAL &&
		   timeline_superseded(NULL) == -EINVAL,
	    "NULL is a timeline");
}

static void *
run_thread(void *unused)
{
	char before[HEAD_SIZE];

	(void)unused;
	memcpy(before, __builtin_thread_pointer(), HEAD_SIZE);
	for (int reason = 0; reason < REASONS; reason++)
		for (int kind = TIMELINE_INSTANT; kind <= TIMELINE_TIMER;
		     kind++) {
			struct timeline_event *e = closed_event(reason, kind);

			call_functions(e);
			call_macros(e);
		}
	call_fronts(NULL);
	call_fronts(tl);
	call_without_timeline();
	expect(memcmp(before, __builtin_thread_pointer(), HEAD_SIZE) == 0,
	    "the head of the thread has changed");
	return NULL;
}

int
main(void)
{
	const struct timeline_options options = { .entries = 64,
		.stringtablesize = 16384 };
	struct timeline_event *span;
	pthread_t thread;
	uint64_t before;

	choose_test_name("closed");
	expect_ok(timeline_new(&tl, test_name, &options));
	expect_ok(timeline_define_span(tl, "closed", "info", "open",
	    TIMELINE_SOURCE, &span));
	begun = timeline_begin(span);
	fill_strings();
	before = sum_of_heads(tl);
	for (int i = 0; i < 20; i++) {
		expect(pthread_create(&thread, NULL, run_thread, NULL) == 0,
		    "pthread_create");
		pthread_join(thread, NULL);
	}
	expect(sum_of_heads(tl) == before, "%lu entries of closed events",
	    sum_of_heads(tl) - before);
	timeline_close(tl);
	return 0;
}
