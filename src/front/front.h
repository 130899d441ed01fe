/* SPDX-License-Identifier: Apache-2.0 */
/*
 * front.h - what the three APIs share: spans for the names that a program has
 * for its things, new timelines, and text files.
 *
 * src/front: three older APIs, RTL_LOGFILE (rtl*.c), LMS profiles (profiler.c)
 * and TimeLogger sources (source.c), as programs written for them call them.
 *
 *	call --> first time: text --> message, kept with the call or its label
 *	     \-> later: one append
 *
 * Problem.  These programs name things by strings made while they run, and
 * expect the text file that the API always wrote.  A timeline wants messages
 * that are defined once.  So a name is defined when the name is met first, and
 * is found again without a lock; a name that changes each time, or that a
 * message cannot hold, becomes an argument.  The text file is written beside
 * the entry, or instead of it where there is no timeline.
 *
 * A file that lies at the place of a new one is replaced only if it is a
 * timeline or log of the same user (front.c).  A call that logs never fails:
 * lines and entries that could not be written are counted
 * (timeline_rtl_lost(), timeline_profiler_lost()).
 *
 * Rejected: macros that map to timeline_log() (formats are known only at run
 * time), and a thread that converts (it would not survive a crash, which is
 * what such logs are read after).
 */
#ifndef TL_FRONT_FRONT_H
#define TL_FRONT_FRONT_H

#include "base/word.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <timeline.h>

/* == a span for a name == */

struct tl_front_label {
	struct timeline_event *span;
	uint64_t argument; /* of the span's events; 0: the events have none */
};

/*
 * Define the span whose message has the name and the suffix in its first line,
 * and which in its second line.  A name that is empty, or has a $ or a line
 * break, becomes the argument of "$label%s".  Returns 0, or an error of
 * timeline_define_span; after an error the span is the closed span.
 */
int tl_front_label(struct timeline *tl, const char *category, const char *name,
    const char *suffix, const char *which, int scope,
    struct tl_front_label *label);

/* Log the begin or the end of the span. */
static inline void
tl_front_label_log(const struct tl_front_label *label, int is_end)
{
	struct timeline_event *event = label->span + (!is_end              ? 0
							 : label->argument ? 1
									   : 2);

	if (__builtin_expect(timeline_enabled(event), 1))
		timeline_append(event, label->argument, 0, 0, 0);
}

/* == a new timeline at a place that a user named == */

/*
 * Make a timeline as timeline_new does, but always in a file: "name" lies in
 * the current directory, because the older APIs name their files so.  A
 * timeline of the caller's user at the path is replaced; any other file stays.
 * Returns 0; -EPERM: the file belongs to another user; -EBADMSG: the file is no
 * timeline; -EINVAL: the path is too long; or an error of timeline_new.
 */
int tl_front_fresh(struct timeline **tl, const char *path,
    const struct timeline_options *options);

/*
 * == a text file ==
 *
 * Lines are appended, each by one write(2): a process that is killed leaves
 * every complete line, and lines of several threads and processes do not mix.
 */

struct tl_log_file {
	int fd; /* -1: closed */
	uint32_t is_broken;
	uint64_t lost; /* lines that could not be written */
};

/*
 * Open the file at a path and empty the file.  An existing file is replaced if
 * the file is empty or was written by an earlier run of the caller: is_ours
 * gets the first bytes as a string.  Returns 0; -EPERM: the file belongs to
 * another user; -EEXIST: is_ours refuses the file; -EBUSY: another process
 * writes the file; -EINVAL: the path is neither a regular file nor a character
 * device; or the error of open(2).
 */
int tl_log_file_open(struct tl_log_file *file, const char *path,
    bool (*is_ours)(const char *start));
/* Write a line; false: the line is not written whole.  After a piece of a line
 * (the file system was full) the next write first ends the piece by "..." and
 * a newline.  Any thread may call; errno keeps its value. */
bool tl_log_file_write(struct tl_log_file *file, const char *line, size_t size);
/* Close the file.  Lines that other threads write later are discarded. */
void tl_log_file_close(struct tl_log_file *file);

static inline bool
tl_log_file_is_open(const struct tl_log_file *file)
{
	return tl_load_int(&file->fd) >= 0;
}

#endif
