/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_sweep.c - a signal handler forks between two instructions of a call that
 * logs: the parent has its entry once; the child has the entry once, if it was
 * forked before the entry was whole, under its own numbers, and proves nothing
 * of a span that its parent began.  Later entries of both have the right
 * numbers.
 *
 * PAUSE_SWEEP=1 forks at every instruction.  SAMPLE=0, 1 or 2 takes a third of
 * the forks.
 */
#include "../lib/sample.h"
#include "../lib/snap_open.h"
#include "../lib/trace.h"

enum { STEPS_MAX = 4000, ENTRIES = 1 << 16, HOLES_MAX = 8 };

static struct timeline *tl, *others[5];
static struct timeline_event *event, *span, *timer, *after;
static struct {
	pid_t child;
	uint64_t begun; /* of the span, by the parent */
} * shared;

/* What happened to the call with each number. */
static struct call {
	pid_t parent, child;
	bool whole; /* the entry of the parent, when it forked */
	unsigned of_parent, of_child, proven, after_parent, after_child;
} calls[STEPS_MAX];

struct row {
	const char *name;
	void (*call)(uint64_t number);
	void (*swept)(void);
	bool first; /* the thread has logged nothing before */
	bool burst; /* only a burst opens the event */
	unsigned stride;
};

/* == the process that forks == */

static int until_parent_is_through[2];
static bool child_goes_first;

static void
fork_here(int unused)
{
	const pid_t pid = fork();
	char byte;

	(void)unused;
	if (pid != 0) {
		shared->child = pid;
		if (child_goes_first)
			expect_success(pid);
		return;
	}
	close(until_parent_is_through[1]);
	if (!child_goes_first)
		(void)!read(until_parent_is_through[0], &byte, 1);
}

static void
be_victim(const struct row *row, uint64_t number)
{
	const pid_t parent = getpid();
	struct timeline *again;

	pin(0, nth_cpu(0));
	signal(SIGUSR1, fork_here);
	expect(pipe(until_parent_is_through) == 0, "pipe: %m");
	if (!row->first)
		tl_ids_fill(event->ids);
	shared->begun = timeline_stamp(event);
	be_traced();
	row->call(number);
	timeline_log(after, number, getpid());
	if (row->first) { /* the list of timelines is not locked */
		expect_ok(timeline_open(&again, test_name));
		timeline_close(again);
	}
	close(until_parent_is_through[1]);
	if (getpid() == parent && shared->child != 0 && !child_goes_first)
		expect_success(shared->child);
}

static void
log_one(uint64_t number)
{
	timeline_log(event, number, 1, 2, 3);
}

static void
log_at(uint64_t number)
{
	timeline_log_at(event, shared->begun, number, 1, 2, 3);
}

static void
log_later(uint64_t number)
{
	timeline_log_at(event, shared->begun + (UINT64_C(1) << 40), number, 1,
	    2, 3);
}

static void
begin(uint64_t number)
{
	timeline_begin(span, number);
}

/* The stamp is that of a begin which this process logged, to readers who have
 * no such entry. */
static void
end_of(uint64_t number)
{
	timeline_end_of(span, shared->begun, number);
}

static void
end_timer(uint64_t number)
{
	timeline_timer_end(timer, shared->begun, number);
}

/* == the sweep == */

static void
open_timeline(bool burst)
{
	const struct timeline_options options = { .entries = ENTRIES };

	timeline_close(tl);
	timeline_remove(test_name);
	expect_ok(timeline_new(&tl, test_name, &options));
	expect_ok(timeline_define(tl, "forks", "trace",
	    "event $number $b $c $d", &event));
	expect_ok(timeline_define_span(tl, "forks", "trace", "span $number",
	    TIMELINE_THREAD, &span));
	expect_ok(timeline_define_timer(tl, "forks", "trace", "timer $number",
	    &timer));
	expect_ok(timeline_define(tl, "forks", "fatal",
	    "later entry of call $number by $pid", &after));
	if (burst) {
		expect_ok(timeline_priority(tl, "error"));
		expect_ok(timeline_burst(tl, "trace", 600000000000));
	}
	memset(calls, 0, sizeof(calls));
}

