/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause_sweep.c - writer A is paused after each instruction of a call, B acts,
 * A finishes the call alone, and the invariants of the call are checked.
 *
 * kill_sweep finds what a dead writer leaves behind; a stalled writer also
 * stores late.  A writer that was moved out of a restartable sequence runs the
 * sequence again, after B has used the same lane.  By default the longer calls
 * are paused at every few instructions only; PAUSE_SWEEP=1 pauses at each.
 * SAMPLE=0, 1 or 2 takes a third of these pauses.
 */
#include "../lib/sample.h"
#include "../lib/spans_seen.h"
#include "../lib/trace.h"
#include "../lib/writers.h"

#include "base/word.h"
#include "clock/calibrate_tail.h"
#include "event/observe.h"
#include "snap/take.h"
#include "snap/timers.h"

enum { STEPS_MAX = 40000, LAP = 64, BEFORE = 150 };

/* The priorities by number; timeline_layout.h defines them. */
enum { TRACE = 4, DEBUG = 5, INFO = 6, ERROR = 8 };

static const uint64_t long_ns = 600000000000;
static const uint64_t short_ns = 200000;

static struct timeline *tl;
static struct timeline_event *event;
static int cpu_of_a;
static int cpu_of_b;

/* Memory that A and B share. */
static struct shared {
	struct writer writers[2]; /* [0] B, [1] A */
	uint32_t message;         /* the number of the message that A defined */
	uint64_t given; /* by A: a stamp, or the begin of a timer + TICKS */
	uint64_t begun; /* the return value of A's begin */
	uint64_t stamp; /* before A's end */
	pid_t a;
} * shared;

/* One kind of call.  A executes run; B executes all other functions. */
struct row {
	const char *name;
	void (*open)(void); /* make a new timeline, before A is started */
	void (*run)(void *unused);
	/*
	 * Steps are counted from the first instruction of paused or, with
	 * from_stamp, from the instruction after the first rdtsc of A.
	 */
	void (*paused)(void);
	bool from_stamp;
	void (*act)(void);
	void (*check)(unsigned steps); /* after A has ended */
	unsigned stride;
};

static void
open_timeline(void)
{
	const struct timeline_options options = { .entries = LAP };

	timeline_close(tl);
	timeline_remove(test_name);
	expect_ok(timeline_new(&tl, test_name, &options));
	event = define_writers(tl);
	shared->writers[0] = (struct writer){ .number = 0 };
	shared->writers[1] = (struct writer){ .number = 1 };
	/* A call that measures the clock takes more instructions than a sweep;
	 * while a keeper lives, no call measures for some seconds. */
	tl->header->clock.keeper = (uint32_t)getpid();
}

/* A has a CPU of its own, so that B never stores to A's lane. */
static void
be_a(void)
{
	pin(0, cpu_of_a);
	tl_ids_fill(tl->ids);
	be_traced();
}

/* == tl_append_fallback: B fills the lane once around == */

static uint64_t
fallback_entries(void)
{
	return timeline_lane_entries(&tl->geometry,
	    timeline_lane(&tl->geometry, tl->geometry.cpu_lanes, event->tier));
}

static void
append_fallback(struct writer *w)
{
	const uint64_t pid = (uint64_t)getpid();

	tl_append_fallback(event, w->number, w->sequence, pid,
	    writer_sum(w->number, w->sequence, pid));
	w->sequence++;
}

static void
append_by_b(uint64_t count)
{
	while (count-- > 0)
		append_fallback(&shared->writers[0]);
}

static void
open_fallback(void)
{
	open_timeline();
	append_by_b(BEFORE);
}

static void
run_fallback(void *unused)
{
	(void)unused;
	be_a();
	append_fallback(&shared->writers[1]);
}

static void
act_fallback(void)
{
	append_by_b(fallback_entries() + 6);
}

/*
 * A store of A that is a lap late may ruin one newer entry, until the next lap.
 */
static void
check_fallback(unsigned steps)
{
	struct check c = check_timeline(test_name);

	expect(c.torn <= 1 && c.missing <= sum_of_drops(tl) + c.torn,
	    "paused after %u: %lu torn, %lu missing, %lu dropped", steps,
	    c.torn, c.missing, sum_of_drops(tl));
	append_by_b(fallback_entries());
	c = check_timeline(test_name);
	expect(c.torn == 0 && c.missing == 0,
	    "paused after %u: a lap later %lu torn, %lu missing", steps, c.torn,
	    c.missing);
}

