/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_trees.c - the trees that are read in place through an index are
 * those of a recorded trace of all events, however they are loaded; and an index
 * that does not fit is refused or said, wherever it is wrong.
 */
#include "base/array.h"
#include "base/file.h"
#include "event/render.h"
#include "event/spans.h"
#include "format/lincheck/print.h"
#include "format/registry.h"
#include "lib/sample.h"
#include "lib/test.h"
#include "source/hosts.h"
#include "trace/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA "tests/data/lincheck/"

static const char *const names[] = { "v8-mem1", "v8-mem2", "v8-mem4",
	"v8-stream1", "v8-stream2", "v8-stream4", "v13-stream2", "v22-mem2",
	"v22-stream2" };

enum { NAMES = TL_COUNT(names), EOF_SIZE = 1 };

static struct tl_text data, cells; /* the file and its index */
static struct tl_text said;        /* faults, one on each line */
static struct tl_text tree, whole; /* as read here, as it is */

static void
setup(void)
{
	struct tl_text *const all[] = { &data, &cells, &said, &tree, &whole };

	for (size_t i = 0; i < TL_COUNT(all); i++)
		*all[i] = (struct tl_text){ 0 };
}

static void
teardown(void)
{
	struct tl_text *const all[] = { &data, &cells, &said, &tree, &whole };

	for (size_t i = 0; i < TL_COUNT(all); i++)
		tl_text_free(all[i]);
}

static void
take_file(struct tl_text *text, const char *name, const char *suffix)
{
	char path[80];
	struct stat st;
	char *to;
	int fd;

	snprintf(path, sizeof(path), DATA "%s%s", name, suffix);
	fd = tl_open_read(path);
	ck_assert_msg(fd >= 0, "%s", path);
	ck_assert_int_eq(fstat(fd, &st), 0);
	tl_text_clear(text);
	to = tl_text_reserve(text, (size_t)st.st_size);
	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(tl_read_at(fd, to, (size_t)st.st_size, 0), st.st_size);
	text->size = (size_t)st.st_size;
	close(fd);
}

static void
say(void *context, const struct tl_fault *fault)
{
	(void)context;
	tl_put_format(&said, "%d %s\n", fault->rc, fault->text);
}

/* == trees as text == */

/* A member of a node each, and its line as Lincheck prints it. */
static void
put_node(struct tl_text *to, const struct tl_node *node)
{
	const struct tl_lincheck_print how = { .verbose = true,
		.children = node->child_count };

	tl_put_format(to, "%u %u %d %lld %llu ", node->depth, node->thread,
	    node->ended, (long long)node->event.ns,
	    (unsigned long long)node->child_count);
	if (node->ended == TL_NODE_ENDED) {
		ck_assert_ptr_eq(node->end.message, node->event.message);
		ck_assert(node->end.bare);
		tl_put_format(to, "%lld ", (long long)node->end.ns);
	}
	tl_put_plain(to, node->event.message->category);
	tl_put_format(to, " %d ", node->event.level);
	tl_lincheck_print_plain(to, &node->event, &how);
	tl_put_char(to, ' ');
	tl_render_node(to, &node->event, node->ended != TL_NODE_LEAF);
	tl_put_char(to, '\n');
}

/* How the children of a node are loaded. */
enum order { AT_ONCE, ONE_BY_ONE, BACKWARDS };

static void
load(struct tl_trees *trees, struct tl_node *node, enum order order)
{
	const uint64_t count = node->child_count;

	if (order == AT_ONCE)
		ck_assert_ok(tl_trees_load(trees, node, 0, UINT64_MAX));
	for (uint64_t i = 0; order != AT_ONCE && i < count; i++)
		ck_assert_ok(tl_trees_load(trees, node,
		    order == BACKWARDS ? count - 1 - i : i, 1));
}

static void
put_below(struct tl_text *to, struct tl_trees *trees, struct tl_node *node,
    enum order order)
{
	load(trees, node, order);
	for (uint64_t i = 0; i < node->child_count; i++) {
		struct tl_node *child = tl_node_child(node, i);

		if (!child) {
			tl_put_string(to, "missing\n");
			continue;
		}
		put_node(to, child);
		put_below(to, trees, child, order);
	}
}

