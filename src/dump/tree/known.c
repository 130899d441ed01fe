/* SPDX-License-Identifier: Apache-2.0 */
/* known.c - keep durations and states of spans, in one pass over all events. */
#include "dump/tree/known.h"

#include "base/array.h"
#include "dump/tree/line.h"
#include "event/spans.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>

/* Words of a key, and of a key with its numbers. */
enum { KEY = 4, END = KEY + 1, PARTS = KEY + TL_PARTS };

_Static_assert(END == 5 && PARTS == 11, "known.h says so");

struct key {
	int64_t words[KEY];
};

static struct key
key_of(int64_t ns, uint64_t number, uint32_t pid, uint32_t tid, uint16_t input)
{
	return (struct key){ { ns, (int64_t)number,
	    (int64_t)((uint64_t)pid << 32 | tid), input } };
}

static uint64_t
hash_of(const struct key *key)
{
	return tl_hash_bytes(tl_bytes((const char *)key, sizeof(*key)));
}

/* The numbers under a key, size words with the key.  NULL: none. */
static int64_t *
find(const struct tl_tree_kept *k, size_t size, const struct key *key)
{
	struct tl_probe probe = tl_table_probe(&k->table, hash_of(key));
	uint32_t place;

	while (tl_probe_next(&probe, &place)) {
		int64_t *words = &k->words[place * size];

		if (memcmp(words, key, sizeof(*key)) == 0)
			return words + KEY;
	}
	return NULL;
}

/* Keep numbers under a new key. */
static int
keep(struct tl_tree_kept *k, size_t size, const struct key *key,
    const int64_t *numbers)
{
	const size_t at = k->count * size;
	const size_t input = (size_t)key->words[KEY - 1];

	if (k->count == TL_TREE_KNOWN_MAX) {
		if (TL_ARRAY_ZEROS(k->left_out, k->inputs, input) < 0)
			return -ENOMEM;
		k->left_out[input]++;
		return 0;
	}
	if (TL_ARRAY_ROOM(k->words, k->capacity, at + size - 1) < 0 ||
	    tl_table_add(&k->table, hash_of(key), k->count) < 0)
		return -ENOMEM;
	memcpy(&k->words[at], key, sizeof(*key));
	memcpy(&k->words[at + KEY], numbers, (size - KEY) * sizeof(*numbers));
	k->count++;
	return 0;
}

static void
kept_free(struct tl_tree_kept *k)
{
	tl_table_free(&k->table);
	free(k->words);
	free(k->left_out);
	*k = (struct tl_tree_kept){ 0 };
}

void
tl_tree_known_free(struct tl_tree_known *known)
{
	kept_free(&known->ends);
	kept_free(&known->parts);
}

/* == parts of spans == */

int
tl_tree_parts_put(struct tl_tree_known *known, const struct tl_span *span,
    const int64_t ns[TL_PARTS])
{
	const struct key key = key_of(span->begin_ns,
	    (uint64_t)span->duration_ns, span->pid, span->tid, span->source);
	int64_t *kept = find(&known->parts, PARTS, &key);

	if (span->duration_ns == 0) /* a span without time has no parts */
		return 0;
	if (!kept)
		return keep(&known->parts, PARTS, &key, ns);
	memcpy(kept, ns, TL_PARTS * sizeof(*ns));
	return 0;
}

const int64_t *
tl_tree_parts_find(const struct tl_tree_known *known, uint16_t input,
    const struct tl_node *node)
{
	/* nested spans may begin at the same time */
	const struct key key =
	    key_of(node->event.ns, (uint64_t)tl_node_duration(node),
		node->event.pid, node->event.tid, input);

	return node->ended == TL_NODE_ENDED && !tl_tree_is_counted(node)
		   ? find(&known->parts, PARTS, &key)
		   : NULL;
}

/* == durations of ends == */

static bool
is_of_source(const struct tl_message *message)
{
	return message->kind == TIMELINE_RECORD_SPAN &&
	       message->scope == TIMELINE_SOURCE;
}

