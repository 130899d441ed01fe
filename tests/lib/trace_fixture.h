/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_fixture.h - a trace of random events in memory, and its tree, which is
 * built in the simplest way.
 */
#ifndef TESTS_UNIT_TRACE_FIXTURE_H
#define TESTS_UNIT_TRACE_FIXTURE_H

#include "base/text.h"
#include "random.h"
#include "test.h"
#include "trace/read.h"
#include "trace/write.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	SPANS = 3,
	INSTANT_MESSAGE = SPANS,
	COUNTER_MESSAGE,
	STRING_MESSAGE,
	SOURCE_MESSAGE,
	MESSAGES,
	STRINGS = 10
};

/* The memory that a trace is written to and read from. */
struct made {
	struct tl_text data;
	struct tl_text index;
	uint64_t appends; /* number of calls that append to data or index */
	/* the number of the call that fails, from 1; 0: none */
	uint64_t dies_at;
};

struct storage {
	struct tl_storage storage; /* first: readers see this member */
	struct tl_bytes bytes;
	uint64_t reads;
	uint64_t bytes_read;
};

static struct tl_message messages[MESSAGES];
static uint64_t fault_count;

static inline struct tl_bytes
fixture_string(const struct tl_strings *strings, uint64_t number)
{
	static const char *const texts[STRINGS] = { NULL, "one", "two\n", "",
		"\xff\x80 is no UTF-8", "five", "six", "seven", "eight",
		"\xf0\x9f\x98\x80" };

	(void)strings;
	return number > 0 && number < STRINGS ? tl_bytes_of(texts[number])
					      : tl_bytes(NULL, 0);
}

static inline void
fixture_messages(void)
{
	static const struct tl_strings strings = { fixture_string };
	static const char *const texts[MESSAGES] = { "alpha $a $b%x",
		"beta\nwith words", "gamma $d%f", "instant $i $j%d $k $l",
		"value $v", "string $s%s $n", "source" };

	for (unsigned i = 0; i < MESSAGES; i++) {
		struct tl_message *m = &messages[i];

		*m = (struct tl_message){ 0 };
		ck_assert_ok(tl_message_parse(m, tl_bytes_of(texts[i])));
		m->category = tl_bytes_of(i % 2 ? "odd" : "even");
		m->level = (uint8_t)(1 + i);
		m->gate = 3;
		m->kind = i < SPANS || i == SOURCE_MESSAGE
			      ? TIMELINE_RECORD_SPAN
			      : TIMELINE_RECORD_INSTANT;
		m->strings = &strings;
		if (i == COUNTER_MESSAGE)
			m->kind = TIMELINE_RECORD_COUNTER;
		if (i == SOURCE_MESSAGE)
			m->scope = TIMELINE_SOURCE;
		if (i == 1) {
			m->file = tl_bytes_of("beta.c");
			m->line = 77;
		}
	}
}

static inline int
made_append(struct made *made, struct tl_text *to, const void *data,
    size_t size)
{
	if (++made->appends == made->dies_at) {
		tl_put_bytes(to, tl_bytes(data, size / 2));
		return -ENOSPC;
	}
	tl_put_bytes(to, tl_bytes(data, size));
	return to->rc;
}

static inline int
made_data(void *context, const void *data, size_t size)
{
	struct made *made = context;

	return made_append(made, &made->data, data, size);
}

static inline int
made_index(void *context, const void *data, size_t size)
{
	struct made *made = context;

	return made_append(made, &made->index, data, size);
}

static inline void
made_free(struct made *made)
{
	tl_text_free(&made->data);
	tl_text_free(&made->index);
	*made = (struct made){ 0 };
}

static inline void
made_begin(struct made *made, struct tl_trace_options *options,
    struct tl_trace_writer **writer)
{
	options->data = made_data;
	options->index = made_index;
	options->context = made;
	memset(options->id, 7, sizeof(options->id));
	ck_assert_ok(tl_trace_writer_new(writer, options));
}

static inline void
made_end(struct tl_trace_writer *writer)
{
	ck_assert_ok(tl_trace_writer_finish(writer));
	tl_trace_writer_free(writer);
}

/* == reading == */

static inline int64_t
storage_read(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	struct storage *s = (struct storage *)(void *)storage;

	if (offset >= s->bytes.size)
		return 0;
	if (size > s->bytes.size - offset)
		size = s->bytes.size - offset;
	memcpy(data, s->bytes.data + offset, size);
	s->reads++;
	s->bytes_read += size;
	return (int64_t)size;
}

static inline void
storage_close(struct tl_storage *storage)
{
	free(storage);
}

