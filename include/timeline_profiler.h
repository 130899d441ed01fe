/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_profiler.h - the LMS profiler: begin and end of whatever has a
 * label, and a command line with --profiling FILE.
 *
 *	struct timeline_profiler *profiler;
 *
 *	timeline_profiler_options(&profiler, &argc, argv);
 *	timeline_profiler_mark_begin(profiler, "camera.read");
 *	timeline_profiler_mark_end(profiler, "camera.read");
 *
 * Without --profiling the profiler is NULL, and marks do nothing.  What is
 * written is a timeline; "timeline-convert --to lms FILE -o profile.csv" makes
 * the profile of it.  Any thread may mark, no signal handler.  See
 * timeline_profiler(3).
 */
#ifndef TIMELINE_PROFILER_H
#define TIMELINE_PROFILER_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct timeline_profiler;

/*
 * A profiler that marks in this timeline, which stays the caller's.  NULL for
 * no timeline, which is no error.  -ENOMEM.
 */
int timeline_profiler_new(
    struct timeline_profiler **profiler, struct timeline *tl);
/*
 * A profiler of its own file; a timeline of the caller's that lies there is
 * replaced.  Errors as timeline_new, -EPERM somebody else's, -EBADMSG no
 * timeline.
 */
int timeline_profiler_open(
    struct timeline_profiler **profiler, const char *path);
/*
 * Look for "--profiling FILE" or "--profiling=FILE" before any "--", take it
 * out of the command line, and open the profiler; NULL and 0 when it is not
 * there.  -EINVAL when FILE is missing.
 */
int timeline_profiler_options(
    struct timeline_profiler **profiler, int *argc, char **argv);
/* Give it back; nobody may mark any more. */
void timeline_profiler_close(struct timeline_profiler *profiler);

/*
 * A process of this label begins, ends.  The first mark of a label defines it,
 * the next find it; any thread.  Ends belong to begins last in first out, per
 * label and thread.
 */
void timeline_profiler_mark_begin(
    struct timeline_profiler *profiler, const char *label);
void timeline_profiler_mark_end(
    struct timeline_profiler *profiler, const char *label);

/* Marks that could not be logged: the string table is full. */
uint64_t timeline_profiler_lost(const struct timeline_profiler *profiler);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
