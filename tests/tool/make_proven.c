/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_proven.c - spans that prove themselves, most of them longer than the
 * bursts in which they began.
 *
 *	make_proven PATH FILE [wait]
 *
 * Orders and asks begin, their begins are overwritten, and they end.  Then each
 * burst of 100 us has the begin of a job of 5 ms, of a step within the job, and
 * of a trip, which belongs to no thread and crosses the trip before; and a tick
 * of 10 us whose end proves nothing.  A watch begins and stays open.  The
 * program saves FILE and removes PATH, and prints each span whose end is in the
 * record: its message, its id, whether its begin is there, and the bounds of
 * its duration in ns.  With "wait", it waits for a line of input once the ring
 * is overwritten, and for another line before it removes PATH.
 */
#include "../lib/making.h"

enum { ENTRIES = 4096, OLD = 60, BURSTS = 60, BURST_NS = 100000 };
enum { JOB_NS = 5000000, STEP_NS = 1000000, TICK_NS = 10000 };

static struct timeline_event *order, *ask, *job, *step, *trip, *tick, *watch;
static struct timeline_event *noise;
static bool waits;

/* A span of the program: its begin and its end each lie between two moments. */
struct truth {
	int64_t before_begin, after_begin, before_end;
	uint64_t begun;
};

static void
say(const char *message, int id, const char *begin, const struct truth *t)
{
	printf("%s %d %s %lld %lld\n", message, id, begin,
	    (long long)(t->before_end - t->after_begin),
	    (long long)(now() - t->before_begin));
}

static void
define(void)
{
	order = making_span("shop", "info", "order $id", TIMELINE_THREAD);
	ask = making_span("shop", "info", "ask $id", TIMELINE_THREAD);
	job = making_span("shop", "trace", "job $id", TIMELINE_THREAD);
	step = making_span("shop", "trace", "step $id", TIMELINE_THREAD);
	trip = making_span("shop", "trace", "trip $id", TIMELINE_SOURCE);
	tick = making_span("shop", "trace", "tick $id", TIMELINE_THREAD);
	watch = making_span("shop", "trace", "watch $id", TIMELINE_THREAD);
	noise = making_event("shop", "info", "noise $n");
	expect_ok(timeline_priority(tl, "info"));
}

/* Log spans whose begins are overwritten. */
static void
turn_the_ring(void)
{
	struct truth orders[OLD], asks[OLD];

	for (int i = 0; i < OLD; i++) {
		orders[i].before_begin = now();
		orders[i].begun = timeline_begin(order, i);
		orders[i].after_begin = asks[i].before_begin = now();
		asks[i].begun = timeline_begin(ask, i);
		asks[i].after_begin = now();
	}
	for (int i = 0; i < 4 * ENTRIES; i++)
		timeline_log(noise, i);
	if (waits)
		getchar();
	for (int i = OLD; i-- > 0;) {
		asks[i].before_end = now();
		timeline_end_of(ask, asks[i].begun, i);
		say("ask", i, "gone", &asks[i]);
		orders[i].before_end = now();
		timeline_end_of(order, orders[i].begun);
		say("order", i, "gone", &orders[i]);
	}
}

static void
end(const char *message, struct timeline_event *span, int id, struct truth *t)
{
	t->before_end = now();
	timeline_end_of(span, t->begun);
	if (t->begun != 0)
		say(message, id, "kept", t);
}

/* Log a burst; the job is logged as timeline_scope does it. */
static void
burst(int id, struct truth *crossed)
{
	struct truth j, s, t = { 0 }, k = { 0 };

	expect_ok(timeline_burst(tl, "trace", BURST_NS));
	t.before_begin = now();
	t.begun = timeline_begin(trip, id);
	t.after_begin = j.before_begin = now();
	j.begun = timeline_begin(job + TIMELINE_PART_SCOPE, id);
	j.after_begin = s.before_begin = now();
	s.begun = timeline_begin(step, id);
	s.after_begin = k.before_begin = now();
	k.begun = timeline_begin(tick, id);
	k.after_begin = now();
	wait_until(k.after_begin + TICK_NS);
	k.before_end = now();
	timeline_end(tick);
	if (k.begun != 0 && timeline_enabled(tick + 1))
		say("tick", id, "kept", &k);
	wait_until(s.after_begin + STEP_NS);
	end("step", step, id, &s);
	end("trip", trip, id - 1, crossed);
	wait_until(j.after_begin + JOB_NS);
	end("job", job, id, &j);
	*crossed = t;
}

int
main(int argc, char **argv)
{
	const struct timeline_options options = { .entries = ENTRIES };
	struct truth crossed = { 0 };

	waits = argc > 3;
	/* in one lane the noise overwrites the entries before the noise */
	pin(0, sched_getcpu());
	setvbuf(stdout, NULL, _IOLBF, 0);
	making_open(argc, argv, 3, "PATH FILE [wait]", &options);
	define();
	turn_the_ring();
	expect_ok(timeline_burst(tl, "trace", BURST_NS));
	(void)timeline_begin(watch + TIMELINE_PART_SCOPE, 1);
	for (int id = 1; id <= BURSTS; id++) {
		wait_until(now() + BURST_NS);
		burst(id, &crossed);
	}
	expect_ok(timeline_save(tl, argv[2]));
	if (waits)
		getchar();
	expect_ok(timeline_remove(argv[1]));
	timeline_close(tl);
	return 0;
}
