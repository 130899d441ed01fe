/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browse_task.c - a search and the slowest child, compared with a look at every
 * node.
 */
#include "browse_fixture.h"

#include "lib/test.h"

static int
finish(struct tl_task *task, int rc)
{
	while (rc > 0)
		rc = tl_task_step(task);
	tl_task_end(task);
	return rc;
}

static bool
line_has(size_t i, const char *wanted)
{
	struct tl_text line = { 0 };
	bool has;

	put_dumb_line(&line, i);
	if (!nodes[i].heading)
		tl_tree_put_end(&line, nodes[i].node);
	has = strcasestr(tl_text_string(&line), wanted) != NULL;
	tl_text_free(&line);
	return has;
}

/* The next node with the text, wrapping around the end; node_count: none. */
static size_t
dumb_search(size_t from, const char *wanted, bool forward)
{
	for (size_t step = 1; step <= node_count; step++) {
		const size_t i =
		    (from + (forward ? step : node_count - step)) % node_count;

		if (line_has(i, wanted))
			return i;
	}
	return node_count;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(a_search_finds_what_is_next_and_goes_around)
{
	static const char *const words[] = { "gamma", "unfinished", "thread",
		"lost here", "string s(one)", "n(1", "nowhere to be found" };
	struct tl_task task;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		const char *wanted = words[seed % 7];
		const bool forward = seed % 3 > 0;
		size_t i = 0;

		make(seed, 1 + seed % 4);
		for (unsigned step = 0; step < 20; step++) {
			const size_t next = dumb_search(i, wanted, forward);
			struct tl_text path = { 0 };
			int rc;

			rc = finish(&task,
			    tl_task_search(&task, &browse, wanted, forward));
			if (next == node_count) {
				ck_assert_int_eq(rc, -ENOENT);
				break;
			}
			ck_assert_int_eq(rc, 0);
			tl_browse_put_path(&path, browse.cursor);
			ck_assert_str_eq(tl_text_string(&path),
			    nodes[next].path);
			tl_text_free(&path);
			i = next;
		}
	}
}

TEST(capital_letters_are_looked_for)
{
	struct tl_task task;

	make(2, 1);
	ck_assert_int_eq(finish(&task,
			     tl_task_search(&task, &browse, "gamma", true)),
	    0);
	ck_assert_int_eq(finish(&task,
			     tl_task_search(&task, &browse, "Gamma", true)),
	    -ENOENT);
}

static int64_t
dumb_time(const struct dumb *d)
{
	const int64_t max_ns = tl_trace_thread(whole, d->thread)->max_ns;

	if (d->node->ended == TL_NODE_UNFINISHED)
		return max_ns > d->node->event.ns ? max_ns - d->node->event.ns
						  : 0;
	return d->node->ended == TL_NODE_LEAF ? -1 : tl_node_duration(d->node);
}

/* The child that took longest, the first of equal ones; node_count: none. */
static size_t
dumb_slowest(size_t parent)
{
	size_t slowest = node_count;

	for (size_t i = parent + 1; i < node_count; i++) {
		if (nodes[i].parent != parent || nodes[i].depth == 0 ||
		    dumb_time(&nodes[i]) < 0)
			continue;
		if (slowest == node_count ||
		    dumb_time(&nodes[i]) > dumb_time(&nodes[slowest]))
			slowest = i;
	}
	return slowest;
}

static void
expect_path(size_t i)
{
	struct tl_text path = { 0 };

	tl_browse_put_path(&path, browse.cursor);
	ck_assert_str_eq(tl_text_string(&path), nodes[i].path);
	tl_text_free(&path);
}

/* True if the cursor is on the screen. */
static bool
is_seen(void)
{
	struct tl_place place = browse.top;

	for (unsigned row = 0; row < HEIGHT; row++) {
		if (tl_browse_same(place, browse.cursor))
			return true;
		if (!tl_browse_next(&place))
			return false;
	}
	return false;
}

TEST(the_slowest_child_is_found)
{
	struct tl_task task;

	for (uint64_t seed = 1; seed <= 6; seed++) {
		make(seed, 1 + seed % 3);
		for (size_t i = 0; i < node_count; i++) {
			const size_t slowest = dumb_slowest(i);
			int rc;

			tl_browse_open_path(&browse, nodes[i].path);
			rc = finish(&task,
			    tl_task_slowest(&task, &browse, false));
			ck_assert_int_eq(rc,
			    slowest == node_count ? -ENOENT : 0);
			expect_path(slowest == node_count ? i : slowest);
			ck_assert(is_seen());
		}
	}
}

TEST(the_slowest_path_goes_down_to_its_end)
{
	struct tl_task task;
	size_t i = 0, next;

	make(6, 1);
	ck_assert_int_eq(finish(&task, tl_task_slowest(&task, &browse, true)),
	    0);
	while ((next = dumb_slowest(i)) < node_count)
		i = next;
	ck_assert_uint_gt(nodes[i].depth, 1);
	expect_path(i);
	ck_assert(is_seen());
}

TEST(a_task_that_is_stopped_leaves_nothing)
{
	struct tl_task task;

	make(4, 2);
	ck_assert_int_gt(tl_task_search(&task, &browse, "x", true), 0);
	tl_task_end(&task);
	ck_assert_int_gt(tl_task_slowest(&task, &browse, true), 0);
	tl_task_end(&task);
	tl_browse_free(&browse);
	browse.forest = NULL;
	ck_assert_uint_eq(tl_trace_memory(trace), 0);
}

