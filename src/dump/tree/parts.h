/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.h - the states of the threads of spans, for the nodes of trees.
 *
 *	all events --read--> parts of each ended span --find--> parts of a node
 *
 * Trees are read lazily, but states need all events in order.  So all events
 * are read once before, and the parts of each span are kept under its input,
 * thread, begin and duration.  Spans that have all four in common cover the
 * same time of the same thread, and share their parts.
 *
 * A span takes 88 bytes, and 16 to 32 for the search: 104 MiB for
 * TL_TREE_PARTS_MAX spans.  Further spans are counted, and their parts are not
 * kept.
 */
#ifndef TL_DUMP_TREE_PARTS_H
#define TL_DUMP_TREE_PARTS_H

#include "analysis/states.h"
#include "base/table.h"
#include "source/progress.h"
#include "source/sources.h"
#include "trace/read.h"

enum { TL_TREE_PARTS_MAX = 1 << 20 /* spans */ };

struct tl_tree_span; /* a span with its parts */

/* Starts from all zeros, which means that no parts are known. */
struct tl_tree_parts {
	struct tl_table table;
	struct tl_tree_span *spans;
	size_t count;
	size_t capacity;
	uint64_t *left_out; /* number of spans, by input */
	size_t inputs;      /* number of elements of left_out */
};

/* Keep the parts of all spans of the inputs.  Keeps nothing if the inputs have
 * no kernel events.  0 or -errno. */
int tl_tree_parts_read(struct tl_tree_parts *parts,
    const struct tl_sources *inputs, struct tl_progress *progress);
/* Keep the parts of a span, or count the span as left out.  0 or -ENOMEM. */
int tl_tree_parts_put(struct tl_tree_parts *parts, const struct tl_span *span,
    const int64_t ns[TL_PARTS]);
void tl_tree_parts_free(struct tl_tree_parts *parts);

/* The parts of a node of an input, in nanoseconds.  NULL: the parts are
 * unknown, or the node is no span or has no time (tl_tree_is_counted()).  Valid
 * until the next put. */
const int64_t *tl_tree_parts_find(const struct tl_tree_parts *parts,
    uint16_t input, const struct tl_node *node);

/* Print a line on stderr for each input whose spans were left out. */
void tl_tree_parts_report(const struct tl_tree_parts *parts,
    const struct tl_sources *inputs);

#endif
