/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - search and slowest child, step by step. */
#include "dump/browse/task.h"

#include "dump/tree/line.h"

#include <errno.h>
#include <stdlib.h>

/* == search == */

/* The walk stands where a place is. */
static int
go_to(struct tl_tree_walk *walk, struct tl_place place)
{
	struct tl_tree_frame **outer = &walk->top;

	for (; place.fold->parent; outer = &(*outer)->outer) {
		struct tl_tree_frame *frame = malloc(sizeof(*frame));

		if (!frame)
			return -ENOMEM;
		frame->branch = place.fold->branch;
		frame->branch.window = NULL;
		frame->index = place.index;
		frame->outer = NULL;
		*outer = frame;
		place =
		    (struct tl_place){ place.fold->parent, place.fold->index };
	}
	return 0;
}

/* To the heading of another thread: 1; -ENOENT that was the last. */
static int
next_thread(struct tl_task *task)
{
	const uint64_t count = task->browse->forest->thread_count;

	if (--task->threads_left == 0)
		return -ENOENT;
	task->thread = (task->thread + (task->forward ? 1 : count - 1)) % count;
	return 1;
}

static int
enter_thread(struct tl_task *task)
{
	const struct tl_forest *forest = task->browse->forest;

	return tl_tree_walk_into(&task->walk,
	    tl_forest_source(forest, task->thread)->trace,
	    tl_forest_root(forest, task->thread));
}

static int
forward(struct tl_task *task)
{
	int rc;

	if (task->walk.top) {
		rc = tl_tree_walk_next(&task->walk);
		return rc == 0 ? next_thread(task) : rc;
	}
	rc = enter_thread(task);
	if (rc == 0 && tl_tree_walk_is_at_child(&task->walk))
		return 1;
	tl_tree_walk_free(&task->walk);
	return rc < 0 ? rc : next_thread(task);
}

static int
backward(struct tl_task *task)
{
	int rc;

	if (task->walk.top) {
		rc = tl_tree_walk_previous(&task->walk);
		return rc < 0 ? rc : 1; /* maybe at the heading */
	}
	rc = next_thread(task);
	if (rc > 0)
		rc = enter_thread(task);
	if (rc == 0)
		rc = tl_tree_walk_last(&task->walk);
	return rc < 0 ? rc : 1;
}

static bool
matches(struct tl_task *task)
{
	const char *line = tl_text_string(&task->line);

	return (task->any_case ? strcasestr(line, task->wanted)
			       : strstr(line, task->wanted)) != NULL;
}

/* Is what is wanted here?  1 it is. */
static int
look(struct tl_task *task)
{
	const struct tl_node *node;
	int rc;

	tl_text_clear(&task->line);
	if (!task->walk.top) {
		tl_tree_put_thread(&task->line, task->thread,
		    tl_forest_thread(task->browse->forest, task->thread));
		return matches(task);
	}
	rc = tl_tree_walk_node(&task->walk, &node);
	if (rc < 0 || !node)
		return rc;
	tl_tree_put_message(&task->line, node);
	tl_tree_put_end(&task->line, node);
	return task->line.rc < 0 ? task->line.rc : matches(task);
}

