/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_write.h - blocks that the spool makes: without entries, one that
 * stands in a chain for those that were dropped, and the state of a chain; and
 * one that has lost its detail.
 */
#ifndef TL_SHIP_BLOCK_WRITE_H
#define TL_SHIP_BLOCK_WRITE_H

#include "ship/block_read.h"

/*
 * Append a trace of these INFOs.  Where facts->dropped, it stands for the
 * blocks from facts->block.number to facts->last: one loss of so many entries
 * as facts->block.lost says, at facts->block.from_ns.  0 or -errno.
 */
int tl_block_make(struct tl_text *text, const struct tl_block_facts *facts);

/*
 * Append what is left of a block without the entries below warning: what they
 * were is one loss, where the first of them was, and the INFO "thinned" counts
 * them by level.  Sets the facts of the new block, to be freed.  0; -EALREADY:
 * it has no such entries; -EBADMSG: it is damaged; -errno.
 */
int tl_block_thin(struct tl_text *text, struct tl_block_facts *facts,
    struct tl_bytes data);

#endif
