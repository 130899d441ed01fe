/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forest.c - the trees of all inputs, and the selected part of these trees.
 */
#include "dump/tree/forest.h"

#include "base/array.h"
#include "clock/clock.h"
#include "dump/tree/line.h"
#include "dump/tree/walk.h"
#include "source/tree.h"

#include <errno.h>
#include <stdlib.h>

/* == a copy of a trace with the selected events == */

struct copy {
	struct tl_select *select;
	const struct tl_trace_thread *thread;
	struct tl_trace_stream *stream;
	int64_t offset_ns; /* added to all times */
	struct tl_tree_walk walk;
};

/* An event as a cursor yields it. */
static struct tl_event
own_event(const struct copy *c, const struct tl_event *event)
{
	struct tl_event own = *event;

	/* only the thread has pid and tid */
	if (own.pid == 0 && own.tid == 0) {
		own.pid = c->thread->pid;
		own.tid = c->thread->tid;
	}
	tl_host_move(&own, c->offset_ns);
	return own;
}

static int
put(struct copy *c, const struct tl_event *event)
{
	const struct tl_event own = own_event(c, event);
	const int rc = tl_select_passes(c->select, &own);

	tl_progress_tick(&c->select->progress);
	return rc > 0 ? tl_trace_stream_put(c->stream, &own) : rc;
}

/* Put the begin or the end event of a span that is chosen as a whole. */
static int
put_of_span(struct copy *c, const struct tl_node *node, bool is_end)
{
	const struct tl_event own =
	    own_event(c, is_end ? &node->end : &node->event);
	struct tl_asked begin = { .event = own_event(c, &node->event) };
	struct tl_asked end = { .event = own_event(c, &node->end) };
	bool passes[2];
	int rc;

	tl_progress_tick(&c->select->progress);
	if (!tl_select_message(c->select, own.message))
		return 0;
	rc = tl_select_span(c->select, &begin, &end, true, passes);
	if (rc < 0 || !passes[is_end])
		return rc;
	c->select->passed++;
	return tl_trace_stream_put(c->stream, &own);
}

/* Are both events of the span known? */
static bool
is_whole(const struct copy *c, const struct tl_node *node)
{
	return tl_select_scouts(c->select) && node->event.kind == TL_BEGIN &&
	       node->ended == TL_NODE_ENDED;
}

/* Leave the node of the walk: put its end event. */
static int
leave_node(struct copy *c)
{
	const struct tl_node *node;
	int rc = tl_tree_walk_node(&c->walk, &node);

	/* The end event of a crossed span comes later, as a leaf. */
	if (rc == 0 && node && node->ended == TL_NODE_ENDED)
		rc = is_whole(c, node) ? put_of_span(c, node, true)
				       : put(c, &node->end);
	c->walk.top->index++;
	return rc;
}

static int
put_node(struct copy *c)
{
	const struct tl_node *node;
	int rc = tl_tree_walk_node(&c->walk, &node);

	if (rc == 0 && node)
		rc = is_whole(c, node) ? put_of_span(c, node, false)
				       : put(c, &node->event);
	if (rc < 0)
		return rc;
	if (node && node->child_count > 0)
		return tl_tree_walk_into(&c->walk, c->walk.top->branch.trees,
		    node);
	return leave_node(c);
}

static int
put_thread(struct copy *c, struct tl_trace *trace, size_t thread)
{
	int rc = tl_tree_walk_into(&c->walk, tl_trace_trees(trace),
	    tl_trace_root(trace, thread));

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

/* Copy a trace thread by thread.  0; -errno, with select->fault if its
 * expression failed. */
static int
select_trace(struct tl_trace *trace, int64_t offset_ns,
    struct tl_select *select, struct tl_trace_writer *writer)
{
	struct tl_tree_pool pool = { 0 };
	struct copy c = { .select = select,
		.offset_ns = offset_ns,
		.walk.pool = &pool };
	int rc = 0;

	for (size_t i = 0; i < tl_trace_thread_count(trace) && rc == 0; i++) {
		const struct tl_trace_thread *thread =
		    tl_trace_thread(trace, i);

		c.thread = thread;
		/* Make the stream of a thread, with the name of its process. */
		if (thread->command.size > 0)
			rc = tl_trace_write_process(writer, thread->pid,
			    thread->command);
		rc = rc < 0 ? rc
			    : tl_trace_stream_new(&c.stream, writer,
				  thread->pid, thread->tid, thread->name);
		if (rc == 0)
			rc = put_thread(&c, trace, i);
	}
	return rc < 0 ? rc : tl_trace_writer_finish(writer);
}

/* == the forest == */

/* Put all events of a cursor into a sink. */
static int
pour(struct tl_cursor *cursor, struct tl_select *select, struct tl_sink *sink)
{
	struct tl_event event;
	int rc;

	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		if (select->all)
			tl_progress_tick(&select->progress);
		rc = sink->put(sink, &event);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : sink->finish(sink);
}

/* Take the threads from a format that knows their order and names. */
static int
take_threads(struct tl_tree_source *source, const struct tl_source *input)
{
	struct tl_reader_thread thread;
	size_t capacity = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && tl_source_thread(input, i, &thread);
	     i++) {
		if (thread.is_empty)
			continue;
		rc = TL_ARRAY_ZEROS(source->known, capacity,
		    source->known_count);
		if (rc < 0)
			break;
		source->known[source->known_count++] = thread;
	}
	return rc;
}

