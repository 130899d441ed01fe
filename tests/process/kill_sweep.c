/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill_sweep.c - kill -9 between any two instructions of the append, in
 * assembly and in C: only the unfinished event is missing, and the next writer
 * goes on without repair.  A span whose process is killed in its begin or in
 * its end is either open or ended with its true duration.  SAMPLE=0, 1 or 2
 * kills between a third of the instructions.
 */
#include "../lib/sample.h"
#include "../lib/spans_seen.h"
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

/* A burst makes the append take another path. */
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

/*
 * Kill a victim after so many instructions of the append.  Returns false if the
 * append ended before.
 */
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

/*
 * Check the entries after the death, and again after other processes have
 * logged.
 */
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

/* After one more lap of the whole ring the dead writer has left no trace. */
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
	unsigned steps = sample_first(burst);
	unsigned places = 0;
	unsigned stored = 0;
	bool running = true;

	for (; running && steps < STEPS_MAX; steps += sample_step()) {
		struct check c;

		places++;
		open_timeline(burst);
		running = kill_after(function, steps);
		c = check_timeline(test_name);
		stored += c.seen[1].count > 0;
		check_after(steps, fallback);
		check_next_lap(steps);
	}
	printf("%s: killed at %u places, stored after %u of them\n", name,
	    places, stored);
	expect(!running, "%s: no end after %u instructions", name, steps);
	expect(stored > 0 && stored < places, "%s: the sweep missed the commit",
	    name);
}

/* == spans that prove themselves == */

static struct timeline_event *span;
static struct lived {
	uint64_t begun; /* the return value of the begin */
	uint64_t stamp; /* before the end */
} * lived;

/* The part of a span that is swept; the victim stops before it. */
static const struct stage {
	const char *name;
	bool in_end;
	bool scope;
} stages[] = {
	{ "begin of a scope", false, true },
	{ "end of a scope", true, true },
	{ "timeline_begin", false, false },
	{ "timeline_end_of", true, false },
};

static void
be_spanning(void *context)
{
	const struct stage *stage = context;
	uint64_t begun;

	pin(0, nth_cpu(0));
	tl_ids_fill(event->ids);
	if (!stage->in_end)
		be_traced();
	if (stage->scope) {
		TIMELINE_SCOPE_(scope, span, 7);
		lived->begun = scope.begun;
		lived->stamp = timeline_stamp(span);
		be_traced();
		return;
	}
	begun = timeline_begin(span, 7);
	lived->begun = begun;
	lived->stamp = timeline_stamp(span);
	be_traced();
	timeline_end_of(span, begun, 8);
}

static bool
kill_in_stage(const struct stage *stage, unsigned steps, pid_t *pid)
{
	struct traced victim = {
		.pid = spawn(be_spanning, (void *)(uintptr_t)stage),
		.rseq = has_cpu_lanes(tl) ? tl_rseq_offset(tl) : 0,
	};
	bool running = true;

	*pid = victim.pid;
	go_to(&victim, (void (*)(void))timeline_span_append);
	for (unsigned i = 0; running && i < steps; i++) {
		running = step(&victim);
		leave_sequence(&victim);
	}
	kill_traced(&victim);
	return running;
}

/* Check the victim's span, which may have been ended or not. */
static bool
check_span(const struct stage *stage, unsigned steps, pid_t pid)
{
	const struct spans_seen s = spans_seen(test_name, pid);

	expect(s.begins <= 1 && s.ends <= 1 && s.unsure == 0 &&
		   s.sure == s.ends && s.open == s.begins - s.ends,
	    "%s: killed after %u: %u begins, %u ends, %u sure, %u unsure, %u "
	    "open",
	    stage->name, steps, s.begins, s.ends, s.sure, s.unsure, s.open);
	expect(s.ends <= stage->in_end && s.begins >= stage->in_end,
	    "%s: killed after %u: %u begins, %u ends", stage->name, steps,
	    s.begins, s.ends);
	expect(!stage->in_end || s.begin == lived->begun,
	    "%s: killed after %u: begun at %lu, not %lu", stage->name, steps,
	    s.begin, lived->begun);
	expect(s.sure == 0 ||
		   (s.last.begin_tsc == lived->begun && s.last.proven &&
		       s.last.end_tsc >= lived->stamp &&
		       s.last.end_tsc <= timeline_stamp(span)),
	    "%s: killed after %u: from %lu to %lu", stage->name, steps,
	    s.last.begin_tsc, s.last.end_tsc);
	return stage->in_end ? s.ends == 1 : s.begins == 1;
}

/*
 * Processes that survive log spans of their own; the victim's span must not
 * disturb them.
 */
static void
check_others(const struct stage *stage, unsigned steps, pid_t pid)
{
	const struct spans_seen before = spans_seen(test_name, pid);
	struct spans_seen s;

	timeline_begin(span, 9);
	{
		timeline_scope(span, 10);
	}
	timeline_end(span, 11);
	s = spans_seen(test_name, getpid());
	expect(s.begins == 2 && s.ends == 2 && s.sure + s.unsure == 2 &&
		   s.open == 0,
	    "%s: killed after %u: %u begins, %u ends, %u spans", stage->name,
	    steps, s.begins, s.ends, s.sure + s.unsure);
	s = spans_seen(test_name, pid);
	expect(s.sure == before.sure && s.open == before.open,
	    "%s: killed after %u: its span changed", stage->name, steps);
}

static void
sweep_span(const struct stage *stage, const char *way, bool burst)
{
	unsigned steps = sample_first((unsigned)(stage - stages) + burst);
	unsigned places = 0;
	unsigned stored = 0;
	bool running = true;

	for (; running && steps < STEPS_MAX; steps += sample_step()) {
		pid_t pid;

		places++;
		open_timeline(burst);
		expect_ok(
		    timeline_define_span(tl, "sweep", burst ? "trace" : "info",
			"span $n", TIMELINE_THREAD, &span));
		running = kill_in_stage(stage, steps, &pid);
		stored += check_span(stage, steps, pid);
		check_others(stage, steps, pid);
	}
	printf("%s%s: killed at %u places, stored after %u of them\n",
	    stage->name, way, places, stored);
	expect(!running && stored > 0 && stored < places,
	    "%s%s: the sweep missed the commit", stage->name, way);
}

static void
sweep_spans(const char *way, bool burst)
{
	for (size_t i = 0; i < sizeof(stages) / sizeof(*stages); i++)
		sweep_span(&stages[i], way, burst);
}

int
main(void)
{
	if (append_is_inlined())
		skip("the append is inlined here");
	if (!may_trace())
		skip("ptrace is forbidden here");
	choose_test_name("sweep");
	pin(0, nth_cpu(0));
	writers = share(2 * sizeof(*writers));
	lived = share(sizeof(*lived));
	open_timeline(false);
	sweep("append", timeline_span_append, !has_cpu_lanes(tl), false);
	sweep("append in a burst", timeline_span_append, !has_cpu_lanes(tl),
	    true);
	sweep_spans("", false);
	sweep_spans(" in a burst", true);
	if (has_cpu_lanes(tl)) {
		/* this process logs to the fallback lane, too */
		setenv("TIMELINE_NO_RSEQ", "1", 1);
		sweep("fallback", tl_append_fallback, true, false);
		sweep("fallback in a burst", tl_append_fallback, true, true);
		sweep_spans(" in a fallback lane", false);
	}
	timeline_close(tl);
	return 0;
}
