/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - a printed tree equals the tree that was read whole, however little
 * of it is in memory at once, and every path leads to its node.
 */
#include "dump/tree/tree.h"
#include "dump/tree/line.h"
#include "dump/tree/walk.h"

#include "lib/test.h"
#include "lib/trace_fixture.h"

#include <stdio.h>

enum {
	ROUNDS = 12,
	COUNT = 3000,
	SMALL_BUDGET = 16 << 10 /* for a trace with COUNT events */
};

static struct program program;
static struct made made;
static struct tl_trace *trace;
static struct tl_tree_source source;
static struct tl_forest forest;
static const struct tl_tree_parts parts;
static struct tl_options options;
static struct tl_output output;

static void
setup(void)
{
	fixture_messages();
	options =
	    (struct tl_options){ .depth = UINT64_MAX, .children = UINT64_MAX };
}

static void
teardown(void)
{
	tl_trace_close(trace);
	trace = NULL;
	made_free(&made);
	free(program.events);
	program = (struct program){ 0 };
	tl_text_free(&output.text);
	output = (struct tl_output){ 0 };
}

/* Make the trace of a random program; flat: without its spans. */
static void
make_of(uint64_t seed, size_t count, size_t memory_max, bool flat)
{
	const struct tl_trace_read_options limited = { .report = { count_fault,
							   NULL },
		.memory_max = memory_max };
	struct tl_fault fault = { 0 };

	teardown();
	program = random_program(seed, count, 1 + seed % 4);
	for (size_t i = 0; flat && i < count; i++) {
		program.events[i].kind = TL_INSTANT;
		program.events[i].bare = false;
		program.events[i].message = &messages[INSTANT_MESSAGE];
	}
	ck_assert_int_eq(write_program(&made, &program,
			     (struct tl_trace_options){ .block_size = 2048 }),
	    0);
	ck_assert_ok(
	    tl_trace_open_storage(&trace, storage_of(bytes_of(&made.data)),
		storage_of(bytes_of(&made.index)), &limited, &fault));
	source = (struct tl_tree_source){ .name = "x",
		.trees = tl_trace_trees(trace) };
	forest = (struct tl_forest){ .count = 1,
		.sources = &source,
		.thread_count = tl_trace_thread_count(trace) };
}

static void
make(uint64_t seed, size_t count, size_t memory_max)
{
	make_of(seed, count, memory_max, false);
}

/* Print the tree; the output is smaller than one write(2). */
static const char *
print(void)
{
	struct tl_fault fault = { 0 };
	int rc;

	tl_text_clear(&output.text);
	ck_assert(tl_text_reserve(&output.text, 1 << 20));
	output.fd = -1;
	rc = tl_tree_print(&forest, &parts, &options, &output, &fault);
	ck_assert_msg(rc == 0, "%s", fault.text);
	return tl_text_string(&output.text);
}

/* The reference: the whole tree is in memory. */
static void
put_dumb(struct tl_text *text, const struct tl_node *node, uint64_t level)
{
	for (uint64_t i = 0; i < node->child_count; i++) {
		const struct tl_node *child = tl_node_child(node, i);

		ck_assert_ptr_nonnull(child);
		tl_tree_put_indent(text, level);
		tl_tree_put_message(text, child);
		tl_tree_put_end(text, child);
		tl_put_char(text, '\n');
		put_dumb(text, child, level + 1);
	}
}

static void
compare_with_whole(void)
{
	struct tl_trace *whole = read_whole(bytes_of(&made.data));
	struct tl_text dumb = { 0 };

	for (size_t i = 0; i < tl_trace_thread_count(whole); i++) {
		tl_tree_put_thread(&dumb, i, tl_trace_thread(whole, i));
		tl_put_char(&dumb, '\n');
		put_dumb(&dumb, tl_trace_root(whole, i), 0);
	}
	ck_assert_str_eq(print(), tl_text_string(&dumb));
	tl_text_free(&dumb);
	tl_trace_close(whole);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(what_is_printed_is_the_tree_of_each_thread)
{
	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		make(seed, COUNT / 3, 0);
		compare_with_whole();
	}
}

TEST(it_is_the_same_where_memory_is_short)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		make(seed, COUNT / 3, SMALL_BUDGET);
		compare_with_whole();
		ck_assert_uint_eq(tl_trace_trees(trace)->budget.used, 0);
	}
}

