/*
 * defined.c FILE [timers] - print the messages that a file defines, or its
 * timers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <timeline_read.h>

static void
print_timers(struct timeline_reader *reader)
{
	const struct timeline_read_timer *timer;

	for (size_t i = 0; timeline_read_timer(reader, i, &timer) > 0; i++)
		printf("%s %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64
		       " %" PRId64 "\n",
		    timer->definition->message, timer->count,
		    timeline_read_quantile(timer, 50),
		    timeline_read_quantile(timer, 99.9), timer->max_ns,
		    timer->slower_ns);
}

int
main(int argc, char **argv)
{
	const struct timeline_read_definition *d;
	const struct timeline_read_origin *origin;
	struct timeline_reader *reader;

	if (timeline_read_open(&reader, argv[1], NULL) < 0)
		return fprintf(stderr, "%s\n", timeline_read_error()), 1;
	if (argc > 2)
		print_timers(reader);
	for (size_t i = 0;
	     argc == 2 && (d = timeline_read_message(reader, i, &origin));
	     i++) {
		printf("%s|%s|%u|%u|%u|%s|%s|%s|%u", origin->input, d->category,
		    d->level, d->kind, d->scope, d->message, d->explanation,
		    d->file, d->line);
		for (unsigned k = 0; k < d->argc; k++)
			printf("|%s|%c", d->names[k], d->formats[k]);
		printf("\n");
	}
	timeline_read_close(reader);
	return 0;
}
