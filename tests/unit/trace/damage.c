/* SPDX-License-Identifier: Apache-2.0 */
/* damage.c - whatever happens to the files, their whole blocks are read. */
#include "lib/sample.h"
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/context.h"
#include "trace/point.h"
#include "trace/scan.h"

enum { COUNT = 300, THREADS = 2, BLOCKS_MAX = 64 };

static struct made made;
static struct program program;
static struct tl_trace_block blocks[BLOCKS_MAX];
static size_t places[BLOCKS_MAX];
static size_t block_count;

/* Find the places and the ends of the whole blocks of a file. */
static size_t
find_blocks(struct tl_bytes file)
{
	const uint8_t *data = (const uint8_t *)file.data;
	struct tl_trace_header header;
	struct tl_fault fault = { 0 };
	size_t at = TL_TRACE_HEADER_SIZE;

	ck_assert_ok(tl_trace_header_get(&header, file, &fault));
	block_count = 0;
	while (at + TL_TRACE_BLOCK_HEADER <= file.size &&
	       tl_trace_block_get(&blocks[block_count], data + at,
		   tl_trace_seed(&header)) &&
	       at + tl_trace_block_size(&blocks[block_count]) <= file.size) {
		places[block_count] = at;
		at += tl_trace_block_size(&blocks[block_count++]);
		ck_assert_uint_lt(block_count, BLOCKS_MAX);
	}
	return at;
}

static void
setup(void)
{
	fixture_messages();
	program = random_program(3, COUNT, THREADS);
	ck_assert_int_eq(write_program(&made, &program,
			     (struct tl_trace_options){ .block_size = 1024 }),
	    0);
	ck_assert_uint_eq(find_blocks(bytes_of(&made.data)) + 1,
	    made.data.size);
	ck_assert_uint_gt(block_count, 5);
}

static void
teardown(void)
{
	made_free(&made);
	free(program.events);
}

/*
 * Count the events of the blocks within the first bytes of the file, except for
 * the block without.
 */
static uint64_t
whole_events(size_t size, size_t without)
{
	uint64_t events = 0;

	for (size_t i = 0; i < block_count; i++)
		if (i != without &&
		    places[i] + tl_trace_block_size(&blocks[i]) <= size)
			events += blocks[i].events;
	return events;
}

static uint64_t
count_events(struct tl_trace *trace, enum tl_order order)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	uint64_t count = 0;
	int rc;

	ck_assert_ok(tl_trace_cursor(trace, order, &cursor));
	while ((rc = tl_cursor_next(cursor, &event)) > 0)
		count++;
	ck_assert_int_eq(rc, 0);
	tl_cursor_close(cursor);
	return count;
}

static void
load_everything(struct tl_trace *trace)
{
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		load_all(trace, tl_trace_root(trace, i), 3);
}

/* == the trees of whole blocks, built in the simplest way == */

/* A thread and its open spans; NULL: the begin of the span is lost. */
struct dumb {
	int32_t id;
	struct tl_node *root;
	struct tl_node *open[COUNT];
	uint64_t depth;
	uint64_t size;
	uint64_t events;
};

static struct dumb dumb[THREADS];
static size_t dumb_count;
static struct tl_context dumb_context;

static struct dumb *
dumb_thread(int32_t id)
{
	int rc = 0;

	for (size_t i = 0; i < dumb_count; i++)
		if (dumb[i].id == id)
			return &dumb[i];
	ck_assert_uint_lt(dumb_count, THREADS);
	dumb[dumb_count] =
	    (struct dumb){ .id = id, .root = tl_node_new(&grown_budget, &rc) };
	return &dumb[dumb_count++];
}

static struct tl_node *
innermost(const struct dumb *t)
{
	for (uint64_t i = t->depth; i > 0; i--)
		if (t->open[i - 1])
			return t->open[i - 1];
	return t->root;
}

static void
dumb_point(struct dumb *t, const struct tl_point *p)
{
	struct tl_node *node;

	t->events += !p->silent;
	if (p->kind == TL_TRACE_FOOTER && t->depth > 0 &&
	    (node = t->open[--t->depth])) {
		if (p->silent && !p->event.bare)
			node->ended = TL_NODE_CROSSED;
		if (p->silent || node->event.message != p->event.message)
			return;
		node->ended = TL_NODE_ENDED;
		node->end = p->event;
	} else if (!p->silent) {
		node = grow_child(innermost(t), &p->event);
		if (p->kind != TL_TRACE_SPAN)
			return;
		node->ended = TL_NODE_UNFINISHED;
		t->open[t->depth++] = node;
	}
}

static int
dumb_block(void *context, const struct tl_trace_block *block, uint64_t at,
    struct tl_bytes content)
{
	struct tl_data_in in = tl_data_in(content.data, content.size);
	struct tl_point_state state = { 0 };
	struct tl_point point;
	struct dumb *t;

