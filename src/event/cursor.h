/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.h - where events come from and where they go.
 *
 * A cursor yields events newest first or oldest first, as the function that
 * makes it documents.  TL_LOST events in the stream mark lost entries.
 */
#ifndef TL_EVENT_CURSOR_H
#define TL_EVENT_CURSOR_H

#include "event/event.h"

struct tl_cursor {
	/* Returns 1 and sets *event, 0 at the end, or -errno.  The event's
	 * message is valid as long as the cursor's source; the event is valid
	 * until the next call. */
	int (*next)(struct tl_cursor *cursor, struct tl_event *event);
	void (*close)(struct tl_cursor *cursor);
};

struct tl_sink {
	/* Take one event.  Returns 0, or -errno to stop. */
	int (*put)(struct tl_sink *sink, const struct tl_event *event);
	/* End the events.  Returns 0 or -errno. */
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

/* Set *ns to the time of the newest event that is not TL_LOST.  The cursor
 * yields events newest first and is closed.  Returns 0, -ENODATA when every
 * event is TL_LOST or there is none, or -errno of the cursor. */
int tl_cursor_newest(struct tl_cursor *cursor, int64_t *ns);

#endif