/* Is the entry of this call whole?  It is one of the last of its lane. */
static bool
is_whole(uint64_t number)
{
	const uint32_t count = timeline_lane_count(&tl->geometry);

	for (uint32_t lane = 0; lane < count; lane++) {
		const uint64_t head = head_of(tl, lane)->head;

		for (uint64_t q = head; head - q < 4 && q-- > 0;) {
			const struct timeline_entry *e =
			    (const void *)(tl->map +
					   timeline_entry_offset(&tl->geometry,
					       lane, q));

			if (e->args[0] == number &&
			    e->stamp ==
				(timeline_lane_has_sums(&tl->geometry, lane)
					? timeline_stamp_fallback(q, e)
					: timeline_stamp_whole(q)))
				return true;
		}
	}
	return false;
}

/* Fork after so many instructions.  Returns false if the call ended before. */
static bool
fork_after(const struct row *row, unsigned steps)
{
	struct traced a = { .rseq =
				has_cpu_lanes(tl) ? tl_rseq_offset(tl) : 0 };
	uint64_t sequence = 0;
	bool running = true;

	shared->child = 0;
	fflush(stdout);
	if ((a.pid = fork()) == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		be_victim(row, steps);
		_exit(0);
	}
	expect(a.pid > 0, "fork: %m");
	go_to(&a, row->swept);
	for (unsigned i = 0; running && i < steps; i++) {
		const uint64_t in =
		    (running = step(&a)) ? leave_sequence(&a) : 0;

		sequence = in != 0 ? in : sequence;
	}
	calls[steps].whole = is_whole(steps);
	if (running && sequence != 0) /* the signal moves it out */
		enter_sequence(&a, sequence);
	expect(ptrace(PTRACE_DETACH, a.pid, NULL,
		   (void *)(uintptr_t)(running ? SIGUSR1 : 0)) == 0,
	    "detach: %m");
	expect_success(a.pid);
	calls[steps].parent = a.pid;
	calls[steps].child = shared->child;
	return running;
}

static void
count_event(const struct tl_event *e)
{
	struct call *c = &calls[e->args[0]];
	const bool is_parent = e->pid == (uint32_t)c->parent;

	expect(e->args[0] < STEPS_MAX &&
		   (is_parent || (c->child && e->pid == (uint32_t)c->child)),
	    "forked after %lu: an entry of %u, which is neither %d nor %d",
	    e->args[0], e->pid, c->parent, c->child);
	expect(e->tid == e->pid, "forked after %lu: tid %u in an entry of %u",
	    e->args[0], e->tid, e->pid);
	if (e->message->level == TIMELINE_LEVEL_MAX) {
		expect(e->args[1] == e->pid,
		    "forked after %lu: a later entry of %lu is shown as of %u",
		    e->args[0], e->args[1], e->pid);
		*(is_parent ? &c->after_parent : &c->after_child) += 1;
		return;
	}
	*(is_parent ? &c->of_parent : &c->of_child) += 1;
	expect(!e->proven || e->message->timer || is_parent,
	    "forked after %lu: the child proves", e->args[0]);
	c->proven += e->proven;
}

/* An entry of a timer is two events. */
static uint64_t
count_events(void)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	uint64_t count = 0;

	expect(snap_open(&snap, test_name, 0, &fault) == 0 &&
		   tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0,
	    "%s", fault.text);
	while (tl_cursor_next(cursor, &e) > 0) {
		if (e.kind == TL_LOST || e.paired)
			continue;
		if (!e.message->builtin)
			count_event(&e);
		count++;
	}
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	return count;
}

