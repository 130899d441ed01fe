/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_source.h - TimeLogger's model: sources that are open or not.
 *
 *	struct timeline_source *frame;
 *
 *	timeline_source_new(&frame, tl, "GameThread");	at start-up
 *	timeline_source_open(frame);
 *	timeline_source_close(frame);
 *
 * A source has an amount of activity: 0 at first, one more each time it is
 * opened, one less each time it is closed.  It should be 0 or 1; what is above
 * 1 or below 0 is logged as what it is.  A source belongs to no thread: one
 * may open it and another close it.  See timeline_source(3).
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
 * Make a source, and log that it was made.  Where tl is NULL it is NULL, too,
 * and that is no error: everything below does nothing then.  After fork the
 * child's source is another: each process counts for itself.  On failure
 * *source is NULL.  Errors: -EINVAL no name, -ENOSPC string table full, -E2BIG,
 * -ENOMEM.  Any thread, no signal handler.
 */
int timeline_source_new(struct timeline_source **source, struct timeline *tl,
    const char *name);
/* Free it, before its timeline is closed.  No thread may use it any more. */
void timeline_source_free(struct timeline_source *source);

/* One more, one less.  Any thread, any signal handler; never waits. */
void timeline_source_open(struct timeline_source *source);
void timeline_source_close(struct timeline_source *source);

/* How active it is now; 0 for NULL.  Any thread, any signal handler. */
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

/* Open now, close where the block is left. */
#define timeline_source_scope(source) \
	TIMELINE_SOURCE_SCOPE_( \
	    TIMELINE_JOIN_(timeline_source_scope_, __COUNTER__), source)
#define TIMELINE_SOURCE_SCOPE_(name, source) \
	__attribute__((cleanup(timeline_source_close_), unused)) \
	struct timeline_source *name = (source); \
	timeline_source_open(name)

#endif
