/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task.h - work that reads a large part of a file: search, filter, the slowest
 * child, equal calls merged.  The work is done step by step, so that a key can
 * stop it.
 *
 *	rc = tl_task_search(&task, browse, "words", true);
 *	while (rc > 0 && !key_pressed())
 *		rc = tl_task_step(&task);
 *	tl_task_end(&task);
 */
#ifndef TL_DUMP_BROWSE_TASK_H
#define TL_DUMP_BROWSE_TASK_H

#include "dump/browse/merged.h"
#include "dump/browse/model.h"

enum {
	TL_TASK_STEP = 4096,  /* nodes in one step */
	TL_KEPT_MAX = 1 << 20 /* nodes in a filter */
};

struct tl_task {
	struct tl_browse *browse;
	uint64_t seen; /* nodes so far */
	int (*step)(struct tl_task *task);
	/* search: the position; no frame: at the heading of the thread */
	struct tl_tree_walk walk;
	uint64_t thread;
	uint64_t threads_left;
	const char *wanted;
	bool any_case;
	bool forward;
	struct tl_text line;
	/* filter */
	struct tl_kept filter;
	uint64_t kept;  /* nodes in the filter */
	bool truncated; /* the filter is full and lacks further nodes */
	/* merge; steps: the number of steps from the node to the wanted
	 * place */
	struct tl_merged *merged;
	uint64_t steps;
	/* slowest child */
	struct tl_tree_branch branch;
	/* the children that the filter shows; NULL: all */
	const struct tl_kept *shown;
	uint64_t index;
	uint64_t slowest;
	int64_t slowest_ns; /* -1: none */
	bool deep;
	bool moved; /* the cursor has moved at least once */
};

/*
 * Go to the next or previous node whose line contains the text.  The search
 * starts at the cursor, continues at the other end, and visits each node once.
 * Text without a capital letter matches both cases.  The text must outlive the
 * task.
 */
int tl_task_search(struct tl_task *task, struct tl_browse *browse,
    const char *wanted, bool forward);
/* Go to the child of the cursor's node with the longest duration.  An
 * unfinished child lasts until the end of its thread.  deep: repeat from the
 * child until a node has no children. */
int tl_task_slowest(struct tl_task *task, struct tl_browse *browse, bool deep);

/* Set the filter to the nodes whose line contains the text.  -ENOENT: no node
 * matches, and the filter stays. */
int tl_task_filter(struct tl_task *task, struct tl_browse *browse,
    const char *wanted);

/* Merge all calls inside the cursor's node by their path of messages. */
int tl_task_merge(struct tl_task *task, struct tl_browse *browse,
    struct tl_merged *merged);
/* Go to the node that a walk from inside the cursor's node reaches after a
 * number of steps, as in merged->slowest. */
int tl_task_go(struct tl_task *task, struct tl_browse *browse, uint64_t steps);

/* Do one step.  1: there is more to do; 0: done, and the cursor is at the node;
 * -ENOENT: no such node; -ENOSPC: too many nodes are unfolded; -errno. */
static inline int
tl_task_step(struct tl_task *task)
{
	return task->step(task);
}

/* End the task, done or not. */
void tl_task_end(struct tl_task *task);

#endif
