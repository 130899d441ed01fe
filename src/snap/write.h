/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as a snapshot, as timeline(5) has it.
 *
 *	put	-> string table, in memory
 *		-> events, in a file without a name
 *	finish	header | lane heads | entries | clock knots | strings
 *
 * Nothing is written before the last event is known.  write_parts.h
 * defines the lanes of events.  Their time is kept in one of two ways:
 *
 *	stamps as they were, and the knots of the clock that they counted,
 *	where all events come from snapshots of one clock;
 *	otherwise stamps are the Unix time, which holds every int64_t, and the
 *	bound of the error is that of the worst.
 */
#ifndef TL_SNAP_WRITE_H
#define TL_SNAP_WRITE_H

#include "event/writer.h"
#include "snap/snap.h"

int tl_timeline_write_new(struct tl_writer **writer, tl_write *write,
    void *context, const struct tl_report *report);

/*
 * All events come from this snapshot, or from this and others that are set,
 * too; none from elsewhere.  Before the first event; the snapshot outlives
 * the writer.  With just one, its identity, levels, messages and lanes are
 * kept.  0 or -ENOMEM.
 */
int tl_timeline_write_set_snap(struct tl_writer *writer,
    const struct tl_snap *snap);

#endif
