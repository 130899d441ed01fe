/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading.h - answers for which the entries of a timeline are read.  A thread
 * makes them, one after the other: one may take 0.2 s, and the loop, with
 * triggers and metrics, never waits for one.
 *
 *	loop: ask --> queue --> thread: copy the timeline, read it
 *	                           |
 *	loop: done <-- answered <--+
 *
 * The thread is started by the first of them.  A reading belongs to whoever has
 * it; the loop alone knows whether anybody still waits for it.
 */
#ifndef TL_DAEMON_SERVE_READING_H
#define TL_DAEMON_SERVE_READING_H

#include "base/fault.h"
#include "base/text.h"
#include "event/cursor.h"

#include <ev.h>

struct tl_readings; /* all of a daemon */
struct tl_reading;  /* one */

/* What is read, and how.  What text refers to is copied. */
struct tl_reading_plan {
	int fd;        /* of the timeline; a duplicate is used */
	uint64_t tail; /* newest entries of each lane */
	const char *text;
	/* Write the answer, in the thread, from a cursor that gives the oldest
	 * entry first: 0 or -errno. */
	int (*put)(struct tl_text *body, struct tl_cursor *cursor,
	    const struct tl_reading_plan *plan);
	size_t max;
	int64_t from_ns;
	int64_t to_ns;
	/* Called in the loop.  The body may be taken. */
	void (*done)(void *context, int rc, const struct tl_fault *fault,
	    struct tl_text *body);
	void *context;
};

/* Queue one: 0, and done will be called; -EAGAIN too many wait, -ENOMEM,
 * -errno.  *readings NULL: they begin. */
int tl_reading_ask(struct tl_reading **reading, struct tl_readings **readings,
    struct ev_loop *loop, const struct tl_reading_plan *plan);
/* done will not be called any more. */
void tl_reading_cancel(struct tl_reading *reading);
/* After all were answered or cancelled; waits for the one at hand. */
void tl_readings_free(struct tl_readings *readings);

#endif
