/* SPDX-License-Identifier: Apache-2.0 */
/*
 * append.c - what one event costs one thread, beside a floor.
 *
 * The floor is rdtsc and the stores of one entry in a ring of the same size,
 * without an append: a busy core, a busy sibling of the core and cold caches
 * slow both.  A bare rdtsc chooses the quiet rounds.
 */
#include "bench.h"
#include "subject.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <timeline_layout.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
	STORES_SLOTS = 1 << 16,
	SLOT_WORDS = 8,
	TIMERS = 10000,
	FLOOR = 1,      /* the number of bare_entry among the cases */
	BUSY_CASES = 4, /* the cases that also run beside a busy loop */
	COLD_BYTES = 1 << 20,
	COLD_TIMES = 31, /* events of a round */
	LINE_BYTES = 64
};

static const double EVENT_GOAL = 1.45;   /* times the floor */
static const double COLD_GOAL = 3.5;     /* times the cold floor */
static const double COLD_OFF_GOAL = 1.0; /* the same */
static const double FALLBACK_GOAL = 3.2; /* times the floor */
static const double OFF_GOAL = 2.0;      /* cycles */
static const double OFF_CALL_GOAL = 7;   /* cycles */
static const double TIMED_GOAL = 2.8;    /* times the floor */
static const double TIMED_OFF_GOAL = 2;  /* cycles */
static const double SPAN_GOAL = 2.8;     /* times the floor */
static const double SPAN_OFF_GOAL = 3;   /* cycles */
static const double NEXT_GOAL = 1.45;    /* times the floor */
static const double AT_GOAL = 0.8;       /* the same */
static const double SLOT_GOAL = 1.9;     /* the same */

struct bare_ring {
	uint64_t next;
	uint64_t slots[STORES_SLOTS][SLOT_WORDS];
};

static void
bare_rdtsc(void *arg, long n)
{
	(void)arg;
	(void)bench_canary(n);
}

/* The least ring: read the position, write a stamp and seven words, and move
 * the position. */
static void
bare_entry(void *arg, long n)
{
	struct bare_ring *it = arg;

	for (long i = 0; i < n; i++) {
		const uint64_t next = it->next;
		uint64_t *slot = it->slots[next & (STORES_SLOTS - 1)];

		for (int word = 1; word < SLOT_WORDS; word++)
			slot[word] = (uint64_t)i;
		slot[0] = __rdtsc();
		__asm__ volatile("" ::: "memory");
		it->next = next + 1;
	}
}

/* A function of the library that does nothing: what a call costs here. */
static void
bare_call(void *arg, long n)
{
	(void)arg;
	for (long i = 0; i < n; i++)
		(void)timeline_version();
}

static void
bare_loop(void *arg, long n)
{
	(void)arg;
	for (long i = 0; i < n; i++)
		__asm__ volatile("" ::: "memory");
}

static void
make(struct subject *s, const char *what, uint64_t entries)
{
	const struct timeline_options options = { .entries = entries };
	char name[48];

	snprintf(name, sizeof(name), "bench-%s-%d", what, (int)getpid());
	subject_new(s, name, &options);
}

/* Closed outside bursts, and a burst that outlives the run. */
static void
make_burst(struct subject *s)
{
	make(s, "burst", 0);
	if (timeline_priority(s->tl, "warning") < 0 ||
	    timeline_burst(s->tl, "trace", 600000000000) < 0)
		bench_die(timeline_error(), 0);
	s->before = subject_kept(s);
}

static void
make_fallback(struct subject *s)
{
	setenv("TIMELINE_NO_RSEQ", "1", 1);
	make(s, "fallback", 0);
	unsetenv("TIMELINE_NO_RSEQ");
}

/* Closed by a plan of slots, none of which opens, for as long as the run:
 * the header as the daemon sets it, where 1 is the lowest gate. */
