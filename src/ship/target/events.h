/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - the events of many blocks, of any chains, through one writer.
 *
 * A block is closed when its events were put; a writer may keep the messages
 * of its events for longer.  So each is copied, once for all blocks.  A begin
 * that a block tells once more, because the span goes on, is left out unless
 * the blocks before it were dropped.
 */
#ifndef TL_SHIP_TARGET_EVENTS_H
#define TL_SHIP_TARGET_EVENTS_H

#include "format/registry.h"
#include "ship/block.h"

struct tl_events;

/* Of a format that is a stream of bytes; so many chains are remembered.  report
 * outlives it, and is told of damage only.  0, -ENOMEM. */
int tl_events_new(struct tl_events **events, const struct tl_format_row *format,
    size_t chains_max, tl_write *write, void *context,
    const struct tl_report *report);
/*
 * All events of a block, and what became of them is handed on.  gap: those
 * before it were dropped, as far as the caller knows.  0, -EBADMSG it cannot
 * be read, or what writing said.
 */
int
tl_events_put(struct tl_events *events, const struct tl_block *block, bool gap);
/* End the output: 0 or the result of write. */
int tl_events_finish(struct tl_events *events);
/* NULL does nothing. */
void tl_events_free(struct tl_events *events);

#endif
