/* damaged.c FILE - print the damage of a file, and how many events are left. */
#include <stdio.h>
#include <timeline_read.h>

static void
on_damage(void *context, const struct timeline_read_damage *damage)
{
	++*(int *)context;
	printf("%d: %s\n", damage->error, damage->text);
}

int
main(int argc, char **argv)
{
	int found = 0;
	const struct timeline_read_options options = { .size = sizeof(options),
		.oldest_first = 1,
		.read_only = 1,
		.on_damage = on_damage,
		.context = &found };
	const struct timeline_read_event *event;
	struct timeline_reader *reader;
	long events = 0;

	if (argc != 2 || timeline_read_open(&reader, argv[1], &options) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	while (timeline_read_next(reader, &event) != 0)
		events += event && event->lost == 0;
	printf("%ld events, %d found, %d damaged\n", events, found,
	    (int)timeline_read_damaged(reader));
	timeline_read_close(reader);
	return 0;
}
