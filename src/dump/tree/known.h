/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h - what all events say of spans, for the nodes of trees.
 *
 *	all events --read--> duration of each end  --complete--> node of an end
 *	               \---> parts of each span    --find------> parts of a node
 *
 * Trees are read lazily, and a tree belongs to one thread.  So all events are
 * read once before.
 *
 * Begin and end of a span of scope TIMELINE_SOURCE may be logged by two
 * threads, so that a tree has them as two leaves.  The duration of each end is
 * kept under its input, thread, time and number.
 *
 * The states of threads need all events in order.  The parts of each span are
 * kept under its input, thread, begin and duration.  Spans that have all four
 * in common cover the same time of the same thread, and share their parts.
 *
 * An end takes 40 bytes, a span with its parts 88, and each 16 to 32 for the
 * search: at most 72 and 120 MiB for TL_TREE_KNOWN_MAX of each.  Further ones
 * are counted and not kept.
 */
#ifndef TL_DUMP_TREE_KNOWN_H
#define TL_DUMP_TREE_KNOWN_H

#include "analysis/states.h"
#include "base/table.h"
#include "source/progress.h"
#include "source/sources.h"
#include "trace/read.h"

enum { TL_TREE_KNOWN_MAX = 1 << 20 };

/* Numbers under a key. */
struct tl_tree_kept {
	struct tl_table table;
	int64_t *words; /* the key and the numbers, one after another */
	size_t capacity;
	size_t count;
	uint64_t *left_out; /* beyond TL_TREE_KNOWN_MAX, by input */
	size_t inputs;      /* number of elements of left_out */
};

/* Starts from all zeros, which means that nothing is known. */
struct tl_tree_known {
	struct tl_tree_kept ends, parts;
};

/* Read all events, unless the inputs have neither kernel events nor spans of
 * scope TIMELINE_SOURCE.  The durations of recorded traces alone of more than
 * TL_TREE_KNOWN_MAX entries are not kept.  0 or -errno. */
int tl_tree_known_read(struct tl_tree_known *known,
    const struct tl_sources *inputs, struct tl_progress *progress);
/* Keep the parts of a span, or count the span as left out.  0 or -ENOMEM. */
int tl_tree_parts_put(struct tl_tree_known *known, const struct tl_span *span,
    const int64_t ns[TL_PARTS]);
void tl_tree_known_free(struct tl_tree_known *known);

/* The parts of a node of an input, in nanoseconds.  NULL: the parts are
 * unknown, or the node is no span or has no time (tl_tree_is_counted()).  Valid
 * until the next put. */
const int64_t *tl_tree_parts_find(const struct tl_tree_known *known,
    uint16_t input, const struct tl_node *node);
/* Complete a node that is the end of a span of scope TIMELINE_SOURCE and does
 * not prove its begin: set begun_ns and duration_ns of its event, if they are
 * known. */
void tl_tree_ends_complete(const struct tl_tree_known *known, uint16_t input,
    const struct tl_trace_thread *thread, struct tl_node *node);

/* Print on stderr how many parts were left out of each input, and how many
 * durations. */
void tl_tree_known_report(const struct tl_tree_known *known,
    const struct tl_sources *inputs);

#endif
