/* SPDX-License-Identifier: Apache-2.0 */
/*
 * define.c - what one definition costs when there are few, and when there
 * are many: the same, or the table is searched and not looked up in.
 */
#include "bench.h"
#include "subject.h"

#include <stdio.h>
#include <timeline.h>
#include <unistd.h>

enum { SIZES = 3, MESSAGES_MAX = 10000, NAME_MAX_BYTES = 48 };

static const int sizes[SIZES] = { 100, 1000, MESSAGES_MAX };
static const double LINEAR_GOAL = 2.0; /* times one of a hundred */

static struct bench_figure first[SIZES], again[SIZES], attach[SIZES];

static void
define_all(struct timeline *tl, int count)
{
	struct timeline_event *event;
	char text[64];

	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "message %d of $a and $b", i);
		if (timeline_define(tl, "bench", "trace", text, &event) < 0)
			bench_die(timeline_error(), 0);
	}
}

/* Nanoseconds each of count definitions. */
static double
time_all(struct timeline *tl, int count)
{
	const double start_s = bench_now_s();

	define_all(tl, count);
	return (bench_now_s() - start_s) * 1e9 / count;
}

static void
round_of(const char *name, int size, int round)
{
	const struct timeline_options options = { .entries = 4096,
		.stringtablesize = 8 << 20 };
	const int count = sizes[size];
	struct subject s;
	struct timeline *tl;

	subject_new(&s, name, &options);
	first[size].samples[round] = time_all(s.tl, count);
	again[size].samples[round] = time_all(s.tl, count);
	const double start_s = bench_now_s();

	if (timeline_open(&tl, s.path) < 0)
		bench_die(timeline_error(), 0);
	attach[size].samples[round] = (bench_now_s() - start_s) * 1e9 / count;
	timeline_close(tl);
	subject_close(&s);
}

static void
print_group(struct bench_figure *figures, const char *what, int rounds)
{
	char names[SIZES][NAME_MAX_BYTES];

	for (int i = 0; i < SIZES; i++) {
		snprintf(names[i], sizeof(names[i]), "%s of %d", what,
		    sizes[i]);
		figures[i].name = names[i];
		figures[i].unit = "ns";
		figures[i].count = rounds;
		figures[i].kind = i ? BENCH_RATIO_AT_MOST : BENCH_NO_GOAL;
		figures[i].goal = LINEAR_GOAL;
		bench_print(&figures[i], &figures[0], NULL);
	}
}

int
main(void)
{
	const int rounds = (int)bench_setting("BENCH_ROUNDS", 9);
	char name[48];

	bench_begin("define");
	bench_pin(bench_cpus() - 1);
	snprintf(name, sizeof(name), "bench-define-%d", (int)getpid());
	for (int round = 0; round < rounds; round++) {
		for (int size = 0; size < SIZES; size++)
			round_of(name, size, round);
	}
	print_group(first, "define, each", rounds);
	print_group(again, "define once more, each", rounds);
	print_group(attach, "attach, a message", rounds);
	return 0;
}
