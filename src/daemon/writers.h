/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writers.h - the processes that log to a timeline, and their death.
 *
 * Process ids are those of our own pid namespace; an entry of another one
 * names somebody else or nobody, and is told apart where /proc lets us.
 */
#ifndef TL_DAEMON_WRITERS_H
#define TL_DAEMON_WRITERS_H

#include <ev.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_WRITERS_MAX = 4096, TL_COMMAND_MAX = 64 };

struct tl_writers;

struct tl_writer {
	uint32_t pid;
	char command[TL_COMMAND_MAX]; /* escaped */
	uint64_t entries;
	int64_t last_ns; /* its newest entry, Unix time */
	int64_t died_ns; /* 0: alive, or nobody can tell */
};

typedef void tl_writer_died(void *context, const struct tl_writer *writer);

int tl_writers_new(struct tl_writers **writers, struct ev_loop *loop,
    tl_writer_died *died, void *context);
/* An entry of pid was seen: cheap for the same pid again and again. */
void tl_writers_seen(struct tl_writers *writers, uint32_t pid, int64_t ns);
/* How many are known, and each; the dead are kept for a while. */
size_t tl_writers_count(const struct tl_writers *writers);
const struct tl_writer *
tl_writers_get(const struct tl_writers *writers, size_t i);
void tl_writers_free(struct tl_writers *writers);

#endif