/* == timeline_define: B defines the same message == */

static const char same[] = "both define this with $a and $b";

static void
run_define(void *unused)
{
	struct timeline_event *e;

	(void)unused;
	be_a();
	expect_ok(timeline_define(tl, "sweep", "info", same, &e));
	shared->message = e->message;
}

static uint32_t
define_same(void)
{
	struct timeline_event *e;

	expect_ok(timeline_define(tl, "sweep", "info", same, &e));
	return e->message;
}

static void
act_define(void)
{
	(void)define_same();
}

static void
check_define(unsigned steps)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;
	unsigned count = 0;

	expect(shared->message == define_same(),
	    "paused after %u: A has message %u, B %u", steps, shared->message,
	    define_same());
	expect(snap_open(&snap, test_name, 0, &fault) == 0, "%s", fault.text);
	for (size_t i = 0; i < tl_snap_message_count(snap); i++)
		count += tl_bytes_equal(tl_snap_message(snap, i)->category,
		    tl_bytes_of("sweep"));
	expect(count == 1 && tl_snap_fault_count(snap) == 0,
	    "paused after %u: %u records say the same, %zu faults", steps,
	    count, tl_snap_fault_count(snap));
	tl_snap_close(snap);
}

/* == timeline_log in a burst: the burst ends, and B starts a higher one == */

static uint64_t levels_before; /* without the burst */
static uint64_t acted_tsc;

static void
open_burst(void)
{
	open_timeline();
	expect_ok(timeline_priority(tl, "error"));
	levels_before = tl_load_64(&tl->header->levels);
	expect_ok(timeline_burst(tl, "trace", long_ns));
}

static void
run_log(void *unused)
{
	(void)unused;
	be_a();
	/* the function, not the inlined form of C */
	(timeline_log)(event, 1, 2, 3, 4);
}

static void
act_end_burst(void)
{
	acted_tsc = __rdtsc();
	__atomic_store_n(&tl->header->levels, levels_before, __ATOMIC_SEQ_CST);
	expect_ok(timeline_burst(tl, "info", long_ns));
}

/* An entry that A logged in spite of the change has an earlier stamp. */
static void
check_log(unsigned steps)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;

	expect(snap_open(&snap, test_name, 0, &fault) == 0 &&
		   tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0,
	    "%s", fault.text);
	while (tl_cursor_next(cursor, &e) > 0)
		expect(e.kind == TL_LOST || e.message->id != event->message ||
			   e.tsc < acted_tsc,
		    "paused after %u: A logged what was closed", steps);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
}

/* == timeline_burst: A's burst ends before A goes on, and B starts one == */

static void
open_priority_error(void)
{
	open_timeline();
	expect_ok(timeline_priority(tl, "error"));
}

static void
run_burst(void *unused)
{
	(void)unused;
	be_a();
	expect_ok(timeline_burst(tl, "trace", short_ns));
}

static void
act_later_burst(void)
{
	sleep_ns(2 * short_ns);
	expect_ok(timeline_burst(tl, "info", long_ns));
}

static void
check_burst(unsigned steps)
{
	struct tl_levels_now now;

	tl_levels_get(tl, &now);
	expect(now.threshold == INFO && now.base == ERROR,
	    "paused after %u: threshold %u, base %u", steps, now.threshold,
	    now.base);
}

/* == timeline_priority: B sets another priority, and a burst == */

static bool a_was_first;

static void
run_priority(void *unused)
{
	(void)unused;
	be_a();
	expect_ok(timeline_priority(tl, "debug"));
}

static void
act_priority(void)
{
	struct tl_levels_now now;

	tl_levels_get(tl, &now);
	a_was_first = now.base == DEBUG;
	expect_ok(timeline_priority(tl, "info"));
	expect_ok(timeline_burst(tl, "trace", long_ns));
}

static void
check_priority(unsigned steps)
{
	const unsigned base = a_was_first ? INFO : DEBUG;
	struct tl_levels_now now;

	tl_levels_get(tl, &now);
	expect(now.threshold == TRACE && now.base == base,
	    "paused after %u: threshold %u, base %u", steps, now.threshold,
	    now.base);
}

/*
 * == timeline_priority in a burst: B leaves the levels as A found them ==
 *
 * A may have logged its change before.  Were the word the same again, A's swap
 * would succeed, and what B logged would be false.
 */

static void
run_priority_fatal(void *unused)
{
	(void)unused;
	be_a();
	expect_ok(timeline_priority(tl, "fatal"));
}

