/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_fixture.h - a random timeline, cut into blocks as a shipper cuts it.
 */
#ifndef TESTS_UNIT_CHAIN_FIXTURE_H
#define TESTS_UNIT_CHAIN_FIXTURE_H

#include "base/file.h"
#include "base/process.h"
#include "event/intern.h"
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/chain/chain.h"

#include <stdio.h>
#include <unistd.h>

enum {
	THREADS = 5,
	OPEN_MAX = 64,
	LOGGED_BEFORE = 1000, /* entries logged before shipping began */
	SHUFFLED_MIN =
	    20 /* events of a block; with fewer, more than neighbours would
	        * overlap */
};

/* The spans that are open when a block ends. */
struct open_spans {
	struct tl_event begins[THREADS][OPEN_MAX];
	unsigned count[THREADS];
};

struct timeline {
	struct tl_event *events; /* in order of time */
	size_t count;
	struct tl_text *blocks;
	size_t *block_events; /* number of events in each block */
	size_t block_count;
	struct open_spans open;
	char chain[33];
	const char *host;
};

static inline unsigned
thread_of(const struct tl_event *event)
{
	return event->tid - 1000;
}

/* Note which spans continue in the next block. */
static inline void
follow_span(struct open_spans *open, const struct tl_event *event)
{
	const unsigned t = thread_of(event);
	unsigned i = open->count[t];

	if (!event->message || event->message->scope == TIMELINE_SOURCE)
		return;
	if (event->kind == TL_BEGIN && i < OPEN_MAX)
		open->begins[t][open->count[t]++] = *event;
	if (event->kind != TL_END)
		return;
	while (i > 0 && open->begins[t][i - 1].message != event->message)
		i--;
	if (i > 0)
		open->count[t] = i - 1;
}

static inline void
put_info(struct tl_trace_writer *writer, const char *name, const char *value)
{
	ck_assert_ok(
	    tl_trace_write_info(writer, tl_bytes_of(name), tl_bytes_of(value)));
}

/* The infos of a block; chain NULL: the block belongs to no chain. */
struct block_infos {
	const char *host;
	const char *chain;
	uint64_t number;
	const char *dropped;
	const char *identity;
	const char *begins; /* the first position of each lane; positions:
			     * the next one */
	const char *positions;
	uint64_t continued;
};

static inline void
put_infos(struct tl_trace_writer *writer, const struct block_infos *infos)
{
	char number[24];

	put_info(writer, "host", infos->host);
	put_info(writer, "timeline", "demo");
	put_info(writer, "boot", "00112233-4455-6677-8899-aabbccddeeff");
	if (infos->chain)
		put_info(writer, "chain", infos->chain);
	snprintf(number, sizeof(number), "%lu", (unsigned long)infos->number);
	if (infos->chain)
		put_info(writer, "block", number);
	if (infos->dropped)
		put_info(writer, "dropped", infos->dropped);
	if (infos->identity)
		put_info(writer, "identity", infos->identity);
	if (infos->begins)
		put_info(writer, "begins", infos->begins);
	if (infos->positions)
		put_info(writer, "positions", infos->positions);
	snprintf(number, sizeof(number), "%lu",
	    (unsigned long)infos->continued);
	put_info(writer, "continued", number);
}

static inline uint64_t
put_continued(struct tl_sink *sink, const struct open_spans *open)
{
	uint64_t count = 0;

	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < open->count[t]; i++) {
			struct tl_event begin = open->begins[t][i];

			begin.continued = true;
			ck_assert_ok(sink->put(sink, &begin));
			count++;
		}
	return count;
}

/* Make one block: the open spans, then the events. */
static inline struct tl_text
make_block(const struct block_infos *infos, const struct open_spans *open,
    const struct tl_event *events, size_t count)
{
	static uint8_t id;
	struct made made = { 0 };
	struct tl_trace_options options = { .strategy = TL_TRACE_STREAMING,
		.block_size = 4096,
		.data = made_data,
		.context = &made,
		.id = { ++id, (uint8_t)infos->number, 3 } };
	struct block_infos with = *infos;
	struct tl_trace_writer *writer;
	struct tl_sink *sink;

	ck_assert_ok(tl_trace_writer_new(&writer, &options));
	ck_assert_ok(tl_trace_sink(writer, &sink));
	with.continued = open ? put_continued(sink, open) : 0;
	for (size_t i = 0; i < count; i++)
		ck_assert_ok(sink->put(sink, &events[i]));
	put_infos(writer, &with);
	made_end(writer);
	tl_text_free(&made.index);
	return made.data;
}

/* Move some later events before earlier events of other threads. */
static inline void
shuffle_some(struct tl_event *events, size_t count, uint64_t *seed)
{
	for (size_t i = 1; i < count; i++) {
		const struct tl_event event = events[i];

		if (random_below(seed, 5) > 0 ||
		    thread_of(&event) == thread_of(&events[i - 1]))
			continue;
		events[i] = events[i - 1];
		events[i - 1] = event;
	}
}

/* Make events as random_program() does, but no two at the same time. */
static inline void
make_events(struct timeline *t, uint64_t *seed, size_t count)
{
	int64_t now = 1000000000, ignored = 0;

	t->events = calloc(count, sizeof(*t->events));
	ck_assert_ptr_nonnull(t->events);
	t->count = count;
	for (size_t i = 0; i < count; i++) {
		t->events[i] = random_event(seed, THREADS, &ignored);
		t->events[i].continued = false;
		t->events[i].ns = now += 1 + (int64_t)random_below(seed, 1000);
		t->events[i].tsc = (uint64_t)now * 2;
		t->events[i].epoch = 0;
	}
}

