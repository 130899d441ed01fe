/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mend.c - indexes with a right checksum and wrong cells: reading still yields
 * the right events, and the index is rebuilt.
 */
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/layout.h"

#include <stdio.h>
#include <unistd.h>

enum { COUNT = 24000, THREADS = 2, TRIES = 5 };

static struct made made;
static struct program program;
static struct tl_text right;   /* the index of made.data */
static struct tl_trace *truth; /* all of made.data, read without an index */

/* Write the program without an end, as a crash leaves it. */
static void
write_unfinished(void)
{
	struct tl_trace_options options = { .block_size = 4096 };
	struct tl_trace_writer *writer;
	struct tl_sink *sink;

	made_begin(&made, &options, &writer);
	ck_assert_ok(tl_trace_sink(writer, &sink));
	for (size_t i = 0; i < program.count; i++)
		ck_assert(sink->put(sink, &program.events[i]) == 0);
	ck_assert_ok(tl_trace_writer_flush(writer));
	tl_trace_writer_free(writer);
}

/*
 * Make the shapes whose index has cells of all kinds: a random program, or one
 * with spans around all events.
 */
static void
shape_program(bool around)
{
	program = random_program(11, COUNT, THREADS);
	for (size_t i = 0; around && i < program.count; i++) {
		struct tl_event *e = &program.events[i];

		e->tid = i / 2 % THREADS + 1000;
		if (i < 12) {
			e->kind = TL_BEGIN;
			e->message = &messages[i / 4];
			e->lost = 0;
		} else if (e->kind != TL_LOST &&
			   e->message->kind == TIMELINE_RECORD_SPAN) {
			e->kind = TL_INSTANT;
			e->message = &messages[INSTANT_MESSAGE];
		}
		e->bare = e->bare && e->kind == TL_END;
		if (e->kind != TL_LOST)
			e->level = e->message->level;
	}
}

static void
make_from_program(bool finished)
{
	if (finished)
		ck_assert_int_eq(write_program(&made, &program,
				     (struct tl_trace_options){
					 .block_size = 4096 }),
		    0);
	else
		write_unfinished();
	ck_assert_int_eq(open_bytes(&truth, bytes_of(&made.data),
			     tl_bytes(NULL, 0)),
	    0);
	tl_put_bytes(&right, tl_trace_index_bytes(truth));
	for (size_t i = 0; i < tl_trace_thread_count(truth); i++)
		load_all(truth, tl_trace_root(truth, i), 0);
}

static void
make(bool finished, bool around)
{
	fixture_messages();
	shape_program(around);
	make_from_program(finished);
}

static void
teardown(void)
{
	tl_trace_close(truth);
	tl_text_free(&right);
	made_free(&made);
	free(program.events);
	program.events = NULL;
}

/* Set the number and the checksum of the cells to their right values. */
static void
repair(struct tl_text *index)
{
	uint8_t *bytes = (uint8_t *)index->data;
	uint8_t *last = bytes + index->size - TL_INDEX_FOOTER_SIZE;
	const size_t size = (size_t)(last - bytes) - TL_INDEX_HEADER_SIZE;
	struct tl_cell eof = tl_cell_get(last);

	eof.end = (int64_t)(size / TL_CELL_SIZE);
	eof.id = (int32_t)tl_crc32c(tl_trace_seed(tl_trace_header(truth)),
	    bytes + TL_INDEX_HEADER_SIZE, size);
	tl_cell_put(last, &eof);
}

static size_t
cell_count(void)
{
	return (right.size - TL_INDEX_HEADER_SIZE - TL_INDEX_FOOTER_SIZE) /
	       TL_CELL_SIZE;
}

static struct tl_cell
cell_at(size_t i)
{
	return tl_cell_get((const uint8_t *)right.data + TL_INDEX_HEADER_SIZE +
			   i * TL_CELL_SIZE);
}

/*
 * Return a plausible wrong value for a field: the value of another cell, or one
 * near the old value.
 */
