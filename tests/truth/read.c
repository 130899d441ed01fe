/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - print the events of a record as libtimeline-read returns them.
 *
 *	read newest|oldest FILE
 *
 * A line for each event: kind, stamp, pid, tid, duration, unsure or sure, first
 * word of the message, first argument, Unix time.
 */
#include <stdio.h>
#include <string.h>
#include <timeline_read.h>

static const char *const kinds[] = { "", "instant", "begin", "end", "counter",
	"lost" };

static void
print(const struct timeline_read_event *e)
{
	printf("%s %lu %u %u %ld %s %.*s %lu %ld\n", kinds[e->kind], e->tsc,
	    e->pid, e->tid, e->duration_ns,
	    e->flags & TIMELINE_READ_UNSURE ? "unsure" : "sure",
	    (int)strcspn(e->message, " "), e->message, e->args[0], e->ns);
}

int
main(int argc, char **argv)
{
	struct timeline_read_options options = { .size = sizeof(options),
		.read_only = 1 };
	const struct timeline_read_event *event;
	struct timeline_reader *reader;
	int rc;

	if (argc != 3)
		return 2;
	options.oldest_first = strcmp(argv[1], "oldest") == 0;
	rc = timeline_read_open(&reader, argv[2], &options);
	while (rc >= 0 && (rc = timeline_read_next(reader, &event)) > 0)
		print(event);
	if (rc < 0)
		fprintf(stderr, "read: %s\n", timeline_read_error());
	timeline_read_close(reader);
	return rc < 0;
}
