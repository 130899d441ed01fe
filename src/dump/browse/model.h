/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - the rows of a call tree: a cursor, unfolded nodes, a filter.
 * Knows nothing of a terminal.
 *
 *	- # Thread 1 (main)           fold: the node whose children are rows
 *	    + request id(1): 1.2ms    place: child i of a fold
 *	    - request id(2): 3.4ms  <- cursor
 *	        open: 12us
 *	+ # Thread 2
 *
 * Rows are not counted and not kept: each place leads to the next and to the
 * previous place, so that a node with ten million children unfolds at once.
 * Children are loaded when their rows are shown.
 *
 * A filter shows the nodes whose line contains a text, all nodes inside these,
 * and the nodes around.  The filter is a tree of the shown children of the
 * nodes around, built once by tl_task_filter(); a row finds its neighbours in
 * the tree by binary search.
 */
#ifndef TL_DUMP_BROWSE_MODEL_H
#define TL_DUMP_BROWSE_MODEL_H

#include "dump/tree/forest.h"
#include "dump/tree/walk.h"

enum {
	TL_FOLDS_MAX = 1 << 16 /* nodes unfolded at once */
};

/* A node that a filter shows. */
struct tl_kept {
	uint64_t index; /* index among the children of the outer node */
	struct tl_kept *children; /* ascending; NULL: all children are shown */
	size_t count;
	size_t capacity;
	struct tl_kept *outer; /* used while the tree is freed */
};

/* An unfolded node.  The outermost fold has all threads as its children. */
struct tl_fold {
	/* in the outermost fold only child_count is used */
	struct tl_tree_branch branch;
	struct tl_fold *parent;     /* NULL: the outermost fold */
	uint64_t index;             /* index of the node in parent */
	uint64_t thread;            /* number of the node's thread */
	int64_t duration_ns;        /* of the node; -1: unknown */
	const struct tl_kept *kept; /* NULL: all children are shown */
	struct tl_fold **inner;     /* unfolded children, by index */
	size_t inner_count;
	size_t inner_capacity;
};

struct tl_place {
	struct tl_fold *fold;
	uint64_t index;
};

struct tl_browse {
	const struct tl_forest *forest;
	struct tl_tree_pool pool;
	struct tl_fold all;
	size_t fold_count;
	struct tl_kept filter; /* no children: no filter is set */
	int64_t start_ns;      /* time of the first event of all threads */
	struct tl_place cursor;
	struct tl_place top; /* the first visible row */
	uint64_t height;     /* visible rows */
};

/* The duration of a node; an unfinished node lasts until the end of its thread.
 * -1: the node has no duration. */
int64_t tl_browse_duration(const struct tl_browse *browse, uint64_t thread,
    const struct tl_node *node);

/* One row. */
struct tl_row {
	struct tl_place place;
	/* NULL: the node is in a damaged part of the file */
	const struct tl_node *node;
	/* not NULL: the row is the heading of this thread */
	const struct tl_trace_thread *thread;
	uint64_t thread_number; /* from 0 */
	uint64_t depth;         /* 0: a heading */
	bool unfolded;
};

/* Start at the first row.  A single thread is unfolded. */
int tl_browse_init(struct tl_browse *browse, const struct tl_forest *forest);
void tl_browse_free(struct tl_browse *browse);

/* Move a place to the next or previous row.  false: none. */
bool tl_browse_next(struct tl_place *place);
bool tl_browse_previous(struct tl_place *place);
/* Read the row at a place.  The node is valid until the next call.  0 or
 * -errno. */
int tl_browse_row(struct tl_browse *browse, struct tl_place place,
    struct tl_row *row);
bool tl_browse_same(struct tl_place a, struct tl_place b);

/* Set the number of rows of the terminal. */
void tl_browse_resize(struct tl_browse *browse, uint64_t height);

/* Move the cursor by rows, to the first row, or to the last row. */
void tl_browse_move(struct tl_browse *browse, int64_t rows);
void tl_browse_home(struct tl_browse *browse);
void tl_browse_end(struct tl_browse *browse);
/* Move the cursor to the parent; to the next (step 1) or previous (-1) sibling.
 * false: none. */
bool tl_browse_up(struct tl_browse *browse);
bool tl_browse_sibling(struct tl_browse *browse, int step);
void tl_browse_go(struct tl_browse *browse, struct tl_place place);

/* Unfold the node at the cursor.  1; 0: the node has no children or is already
 * unfolded; -ENOSPC: too many nodes are unfolded; -errno. */
int tl_browse_unfold(struct tl_browse *browse);
/* Fold the node at the cursor, and all nodes inside.  false: the node is not
 * unfolded. */
bool tl_browse_fold(struct tl_browse *browse);

/* Unfold the nodes of a path and move the cursor to the last node.  The numbers
 * begin with the thread, from 0.  0; -ENOENT: no such node; else as
 * tl_browse_unfold(). */
int
tl_browse_open(struct tl_browse *browse, const uint64_t *numbers, size_t count);
/* Does the filter show the node with these numbers? */
bool tl_browse_shows(const struct tl_browse *browse, const uint64_t *numbers,
    size_t count);
/* Show only the nodes of a filter; NULL: all nodes.  The model owns the filter
 * from now on.  Folds all nodes.  The cursor moves to the first node that
 * matched, or stays if all nodes are shown.  0, or as tl_browse_unfold(). */
int tl_browse_set_filter(struct tl_browse *browse, struct tl_kept *filter);
void tl_kept_free(struct tl_kept *kept);
/* The children that the filter shows of the node at a place.  NULL: all. */
const struct tl_kept *tl_browse_kept(struct tl_place place);
const struct tl_kept *tl_kept_child(const struct tl_kept *kept, uint64_t index);
/* Open a path such as "3/0/17", with the thread from 1.  As tl_browse_open();
 * -EINVAL: not a path. */
int tl_browse_open_path(struct tl_browse *browse, const char *path);
/* Append the path of a place in the form of tl_tree_put_path(). */
void tl_browse_put_path(struct tl_text *text, struct tl_place place);

#endif