static int64_t
other_value(uint64_t *seed, uint8_t kind, unsigned field, int64_t old)
{
	for (unsigned tries = 0; tries < 100; tries++) {
		const struct tl_cell cell =
		    cell_at(random_below(seed, cell_count()));

		if (cell.kind != kind || random_below(seed, 3) == 0)
			continue;
		if (field == 0 && cell.id != old)
			return cell.id;
		if (field == 1 && cell.start != old)
			return cell.start;
		if (field == 2 && cell.end != old)
			return cell.end;
	}
	return old + (random_below(seed, 2) ? 1 : -1) *
			 (int64_t)(1 + random_below(seed, 20));
}

static struct tl_text
with_cell(size_t i, const struct tl_cell *cell)
{
	struct tl_text index = { 0 };

	tl_put_bytes(&index, bytes_of(&right));
	tl_cell_put((uint8_t *)index.data + TL_INDEX_HEADER_SIZE +
			i * TL_CELL_SIZE,
	    cell);
	repair(&index);
	return index;
}

static struct tl_text
with_wrong_cell(uint64_t *seed, size_t i, unsigned field)
{
	struct tl_cell cell = cell_at(i);

	if (field == 0)
		cell.id = (int32_t)other_value(seed, cell.kind, field, cell.id);
	else if (field == 1)
		cell.start = other_value(seed, cell.kind, field, cell.start);
	else
		cell.end = other_value(seed, cell.kind, field, cell.end);
	return with_cell(i, &cell);
}

static struct tl_text
without_cells(size_t first, size_t count)
{
	const size_t at = TL_INDEX_HEADER_SIZE + first * TL_CELL_SIZE;
	const size_t end = at + count * TL_CELL_SIZE;
	struct tl_text index = { 0 };

	tl_put_bytes(&index, tl_bytes(right.data, at));
	tl_put_bytes(&index, tl_bytes(right.data + end, right.size - end));
	repair(&index);
	return index;
}

/*
 * Load all of the trace with this index and compare it; returns the state of
 * the index at the end.
 */
static enum tl_trace_index
check_index(const struct tl_text *index, uint64_t step)
{
	enum tl_trace_index state;
	struct tl_trace *trace;

	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     bytes_of(index)),
	    0);
	ck_assert_uint_eq(tl_trace_thread_count(trace),
	    tl_trace_thread_count(truth));
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++) {
		struct tl_node *root = tl_trace_root(trace, i);
		const uint64_t half = tl_trace_root(truth, i)->child_count / 2;

		ck_assert_ok(tl_trace_load(trace, root, half, 3));
		load_all(trace, root, step);
		ck_assert(same_tree(tl_trace_root(truth, i), root));
	}
	ck_assert_uint_eq(tl_trace_damage(trace), 0);
	state = tl_trace_index_state(trace);
	if (state == TL_INDEX_BROKEN)
		ck_assert(tl_bytes_equal(tl_trace_index_bytes(trace),
		    bytes_of(&right)));
	tl_trace_close(trace);
	return state;
}

static const struct {
	uint8_t kind;
	unsigned field;   /* id, start, end */
	bool is_not_used; /* reading skips the field, to the same effect */
} fields[] = {
	{ TL_TRACE_BLOCK_START, 0, false },
	{ TL_TRACE_BLOCK_START, 1, false },
	{ TL_TRACE_BLOCK_START, 2, false },
	{ TL_TRACE_SPAN, 0, false },
	{ TL_TRACE_SPAN, 1, true },
	{ TL_TRACE_SPAN, 2, false },
	{ TL_TRACE_MARK, 0, true },
	{ TL_TRACE_MARK, 1, true },
	{ TL_TRACE_MARK, 2, true },
	{ TL_TRACE_ROOT, 0, false },
	{ TL_TRACE_ROOT, 1, false },
	{ TL_TRACE_ROOT, 2, false },
	{ TL_TRACE_OPEN, 0, false },
	{ TL_TRACE_OPEN, 1, true },
	{ TL_TRACE_OPEN, 2, false },
};

