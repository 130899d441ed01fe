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
	TL_TASK_STEP = 4096,  /* nodes that are looked at in one */
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
	/* merging; the place that is looked for is steps from the node */
	struct tl_merged *merged;
	uint64_t steps;
	/* among children */
	struct tl_tree_branch branch;
	const struct tl_kept *shown; /* by the filter; NULL: all */
	uint64_t index;
	uint64_t slowest;
	int64_t slowest_ns; /* -1: none */
	bool deep;
	bool moved; /* the cursor, at least once */
};

/*
 * Go to the next node, or the one before, whose line has the words: all are
 * looked at once, from the cursor on and around the end.  Words without a
 * capital letter mean any case; they must outlive the task.
 */
int tl_task_search(struct tl_task *task, struct tl_browse *browse,
    const char *wanted, bool forward);
/* Go to the child of the cursor's node that took longest (one that is not
 * finished took until the end of its thread); deep: and to that of this one,
 * until there is none. */
int tl_task_slowest(struct tl_task *task, struct tl_browse *browse, bool deep);

/* Set the filter to the nodes whose line has the words.  -ENOENT: no node has
 * them, and the filter stays as it was. */
int tl_task_filter(struct tl_task *task, struct tl_browse *browse,
    const char *wanted);

/* Merge all calls inside the cursor's node by their path of messages. */
int tl_task_merge(struct tl_task *task, struct tl_browse *browse,
    struct tl_merged *merged);
/* Go to the node that a walk from inside the cursor's node reaches after so
 * many steps, as merged->slowest counts them. */
int tl_task_go(struct tl_task *task, struct tl_browse *browse, uint64_t steps);

/* 1 there is more to do; 0 the cursor is there; -ENOENT there is no such node;
 * -ENOSPC too many nodes are unfolded; -errno. */
static inline int
tl_task_step(struct tl_task *task)
{
	return task->step(task);
}

/* Also of one that was not done. */
void tl_task_end(struct tl_task *task);

#endif
