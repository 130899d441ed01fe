/*
 * spans.c FILE... - print the spans of files merged by time, with their self
 * time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	const struct timeline_read_options options = { .size = sizeof(options),
		.oldest_first = 1 };
	const struct timeline_read_span *span;
	struct timeline_reader *reader;
	char text[256];

	if (timeline_read_open(&reader, argv[1], &options) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	for (int i = 2; i < argc; i++)
		if (timeline_read_add(reader, argv[i]) < 0)
			return fprintf(stderr, "%s\n", timeline_read_error()),
			       1;
	while (timeline_read_next_span(reader, &span) > 0) {
		timeline_read_text(span->begin, text, sizeof(text));
		printf("%" PRId64 " %" PRId64 " %" PRId64 " %u %x %s\n",
		    span->end ? span->end->ns : 0, span->duration_ns,
		    span->self_ns, span->depth, span->flags, text);
	}
	timeline_read_close(reader);
	return 0;
}