/* Change a field of up to TRIES cells; returns how many cells were tried. */
static unsigned
try_field(unsigned which, unsigned *broken)
{
	const size_t count = cell_count();
	uint64_t seed = which + 1;
	unsigned tried = 0;

	for (size_t k = 0; k < count * 4 && tried < TRIES; k++) {
		const size_t i = 1 + random_below(&seed, count - 1);
		struct tl_text index;

		if (cell_at(i).kind != fields[which].kind)
			continue;
		index = with_wrong_cell(&seed, i, fields[which].field);
		*broken +=
		    check_index(&index, tried % 2 ? 50 : 0) == TL_INDEX_BROKEN;
		tl_text_free(&index);
		tried++;
	}
	return tried;
}

TEST_FILE(.teardown = teardown, .timeout = 300);

TEST(a_cell_that_is_wrong_is_found_when_it_is_used,
    .to = sizeof(fields) / sizeof(*fields), .sampled = true)
{
	unsigned tried = 0, broken = 0;

	for (unsigned shape = 0; shape < 4; shape++) {
		make(shape < 2, shape % 2);
		tried += try_field((unsigned)_i, &broken);
		teardown();
		truth = NULL;
	}
	ck_assert_uint_gt(tried, 0);
	if (!fields[_i].is_not_used)
		ck_assert_uint_eq(broken, tried);
	else
		ck_assert_uint_gt(broken, 0);
}

TEST(a_span_does_not_end_where_the_next_of_its_kind_does)
{
	size_t first = 1;
	struct tl_text index;
	struct tl_cell cell;

	fixture_messages();
	program = random_program(1, COUNT, 1);
	for (size_t i = 0; i < COUNT; i++) {
		struct tl_event *e = &program.events[i];
		const size_t place = i % 1000;

		e->kind = place == 0     ? TL_BEGIN
			  : place == 999 ? TL_END
					 : TL_INSTANT;
		e->message = &messages[place % 999 ? INSTANT_MESSAGE : 0];
		e->level = e->message->level;
		e->bare = false;
	}
	make_from_program(true);
	while (cell_at(first).kind != TL_TRACE_SPAN)
		first++;
	cell = cell_at(first);
	for (size_t i = first + 1; cell.end == cell_at(first).end; i++)
		if (cell_at(i).kind == TL_TRACE_SPAN)
			cell.end = cell_at(i).end;
	index = with_cell(first, &cell);
	ck_assert_int_eq(check_index(&index, 0), TL_INDEX_BROKEN);
	tl_text_free(&index);
}

TEST(cells_that_are_missing_cost_time_alone)
{
	unsigned spans = 0;

	make(true, false);
	for (size_t i = 1; i < cell_count(); i++) {
		struct tl_text index;

		if (cell_at(i).kind != TL_TRACE_SPAN &&
		    cell_at(i).kind != TL_TRACE_MARK)
			continue;
		if (spans++ % 4 != 0)
			continue;
		index = without_cells(i, 1);
		ck_assert_int_eq(check_index(&index, 0), TL_INDEX_READ);
		tl_text_free(&index);
	}
	ck_assert_uint_gt(spans, 20);
}

TEST(a_block_that_an_index_hides_is_found, .to = 2)
{
	make(_i, false);
	for (size_t i = 1, n = 0; i < cell_count(); i++) {
		struct tl_text index;
		size_t count = 1;

		if (cell_at(i).kind != TL_TRACE_BLOCK_START || n++ % 17)
			continue;
		while (cell_at(i + count).kind != TL_TRACE_BLOCK_START &&
		       cell_at(i + count).kind != TL_TRACE_ROOT)
			count++;
		index = without_cells(i, count);
		ck_assert_int_eq(check_index(&index, 0), TL_INDEX_BROKEN);
		tl_text_free(&index);
	}
}

