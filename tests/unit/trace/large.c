/* SPDX-License-Identifier: Apache-2.0 */
/*
 * large.c - deep nesting, wide nodes, and how much is read and how much memory
 * is used for them.
 */
#include "lib/test.h"
#include "lib/trace_fixture.h"

#include <stdio.h>
#include <unistd.h>

enum {
	DEEP = 1000000,
	WIDE = 1000000,
	/* only with TIMELINE_LARGE=1 in the environment */
	WIDEST = 10000000,
	SPAN_SIZE = 100000, /* events of a span in the longest trace */
	LONGEST = 100000000
};

static struct made made;
static struct tl_trace_writer *writer;
static struct tl_trace_stream *stream;

static void
setup(void)
{
	struct tl_trace_options options = { 0 };

	fixture_messages();
	made_begin(&made, &options, &writer);
	ck_assert_ok(
	    tl_trace_stream_new(&stream, writer, 1, 2, tl_bytes_of("worker")));
}

static void
teardown(void)
{
	made_free(&made);
}

static void
put(unsigned kind, unsigned message, int64_t ns, uint64_t arg)
{
	const struct tl_event event = { .kind = (uint8_t)kind,
		.message = &messages[message],
		.level = messages[message].level,
		.ns = ns,
		.bare = kind == TL_END,
		.args = { arg } };

	/* libcheck's assertions write to a pipe: too slow for each event */
	if (tl_trace_stream_put(stream, &event) < 0)
		ck_abort_msg("event at %lld", (long long)ns);
}

static struct tl_trace *
open_made(bool with_index)
{
	struct tl_trace *trace;

	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     with_index ? bytes_of(&made.index)
					: tl_bytes(NULL, 0)),
	    0);
	return trace;
}

/* Descend to the innermost node, child by child. */
static uint64_t
descend(struct tl_trace *trace, struct tl_node *node)
{
	uint64_t depth = 0;

	while (node->child_count > 0) {
		if (node->child_count != 1 ||
		    tl_trace_load(trace, node, 0, 1) < 0)
			break;
		node = tl_node_child(node, 0);
		if (!node || node->event.args[0] != depth)
			break;
		depth++;
	}
	return depth;
}

static bool
is_large_wanted(void)
{
	const char *large = getenv("TIMELINE_LARGE");

	return large && strcmp(large, "1") == 0;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 300);

TEST(a_million_spans_inside_each_other_are_walked_down)
{
	struct tl_trace *trace;

	for (int i = 0; i < DEEP; i++)
		put(TL_BEGIN, 0, i, (uint64_t)i);
	for (int i = 0; i < DEEP; i++)
		put(TL_END, 0, DEEP + i, 0);
	made_end(writer);
	trace = open_made(true);
	ck_assert_uint_eq(descend(trace, tl_trace_root(trace, 0)), DEEP);
	ck_assert_uint_eq(tl_trace_damage(trace), 0);
	tl_node_forget(tl_trace_root(trace, 0), &tl_trace_trees(trace)->budget);
	ck_assert_uint_eq(tl_trace_trees(trace)->budget.used, 0);
	tl_trace_close(trace);
}

TEST(a_million_spans_of_a_crashed_program_are_unfinished)
{
	struct tl_trace *trace;

	for (int i = 0; i < DEEP; i++)
		put(TL_BEGIN, 0, i, (uint64_t)i);
	ck_assert_ok(tl_trace_writer_flush(writer));
	tl_trace_writer_free(writer); /* the writer does not finish the file */
	trace = open_made(true);
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
	ck_assert_uint_eq(descend(trace, tl_trace_root(trace, 0)), DEEP);
	ck_assert_int_eq(tl_node_child(tl_trace_root(trace, 0), 0)->ended,
	    TL_NODE_UNFINISHED);
	tl_trace_close(trace);
}

/*
 * Make one span with very many children; every tenth child is a span with one
 * child of its own.
 */
static void
make_wide(void)
{
	put(TL_BEGIN, 1, 0, 0);
	for (int i = 0; i < WIDE; i++) {
		put(i % 10 ? TL_INSTANT : TL_BEGIN, i % 10 ? 3 : 0, i,
		    (uint64_t)i);
		if (i % 10 == 0) {
			put(TL_INSTANT, 3, i, 77);
			put(TL_END, 0, i, 0);
		}
	}
	put(TL_END, 1, WIDE, 0);
	made_end(writer);
}

