/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browse.c - the user sees the rows of a tree, whatever is folded, while only
 * visible nodes are in memory.  The reference is a list of all nodes.
 */
#include "base/utf8.h"
#include "browse_fixture.h"

#include "lib/test.h"

/* True if every node around this one is unfolded. */
static bool
is_seen(size_t i)
{
	while (nodes[i].parent != i) {
		i = nodes[i].parent;
		if (!nodes[i].open)
			return false;
	}
	return true;
}

static void
compare_row(struct tl_place place, size_t i)
{
	struct tl_text path = { 0 }, seen = { 0 }, dumb = { 0 };
	struct tl_row row;

	ck_assert_int_eq(tl_browse_row(&browse, place, &row), 0);
	ck_assert_uint_eq(row.depth, nodes[i].depth);
	ck_assert_int_eq(row.unfolded, nodes[i].open);
	tl_browse_put_path(&path, place);
	ck_assert_str_eq(tl_text_string(&path), nodes[i].path);
	tl_browse_put_row(&seen, &row);
	tl_put_string(&dumb, nodes[i].open                    ? "- "
			     : nodes[i].node->child_count > 0 ? "+ "
							      : "  ");
	put_dumb_line(&dumb, i);
	ck_assert_str_eq(tl_text_string(&seen), tl_text_string(&dumb));
	tl_text_free(&path);
	tl_text_free(&seen);
	tl_text_free(&dumb);
}

/* Compare all rows, forwards and backwards. */
static void
compare_rows(void)
{
	struct tl_place place = { &browse.all, 0 };
	size_t i, last = 0;

	for (i = 0; i < node_count; i++) {
		if (!is_seen(i))
			continue;
		if (i > 0)
			ck_assert(tl_browse_next(&place));
		compare_row(place, i);
		last = i;
	}
	ck_assert(!tl_browse_next(&place));
	for (i = last; i-- > 0;) {
		if (!is_seen(i))
			continue;
		ck_assert(tl_browse_previous(&place));
		compare_row(place, i);
	}
	ck_assert(!tl_browse_previous(&place));
}

/* Check that the cursor is on the screen. */
static void
check_cursor(size_t i)
{
	struct tl_place place = browse.top;
	unsigned rows = 0;

	compare_row(browse.cursor, i);
	while (!tl_browse_same(place, browse.cursor)) {
		ck_assert(tl_browse_next(&place));
		ck_assert_uint_lt(++rows, HEIGHT);
	}
}

static size_t
random_seen(uint64_t *random)
{
	size_t i;

	do
		i = random_next(random) % node_count;
	while (!is_seen(i));
	return i;
}

/* The number of visible rows before a node. */
static size_t
rows_before(size_t i)
{
	size_t rows = 0;

	while (i-- > 0)
		rows += is_seen(i);
	return rows;
}

static void
go_to_row(size_t i)
{
	tl_browse_home(&browse);
	tl_browse_move(&browse, (int64_t)rows_before(i));
	check_cursor(i);
}

static void
toggle(size_t i)
{
	if (nodes[i].open) {
		ck_assert(tl_browse_fold(&browse));
		nodes[i].open = false;
		for (size_t k = i + 1; k < node_count; k++) {
			if (nodes[k].depth <= nodes[i].depth)
				break;
			/* folding forgets the nodes inside */
			nodes[k].open = false;
		}
	} else {
		nodes[i].open = nodes[i].node->child_count > 0;
		ck_assert_int_eq(tl_browse_unfold(&browse), nodes[i].open);
	}
	check_cursor(i);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(rows_are_what_is_unfolded)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		uint64_t random = seed;

		make(seed, 1 + seed % 3);
		for (unsigned step = 0; step < 60; step++) {
			const size_t i = random_seen(&random);

			go_to_row(i);
			toggle(i);
			compare_rows();
		}
	}
}

TEST(moves_end_where_the_rows_end)
{
	size_t last;

	make(5, 2);
	ck_assert_int_eq(tl_browse_open_path(&browse, "2/0"), 0);
	nodes[0].open = false;
	for (size_t i = 0; i < node_count; i++)
		nodes[i].open = strcmp(nodes[i].path, "2") == 0;
	tl_browse_end(&browse);
	last = node_count - 1;
	while (!is_seen(last))
		last--;
	check_cursor(last);
	tl_browse_move(&browse, 1);
	check_cursor(last);
	tl_browse_move(&browse, INT64_MIN + 1);
	check_cursor(0);
	ck_assert(!tl_browse_up(&browse));
	ck_assert(!tl_browse_sibling(&browse, -1));
	ck_assert(tl_browse_sibling(&browse, 1));
	ck_assert(!tl_browse_sibling(&browse, 1));
	tl_browse_move(&browse, 3);
	ck_assert(tl_browse_sibling(&browse, -1));
	ck_assert(tl_browse_up(&browse));
	ck_assert(browse.cursor.fold == &browse.all);
}

