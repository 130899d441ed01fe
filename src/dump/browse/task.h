/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task.h - work that reads a large part of a file: search, filter, the slowest
 * child, equal calls merged.  Done step by step, so that a key can stop it.
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
	TL_TASK_STEP = 4096,  /* nodes of one step */
	TL_KEPT_MAX = 1 << 20 /* nodes that a filter shows one by one */
};

struct tl_task {
	struct tl_browse *browse;
	uint64_t seen; /* nodes so far */
	int (*step)(struct tl_task *task);
	/* searching: where it is; no frame: at the heading of the thread */
	struct tl_tree_walk walk;
	uint64_t thread;
	uint64_t threads_left;
	const char *wanted;
	bool any_case;
	bool forward;
	struct tl_text line;
	/* filtering */
	struct tl_kept filter;
	uint64_t kept;  /* nodes in it */
	bool truncated; /* there were more */
	/* merging; steps lead from the node to the place that is searched */
	struct tl_merged *merged;
	uint64_t steps;
	/* the slowest child */
	struct tl_tree_branch branch;
	/* the children that the filter shows; NULL: all */
	const struct tl_kept *shown;
	uint64_t index;
	uint64_t slowest;
	int64_t slowest_ns; /* -1: none */
	bool deep;
	bool moved; /* the cursor, at least once */
};

/*
 * Go to the next or previous node whose line contains the text.  The search
 * starts at the cursor, continues at the other end, and visits each node once.
 * Text without a capital letter matches both cases; it must outlive the task.
 */
int tl_task_search(struct tl_task *task, struct tl_browse *browse,
    const char *wanted, bool forward);
/* Go to the child of the cursor's node with the longest duration.  An
 * unfinished child lasted until the end of its thread.  deep: repeat this from
 * there until a node has no children. */
int tl_task_slowest(struct tl_task *task, struct tl_browse *browse, bool deep);

/* Set the filter to the nodes whose line contains the text.  -ENOENT: no node
 * does, and the filter stays as it was. */
int tl_task_filter(struct tl_task *task, struct tl_browse *browse,
    const char *wanted);

/* Merge all calls inside the cursor's node by their path of messages. */
int tl_task_merge(struct tl_task *task, struct tl_browse *browse,
    struct tl_merged *merged);
/* Go to the node that a walk from inside the cursor's node reaches after this
 * many steps, as merged->slowest counts them. */
int tl_task_go(struct tl_task *task, struct tl_browse *browse, uint64_t steps);

/* Do one step.  1: there is more to do; 0: done, the cursor is at the node;
 * -ENOENT: there is no such node; -ENOSPC: too many nodes are unfolded;
 * -errno. */
static inline int
tl_task_step(struct tl_task *task)
{
	return task->step(task);
}

/* End the task, whether it is done or not. */
void tl_task_end(struct tl_task *task);

#endif
