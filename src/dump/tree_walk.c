/* SPDX-License-Identifier: Apache-2.0 */
/* tree_walk.c - a stack of branches, whatever its depth. */
#include "dump/tree_walk.h"

#include <errno.h>
#include <stdlib.h>

int
tl_tree_walk_into(struct tl_tree_walk *walk, struct tl_trace *trace,
    const struct tl_node *node)
{
	struct tl_tree_frame *frame = malloc(sizeof(*frame));

	if (!frame)
		return -ENOMEM;
	tl_tree_branch_init(&frame->branch, trace, node);
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

/* Into the node that it is at: 1; 0 nothing is in it; -errno. */
static int
enter(struct tl_tree_walk *walk)
{
	const struct tl_node *node;
	int rc = tl_tree_walk_node(walk, &node);

	if (rc < 0 || !node || node->child_count == 0)
		return rc;
	rc = tl_tree_walk_into(walk, walk->top->branch.trace, node);
	return rc < 0 ? rc : 1;
}

int
tl_tree_walk_next(struct tl_tree_walk *walk)
{
	int rc = enter(walk);

	if (rc != 0)
		return rc;
	while (walk->top && ++walk->top->index >= walk->top->branch.child_count)
		tl_tree_walk_out(walk);
	return walk->top != NULL;
}

/* Down along the last children. */
static int
sink(struct tl_tree_walk *walk)
{
	int rc;

	while ((rc = enter(walk)) > 0)
		walk->top->index = walk->top->branch.child_count - 1;
	return rc < 0 ? rc : 1;
}

int
tl_tree_walk_previous(struct tl_tree_walk *walk)
{
	if (walk->top->index > 0) {
		walk->top->index--;
		return sink(walk);
	}
	tl_tree_walk_out(walk);
	return walk->top != NULL;
}

int
tl_tree_walk_last(struct tl_tree_walk *walk)
{
	if (!tl_tree_walk_is_at_child(walk)) {
		tl_tree_walk_free(walk);
		return 0;
	}
	walk->top->index = walk->top->branch.child_count - 1;
	return sink(walk);
}

void
tl_tree_put_numbers(struct tl_text *text, uint64_t thread,
    const uint64_t *numbers, size_t count, bool cut)
{
	tl_put_unsigned(text, thread + 1);
	if (cut) { /* the innermost alone */
		tl_put_string(text, "/...");
		count = 1;
	}
	while (count > 0) {
		tl_put_char(text, '/');
		tl_put_unsigned(text, numbers[--count]);
	}
}

bool
tl_tree_put_path(struct tl_text *text, uint64_t thread,
    const struct tl_tree_frame *frame)
{
	uint64_t numbers[TL_TREE_PATH_MAX];
	size_t count = 0;

	for (; frame && count < TL_TREE_PATH_MAX; frame = frame->outer)
		numbers[count++] = frame->index;
	tl_tree_put_numbers(text, thread, numbers, count, frame != NULL);
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
