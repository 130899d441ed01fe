/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - find rows in a tree of folds. */
#include "dump/browse/model.h"

#include "base/array.h"
#include "dump/tree/line.h"

#include <errno.h>
#include <stdlib.h>

/* The index of a child among the inner folds, or the index to insert the child
 * at. */
static size_t
find_inner(const struct tl_fold *fold, uint64_t index)
{
	size_t i;

	TL_SEARCH(i, 0, fold->inner_count, fold->inner[i]->index < index);
	return i;
}

/* The unfolded node at a place.  NULL: none. */
static struct tl_fold *
fold_at(struct tl_place place)
{
	const size_t at = find_inner(place.fold, place.index);

	if (at == place.fold->inner_count ||
	    place.fold->inner[at]->index != place.index)
		return NULL;
	return place.fold->inner[at];
}

bool
tl_browse_same(struct tl_place a, struct tl_place b)
{
	return a.fold == b.fold && a.index == b.index;
}

static struct tl_place
place_of(const struct tl_fold *fold)
{
	return (struct tl_place){ fold->parent, fold->index };
}

/* == children that the filter shows == */

/* The index of a child among the children that the filter shows, or the index
 * that the child would have. */
static size_t
find_kept(const struct tl_kept *kept, uint64_t index)
{
	size_t i;

	TL_SEARCH(i, 0, kept->count, kept->children[i].index < index);
	return i;
}

const struct tl_kept *
tl_kept_child(const struct tl_kept *kept, uint64_t index)
{
	const size_t at = find_kept(kept, index);

	return at < kept->count && kept->children[at].index == index
		   ? &kept->children[at]
		   : NULL;
}

const struct tl_kept *
tl_browse_kept(struct tl_place place)
{
	const struct tl_kept *kept = place.fold->kept;

	if (kept)
		kept = tl_kept_child(kept, place.index);
	return kept && kept->children ? kept : NULL;
}

/* The first child that the filter shows.  A fold always has such a child. */
static uint64_t
first_child(const struct tl_fold *fold)
{
	return fold->kept ? fold->kept->children[0].index : 0;
}

static uint64_t
last_child(const struct tl_fold *fold)
{
	return fold->kept ? fold->kept->children[fold->kept->count - 1].index
			  : fold->branch.child_count - 1;
}

static uint64_t
next_child(const struct tl_fold *fold, uint64_t index)
{
	return fold->kept
		   ? fold->kept->children[find_kept(fold->kept, index) + 1]
			 .index
		   : index + 1;
}

static uint64_t
previous_child(const struct tl_fold *fold, uint64_t index)
{
	return fold->kept
		   ? fold->kept->children[find_kept(fold->kept, index) - 1]
			 .index
		   : index - 1;
}

bool
tl_browse_next(struct tl_place *place)
{
	struct tl_fold *inner = fold_at(*place);
	struct tl_place at = *place;

	if (inner) {
		*place = (struct tl_place){ inner, first_child(inner) };
		return true;
	}
	while (at.fold->branch.child_count == 0 ||
	       at.index >= last_child(at.fold)) {
		if (!at.fold->parent)
			return false;
		at = place_of(at.fold);
	}
	*place = (struct tl_place){ at.fold, next_child(at.fold, at.index) };
	return true;
}

/* The last visible row inside a place; the place itself if nothing is
 * inside. */
static struct tl_place
last_below(struct tl_place place)
{
	struct tl_fold *inner;

	while ((inner = fold_at(place)))
		place = (struct tl_place){ inner, last_child(inner) };
	return place;
}

bool
tl_browse_previous(struct tl_place *place)
{
	if (place->index > first_child(place->fold)) {
		place->index = previous_child(place->fold, place->index);
		*place = last_below(*place);
		return true;
	}
	if (!place->fold->parent)
		return false;
	*place = place_of(place->fold);
	return true;
}

/* The number of the thread that contains a place. */
static uint64_t
thread_of(struct tl_place place)
{
	return place.fold->parent ? place.fold->thread : place.index;
}

