/* newest.c FILE - print the messages of any readable file, newest first. */
#include <stdio.h>
#include <stdlib.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	struct timeline_reader *reader;
	const struct timeline_read_event *event;
	int rc = timeline_read_open(&reader, argc > 1 ? argv[1] : "-", NULL);

	if (rc < 0) {
		fprintf(stderr, "%d: %s\n", rc, timeline_read_error());
		return 1;
	}
	while ((rc = timeline_read_next(reader, &event)) > 0) {
		const int size = timeline_read_text(event, NULL, 0);
		char *text = (char *)malloc((size_t)size + 1);

		if (timeline_read_text(event, text, (size_t)size + 1) != size)
			return 2;
		puts(text);
		free(text);
	}
	timeline_read_close(reader);
	timeline_read_close(NULL);
	return rc < 0;
}
