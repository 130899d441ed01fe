/*
 * two.c A B - read events of two sources in turn, and nodes of both while they
 * are open; each line starts with the number of its source.
 */
#include <stdio.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	struct timeline_reader *readers[2];
	const struct timeline_read_event *event;
	struct timeline_node *const *roots;
	int open[2] = { 1, 1 };
	char text[256];
	size_t count;

	for (int i = 0; i < 2; i++)
		if (argc != 3 ||
		    timeline_read_open(&readers[i], argv[i + 1], NULL) < 0)
			return fprintf(stderr, "%s\n", timeline_read_error()),
			       1;
	for (int i = 0; open[0] || open[1]; i = !i) {
		if (!open[i])
			continue;
		open[i] = timeline_read_next(readers[i], &event) > 0;
		if (!open[i])
			continue;
		timeline_read_text(event, text, sizeof(text));
		printf("%d %s\n", i, text);
		if (timeline_read_roots(readers[i], &roots, &count) == 0 &&
		    (timeline_node_load(roots[0], 0, 1) < 0 ||
			!timeline_node_child(roots[0], 0)))
			return 2;
	}
	timeline_read_close(readers[1]);
	timeline_read_close(readers[0]);
	return 0;
}