static void
act_there_and_back(void)
{
	struct tl_levels_now now;

	tl_levels_get(tl, &now);
	expect_ok(timeline_priority(tl, "off"));
	expect_ok(timeline_priority(tl, now.base == ERROR ? "error" : "fatal"));
}

static void
act_lesser_burst(void)
{
	expect_ok(timeline_burst(tl, "info", short_ns));
}

static void
act_plan(void)
{
	const struct tl_plan plan = { .seed = 7,
		.shift = 10,
		.shares = { [DEBUG] = UINT32_MAX } };

	expect_ok(tl_plan_set(tl, NULL, &plan, long_ns));
	expect_ok(tl_plan_set(tl, &plan, NULL, 0));
}

/* What both readers of levels believe is open, is open; and either A has the
 * last word or B. */
static void
check_record(unsigned steps)
{
	const struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = 2,
		.base = TIMELINE_LEVEL_MIN };
	const uint64_t burst_over =
	    tl_stamp_now(tl) + tl_calibrate_ticks(tl->header, 2 * long_ns);
	struct tl_fault fault = { 0 };
	struct tl_observed observed;
	struct tl_observer observer;
	struct tl_level_state state;
	struct tl_levels_now now;
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;

	tl_levels_get(tl, &now);
	tl_observer_init(&observer, &start);
	tl_level_init(&state, NULL, NULL);
	expect(snap_open(&snap, test_name, 0, &fault) == 0 &&
		   tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0,
	    "%s", fault.text);
	while (tl_cursor_next(cursor, &e) > 0) {
		tl_observe(&observer, &e);
		expect_ok(tl_level_put(&state, &e, INT64_MAX));
	}
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	tl_observed_at(&observer, ERROR, burst_over, &observed);
	expect(!observed.open || now.base <= ERROR,
	    "paused after %u: error is closed after the burst, and observed",
	    steps);
	expect(state.window.threshold == 0 ||
		   (state.window.threshold == now.threshold &&
		       state.window.base == now.base),
	    "paused after %u: threshold %u, base %u, recorded as %u, %u", steps,
	    now.threshold, now.base, state.window.threshold, state.window.base);
	expect(now.burst && now.threshold == TRACE,
	    "paused after %u: threshold %u", steps, now.threshold);
}

/* == the clock's lock: B reads the tail, in the file and in a copy == */

static struct timeline_clock_tail tail_before;
static struct timeline_clock_tail tails_read[2];
static int tail_rc;

static void
open_clock(void)
{
	open_timeline();
	tl->header->clock.keeper = 0;
	expect(tl_calibrate_read(tl->header, &tail_before) == 0, "the clock");
}

static void
run_clock(void *unused)
{
	(void)unused;
	be_a();
	tl_calibrate_now(&tl->calibrate, false);
}

static void
act_clock(void)
{
	struct tl_take take = { .close_clock = false };
	struct tl_faults faults = { 0 };
	const int out = memfd_create("sweep", MFD_CLOEXEC);

	tail_rc = tl_calibrate_read(tl->header, &tails_read[0]);
	expect(out >= 0 &&
		   tl_take(&take, tl->fd, &tl->geometry, out, &faults) == 0,
	    "take: %m");
	tails_read[1] = take.header.clock;
	free(take.heads);
	close(out);
}

static bool
is_same_point(const struct timeline_clock_tail *a,
    const struct timeline_clock_tail *b)
{
	const size_t from = offsetof(struct timeline_clock_tail, tsc);

	return memcmp((const char *)a + from, (const char *)b + from,
		   sizeof(*a) - from) == 0;
}

static void
check_clock(unsigned steps)
{
	struct timeline_clock_tail after;

	expect(tl_calibrate_read(tl->header, &after) == 0,
	    "paused after %u: the clock stays locked", steps);
	expect((tail_rc != 0) == (tails_read[0].sequence % 2 != 0),
	    "paused after %u: %d", steps, tail_rc);
	for (int i = 0; i < 2; i++)
		expect(tails_read[i].sequence % 2 != 0 ||
			   is_same_point(&tails_read[i], &tail_before) ||
			   is_same_point(&tails_read[i], &after),
		    "paused after %u: half of a clock point", steps);
}

/* == calls that end spans and log: B makes the same call on the same CPU == */

enum { TICKS = 1000000 };

static struct timeline_event *span, *timer;
static void (*call)(void);
static struct tl_timer sums;