/* Keep the duration of an end; negative: several ends have the same place. */
static int
keep_end(struct tl_tree_kept *ends, const struct tl_event *end,
    int64_t duration_ns)
{
	const struct key key =
	    key_of(end->ns, end->number, end->pid, end->tid, end->source);
	int64_t *kept = find(ends, END, &key);

	if (!kept)
		return keep(ends, END, &key, &duration_ns);
	*kept = -1;
	return 0;
}

void
tl_tree_ends_complete(const struct tl_tree_known *known, uint16_t input,
    const struct tl_trace_thread *thread, struct tl_node *node)
{
	struct tl_event *event = &node->event;
	/* an event of a recorded trace may leave its thread to the tree */
	const bool of_thread = event->pid == 0 && event->tid == 0;
	const struct key key = key_of(event->ns, event->number,
	    of_thread ? thread->pid : event->pid,
	    of_thread ? thread->tid : event->tid, input);
	const int64_t *kept;

	if (node->ended != TL_NODE_LEAF || event->kind != TL_END ||
	    event->proven || known->ends.count == 0 ||
	    !is_of_source(event->message))
		return;
	kept = find(&known->ends, END, &key);
	if (!kept || *kept < 0)
		return;
	event->begun_ns = event->ns - *kept;
	event->duration_ns = *kept;
}

/* == all events == */

/* Are there spans whose durations are to be kept?  Only what is shown of a
 * large recorded trace is read. */
static bool
has_ends(const struct tl_source *input)
{
	if (!tl_source_is_open(input) || input->beside ||
	    (tl_source_trace(input) &&
		tl_source_entries(input) > TL_TREE_KNOWN_MAX))
		return false;
	for (size_t i = 0; i < tl_source_message_count(input); i++)
		if (is_of_source(tl_source_message(input, i)))
			return true;
	return false;
}

int
tl_tree_known_read(struct tl_tree_known *known, const struct tl_sources *inputs,
    struct tl_progress *progress)
{
	struct tl_states *states;
	struct tl_cursor *cursor;
	struct tl_event event;
	bool any = false;
	int rc = tl_states_of_sources(&states, inputs);

	for (size_t i = 0; i < inputs->count && !any; i++)
		any = has_ends(&inputs->items[i]);
	if (rc < 0 || (!any && !states))
		return rc;
	rc = tl_sources_spans(inputs, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		goto free;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		const struct tl_span *span = event.span;
		struct tl_parts of;

		tl_progress_tick(progress);
		rc = states ? tl_states_put(states, &event) : 0;
		if (rc < 0 || !span || !tl_span_is_sure(span))
			continue;
		if (states && tl_states_span(states, span, &of))
			rc = tl_tree_parts_put(known, span, of.ns);
		if (rc == 0 && any && is_of_source(event.message) &&
		    !span->proven)
			rc = keep_end(&known->ends, &event, span->duration_ns);
	}
	tl_cursor_close(cursor);
free:
	tl_states_free(states);
	return rc;
}

void
tl_tree_known_report(const struct tl_tree_known *known,
    const struct tl_sources *inputs)
{
	const struct tl_tree_kept *k = &known->parts;
	uint64_t ends = 0;

	for (size_t i = 0; i < k->inputs && i < inputs->count; i++)
		if (k->left_out[i] > 0)
			fprintf(stderr,
			    "timeline-dump: %s: the states of %" PRIu64
			    " span(s) are left out, as %d spans ended before; "
			    "--stats has the sums of all\n",
			    inputs->items[i].name, k->left_out[i],
			    TL_TREE_KNOWN_MAX);
	for (size_t i = 0; i < known->ends.inputs; i++)
		ends += known->ends.left_out[i];
	if (ends > 0)
		fprintf(stderr,
		    "timeline-dump: the durations of %" PRIu64
		    " span(s) of scope source are left out, as %d spans ended "
		    "before; a listing has all\n",
		    ends, TL_TREE_KNOWN_MAX);
}