/* The number of entries that an event stands for. */
static inline uint64_t
entries_of(const struct tl_event *event)
{
	return event->kind == TL_LOST ? event->lost : 1;
}

/* Cut one block of a timeline; each thread has its own lane. */
static inline void
cut_block(struct timeline *t, uint64_t next[THREADS],
    const struct tl_event *events, size_t count)
{
	struct tl_text begins = { 0 }, positions = { 0 };
	struct block_infos infos = { .host = t->host,
		.chain = t->chain,
		.number = t->block_count };

	tl_put_positions(&begins, next, THREADS);
	for (size_t i = 0; i < count; i++)
		next[thread_of(&events[i])] += entries_of(&events[i]);
	tl_put_positions(&positions, next, THREADS);
	infos.begins = tl_text_string(&begins);
	infos.positions = tl_text_string(&positions);
	t->block_events[t->block_count] = count;
	t->blocks[t->block_count++] =
	    make_block(&infos, &t->open, events, count);
	tl_text_free(&begins);
	tl_text_free(&positions);
}

static inline void
cut_events(struct timeline *t, uint64_t *seed, size_t block_events)
{
	struct tl_event *put = calloc(t->count, sizeof(*put));
	uint64_t next[THREADS] = { LOGGED_BEFORE };

	ck_assert_ptr_nonnull(put);
	memcpy(put, t->events, t->count * sizeof(*put));
	if (block_events > SHUFFLED_MIN)
		shuffle_some(put, t->count, seed);
	t->blocks = calloc(t->count + 1, sizeof(*t->blocks));
	t->block_events = calloc(t->count + 1, sizeof(*t->block_events));
	for (size_t at = 0, n; at < t->count; at += n) {
		n = 1 + random_below(seed, block_events * 2);
		n = n < t->count - at ? n : t->count - at;
		cut_block(t, next, put + at, n);
		for (size_t i = at; i < at + n; i++)
			follow_span(&t->open, &put[i]);
	}
	free(put);
}

static inline struct timeline
make_timeline(const char *host, uint64_t seed, size_t count,
    size_t block_events)
{
	struct timeline t = { .host = host };

	fixture_messages();
	snprintf(t.chain, sizeof(t.chain), "%032lx", (unsigned long)seed);
	make_events(&t, &seed, count);
	cut_events(&t, &seed, block_events);
	return t;
}

static inline void
free_timeline(struct timeline *t)
{
	for (size_t i = 0; i < t->block_count; i++)
		tl_text_free(&t->blocks[i]);
	free(t->blocks);
	free(t->block_events);
	free(t->events);
}

static inline void
append(int fd, const struct tl_text *bytes)
{
	ck_assert_ok(tl_write_all(fd, bytes->data, bytes->size));
}

/* Append one block. */
static inline void
append_block(int fd, const struct block_infos *infos,
    const struct tl_event *events, size_t count)
{
	struct tl_text block = make_block(infos, NULL, events, count);

	append(fd, &block);
	tl_text_free(&block);
}

/* Write blocks with one event each. */
static inline int
write_blocks(const struct block_infos *infos, size_t count)
{
	const int fd = tl_file_unnamed();
	struct timeline t = { .host = "alpha" };
	uint64_t seed = 5;

	fixture_messages();
	make_events(&t, &seed, count);
	for (size_t i = 0; i < count; i++)
		append_block(fd, &infos[i], t.events + i, 1);
	free_timeline(&t);
	return fd;
}

/* Follow the stream that was written to fd, from its start. */
static inline struct tl_chain_follow *
follow_written(int fd)
{
	struct tl_chain_follow *follow;

	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	ck_assert_ok(tl_chain_follow_new(&follow, fd));
	return follow;
}

/* Open the chains in the stream that was written to fd, and close fd. */
static inline struct tl_chains *
open_chains(int fd)
{
	struct tl_fault fault = { 0 };
	struct tl_chains *chains = NULL;

	ck_assert_msg(tl_chains_open(&chains, fd, &fault) == 0, "%s",
	    fault.text);
	close(fd);
	return chains;
}

/* All events of a chain in one order. */
struct got {
	struct tl_event *events;
	size_t count;
};

static inline struct got
read_chain(struct tl_chain *chain, enum tl_order order)
{
	struct got got = { calloc(1 << 16, sizeof(*got.events)), 0 };
	struct tl_cursor *cursor;
	struct tl_event event;

	ck_assert_ok(tl_chain_cursor(chain, order, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		ck_assert_uint_lt(got.count, 1 << 16);
		got.events[got.count++] = event;
	}
	tl_cursor_close(cursor);
	return got;
}

/* Expect exactly these events, in this order. */
static inline void
expect_events(struct tl_chain *chain, const struct tl_event *events,
    size_t count, enum tl_order order)
{
	struct got got = read_chain(chain, order);

	ck_assert_uint_eq(got.count, count);
	for (size_t i = 0; i < count; i++) {
		const size_t k = order == TL_NEWEST_FIRST ? count - 1 - i : i;

		ck_assert_msg(same_event(&events[k], &got.events[i]),
		    "event %zu", i);
	}
	free(got.events);
}

static inline struct tl_chain *
open_only(int fd)
{
	struct tl_chains *chains = open_chains(fd);
	struct tl_chain *chain;

	ck_assert_uint_eq(chains->count, 1);
	chain = tl_chains_take(chains, 0);
	tl_chains_free(chains);
	return chain;
}

#endif
