/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forest.c - the trees of all inputs, and the selected part of these trees.
 */
#include "dump/tree/tree.h"

#include "base/array.h"
#include "event/spans.h"
#include "trace/read.h"

#include <errno.h>
#include <stdlib.h>

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

/* The selected events of an input, whose ends have their begins. */
static int
select_events(const struct tl_sources *inputs, size_t i,
    struct tl_select *select, struct tl_cursor **events)
{
	struct tl_cursor *inner, *scout = NULL;
	int rc = tl_sources_range(inputs, i, i + 1, TL_OLDEST_FIRST, &inner);

	if (rc == 0)
		rc = tl_spans_cursor(TL_OLDEST_FIRST, TL_SPANS_WINDOW, inner,
		    &inner);
	if (rc < 0)
		return rc;
	if (tl_select_scouts(select) && (rc = tl_sources_range(inputs, i, i + 1,
					     TL_OLDEST_FIRST, &scout)) < 0) {
		tl_cursor_close(inner);
		return rc;
	}
	return tl_select_cursor(select, TL_OLDEST_FIRST, inner, scout, events);
}

/* The offset that the options add to the times of an input. */
static int64_t
offset_of(const struct tl_source *input)
{
	return input->host ? input->host->offset_ns : 0;
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
		struct tl_cursor *events;

		rc = select_events(inputs, i, select, &events);
		if (rc == 0)
			rc = tl_tree_make(&source->made, &options, input,
			    events, select->all ? &select->progress : NULL);
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