	(void)context;
	(void)at;
	if (block->thread == TL_TRACE_DEFINITIONS)
		return tl_context_read_all(&dumb_context, content);
	t = dumb_thread(block->thread);
	if (block->logical < t->size)
		return 0;
	ck_assert_uint_le(block->depth, COUNT);
	while (t->depth < block->depth)
		t->open[t->depth++] = NULL;
	t->depth = block->depth;
	t->size = block->logical + block->size;
	while (in.at < in.size) {
		ck_assert_ok(tl_point_get(&point, &state, &in));
		if (point.kind != TL_TRACE_LOSS)
			point.event.message =
			    tl_context_message(&dumb_context, point.message);
		dumb_point(t, &point);
	}
	return 0;
}

/*
 * A message may be defined after its events, and the level of an event is that
 * of its message.
 */
static void
set_levels(void)
{
	tl_context_settle(&dumb_context);
	for (size_t i = 0; i < grown_count; i++) {
		struct tl_node *node = grown[i];

		if (node->event.message)
			node->event.level = node->event.message->level;
		if (node->end.message)
			node->end.level = node->end.message->level;
	}
}

static void
read_dumbly(struct tl_bytes data)
{
	struct tl_scan scan = { .options = &read_options, .end = data.size };

	dumb_count = 0;
	tl_context_init(&dumb_context);
	ck_assert_ok(tl_storage_of_memory(&scan.data, data.data, data.size));
	ck_assert_ok(tl_scan_trace(&scan, false, dumb_block, NULL));
	tl_storage_close(scan.data);
	tl_scan_free(&scan);
	set_levels();
	place_grown();
}

/*
 * Read a file in every way; the reference and each cursor must find so many
 * events.
 */
static void
check_file(struct tl_bytes data, struct tl_bytes index, uint64_t events)
{
	struct tl_trace *trace;
	uint64_t count = 0;

	read_dumbly(data);
	ck_assert_int_eq(open_bytes(&trace, data, index), 0);
	ck_assert_uint_eq(tl_trace_thread_count(trace), dumb_count);
	load_everything(trace);
	for (size_t i = 0; i < dumb_count; i++) {
		const struct dumb *t =
		    dumb_thread(tl_trace_thread(trace, i)->id);

		count += t->events;
		ck_assert(same_tree(t->root, tl_trace_root(trace, i)));
		tl_node_free(t->root, &grown_budget);
	}
	tl_context_free(&dumb_context);
	ck_assert_uint_eq(count, events);
	ck_assert_uint_eq(count_events(trace, TL_NEWEST_FIRST), events);
	ck_assert_uint_eq(count_events(trace, TL_OLDEST_FIRST), events);
	tl_trace_close(trace);
}

/*
 * Read a file in any state without a crash; returns the number of its events.
 */
static uint64_t
survive(struct tl_bytes data, struct tl_bytes index)
{
	struct tl_trace *trace;
	uint64_t count;

	if (open_bytes(&trace, data, index) < 0)
		return 0;
	load_everything(trace);
	count = count_events(trace, TL_NEWEST_FIRST);
	ck_assert_uint_eq(count_events(trace, TL_OLDEST_FIRST), count);
	tl_trace_close(trace);
	return count;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 300);

TEST(a_file_cut_at_any_byte_has_its_whole_blocks)
{
	const struct tl_bytes index = bytes_of(&made.index);
	struct tl_trace *trace;

	for (size_t size = sample_first(1); size < made.data.size;
	     size += sample_step()) {
		const struct tl_bytes data = tl_bytes(made.data.data, size);

		if (size < TL_TRACE_HEADER_SIZE) {
			ck_assert_int_lt(open_bytes(&trace, data, index), 0);
			continue;
		}
		check_file(data, tl_bytes(NULL, 0),
		    whole_events(size, SIZE_MAX));
		check_file(data, index, whole_events(size, SIZE_MAX));
		ck_assert_uint_gt(fault_count, 0);
		/* A writer that was killed leaves such a file.  A last byte
		 * that is the mark of the end looks like one. */
		ck_assert_int_eq(open_bytes(&trace, data, tl_bytes(NULL, 0)),
		    0);
		ck_assert_msg(tl_trace_damage(trace) == 0 ||
				  (uint8_t)data.data[size - 1] == TL_TRACE_EOF,
		    "damaged where it ends at byte %zu", size);
		tl_trace_close(trace);
	}
	check_file(bytes_of(&made.data), index, COUNT);
	ck_assert_uint_eq(fault_count, 0);
}

TEST(an_index_cut_at_any_byte_is_made_again)
{
	for (size_t size = 0; size < made.index.size; size++) {
		struct tl_trace *trace;

		ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
				     tl_bytes(made.index.data, size)),
		    0);
		ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
		ck_assert_uint_eq(tl_trace_damage(trace), 0);
		ck_assert(tl_bytes_equal(tl_trace_index_bytes(trace),
		    bytes_of(&made.index)));
		tl_trace_close(trace);
	}
}

