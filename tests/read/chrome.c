/* chrome.c FILE: print the format of a file and its events, oldest first. */
#include <err.h>
#include <stdio.h>
#include <timeline_formats.h>

int
main(int argc, char **argv)
{
	struct timeline_read_options options = { .size = sizeof(options),
		.oldest_first = 1,
		.formats = timeline_formats() };
	const struct timeline_read_event *event;
	struct timeline_reader *reader;
	char text[512];

	if (timeline_read_open(&reader, argv[argc - 1], &options) < 0)
		errx(1, "%s", timeline_read_error());
	puts(timeline_read_format(reader));
	while (timeline_read_next(reader, &event) > 0)
		if (timeline_read_text(event, text, sizeof(text)) >= 0)
			puts(text);
	timeline_read_close(reader);
	return 0;
}
