/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - print a record as libtimeline-read returns it.
 *
 *	read newest|oldest FILE
 * A line for each event: kind, stamp, pid, tid, duration, unsure or sure, first
 * word of the message, first argument, Unix time.
 *
 *	read spans FILE
 * A line for each span: first word, first argument, depth, self time, duration,
 * unsure or sure.
 *
 *	read intervals FILE
 * A line for each message: first word, nanoseconds that were observed.
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

static void
print_span(const struct timeline_read_span *s)
{
	const struct timeline_read_event *e = s->end ? s->end : s->begin;

	printf("%.*s %lu %u %ld %ld %s\n", (int)strcspn(e->message, " "),
	    e->message, e->args[0], s->depth, s->self_ns, s->duration_ns,
	    s->end && !(s->flags & TIMELINE_READ_UNSURE) ? "sure" : "unsure");
}

/* Print the observed time of a message: 0 or -errno. */
static int
print_intervals(const struct timeline_read_definition *message)
{
	struct timeline_read_intervals *intervals;
	struct timeline_read_interval interval;
	int64_t observed_ns = 0;
	int rc = timeline_read_observe(message, &intervals);

	if (rc < 0)
		return rc;
	while ((rc = timeline_read_next_interval(intervals, &interval)) > 0) {
		if (interval.look == TIMELINE_READ_OBSERVED)
			observed_ns += interval.to_ns - interval.from_ns;
	}
	timeline_read_intervals_close(intervals);
	printf("%.*s %ld\n", (int)strcspn(message->message, " "),
	    message->message, observed_ns);
	return rc;
}

int
main(int argc, char **argv)
{
	struct timeline_read_options options = { .size = sizeof(options),
		.read_only = 1 };
	const struct timeline_read_definition *message;
	const struct timeline_read_event *event;
	const struct timeline_read_span *span;
	struct timeline_reader *reader;
	int rc;

	if (argc != 3)
		return 2;
	options.oldest_first = strcmp(argv[1], "newest") != 0;
	rc = timeline_read_open(&reader, argv[2], &options);
	if (strcmp(argv[1], "intervals") == 0) {
		for (size_t i = 0;
		     rc >= 0 &&
		     (message = timeline_read_message(reader, i, NULL));
		     i++)
			rc = print_intervals(message);
	} else if (strcmp(argv[1], "spans") == 0) {
		while (rc >= 0 &&
		       (rc = timeline_read_next_span(reader, &span)) > 0)
			print_span(span);
	} else {
		while (rc >= 0 && (rc = timeline_read_next(reader, &event)) > 0)
			print(event);
	}
	if (rc < 0)
		fprintf(stderr, "read: %s\n", timeline_read_error());
	timeline_read_close(reader);
	return rc < 0;
}
