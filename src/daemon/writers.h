/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writers.h - the processes that log to a timeline, and their death.
 *
 * A process has died when a signal ended it, or when it ended with a status
 * other than 0.  Linux 6.15 and later give the status of any process once its
 * parent has reaped it, and a process of the same user shows a status other
 * than 0 until then.  Where neither does, as for a process that has ended
 * before its entry was seen, one that left no mark in the header (exit, or
 * timeline_close: ring/exits.c) has died.  One that ended long before its
 * entry was seen is only noted.
 *
 * Process ids are those of our own pid namespace.  A process that lives in
 * one below ours knows itself by another number, which /proc tells; a number
 * that is nobody's here and yet goes on logging is of a namespace that we do
 * not see.  Nobody can tell when such a writer dies.  Before it has logged a
 * second time it looks like one that has ended.
 */
#ifndef TL_DAEMON_WRITERS_H
#define TL_DAEMON_WRITERS_H

#include "daemon/process.h"

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TL_WRITERS_MAX = 4096, /* the longest dead are forgotten first */
	/* Descriptors of processes, of all timelines; more processes are
	 * looked after by a slow timer. */
	TL_WRITERS_FDS_MAX = 512
};

struct tl_writers;

struct tl_writer {
	uint32_t pid;
	char command[TL_COMMAND_MAX]; /* escaped */
	uint64_t entries;
	int64_t last_ns; /* its newest entry, Unix time */
	int64_t died_ns; /* of its end; 0: alive, or nobody can tell */
	bool clean;      /* it ended, and did not die */
};

/* May ask about writers, but not free them nor tell of entries. */
typedef void tl_writer_died(void *context, const struct tl_writer *writer);

int tl_writers_new(struct tl_writers **writers, struct ev_loop *loop,
    tl_writer_died *died, void *context);
/* An entry of pid was seen: cheap for the same pid again and again. */
void tl_writers_seen(struct tl_writers *writers, uint32_t pid, int64_t ns);
/*
 * Marks are those of the header, TIMELINE_EXITS of them, as they were at ns
 * (Unix time), and all entries logged before were seen: judge the processes
 * that have ended, as far as that can be done by now.
 */
void tl_writers_update(struct tl_writers *writers, const uint64_t *marks,
    int64_t ns);
/* How many are known, and each; the dead are kept for a while. */
size_t tl_writers_count(const struct tl_writers *writers);
const struct tl_writer *
tl_writers_get(const struct tl_writers *writers, size_t i);
void tl_writers_free(struct tl_writers *writers);

#endif