static void
check(const struct row *row, unsigned from, unsigned end, unsigned stride)
{
	const uint64_t count = count_events();
	const uint64_t holes = sum_of_heads(tl) - count;
	unsigned forked = 0, both = 0;

	for (unsigned n = from; n < end; n += stride) {
		const struct call *c = &calls[n];

		expect(c->of_parent == 1 && c->after_parent == 1 &&
			   c->of_child <= 1 && c->of_child >= !c->whole &&
			   c->after_child == 1,
		    "%s: forked after %u, the entry was %swhole: %u entries of "
		    "the parent, %u of the child; later %u and %u",
		    row->name, n, c->whole ? "" : "not ", c->of_parent,
		    c->of_child, c->after_parent, c->after_child);
		expect(row->call != end_of || row->first || c->proven == 1,
		    "%s: forked after %u: %u proven ends", row->name, n,
		    c->proven);
		forked++;
		both += c->of_child;
	}
	printf("%s%s: forked at %u places, at %u for both, %lu holes\n",
	    row->name, child_goes_first ? "" : ", parent first", forked, both,
	    holes);
	expect(both > 0 && holes <= HOLES_MAX && sum_of_drops(tl) == 0,
	    "%s: %u entries of children, %lu holes, %lu dropped", row->name,
	    both, holes, sum_of_drops(tl));
}

static void
sweep(const struct row *row, unsigned number)
{
	const unsigned each = getenv("PAUSE_SWEEP") ? 1 : row->stride;
	const unsigned stride = each * sample_step();
	const unsigned from = each * sample_first(number);
	unsigned steps = from;

	open_timeline(row->burst);
	while (fork_after(row, steps)) {
		steps += stride;
		expect(steps < STEPS_MAX, "%s: no end after %u instructions",
		    row->name, steps);
	}
	check(row, from, steps, stride);
}

/* The first entry of a thread asks the kernel for the numbers. */
static const struct row rows[] = {
	{ "the numbers", log_one, (void (*)(void))tl_ids_fill, true, false, 1 },
	{ "first timeline_log", log_one, (void (*)(void))timeline_append, true,
	    false, 127 },
	{ "first timeline_end_of", end_of, (void (*)(void))timeline_span_append,
	    true, false, 127 },
	{ "first timeline_log_at", log_at, (void (*)(void))timeline_append_at,
	    true, false, 127 },
	{ "timeline_log", log_one, (void (*)(void))timeline_append, false,
	    false, 1 },
	{ "timeline_log in a burst", log_one, (void (*)(void))timeline_append,
	    false, true, 3 },
	{ "timeline_begin", begin, (void (*)(void))timeline_span_append, false,
	    false, 3 },
	{ "timeline_end_of", end_of, (void (*)(void))timeline_span_append,
	    false, false, 1 },
	{ "timeline_log_at", log_at, (void (*)(void))timeline_append_at, false,
	    false, 1 },
	{ "timeline_log_at in the future", log_later,
	    (void (*)(void))timeline_append_at, false, false, 3 },
	{ "timeline_timer_end", end_timer,
	    (void (*)(void))timeline_timer_append, false, false, 1 },
};

static void
sweep_all(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		child_goes_first = true;
		sweep(&rows[i], (unsigned)i);
		child_goes_first = false;
		sweep(&rows[i], (unsigned)i + 1);
	}
}

int
main(void)
{
#ifdef __SANITIZE_ADDRESS__
	skip("most instructions would be the sanitizer's");
#endif
	if (getenv("TEST_INLINED"))
		skip("what it sweeps may be inlined here");
	if (!may_trace())
		skip("ptrace is forbidden here");
	choose_test_name("fork-sweep");
	shared = share(sizeof(*shared));
	open_timeline(false);
	/* each word of numbers belongs to several timelines */
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		expect_ok(timeline_open(&others[i], test_name));
	sweep_all();
	if (has_cpu_lanes(tl)) {
		printf("in a fallback lane:\n");
		setenv("TIMELINE_NO_RSEQ", "1", 1);
		sweep_all();
	}
	timeline_close(tl);
	return 0;
}
