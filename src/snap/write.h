/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write events as a snapshot (timeline(5)).
 */
#ifndef TL_SNAP_WRITE_H
#define TL_SNAP_WRITE_H

#include "event/writer.h"
#include "snap/snap.h"

int tl_timeline_write_new(struct tl_writer **writer, tl_write *write,
    void *context, const struct tl_report *report);

/*
 * State that all events come from this snapshot, or from several snapshots if
 * the function is called for each, and none from elsewhere.  Call it before the
 * first event; the snapshot must outlive the writer.  With a single snapshot
 * its identity, levels, messages and lanes are kept.  0 or -ENOMEM.
 */
int tl_timeline_write_set_snap(struct tl_writer *writer,
    const struct tl_snap *snap);

/* State that all events of the only snapshot that is set are put.  The
 * histograms of its timers are kept, which count all spans since the timeline
 * was created, logged or not, and what says when the entries were observed. */
void tl_timeline_write_set_whole(struct tl_writer *writer);

#endif
