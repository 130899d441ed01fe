/* SPDX-License-Identifier: Apache-2.0 */
/* nodes.c - the trees of a recorded trace. */
#include "read/read.h"

#include "base/array.h"
#include "trace/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct tl_node *
ours(const struct timeline_node *node)
{
	union {
		const struct timeline_node *theirs;
		struct tl_node *ours;
	} cast = { node };

	return cast.ours;
}

static struct timeline_node *
theirs(struct tl_node *node)
{
	return (struct timeline_node *)(void *)node;
}

static struct timeline_reader *
reader_of(const struct timeline_node *node)
{
	return ours(node)->owner;
}

/* == roots == */

void
tl_read_free_roots(struct timeline_reader *r)
{
	const size_t count = r->thread_texts ? r->trees->count : 0;

	for (size_t i = 0; i < count; i++)
		free(r->thread_texts[i]);
	free(r->thread_texts);
	free(r->threads);
	free(r->roots);
	r->thread_texts = NULL;
	r->threads = NULL;
	r->roots = NULL;
}

static int
make_roots(struct timeline_reader *r)
{
	const size_t count = r->trees->count;
	int rc;

	r->thread_texts = calloc(count + 1, sizeof(*r->thread_texts));
	r->threads = calloc(count + 1, sizeof(*r->threads));
	r->roots = calloc(count + 1, sizeof(*r->roots));
	rc = r->thread_texts && r->threads && r->roots ? 0 : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct tl_trace_thread *t = &r->trees->threads[i];
		char *text = calloc(1, t->name.size + t->command.size + 2);

		if (!text) {
			rc = -ENOMEM;
			break;
		}
		if (t->name.size > 0)
			memcpy(text, t->name.data, t->name.size);
		if (t->command.size > 0)
			memcpy(text + t->name.size + 1, t->command.data,
			    t->command.size);
		r->thread_texts[i] = text;
		r->threads[i] = (struct timeline_read_thread){ .pid = t->pid,
			.tid = t->tid,
			.name = text,
			.command = text + t->name.size + 1,
			.events = t->events,
			.first_ns = t->min_ns,
			.last_ns = t->max_ns };
		r->roots[i] = &r->trees->roots[i];
		r->roots[i]->owner = r;
	}
	if (rc < 0)
		tl_read_free_roots(r);
	return rc;
}

int
timeline_read_roots(struct timeline_reader *r,
    struct timeline_node *const **roots, size_t *count)
{
	const struct tl_trace_read_options options = {
		.memory_max = r->options.memory_max
	};

	*roots = NULL;
	*count = 0;
	if (!r->trees && r->sources.count == 1 && r->sources.items[0].foreign) {
		struct tl_source *source = &r->sources.items[0];
		struct tl_cursor *events;
		int rc =
		    tl_sources_spans(&r->sources, TL_OLDEST_FIRST, &events);

		if (rc == 0)
			rc = tl_tree_make(&r->made, &options, source, events,
			    NULL);
		if (rc < 0)
			return tl_read_fail(rc,
			    "%s: its trees cannot be made: %s", source->name,
			    strerror(-rc));
		r->trees = tl_trace_trees(r->made);
	}
	if (!r->trees)
		return tl_read_fail(-ENOTSUP,
		    "a %s has no call tree: timeline-convert -o OUT.trace "
		    "writes it as a trace, which has one for each thread",
		    r->sources.count > 1 ? "merged input"
					 : timeline_read_format(r));
	if (!r->roots && make_roots(r) < 0)
		return tl_read_fail(-ENOMEM, "not enough memory");
	*roots = (struct timeline_node *const *)(void *)r->roots;
	*count = r->trees->count;
	return 0;
}

/* The state of a walk over all nodes. */
struct place {
	struct timeline_node *node;
	uint64_t next; /* next child */
};

/* Load all nodes below a root.  The walk has a stack of its own, because a
 * trace may nest to any depth. */
