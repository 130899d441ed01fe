/* SPDX-License-Identifier: Apache-2.0 */
/* ends.c - keep the durations of spans whose scope is TIMELINE_SOURCE. */
#include "dump/tree/ends.h"

#include "base/array.h"
#include "event/spans.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>

struct tl_tree_end {
	int64_t ns;
	int64_t duration_ns; /* negative: several ends have the same place */
	uint64_t number;
	uint32_t pid;
	uint32_t tid;
	uint16_t input;
};

_Static_assert(sizeof(struct tl_tree_end) == 40, "ends.h says so");

static uint64_t
hash_of(const struct tl_tree_end *end)
{
	uint64_t hash = tl_hash_pair((uint64_t)end->pid << 32 | end->tid,
	    (uint64_t)end->ns);

	hash = tl_hash_more(hash, end->number);
	return tl_hash_more(hash, end->input);
}

static struct tl_tree_end *
find(const struct tl_tree_ends *e, const struct tl_tree_end *key)
{
	struct tl_probe probe = tl_table_probe(&e->table, hash_of(key));
	uint32_t place;

	while (tl_probe_next(&probe, &place)) {
		struct tl_tree_end *end = &e->ends[place];

		if (end->ns == key->ns && end->number == key->number &&
		    end->pid == key->pid && end->tid == key->tid &&
		    end->input == key->input)
			return end;
	}
	return NULL;
}

static bool
is_of_source(const struct tl_message *message)
{
	return message->kind == TIMELINE_RECORD_SPAN &&
	       message->scope == TIMELINE_SOURCE;
}

static int
keep(struct tl_tree_ends *e, const struct tl_event *event, int64_t duration_ns)
{
	const struct tl_tree_end end = { event->ns, duration_ns, event->number,
		event->pid, event->tid, event->source };
	struct tl_tree_end *kept = find(e, &end);

	if (kept) {
		kept->duration_ns = -1;
		return 0;
	}
	if (e->count == TL_TREE_ENDS_MAX) {
		e->left_out++;
		return 0;
	}
	if (TL_ARRAY_ROOM(e->ends, e->capacity, e->count) < 0 ||
	    tl_table_add(&e->table, hash_of(&end), e->count) < 0)
		return -ENOMEM;
	e->ends[e->count++] = end;
	return 0;
}

static int
read_all(struct tl_tree_ends *e, const struct tl_sources *inputs,
    struct tl_progress *progress)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_sources_spans(inputs, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		const struct tl_span *span = event.span;

		tl_progress_tick(progress);
		rc = span && is_of_source(event.message) &&
			     tl_span_is_sure(span) && !span->proven
			 ? keep(e, &event, span->duration_ns)
			 : 0;
	}
	tl_cursor_close(cursor);
	return rc;
}

static bool
has_spans(const struct tl_source *input)
{
	for (size_t i = 0; i < tl_source_message_count(input); i++)
		if (is_of_source(tl_source_message(input, i)))
			return true;
	return false;
}

int
tl_tree_ends_read(struct tl_tree_ends *e, const struct tl_sources *inputs,
    struct tl_progress *progress)
{
	/* only what is shown of a large recorded trace is read */
	for (size_t i = 0; i < inputs->count; i++)
		if (tl_source_is_open(&inputs->items[i]) &&
		    !inputs->items[i].beside &&
		    !(tl_source_trace(&inputs->items[i]) &&
			tl_source_entries(&inputs->items[i]) >
			    TL_TREE_ENDS_MAX) &&
		    has_spans(&inputs->items[i]))
			return read_all(e, inputs, progress);
	return 0;
}

void
tl_tree_ends_report(const struct tl_tree_ends *e)
{
	if (e->left_out > 0)
		fprintf(stderr,
		    "timeline-dump: the durations of %" PRIu64
		    " span(s) of scope source are left out, as %d spans ended "
		    "before; a listing has all\n",
		    e->left_out, TL_TREE_ENDS_MAX);
}

void
tl_tree_ends_free(struct tl_tree_ends *e)
{
	tl_table_free(&e->table);
	free(e->ends);
	*e = (struct tl_tree_ends){ 0 };
}

void
tl_tree_ends_complete(const struct tl_tree_ends *e, uint16_t input,
    const struct tl_trace_thread *thread, struct tl_node *node)
{
	struct tl_event *event = &node->event;
	/* an event of a recorded trace may leave its thread to the tree */
	const bool of_thread = event->pid == 0 && event->tid == 0;
	const struct tl_tree_end key = { .ns = event->ns,
		.number = event->number,
		.pid = of_thread ? thread->pid : event->pid,
		.tid = of_thread ? thread->tid : event->tid,
		.input = input };
	const struct tl_tree_end *end;

	if (node->ended != TL_NODE_LEAF || event->kind != TL_END ||
	    event->proven || e->count == 0 || !is_of_source(event->message))
		return;
	end = find(e, &key);
	if (!end || end->duration_ns < 0)
		return;
	event->begun_ns = event->ns - end->duration_ns;
	event->duration_ns = end->duration_ns;
}
