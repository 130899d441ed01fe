/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browse_fixture.h - a random trace, its trees as they are browsed, and the
 * list of all its nodes, made in the simplest way.
 */
#ifndef TESTS_UNIT_BROWSE_FIXTURE_H
#define TESTS_UNIT_BROWSE_FIXTURE_H

#include "dump/browse/screen.h"
#include "dump/browse/task.h"
#include "dump/browse/view.h"
#include "dump/tree/line.h"
#include "lib/test.h"

#include "lib/trace_fixture.h"

#include <stdio.h>

enum { COUNT = 600, NODES_MAX = COUNT + 16, PATH_SIZE = 64, HEIGHT = 9 };

/* A node of the list, in the order of the printed tree. */
struct dumb {
	const struct tl_node *node; /* for a heading, the root of the thread */
	size_t thread;
	size_t parent; /* its index; for a root, its own index */
	uint64_t depth;
	char path[PATH_SIZE];
	bool open;
	bool heading;
};

static struct program program;
static struct made made;
static struct tl_trace *trace;
static struct tl_trace *whole;
static struct tl_tree_source source;
static struct tl_forest forest;
static struct tl_browse browse;
static struct dumb nodes[NODES_MAX];
static size_t node_count;

static inline void
add_nodes(const struct tl_node *node, size_t thread, const char *path,
    size_t parent, uint64_t depth)
{
	const size_t own = node_count++;
	struct dumb *d = &nodes[own];

	ck_assert_uint_lt(own, NODES_MAX);
	*d = (struct dumb){ .node = node,
		.thread = thread,
		.parent = depth == 0 ? own : parent,
		.depth = depth,
		.heading = depth == 0 };
	strcpy(d->path, path);
	for (uint64_t i = 0; i < node->child_count; i++) {
		char inner[PATH_SIZE];

		ck_assert_int_lt(snprintf(inner, sizeof(inner), "%s/%u", path,
				     (unsigned)i),
		    PATH_SIZE);
		add_nodes(tl_node_child(node, i), thread, inner, own,
		    depth + 1);
	}
}

static inline void
setup(void)
{
	fixture_messages();
}

static inline void
teardown(void)
{
	if (browse.forest)
		tl_browse_free(&browse);
	browse = (struct tl_browse){ 0 };
	tl_trace_close(trace);
	trace = NULL;
	tl_trace_close(whole);
	whole = NULL;
	made_free(&made);
	free(program.events);
	program = (struct program){ 0 };
	node_count = 0;
}

static inline void
make(uint64_t seed, unsigned threads)
{
	teardown();
	program = random_program(seed, COUNT, threads);
	ck_assert_int_eq(write_program(&made, &program,
			     (struct tl_trace_options){ .block_size = 2048 }),
	    0);
	ck_assert_int_eq(open_bytes(&trace, bytes_of(&made.data),
			     bytes_of(&made.index)),
	    0);
	whole = read_whole(bytes_of(&made.data));
	source = (struct tl_tree_source){ .name = "x",
		.trees = tl_trace_trees(trace) };
	forest = (struct tl_forest){ .count = 1,
		.sources = &source,
		.thread_count = tl_trace_thread_count(trace) };
	ck_assert_uint_eq(tl_trace_thread_count(whole), forest.thread_count);
	for (size_t i = 0; i < forest.thread_count; i++) {
		char path[8];

		snprintf(path, sizeof(path), "%u", (unsigned)i + 1);
		add_nodes(tl_trace_root(whole, i), i, path, 0, 0);
	}
	nodes[0].open = forest.thread_count == 1;
	ck_assert_int_eq(tl_browse_init(&browse, &forest), 0);
	browse.pool.max = 50 << 10;
	tl_browse_resize(&browse, HEIGHT);
}

static inline void
put_dumb_line(struct tl_text *text, size_t i)
{
	const struct dumb *d = &nodes[i];
	if (d->heading)
		tl_tree_put_thread(text, d->thread,
		    tl_trace_thread(whole, d->thread));
	else
		tl_tree_put_message(text, d->node);
}

#endif
