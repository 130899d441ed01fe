/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_profiler.h - the LMS profiler: marks at the begin and the end of
 * labelled work, and a command line with --profiling FILE.
 *
 *	struct timeline_profiler *profiler;
 *
 *	timeline_profiler_options(&profiler, &argc, argv);
 *	timeline_profiler_mark_begin(profiler, "camera.read");
 *	timeline_profiler_mark_end(profiler, "camera.read");
 *
 * Without --profiling the profiler is NULL, and marks do nothing.  Where the
 * name of FILE ends in ".tl", FILE is a timeline; else FILE is the CSV of LMS,
 * to which each mark is written by one write(2).  Any thread may mark; a signal
 * handler must not.  See timeline_profiler(3).
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
 * Make a profiler that marks in tl; the caller closes tl.  Where tl is NULL,
 * *profiler is NULL and the function returns 0.  -ENOMEM.
 */
int timeline_profiler_new(
    struct timeline_profiler **profiler, struct timeline *tl);
/*
 * Make a profiler with a file of its own: a timeline where the path ends in
 * ".tl", else a profile, whose time starts with the call.  The function
 * replaces the file of an earlier run of the caller.  A timeline fails with the
 * errors of timeline_new, -EPERM owned by another user, -EBADMSG no timeline; a
 * profile with the errors of open(2), -EPERM owned by another user, -EEXIST no
 * profile, -EBUSY another process writes the file, -EINVAL no regular file,
 * -ENOMEM.
 */
int timeline_profiler_open(
    struct timeline_profiler **profiler, const char *path);
/*
 * Look for "--profiling FILE" or "--profiling=FILE" before any "--", remove the
 * option from the command line, and open the profiler.  Without the option
 * *profiler is NULL and the function returns 0.  -EINVAL FILE is missing, or
 * the errors of timeline_profiler_open().
 */
int timeline_profiler_options(
    struct timeline_profiler **profiler, int *argc, char **argv);
/* Free the profiler.  No thread may mark after the call. */
void timeline_profiler_close(struct timeline_profiler *profiler);

/*
 * Mark the begin, and the end, of work with a label.  The first mark of a label
 * defines a message.  An end belongs to the last open begin of the same label
 * and thread.  Marks in a profile wait for each other and for write(2).  Safe
 * in any thread, not in a signal handler.
 */
void timeline_profiler_mark_begin(
    struct timeline_profiler *profiler, const char *label);
void timeline_profiler_mark_end(
    struct timeline_profiler *profiler, const char *label);

/* The number of marks that could not be logged, because the string table or the
 * file system is full, or because another process opened the profile and forked
 * this process.  Safe in any thread. */
uint64_t timeline_profiler_lost(const struct timeline_profiler *profiler);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
