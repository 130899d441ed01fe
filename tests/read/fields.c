/* fields.c FILE - print every field of the events, oldest first. */
#include <stdio.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	const struct timeline_read_options options = { .size = sizeof(options),
		.oldest_first = (argc < 5),
		.category = argc > 2 ? argv[2] : NULL,
		.limit = (argc == 4) };
	const struct timeline_read_event *e;
	struct timeline_reader *reader;
	char text[256];
	uint32_t line;

	if (argc < 2 || timeline_read_open(&reader, argv[1], &options) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	while (timeline_read_next(reader, &e) > 0) {
		const struct timeline_read_event copy = *e;
		const char *file = timeline_read_location(&copy, &line);

		timeline_read_line(&copy, text, sizeof(text));
		printf("%s\n  %s %s kind %u flags %u %s:%u %s %s/%s\n", text,
		    timeline_read_priority(&copy), copy.message, copy.kind,
		    copy.flags, file ? file : "-", file ? line : 0,
		    copy.duration_ns >= 0 ? "paired" : "", copy.process,
		    copy.thread);
		for (unsigned i = 0; i < copy.argc; i++) {
			timeline_read_argument_text(&copy, i, text,
			    sizeof(text));
			printf("  %s %c %s\n",
			    timeline_read_argument_name(&copy, i),
			    timeline_read_argument_format(&copy, i), text);
		}
	}
	timeline_read_close(reader);
	return 0;
}
