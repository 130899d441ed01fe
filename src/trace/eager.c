/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eager.c - all of a trace as trees, in one pass.
 *
 * Each thread has a stack of the spans that are open.  Where blocks are lost,
 * the next one says how many spans are open in it: the outer ones are taken
 * for those that were open before, the rest began in what is lost (orphans),
 * and what is in them belongs to the span around.
 */
#include "base/array.h"
#include "trace/context.h"
#include "trace/id_table.h"
#include "trace/point.h"
#include "trace/read.h"
#include "trace/scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct level {
	struct tl_node *node;
	uint64_t orphans; /* levels right inside it whose begin is lost */
};

struct tree {
	struct tl_trace_thread thread;
	struct tl_node *root;
	struct level *levels;
	size_t top;
	size_t capacity;
	uint64_t depth; /* of levels and orphans together */
	bool broken;    /* was the end of the last block not read? */
};

struct tl_trace_eager {
	struct tl_trace_read_options options;
	struct tl_scan scan;
	struct tl_context context;
	struct tl_node_budget budget;
	struct tl_id_table ids;
	struct tree **trees; /* as they are met; by id once it is done */
	size_t count;
	size_t capacity;
};

static int
push(struct tree *t, struct tl_node *node)
{

	if (TL_ARRAY_ROOM(t->levels, t->capacity, t->top + 1) < 0)
		return -ENOMEM;
	t->levels[++t->top] = (struct level){ node, 0 };
	t->depth++;
	return 0;
}

static void
free_tree(struct tree *t, struct tl_node_budget *budget)
{
	if (t)
		tl_node_free(t->root, budget);
	if (t)
		free(t->levels);
	free(t);
}

static int
new_tree(struct tl_trace_eager *e, int32_t id, struct tree **tree)
{
	enum { LEVELS_FIRST = 16 };
	struct tree *t = calloc(1, sizeof(*t));
	int rc = t ? 0 : -ENOMEM;

	if (t) {
		t->thread = (struct tl_trace_thread){ .id = id,
			.min_ns = INT64_MAX,
			.max_ns = INT64_MIN };
		t->levels = calloc(LEVELS_FIRST, sizeof(*t->levels));
		t->capacity = LEVELS_FIRST;
		t->root = tl_node_new(&e->budget, &rc);
	}
	if (!t || !t->levels || !t->root) {
		free_tree(t, &e->budget);
		return rc < 0 ? rc : -ENOMEM;
	}
	t->levels[0].node = t->root;
	*tree = t;
	return 0;
}

static int
get_tree(struct tl_trace_eager *e, int32_t id, struct tree **tree)
{
	size_t i;
	int rc;

	if (TL_ARRAY_ROOM(e->trees, e->capacity, e->count) < 0)
		return -ENOMEM;
	rc = tl_id_table_get(&e->ids, id, &i);
	if (rc > 0 && (rc = new_tree(e, id, tree)) == 0)
		e->trees[e->count++] = *tree;
	else if (rc == 0 && i >= e->count)
		rc = -ENOMEM; /* there was none for it when it was met */
	else if (rc == 0)
		*tree = e->trees[i];
	return rc;
}

static int
by_id(const void *a, const void *b)
{
	const struct tree *p = *(struct tree *const *)a;
	const struct tree *q = *(struct tree *const *)b;

	return (p->thread.id > q->thread.id) - (p->thread.id < q->thread.id);
}

/* Blocks are lost: this many levels are open after them. */
static void
skip_to(struct tree *t, uint64_t depth)
{
	while (t->depth > depth) {
		struct level *top = &t->levels[t->top];
		const uint64_t excess = t->depth - depth;

		if (top->orphans > 0) {
			const uint64_t gone =
			    excess < top->orphans ? excess : top->orphans;

			top->orphans -= gone;
			t->depth -= gone;
		} else {
			t->top--;
			t->depth--;
		}
	}
	t->levels[t->top].orphans += depth - t->depth;
	t->depth = depth;
}

