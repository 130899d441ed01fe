/* SPDX-License-Identifier: Apache-2.0 */
/* tree_branch.c - windows over children, the longest unused of which go. */
#include "dump/tree_branch.h"

#include <errno.h>
#include <stdlib.h>

struct tl_tree_window {
	struct tl_tree_branch *branch;
	struct tl_tree_window *older;
	struct tl_tree_window *newer;
	uint64_t first;      /* children that were loaded last ... */
	uint64_t end;        /* ... up to here */
	struct tl_node node; /* holds them */
};

void
tl_tree_branch_init(struct tl_tree_branch *branch, struct tl_trace *trace,
    const struct tl_node *node)
{
	*branch = (struct tl_tree_branch){ .trace = trace,
		.content = node->content,
		.content_end = node->content_end,
		.level = node->level,
		.child_count = node->child_count,
		.thread = node->thread,
		.depth = node->depth };
}

static void
unlink_window(struct tl_tree_pool *pool, struct tl_tree_window *w)
{
	*(w->older ? &w->older->newer : &pool->oldest) = w->newer;
	*(w->newer ? &w->newer->older : &pool->newest) = w->older;
}

static void
link_newest(struct tl_tree_pool *pool, struct tl_tree_window *w)
{
	w->older = pool->newest;
	w->newer = NULL;
	*(pool->newest ? &pool->newest->newer : &pool->oldest) = w;
	pool->newest = w;
}

static void
touch(struct tl_tree_pool *pool, struct tl_tree_window *w)
{
	if (pool->newest == w)
		return;
	unlink_window(pool, w);
	link_newest(pool, w);
}

void
tl_tree_branch_drop(struct tl_tree_pool *pool, struct tl_tree_branch *branch)
{
	struct tl_tree_window *w = branch->window;
	size_t before;

	if (!w)
		return;
	before = tl_trace_memory(branch->trace);
	tl_trace_forget(branch->trace, &w->node);
	pool->used -= before - tl_trace_memory(branch->trace) + sizeof(*w);
	unlink_window(pool, w);
	free(w);
	branch->window = NULL;
}

/* Make the window of a branch, of which nothing is loaded. */
static int
open_window(struct tl_tree_pool *pool, struct tl_tree_branch *branch)
{
	struct tl_tree_window *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->branch = branch;
	w->node = (struct tl_node){ .content = branch->content,
		.content_end = branch->content_end,
		.level = branch->level,
		.child_count = branch->child_count,
		.thread = branch->thread,
		.depth = branch->depth };
	link_newest(pool, w);
	pool->used += sizeof(*w);
	branch->window = w;
	return 0;
}

/* Give up windows until there is room, at last the branch's own: true when
 * there was one to give. */
static bool
make_room(struct tl_tree_pool *pool, struct tl_tree_branch *branch)
{
	struct tl_tree_window *w = pool->oldest;

	if (w && w->branch == branch && w->newer)
		w = w->newer;
	if (w)
		tl_tree_branch_drop(pool, w->branch);
	return w != NULL;
}

/* Who goes on from what was loaded last will go on. */
static void
choose_range(struct tl_tree_branch *branch, uint64_t i, uint64_t *first,
    uint64_t *end)
{
	const struct tl_tree_window *w = branch->window;
	const bool forward = w && i == w->end;
	const bool backward = w && i + 1 == w->first;

	if (branch->ahead < TL_TREE_WINDOW_MIN)
		branch->ahead = TL_TREE_WINDOW_MIN;
	else if (forward || backward)
		branch->ahead *= branch->ahead < TL_TREE_WINDOW_MAX ? 2 : 1;
	else if (w)
		branch->ahead = TL_TREE_WINDOW_MIN;
	*first = i;
	*end = i + 1;
	if (!backward)
		*end = branch->child_count - i > branch->ahead
			   ? i + branch->ahead
			   : branch->child_count;
	else
		*first = i + 1 > branch->ahead ? i + 1 - branch->ahead : 0;
}

static int
load_range(struct tl_tree_pool *pool, struct tl_tree_branch *branch,
    uint64_t first, uint64_t end)
{
	const size_t before = tl_trace_memory(branch->trace);
	struct tl_tree_window *w = branch->window;
	const int rc =
	    tl_trace_load(branch->trace, &w->node, first, end - first);

	pool->used += tl_trace_memory(branch->trace) - before;
	w->first = first;
	w->end = rc < 0 ? first : end;
	return rc;
}

static int
load(struct tl_tree_pool *pool, struct tl_tree_branch *branch, uint64_t i)
{
	const size_t max = pool->max ? pool->max : TL_TREE_MEMORY_MAX;
	uint64_t first, end;
	int rc;

	choose_range(branch, i, &first, &end);
	while (pool->used >= max && make_room(pool, branch))
		;
	for (;;) {
		rc = branch->window ? 0 : open_window(pool, branch);
		if (rc == 0)
			rc = load_range(pool, branch, first, end);
		if (rc != -EDQUOT)
			return rc;
		if (pool->oldest == pool->newest) { /* alone, and too much */
			if (end - first == 1)
				return rc;
			first = i;
			end = i + 1;
		}
		make_room(pool, branch);
	}
}

int
tl_tree_branch_child(struct tl_tree_pool *pool, struct tl_tree_branch *branch,
    uint64_t i, const struct tl_node **child)
{
	struct tl_tree_window *w = branch->window;
	int rc;

	*child = w ? tl_node_child(&w->node, i) : NULL;
	if (!*child && (!w || i < w->first || i >= w->end)) {
		rc = load(pool, branch, i);
		if (rc < 0)
			return rc;
		w = branch->window;
		*child = tl_node_child(&w->node, i);
	}
	touch(pool, w);
	return 0;
}
