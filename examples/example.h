/* SPDX-License-Identifier: Apache-2.0 */
/*
 * example.h - what the examples share: which timeline (TIMELINE= or their
 * own), which priority (TIMELINE_PRIORITY= or all), and a look at the end.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <timeline.h>
#include <unistd.h>

static inline void
example_must(int rc)
{
	if (rc == 0)
		return;
	fprintf(stderr, "%s\n", timeline_error());
	exit(1);
}

static inline const char *
example_name(const char *otherwise)
{
	const char *name = getenv("TIMELINE");

	return name && name[0] ? name : otherwise;
}

static inline struct timeline *
example_new(const char *otherwise)
{
	const char *priority = getenv("TIMELINE_PRIORITY");
	struct timeline *tl;

	example_must(timeline_new(&tl, example_name(otherwise), NULL));
	if (priority && priority[0])
		example_must(timeline_priority(tl, priority));
	return tl;
}

/* Work that takes some time: about a nanosecond a step. */
static inline void
example_work(unsigned steps)
{
	for (volatile unsigned i = 0; i < steps; i++)
		continue;
}

/* The newest entries of a category in what example_new opened, by
 * timeline-dump -n max --category category. */
static inline void
example_show(const char *otherwise, const char *category, const char *max)
{
	const char *name = example_name(otherwise);
	const pid_t child = (fflush(stdout), fork());

	if (child == 0) {
		execlp("timeline-dump", "timeline-dump", "-n", max,
		    "--category", category, "--", name, (char *)NULL);
		printf("timeline-dump is not in PATH; the timeline is %s\n",
		    name);
		exit(0);
	}
	waitpid(child, NULL, 0);
}

#endif