/* An event becomes the last child of what is open. */
static int
add_child(struct tl_trace_eager *e, struct tree *t, struct tl_point *point,
    struct tl_node **child)
{
	int rc = 0;
	struct tl_node *node = tl_node_new(&e->budget, &rc);

	if (!node)
		return rc;
	node->event = point->event;
	rc = tl_node_append(t->levels[t->top].node, node, &e->budget);
	if (rc < 0) {
		tl_node_free(node, &e->budget);
		return rc;
	}
	*child = node;
	return 0;
}

static int
end_span(struct tl_trace_eager *e, struct tree *t, struct tl_point *point)
{
	struct level *top = &t->levels[t->top];
	struct tl_node *node = top->node;
	const bool lost = top->orphans > 0 || t->top == 0;

	if (top->orphans > 0)
		top->orphans--;
	else if (t->top > 0)
		t->top--;
	if (t->depth > 0)
		t->depth--;
	if (lost)
		return point->silent ? 0 : add_child(e, t, point, &node);
	if (point->silent && !point->event.bare)
		node->ended = TL_NODE_CROSSED;
	if (point->silent || node->event.message != point->event.message)
		return 0; /* it is unfinished */
	node->ended = TL_NODE_ENDED;
	node->end = point->event;
	return 0;
}

static int
add_point(struct tl_trace_eager *e, struct tree *t, struct tl_point *point)
{
	struct tl_node *child;
	int rc;

	if (point->kind != TL_TRACE_LOSS) {
		point->event.message =
		    tl_context_message(&e->context, point->message);
		point->event.level = point->event.message->level;
	}
	if (!point->silent)
		t->thread.events++;
	if (point->kind == TL_TRACE_FOOTER)
		return end_span(e, t, point);
	rc = add_child(e, t, point, &child);
	if (rc < 0 || point->kind != TL_TRACE_SPAN)
		return rc;
	child->ended = TL_NODE_UNFINISHED;
	return push(t, child);
}

static int
add_points(struct tl_trace_eager *e, struct tree *t, uint64_t at,
    struct tl_bytes content)
{
	struct tl_data_in in = tl_data_in(content.data, content.size);
	struct tl_point_state state = { 0 };
	struct tl_point point;
	int rc = 0;

	while (rc == 0 && in.at < in.size) {
		rc = tl_point_get(&point, &state, &in);
		if (rc == 0)
			rc = add_point(e, t, &point);
	}
	if (rc != -EBADMSG)
		return rc;
	e->scan.damage++;
	tl_trace_say(&e->options.report, rc, at,
	    "an object of thread %" PRId32 " is damaged: the rest of its block "
	    "is lost",
	    t->thread.id);
	t->broken = true;
	return 0;
}

/* Does it go on where the last block of its thread ended? */
static bool
goes_on(struct tl_trace_eager *e, const struct tree *t,
    const struct tl_trace_block *block, uint64_t at)
{
	if (block->logical < t->thread.size) {
		e->scan.damage++;
		tl_trace_say(&e->options.report, -EBADMSG, at,
		    "a block of thread %" PRId32 " comes again: not taken",
		    block->thread);
		return false;
	}
	if (block->logical > t->thread.size) {
		e->scan.damage++;
		tl_trace_say(&e->options.report, -EBADMSG, at,
		    "%" PRIu64 " bytes of thread %" PRId32
		    " are lost before this block",
		    block->logical - t->thread.size, block->thread);
	}
	return true;
}

static int
add_block(struct tl_trace_eager *e, struct tree *t,
    const struct tl_trace_block *block, uint64_t at, struct tl_bytes content)
{
	struct tl_trace_thread *thread = &t->thread;

	if (!goes_on(e, t, block, at))
		return 0;
	if (block->logical > thread->size || t->broken ||
	    block->depth != t->depth)
		skip_to(t, block->depth);
	t->broken = false;
	thread->size = block->logical + block->size;
	if (block->min_ns < thread->min_ns)
		thread->min_ns = block->min_ns;
	if (block->max_ns > thread->max_ns)
		thread->max_ns = block->max_ns;
	return add_points(e, t, at, content);
}

