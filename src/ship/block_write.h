/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_write.h - blocks without entries: one that stands in a chain for
 * those that were dropped, and the state of a chain.
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

#endif