static void
call_timer(void)
{
	timeline_timer_append(timer, shared->given - TICKS, 1, 2, 3, 4);
}

static void
call_at(void)
{
	timeline_append_at(event, shared->given, 1, 2, 3, 4);
}

static void
call_next(void)
{
	timeline_append(span + 3, 1, 2, 3, 4);
}

static void
open_call(void (*what)(void))
{
	open_timeline();
	expect_ok(timeline_define_span(tl, "sweep", "info", "$a $b $c $d",
	    TIMELINE_THREAD, &span));
	expect_ok(timeline_define_timer(tl, "sweep", "info",
	    "timer $a $b $c $d", &timer));
	call = what;
	pin(0, cpu_of_a);
	for (int i = 0; i < BEFORE; i++) {
		shared->given = timeline_stamp(event);
		call();
	}
	pin(0, cpu_of_b);
}

static void
open_timer(void)
{
	open_call(call_timer);
}

static void
open_at(void)
{
	open_call(call_at);
}

static void
open_next(void)
{
	open_call(call_next);
}

static void
run_call(void *unused)
{
	(void)unused;
	be_a();
	shared->given = timeline_stamp(event);
	call();
}

/* Each span of the timer is counted once, in a bucket and in the sum. */
static void
expect_counted(uint64_t least, uint64_t most)
{
	expect(tl_timer_read(&sums, tl->fd, &tl->geometry, 0) == 1 &&
		   sums.count >= least && sums.count <= most &&
		   sums.sum >= sums.count * TICKS,
	    "%lu to %lu spans ended: %lu counted, sum %lu", least, most,
	    sums.count, sums.sum);
}

static void
act_call(void)
{
	const uint64_t given = shared->given;

	if (call == call_timer)
		expect_counted(BEFORE, BEFORE + 1);
	pin(0, cpu_of_a);
	shared->given = timeline_stamp(event); /* a later stamp than A's */
	call();
	shared->given = given;
	pin(0, cpu_of_b);
}

/* Check the entry of A; all other entries are B's. */
static void
check_entry_of_a(const struct timeline_entry *e, unsigned steps)
{
	const bool moved = (e->message & TIMELINE_MESSAGE_MOVED) != 0;
	const uint64_t ticks = timeline_duration(e->cpu);
	const uint64_t begin = shared->given - TICKS;

	expect(e->args[0] == 1 && e->args[1] == 2 && e->args[2] == 3 &&
		   e->args[3] == 4,
	    "paused after %u: other arguments", steps);
	expect(call != call_at || moved == (e->tsc != shared->given),
	    "paused after %u: moved, and not marked, or not moved", steps);
	/* a duration is rounded down */
	expect(call != call_timer || (!moved && e->tsc - ticks >= begin &&
					 e->tsc - ticks - begin <= ticks >> 25),
	    "paused after %u: a timer from %lu to %lu is shown %lu ticks late",
	    steps, begin, e->tsc, e->tsc - ticks - begin);
}

static void
check_call(unsigned steps)
{
	uint64_t logged = 0;
	unsigned of_a = 0;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++) {
		const uint64_t head = head_of(tl, i)->head;
		uint64_t last = 0;

		logged += head;
		for (uint64_t q = head > LAP / 2 ? head - LAP / 2 : 0; q < head;
		     q++) {
			const struct timeline_entry *e =
			    (const void *)(tl->map +
					   timeline_entry_offset(&tl->geometry,
					       i, q));

			expect((uint32_t)e->stamp ==
				       (uint32_t)timeline_stamp_whole(q) &&
				   (e->tsc >= last ||
				       timeline_lane_is_fallback(&tl->geometry,
					   i)),
			    "paused after %u: entry %lu of lane %u", steps, q,
			    i);
			last = e->tsc;
			if (e->pid == (uint32_t)getpid())
				continue;
			of_a++;
			check_entry_of_a(e, steps);
		}
	}
	expect(logged == BEFORE + 2 && of_a == 1,
	    "paused after %u: %lu entries, %u of A", steps, logged, of_a);
	if (call == call_timer)
		expect_counted(BEFORE + 2, BEFORE + 2);
}

/* == self-proving spans: B turns all levels off, and ends a span == */

static void
open_span(void)
{
	open_timeline();
	shared->begun = 0;
	expect_ok(timeline_define_span(tl, "sweep", "info", "span $n",
	    TIMELINE_THREAD, &span));
}