static int
load_below(struct timeline_node *root)
{
	struct place *stack = NULL;
	size_t count = 0, capacity = 0;
	struct timeline_node *node = root;
	int rc = 0;

	while (rc == 0) {
		if (node && timeline_node_children(node) > 0) {
			rc = timeline_node_load(node, 0, UINT64_MAX);
			if (rc == 0 &&
			    TL_ARRAY_ROOM(stack, capacity, count) < 0)
				rc = tl_read_fail(-ENOMEM, "not enough memory");
			if (rc == 0)
				stack[count++] = (struct place){ node, 0 };
		}
		while (count > 0 &&
		       stack[count - 1].next ==
			   timeline_node_children(stack[count - 1].node))
			count--;
		if (count == 0)
			break;
		node = timeline_node_child(stack[count - 1].node,
		    stack[count - 1].next++);
	}
	free(stack);
	return rc;
}

int
timeline_read_eager(struct timeline_reader *r)
{
	struct timeline_node *const *roots;
	size_t count;
	int rc = timeline_read_roots(r, &roots, &count);

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = load_below(roots[i]);
	return rc;
}

uint64_t
timeline_read_memory(const struct timeline_reader *r)
{
	return r->trees ? r->trees->budget.used : 0;
}

/* == nodes == */

uint64_t
timeline_node_children(const struct timeline_node *node)
{
	return ours(node)->child_count;
}

uint64_t
timeline_node_loaded(const struct timeline_node *node)
{
	return ours(node)->loaded;
}

int
timeline_node_load(struct timeline_node *node, uint64_t first, uint64_t count)
{
	struct timeline_reader *r = reader_of(node);
	const int rc = tl_trees_load(r->trees, ours(node), first, count);

	tl_read_report(r);
	if (rc == -EDQUOT)
		return tl_read_fail(rc,
		    "the nodes would take more than options.memory_max, %llu "
		    "bytes: forget some",
		    (unsigned long long)r->options.memory_max);
	return rc < 0 ? tl_read_fail(rc, "nodes cannot be loaded: %s",
			    strerror(-rc))
		      : 0;
}

struct timeline_node *
timeline_node_child(const struct timeline_node *node, uint64_t i)
{
	return theirs(tl_node_child(ours(node), i));
}

void
timeline_node_forget(struct timeline_node *node, uint64_t first, uint64_t count)
{
	tl_node_forget_range(ours(node), first, count,
	    &reader_of(node)->trees->budget);
}

struct timeline_node *
timeline_node_parent(const struct timeline_node *node)
{
	return theirs(ours(node)->parent);
}

const struct timeline_read_thread *
timeline_node_thread(const struct timeline_node *node)
{
	return &reader_of(node)->threads[ours(node)->thread];
}

int
timeline_node_text(const struct timeline_node *node, char *text, size_t size)
{
	struct timeline_reader *r = reader_of(node);
	const struct tl_node *n = ours(node);

	if (n->parent) {
		tl_render_node(&r->text, &n->event, n->ended != TL_NODE_LEAF);
		return tl_read_copy(r, text, size);
	}
	if (timeline_node_thread(node)->name[0] != '\0') {
		tl_put_plain(&r->text,
		    tl_bytes_of(timeline_node_thread(node)->name));
	} else {
		tl_put_string(&r->text, "thread ");
		tl_put_unsigned(&r->text, timeline_node_thread(node)->tid);
	}
	return tl_read_copy(r, text, size);
}

const struct timeline_read_event *
timeline_node_event(const struct timeline_node *node)
{
	struct timeline_reader *r = reader_of(node);
	const struct tl_node *n = ours(node);

	if (!n->parent || tl_read_fill(r, &n->event, &r->node_event) < 0)
		return NULL;
	if (n->ended == TL_NODE_ENDED)
		r->node_event.duration_ns = tl_node_duration(n);
	return &r->node_event;
}

const struct timeline_read_event *
timeline_node_end(const struct timeline_node *node)
{
	struct timeline_reader *r = reader_of(node);
	const struct tl_node *n = ours(node);

	if (n->ended != TL_NODE_ENDED ||
	    tl_read_fill(r, &n->end, &r->node_end) < 0)
		return NULL;
	r->node_end.duration_ns = tl_node_duration(n);
	return &r->node_end;
}
