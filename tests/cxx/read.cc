/* SPDX-License-Identifier: Apache-2.0 */
/* read.cc - timeline_read.h: category, text and source file of each event. */
#include <timeline_read.h>

#include <cstdio>
#include <cstring>

int
main(int argc, char **argv)
{
	struct timeline_read_options options = {};
	struct timeline_reader *reader;
	const struct timeline_read_event *event;
	char text[256];

	options.size = sizeof(options);
	options.oldest_first = 1;
	if (argc < 2 || timeline_read_open(&reader, argv[1], &options) != 0) {
		fprintf(stderr, "%s\n", timeline_read_error());
		return 1;
	}
	while (timeline_read_next(reader, &event) > 0) {
		const char *file = timeline_read_location(event, nullptr);

		timeline_read_text(event, text, sizeof(text));
		printf("%s %s %s %s\n", event->category, text,
		    file ? strrchr(file, '/') + 1 : "",
		    event->cpu == TIMELINE_READ_NO_CPU ? "no CPU" : "CPU");
	}
	timeline_read_close(reader);
	return 0;
}