static void
open_span_in_burst(void)
{
	open_span();
	expect_ok(timeline_priority(tl, "error"));
	expect_ok(timeline_burst(tl, "trace", long_ns));
}

static void
run_scope(void *unused)
{
	(void)unused;
	shared->a = getpid();
	be_a();
	{
		TIMELINE_SCOPE_(scope, span, 1);
		shared->begun = scope.begun;
		shared->stamp = timeline_stamp(span);
	}
}

static void
run_scope_end(void *unused)
{
	(void)unused;
	shared->a = getpid();
	pin(0, cpu_of_a);
	{
		TIMELINE_SCOPE_(scope, span, 1);
		shared->begun = scope.begun;
		shared->stamp = timeline_stamp(span);
		be_traced();
	}
}

static void
run_end_of(void *unused)
{
	uint64_t begun;

	(void)unused;
	shared->a = getpid();
	pin(0, cpu_of_a);
	begun = timeline_begin(span, 1);
	shared->begun = begun;
	shared->stamp = timeline_stamp(span);
	be_traced();
	timeline_end_of(span, begun, 2);
}

/* B acts on the CPU of A. */
static void
act_span(void)
{
	pin(0, cpu_of_a);
	{
		timeline_scope(span, 3);
		expect_ok(timeline_priority(tl, "off")); /* ends a burst, too */
		expect_ok(timeline_level(tl, "sweep", "span*", "off"));
	}
	timeline_begin(span, 4);
	pin(0, cpu_of_b);
}

/*
 * The begin decides: the record has the begin and the end if the begin returned
 * a stamp, and neither of them otherwise.
 */
static void
check_span(unsigned steps)
{
	const struct spans_seen a = spans_seen(test_name, shared->a);
	const struct spans_seen b = spans_seen(test_name, getpid());
	const unsigned logged = shared->begun != 0;

	expect(a.begins == logged && a.ends == logged && a.sure == logged &&
		   a.unsure == 0 && a.open == 0,
	    "paused after %u: begun at %lu: %u begins, %u ends, %u sure, %u "
	    "unsure, %u open",
	    steps, shared->begun, a.begins, a.ends, a.sure, a.unsure, a.open);
	expect(!logged || (a.last.begin_tsc == shared->begun &&
			      a.begin == shared->begun && a.last.proven &&
			      a.last.end_tsc >= shared->stamp &&
			      a.last.end_tsc <= timeline_stamp(span)),
	    "paused after %u: from %lu to %lu, begun at %lu", steps,
	    a.last.begin_tsc, a.last.end_tsc, shared->begun);
	expect(b.begins == 1 && b.ends == 1 && b.sure == 1,
	    "paused after %u: B has %u begins, %u ends, %u sure", steps,
	    b.begins, b.ends, b.sure);
}

/*
 * B fills the lane once around: the begin is overwritten, and the end may be.
 */
static void
check_lapped_end(unsigned steps)
{
	const struct spans_seen a = spans_seen(test_name, shared->a);

	expect(a.begins == 0 && a.ends <= 1 && a.sure == a.ends &&
		   a.unsure == 0 && a.open == 0,
	    "paused after %u: %u begins, %u ends, %u sure, %u unsure, %u open",
	    steps, a.begins, a.ends, a.sure, a.unsure, a.open);
	expect(a.sure == 0 || (a.last.begin_tsc == shared->begun &&
				  a.last.end_tsc >= shared->stamp),
	    "paused after %u: from %lu to %lu", steps, a.last.begin_tsc,
	    a.last.end_tsc);
}

/* == the sweep == */

static bool
is_at_stamp(const struct traced *a)
{
	return (peek(a, registers_of(a).rip) & 0xffff) == 0x310f; /* rdtsc */
}

static uint64_t sequence; /* the present sequence of A, or the last */

/* Step one instruction; returns true while the call still runs. */
static bool
step_once(const struct traced *a)
{
	const bool running = step(a);
	const uint64_t now = leave_sequence(a);

	if (now != 0)
		sequence = now;
	return running;
}

/*
 * Pause A after so many instructions, let B act, and let A finish.  Returns
 * false if the call ended before.
 */
