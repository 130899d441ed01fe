/*
 * lazy.c [trees] FILE: print the first three children of each root of a file of
 * any format.  trees: with options.trees, and try to read an event.
 */
#include <err.h>
#include <stdio.h>
#include <timeline_formats.h>

int
main(int argc, char **argv)
{
	struct timeline_read_options options = { .size = sizeof(options),
		.formats = timeline_formats(),
		.trees = argc > 2 };
	const struct timeline_read_event *event;
	struct timeline_reader *reader;
	struct timeline_node *const *roots;
	char text[512];
	size_t count;

	if (timeline_read_open(&reader, argv[argc - 1], &options) < 0 ||
	    timeline_read_roots(reader, &roots, &count) < 0)
		errx(1, "%s", timeline_read_error());
	for (size_t i = 0; i < count; i++) {
		if (timeline_node_load(roots[i], 0, 3) < 0)
			errx(1, "%s", timeline_read_error());
		for (uint64_t k = 0; k < 3; k++) {
			if (!timeline_node_child(roots[i], k))
				break;
			timeline_node_text(timeline_node_child(roots[i], k),
			    text, sizeof(text));
			puts(text);
		}
	}
	if (argc > 2 && timeline_read_next(reader, &event) < 0)
		puts(timeline_read_error());
	timeline_read_close(reader);
	return 0;
}