TEST(any_range_of_a_million_children_is_loaded_alone)
{
	static const uint64_t firsts[] = { 0, 1, 65535, 500000, 999990 };
	struct tl_trace *trace;
	struct tl_node *node;
	struct storage *data;

	make_wide();
	trace = open_made(true);
	data = (struct storage *)(void *)storage_of(bytes_of(&made.data));
	ck_assert_ok(tl_trace_load(trace, tl_trace_root(trace, 0), 0, 1));
	node = tl_node_child(tl_trace_root(trace, 0), 0);
	ck_assert_uint_eq(node->child_count, WIDE);
	for (unsigned k = 0; k < 5; k++) {
		const uint64_t first = firsts[k];

		ck_assert_ok(tl_trace_load(trace, node, first, 10));
		ck_assert_uint_eq(node->loaded, 10);
		for (uint64_t i = first; i < first + 10; i++)
			ck_assert_uint_eq(tl_node_child(node, i)->event.args[0],
			    i);
		if (first % 10 == 0)
			ck_assert_uint_eq(tl_node_child(node, first)
					      ->child_count,
			    1);
		ck_assert_ptr_null(tl_node_child(node, first + 10));
		if (k != 0)
			tl_node_forget(node, &tl_trace_trees(trace)->budget);
		else
			tl_trace_forget_range(trace, node, 0, 1);
		if (k == 0)
			tl_trace_forget_range(trace, node, 2, 8);
	}
	storage_close(&data->storage);
	tl_trace_close(trace);
}

TEST(few_blocks_are_read_for_a_range_or_the_newest_events)
{
	struct storage *data;
	struct tl_trace *trace;
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_event event;
	uint64_t before;

	make_wide();
	data = (struct storage *)(void *)storage_of(bytes_of(&made.data));
	ck_assert_ok(tl_trace_open_storage(&trace, &data->storage,
	    storage_of(bytes_of(&made.index)), &read_options, &fault));
	ck_assert_uint_lt(data->bytes_read, made.data.size / 100);
	before = data->bytes_read;
	ck_assert_ok(tl_trace_cursor(trace, TL_NEWEST_FIRST, &cursor));
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
	tl_cursor_close(cursor);
	ck_assert_uint_le(data->bytes_read - before, 2 * TL_TRACE_BLOCK_SIZE);
	before = data->bytes_read;
	ck_assert_ok(tl_trace_load(trace, tl_trace_root(trace, 0), 0, 1));
	ck_assert_ok(tl_trace_load(trace,
	    tl_node_child(tl_trace_root(trace, 0), 0), 500000, 10));
	ck_assert_uint_le(data->bytes_read - before, 5 * TL_TRACE_BLOCK_SIZE);
	tl_trace_close(trace);
}

TEST(memory_stays_within_its_budget)
{
	struct tl_trace_read_options options = { .memory_max = 100000 };
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;
	struct tl_node *node;

	make_wide();
	ck_assert_ok(
	    tl_trace_open_storage(&trace, storage_of(bytes_of(&made.data)),
		storage_of(bytes_of(&made.index)), &options, &fault));
	ck_assert_ok(tl_trace_load(trace, tl_trace_root(trace, 0), 0, 1));
	node = tl_node_child(tl_trace_root(trace, 0), 0);
	ck_assert_int_eq(tl_trace_load(trace, node, 0, UINT64_MAX), -EDQUOT);
	ck_assert_uint_le(tl_trace_trees(trace)->budget.used,
	    options.memory_max);
	ck_assert_uint_gt(node->loaded, 10);
	tl_node_forget(node, &tl_trace_trees(trace)->budget);
	ck_assert_ok(tl_trace_load(trace, node, 900000, 50));
	ck_assert_uint_eq(node->loaded, 50);
	tl_trace_close(trace);
}

