/* SPDX-License-Identifier: Apache-2.0 */
/*
 * making.h - programs that make a timeline PATH, log to it, save FILE, and
 * remove PATH:
 *
 *	int
 *	main(int argc, char **argv)
 *	{
 *		making_open(argc, argv, 3, "PATH FILE", NULL);
 *		... making_span("work", "info", "job $id", TIMELINE_THREAD) ...
 *		making_save(argv);
 *		return 0;
 *	}
 */
#ifndef TESTS_LIB_MAKING_H
#define TESTS_LIB_MAKING_H

#include "now.h"
#include "process.h"

static struct timeline *tl;

/* Make the timeline; the program has so many arguments, or one more, which
 * usage has in brackets. */
static inline void
making_open(int argc, char **argv, int args, const char *usage,
    const struct timeline_options *options)
{
	expect(argc == args || (argc == args + 1 && strchr(usage, '[')),
	    "usage: %s %s", argv[0], usage);
	expect_ok(timeline_new(&tl, argv[1], options));
}

static inline void
making_save(char **argv)
{
	expect_ok(timeline_save(tl, argv[2]));
	expect_ok(timeline_remove(argv[1]));
	timeline_close(tl);
}

static inline struct timeline_event *
making_event(const char *category, const char *level, const char *text)
{
	struct timeline_event *event;

	expect_ok(timeline_define(tl, category, level, text, &event));
	return event;
}

static inline struct timeline_event *
making_span(const char *category, const char *level, const char *text,
    int scope)
{
	struct timeline_event *event;

	expect_ok(
	    timeline_define_span(tl, category, level, text, scope, &event));
	return event;
}

static inline void
wait_until(int64_t ns)
{
	while (now() < ns)
		continue;
}

/* The CPUs of a program that needs two; it is skipped where it may use one. */
static int making_cpus[2];

static inline void
making_find_cpus(void)
{
	for (unsigned i = 0; i < 2; i++)
		making_cpus[i] = nth_cpu(i);
	if (making_cpus[0] == making_cpus[1])
		exit(TEST_SKIPPED);
}

static inline void
go_to(int which)
{
	pin(0, making_cpus[which]);
}

#endif
