/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - walk step by step through the tree of a thread.
 *
 *	branch: the place of the children --> window: the loaded children
 *
 * A branch is small and stays; a window is made when a child is asked for, and
 * the least recently used windows go when all windows take too much memory.  A
 * walk is at a place: a child, inside a child, ... of the thread's root.  The
 * walk drops the nodes that it has passed, so the walk takes memory only for
 * its depth.
 */
#ifndef TL_DUMP_TREE_WALK_H
#define TL_DUMP_TREE_WALK_H

#include "base/text.h"
#include "trace/read.h"

enum {
	TL_TREE_MEMORY_MAX = 64 << 20,
	TL_TREE_WINDOW_MIN = 256,    /* children loaded at once */
	TL_TREE_WINDOW_MAX = 1 << 16 /* the same for a walk in order */
};

struct tl_tree_window;

struct tl_tree_branch {
	struct tl_trees *trees;
	struct tl_tree_window *window; /* NULL: nothing is loaded */
	uint64_t content;              /* these members are as in tl_node */
	uint64_t content_end;
	uint64_t level;
	uint64_t child_count;
	uint32_t thread;
	uint32_t depth;
	uint32_t ahead; /* number of children to load next */
};

/* State that many branches share for their windows.  Starts from all zeros but
 * max and children. */
struct tl_tree_pool {
	struct tl_tree_window *oldest;
	struct tl_tree_window *newest;
	size_t used;
	size_t max; /* 0: TL_TREE_MEMORY_MAX */
	/* Children behind so many others are loaded only when they are asked
	 * for.  0: as many as fit a window. */
	uint64_t children;
};

/* Make a branch with nothing loaded.  The branch must not move while children
 * are loaded. */
void tl_tree_branch_init(struct tl_tree_branch *branch, struct tl_trees *trees,
    const struct tl_node *node);
/* Unload the children of a branch.  Required before the trees close. */
void
tl_tree_branch_drop(struct tl_tree_pool *pool, struct tl_tree_branch *branch);

/*
 * Child i, valid until the next call.  NULL: the child was lost with a damaged
 * part of the file.  0, -ENOMEM, -EDQUOT, -errno of reading.
 */
int tl_tree_branch_child(struct tl_tree_pool *pool,
    struct tl_tree_branch *branch, uint64_t i, const struct tl_node **child);

enum {
	TL_TREE_PATH_MAX = 256 /* a longer path is cut */
};

struct tl_tree_frame {
	struct tl_tree_branch branch;
	struct tl_tree_frame *outer;
	uint64_t index;  /* index of the child that the walk is at or in */
	uint64_t hidden; /* number of children at the end that are not shown */
};

struct tl_tree_walk {
	struct tl_tree_pool *pool;
	struct tl_tree_frame *top; /* NULL: at the end, or at the thread */
};

/* Move to the first child of a node, which may be the root of a thread.  0 or
 * -ENOMEM. */
int tl_tree_walk_into(struct tl_tree_walk *walk, struct tl_trees *trees,
    const struct tl_node *node);
/* Leave the innermost node: the walk is back at the node itself. */
void tl_tree_walk_out(struct tl_tree_walk *walk);
void tl_tree_walk_free(struct tl_tree_walk *walk);

/* The node of the walk, as tl_tree_branch_child(). */
int tl_tree_walk_node(struct tl_tree_walk *walk, const struct tl_node **node);

/* Append "3/0/17", with the thread from 1.  false: the path is too long, and
 * "3/.../17" was appended. */
bool tl_tree_put_path(struct tl_text *text, uint64_t thread,
    const struct tl_tree_frame *frame);

/* Take the next number of a path that a user typed, and move path on.  1; 0: no
 * more numbers; -EINVAL. */
int tl_tree_path_take(const char **path, uint64_t *number);

#endif