TEST(a_flipped_bit_of_an_index_makes_it_again)
{
	for (size_t i = 0; i < made.index.size * 8; i++) {
		struct tl_trace *trace;

		made.index.data[i / 8] ^= (char)(1 << i % 8);
		ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
				     bytes_of(&made.index)),
		    0);
		made.index.data[i / 8] ^= (char)(1 << i % 8);
		ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
		ck_assert(tl_bytes_equal(tl_trace_index_bytes(trace),
		    bytes_of(&made.index)));
		tl_trace_close(trace);
	}
}

/* The index of the block that contains a byte. */
static size_t
block_at(size_t at)
{
	for (size_t i = 0; i < block_count; i++)
		if (at >= places[i] &&
		    at < places[i] + tl_trace_block_size(&blocks[i]))
			return i;
	return SIZE_MAX;
}

TEST(a_flipped_bit_costs_its_block_alone)
{
	const struct tl_bytes data = bytes_of(&made.data);

	for (size_t i = 13 * sample_first(0); i < made.data.size * 8;
	     i += 13 * sample_step()) {
		const size_t block = block_at(i / 8);
		const uint64_t events = whole_events(made.data.size, block);

		made.data.data[i / 8] ^= (char)(1 << i % 8);
		if (i / 8 >= TL_TRACE_HEADER_SIZE) {
			check_file(data, tl_bytes(NULL, 0), events);
			ck_assert_uint_gt(fault_count, 0);
			ck_assert_uint_ge(survive(data, bytes_of(&made.index)),
			    events);
		} else {
			ck_assert_uint_eq(survive(data, bytes_of(&made.index)),
			    0);
		}
		made.data.data[i / 8] ^= (char)(1 << i % 8);
	}
}

TEST(blocks_that_are_missing_or_doubled_cost_nothing_else)
{
	for (size_t i = 0; i < block_count; i++) {
		const size_t size = (size_t)tl_trace_block_size(&blocks[i]);
		struct tl_text data = { 0 };

		tl_put_bytes(&data, tl_bytes(made.data.data, places[i]));
		tl_put_bytes(&data, tl_bytes(made.data.data + places[i] + size,
					made.data.size - places[i] - size));
		check_file(bytes_of(&data), tl_bytes(NULL, 0),
		    whole_events(made.data.size, i));
		tl_text_clear(&data);
		tl_put_bytes(&data, tl_bytes(made.data.data, places[i] + size));
		tl_put_bytes(&data, tl_bytes(made.data.data + places[i],
					made.data.size - places[i]));
		check_file(bytes_of(&data), tl_bytes(NULL, 0), COUNT);
		tl_text_free(&data);
	}
}

TEST(definitions_may_come_last)
{
	struct tl_trace *whole, *moved;
	struct tl_text data = { 0 }, definitions = { 0 };

	tl_put_bytes(&data, tl_bytes(made.data.data, TL_TRACE_HEADER_SIZE));
	for (size_t i = 0; i < block_count; i++)
		tl_put_bytes(blocks[i].thread == TL_TRACE_DEFINITIONS
				 ? &definitions
				 : &data,
		    tl_bytes(made.data.data + places[i],
			(size_t)tl_trace_block_size(&blocks[i])));
	tl_put_bytes(&data, bytes_of(&definitions));
	tl_put_char(&data, (char)TL_TRACE_EOF);
	ck_assert_uint_eq(data.size, made.data.size);
	whole = read_whole(bytes_of(&made.data));
	moved = read_whole(bytes_of(&data));
	ck_assert_uint_eq(fault_count, 0);
	for (size_t i = 0; i < THREADS; i++)
		ck_assert_uint_eq(tl_trace_thread(whole, i)->tid,
		    tl_trace_thread(moved, i)->tid);
	tl_trace_close(whole);
	tl_trace_close(moved);
	check_file(bytes_of(&data), tl_bytes(NULL, 0), COUNT);
	tl_text_free(&data);
	tl_text_free(&definitions);
}

TEST(a_writer_that_dies_at_any_write_leaves_whole_blocks)
{
	const uint64_t appends = made.appends;

	ck_assert_uint_gt(appends, 10);
	/*
	 * the first three appends are headers, without which there is no writer
	 */
	for (uint64_t dies_at = 4; dies_at <= appends; dies_at++) {
		struct made dead = { .dies_at = dies_at };

		ck_assert_int_eq(write_program(&dead, &program,
				     (struct tl_trace_options){
					 .block_size = 1024 }),
		    -ENOSPC);
		find_blocks(bytes_of(&dead.data));
		check_file(bytes_of(&dead.data), bytes_of(&dead.index),
		    whole_events(dead.data.size, SIZE_MAX));
		made_free(&dead);
	}
}