static inline struct tl_storage *
storage_of(struct tl_bytes bytes)
{
	struct storage *s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	*s = (struct storage){ .storage = { .size = bytes.size,
				   .read_at = storage_read,
				   .close = storage_close },
		.bytes = bytes };
	return &s->storage;
}

static inline void
count_fault(void *context, const struct tl_fault *fault)
{
	(void)context;
	ck_assert(fault->text[0]);
	fault_count++;
}

static const struct tl_trace_read_options read_options = {
	.report = { count_fault, NULL }
};

/* Open a trace in memory; index.data NULL: without an index. */
static inline int
open_bytes(struct tl_trace **trace, struct tl_bytes data, struct tl_bytes index)
{
	struct tl_fault fault = { 0 };

	fault_count = 0;
	return tl_trace_open_storage(trace, storage_of(data),
	    index.data ? storage_of(index) : NULL, &read_options, &fault);
}

static inline struct tl_bytes
bytes_of(const struct tl_text *text)
{
	return tl_bytes(text->data, text->size);
}

/* == comparing == */

static inline struct tl_bytes
string_of(const struct tl_event *e, unsigned i)
{
	return tl_message_string(e->message, e->args[i]);
}

static inline bool
same_message(const struct tl_message *a, const struct tl_message *b)
{
	return tl_bytes_equal(a->text, b->text) &&
	       tl_bytes_equal(a->category, b->category) && a->kind == b->kind &&
	       a->level == b->level && a->gate == b->gate &&
	       a->scope == b->scope && a->line == b->line &&
	       tl_bytes_equal(a->file, b->file);
}

/* Compare two events; the numbers of their strings may differ. */
static inline bool
same_event(const struct tl_event *a, const struct tl_event *b)
{
	if (a->ns != b->ns || a->tsc != b->tsc || a->number != b->number ||
	    a->lost != b->lost || a->error_ns != b->error_ns ||
	    a->cpu != b->cpu || a->pid != b->pid || a->tid != b->tid ||
	    a->epoch != b->epoch || a->lane != b->lane || a->kind != b->kind ||
	    a->level != b->level || a->bare != b->bare ||
	    a->continued != b->continued ||
	    (a->kind == TL_LOST) != (b->kind == TL_LOST))
		return false;
	if (a->kind == TL_LOST)
		return true;
	for (unsigned i = 0; i < TL_ARGS_MAX; i++)
		if (i < a->message->argc &&
		    a->message->args[i].format == TIMELINE_ARG_STRING) {
			if (string_of(a, i).data &&
			    !tl_bytes_equal(string_of(a, i), string_of(b, i)))
				return false;
		} else if (a->args[i] != b->args[i]) {
			return false;
		}
	return same_message(a->message, b->message);
}

/* Load all nodes below a node, depth first. */
static inline void
load_all(struct tl_trace *trace, struct tl_node *root, uint64_t step)
{
	struct tl_node *node = root;
	uint64_t *place = calloc(1, sizeof(*place)), depth = 0;

	while (node) {
		if (place[depth] == 0)
			for (uint64_t i = 0; i < node->child_count;
			     i += step ? step : node->child_count)
				ck_assert_ok(tl_trace_load(trace, node, i,
				    step ? step : UINT64_MAX));
		if (place[depth] < node->child_count) {
			struct tl_node *child =
			    tl_node_child(node, place[depth]++);

			if (child && child->child_count > 0) {
				depth++;
				place = realloc(place,
				    (depth + 1) * sizeof(*place));
				place[depth] = 0;
				node = child;
			}
			continue;
		}
		if (node == root)
			break;
		node = node->parent;
		depth--;
	}
	free(place);
}

/* Open a trace without an index, and load all of it. */
static inline struct tl_trace *
read_whole(struct tl_bytes data)
{
	struct tl_trace *trace;

	ck_assert_int_eq(open_bytes(&trace, data, tl_bytes(NULL, 0)), 0);
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		load_all(trace, tl_trace_root(trace, i), 0);
	return trace;
}

/* == trees built node by node == */

static struct tl_node_budget grown_budget;
static struct tl_node **grown; /* parents before their children */
static size_t grown_count;

/* Add a child; place_grown() moves it to its place. */
static inline struct tl_node *
grow_child(struct tl_node *parent, const struct tl_event *event)
{
	int rc = 0;
	struct tl_node *node = tl_node_new(&grown_budget, &rc);

	ck_assert_int_eq(rc, 0);
	if (grown_count % 64 == 0)
		grown = realloc(grown, (grown_count + 64) * sizeof(*grown));
	grown[grown_count++] = node;
	node->event = *event;
	node->parent = parent;
	parent->child_count++;
	return node;
}