TEST(several_traces_are_open_at_once)
{
	struct tl_trace *a, *b;

	make_wide();
	a = open_made(true);
	b = open_made(false);
	ck_assert_ok(tl_trace_load(a, tl_trace_root(a, 0), 0, 1));
	ck_assert_ok(tl_trace_load(b, tl_trace_root(b, 0), 0, 1));
	ck_assert_ptr_ne(tl_node_child(tl_trace_root(a, 0), 0)->event.message,
	    tl_node_child(tl_trace_root(b, 0), 0)->event.message);
	tl_trace_close(a);
	ck_assert(tl_bytes_equal(tl_node_child(tl_trace_root(b, 0), 0)
				     ->event.message->text,
	    messages[1].text));
	ck_assert(
	    tl_bytes_equal(tl_trace_thread(b, 0)->name, tl_bytes_of("worker")));
	tl_trace_close(b);
}

TEST(any_of_ten_million_children_is_found, .only_if = is_large_wanted)
{
	struct tl_trace *trace;
	struct tl_node *node;
	uint64_t seed = 1;

	put(TL_BEGIN, 1, 0, 0);
	for (int i = 0; i < WIDEST; i++)
		put(TL_INSTANT, 3, i, (uint64_t)i);
	put(TL_END, 1, WIDEST, 0);
	made_end(writer);
	trace = open_made(true);
	ck_assert_ok(tl_trace_load(trace, tl_trace_root(trace, 0), 0, 1));
	node = tl_node_child(tl_trace_root(trace, 0), 0);
	ck_assert_uint_eq(node->child_count, WIDEST);
	for (int i = 0; i < 100; i++) {
		const uint64_t at = random_below(&seed, WIDEST);

		ck_assert_ok(tl_trace_load(trace, node, at, 1));
		ck_assert_uint_eq(tl_node_child(node, at)->event.args[0], at);
	}
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_READ);
	tl_node_forget(node, &tl_trace_trees(trace)->budget);
	ck_assert_ok(tl_trace_load(trace, node, 0, UINT64_MAX));
	ck_assert_uint_eq(node->loaded, WIDEST);
	tl_trace_close(trace);
}

/* Write consecutive spans into a file. */
static void
write_longest(const char *path)
{
	const struct tl_trace_options options = { 0 };

	ck_assert_ok(tl_trace_create(&writer, path, &options));
	ck_assert_ok(
	    tl_trace_stream_new(&stream, writer, 1, 2, tl_bytes_of("")));
	for (int i = 0; i < LONGEST; i += SPAN_SIZE) {
		put(TL_BEGIN, 1, i, 0);
		for (int k = 1; k < SPAN_SIZE - 1; k++)
			put(TL_INSTANT, 3, i + k, (uint64_t)(i + k));
		put(TL_END, 1, i + SPAN_SIZE - 1, 0);
	}
	ck_assert_ok(tl_trace_writer_finish(writer));
	tl_trace_writer_free(writer);
}

static void
look_into_longest(struct tl_trace *trace)
{
	struct tl_node *root = tl_trace_root(trace, 0), *node;
	struct tl_cursor *cursor;
	struct tl_event event;

	ck_assert_uint_eq(tl_trace_thread(trace, 0)->events, LONGEST);
	ck_assert_uint_eq(root->child_count, LONGEST / SPAN_SIZE);
	ck_assert_ok(tl_trace_load(trace, root, 777, 1));
	node = tl_node_child(root, 777);
	ck_assert_ok(tl_trace_load(trace, node, 55555, 10));
	ck_assert_int_eq(tl_node_child(node, 55560)->event.ns,
	    777 * SPAN_SIZE + 55561);
	ck_assert_ok(tl_trace_cursor(trace, TL_NEWEST_FIRST, &cursor));
	for (int i = 1; i <= 1000; i++) {
		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
		ck_assert_int_eq(event.ns, LONGEST - i);
	}
	tl_cursor_close(cursor);
	ck_assert_uint_eq(tl_trace_damage(trace), 0);
}

TEST(a_hundred_million_events_are_looked_into, .only_if = is_large_wanted)
{
	char folder[] = "/tmp/test-trace-XXXXXX", path[64], index_path[80];
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.trace", folder);
	snprintf(index_path, sizeof(index_path), "%s.idx", path);
	write_longest(path);
	for (int again = 0; again < 2; again++) {
		ck_assert_ok(
		    tl_trace_open(&trace, path, &read_options, &fault));
		ck_assert_int_eq(tl_trace_index_state(trace),
		    again ? TL_INDEX_MISSING : TL_INDEX_READ);
		look_into_longest(trace);
		tl_trace_close(trace);
		unlink(index_path);
	}
	unlink(path);
	rmdir(folder);
}
