/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - walk step by step through a tree of which only a small part is
 * loaded.
 */
#include "dump/tree/walk.h"

#include <errno.h>
#include <stdlib.h>

/* == branches: windows over children; the least recently used windows go == */

struct tl_tree_window {
	struct tl_tree_branch *branch;
	struct tl_tree_window *older;
	struct tl_tree_window *newer;
	uint64_t first;      /* first of the children loaded last */
	uint64_t end;        /* end of the children loaded last */
	struct tl_node node; /* holds the children */
};

void
tl_tree_branch_init(struct tl_tree_branch *branch, struct tl_trees *trees,
    const struct tl_node *node)
{
	*branch = (struct tl_tree_branch){ .trees = trees,
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

void
tl_tree_branch_drop(struct tl_tree_pool *pool, struct tl_tree_branch *branch)
{
	struct tl_tree_window *w = branch->window;
	size_t before;

	if (!w)
		return;
	before = branch->trees->budget.used;
	tl_node_forget(&w->node, &branch->trees->budget);
	pool->used -= before - branch->trees->budget.used + sizeof(*w);
	unlink_window(pool, w);
	free(w);
	branch->window = NULL;
}

/* Make the window of a branch, with nothing loaded. */
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

/* Drop the least recently used window, the branch's own window last.  true: a
 * window was dropped. */
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

/* Choose the children to load.  A walk that has left the last window will
 * probably go on. */
static void
choose_end(const struct tl_tree_pool *pool, struct tl_tree_branch *branch,
    uint64_t i, uint64_t *end)
{
	const struct tl_tree_window *w = branch->window;

	if (branch->ahead < TL_TREE_WINDOW_MIN)
		branch->ahead = TL_TREE_WINDOW_MIN;
	else if (w && i == w->end)
		branch->ahead *= branch->ahead < TL_TREE_WINDOW_MAX ? 2 : 1;
	else if (w)
		branch->ahead = TL_TREE_WINDOW_MIN;
	*end = branch->child_count - i > branch->ahead ? i + branch->ahead
						       : branch->child_count;
	if (pool->children > 0 && *end > pool->children)
		*end = i < pool->children ? pool->children : i + 1;
}

static int
load(struct tl_tree_pool *pool, struct tl_tree_branch *branch, uint64_t i)
{
	const size_t max = pool->max ? pool->max : TL_TREE_MEMORY_MAX;
	uint64_t end;
	int rc;

	choose_end(pool, branch, i, &end);
	while (pool->used >= max && make_room(pool, branch))
		;
	for (;;) {
		rc = branch->window ? 0 : open_window(pool, branch);
		if (rc == 0) {
			const size_t before = branch->trees->budget.used;
			struct tl_tree_window *w = branch->window;

			rc = tl_trees_load(branch->trees, &w->node, i, end - i);
			pool->used += branch->trees->budget.used - before;
			w->first = i;
			w->end = rc < 0 ? i : end;
		}
		if (rc != -EDQUOT)
			return rc;
		/* the only window is too large */
		if (pool->oldest == pool->newest) {
			if (end - i == 1)
				return rc;
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
	if (pool->newest != w) {
		unlink_window(pool, w);
		link_newest(pool, w);
	}
	return 0;
}

/* == walks == */

int
tl_tree_walk_into(struct tl_tree_walk *walk, struct tl_trees *trees,
    const struct tl_node *node)
{
	struct tl_tree_frame *frame = malloc(sizeof(*frame));

	if (!frame)
		return -ENOMEM;
	tl_tree_branch_init(&frame->branch, trees, node);
	frame->index = 0;
	frame->hidden = 0;
	frame->outer = walk->top;
	walk->top = frame;
	return 0;
}

void
tl_tree_walk_out(struct tl_tree_walk *walk)
{
	struct tl_tree_frame *frame = walk->top;

	walk->top = frame->outer;
	tl_tree_branch_drop(walk->pool, &frame->branch);
	free(frame);
}

void
tl_tree_walk_free(struct tl_tree_walk *walk)
{
	while (walk->top)
		tl_tree_walk_out(walk);
}

int
tl_tree_walk_node(struct tl_tree_walk *walk, const struct tl_node **node)
{
	return tl_tree_branch_child(walk->pool, &walk->top->branch,
	    walk->top->index, node);
}

bool
tl_tree_put_path(struct tl_text *text, uint64_t thread,
    const struct tl_tree_frame *frame)
{
	uint64_t numbers[TL_TREE_PATH_MAX];
	size_t count = 0;

	for (; frame && count < TL_TREE_PATH_MAX; frame = frame->outer)
		numbers[count++] = frame->index;
	tl_put_unsigned(text, thread + 1);
	if (frame) { /* only the innermost number */
		tl_put_string(text, "/...");
		count = 1;
	}
	while (count > 0) {
		tl_put_char(text, '/');
		tl_put_unsigned(text, numbers[--count]);
	}
	return frame == NULL;
}

int
tl_tree_path_take(const char **path, uint64_t *number)
{
	const size_t size = strcspn(*path, "/");
	char digits[TL_UNSIGNED_MAX + 1];

	if (size == 0)
		return **path == '\0' ? 0 : -EINVAL;
	if (size >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, *path, size);
	digits[size] = '\0';
	if (tl_parse_unsigned(digits, number) < 0)
		return -EINVAL;
	*path += size;
	if (**path == '/' && *++*path == '\0')
		return -EINVAL;
	return 1;
}