static int
take_block(void *context, const struct tl_trace_block *block, uint64_t at,
    struct tl_bytes content)
{
	struct tl_trace_eager *e = context;
	struct tree *t;
	int rc;

	if (block->thread == TL_TRACE_DEFINITIONS) {
		rc = tl_context_read_all(&e->context, content);
		if (rc == -EBADMSG) {
			e->scan.damage++;
			tl_trace_say(&e->options.report, rc, at,
			    "a definition is damaged: those behind it in its "
			    "block are lost");
		}
		return rc == -EBADMSG ? 0 : rc;
	}
	rc = get_tree(e, block->thread, &t);
	return rc < 0 ? rc : add_block(e, t, block, at, content);
}

int
tl_trace_eager_new(struct tl_trace_eager **eager,
    const struct tl_trace_read_options *options)
{
	struct tl_trace_eager *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->options = *options;
	e->budget.max = options->memory_max;
	tl_scan_init(&e->scan, &e->options, take_block, e);
	tl_context_init(&e->context);
	*eager = e;
	return 0;
}

int
tl_trace_eager_feed(struct tl_trace_eager *e, struct tl_bytes piece)
{
	return tl_scan_feed(&e->scan, piece);
}

/* What is open now was never ended. */
static void
say_open(struct tl_trace_eager *e)
{
	uint64_t open = 0;

	for (size_t i = 0; i < e->count; i++)
		open += e->trees[i]->top;
	if (open > 0)
		tl_trace_say(&e->options.report, 0, e->scan.at,
		    "%" PRIu64 " spans have no end: they are unfinished", open);
}

static void
set_level(struct tl_event *event)
{
	if (event->message)
		event->level = event->message->level;
}

/* Messages that were defined after their events gave them no level.  The
 * stack of the tree, which is done, holds the way to the node at hand; the
 * orphans' place how many children of it were visited. */
static int
set_levels(struct tree *t)
{
	t->top = 0;
	t->levels[0].orphans = 0;
	for (;;) {
		struct level *top = &t->levels[t->top];
		struct tl_node *child = tl_node_child(top->node, top->orphans);
		int rc;

		if (child) {
			top->orphans++;
			set_level(&child->event);
			set_level(&child->end);
			if (child->child_count > 0 && (rc = push(t, child)) < 0)
				return rc;
		} else if (t->top-- == 0) {
			return 0;
		}
	}
}

int
tl_trace_eager_finish(struct tl_trace_eager *e)
{
	int rc = tl_scan_finish(&e->scan);

	tl_context_settle(&e->context);
	if (e->count > 1)
		qsort(e->trees, e->count, sizeof(struct tree *), by_id);
	if (rc == 0)
		say_open(e);
	for (size_t i = 0; rc == 0 && e->context.unknown > 0 && i < e->count;
	     i++)
		rc = set_levels(e->trees[i]);
	return rc;
}

size_t
tl_trace_eager_count(const struct tl_trace_eager *e)
{
	return e->count;
}

const struct tl_node *
tl_trace_eager_tree(const struct tl_trace_eager *e, size_t i,
    struct tl_trace_thread *thread)
{
	struct tree *t = e->trees[i];
	struct tl_context_thread known;

	if (thread) {
		*thread = t->thread;
		if (tl_context_thread(&e->context, thread->id, &known)) {
			thread->pid = known.pid;
			thread->tid = known.tid;
			thread->name = known.name;
			thread->command = known.command;
		}
	}
	return t->root;
}

uint64_t
tl_trace_eager_damage(const struct tl_trace_eager *e)
{
	return e->scan.damage;
}

void
tl_trace_eager_free(struct tl_trace_eager *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->count; i++)
		free_tree(e->trees[i], &e->budget);
	free(e->trees);
	tl_id_table_free(&e->ids);
	tl_scan_free(&e->scan);
	tl_context_free(&e->context);
	free(e);
}
