/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slowest.c - the ten slowest spans of the timelines of several hosts.
 *
 *	cc slowest.c $(pkg-config --cflags --libs timeline-read) -o slowest
 *	./slowest web.tl db.tl
 *
 * The files are merged by the times of their hosts.  Spans that may be none, as
 * entries between their begin and their end may be missing, are left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <timeline_read.h>

enum { SLOWEST = 10 };

/* What is kept of a span: a copy of its end is good until the close. */
struct slow {
	struct timeline_read_event end;
	int64_t self_ns;
};

static struct slow slowest[SLOWEST];
static size_t count;

static int
fail(void)
{
	fprintf(stderr, "slowest: %s\n", timeline_read_error());
	return 1;
}

/* Keep it if it is among the slowest so far. */
static void
keep(const struct timeline_read_span *span)
{
	size_t i = count < SLOWEST ? count++ : SLOWEST - 1;

	if (slowest[i].end.duration_ns > span->duration_ns)
		return;
	for (; i > 0 && slowest[i - 1].end.duration_ns < span->duration_ns; i--)
		slowest[i] = slowest[i - 1];
	slowest[i].end = *span->end;
	slowest[i].self_ns = span->self_ns;
}

static void
print(const struct slow *slow)
{
	char text[256];

	timeline_read_text(&slow->end, text, sizeof(text));
	printf("%10.3f ms", (double)slow->end.duration_ns / 1e6);
	if (slow->self_ns >= 0)
		printf(", %10.3f of them itself", (double)slow->self_ns / 1e6);
	printf("  %s %s/%s: %s\n", timeline_read_origin(&slow->end)->host,
	    slow->end.process, slow->end.thread, text);
}

int
main(int argc, char **argv)
{
	const struct timeline_read_options options = { .size = sizeof(options),
		.oldest_first = 1 };
	const struct timeline_read_span *span;
	struct timeline_reader *reader;
	int rc;

	if (timeline_read_open(&reader, argc > 1 ? argv[1] : "/timeline",
		&options) < 0)
		return fail();
	for (int i = 2; i < argc; i++)
		if (timeline_read_add(reader, argv[i]) < 0)
			return fail();
	while ((rc = timeline_read_next_span(reader, &span)) > 0)
		if (!(span->flags &
			(TIMELINE_READ_UNSURE | TIMELINE_READ_OPEN)))
			keep(span);
	for (size_t i = 0; i < count; i++)
		print(&slowest[i]);
	if (rc < 0)
		fail();
	timeline_read_close(reader);
	return rc < 0;
}