int
tl_browse_row(struct tl_browse *browse, struct tl_place place,
    struct tl_row *row)
{
	*row = (struct tl_row){ .place = place,
		.thread_number = thread_of(place),
		.unfolded = fold_at(place) != NULL };
	if (place.fold->parent) {
		row->depth = (uint64_t)place.fold->branch.depth + 1;
		return tl_tree_branch_child(&browse->pool, &place.fold->branch,
		    place.index, &row->node);
	}
	row->thread = tl_forest_thread(browse->forest, place.index);
	row->node = tl_forest_root(browse->forest, place.index);
	return 0;
}

/* == scrolling == */

/* The number of rows from one place down to another; max: at least max rows, or
 * the other place is above. */
static uint64_t
distance(struct tl_place from, struct tl_place to, uint64_t max)
{
	uint64_t rows = 0;

	while (rows < max && !tl_browse_same(from, to)) {
		if (!tl_browse_next(&from))
			return max;
		rows++;
	}
	return rows;
}

/* Move the top so that the cursor is visible: scroll if the cursor is near,
 * else put the cursor in the middle. */
static void
show_cursor(struct tl_browse *browse)
{
	const uint64_t height = browse->height;
	struct tl_place top = browse->cursor;
	uint64_t rows;

	if (distance(browse->top, browse->cursor, height) < height)
		return;
	if (distance(browse->cursor, browse->top, height) < height)
		rows = 0;
	else if (distance(browse->top, browse->cursor, 2 * height) < 2 * height)
		rows = height - 1;
	else
		rows = height / 2;
	while (rows-- > 0 && tl_browse_previous(&top))
		;
	browse->top = top;
}

void
tl_browse_resize(struct tl_browse *browse, uint64_t height)
{
	browse->height = height > 0 ? height : 1;
	show_cursor(browse);
}

void
tl_browse_go(struct tl_browse *browse, struct tl_place place)
{
	browse->cursor = place;
	show_cursor(browse);
}

void
tl_browse_move(struct tl_browse *browse, int64_t rows)
{
	for (; rows > 0 && tl_browse_next(&browse->cursor); rows--)
		;
	for (; rows < 0 && tl_browse_previous(&browse->cursor); rows++)
		;
	show_cursor(browse);
}

void
tl_browse_home(struct tl_browse *browse)
{
	tl_browse_go(browse,
	    (struct tl_place){ &browse->all, first_child(&browse->all) });
}

void
tl_browse_end(struct tl_browse *browse)
{
	if (browse->all.branch.child_count == 0)
		return;
	tl_browse_go(browse, last_below((struct tl_place){ &browse->all,
				 last_child(&browse->all) }));
}

bool
tl_browse_up(struct tl_browse *browse)
{
	if (!browse->cursor.fold->parent)
		return false;
	tl_browse_go(browse, place_of(browse->cursor.fold));
	return true;
}

bool
tl_browse_sibling(struct tl_browse *browse, int step)
{
	struct tl_place at = browse->cursor;

	if (at.fold->branch.child_count == 0 ||
	    (step < 0 ? at.index <= first_child(at.fold)
		      : at.index >= last_child(at.fold)))
		return false;
	at.index = step < 0 ? previous_child(at.fold, at.index)
			    : next_child(at.fold, at.index);
	tl_browse_go(browse, at);
	return true;
}

/* == unfold and fold == */

static int
add_inner(struct tl_fold *fold, size_t at, struct tl_fold *inner)
{
	const size_t count = fold->inner_count;
	struct tl_fold **list;

	if (TL_ARRAY_ROOM(fold->inner, fold->inner_capacity, count) < 0)
		return -ENOMEM;
	list = fold->inner;
	memmove(list + at + 1, list + at, (count - at) * sizeof(*list));
	list[at] = inner;
	fold->inner_count++;
	return 0;
}

int64_t
tl_browse_duration(const struct tl_browse *browse, uint64_t thread,
    const struct tl_node *node)
{
	struct tl_node until = *node;

	if (!tl_tree_is_span(node))
		return -1;
	if (node->ended == TL_NODE_UNFINISHED) {
		until.ended = TL_NODE_ENDED;
		until.end.ns = tl_forest_thread(browse->forest, thread)->max_ns;
	}
	return tl_node_duration(&until);
}