/*
 * True if a search for the text shows the node: the node has the text, or a
 * node around it or inside of it.
 */
static bool
dumb_shows(size_t i, const char *wanted)
{
	for (size_t k = i;; k = nodes[k].parent) {
		if (line_has(k, wanted))
			return true;
		if (nodes[k].parent == k)
			break;
	}
	for (size_t k = i + 1;
	     k < node_count && nodes[k].depth > nodes[i].depth; k++) {
		if (line_has(k, wanted))
			return true;
	}
	return false;
}

static void
check_path(size_t i)
{
	struct tl_text path = { 0 };

	tl_browse_put_path(&path, browse.cursor);
	ck_assert_str_eq(tl_text_string(&path), nodes[i].path);
	tl_text_free(&path);
}

/* Unfold all, and compare each row with the nodes that must be shown. */
static void
compare_shown(const char *wanted)
{
	struct tl_place before = { 0 };
	size_t last = node_count;

	tl_browse_home(&browse);
	for (size_t i = 0; i < node_count; i++) {
		if (wanted && !dumb_shows(i, wanted))
			continue;
		if (last < node_count)
			tl_browse_move(&browse, 1);
		ck_assert(!tl_browse_same(before, browse.cursor));
		check_path(i);
		ck_assert_int_ge(tl_browse_unfold(&browse), 0);
		before = browse.cursor;
		last = i;
	}
	tl_browse_move(&browse, 1);
	ck_assert(tl_browse_same(before, browse.cursor));
	for (size_t i = last + 1; i-- > 0;) {
		if (wanted && !dumb_shows(i, wanted))
			continue;
		check_path(i);
		tl_browse_move(&browse, -1);
	}
}

TEST(a_filter_shows_matches_their_inside_and_the_nodes_around)
{
	static const char *const words[] = { "gamma", "unfinished", "thread 1",
		"lost here", "string s(one)", "n(1", "nowhere to be found" };
	struct tl_task task;

	for (uint64_t seed = 1; seed <= 21; seed++) {
		const char *wanted = words[seed % 7];
		size_t i = 0;
		int rc;

		make(seed, 1 + seed % 4);
		while (i < node_count && !line_has(i, wanted))
			i++;
		rc = finish(&task, tl_task_filter(&task, &browse, wanted));
		ck_assert_int_eq(rc, i < node_count ? 0 : -ENOENT);
		if (i < node_count)
			check_path(i);
		compare_shown(i < node_count ? wanted : NULL);
		ck_assert_int_eq(tl_browse_set_filter(&browse, NULL), 0);
		compare_shown(NULL);
	}
}

/* Calls are equal if their messages are equal, and those of all callers. */
static bool
is_equal_call(size_t a, size_t b)
{
	if (nodes[a].depth != nodes[b].depth)
		return false;
	for (; a != b; a = nodes[a].parent, b = nodes[b].parent) {
		if (nodes[a].node->event.message !=
		    nodes[b].node->event.message)
			return false;
	}
	return true;
}

static int64_t
duration(size_t i)
{
	return tl_browse_duration(&browse, nodes[i].thread, nodes[i].node);
}

/*
 * Compare a merged call with all nodes of the first thread, which end before
 * end.
 */
static void
compare_call(const struct tl_merged_call *call, size_t end)
{
	const size_t slowest = 1 + (size_t)call->slowest;
	uint64_t count = 0;
	int64_t total = 0, longest = -1, inside = 0;

	for (size_t i = 1; i < end; i++) {
		if (!is_equal_call(i, slowest))
			continue;
		count++;
		total += duration(i) > 0 ? duration(i) : 0;
		if (duration(i) > longest)
			longest = duration(i);
	}
	for (size_t i = 0; i < call->inner_count; i++)
		inside += call->inner[i]->total_ns;
	ck_assert_uint_eq(call->count, count);
	ck_assert_int_eq(call->total_ns, total);
	ck_assert_int_eq(call->max_ns, longest);
	ck_assert_int_eq(duration(slowest), longest);
	ck_assert_int_eq(call->self_ns, total > inside ? total - inside : 0);
	if (call->number > 0)
		ck_assert_int_ge(call->outer->inner[call->number - 1]->total_ns,
		    total);
}

TEST(equal_calls_are_merged)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct tl_merged merged = { 0 };
		struct tl_merged_call *call = &merged.root;
		struct tl_task task;
		uint64_t counted = 0;
		size_t end = 1;
		int rc;

		make(seed, 1 + seed % 3);
		while (end < node_count && nodes[end].depth > 0)
			end++;
		rc = finish(&task, tl_task_merge(&task, &browse, &merged));
		ck_assert_int_eq(rc, end > 1 ? 0 : -ENOENT);
		while ((call = tl_merged_next(call, true))) {
			compare_call(call, end);
			counted += call->count;
		}
		ck_assert_uint_eq(counted, end - 1);
		call = tl_merged_next(&merged.root, false);
		if (call) {
			ck_assert_int_eq(finish(&task,
					     tl_task_go(&task, &browse,
						 call->slowest)),
			    0);
			check_path(1 + (size_t)call->slowest);
		}
		tl_merged_free(&merged);
	}
}
