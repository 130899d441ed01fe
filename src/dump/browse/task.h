/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task.h - what takes long in a large file: to search it, to find the
 * slowest of many children.  Done step by step, so that a key can stop it.
 *
 *	rc = tl_task_search(&task, browse, "words", true);
 *	while (rc > 0 && !key_pressed())
 *		rc = tl_task_step(&task);
 *	tl_task_end(&task);
 */
#ifndef TL_DUMP_BROWSE_TASK_H
#define TL_DUMP_BROWSE_TASK_H

#include "dump/browse/model.h"

enum {
	TL_TASK_STEP = 4096 /* nodes that are looked at in one */
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
	/* among children */
	struct tl_tree_branch branch;
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
