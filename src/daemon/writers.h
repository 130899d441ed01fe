/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writers.h - the processes that log to a timeline, and their death.
 *
 * A process died if a signal ended it or its exit status is not 0.  Since Linux
 * 6.15 the status of any process can be read once its parent has reaped it, and
 * before that a process of the same user shows a status other than 0.  If the
 * status is not known, for example of a process that ended before its entry was
 * read, a process died if it left no mark in the header (exit, or
 * timeline_close: ring/exits.c).  A process that ended long before its entry
 * was read is counted, but not reported.
 *
 * Pids belong to the PID namespace of the timeline.  If that namespace is not
 * ours, writers are counted, and no more is known of them.  A timeline of an
 * earlier version does not name its namespace.  There, a process in a namespace
 * below ours has another pid, which /proc shows; a pid that does not exist here
 * and still logs belongs to a namespace that we cannot see.  The death of such
 * a writer cannot be detected; until its second entry it looks like a process
 * that has ended.
 */
#ifndef TL_DAEMON_WRITERS_H
#define TL_DAEMON_WRITERS_H

#include "snap/process.h"

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TL_WRITERS_MAX = 4096, /* the longest dead are forgotten first */
	/* Limit of pidfds of all timelines; a slow timer polls further
	 * processes. */
	TL_WRITERS_FDS_MAX = 512
};

struct tl_writers;

struct tl_writer {
	uint32_t pid;
	char command[TL_COMMAND_MAX]; /* escaped */
	uint64_t entries;
	int64_t last_ns; /* newest entry, Unix time */
	int64_t died_ns; /* Unix time; 0: alive, or not known */
	bool clean;      /* ended by itself, with status 0 */
};

/* Called when a writer died.  The function may call only tl_writers_count and
 * tl_writers_get. */
typedef void tl_writer_died(void *context, const struct tl_writer *writer);

/* Make the table.  elsewhere: the writers are processes of another PID
 * namespace.  Returns 0 or -ENOMEM. */
int tl_writers_new(struct tl_writers **writers, struct ev_loop *loop,
    bool elsewhere, tl_writer_died *died, void *context);
/* Count an entry of pid that was read; cheap while the pid stays the same. */
void tl_writers_seen(struct tl_writers *writers, uint32_t pid, int64_t ns);
/*
 * All entries before ns (Unix time) were read, and marks are the TIMELINE_EXITS
 * marks of the header at that time: decide how the processes that have ended
 * did, as far as it is known.
 */
void tl_writers_update(struct tl_writers *writers, const uint64_t *marks,
    int64_t ns);
/* Is the end of a process still to be found or judged? */
bool tl_writers_wait(const struct tl_writers *writers);
/* Have all known writers ended, besides this process? */
bool tl_writers_are_gone(const struct tl_writers *writers);
/* The number of known writers, and writer i; dead writers are kept for a
 * while. */
size_t tl_writers_count(const struct tl_writers *writers);
const struct tl_writer *
tl_writers_get(const struct tl_writers *writers, size_t i);
void tl_writers_free(struct tl_writers *writers);

#endif
