/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - keep the states of each span, in one pass over all events. */
#include "dump/tree/parts.h"

#include "analysis/states.h"
#include "base/array.h"
#include "dump/tree/line.h"
#include "event/spans.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tl_tree_span {
	int64_t begin_ns;
	int64_t duration_ns; /* nested spans may begin at the same time */
	uint32_t pid;
	uint32_t tid;
	uint16_t input;
	int64_t ns[TL_PARTS]; /* not part of the key */
};

_Static_assert(sizeof(struct tl_tree_span) == 88, "parts.h says so");

static uint64_t
hash_of(const struct tl_tree_span *key)
{
	uint64_t hash = tl_hash_pair((uint64_t)key->pid << 32 | key->tid,
	    (uint64_t)key->begin_ns);

	hash = tl_hash_more(hash, (uint64_t)key->duration_ns);
	return tl_hash_more(hash, key->input);
}

static struct tl_tree_span *
find(const struct tl_tree_parts *p, const struct tl_tree_span *key)
{
	struct tl_probe probe = tl_table_probe(&p->table, hash_of(key));
	uint32_t place;

	while (tl_probe_next(&probe, &place)) {
		struct tl_tree_span *span = &p->spans[place];

		if (span->begin_ns == key->begin_ns &&
		    span->duration_ns == key->duration_ns &&
		    span->pid == key->pid && span->tid == key->tid &&
		    span->input == key->input)
			return span;
	}
	return NULL;
}

int
tl_tree_parts_put(struct tl_tree_parts *p, const struct tl_span *span,
    const int64_t ns[TL_PARTS])
{
	const struct tl_tree_span key = { span->begin_ns, span->duration_ns,
		span->pid, span->tid, span->source, { 0 } };
	struct tl_tree_span *kept = find(p, &key);

	if (span->duration_ns == 0) /* a span without time has no parts */
		return 0;
	if (!kept && p->count == TL_TREE_PARTS_MAX) {
		const int rc =
		    TL_ARRAY_ZEROS(p->left_out, p->inputs, span->source);

		if (rc == 0)
			p->left_out[span->source]++;
		return rc;
	}
	if (!kept) {
		if (TL_ARRAY_ROOM(p->spans, p->capacity, p->count) < 0 ||
		    tl_table_add(&p->table, hash_of(&key), p->count) < 0)
			return -ENOMEM;
		kept = &p->spans[p->count++];
		*kept = key;
	}
	memcpy(kept->ns, ns, sizeof(kept->ns));
	return 0;
}

void
tl_tree_parts_free(struct tl_tree_parts *p)
{
	tl_table_free(&p->table);
	free(p->spans);
	free(p->left_out);
	*p = (struct tl_tree_parts){ 0 };
}

const int64_t *
tl_tree_parts_find(const struct tl_tree_parts *p, uint16_t input,
    const struct tl_node *node)
{
	const struct tl_tree_span key = { node->event.ns,
		tl_node_duration(node), node->event.pid, node->event.tid, input,
		{ 0 } };
	const struct tl_tree_span *span =
	    node->ended == TL_NODE_ENDED && !tl_tree_is_counted(node)
		? find(p, &key)
		: NULL;

	return span ? span->ns : NULL;
}

void
tl_tree_parts_report(const struct tl_tree_parts *p,
    const struct tl_sources *inputs)
{
	for (size_t i = 0; i < p->inputs && i < inputs->count; i++)
		if (p->left_out[i] > 0)
			fprintf(stderr,
			    "timeline-dump: %s: the states of %" PRIu64
			    " span(s) are left out, as %d spans ended before; "
			    "--stats has the sums of all\n",
			    inputs->items[i].name, p->left_out[i],
			    TL_TREE_PARTS_MAX);
}

/* == all events == */

static int
read_all(struct tl_tree_parts *p, const struct tl_sources *inputs,
    struct tl_states *states, struct tl_progress *progress)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_sources_spans(inputs, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		const struct tl_span *span = event.span;
		struct tl_parts of;

		tl_progress_tick(progress);
		rc = tl_states_put(states, &event);
		if (rc == 0 && span && tl_span_is_sure(span) &&
		    tl_states_span(states, span, &of))
			rc = tl_tree_parts_put(p, span, of.ns);
	}
	tl_cursor_close(cursor);
	return rc;
}

int
tl_tree_parts_read(struct tl_tree_parts *p, const struct tl_sources *inputs,
    struct tl_progress *progress)
{
	struct tl_states *states;
	int rc = tl_states_of_sources(&states, inputs);

	if (rc < 0 || !states)
		return rc;
	rc = read_all(p, inputs, states, progress);
	tl_states_free(states);
	return rc;
}
