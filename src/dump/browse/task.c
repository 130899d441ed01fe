/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - search, filter, find the slowest child, merge equal calls. */
#include "dump/browse/task.h"

#include "base/array.h"
#include "dump/tree/line.h"

#include <errno.h>
#include <stdlib.h>

/* == search == */

/* Move the walk to a place. */
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

/* Move the walk to the heading of the next thread in turn.  1; -ENOENT: no
 * thread is left. */
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
	    tl_forest_source(forest, task->thread)->trees,
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
		return rc < 0 ? rc : 1; /* the walk may be at a heading now */
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

/* Does the line at the walk match?  1: yes; 0; -errno. */
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

/* The numbers of the walk's node, the thread first.  The caller frees the
 * array. */
static uint64_t *
numbers_of(const struct tl_task *task, size_t *count)
{
	const struct tl_tree_frame *frame;
	uint64_t *numbers;
	size_t i = 1;

	for (frame = task->walk.top; frame; frame = frame->outer)
		i++;
	*count = i;
	numbers = calloc(i, sizeof(*numbers));
	if (!numbers)
		return NULL;
	numbers[0] = task->thread;
	for (frame = task->walk.top; frame; frame = frame->outer)
		numbers[--i] = frame->index;
	return numbers;
}

/* Move the cursor to the walk's node.  0; 1: the filter hides the node;
 * -errno. */
static int
take_cursor(struct tl_task *task)
{
	size_t count;
	uint64_t *numbers = numbers_of(task, &count);
	int rc = 1;

	if (!numbers)
		return -ENOMEM;
	if (tl_browse_shows(task->browse, numbers, count))
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
		if (rc > 0) {
			rc = take_cursor(task);
			if (rc <= 0)
				return rc;
		}
		if (rc < 0)
			return rc;
	}
	return 1;
}

/* Make a task whose walk begins at the cursor. */
static int
start_walk(struct tl_task *task, const struct tl_task *from)
{
	const struct tl_place at = from->browse->cursor;
	int rc;

	*task = *from;
	if (task->browse->forest->thread_count == 0)
		return -ENOENT;
	rc = go_to(&task->walk, at);
	task->thread = at.fold->parent ? at.fold->thread : at.index;
	return rc < 0 ? rc : 1;
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
	return start_walk(task,
	    &(struct tl_task){ .browse = browse,
		.step = search,
		.walk.pool = &browse->pool,
		.wanted = wanted,
		.any_case = !has_capital(wanted),
		.forward = forwards,
		.threads_left = browse->forest->thread_count + 1 });
}

/* == filter == */

/* The child of an inner node of the filter.  The child is added unless it is
 * the last one. */
static struct tl_kept *
keep_child(struct tl_task *task, struct tl_kept *kept, uint64_t index)
{
	if (kept->count > 0 && kept->children[kept->count - 1].index == index)
		return &kept->children[kept->count - 1];
	if (TL_ARRAY_ROOM(kept->children, kept->capacity, kept->count) < 0)
		return NULL;
	task->kept++;
	kept->children[kept->count] = (struct tl_kept){ .index = index };
	return &kept->children[kept->count++];
}

/* Add the walk's node and all nodes around to the filter. */
static int
keep(struct tl_task *task)
{
	struct tl_kept *kept = &task->filter;
	size_t count;
	uint64_t *numbers = numbers_of(task, &count);

	if (!numbers)
		return -ENOMEM;
	for (size_t i = 0; i < count && kept; i++)
		kept = keep_child(task, kept, numbers[i]);
	free(numbers);
	return kept ? 0 : -ENOMEM;
}

static int
finish_filter(struct tl_task *task)
{
	int rc = -ENOENT;

	if (task->kept > 0) {
		tl_tree_walk_free(&task->walk);
		rc = tl_browse_set_filter(task->browse, &task->filter);
	}
	return rc;
}

static int
filter(struct tl_task *task)
{
	for (unsigned i = 0; i < TL_TASK_STEP; i++) {
		int rc = look(task);

		task->seen++;
		if (rc > 0) {
			rc = keep(task);
			if (rc < 0)
				return rc;
			if (task->kept >= TL_KEPT_MAX) {
				task->truncated = true;
				return finish_filter(task);
			}
			/* nodes inside a match are shown anyway */
			rc =
			    task->walk.top ? tl_tree_walk_over(&task->walk) : 0;
			if (rc == 0)
				rc = next_thread(task);
		} else if (rc == 0) {
			rc = forward(task);
		}
		if (rc == -ENOENT)
			return finish_filter(task);
		if (rc < 0)
			return rc;
	}
	return 1;
}

