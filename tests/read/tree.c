/* tree.c [trees] FILE: print the trees of a file of any format; trees: with
 * options.trees. */
#include <err.h>
#include <stdio.h>
#include <timeline_formats.h>

static void
show(struct timeline_node *node, int depth)
{
	char text[512];

	timeline_node_text(node, text, sizeof(text));
	printf("%*s%s\n", depth * 2, "", text);
	for (uint64_t i = 0; i < timeline_node_children(node); i++)
		show(timeline_node_child(node, i), depth + 1);
}

int
main(int argc, char **argv)
{
	struct timeline_read_options options = { .size = sizeof(options),
		.formats = timeline_formats(),
		.trees = argc > 2 };
	struct timeline_reader *reader;
	struct timeline_node *const *roots;
	size_t count;

	if (timeline_read_open(&reader, argv[argc - 1], &options) < 0 ||
	    timeline_read_roots(reader, &roots, &count) < 0 ||
	    timeline_read_eager(reader) < 0)
		errx(1, "%s", timeline_read_error());
	for (size_t i = 0; i < count; i++)
		show(roots[i], 0);
	timeline_read_close(reader);
	return 0;
}
