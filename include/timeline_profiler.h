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
 * Without --profiling the profiler is NULL, and marks do nothing.  FILE is the
 * CSV of LMS, written while the program runs, every mark by one write(2); or a
 * timeline, where its name ends in ".tl".  Any thread may mark, no signal
 * handler.  See timeline_profiler(3).
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
 * A profiler of its own file: a timeline where the path ends in ".tl", a
 * profile otherwise, whose time starts now.  A file of the caller's earlier
 * run is replaced.  Errors of a timeline as timeline_new, -EPERM another
 * user's, -EBADMSG no timeline; of a profile as open(2), -EPERM another
 * user's, -EEXIST no profile, -EBUSY another process writes it, -EINVAL no
 * regular file, -ENOMEM.
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
/* Free it.  No thread may mark any more. */
void timeline_profiler_close(struct timeline_profiler *profiler);

/*
 * A process of this label begins, ends.  The first mark of a label defines it,
 * the next find it; any thread, no signal handler.  Ends belong to begins last
 * in first out, per label and thread.  Marks of a profile wait for each other
 * and for write(2).
 */
void timeline_profiler_mark_begin(
    struct timeline_profiler *profiler, const char *label);
void timeline_profiler_mark_end(
    struct timeline_profiler *profiler, const char *label);

/* Marks that could not be logged: the string table or the file system is full,
 * or this process was forked from the one that opened the profile.  Any
 * thread. */
uint64_t timeline_profiler_lost(const struct timeline_profiler *profiler);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
