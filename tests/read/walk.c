/*
 * walk.c TRACE RANGE - visit all nodes, RANGE children at a time, and forget
 * each range before the next; print the number of nodes and the KiB of memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <timeline_read.h>

static uint64_t nodes, range;

static void
visit(struct timeline_node *node)
{
	const uint64_t n = timeline_node_children(node);

	for (uint64_t from = 0; from < n; from += range) {
		if (timeline_node_load(node, from, range) < 0)
			exit(fprintf(stderr, "%s\n", timeline_read_error()));
		for (uint64_t i = from; i < n && i < from + range; i++, nodes++)
			visit(timeline_node_child(node, i));
		timeline_node_forget(node, from, range);
	}
}

int
main(int argc, char **argv)
{
	struct timeline_node *const *roots;
	struct timeline_reader *reader;
	struct rusage usage;
	size_t n;

	if (argc != 3 || timeline_read_open(&reader, argv[1], NULL) < 0 ||
	    timeline_read_roots(reader, &roots, &n) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	range = strtoull(argv[2], NULL, 10);
	for (size_t i = 0; i < n; i++)
		visit(roots[i]);
	getrusage(RUSAGE_SELF, &usage);
	printf("%lu %ld\n", (unsigned long)nodes, usage.ru_maxrss);
	timeline_read_close(reader);
	return 0;
}
