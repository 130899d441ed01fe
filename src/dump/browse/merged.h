/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merged.h - equal calls of a subtree merged: a profile of one node.
 *
 *	request              total  self  calls
 *	  + parse               ...
 *	  + reply               ...
 *
 * Calls of the same message under the same path of messages become one node;
 * the largest total comes first.
 *
 * tl_task_merge() walks over the subtree and adds each node; memory is taken
 * for distinct paths, not for nodes.
 */
#ifndef TL_DUMP_BROWSE_MERGED_H
#define TL_DUMP_BROWSE_MERGED_H

#include "trace/read.h"

enum {
	TL_MERGED_MAX = 1 << 16 /* distinct paths */
};

struct tl_merged_call {
	const struct tl_message *message; /* NULL: lost entries */
	struct tl_merged_call *outer;
	struct tl_merged_call **inner; /* sorted by total when finished */
	size_t inner_count;
	size_t inner_capacity;
	uint64_t count;
	int64_t total_ns;
	int64_t self_ns;  /* valid when finished */
	int64_t max_ns;   /* -1: unknown */
	uint64_t slowest; /* steps of the walk before the slowest call */
	/* index among the inner calls of outer; valid when finished */
	size_t number;
	bool unfolded;
};

struct tl_merged {
	struct tl_merged_call root; /* the node itself; only the total is set */
	struct tl_merged_call *at;  /* the call that was added last */
	uint32_t depth;             /* depth of at */
	size_t count;               /* distinct paths */
};

/* Add the next node of a walk in the order of the printed tree.  Starts from
 * all zeros.  duration -1: unknown; step: the number of the node in the walk.
 * 0; -ENOMEM; -EOVERFLOW: too many distinct paths. */
int tl_merged_add(struct tl_merged *merged, const struct tl_node *node,
    int64_t duration_ns, uint64_t step);
/* Compute self times and sort the calls.  Returns 0. */
int tl_merged_finish(struct tl_merged *merged);
void tl_merged_free(struct tl_merged *merged);

/* The next call in the order of the printed tree.  all: enter folded calls too.
 * NULL: none. */
struct tl_merged_call *
tl_merged_next(const struct tl_merged_call *call, bool all);

#endif