int
tl_task_filter(struct tl_task *task, struct tl_browse *browse,
    const char *wanted)
{
	*task = (struct tl_task){ .browse = browse,
		.step = filter,
		.walk.pool = &browse->pool,
		.wanted = wanted,
		.any_case = !has_capital(wanted),
		.forward = true,
		.threads_left = browse->forest->thread_count };
	return browse->forest->thread_count == 0 ? -ENOENT : 1;
}

/* == equal calls merged == */

/* Move the walk to the first child of the cursor's node.  1; -ENOENT: no
 * children. */
static int
begin_merge(struct tl_task *task)
{
	struct tl_browse *browse = task->browse;
	struct tl_row row;
	int rc;

	if (browse->forest->thread_count == 0)
		return -ENOENT;
	rc = tl_browse_row(browse, browse->cursor, &row);
	if (rc < 0)
		return rc;
	if (!row.node || row.node->child_count == 0)
		return -ENOENT;
	task->thread = row.thread_number;
	task->merged->root.total_ns =
	    row.thread ? row.thread->max_ns - row.thread->min_ns
		       : tl_browse_duration(browse, task->thread, row.node);
	rc = tl_tree_walk_into(&task->walk,
	    tl_forest_source(browse->forest, row.thread_number)->trees,
	    row.node);
	return rc < 0 ? rc : 1;
}

static int
merge(struct tl_task *task)
{
	for (unsigned i = 0; i < TL_TASK_STEP; i++) {
		const struct tl_node *node;
		int rc = tl_tree_walk_node(&task->walk, &node);

		if (rc == 0 && node)
			rc = tl_merged_add(task->merged, node,
			    tl_browse_duration(task->browse, task->thread,
				node),
			    task->seen);
		if (rc == 0)
			rc = tl_tree_walk_next(&task->walk);
		if (rc == 0)
			return tl_merged_finish(task->merged);
		if (rc < 0)
			return rc;
		task->seen++;
	}
	return 1;
}

int
tl_task_merge(struct tl_task *task, struct tl_browse *browse,
    struct tl_merged *merged)
{
	*task = (struct tl_task){ .browse = browse,
		.step = merge,
		.walk.pool = &browse->pool,
		.merged = merged };
	return begin_merge(task);
}

static int
go(struct tl_task *task)
{
	for (unsigned i = 0; i < TL_TASK_STEP; i++) {
		int rc;

		if (task->seen > task->steps) {
			rc = take_cursor(task);
			return rc > 0 ? -ENOENT : rc;
		}
		rc = forward(task);
		if (rc < 0)
			return rc;
		task->seen++;
	}
	return 1;
}

int
tl_task_go(struct tl_task *task, struct tl_browse *browse, uint64_t steps)
{
	return start_walk(task,
	    &(struct tl_task){ .browse = browse,
		.step = go,
		.walk.pool = &browse->pool,
		.forward = true,
		.steps = steps,
		.threads_left = browse->forest->thread_count + 1 });
}

/* == the slowest child == */

static int begin_children(struct tl_task *task);

/* All children have been compared: go to the slowest. */
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
	tl_browse_next(&cursor); /* the first child */
	cursor.index = task->slowest;
	browse->cursor = cursor; /* the screen is drawn when the task is done */
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
		ns = node && (!task->shown ||
				 tl_kept_child(task->shown, task->index))
			 ? tl_browse_duration(task->browse, task->thread, node)
			 : -1;
		if (ns > task->slowest_ns) {
			task->slowest_ns = ns;
			task->slowest = task->index;
		}
		task->index++;
		task->seen++;
	}
	return 1;
}

/* Start with the children of the cursor's node.  1; 0: no children; -errno. */
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
	    tl_forest_source(browse->forest, row.thread_number)->trees,
	    row.node);
	task->thread = row.thread_number;
	task->shown = tl_browse_kept(browse->cursor);
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
	tl_kept_free(&task->filter);
}