static bool
pause_after(const struct row *row, unsigned steps)
{
	struct traced a = { 0 };
	bool running = true;
	int status;

	row->open();
	sequence = 0;
	a.pid = spawn(row->run, NULL);
	a.rseq = has_cpu_lanes(tl) ? tl_rseq_offset(tl) : 0;
	pin(0, cpu_of_a); /* a step between two CPUs is two interrupts */
	go_to(&a, row->paused);
	if (row->from_stamp) {
		while (running && !is_at_stamp(&a))
			running = step_once(&a);
		running = running && step_once(&a);
		expect(running, "%s: no stamp is read", row->name);
	}
	for (unsigned i = 0; running && i < steps; i++)
		running = step_once(&a);
	pin(0, cpu_of_b);
	row->act();
	(void)leave_sequence(&a);
	if ((row->act == act_call || row->act == act_span) &&
	    sequence != 0) /* as if A had been preempted here */
		enter_sequence(&a, sequence);
	expect(ptrace(PTRACE_DETACH, a.pid, NULL, NULL) == 0, "detach: %m");
	status = wait_for(a.pid);
	expect(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	    "%s: paused after %u: A ended with 0x%x", row->name, steps, status);
	row->check(steps);
	return running;
}

static void
sweep(const struct row *row, size_t number)
{
	const unsigned stride = getenv("PAUSE_SWEEP") ? 1 : row->stride;
	const uint64_t start = now_ns();
	unsigned steps = sample_first((unsigned)number) * stride;
	unsigned pauses = 0;

	while (pause_after(row, steps)) {
		pauses++;
		steps += sample_step() * stride;
		expect(steps < STEPS_MAX, "%s: no end after %u instructions",
		    row->name, steps);
	}
	printf("%s: paused at %u places, %.1f s\n", row->name, pauses,
	    (double)(now_ns() - start) / 1e9);
	expect(pauses > 0, "%s: nothing was paused", row->name);
}

/*
 * == timeline_append, from outside: what lets a reader copy the file plainly ==
 *
 * Once any other byte of the slot has changed, the slot no longer carries the
 * stamp of the whole entry that it held before.
 */

static void
run_append(void *unused)
{
	(void)unused;
	be_a();
	timeline_append(event, 1, 2, 3, 4);
}

static void
check_slot(const struct timeline_entry *slot, const struct timeline_entry *old,
    uint64_t q, unsigned steps)
{
	const size_t size = offsetof(struct timeline_entry, stamp);
	const uint64_t stamp = slot->stamp;

	expect(memcmp(slot, old, size) == 0 || stamp % 2 != 0 ||
		   stamp >= timeline_stamp_whole(q),
	    "after %u instructions an old stamp stands over new bytes", steps);
}

static void
sweep_slot(void)
{
	const uint32_t lane =
	    timeline_lane(&tl->geometry, (uint32_t)cpu_of_a, event->tier);
	const struct timeline_entry *slot;
	struct timeline_entry old;
	struct traced a = { 0 };
	unsigned steps = 0;
	bool running = true;
	uint64_t q;

	open_timeline();
	pin(0, cpu_of_a);
	for (int i = 0; i < BEFORE; i++)
		write_one(event, &shared->writers[0]);
	pin(0, cpu_of_b);
	q = head_of(tl, lane)->head;
	slot = (const void *)(tl->map +
			      timeline_entry_offset(&tl->geometry, lane, q));
	old = *slot;
	a.pid = spawn(run_append, NULL);
	a.rseq = tl_rseq_offset(tl);
	pin(0, cpu_of_a);
	go_to(&a, (void (*)(void))timeline_append);
	for (; running && steps < STEPS_MAX; steps++) {
		running = step_once(&a);
		check_slot(slot, &old, q, steps);
	}
	kill_traced(&a);
	pin(0, cpu_of_b);
	expect(head_of(tl, lane)->head == q + 1, "A did not append");
	printf("timeline_append: looked at its slot %u times\n", steps);
}

/*
 * == changes of the levels: a gate that a reader believes open is open ==
 *
 * A process that is killed after an instruction leaves the same file as a
 * process that is stopped there.
 */

static const char *changed_to;
static bool changed_by_burst;

static void
run_change(void *unused)
{
	(void)unused;
	be_a();
	if (changed_by_burst)
		expect_ok(timeline_burst(tl, changed_to, long_ns));
	else
		expect_ok(timeline_priority(tl, changed_to));
}

/* True if the entries show that a gate is open. */
static bool
is_observed(unsigned gate)
{
	const struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = 2,
		.base = TIMELINE_LEVEL_MIN };
	struct tl_fault fault = { 0 };
	struct tl_observed observed;
	struct tl_observer observer;
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;

	tl_observer_init(&observer, &start);
	expect(snap_open(&snap, test_name, 0, &fault) == 0 &&
		   tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0,
	    "%s", fault.text);
	while (tl_cursor_next(cursor, &e) > 0)
		tl_observe(&observer, &e);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	tl_observed_at(&observer, gate, tl_stamp_now(tl), &observed);
	return observed.open;
}

