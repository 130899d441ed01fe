/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instructions.c - how many instructions the append takes on each of its paths
 * in assembly, endbr64 and ret included, and how many system calls and page
 * faults the first append of a thread takes.  A path that becomes longer fails,
 * because an event costs its rdtsc and the number of its instructions.
 */
#include "../lib/trace.h"
#include "base/word.h"

#include <pthread.h>
#include <sys/resource.h>

enum { STEPS_MAX = 4000, FIRST_MAX = 2 };

static struct timeline *tl;
static struct timeline_event *event;

/* How the gate opens: by the priority, or by a burst or a plan below it. */
enum opens { BY_PRIORITY, BY_BURST, BY_SLOT, BY_CLOSED_SLOT, BY_NOTHING };

static const struct path {
	const char *name;
	enum opens opens;
	bool tests_gate; /* the call is timeline_log, not timeline_append */
	unsigned instructions;
} paths[] = {
	{ "plain", BY_PRIORITY, false, 46 },
	{ "plain, gate tested", BY_PRIORITY, true, 51 },
	{ "gate closed", BY_NOTHING, true, 8 },
	{ "burst", BY_BURST, false, 66 },
	{ "slot open", BY_SLOT, false, 89 },
	{ "slot closed", BY_CLOSED_SLOT, false, 86 },
};

static void
set_levels(enum opens opens)
{
	/* closed at level 2 unless a burst or a slot opens it */
	const uint64_t open = 0x802;

	tl->header->lease = (UINT64_MAX & ~UINT64_C(255)) | 50;
	for (int i = 0; i < TIMELINE_PLAN_GATES; i++)
		tl->header->shares[i] = opens == BY_SLOT ? UINT32_MAX : 0;
	if (opens == BY_PRIORITY)
		tl->header->levels = 0x101;
	else if (opens == BY_NOTHING)
		tl->header->levels = 0x808;
	else if (opens == BY_BURST)
		tl->header->levels =
		    open | ((tl_stamp_now(tl) + (UINT64_C(1) << 34)) >>
			       TIMELINE_UNTIL_SHIFT)
			       << TIMELINE_LEVELS_UNTIL;
	else
		tl->header->levels = open | 8 << TIMELINE_LEVELS_THRESHOLD;
}

static void
be_counted(void *context)
{
	const struct path *path = context;

	pin(0, nth_cpu(0));
	tl_ids_fill(event->ids);
	be_traced();
	if (path->tests_gate)
		(void)timeline_span_log(event, 1, 2, 3, 4);
	else
		(void)timeline_span_append(event, 1, 2, 3, 4);
}

static void
count(const struct path *path)
{
	const bool logs =
	    path->opens != BY_NOTHING && path->opens != BY_CLOSED_SLOT;
	const uint64_t before = sum_of_heads(tl);
	struct traced child = { .rseq = tl_rseq_offset(tl) };
	unsigned steps = 1;

	set_levels(path->opens);
	child.pid = spawn(be_counted, (void *)(uintptr_t)path);
	go_to(&child, path->tests_gate ? (void (*)(void))timeline_span_log
				       : (void (*)(void))timeline_span_append);
	while (step(&child)) {
		(void)leave_sequence(&child);
		expect(steps++ < STEPS_MAX, "%s: no end", path->name);
	}
	kill_traced(&child);
	printf("%s: %u instructions\n", path->name, steps);
	expect(sum_of_heads(tl) == before + logs, "%s: %lu entries", path->name,
	    sum_of_heads(tl) - before);
	expect(steps <= path->instructions, "%s: %u instructions, not %u",
	    path->name, steps, path->instructions);
}

static void *
log_first(void *context)
{
	struct rusage before, after;

	(void)getrusage(RUSAGE_THREAD, &before);
	(void)timeline_span_append(event, 1, 2, 3, 4);
	(void)getrusage(RUSAGE_THREAD, &after);
	*(long *)context = after.ru_minflt - before.ru_minflt;
	return NULL;
}

/* Before the first fork, which makes pages of this process copy on write. */
static void
count_faults_of_first(void)
{
	pthread_t thread;
	long faults;

	(void)log_first(&faults);
	expect(pthread_create(&thread, NULL, log_first, &faults) == 0 &&
		   pthread_join(thread, NULL) == 0,
	    "no thread");
	expect(faults == 0, "%ld page faults in the first append", faults);
}

/* Be a thread without ids, of a process that has logged. */
static void
be_first(void *context)
{
	(void)context;
	tl_ids_fill(event->ids);
	tl_store_64(tl_ids_word(event->ids), 0);
	be_traced();
	(void)timeline_span_append(event, 1, 2, 3, 4);
}

static void
count_calls_of_first(void)
{
	struct traced child = { .rseq = tl_rseq_offset(tl) };
	unsigned calls = 0;

	set_levels(BY_PRIORITY);
	child.pid = spawn(be_first, NULL);
	go_to(&child, (void (*)(void))timeline_span_append);
	do {
		const uint64_t at = registers_of(&child).rip;

		calls += (peek(&child, at) & 0xffff) == 0x050f; /* syscall */
		(void)leave_sequence(&child);
	} while (step(&child));
	kill_traced(&child);
	printf("first of a thread: %u system calls\n", calls);
	expect(calls <= FIRST_MAX, "%u system calls", calls);
}

int
main(void)
{
	if (!may_trace())
		skip("ptrace is forbidden here");
	choose_test_name("instructions");
	expect_ok(timeline_new(&tl, test_name, NULL));
	if (!has_cpu_lanes(tl))
		skip("the append in assembly is not used here");
	expect_ok(timeline_define(tl, "count", "info", "$a $b $c $d", &event));
	count_faults_of_first();
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		count(&paths[i]);
	count_calls_of_first();
	timeline_close(tl);
	return 0;
}
