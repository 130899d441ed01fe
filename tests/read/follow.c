/*
 * follow.c NAME NAME - print the events of two live timelines until both are
 * removed.
 */
#include <errno.h>
#include <stdio.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	const struct timeline_read_options options = { .size = sizeof(options),
		.follow = 1,
		.timeout_ms = 20000 };
	const struct timeline_read_event *event;
	struct timeline_reader *reader;
	long counts[2] = { 0 };
	int rc, removed = 0;

	if (argc != 3 || timeline_read_open(&reader, argv[1], &options) < 0 ||
	    timeline_read_add(reader, argv[2]) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	printf("following\n");
	fflush(stdout);
	while (removed < 2 && (rc = timeline_read_next(reader, &event)) != 0) {
		if (rc > 0 && event->kind != TIMELINE_READ_LOSS)
			counts[timeline_read_origin(event)->number]++;
		if (rc < 0) {
			printf("%s\n", timeline_read_error());
			fflush(stdout);
		}
		removed += rc == -EPIPE;
	}
	printf("%ld %ld\n", counts[0], counts[1]);
	timeline_read_close(reader);
	return 0;
}
