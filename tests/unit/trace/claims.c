/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claims.c - false claims in data and index cost no more than the real content.
 */
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/layout.h"
#include "trace/point.h"

#include <malloc.h>

enum {
	COUNT = 12000,
	BLOCK_SIZE = 1024,
	MANY = 4000,
	BYTES_EACH = 1024,
	WRITER_BYTES_EACH = 3072
};

static struct made made;
static struct tl_text data, index_bytes;
static uint32_t seed;
static uint64_t cells;

static void
make(unsigned threads)
{
	const struct program program = random_program(5, COUNT, threads);
	struct tl_trace_header header;
	struct tl_fault fault = { 0 };

	fixture_messages();
	ck_assert_int_eq(write_program(&made, &program,
			     (struct tl_trace_options){
				 .block_size = BLOCK_SIZE }),
	    0);
	free(program.events);
	ck_assert_ok(
	    tl_trace_header_get(&header, bytes_of(&made.data), &fault));
	seed = tl_trace_seed(&header);
}

static void
teardown(void)
{
	made_free(&made);
	tl_text_free(&data);
	tl_text_free(&index_bytes);
	cells = 0;
}

static void
put_cell(uint8_t kind, int32_t id, uint64_t start, uint64_t end)
{
	const struct tl_cell cell = { kind, id, (int64_t)start, (int64_t)end };
	uint8_t bytes[TL_CELL_SIZE];

	tl_cell_put(bytes, &cell);
	tl_put_bytes(&index_bytes, tl_bytes(bytes, sizeof(bytes)));
	cells++;
}

/* Copy the magic, the version and the SELF cell from the writer's index. */
static void
begin_index(void)
{
	tl_put_bytes(&index_bytes,
	    tl_bytes(made.index.data, TL_INDEX_HEADER_SIZE + TL_CELL_SIZE));
	cells = 1;
}

static void
end_index(void)
{
	const uint64_t count = cells;
	const uint32_t crc =
	    tl_crc32c(seed, index_bytes.data + TL_INDEX_HEADER_SIZE,
		index_bytes.size - TL_INDEX_HEADER_SIZE);

	put_cell(TL_TRACE_EOF, (int32_t)crc, data.size, count);
	tl_put_bytes(&index_bytes,
	    tl_bytes(made.index.data + made.index.size - sizeof(uint64_t),
		sizeof(uint64_t)));
}

/* Read the block at a place of the data. */
static bool
get_block(size_t at, struct tl_trace_block *block)
{
	return made.data.size - at > TL_TRACE_BLOCK_HEADER &&
	       tl_trace_block_get(block, (const uint8_t *)made.data.data + at,
		   seed);
}

TEST_FILE(.teardown = teardown, .timeout = 600);

/* Every block of a thread is damaged, and one byte precedes each of them. */
TEST(damage_between_damaged_blocks_is_read_once)
{
	size_t at = TL_TRACE_HEADER_SIZE, blocks = 0;
	struct tl_trace_block block;
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;
	struct storage *storage;
	uint64_t logical = 0;

	make(1);
	begin_index();
	tl_put_bytes(&data, tl_bytes(made.data.data, TL_TRACE_HEADER_SIZE));
	for (; get_block(at, &block); at += tl_trace_block_size(&block)) {
		const size_t size = tl_trace_block_size(&block);

		if (block.thread != TL_TRACE_DEFINITIONS)
			tl_put_char(&data, 0);
		put_cell(TL_TRACE_BLOCK_START, block.thread, data.size,
		    data.size + size - 1);
		tl_put_bytes(&data, tl_bytes(made.data.data + at, size));
		if (block.thread != TL_TRACE_DEFINITIONS)
			data.data[data.size - 2] ^= 1;
		logical += block.thread == 0 ? block.size : 0;
		blocks++;
	}
	ck_assert_uint_gt(blocks, 100);
	tl_put_char(&data, (char)TL_TRACE_EOF);
	put_cell(TL_TRACE_ROOT, 0, logical, 1);
	end_index();
	storage = (struct storage *)(void *)storage_of(bytes_of(&data));
	ck_assert_ok(tl_trace_open_storage(&trace, &storage->storage,
	    storage_of(bytes_of(&index_bytes)), &read_options, &fault));
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
	ck_assert_uint_lt(storage->bytes_read, 2 * data.size);
	ck_assert_uint_ge(tl_trace_damage(trace), blocks - 2);
	tl_trace_close(trace);
}

/*
 * The second block of the thread is missing, so its children cannot be counted.
 */