static void
make_slots(struct subject *s)
{
	const uint64_t end = __rdtsc() + (1ULL << 44);
	struct timeline_header *h;
	char file[128];
	int fd;

	make(s, "slots", 0);
	if (timeline_priority(s->tl, "warning") < 0)
		bench_die(timeline_error(), 0);
	snprintf(file, sizeof(file), "/dev/shm%s", s->path);
	fd = open(file, O_RDWR | O_CLOEXEC);
	h = mmap(NULL, sizeof(*h), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (h == MAP_FAILED)
		bench_die(file, -errno);
	for (int gate = 1; gate < TIMELINE_PLAN_GATES; gate++)
		h->shares[gate] = 1;
	h->lease = (end & ~UINT64_C(0xff)) | 18;
	h->levels = (h->levels & ~UINT64_C(0xff)) | 1;
	munmap(h, sizeof(*h));
	close(fd);
}

static void
closed_by_slot(void *arg, long n)
{
	struct timeline_event *event = ((struct subject *)arg)->open;

	for (long i = 0; i < n; i++)
		timeline_log(event, i, 2, 3, 4);
}

static struct subject usual, small, large, burst, fallback, slots, spans;
static struct bare_ring *ring;

static void
make_all(void)
{
	if (!(ring = calloc(1, sizeof(*ring))))
		bench_die("the bare ring", -ENOMEM);
	make(&usual, "usual", 0);
	make(&small, "small", 4096);
	make(&large, "large", 4 << 20);
	make_burst(&burst);
	make_fallback(&fallback);
	make_slots(&slots);
	make(&spans, "spans", 0);
}

static struct timeline_event *timer, *timer_off, *span, *span_off, *stamped;

static void
define_spans(struct timeline *tl)
{
	if (timeline_define_timer(tl, "bench", "info", "timed $a $b", &timer) <
		0 ||
	    timeline_define_timer(tl, "bench", "info", "off", &timer_off) < 0 ||
	    timeline_define_span(tl, "bench", "info", "next $a",
		TIMELINE_THREAD, &span) < 0 ||
	    timeline_define_span(tl, "bench", "info", "off too $a",
		TIMELINE_THREAD, &span_off) < 0 ||
	    timeline_define(tl, "bench", "info", "at $a $b $c $d", &stamped) <
		0 ||
	    timeline_slower(tl, "bench", "timed*", UINT64_MAX) < 0 ||
	    timeline_level(tl, "bench", "off*", "off") < 0)
		bench_die(timeline_error(), 0);
}

static void
timed(void *arg, long n)
{
	struct timeline_event *event = *(struct timeline_event **)arg;

	for (long i = 0; i < n; i++) {
		const uint64_t begin = timeline_timer_begin(event);

		timeline_timer_end(event, begin, i, n);
	}
}

static struct timeline_event *timers[TIMERS];

/* A timeline has room for 64 of them; the file goes at once. */
static void
make_timers(void)
{
	const struct timeline_options options = { .entries = 64 };
	struct timeline *tl = NULL;
	char name[48], text[32];

	snprintf(name, sizeof(name), "bench-timers-%d", (int)getpid());
	for (int i = 0; i < TIMERS; i++) {
		if (i % TIMELINE_TIMERS_MAX == 0 &&
		    (timeline_new(&tl, name, &options) < 0 ||
			timeline_remove(name) < 0))
			bench_die(timeline_error(), 0);
		snprintf(text, sizeof(text), "timer %d", i);
		if (timeline_define_timer(tl, "bench", "info", text,
			&timers[i]) < 0 ||
		    timeline_slower(tl, "bench", text, UINT64_MAX) < 0)
			bench_die(timeline_error(), 0);
	}
}

/* So many timers by turns. */
static void
timed_many(void *arg, long n)
{
	const int count = *(const int *)arg;

	for (long i = 0, k = 0; i < n; i++, k = k + 1 < count ? k + 1 : 0) {
		const uint64_t begin = timeline_timer_begin(timers[k]);

		timeline_timer_end(timers[k], begin, i, n);
	}
}

static void
span_pair(void *arg, long n)
{
	struct timeline_event *event = *(struct timeline_event **)arg;

	for (long i = 0; i < n; i++) {
		timeline_begin(event, i);
		timeline_end(event, i);
	}
}

static void
span_proven(void *arg, long n)
{
	struct timeline_event *event = *(struct timeline_event **)arg;

	for (long i = 0; i < n; i++) {
		const uint64_t begun = timeline_begin(event, i);

		timeline_end_of(event, begun, i);
	}
}

static void
span_scope(void *arg, long n)
{
	struct timeline_event *event = *(struct timeline_event **)arg;

	for (long i = 0; i < n; i++) {
		timeline_scope(event, i);
	}
}

static void
next(void *arg, long n)
{
	(void)arg;
	for (long i = 0; i < n; i++)
		timeline_next(span, i);
}

/* The caller's stamps are as far apart as the calls. */
static void
log_at(void *arg, long n)
{
	uint64_t stamp = timeline_stamp(stamped);

	(void)arg;
	for (long i = 0; i < n; i++)
		timeline_log_at(stamped, stamp += 10, i, 2, 3, 4);
}

/* The mean cycles of one event after other data took the caches.  A counter may
 * step by more than one cycle, so a median would be one of few values. */
static double
cold_cycles(const struct bench_case *which)
{
	static volatile char data[COLD_BYTES];
	double sum = 0;

	for (int i = 0; i < COLD_TIMES; i++) {
		for (size_t at = 0; at < sizeof(data); at += LINE_BYTES)
			data[at]++;
		_mm_mfence();
		sum += bench_cycles(which, 1);
		_mm_lfence();
	}
	return sum / COLD_TIMES;
}

/* One event at a time, with two readings of the clock around each. */
static void
run_cold(const char *when, int rounds)
{
	const struct bench_case cases[] = {
		{ "rdtsc and a line, cold", bare_entry, ring, 0, 0 },
		{ "4 arguments, cold", subject_log4, &usual,
		    BENCH_RATIO_AT_MOST, COLD_GOAL },
		{ "disabled, cold", subject_off, &usual, BENCH_RATIO_AT_MOST,
		    COLD_OFF_GOAL },
	};
	enum { COUNT = sizeof(cases) / sizeof(cases[0]) };
	static struct bench_figure figures[COUNT];

	printf("# cold: %s, %d a round\n", when, COLD_TIMES);
	for (int c = 0; c < COUNT; c++)
		figures[c] = (struct bench_figure){ .name = cases[c].name,
			.unit = "cycles",
			.count = rounds,
			.kind = cases[c].kind,
			.goal = cases[c].goal };
	for (int r = 0; r < rounds; r++)
		for (int c = 0; c < COUNT; c++)
			figures[c].samples[r] = cold_cycles(&cases[c]);
	for (int c = 0; c < COUNT; c++)
		bench_print(&figures[c], &figures[0], NULL);
}

/* Run the first cases beside a busy loop on another CPU. */
static void
run_busy(const struct bench_case *cases, long n, int rounds)
{
	pid_t loop;

	if (bench_cpus() == 1)
		return;
	printf("# beside a busy loop on another CPU\n");
	if ((loop = fork()) < 0)
		bench_die("fork", -errno);
	if (loop == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		bench_pin(0);
		for (;;)
			__asm__ volatile("" ::: "memory");
	}
	bench_run(cases, BUSY_CASES, FLOOR, n, rounds);
	run_cold("1 MiB touched before each, beside that loop", rounds);
	(void)kill(loop, SIGKILL);
	(void)waitpid(loop, NULL, 0);
}

static void
print_losses(void)
{
	subject_print_losses(&usual, "lost");
	subject_print_losses(&burst, "lost in a burst");
	subject_print_losses(&small, "lost, 4096 entries");
	subject_print_losses(&large, "lost, 4194304 entries");
	subject_print_losses(&fallback, "lost, fallback lane");
}

static void
close_all(void)
{
	subject_close(&usual);
	subject_close(&small);
	subject_close(&large);
	subject_close(&burst);
	subject_close(&fallback);
	subject_close(&slots);
	subject_close(&spans);
	free(ring);
}

/* Named append, or append-static. */
int
main(int argc, char **argv)
{
	const long n = bench_setting("BENCH_N", 100000);
	const int rounds = (int)bench_setting("BENCH_ROUNDS", 61);
	int some = 100, many = TIMERS;

	(void)argc;
	bench_begin(basename(argv[0]));
	bench_pin(bench_cpus() - 1);
	make_all();
	define_spans(spans.tl);
	make_timers();
	const struct bench_case cases[] = {
		{ "bare rdtsc", bare_rdtsc, NULL, 0, 0 },
		{ "rdtsc and a line", bare_entry, ring, 0, 0 },
		{ "4 arguments", subject_log4, &usual, BENCH_RATIO_AT_MOST,
		    EVENT_GOAL },
		{ "0 arguments", subject_log0, &usual, BENCH_RATIO_AT_MOST,
		    EVENT_GOAL },
		{ "4 arguments, through the symbol", subject_call4, &usual,
		    BENCH_RATIO_AT_MOST, EVENT_GOAL },
		{ "4 arguments, in a burst", subject_log4, &burst,
		    BENCH_RATIO_AT_MOST, EVENT_GOAL },
		{ "4 arguments, 4096 entries", subject_log4, &small,
		    BENCH_RATIO_AT_MOST, EVENT_GOAL },
		{ "4 arguments, 4194304 entries", subject_log4, &large,
		    BENCH_RATIO_AT_MOST, EVENT_GOAL },
		{ "4 arguments, fallback lane", subject_log4, &fallback,
		    BENCH_RATIO_AT_MOST, FALLBACK_GOAL },
		{ "begin and end of a timer", timed, &timer,
		    BENCH_RATIO_AT_MOST, TIMED_GOAL },
		{ "... of 100 timers by turns", timed_many, &some,
		    BENCH_RATIO_AT_MOST, TIMED_GOAL },
		{ "... of 10000: memory, not cache", timed_many, &many, 0, 0 },
		{ "begin and end of a span", span_pair, &span,
		    BENCH_RATIO_AT_MOST, SPAN_GOAL },
		{ "begin and timeline_end_of", span_proven, &span,
		    BENCH_RATIO_AT_MOST, SPAN_GOAL },
		{ "begin and end of a scope", span_scope, &span,
		    BENCH_RATIO_AT_MOST, SPAN_GOAL },
		{ "end and begin by timeline_next", next, NULL,
		    BENCH_RATIO_AT_MOST, NEXT_GOAL },
		{ "4 arguments, stamp given", log_at, NULL, BENCH_RATIO_AT_MOST,
		    AT_GOAL },
		{ "closed by a slot", closed_by_slot, &slots,
		    BENCH_RATIO_AT_MOST, SLOT_GOAL },
		{ "empty loop", bare_loop, NULL, 0, 0 },
		{ "disabled", subject_off, &usual, BENCH_AT_MOST, OFF_GOAL },
		{ "begin and end of a timer, disabled", timed, &timer_off,
		    BENCH_AT_MOST, TIMED_OFF_GOAL },
		{ "begin and end of a span, disabled", span_pair, &span_off,
		    BENCH_AT_MOST, SPAN_OFF_GOAL },
		{ "begin and timeline_end_of, disabled", span_proven, &span_off,
		    BENCH_AT_MOST, SPAN_OFF_GOAL },
		{ "begin and end of a scope, disabled", span_scope, &span_off,
		    BENCH_AT_MOST, SPAN_OFF_GOAL },
		{ "call of an empty function", bare_call, NULL, 0, 0 },
		{ "disabled, through the symbol", subject_off_call, &usual,
		    BENCH_AT_MOST, OFF_CALL_GOAL },
	};

	bench_run(cases, sizeof(cases) / sizeof(cases[0]), FLOOR, n, rounds);
	run_cold("1 MiB touched before each", rounds);
	run_busy(cases, n, rounds);
	print_losses();
	close_all();
	return 0;
}
