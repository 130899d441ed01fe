/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_branch.h - the children of a node, as many at a time as memory allows.
 *
 *	branch: where the children are --> window: those that are loaded
 *
 * A branch is small and stays; windows are made when a child is asked for, and
 * those that were not used for longest go when all of them take too much.
 */
#ifndef TL_DUMP_TREE_BRANCH_H
#define TL_DUMP_TREE_BRANCH_H

#include "trace/read.h"

enum {
	TL_TREE_MEMORY_MAX = 64 << 20,
	TL_TREE_WINDOW_MIN = 256,    /* children that are loaded at once ... */
	TL_TREE_WINDOW_MAX = 1 << 16 /* ... when they are asked for in a row */
};

struct tl_tree_window;

struct tl_tree_branch {
	struct tl_trace *trace;
	struct tl_tree_window *window; /* NULL: nothing is loaded */
	uint64_t content;              /* as those of tl_node */
	uint64_t content_end;
	uint64_t level;
	uint64_t child_count;
	uint32_t thread;
	uint32_t depth;
	uint32_t ahead; /* children to load next */
};

/* What the windows of many branches share.  Start from all zeros but max. */
struct tl_tree_pool {
	struct tl_tree_window *oldest;
	struct tl_tree_window *newest;
	size_t used;
	size_t max; /* 0: TL_TREE_MEMORY_MAX */
};

/* Nothing of it is loaded.  The branch must not move while something is. */
void tl_tree_branch_init(struct tl_tree_branch *branch, struct tl_trace *trace,
    const struct tl_node *node);
/* Before the trace closes. */
void
tl_tree_branch_drop(struct tl_tree_pool *pool, struct tl_tree_branch *branch);

/*
 * Child i, which is there until the next call; NULL where it was lost with a
 * damaged part of the file.  0, -ENOMEM, -EDQUOT, -errno reading.
 */
int tl_tree_branch_child(struct tl_tree_pool *pool,
    struct tl_tree_branch *branch, uint64_t i, const struct tl_node **child);

#endif