static void
put_trees(struct tl_text *to, struct tl_trees *trees, enum order order)
{
	tl_text_clear(to);
	for (size_t i = 0; i < trees->count; i++) {
		const struct tl_trace_thread *thread = &trees->threads[i];

		tl_put_format(to, "thread %u ", thread->tid);
		tl_put_plain(to, thread->name);
		tl_put_format(to, " %llu\n",
		    (unsigned long long)trees->roots[i].child_count);
		put_below(to, trees, &trees->roots[i], order);
		tl_node_forget(&trees->roots[i], &trees->budget);
	}
	ck_assert_uint_eq(trees->budget.used, 0);
}

/* Open the trees of data and cells, and put them as text.  Returns what the
 * reader returned. */
static int
read_trees(enum order order)
{
	const struct tl_report report = { say, NULL };
	struct tl_storage *file, *index;
	struct tl_reader *reader;
	struct tl_trees *trees;
	struct tl_sink none = { 0 };
	int rc;

	ck_assert_ok(tl_lincheck_read_new(&reader, &none, &report));
	ck_assert_ok(tl_storage_of_memory(&file, data.data, data.size));
	ck_assert_ok(tl_storage_of_memory(&index, cells.data, cells.size));
	rc = reader->trees(reader, file, index, &trees);
	if (rc == 0) {
		put_trees(&tree, trees, order);
		reader->trees_free(trees);
	}
	tl_storage_close(index);
	tl_storage_close(file);
	reader->free(reader);
	return rc;
}

/* == the trees of all events == */

static void
put_whole(const char *name)
{
	static const struct tl_source_plan plan = { .formats =
							&tl_formats_read };
	static const struct tl_trace_read_options options;
	struct tl_source source;
	struct tl_cursor *events;
	struct tl_trace *trace;
	char path[80];

	snprintf(path, sizeof(path), DATA "%s.trace", name);
	tl_source_open(&source, path, &plan);
	ck_assert(tl_source_is_open(&source));
	ck_assert_ptr_null(tl_source_trees(&source));
	ck_assert_ok(tl_source_cursor(&source, TL_OLDEST_FIRST, &events));
	ck_assert_ok(
	    tl_spans_cursor(TL_OLDEST_FIRST, TL_SPANS_WINDOW, events, &events));
	ck_assert_ok(tl_tree_make(&trace, &options, &source, events, NULL));
	put_trees(&whole, tl_trace_trees(trace), AT_ONCE);
	tl_trace_close(trace);
	tl_source_close(&source);
}

static bool
is_same(void)
{
	return tl_bytes_equal(tl_bytes(tree.data, tree.size),
	    tl_bytes(whole.data, whole.size));
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 300);

TEST(trees_in_place_are_those_of_all_events, .to = 3 * (int)NAMES)
{
	const char *name = names[_i % NAMES];

	take_file(&data, name, ".trace");
	take_file(&cells, name, ".trace.idx");
	put_whole(name);
	ck_assert_int_eq(read_trees((enum order)(_i / (int)NAMES)), 0);
	ck_assert_str_eq(tl_text_string(&tree), tl_text_string(&whole));
	ck_assert_uint_eq(said.size, 0);
}

/* The kind of a point in the files of version 8, and in the others. */
static char
kind_of_point(int name)
{
	return names[name][1] == '8' ? 6 : 8;
}

/* Is byte i of the index in the cell of a container? */
static bool
is_of_container(size_t i, int name)
{
	const size_t end = cells.size - TL_CELL_SIZE - 8;

	if (i < 16 || i >= end)
		return false;
	return cells.data[i - (i - 16) % TL_CELL_SIZE] == kind_of_point(name);
}

/*
 * The end of a definition has no meaning, nor has the place in the cell of EOF.
 * Any other byte that is wrong is refused or said; the trees are right.
 */
