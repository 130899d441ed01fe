/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - the states of the threads of spans, for the nodes of trees.
 *
 * Trees are read lazily, states only from all events in their order.  So all
 * events are read once before, and the parts of each ended span are kept, found
 * by its thread, begin and duration: 72 bytes for a span, of TL_ID_MAP_MAX spans at
 * most.  Later spans have none, which tl_tree_parts_left_out counts.
 */
#ifndef TL_DUMP_TREE_PARTS_H
#define TL_DUMP_TREE_PARTS_H

#include "analysis/states.h"
#include "source/sources.h"
#include "trace/read.h"

struct tl_tree_parts;

/* Read all inputs: 0, and *parts NULL where they have no events of the kernel;
 * -errno. */
int tl_tree_parts_new(struct tl_tree_parts **parts,
    const struct tl_sources *inputs);
void tl_tree_parts_free(struct tl_tree_parts *parts);

/* The parts of a node in nanoseconds; NULL: it is not a span, or unknown.  parts
 * may be NULL.  Valid until the next call. */
const int64_t *
tl_tree_parts_find(struct tl_tree_parts *parts, const struct tl_node *node);
uint64_t tl_tree_parts_left_out(const struct tl_tree_parts *parts);

#endif
