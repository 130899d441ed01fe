/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - step by step through the tree of a thread.
 *
 *	branch: where the children are --> window: those that are loaded
 *
 * A branch is small and stays; windows are made when a child is asked for, and
 * those that were not used for longest go when all of them take too much.  A
 * walk stands at a place: a child, inside a child, ... of the thread's root.
 * It forgets the nodes that it has passed, so it takes memory for its depth
 * alone.
 */
#ifndef TL_DUMP_TREE_WALK_H
#define TL_DUMP_TREE_WALK_H

#include "base/text.h"
#include "trace/read.h"

enum {
	TL_TREE_MEMORY_MAX = 64 << 20,
	TL_TREE_WINDOW_MIN = 256,    /* children that are loaded at once */
	TL_TREE_WINDOW_MAX = 1 << 16 /* the same where they are read in order */
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

/* State shared by the windows of many branches.  Starts from all zeros but
 * max. */
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

enum {
	TL_TREE_PATH_MAX = 256 /* numbers of a path that are written out */
};

struct tl_tree_frame {
	struct tl_tree_branch branch;
	struct tl_tree_frame *outer;
	uint64_t index;  /* of the child that the walk is at or in */
	uint64_t hidden; /* children at the end that are not to be shown */
};

struct tl_tree_walk {
	struct tl_tree_pool *pool;
	struct tl_tree_frame *top; /* NULL: at its end, or at the thread */
};

/* At the first child of a node, which may be a thread's root: 0 or
 * -ENOMEM. */
int tl_tree_walk_into(struct tl_tree_walk *walk, struct tl_trace *trace,
    const struct tl_node *node);
/* Out of the innermost: back at the node itself. */
void tl_tree_walk_out(struct tl_tree_walk *walk);
void tl_tree_walk_free(struct tl_tree_walk *walk);

/* Is it at a child, not behind the last? */
static inline bool
tl_tree_walk_is_at_child(const struct tl_tree_walk *walk)
{
	return walk->top && walk->top->index < walk->top->branch.child_count;
}

/* The node it is at, as tl_tree_branch_child. */
int tl_tree_walk_node(struct tl_tree_walk *walk, const struct tl_node **node);

/* To the node that comes next in the order of a printed tree, or before: 1;
 * 0 there is none, and top is NULL; -errno. */
int tl_tree_walk_next(struct tl_tree_walk *walk);
int tl_tree_walk_previous(struct tl_tree_walk *walk);
/* To the next node that is not inside this one: 1; 0 there is none. */
int tl_tree_walk_over(struct tl_tree_walk *walk);
/* To the last node of all below the root that it is at the first child of:
 * 1, 0, -errno. */
int tl_tree_walk_last(struct tl_tree_walk *walk);

/* "3/0/17", the thread counted from 1.  False: it would be too long, and is
 * "3/.../17". */
bool tl_tree_put_path(struct tl_text *text, uint64_t thread,
    const struct tl_tree_frame *frame);

/* The same from numbers, the innermost first; cut: there were more. */
void tl_tree_put_numbers(struct tl_text *text, uint64_t thread,
    const uint64_t *numbers, size_t count, bool cut);
/* The next number of a path that a user typed, which moves on: 1; 0 there
 * is no more; -EINVAL. */
int tl_tree_path_take(const char **path, uint64_t *number);

#endif