static int
make_fold(struct tl_browse *browse, const struct tl_row *row)
{
	struct tl_fold *fold = row->place.fold, *inner;
	struct tl_trees *trees =
	    tl_forest_source(browse->forest, row->thread_number)->trees;
	int rc;

	if (browse->fold_count == TL_FOLDS_MAX)
		return -ENOSPC;
	inner = calloc(1, sizeof(*inner));
	if (!inner)
		return -ENOMEM;
	tl_tree_branch_init(&inner->branch, trees, row->node);
	inner->parent = fold;
	inner->index = row->place.index;
	inner->thread = row->thread_number;
	inner->duration_ns =
	    row->thread
		? row->thread->max_ns - row->thread->min_ns
		: tl_browse_duration(browse, row->thread_number, row->node);
	inner->kept = tl_browse_kept(row->place);
	rc = add_inner(fold, find_inner(fold, inner->index), inner);
	if (rc < 0)
		free(inner);
	else
		browse->fold_count++;
	return rc;
}

int
tl_browse_unfold(struct tl_browse *browse)
{
	struct tl_row row;
	int rc;

	if (browse->all.branch.child_count == 0)
		return 0;
	rc = tl_browse_row(browse, browse->cursor, &row);
	if (rc < 0 || row.unfolded || !row.node || row.node->child_count == 0)
		return rc;
	rc = make_fold(browse, &row);
	return rc < 0 ? rc : 1;
}

/* Free a fold and all folds inside.  Without recursion, because folds may be
 * nested deeply. */
static void
free_folds(struct tl_browse *browse, struct tl_fold *fold)
{
	struct tl_fold *at = fold;

	for (;;) {
		struct tl_fold *parent = at->parent;

		if (at->inner_count > 0) {
			at = at->inner[--at->inner_count];
			continue;
		}
		if (at->parent) /* the outermost fold holds no nodes */
			tl_tree_branch_drop(&browse->pool, &at->branch);
		free(at->inner);
		if (at == &browse->all)
			return;
		free(at);
		browse->fold_count--;
		if (at == fold)
			return;
		at = parent;
	}
}

/* Does a place lie in a fold? */
static bool
lies_in(struct tl_place place, const struct tl_fold *fold)
{
	const struct tl_fold *at = place.fold;

	while (at && at != fold)
		at = at->parent;
	return at != NULL;
}

bool
tl_browse_fold(struct tl_browse *browse)
{
	struct tl_fold *inner, *fold = browse->cursor.fold;
	size_t at;

	if (browse->all.branch.child_count == 0 ||
	    !(inner = fold_at(browse->cursor)))
		return false;
	if (lies_in(browse->top, inner))
		browse->top = browse->cursor;
	at = find_inner(fold, inner->index);
	free_folds(browse, inner);
	fold->inner_count--;
	memmove(fold->inner + at, fold->inner + at + 1,
	    (fold->inner_count - at) * sizeof(struct tl_fold *));
	show_cursor(browse);
	return true;
}

/* == paths == */

int
tl_browse_open(struct tl_browse *browse, const uint64_t *numbers, size_t count)
{
	const struct tl_place before = browse->cursor;
	struct tl_place place = { &browse->all, 0 };
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		if (i > 0) {
			browse->cursor = place;
			rc = tl_browse_unfold(browse);
			place.fold = fold_at(place);
		}
		if (rc >= 0 &&
		    (!place.fold ||
			numbers[i] >= place.fold->branch.child_count ||
			(place.fold->kept &&
			    !tl_kept_child(place.fold->kept, numbers[i]))))
			rc = -ENOENT;
		if (rc < 0)
			break;
		place.index = numbers[i];
	}
	browse->cursor = before;
	if (rc < 0)
		return rc;
	tl_browse_go(browse, place);
	return 0;
}

int
tl_browse_open_path(struct tl_browse *browse, const char *path)
{
	uint64_t numbers[TL_TREE_PATH_MAX];
	size_t count = 0;
	int rc = 1;

	while (count < TL_TREE_PATH_MAX &&
	       (rc = tl_tree_path_take(&path, &numbers[count])) > 0)
		count++;
	if (rc != 0 || count == 0)
		return -EINVAL;
	if (numbers[0]-- == 0)
		return -ENOENT;
	return tl_browse_open(browse, numbers, count);
}

/* == filter == */

