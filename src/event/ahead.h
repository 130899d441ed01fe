/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead.h - a cursor that a thread reads ahead of its caller.
 *
 *	inner cursor --thread--> batches of events --caller--> sink
 *
 * To read and order the entries of a large file takes about as long as to
 * format the entries.  The two run beside each other on two CPUs.  The first
 * events are read without a thread, because most callers want few.
 *
 * The thread runs the inner cursor and all that the inner cursor uses.  Until
 * the cursor is closed, the caller uses only the events, and the messages and
 * strings of sources that do not change while they are read: snapshots.
 */
#ifndef TL_EVENT_AHEAD_H
#define TL_EVENT_AHEAD_H

#include "event/cursor.h"

/*
 * Read the inner cursor ahead.  *cursor owns inner; it is inner itself on a
 * machine of one CPU or without memory.  The cursor yields the events and the
 * result of inner.  A thread that cannot be started is done without.
 */
void tl_ahead_cursor(struct tl_cursor *inner, struct tl_cursor **cursor);

#endif
