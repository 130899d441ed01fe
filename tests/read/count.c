/*
 * count.c NAME N - follow a live timeline and count its events by message until
 * there were N, then print the counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	const struct timeline_read_options options = { .size = sizeof(options),
		.follow = 1,
		.timeout_ms = 20000 };
	const struct timeline_read_event *event;
	struct timeline_reader *reader;
	const char *messages[64];
	unsigned long counts[64] = { 0 }, left, lost = 0;
	size_t known = 0, i;

	if (argc != 3 || timeline_read_open(&reader, argv[1], &options) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	left = strtoul(argv[2], NULL, 10);
	while (left > 0 && timeline_read_next(reader, &event) > 0) {
		if (event->lost > 0) {
			lost += event->lost;
			continue;
		}
		left--;
		/* a reader has one pointer for each message */
		for (i = 0; i < known && messages[i] != event->message; i++)
			;
		if (i == known && known < 64)
			messages[known++] = event->message;
		counts[i]++;
	}
	for (i = 0; i < known; i++)
		printf("%lu %s\n", counts[i], messages[i]);
	printf("%lu missing, %lu lost\n", left, lost);
	timeline_read_close(reader);
	return 0;
}