static int
pour_input(const struct tl_source *input, struct tl_select *select,
    struct tl_trace_writer *writer)
{
	struct tl_cursor *cursor;
	struct tl_sink *sink;
	int rc = tl_trace_sink(writer, &sink);

	if (rc == 0)
		rc = tl_select_source(select, input, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	rc = pour(cursor, select, sink);
	tl_cursor_close(cursor);
	return rc;
}

/* The offset that the options add to the times of an input. */
static int64_t
offset_of(const struct tl_source *input)
{
	return input->host ? input->host->offset_ns : 0;
}

/* The parts from which a trace is made. */
struct making {
	struct tl_tree_source *source;
	const struct tl_source *input;
	struct tl_select *select;
};

static int
write_trace(void *context, struct tl_trace_writer *writer)
{
	struct making *m = context;
	struct tl_trace *trace = tl_source_trace(m->input);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < m->source->known_count; i++) {
		const struct tl_reader_thread *known = &m->source->known[i];

		rc = tl_trace_sink_thread(writer, known->pid, known->tid,
		    known->name);
	}
	if (rc < 0)
		return rc;
	return trace
		   ? select_trace(trace, offset_of(m->input), m->select, writer)
		   : pour_input(m->input, m->select, writer);
}

static int
add(struct tl_forest *forest, const struct tl_sources *inputs, size_t i,
    struct tl_select *select)
{
	const struct tl_source *input = &inputs->items[i];
	struct tl_tree_source *source = &forest->sources[forest->count];
	struct tl_trees *trees = tl_source_trees(input);
	int rc;

	*source = (struct tl_tree_source){ .name = input->name,
		.input = (uint16_t)i,
		.first = forest->thread_count };
	rc = take_threads(source, input);
	if (rc == 0 && trees && select->all && offset_of(input) == 0)
		source->trees = trees;
	else if (rc == 0) {
		static const struct tl_trace_read_options options;
		struct making making = { source, input, select };

		rc =
		    tl_tree_make(&source->made, &options, write_trace, &making);
		if (rc == 0)
			source->trees = tl_trace_trees(source->made);
	}
	if (rc < 0) {
		free(source->known);
		return rc;
	}
	forest->thread_count += source->trees->count;
	forest->count++;
	return 0;
}

int
tl_forest_open(struct tl_forest *forest, const struct tl_sources *inputs,
    struct tl_select *select)
{
	int rc = 0;

	*forest = (struct tl_forest){ 0 };
	forest->sources = calloc(inputs->count + 1, sizeof(*forest->sources));
	if (!forest->sources)
		return -ENOMEM;
	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		if (tl_source_is_open(&inputs->items[i]) &&
		    !inputs->items[i].beside)
			rc = add(forest, inputs, i, select);
	}
	if (rc == 0 && forest->count == 0)
		rc = -ENOENT;
	if (rc < 0)
		tl_forest_close(forest);
	return rc;
}

void
tl_forest_close(struct tl_forest *forest)
{
	for (size_t i = 0; i < forest->count; i++) {
		tl_trace_close(forest->sources[i].made);
		free(forest->sources[i].known);
	}
	forest->count = 0;
	free(forest->sources);
	forest->sources = NULL;
}

const struct tl_tree_source *
tl_forest_source(const struct tl_forest *forest, uint64_t i)
{
	size_t at = forest->count - 1;

	while (forest->sources[at].first > i)
		at--;
	return &forest->sources[at];
}

const struct tl_node *
tl_forest_root(const struct tl_forest *forest, uint64_t i)
{
	const struct tl_tree_source *source = tl_forest_source(forest, i);

	return &source->trees->roots[i - source->first];
}

const struct tl_reader_thread *
tl_forest_known(const struct tl_forest *forest, uint64_t i)
{
	const struct tl_tree_source *source = tl_forest_source(forest, i);
	const struct tl_trace_thread *thread = tl_forest_thread(forest, i);
	const size_t at = (size_t)(i - source->first);

	/* all these threads were made, in this order, before any other
	 * thread */
	return at < source->known_count && source->known[at].tid == thread->tid
		   ? &source->known[at]
		   : NULL;
}

const struct tl_trace_thread *
tl_forest_thread(const struct tl_forest *forest, uint64_t i)
{
	const struct tl_tree_source *source = tl_forest_source(forest, i);

	return &source->trees->threads[i - source->first];
}