TEST(nodes_that_are_loaded_stay_when_the_index_is_made_again)
{
	struct tl_trace *trace;
	struct tl_node *root, *first;
	struct tl_cursor *cursor;
	struct tl_event event;
	struct tl_text index;
	struct tl_cell cell;
	size_t i, events = 0;

	make(true, false);
	for (i = 1; cell_at(i).kind != TL_TRACE_SPAN || cell_at(i).id < 3; i++)
		;
	cell = cell_at(i);
	cell.end++;
	index = with_cell(i, &cell);
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     bytes_of(&index)),
	    0);
	root = tl_trace_root(trace, 0);
	ck_assert_ok(tl_trace_load(trace, root, 0, 1));
	first = tl_node_child(root, 0);
	ck_assert_ok(tl_trace_cursor(trace, TL_NEWEST_FIRST, &cursor));
	for (; events < 100; events++)
		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
	for (size_t t = 0; t < THREADS; t++)
		load_all(trace, tl_trace_root(trace, t), 0);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
	ck_assert_uint_gt(fault_count, 0);
	ck_assert_ptr_eq(tl_node_child(root, 0), first);
	while (tl_cursor_next(cursor, &event) > 0)
		events++;
	tl_cursor_close(cursor);
	ck_assert_uint_eq(events, COUNT);
	for (size_t t = 0; t < THREADS; t++)
		ck_assert(same_tree(tl_trace_root(truth, t),
		    tl_trace_root(trace, t)));
	tl_trace_close(trace);
	tl_text_free(&index);
}

TEST(damage_is_said_every_time_with_an_index_or_without)
{
	struct tl_trace *trace;
	uint64_t said;

	make(true, false);
	for (int cut = 0; cut < 2; cut++) {
		struct tl_bytes data = bytes_of(&made.data);
		struct tl_text index = { 0 };

		if (cut)
			data.size /= 2;
		else
			made.data.data[data.size / 3] ^= 1;
		ck_assert_int_eq(open_bytes(&trace, data, tl_bytes(NULL, 0)),
		    0);
		said = tl_trace_damage(trace) > 0 || cut ? fault_count : 0;
		ck_assert_uint_gt(said, 0);
		tl_put_bytes(&index, tl_trace_index_bytes(trace));
		tl_trace_close(trace);
		ck_assert_int_eq(open_bytes(&trace, data, bytes_of(&index)), 0);
		ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
		ck_assert_uint_gt(fault_count, 0);
		ck_assert(cut || tl_trace_damage(trace) > 0);
		tl_trace_close(trace);
		tl_text_free(&index);
	}
}

static void
write_file(const char *path, struct tl_bytes bytes)
{
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
	fclose(file);
}

/* Open the files and all threads; returns the state of the index. */
static enum tl_trace_index
open_files(const char *path)
{
	struct tl_fault fault = { 0 };
	enum tl_trace_index state;
	struct tl_trace *trace;

	fault_count = 0;
	ck_assert_ok(tl_trace_open(&trace, path, &read_options, &fault));
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		ck_assert_ok(
		    tl_trace_load(trace, tl_trace_root(trace, i), 0, 1));
	ck_assert_uint_eq(tl_trace_damage(trace), 0);
	state = tl_trace_index_state(trace);
	tl_trace_close(trace);
	return state;
}

TEST(an_index_that_proves_wrong_is_written_back)
{
	char folder[] = "/tmp/test-trace-XXXXXX", path[64], index_path[80];
	struct tl_text index;
	struct tl_cell cell;

	make(true, false);
	cell = cell_at(cell_count() - 1);
	ck_assert_int_eq(cell.kind, TL_TRACE_ROOT);
	cell.end--;
	index = with_cell(cell_count() - 1, &cell);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.trace", folder);
	snprintf(index_path, sizeof(index_path), "%s.idx", path);
	write_file(path, bytes_of(&made.data));
	write_file(index_path, bytes_of(&index));
	ck_assert_int_eq(open_files(path), TL_INDEX_BROKEN);
	/* one report that the index is wrong, one that it is rebuilt */
	ck_assert_uint_eq(fault_count, 2);
	ck_assert_int_eq(open_files(path), TL_INDEX_READ);
	ck_assert_uint_eq(fault_count, 0);
	tl_text_free(&index);
	unlink(path);
	unlink(index_path);
	rmdir(folder);
}
