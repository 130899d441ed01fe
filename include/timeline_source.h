/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_source.h - the model of TimeLogger: sources that open and close.
 *
 *	struct timeline_source *frame;
 *
 *	timeline_source_new(&frame, tl, "GameThread");	at start-up
 *	timeline_source_open(frame);
 *	timeline_source_close(frame);
 *
 * A source has an activity, which is 0 at first; opening the source adds 1, and
 * closing the source subtracts 1.  The activity should be 0 or 1; the library
 * logs an activity above 1 or below 0 as it is.  A source belongs to no thread:
 * one thread may open the source and another thread close it.  See
 * timeline_source(3).
 */
#ifndef TIMELINE_SOURCE_H
#define TIMELINE_SOURCE_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct timeline_source;

/*
 * Make a source, and log that the source was made.  Where tl is NULL, *source
 * is NULL and the function returns 0; the functions below do nothing for a
 * source of NULL.  After fork the child has a source of its own, and each
 * process counts the activity of its own source.  On failure *source is NULL:
 * -EINVAL no name, -ENOSPC string table full, -E2BIG, -ENOMEM.  Safe in any
 * thread, not in a signal handler.
 */
int timeline_source_new(struct timeline_source **source, struct timeline *tl,
    const char *name);
/* Free the source, before the timeline is closed.  No thread may use the source
 * after the call. */
void timeline_source_free(struct timeline_source *source);

/* Add 1 to the activity; subtract 1.  The functions never wait, and are safe in
 * any thread and any signal handler. */
void timeline_source_open(struct timeline_source *source);
void timeline_source_close(struct timeline_source *source);

/* The present activity; 0 for NULL.  Safe in any thread and any signal
 * handler. */
int64_t timeline_source_activity(const struct timeline_source *source);

#pragma GCC visibility pop

static inline void
timeline_source_close_(struct timeline_source **source)
{
	timeline_source_close(*source);
}

#ifdef __cplusplus
}
#endif

/* Open the source here, and close the source where the block is left. */
#define timeline_source_scope(source) \
	TIMELINE_SOURCE_SCOPE_( \
	    TIMELINE_JOIN_(timeline_source_scope_, __COUNTER__), source)
#define TIMELINE_SOURCE_SCOPE_(name, source) \
	__attribute__((cleanup(timeline_source_close_), unused)) \
	struct timeline_source *name = (source); \
	timeline_source_open(name)

#endif