TEST(not_even_one_window_of_children_must_fit)
{
	make_of(4, COUNT, 2 * SMALL_BUDGET, true);
	compare_with_whole();
}

/* Print the node of a path alone: its line follows the heading. */
static void
compare_path(const char *path, const char *words, size_t size)
{
	const char *line;
	struct tl_text room = output.text;

	output.text = (struct tl_text){ 0 };
	options = (struct tl_options){ .path = path,
		.depth = 0,
		.children = UINT64_MAX };
	line = strchr(print(), '\n') + 1;
	ck_assert_int_eq(strncmp(line, words, size), 0);
	ck_assert_int_eq(line[size], '\n');
	tl_text_free(&output.text);
	output.text = room;
}

TEST(every_path_leads_to_its_node)
{
	const char *line;
	char path[256];
	unsigned count = 0;

	make(7, 400, 0);
	options.paths = true;
	for (line = print(); *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n');
		const char *at = end;

		if (*line == '#')
			continue;
		while (*at != '[')
			at--;
		ck_assert_int_eq(sscanf(at, "[%255[0-9/]]", path), 1);
		line += strspn(line, " ");
		compare_path(path, line, (size_t)(at - 1 - line));
		count++;
	}
	ck_assert_uint_gt(count, 100);
}

static void
expect_nowhere(const char *path, const char *why)
{
	struct tl_fault fault = { 0 };

	options.path = path;
	ck_assert_int_eq(tl_tree_print(&forest, &parts, &options, &output,
			     &fault),
	    -ENOENT);
	ck_assert_msg(strstr(fault.text, why) != NULL, "%s", fault.text);
}

TEST(a_path_that_leads_nowhere_is_said)
{
	make(4, 200, 0); /* one thread */
	expect_nowhere("0", "they go from 1 to 1");
	expect_nowhere("2/0", "there is no thread 2");
	expect_nowhere("1/99999", "there is no 99999: 1 has ");
	expect_nowhere("1/18446744073709551615/0", "1 has ");
}

TEST(paths_are_numbers_between_slashes)
{
	static const char *const wrong[] = { "a", "1/a", "/1", "1//2", "1/",
		"-1", "1/-2", " 1", "99999999999999999999", "1/2 " };
	const char *path = "3/0/17";
	uint64_t number;

	ck_assert_int_eq(tl_tree_path_take(&path, &number), 1);
	ck_assert_uint_eq(number, 3);
	ck_assert_int_eq(tl_tree_path_take(&path, &number), 1);
	ck_assert_uint_eq(number, 0);
	ck_assert_int_eq(tl_tree_path_take(&path, &number), 1);
	ck_assert_uint_eq(number, 17);
	ck_assert_ok(tl_tree_path_take(&path, &number));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int rc = 1;

		path = wrong[i];
		while (rc > 0)
			rc = tl_tree_path_take(&path, &number);
		ck_assert_msg(rc == -EINVAL, "%s", wrong[i]);
	}
}

/* Bits in blocks are flipped: the rest is printed, and printing ends. */
TEST(a_damaged_trace_is_printed_as_far_as_it_goes)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct tl_fault fault = { 0 };
		uint64_t random = seed;
		int rc;

		make(1 + seed % 3, COUNT / 3, 0);
		tl_trace_close(trace);
		for (unsigned i = 0; i < 3; i++)
			made.data.data[TL_TRACE_HEADER_SIZE +
				       random_next(&random) %
					   (made.data.size -
					       TL_TRACE_HEADER_SIZE)] ^= 0x40;
		rc = open_bytes(&trace, bytes_of(&made.data),
		    seed % 2 ? bytes_of(&made.index) : tl_bytes(NULL, 0));
		ck_assert_int_eq(rc, 0);
		forest.sources[0].trees = tl_trace_trees(trace);
		forest.thread_count = tl_trace_thread_count(trace);
		tl_text_clear(&output.text);
		ck_assert(tl_text_reserve(&output.text, 1 << 20));
		rc = tl_tree_print(&forest, &parts, &options, &output, &fault);
		ck_assert_msg(rc == 0, "%d", rc);
		ck_assert_uint_gt(output.text.size, 100);
		ck_assert_uint_eq(tl_trace_trees(trace)->budget.used, 0);
	}
}