TEST(a_thread_has_no_more_children_than_bytes_for_them)
{
	struct tl_trace_block block = { .thread = TL_TRACE_DEFINITIONS };
	size_t at = TL_TRACE_HEADER_SIZE, size;
	struct tl_trace *trace;
	struct tl_cell root;
	uint64_t children;

	make(1);
	while (get_block(at, &block) && block.logical == 0)
		at += tl_trace_block_size(&block);
	size = tl_trace_block_size(&block);
	ck_assert_int_eq(block.thread, 0);
	tl_put_bytes(&data, tl_bytes(made.data.data, at));
	tl_put_bytes(&data,
	    tl_bytes(made.data.data + at + size, made.data.size - at - size));
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&data), tl_bytes(NULL, 0)),
	    0);
	children = tl_trace_root(trace, 0)->child_count;
	tl_put_bytes(&index_bytes, tl_trace_index_bytes(trace));
	tl_trace_close(trace);

	index_bytes.size -= TL_INDEX_FOOTER_SIZE + TL_CELL_SIZE;
	cells = (index_bytes.size - TL_INDEX_HEADER_SIZE) / TL_CELL_SIZE;
	root = tl_cell_get((uint8_t *)index_bytes.data + index_bytes.size);
	ck_assert_int_eq(root.kind, TL_TRACE_ROOT);
	put_cell(TL_TRACE_ROOT, 0, (uint64_t)root.start,
	    (uint64_t)root.start / TL_POINT_SIZE_MIN);
	end_index();
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&data),
			     bytes_of(&index_bytes)),
	    0);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
	ck_assert_uint_eq(tl_trace_root(trace, 0)->child_count, children);
	tl_trace_close(trace);
}

/* The index lists the same thread twice, or a thread without blocks. */
TEST(an_index_has_no_threads_but_those_of_the_data, .to = 2)
{
	struct tl_trace *trace;
	struct tl_cell root;

	make(1);
	tl_put_bytes(&data, bytes_of(&made.data));
	tl_put_bytes(&index_bytes, bytes_of(&made.index));
	index_bytes.size -= TL_INDEX_FOOTER_SIZE;
	cells = (index_bytes.size - TL_INDEX_HEADER_SIZE) / TL_CELL_SIZE;
	root = tl_cell_get(
	    (uint8_t *)index_bytes.data + index_bytes.size - TL_CELL_SIZE);
	ck_assert_int_eq(root.kind, TL_TRACE_ROOT);
	if (_i == 0)
		put_cell(TL_TRACE_ROOT, 0, (uint64_t)root.start,
		    (uint64_t)root.end);
	else
		put_cell(TL_TRACE_ROOT, 99, 0, 0);
	end_index();
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&data),
			     bytes_of(&index_bytes)),
	    0);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
	ck_assert_uint_eq(tl_trace_thread_count(trace), 1);
	tl_trace_close(trace);
}

/* == each cell is compared with the data == */

/* One cell of a valid index, made wrong by the smallest change. */
enum wrong {
	BLOCK_ENDS_LATER,
	BLOCK_ENDS_EARLIER,
	BLOCK_TWICE,
	BLOCK_OF_ANOTHER_THREAD,
	DEFINITION_BEHIND_ITS_BLOCK,
	DEFINITION_WITH_AN_END,
	SPAN_ENDS_WITH_ITS_STREAM,
	SPAN_ENDS_BEFORE_IT_BEGINS,
	SPAN_BEGINS_AT_ONCE,
	MARK_AT_THE_PLACE_OF_ANOTHER,
	MARK_BEHIND_ITS_STREAM,
	ROOT_BEHIND_ITS_STREAM,
	WRONGS
};

static bool
is_kind(uint8_t kind, uint8_t wanted)
{
	return wanted == TL_TRACE_STRING ? kind <= TL_TRACE_INFO
					 : kind == wanted;
}

#define LAST SIZE_MAX
/*
 * Find cell number skip of a kind, or the last one; blocks of definitions do
 * not count.  Returns the number of all cells before it.
 */
static size_t
find_cell(uint8_t kind, size_t skip, struct tl_cell *cell)
{
	const uint8_t *bytes = (const uint8_t *)made.index.data;
	const size_t end = made.index.size - TL_INDEX_FOOTER_SIZE;
	struct tl_cell last;
	size_t found = 0;

	for (size_t at = TL_INDEX_HEADER_SIZE; at < end; at += TL_CELL_SIZE) {
		*cell = tl_cell_get(bytes + at);
		if (is_kind(cell->kind, kind) &&
		    (kind != TL_TRACE_BLOCK_START || cell->id >= 0)) {
			found = (at - TL_INDEX_HEADER_SIZE) / TL_CELL_SIZE;
			last = *cell;
			if (skip-- == 0)
				return found;
		}
	}
	ck_assert_uint_gt(found, 0);
	*cell = last;
	return found;
}

