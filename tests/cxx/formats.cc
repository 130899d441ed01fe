/* SPDX-License-Identifier: Apache-2.0 */
/* formats.cc - timeline_formats.h: print a file's format and messages. */
#include <timeline_formats.h>

#include <cstdio>

int
main(int argc, char **argv)
{
	struct timeline_read_options options = {};
	struct timeline_reader *reader;
	const struct timeline_read_event *event;
	char text[256];

	options.size = sizeof(options);
	options.oldest_first = 1;
	options.formats = timeline_formats();
	if (argc < 2 || timeline_read_open(&reader, argv[1], &options) != 0) {
		fprintf(stderr, "%s\n", timeline_read_error());
		return 1;
	}
	puts(timeline_read_format(reader));
	while (timeline_read_next(reader, &event) > 0) {
		timeline_read_text(event, text, sizeof(text));
		puts(text);
	}
	timeline_read_close(reader);
	return 0;
}
