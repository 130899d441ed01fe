/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - the newest ten entries of a timeline, and one subtree of a trace.
 *
 *	cc read.c $(pkg-config --cflags --libs timeline-read) -o read
 *	./read /timeline
 *	./read run.trace 0 2 5
 *
 * The numbers lead from a thread down to a node, child by child.  Only what
 * lies on the way, and the children of that node, are loaded, however large
 * the trace is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <timeline_read.h>

enum { NEWEST = 10 };

static int
fail(void)
{
	fprintf(stderr, "read: %s\n", timeline_read_error());
	return 1;
}

static int
print_newest(struct timeline_reader *reader)
{
	const struct timeline_read_event *event;
	char line[512];
	int rc = 0;

	for (int i = 0; i < NEWEST; i++) {
		rc = timeline_read_next(reader, &event);
		if (rc <= 0)
			break;
		timeline_read_line(event, line, sizeof(line));
		puts(line);
	}
	return rc < 0 ? fail() : 0;
}

static void
print_node(const struct timeline_node *node, const char *indent)
{
	const struct timeline_read_event *event = timeline_node_event(node);
	char text[512];

	timeline_node_text(node, text, sizeof(text));
	printf("%s%s", indent, text);
	if (event && event->duration_ns >= 0)
		printf(": %lld ns", (long long)event->duration_ns);
	printf("\n");
}

static int
print_subtree(struct timeline_node *node)
{
	enum { RANGE = 1000 };
	const uint64_t count = timeline_node_children(node);

	print_node(node, "");
	for (uint64_t from = 0; from < count; from += RANGE) {
		if (timeline_node_load(node, from, RANGE) < 0)
			return fail();
		for (uint64_t i = from; i < count && i < from + RANGE; i++)
			print_node(timeline_node_child(node, i), "  ");
		timeline_node_forget(node, from, RANGE);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	struct timeline_node *const *roots;
	struct timeline_reader *reader;
	struct timeline_node *node;
	size_t count;
	int status;

	if (timeline_read_open(&reader, argc > 1 ? argv[1] : "/timeline",
		NULL) < 0)
		return fail();
	if (argc < 3) {
		status = print_newest(reader);
		timeline_read_close(reader);
		return status;
	}
	if (timeline_read_roots(reader, &roots, &count) < 0)
		return fail();
	node = strtoul(argv[2], NULL, 10) < count
		   ? roots[strtoul(argv[2], NULL, 10)]
		   : NULL;
	for (int i = 3; node && i < argc; i++) {
		const uint64_t number = strtoull(argv[i], NULL, 10);

		if (timeline_node_load(node, number, 1) < 0)
			return fail();
		node = timeline_node_child(node, number);
	}
	if (!node)
		fprintf(stderr, "read: there is no such node\n");
	status = node ? print_subtree(node) : 1;
	timeline_read_close(reader);
	return status;
}
