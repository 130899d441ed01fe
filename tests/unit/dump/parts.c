/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.c - each span of a tree has its own states, and the report tells where
 * states were left out.
 */
#include "dump/tree/parts.h"

#include "lib/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct tl_tree_parts parts;

static void
teardown(void)
{
	tl_tree_parts_free(&parts);
}

TEST_FILE(.teardown = teardown);

static int
put(struct tl_span span, int64_t running_ns)
{
	const int64_t ns[TL_PARTS] = { [TL_PART_RUNNING] = running_ns };

	return tl_tree_parts_put(&parts, &span, ns);
}

/* The time that a span ran; -1: unknown. */
static int64_t
running(struct tl_span span, uint8_t ended)
{
	const struct tl_node node = {
		.event = { .ns = span.begin_ns,
		    .pid = span.pid,
		    .tid = span.tid },
		.end = { .ns = span.begin_ns + span.duration_ns },
		.ended = ended,
	};
	const int64_t *ns = tl_tree_parts_find(&parts, span.source, &node);

	return ns ? ns[TL_PART_RUNNING] : -1;
}

TEST(each_span_has_its_own_parts)
{
	static const struct tl_span spans[] = {
		{ .begin_ns = 10, .duration_ns = 5, .pid = 1, .tid = 2 },
		{ .begin_ns = 11, .duration_ns = 5, .pid = 1, .tid = 2 },
		{ .begin_ns = 10, .duration_ns = 6, .pid = 1, .tid = 2 },
		{ .begin_ns = 10, .duration_ns = 5, .pid = 2, .tid = 2 },
		{ .begin_ns = 10, .duration_ns = 5, .pid = 1, .tid = 3 },
		{ .begin_ns = 10,
		    .duration_ns = 5,
		    .pid = 1,
		    .tid = 2,
		    .source = 1 },
	};
	enum { COUNT = sizeof(spans) / sizeof(spans[0]) };

	for (int known = 0; known < COUNT; known++) {
		for (int i = 0; i < COUNT; i++)
			ck_assert_int_eq(running(spans[i], TL_NODE_ENDED),
			    i < known ? i : -1);
		ck_assert_int_eq(put(spans[known], known), 0);
	}
	ck_assert_int_eq(running(spans[0], TL_NODE_UNFINISHED), -1);
	/* the second call replaces the parts */
	ck_assert_int_eq(put(spans[0], 3), 0);
	ck_assert_int_eq(running(spans[0], TL_NODE_ENDED), 3);
	ck_assert_int_eq(running(spans[5], TL_NODE_ENDED), 5);
	ck_assert_uint_eq(parts.count, COUNT);
}

TEST(a_span_without_duration_has_none)
{
	const struct tl_span span = { .begin_ns = 10, .pid = 1, .tid = 2 };

	ck_assert_int_eq(put(span, 0), 0);
	ck_assert_int_eq(running(span, TL_NODE_ENDED), -1);
}

/* Return the report of two inputs. */
static const char *
report(void)
{
	static char text[512];
	struct tl_source items[] = { { .name = "a.tl" }, { .name = "b.tl" } };
	const struct tl_sources inputs = { .items = items, .count = 2 };
	const int before = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	size_t size;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
	tl_tree_parts_report(&parts, &inputs);
	dup2(before, STDERR_FILENO);
	rewind(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	close(before);
	return text;
}

TEST(what_is_left_out_is_reported_for_each_input)
{
	struct tl_span span = { .duration_ns = 5 };

	for (; span.begin_ns < TL_TREE_PARTS_MAX; span.begin_ns++)
		ck_assert_int_eq(put(span, 1), 0);
	ck_assert_str_eq(report(), "");
	ck_assert_int_eq(put(span, 1), 0);
	ck_assert_int_eq(running(span, TL_NODE_ENDED), -1);
	span.source = 1;
	ck_assert_int_eq(put(span, 1), 0);
	span.begin_ns++;
	ck_assert_int_eq(put(span, 1), 0);
	ck_assert_str_eq(report(),
	    "timeline-dump: a.tl: the states of 1 span(s) are left out, as "
	    "1048576 spans ended before; --stats has the sums of all\n"
	    "timeline-dump: b.tl: the states of 2 span(s) are left out, as "
	    "1048576 spans ended before; --stats has the sums of all\n");
	span = (struct tl_span){ .begin_ns = TL_TREE_PARTS_MAX - 1,
		.duration_ns = 5 };
	ck_assert_int_eq(running(span, TL_NODE_ENDED), 1);
	ck_assert_uint_eq(parts.count, TL_TREE_PARTS_MAX);
}