/* Choose a cell, change it, and return how often the index contains it. */
static size_t
make_wrong(enum wrong wrong, size_t *number, struct tl_cell *cell)
{
	struct tl_cell root, before;

	find_cell(TL_TRACE_ROOT, 0, &root);
	switch (wrong) {
	case BLOCK_ENDS_LATER:
		*number = find_cell(TL_TRACE_BLOCK_START, 1, cell);
		cell->end++;
		return 1;
	case BLOCK_ENDS_EARLIER:
		*number = find_cell(TL_TRACE_BLOCK_START, 1, cell);
		cell->end--;
		return 1;
	case BLOCK_TWICE:
		*number = find_cell(TL_TRACE_BLOCK_START, 1, cell);
		return 2;
	case BLOCK_OF_ANOTHER_THREAD:
		*number = find_cell(TL_TRACE_BLOCK_START, 1, cell);
		cell->id++;
		return 1;
	case DEFINITION_BEHIND_ITS_BLOCK:
		*number = find_cell(TL_TRACE_STRING, 1, cell);
		cell->start += 1 << 20;
		return 1;
	case DEFINITION_WITH_AN_END:
		*number = find_cell(TL_TRACE_STRING, 1, cell);
		cell->end = cell->start;
		return 1;
	case SPAN_ENDS_WITH_ITS_STREAM: /* the last span: all of its stream
					 * is known */
		*number = find_cell(TL_TRACE_SPAN, LAST, cell);
		cell->end = root.start;
		return 1;
	case SPAN_ENDS_BEFORE_IT_BEGINS:
		*number = find_cell(TL_TRACE_SPAN, 0, cell);
		cell->end = cell->start - 1;
		return 1;
	case SPAN_BEGINS_AT_ONCE:
		*number = find_cell(TL_TRACE_SPAN, 0, cell);
		cell->start = TL_POINT_SIZE_MIN - 1;
		return 1;
	case MARK_AT_THE_PLACE_OF_ANOTHER:
		find_cell(TL_TRACE_MARK, 0, &before);
		*number = find_cell(TL_TRACE_MARK, 1, cell);
		cell->start = before.start;
		return 1;
	case MARK_BEHIND_ITS_STREAM:
		*number = find_cell(TL_TRACE_MARK, 1, cell);
		cell->start = root.start + 1;
		return 1;
	default:
		*number = find_cell(TL_TRACE_ROOT, 0, cell);
		cell->start++;
		return 1;
	}
}

TEST(a_wrong_cell_breaks_the_index, .to = WRONGS)
{
	const uint8_t *bytes;
	struct tl_cell wrong;
	struct tl_trace *trace;
	size_t number, times, count;

	make(1);
	tl_put_bytes(&data, bytes_of(&made.data));
	times = make_wrong((enum wrong)_i, &number, &wrong);
	bytes = (const uint8_t *)made.index.data + TL_INDEX_HEADER_SIZE;
	count =
	    (made.index.size - TL_INDEX_HEADER_SIZE - TL_INDEX_FOOTER_SIZE) /
	    TL_CELL_SIZE;
	begin_index();
	for (size_t i = 1; i < count; i++) {
		const struct tl_cell cell =
		    i == number ? wrong : tl_cell_get(bytes + i * TL_CELL_SIZE);

		for (size_t n = i == number ? times : 1; n > 0; n--)
			put_cell(cell.kind, cell.id, (uint64_t)cell.start,
			    (uint64_t)cell.end);
	}
	end_index();
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&data),
			     bytes_of(&index_bytes)),
	    0);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
	tl_trace_close(trace);
}

/*
 * Write one event for each of many threads, as a server does that starts a
 * thread for each request.
 */
static struct tl_trace_writer *
write_many(void)
{
	struct tl_trace_options options = { 0 };
	struct tl_event event = { .pid = 1, .kind = TL_INSTANT };
	struct tl_trace_writer *writer;
	struct tl_sink *sink;

	fixture_messages();
	event.message = &messages[INSTANT_MESSAGE];
	event.level = event.message->level;
	made_begin(&made, &options, &writer);
	ck_assert_ok(tl_trace_sink(writer, &sink));
	for (event.tid = 1; event.tid <= MANY; event.tid++) {
		event.ns = event.tid;
		ck_assert_ok(sink->put(sink, &event));
	}
	return writer;
}

/* The second flush frees the buffers of threads that write no more. */
TEST(a_thread_that_writes_nothing_any_more_takes_little)
{
	const size_t before = mallinfo2().uordblks;
	struct tl_trace_writer *writer = write_many();
	size_t taken;

	ck_assert_ok(tl_trace_writer_flush(writer));
	ck_assert_ok(tl_trace_writer_flush(writer));
	taken = mallinfo2().uordblks;
	if (taken > before) /* a sanitizer has an allocator of its own */
		ck_assert_uint_lt(taken - before, MANY * WRITER_BYTES_EACH);
	tl_trace_writer_free(writer);
}

TEST(a_thread_that_is_read_out_takes_no_memory, .to = 2)
{
	struct tl_event event;
	struct tl_cursor *cursor;
	struct tl_trace *trace;
	size_t before, most = 0;

	made_end(write_many());
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     bytes_of(&made.index)),
	    0);
	before = mallinfo2().uordblks;
	ck_assert_ok(tl_trace_cursor(trace, (enum tl_order)_i, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		const size_t now = mallinfo2().uordblks;

		most = now > most ? now : most;
	}
	if (most > before) /* a sanitizer has an allocator of its own */
		ck_assert_uint_lt(most - before, MANY * BYTES_EACH);
	tl_cursor_close(cursor);
	tl_trace_close(trace);
}