static void
sweep_change(bool burst, const char *from, const char *to)
{
	struct traced a = { 0 };
	unsigned steps = 0, closed = 0, early = 0;
	bool running = true, before;

	open_timeline();
	expect_ok(timeline_priority(tl, from));
	before = is_observed(TRACE);
	changed_by_burst = burst;
	changed_to = to;
	a.pid = spawn(run_change, NULL);
	a.rseq = has_cpu_lanes(tl) ? tl_rseq_offset(tl) : 0;
	pin(0, cpu_of_a);
	go_to(&a, burst ? (void (*)(void))timeline_burst
			: (void (*)(void))timeline_priority);
	for (; running && steps < STEPS_MAX; steps++) {
		struct tl_levels_now now;
		bool observed;

		tl_levels_get(tl, &now);
		observed = is_observed(TRACE);
		expect(!observed || now.threshold <= TRACE,
		    "%s to %s: after %u instructions trace is closed, and "
		    "observed",
		    from, to, steps);
		closed += now.threshold > TRACE;
		early += !observed && now.threshold <= TRACE;
		running = step_once(&a);
	}
	kill_traced(&a);
	pin(0, cpu_of_b);
	expect(!running, "%s to %s: no end after %u instructions", from, to,
	    steps);
	expect(is_observed(TRACE) != before, "%s to %s: not seen at the end",
	    from, to);
	printf("%s to %s: looked %u times, closed %u, open and not observed "
	       "%u\n",
	    from, to, steps, closed, early);
}

/* == level of a message: the gate is never below the one a reader infers == */

static void
run_level(void *unused)
{
	(void)unused;
	be_a();
	expect_ok(timeline_level(tl, "*", "*", changed_to));
}

static unsigned
observed_gate(void)
{
	struct tl_observed_start start;
	struct tl_fault fault = { 0 };
	struct tl_observer observer;
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	unsigned gate = TIMELINE_LEVEL_NONE;

	expect(snap_open(&snap, test_name, 0, &fault) == 0 &&
		   tl_snap_observed(snap, &start) == 0 &&
		   tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor) == 0,
	    "%s", fault.text);
	tl_observer_init(&observer, &start);
	while (tl_cursor_next(cursor, &e) > 0)
		tl_observe(&observer, &e);
	for (size_t i = 0; i < tl_snap_message_count(snap); i++)
		if (tl_snap_message(snap, i)->id == event->message)
			gate = tl_observed_gate(&observer,
			    tl_snap_message(snap, i));
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	return gate;
}

/*
 * The timeline is read only when entries or the gate have changed, because few
 * instructions change them.
 */
static void
sweep_level(const char *from, const char *to)
{
	const struct timeline_options options = { .entries = 256 };
	struct traced a = { 0 };
	unsigned steps = 0, looks = 0, lower = 0;
	uint64_t heads = 0;
	uint8_t gate = TIMELINE_LEVEL_NONE;
	bool running = true;

	timeline_close(tl);
	timeline_remove(test_name);
	expect_ok(timeline_new(&tl, test_name, &options));
	event = define_writers(tl);
	expect_ok(timeline_level(tl, "*", "*", from));
	changed_to = to;
	a.pid = spawn(run_level, NULL);
	a.rseq = has_cpu_lanes(tl) ? tl_rseq_offset(tl) : 0;
	pin(0, cpu_of_a);
	go_to(&a, (void (*)(void))timeline_level);
	for (; running && steps < STEPS_MAX; steps++) {
		if (sum_of_heads(tl) != heads || *event->gate != gate) {
			const unsigned observed = observed_gate();

			heads = sum_of_heads(tl);
			gate = *event->gate;
			looks++;
			lower += observed < gate;
			expect(observed <= gate,
			    "level %s to %s: after %u instructions the gate "
			    "is %u, observed as %u",
			    from, to, steps, gate, observed);
		}
		running = step_once(&a);
	}
	kill_traced(&a);
	pin(0, cpu_of_b);
	expect(!running && looks >= 3, "looked %u times in %u instructions",
	    looks, steps);
	expect(observed_gate() == *event->gate, "level %s to %s: %u at the end",
	    from, to, observed_gate());
	printf("level %s to %s: looked %u times, lower %u\n", from, to, looks,
	    lower);
}