/* The cursor comes to where the walk is. */
static int
take_cursor(struct tl_task *task)
{
	const struct tl_tree_frame *frame;
	uint64_t *numbers;
	size_t count = 1;
	int rc;

	for (frame = task->walk.top; frame; frame = frame->outer)
		count++;
	numbers = calloc(count, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	numbers[0] = task->thread;
	frame = task->walk.top;
	for (size_t i = count; frame; frame = frame->outer)
		numbers[--i] = frame->index;
	rc = tl_browse_open(task->browse, numbers, count);
	free(numbers);
	return rc;
}

static int
search(struct tl_task *task)
{
	int rc;

	for (unsigned i = 0; i < TL_TASK_STEP; i++) {
		rc = task->forward ? forward(task) : backward(task);
		if (rc < 0)
			return rc;
		task->seen++;
		rc = look(task);
		if (rc != 0)
			return rc < 0 ? rc : take_cursor(task);
	}
	return 1;
}

static bool
has_capital(const char *text)
{
	while (*text && (*text < 'A' || *text > 'Z'))
		text++;
	return *text != '\0';
}

int
tl_task_search(struct tl_task *task, struct tl_browse *browse,
    const char *wanted, bool forwards)
{
	struct tl_place at = browse->cursor;
	int rc;

	*task = (struct tl_task){ .browse = browse,
		.step = search,
		.walk.pool = &browse->pool,
		.wanted = wanted,
		.any_case = !has_capital(wanted),
		.forward = forwards,
		.threads_left = browse->forest->thread_count + 1 };
	if (browse->forest->thread_count == 0)
		return -ENOENT;
	rc = go_to(&task->walk, at);
	task->thread = at.fold->parent ? at.fold->thread : at.index;
	return rc < 0 ? rc : 1;
}

/* == the slowest child == */

static int64_t
time_of(const struct tl_task *task, const struct tl_node *node)
{
	const struct tl_trace_thread *thread =
	    tl_trace_thread(task->branch.trace, node->thread);
	struct tl_node until = *node;

	if (!tl_tree_is_span(node))
		return -1;
	if (node->ended == TL_NODE_UNFINISHED) {
		until.ended = TL_NODE_ENDED;
		until.end.ns = thread->max_ns;
	}
	return tl_node_duration(&until);
}

static int begin_children(struct tl_task *task);

/* All children were seen. */
static int
take_slowest(struct tl_task *task)
{
	struct tl_browse *browse = task->browse;
	struct tl_place cursor = browse->cursor;
	int rc;

	if (task->slowest_ns < 0)
		return task->moved ? 0 : -ENOENT;
	rc = tl_browse_unfold(browse);
	if (rc < 0)
		return rc;
	tl_browse_next(&cursor); /* its first child */
	cursor.index = task->slowest;
	browse->cursor = cursor; /* it is shown when all is done */
	task->moved = true;
	return task->deep ? begin_children(task) : 0;
}

static int
compare(struct tl_task *task)
{
	const struct tl_node *node;
	int64_t ns;
	int rc;

	for (unsigned i = 0; i < TL_TASK_STEP; i++) {
		if (task->index == task->branch.child_count)
			return take_slowest(task);
		rc = tl_tree_branch_child(&task->browse->pool, &task->branch,
		    task->index, &node);
		if (rc < 0)
			return rc;
		ns = node ? time_of(task, node) : -1;
		if (ns > task->slowest_ns) {
			task->slowest_ns = ns;
			task->slowest = task->index;
		}
		task->index++;
		task->seen++;
	}
	return 1;
}

/* Those of the node at the cursor: 1; 0 it has none, though others had. */
static int
begin_children(struct tl_task *task)
{
	struct tl_browse *browse = task->browse;
	struct tl_row row;
	int rc = tl_browse_row(browse, browse->cursor, &row);

	if (rc < 0)
		return rc;
	if (!row.node || row.node->child_count == 0)
		return 0;
	tl_tree_branch_drop(&browse->pool, &task->branch);
	tl_tree_branch_init(&task->branch,
	    tl_forest_source(browse->forest, row.thread_number)->trace,
	    row.node);
	task->index = 0;
	task->slowest_ns = -1;
	return 1;
}

int
tl_task_slowest(struct tl_task *task, struct tl_browse *browse, bool deep)
{
	int rc;

	*task = (struct tl_task){ .browse = browse,
		.step = compare,
		.walk.pool = &browse->pool,
		.deep = deep };
	if (browse->forest->thread_count == 0)
		return -ENOENT;
	rc = begin_children(task);
	return rc == 0 ? -ENOENT : rc;
}

void
tl_task_end(struct tl_task *task)
{
	if (task->moved)
		tl_browse_go(task->browse, task->browse->cursor);
	tl_tree_walk_free(&task->walk);
	tl_tree_branch_drop(&task->browse->pool, &task->branch);
	tl_text_free(&task->line);
}