TEST(every_path_is_opened)
{
	struct tl_text path = { 0 };

	make(3, 3);
	for (size_t i = 0; i < node_count; i++) {
		ck_assert_int_eq(tl_browse_open_path(&browse, nodes[i].path),
		    0);
		tl_text_clear(&path);
		tl_browse_put_path(&path, browse.cursor);
		ck_assert_str_eq(tl_text_string(&path), nodes[i].path);
	}
	tl_text_free(&path);
	ck_assert_int_eq(tl_browse_open_path(&browse, "0"), -ENOENT);
	ck_assert_int_eq(tl_browse_open_path(&browse, "4"), -ENOENT);
	ck_assert_int_eq(tl_browse_open_path(&browse, "1/9999"), -ENOENT);
	ck_assert_int_eq(tl_browse_open_path(&browse, "1/x"), -EINVAL);
	ck_assert_int_eq(tl_browse_open_path(&browse, ""), -EINVAL);
}

TEST(an_empty_trace_has_no_rows)
{
	struct tl_task task;

	forest = (struct tl_forest){ 0 };
	ck_assert_int_eq(tl_browse_init(&browse, &forest), 0);
	tl_browse_resize(&browse, HEIGHT);
	tl_browse_move(&browse, 5);
	tl_browse_move(&browse, -5);
	tl_browse_home(&browse);
	tl_browse_end(&browse);
	ck_assert_int_eq(tl_browse_unfold(&browse), 0);
	ck_assert(!tl_browse_fold(&browse));
	ck_assert(!tl_browse_up(&browse));
	ck_assert(!tl_browse_sibling(&browse, 1));
	ck_assert_int_eq(tl_task_search(&task, &browse, "x", true), -ENOENT);
	tl_task_end(&task);
	ck_assert_int_eq(tl_task_slowest(&task, &browse, true), -ENOENT);
	tl_task_end(&task);
}

TEST(text_is_cut_by_what_a_terminal_shows)
{
	const struct tl_bytes wide = tl_bytes_of("a\xe4\xb8\xad\xe4\xb8\xad"
						 "b");
	unsigned used;

	ck_assert_uint_eq(tl_utf8_fit(wide, 10, &used), 8);
	ck_assert_uint_eq(used, 6);
	ck_assert_uint_eq(tl_utf8_fit(wide, 3, &used), 4);
	ck_assert_uint_eq(used, 3);
	ck_assert_uint_eq(tl_utf8_fit(wide, 2, &used), 1);
	ck_assert_uint_eq(used, 1);
	/* one character always fits, so that wrapping makes progress */
	ck_assert_uint_eq(tl_utf8_fit(tl_bytes_of("\xe4\xb8\xad"), 1, &used),
	    3);
	ck_assert_uint_eq(tl_utf8_fit(tl_bytes("", 0), 5, &used), 0);
}

TEST(details_tell_all_of_a_row)
{
	struct tl_view view = { .browse = &browse };
	const char *text;
	struct tl_row row;
	size_t i = 0;

	make(8, 1);
	while (!nodes[i].node->event.message ||
	       nodes[i].node->event.message->file.size == 0 ||
	       nodes[i].node->ended != TL_NODE_ENDED)
		i++;
	ck_assert_int_eq(tl_browse_open_path(&browse, nodes[i].path), 0);
	ck_assert_int_eq(tl_browse_row(&browse, browse.cursor, &row), 0);
	tl_view_put_details(&view, &row);
	text = tl_text_string(&view.text);
	ck_assert_ptr_nonnull(strstr(text, "time: 1970-"));
	ck_assert_ptr_nonnull(strstr(text, ", took "));
	ck_assert_ptr_nonnull(strstr(text, " of the parent, own time "));
	ck_assert_ptr_nonnull(strstr(text, "category: odd"));
	ck_assert_ptr_nonnull(strstr(text, "at beta.c:77"));
	ck_assert_ptr_nonnull(strstr(text, "with words\n"));
	tl_text_free(&view.text);
}