static inline void
place_grown(void)
{
	for (size_t i = 0; i < grown_count; i++)
		ck_assert_ok(tl_node_adopt(grown[i]->parent,
		    grown[i]->parent->loaded, grown[i], &grown_budget));
	free(grown);
	grown = NULL;
	grown_count = 0;
}

/* Compare two trees, all of whose nodes are loaded. */
static inline bool
same_tree(const struct tl_node *a, const struct tl_node *b)
{
	const struct tl_node *root = a;
	uint64_t *place = calloc(1, sizeof(*place)), depth = 0;
	bool same = true;

	while (same) {
		if (place[depth] == 0)
			same = a->child_count == b->child_count;
		if (same && place[depth] < a->child_count) {
			const struct tl_node *p =
			    tl_node_child(a, place[depth]);
			const struct tl_node *q =
			    tl_node_child(b, place[depth]++);

			same = p && q && same_event(&p->event, &q->event) &&
			       p->ended == q->ended &&
			       (p->ended != TL_NODE_ENDED ||
				   same_event(&p->end, &q->end));
			if (same && p->child_count + q->child_count > 0) {
				depth++;
				place = realloc(place,
				    (depth + 1) * sizeof(*place));
				place[depth] = 0;
				a = p;
				b = q;
			}
			continue;
		}
		if (!same || a == root)
			break;
		a = a->parent;
		b = b->parent;
		depth--;
	}
	free(place);
	return same;
}

/* == a random program == */

struct program {
	struct tl_event *events;
	size_t count;
	unsigned threads;
};

static inline struct tl_event
random_event(uint64_t *seed, unsigned threads, int64_t *now)
{
	const uint64_t r = random_next(seed);
	const unsigned which = (unsigned)(r % 16);
	struct tl_event e = { .cpu = (uint32_t)(r >> 8 & 3),
		.pid = 100,
		.tid = 1000 + (uint32_t)(r >> 16) % threads,
		.number = r >> 24 & 0xff,
		.epoch = (r >> 32 & 63) == 0,
		.lane = r >> 40 & 1,
		.error_ns = r >> 50 & 3 ? 10 : 20 };

	*now += (int64_t)(random_next(seed) % 1000) - 20;
	e.ns = *now;
	e.tsc = (uint64_t)*now * 21 / 10;
	for (unsigned i = 0; i < TL_ARGS_MAX; i++)
		e.args[i] = random_next(seed) >> random_below(seed, 64);
	if (which == 15) {
		e = (struct tl_event){ .kind = TL_LOST,
			.ns = *now,
			.lost = r >> 20,
			.cpu = 3,
			.tid = e.tid,
			.pid = e.pid };
		return e;
	}
	if (which < 6) {
		e.kind = TL_BEGIN;
		e.message = &messages[(r >> 5) % SPANS];
	} else if (which < 11) {
		e.kind = TL_END;
		e.message = &messages[(r >> 5) % SPANS];
		e.bare = r >> 60 & 1;
	} else if (which == 11) {
		e.kind = TL_COUNTER;
		e.message = &messages[COUNTER_MESSAGE];
	} else if (which == 12) {
		e.kind = TL_INSTANT;
		e.message = &messages[STRING_MESSAGE];
		e.args[0] %= STRINGS + 1;
	} else if (which == 13) {
		e.kind = r >> 60 & 1 ? TL_BEGIN : TL_END;
		e.message = &messages[SOURCE_MESSAGE];
	} else {
		e.kind = TL_INSTANT;
		e.message = &messages[INSTANT_MESSAGE];
	}
	if (e.bare)
		memset(e.args, 0, sizeof(e.args));
	e.level = e.message->level;
	e.continued = e.kind == TL_BEGIN && r >> 61 & 1;
	for (unsigned i = e.message->argc; i < TL_ARGS_MAX; i++)
		e.args[i] = 0;
	return e;
}

static inline struct program
random_program(uint64_t seed, size_t count, unsigned threads)
{
	struct program p = { calloc(count, sizeof(*p.events)), count, threads };
	int64_t now = 1000000000;

	ck_assert_ptr_nonnull(p.events);
	for (size_t i = 0; i < count; i++)
		p.events[i] = random_event(&seed, threads, &now);
	return p;
}

static inline int
write_program(struct made *made, const struct program *p,
    struct tl_trace_options options)
{
	struct tl_trace_writer *writer;
	struct tl_sink *sink;
	int rc = 0;

	made_begin(made, &options, &writer);
	ck_assert_ok(tl_trace_sink(writer, &sink));
	for (size_t i = 0; rc == 0 && i < p->count; i++)
		rc = sink->put(sink, &p->events[i]);
	if (rc == 0)
		rc = sink->finish(sink);
	tl_trace_writer_free(writer);
	return rc;
}

#endif