bool
tl_browse_shows(const struct tl_browse *browse, const uint64_t *numbers,
    size_t count)
{
	const struct tl_kept *kept = &browse->filter;

	for (size_t i = 0; i < count && kept->children; i++) {
		kept = tl_kept_child(kept, numbers[i]);
		if (!kept)
			return false;
	}
	return true;
}

void
tl_kept_free(struct tl_kept *kept)
{
	/* as deep as the trees, so recursion could overflow the stack */
	struct tl_kept *at = kept;

	kept->outer = NULL;
	while (at) {
		if (at->count == 0) {
			free(at->children);
			at = at->outer;
		} else {
			struct tl_kept *last = &at->children[--at->count];

			last->outer = at;
			at = last;
		}
	}
	*kept = (struct tl_kept){ 0 };
}

/* Store the numbers of a place, the thread first, in an array of `count`. */
static void
put_numbers(struct tl_place place, uint64_t *numbers, size_t count)
{
	for (; count > 0; place = place_of(place.fold)) {
		numbers[--count] = place.index;
		if (!place.fold->parent)
			break;
	}
}

static size_t
count_numbers(struct tl_place place)
{
	size_t count = 1;

	for (; place.fold->parent; place = place_of(place.fold))
		count++;
	return count;
}

/* Unfold along the first children, down to the first node that matched. */
static int
open_first(struct tl_browse *browse)
{
	struct tl_place place = { &browse->all, first_child(&browse->all) };
	const struct tl_kept *kept = browse->filter.children;
	int rc = 0;

	browse->cursor = browse->top = place;
	while (kept && kept->children && rc >= 0) {
		rc = tl_browse_unfold(browse);
		if (rc >= 0 && tl_browse_next(&browse->cursor))
			kept = kept->children;
	}
	tl_browse_go(browse, browse->cursor);
	return rc < 0 ? rc : 0;
}

int
tl_browse_set_filter(struct tl_browse *browse, struct tl_kept *filter)
{
	const size_t count = count_numbers(browse->cursor);
	uint64_t *numbers = calloc(count, sizeof(*numbers));
	int rc;

	if (!numbers) {
		if (filter)
			tl_kept_free(filter);
		return -ENOMEM;
	}
	put_numbers(browse->cursor, numbers, count);
	while (browse->all.inner_count > 0)
		free_folds(browse,
		    browse->all.inner[--browse->all.inner_count]);
	tl_kept_free(&browse->filter);
	if (filter) {
		browse->filter = *filter;
		*filter = (struct tl_kept){ 0 };
	}
	browse->all.kept = browse->filter.children ? &browse->filter : NULL;
	browse->cursor = browse->top =
	    (struct tl_place){ &browse->all, first_child(&browse->all) };
	if (!browse->filter.children)
		rc = tl_browse_open(browse, numbers, count);
	else
		rc = open_first(browse);
	free(numbers);
	return rc;
}

void
tl_browse_put_path(struct tl_text *text, struct tl_place place)
{
	uint64_t numbers[TL_TREE_PATH_MAX];
	size_t count = 0;

	while (place.fold->parent && count < TL_TREE_PATH_MAX) {
		numbers[count++] = place.index;
		place = place_of(place.fold);
	}
	tl_tree_put_numbers(text, thread_of(place), numbers, count,
	    place.fold->parent != NULL);
}

static void
find_start(struct tl_browse *browse)
{
	bool found = false;

	for (uint64_t i = 0; i < browse->forest->thread_count; i++) {
		const struct tl_trace_thread *thread =
		    tl_forest_thread(browse->forest, i);

		if (thread->events > 0 &&
		    (!found || thread->min_ns < browse->start_ns)) {
			browse->start_ns = thread->min_ns;
			found = true;
		}
	}
}

int
tl_browse_init(struct tl_browse *browse, const struct tl_forest *forest)
{
	int rc = 0;

	*browse = (struct tl_browse){ .forest = forest, .height = 1 };
	browse->all.branch.child_count = forest->thread_count;
	browse->cursor = (struct tl_place){ &browse->all, 0 };
	browse->top = browse->cursor;
	find_start(browse);
	if (forest->thread_count == 1)
		rc = tl_browse_unfold(browse);
	return rc < 0 ? rc : 0;
}

void
tl_browse_free(struct tl_browse *browse)
{
	free_folds(browse, &browse->all);
	tl_kept_free(&browse->filter);
}