/* B may append while A is inside an append, to the lanes of another CPU. */
static const struct row beside[] = {
	{ "timeline_log in a burst", open_burst, run_log,
	    (void (*)(void))timeline_log, false, act_end_burst, check_log, 1 },
	{ "timeline_burst", open_priority_error, run_burst,
	    (void (*)(void))timeline_burst, true, act_later_burst, check_burst,
	    3 },
	{ "timeline_priority", open_priority_error, run_priority,
	    (void (*)(void))timeline_priority, false, act_priority,
	    check_priority, 7 },
	{ "timeline_priority, there and back", open_burst, run_priority_fatal,
	    (void (*)(void))timeline_priority, true, act_there_and_back,
	    check_record, 17 },
	{ "timeline_priority, a lesser burst", open_burst, run_priority_fatal,
	    (void (*)(void))timeline_priority, true, act_lesser_burst,
	    check_record, 17 },
	{ "timeline_priority, a plan", open_burst, run_priority_fatal,
	    (void (*)(void))timeline_priority, true, act_plan, check_record,
	    17 },
};

/* B may append while A is inside an append, even to the same lane. */
static const struct row restarted[] = {
	{ "timeline_timer_append", open_timer, run_call,
	    (void (*)(void))timeline_timer_append, false, act_call, check_call,
	    1 },
	{ "timeline_append_at", open_at, run_call,
	    (void (*)(void))timeline_append_at, false, act_call, check_call,
	    1 },
	{ "timeline_next", open_next, run_call, (void (*)(void))timeline_append,
	    false, act_call, check_call, 1 },
	{ "the begin of a scope", open_span, run_scope,
	    (void (*)(void))timeline_span_append, false, act_span, check_span,
	    1 },
	{ "the begin of a scope in a burst", open_span_in_burst, run_scope,
	    (void (*)(void))timeline_span_append, false, act_span, check_span,
	    1 },
	{ "the end of a scope", open_span, run_scope_end,
	    (void (*)(void))timeline_span_append, false, act_span, check_span,
	    1 },
	{ "timeline_end_of", open_span, run_end_of,
	    (void (*)(void))timeline_span_append, false, act_span, check_span,
	    1 },
};

static const struct row alone[] = {
	{ "timeline_define", open_timeline, run_define,
	    (void (*)(void))timeline_define_event, false, act_define,
	    check_define, 97 },
	{ "the clock's lock", open_clock, run_clock,
	    (void (*)(void))tl_tail_unlock, false, act_clock, check_clock, 1 },
	/* last, because the timeline has only fallback lanes from here on */
	{ "tl_append_fallback", open_fallback, run_fallback,
	    (void (*)(void))tl_append_fallback, false, act_fallback,
	    check_fallback, 1 },
	{ "the end of a scope in a fallback lane", open_span, run_scope_end,
	    (void (*)(void))timeline_span_append, false, act_fallback,
	    check_lapped_end, 1 },
};

int
main(void)
{
#ifdef __SANITIZE_ADDRESS__
	skip("most instructions would be the sanitizer's");
#endif
	if (getenv("TEST_INLINED"))
		skip("what it pauses may be inlined here");
	if (!may_trace())
		skip("ptrace is forbidden here");
	choose_test_name("pause");
	shared = share(sizeof(*shared));
	cpu_of_a = nth_cpu(0);
	cpu_of_b = nth_cpu(1);
	pin(0, cpu_of_b);
	open_timeline();
	if (cpu_of_a == cpu_of_b)
		printf("one CPU only: some calls were not paused\n");
	else
		for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++)
			sweep(&beside[i], i);
	for (size_t i = 0; has_cpu_lanes(tl) && cpu_of_a != cpu_of_b &&
			   i < sizeof(restarted) / sizeof(*restarted);
	     i++)
		sweep(&restarted[i], i);
	if (has_cpu_lanes(tl) && cpu_of_a != cpu_of_b)
		sweep_slot();
	if (cpu_of_a != cpu_of_b) {
		sweep_change(true, "error", "trace");
		sweep_change(false, "error", "trace");
		sweep_change(false, "trace", "error");
		sweep_level("error", "trace");
		sweep_level("trace", "off");
	}
	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++) {
		if (alone[i].open == open_fallback)
			setenv("TIMELINE_NO_RSEQ", "1", 1);
		sweep(&alone[i], i);
	}
	timeline_close(tl);
	return 0;
}
