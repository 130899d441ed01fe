/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - the events of many blocks, of any chains, through one writer.
 *
 * A block is closed after its events were written, but a writer may refer to
 * their messages for longer: each message is copied, once for all blocks.  A
 * repeated begin event (continued) is left out, unless the blocks before it
 * were dropped.
 */
#ifndef TL_SHIP_TARGET_EVENTS_H
#define TL_SHIP_TARGET_EVENTS_H

#include "format/registry.h"
#include "ship/block.h"

struct tl_events;

/*
 * Visit the events of a block, oldest first, up to the first visit that returns
 * -errno, which is returned.  row is the place of an event in its block.  An
 * end has the duration of its span where its begin is in the block, or where it
 * holds the stamp of its begin.  A begin that is repeated from an earlier block
 * (continued) ends no span of this one: it is not known whether levels closed
 * it meanwhile.
 */
typedef int
tl_events_visit(void *context, struct tl_event *event, uint32_t row);
int
tl_events_each(struct tl_trace *trace, tl_events_visit *visit, void *context);

/* format has to be a stream of bytes; chains_max chains are remembered.  report
 * outlives it and receives damage only.  0, -ENOMEM. */
int tl_events_new(struct tl_events **events, const struct tl_format_row *format,
    size_t chains_max, tl_write *write, void *context,
    const struct tl_report *report);
/* The setting of its format, which must have one (tl_writer_set), before the
 * first block. */
void tl_events_set(struct tl_events *events, int value);
/*
 * Write all events of a block, and flush.  gap: the blocks before it were
 * dropped, as far as the caller knows.  0; -EBADMSG: it cannot be read; the
 * result of write.
 */
int
tl_events_put(struct tl_events *events, const struct tl_block *block, bool gap);
/* End the output: 0 or the result of write. */
int tl_events_finish(struct tl_events *events);
/* NULL does nothing. */
void tl_events_free(struct tl_events *events);

#endif
