/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading.h - answers that need the entries of a timeline.  A thread makes one
 * answer after another: an answer may take 0.2 s, and the loop, with triggers
 * and metrics, never waits for an answer.
 *
 *	loop: ask --> queue --> thread: copy the timeline, read it
 *	                           |
 *	loop: done <-- answered <--+
 *
 * The first reading starts the thread.  A reading belongs to the thread or list
 * that holds it; only the loop knows whether a request still waits for the
 * reading.
 */
#ifndef TL_DAEMON_SERVE_READING_H
#define TL_DAEMON_SERVE_READING_H

#include "base/fault.h"
#include "base/text.h"
#include "event/cursor.h"

#include <ev.h>

struct tl_readings; /* all readings of a daemon */
struct tl_reading;  /* one reading */

/* The timeline to read, and the answer to make.  text is copied. */
struct tl_reading_plan {
	int fd;        /* of the timeline; duplicated */
	uint64_t tail; /* newest entries of each lane to read */
	const char *text;
	/* Write the answer in the thread, from a cursor that yields the oldest
	 * entry first.  Returns 0 or -errno. */
	int (*put)(struct tl_text *body, struct tl_cursor *cursor,
	    const struct tl_reading_plan *plan);
	size_t max;
	int64_t from_ns;
	int64_t to_ns;
	/* Called in the loop; done may take the body. */
	void (*done)(void *context, int rc, const struct tl_fault *fault,
	    struct tl_text *body);
	void *context;
};

/* Queue a reading; if *readings is NULL, the readings are made first.  Returns
 * 0, and done will be called; or -EAGAIN if too many readings wait, -ENOMEM or
 * -errno. */
int tl_reading_ask(struct tl_reading **reading, struct tl_readings **readings,
    struct ev_loop *loop, const struct tl_reading_plan *plan);
/* Make sure that done is not called any more. */
void tl_reading_cancel(struct tl_reading *reading);
/* Free the readings, after all were answered or cancelled.  Waits for the
 * current reading. */
void tl_readings_free(struct tl_readings *readings);

#endif
