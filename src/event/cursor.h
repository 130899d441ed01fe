/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.h - where events come from and where they go.
 *
 * A cursor yields events newest first or oldest first, as its maker says, and
 * says in the stream, by TL_LOST events, where some are missing.
 */
#ifndef TL_EVENT_CURSOR_H
#define TL_EVENT_CURSOR_H

#include "event/event.h"

struct tl_cursor {
	/* 1 and an event; 0 at the end; -errno.  The event's message lives
	 * as long as the cursor's source; the event until the next call. */
	int (*next)(struct tl_cursor *cursor, struct tl_event *event);
	void (*close)(struct tl_cursor *cursor);
};

struct tl_sink {
	/* Take one event: 0, or -errno to stop. */
	int (*put)(struct tl_sink *sink, const struct tl_event *event);
	/* No more events: 0 or -errno. */
	int (*finish)(struct tl_sink *sink);
};

static inline int
tl_cursor_next(struct tl_cursor *cursor, struct tl_event *event)
{
	return cursor->next(cursor, event);
}

static inline void
tl_cursor_close(struct tl_cursor *cursor)
{
	if (cursor)
		cursor->close(cursor);
}

#endif
