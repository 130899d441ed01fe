/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.h - what list and top show of a timeline: level, counts, rate, history
 * and the processes that write to it
 */
#ifndef TL_CTL_INSPECT_H
#define TL_CTL_INSPECT_H

#include "base/fault.h"
#include "base/fields.h"
#include "snap/inspect.h"

#include <sys/stat.h>

/* == writers == */

enum {
	TL_WRITERS_MAX = 64,       /* known of one timeline */
	TL_WRITER_ENTRIES_MAX = 32 /* of each lane tell who they are */
};

struct tl_writer {
	uint32_t pid;
	bool alive;
	uint64_t age_ns;  /* of its newest entry */
	uint64_t entries; /* of those that were looked at */
	char command[64]; /* as it calls itself; "" unknown */
};

struct tl_writers {
	struct tl_writer list[TL_WRITERS_MAX]; /* newest entry first */
	size_t count;
	size_t more; /* entries of others, for whom there was no room */
};

/* Who wrote the newest entries of each lane; of a file that nobody can write
 * to any more, nobody is alive. */
void tl_writers_read(struct tl_writers *writers, int fd,
    const struct tl_glance *glance);

/* "hello 123, worker 124 died". */
void tl_writers_put(struct tl_text *text, const struct tl_writers *writers);
void
tl_writers_json(struct tl_fields *fields, const struct tl_writers *writers);

/* == a timeline == */

struct tl_look {
	int fd; /* -1: it cannot be read, fault says why */
	struct stat status;
	struct tl_fault fault;
	bool seen; /* glance is there */
	struct tl_glance glance;
	struct tl_writers writers;
	int64_t taken_ns; /* CLOCK_MONOTONIC; 0 never */
	uint64_t fresh;   /* appended since the look before */
	int64_t past_ns;  /* time since the look before; 0 none */
};

/* Starts from { .fd = ... }.  Look at it again; whole: with its history and
 * its writers.  0 or -errno as the fault says. */
int tl_look_again(struct tl_look *look, bool whole);
/* Closes its descriptor. */
void tl_look_free(struct tl_look *look);

/* Entries a second; 0 while it was looked at only once. */
double tl_look_rate(const struct tl_look *look);
/* "live", "saved", "imported", "old": from before the last boot, "superseded":
 * live, but the name by which it was made was taken from it. */
const char *tl_look_state(const struct tl_look *look);

/* "info", or "trace for 23ms" while there is a burst. */
void tl_look_put_level(struct tl_text *text, const struct tl_glance *glance);
/* Members of an object: state, levels, counts, rate, history, writers. */
void tl_look_json(struct tl_fields *fields, const struct tl_look *look);

/* The word of a threshold. */
const char *tl_threshold_name(unsigned threshold);

#endif
