/* SPDX-License-Identifier: Apache-2.0 */
/* tree_select.c - a tree as the events that it was made of. */
#include "dump/tree_select.h"

#include "dump/tree_line.h"
#include "dump/tree_walk.h"

struct copy {
	struct tl_select *select;
	const struct tl_trace_thread *thread;
	struct tl_trace_stream *stream;
	struct tl_tree_walk walk;
};

static int
put(struct copy *c, const struct tl_event *event)
{
	struct tl_event own = *event;
	int rc;

	if (own.pid == 0 && own.tid == 0) { /* its thread says it for all */
		own.pid = c->thread->pid;
		own.tid = c->thread->tid;
	}
	tl_progress_tick(&c->select->progress);
	rc = tl_select_passes(c->select, &own);
	return rc > 0 ? tl_trace_stream_put(c->stream, &own) : rc;
}

/* The walk is at a node of which all was put but its end. */
static int
leave_node(struct copy *c)
{
	const struct tl_node *node;
	int rc = tl_tree_walk_node(&c->walk, &node);

	/* The end of one that was crossed comes later, as a leaf. */
	if (rc == 0 && node && node->ended == TL_NODE_ENDED)
		rc = put(c, &node->end);
	c->walk.top->index++;
	return rc;
}

static int
put_node(struct copy *c)
{
	const struct tl_node *node;
	int rc = tl_tree_walk_node(&c->walk, &node);

	if (rc == 0 && node)
		rc = put(c, &node->event);
	if (rc < 0)
		return rc;
	if (node && node->child_count > 0)
		return tl_tree_walk_into(&c->walk, c->walk.top->branch.trace,
		    node);
	return leave_node(c);
}

static int
put_thread(struct copy *c, struct tl_trace *trace, size_t thread)
{
	int rc =
	    tl_tree_walk_into(&c->walk, trace, tl_trace_root(trace, thread));

	while (rc == 0 && c->walk.top) {
		if (tl_tree_walk_is_at_child(&c->walk)) {
			rc = put_node(c);
			continue;
		}
		tl_tree_walk_out(&c->walk);
		if (c->walk.top)
			rc = leave_node(c);
	}
	tl_tree_walk_free(&c->walk);
	return rc;
}

/* The stream of a thread like it, of a process like its. */
static int
new_stream(struct copy *c, struct tl_trace_writer *writer)
{
	const struct tl_trace_thread *thread = c->thread;
	int rc = 0;

	if (thread->command.size > 0)
		rc = tl_trace_write_process(writer, thread->pid,
		    thread->command);
	return rc < 0 ? rc
		      : tl_trace_stream_new(&c->stream, writer, thread->pid,
			    thread->tid, thread->name);
}

int
tl_tree_select(struct tl_trace *trace, struct tl_select *select,
    struct tl_trace_writer *writer)
{
	struct tl_tree_pool pool = { 0 };
	struct copy c = { .select = select, .walk.pool = &pool };
	int rc = 0;

	for (size_t i = 0; i < tl_trace_thread_count(trace) && rc == 0; i++) {
		c.thread = tl_trace_thread(trace, i);
		rc = new_stream(&c, writer);
		if (rc == 0)
			rc = put_thread(&c, trace, i);
	}
	return rc < 0 ? rc : tl_trace_writer_finish(writer);
}
