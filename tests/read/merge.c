/* merge.c FILE... [HOST=NS...] - print the entries of files merged by time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	const struct timeline_read_options options = { .size = sizeof(options),
		.oldest_first = 1 };
	const struct timeline_read_event *event;
	struct timeline_reader *reader;
	char text[256], *equals;
	int rc = timeline_read_open(&reader, argv[1], &options);

	for (int i = 2; rc == 0 && i < argc; i++) {
		equals = strchr(argv[i], '=');
		if (equals)
			*equals = '\0';
		rc = equals ? timeline_read_offset(reader, argv[i],
				  strtoll(equals + 1, NULL, 10))
			    : timeline_read_add(reader, argv[i]);
	}
	while (rc == 0 && timeline_read_next(reader, &event) > 0) {
		const struct timeline_read_origin *o =
		    timeline_read_origin(event);

		timeline_read_text(event, text, sizeof(text));
		printf("%s %s %.4s %s %" PRId64 " %d %d %s\n", o->host,
		    o->timeline, o->boot, strrchr(o->input, '/') + 1, event->ns,
		    (event->flags & TIMELINE_READ_OVERLAPS) != 0,
		    event->error_ns == UINT32_MAX, text);
	}
	if (rc < 0)
		fprintf(stderr, "%d: %s\n", rc, timeline_read_error());
	timeline_read_close(reader);
	return rc < 0;
}
