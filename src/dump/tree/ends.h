/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends.h - the durations of spans of scope TIMELINE_SOURCE, for the nodes of
 * trees.
 *
 *	all events --read--> duration of each end --complete--> node of an end
 *
 * Begin and end of such a span may be logged by two threads, so that a tree,
 * which belongs to one thread, has them as two leaves.  All events are read
 * once before, and the duration of each end is kept under its input, thread,
 * time and number.
 *
 * An end takes 40 bytes, and 16 to 32 for the search: 56 to 72 MiB for
 * TL_TREE_ENDS_MAX ends.  Further ends are counted, and their durations are not
 * kept.
 */
#ifndef TL_DUMP_TREE_ENDS_H
#define TL_DUMP_TREE_ENDS_H

#include "base/table.h"
#include "source/progress.h"
#include "source/sources.h"
#include "trace/read.h"

enum { TL_TREE_ENDS_MAX = 1 << 20 };

struct tl_tree_end;

/* Starts from all zeros, which means that no durations are known. */
struct tl_tree_ends {
	struct tl_table table;
	struct tl_tree_end *ends;
	size_t count;
	size_t capacity;
	uint64_t left_out; /* ends beyond TL_TREE_ENDS_MAX */
};

/* Keep the durations of the spans of scope TIMELINE_SOURCE.  Nothing is read if
 * the only inputs with such spans are recorded traces of more than
 * TL_TREE_ENDS_MAX entries.  0 or -errno. */
int tl_tree_ends_read(struct tl_tree_ends *ends,
    const struct tl_sources *inputs, struct tl_progress *progress);
/* Say on stderr how many durations were not kept. */
void tl_tree_ends_report(const struct tl_tree_ends *ends);
void tl_tree_ends_free(struct tl_tree_ends *ends);

/* Complete a node that is the end of such a span and does not prove its begin:
 * set begun_ns and duration_ns of its event, if they are known. */
void tl_tree_ends_complete(const struct tl_tree_ends *ends, uint16_t input,
    const struct tl_trace_thread *thread, struct tl_node *node);

#endif