TEST(every_byte_of_an_index_may_be_wrong, .to = NAMES)
{
	unsigned refused = 0, told = 0;

	take_file(&data, names[_i], ".trace");
	take_file(&cells, names[_i], ".trace.idx");
	put_whole(names[_i]);
	for (size_t i = sample_first((unsigned)_i); i < cells.size;
	     i += sample_step()) {
		const char byte = cells.data[i];
		int rc;

		cells.data[i] = byte ^ (char)(1 << i % 8);
		tl_text_clear(&said);
		rc = read_trees(AT_ONCE);
		cells.data[i] = byte;
		ck_assert_msg(rc < 0 || said.size > 0 ||
				  !is_of_container(i, _i),
		    "byte %zu is not missed", i);
		ck_assert(rc == 0 || rc == -EBADMSG);
		ck_assert_msg(rc < 0 || is_same(), "byte %zu: %s", i,
		    tl_text_string(&said));
		refused += rc < 0;
		told += rc == 0 && said.size > 0;
	}
	ck_assert_uint_gt(refused, 0);
	ck_assert_uint_gt(told, 0);
}

/* Without the cells of containers, containers are read up to their footers. */
TEST(a_call_without_a_cell_is_read, .to = NAMES)
{
	const size_t end = TL_CELL_SIZE + 8;
	const uint8_t kind = (uint8_t)kind_of_point(_i);
	struct tl_text kept = { 0 };

	take_file(&data, names[_i], ".trace");
	take_file(&cells, names[_i], ".trace.idx");
	put_whole(names[_i]);
	tl_put_bytes(&kept, tl_bytes(cells.data, 16));
	for (size_t i = 16; i < cells.size - end; i += TL_CELL_SIZE) {
		const bool last = i + TL_CELL_SIZE == cells.size - end;
		const bool is_outer =
		    (uint8_t)cells.data[i] == kind &&
		    (uint8_t)cells.data[i + TL_CELL_SIZE] != kind;

		if ((uint8_t)cells.data[i] != kind || is_outer || last)
			tl_put_bytes(&kept,
			    tl_bytes(cells.data + i, TL_CELL_SIZE));
	}
	tl_put_bytes(&kept, tl_bytes(cells.data + cells.size - end, end));
	ck_assert_uint_lt(kept.size, cells.size);
	tl_text_free(&cells);
	cells = kept;
	if (read_trees(AT_ONCE) == 0) { /* an outermost call has a cell */
		ck_assert_str_eq(tl_text_string(&tree), tl_text_string(&whole));
		ck_assert_msg(strstr(tl_text_string(&said), "no cell"), "%s",
		    tl_text_string(&said));
	}
}

TEST(a_file_that_is_not_whole_is_refused)
{
	take_file(&data, "v8-mem2", ".trace");
	take_file(&cells, "v8-mem2", ".trace.idx");
	ck_assert_int_eq(read_trees(AT_ONCE), 0);
	data.size -= EOF_SIZE;
	ck_assert_int_eq(read_trees(AT_ONCE), -EBADMSG);
	data.size = 16;
	ck_assert_int_eq(read_trees(AT_ONCE), -EBADMSG);
	take_file(&data, "v8-mem1", ".trace");
	ck_assert_int_eq(read_trees(AT_ONCE), -EBADMSG);
}

/* Damage is said by who reaches it, and the rest is read. */
TEST(every_byte_of_the_data_may_be_wrong, .to = NAMES)
{
	unsigned refused = 0, told = 0;

	take_file(&data, names[_i], ".trace");
	take_file(&cells, names[_i], ".trace.idx");
	for (size_t i = 16; i < data.size; i += 29) {
		const char byte = data.data[i];
		int rc;

		tl_text_clear(&said);
		data.data[i] = (char)~byte;
		rc = read_trees(i % 2 ? AT_ONCE : BACKWARDS);
		data.data[i] = byte;
		ck_assert(rc == 0 || rc == -EBADMSG);
		refused += rc < 0;
		told += rc == 0 && said.size > 0;
	}
	ck_assert_uint_gt(refused, 0);
	ck_assert_uint_gt(told, 0);
}
