/* eager.c TRACE - print the trees of a trace, all nodes loaded at once. */
#include <stdio.h>
#include <timeline_read.h>

static void
print(struct timeline_node *node, int depth)
{
	char text[256];
	const struct timeline_read_event *end = timeline_node_end(node);

	timeline_node_text(node, text, sizeof(text));
	printf("%*s%s%s\n", depth * 2, "", text,
	    end && end->duration_ns >= 0 ? ":" : "");
	for (uint64_t i = 0; i < timeline_node_children(node); i++)
		print(timeline_node_child(node, i), depth + 1);
}

int
main(int argc, char **argv)
{
	struct timeline_node *const *roots;
	struct timeline_reader *reader;
	size_t count;

	if (timeline_read_open(&reader, argc > 1 ? argv[1] : "-", NULL) < 0 ||
	    timeline_read_eager(reader) < 0 ||
	    timeline_read_roots(reader, &roots, &count) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	for (size_t i = 0; i < count; i++)
		print(roots[i], 0);
	timeline_read_close(reader);
	return 0;
}
