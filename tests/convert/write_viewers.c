/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_viewers.c - generated events in the formats of viewers, for programs
 * that read them.
 *
 *	write_viewers FORMAT SET OUT [COUNT]
 *
 * FORMAT is any format that can be written.  SET is plain, hostile, spans (the
 * hostile set, as begins and ends), lossy, back, or many; of many COUNT events
 * are written, and their number per second is printed.  Events that a format
 * cannot carry are reported on standard error.
 */
#include "../lib/viewers.h"
#include "format/registry.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

static void
say(void *context, const struct tl_fault *fault)
{
	fprintf(context, "%s\n", fault->text);
}

static const struct tl_origin origin = { .machine = "host-a",
	.command = "server \"x\"",
	.pid = 40,
	.monotonic_ns = VIEWERS_NS - 1000000,
	.boottime_ns = VIEWERS_NS - 2000000 };

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The arguments of the program. */
struct asked {
	enum viewers_set set;
	bool as_spans; /* instants become begins and ends */
	uint64_t count;
};

/*
 * The first of two instants begins a span of its message; the second ends the
 * span.
 */
static void
turn(struct tl_event *event, uint64_t i)
{
	static struct tl_message message;

	if (event->kind != TL_INSTANT)
		return;
	message = *event->message;
	message.kind = TIMELINE_RECORD_SPAN;
	event->message = &message;
	event->kind = i % 2 == 0 ? TL_BEGIN : TL_END;
}

static int
write_all(struct tl_writer *writer, const struct asked *asked)
{
	const double start_s = now_s();
	struct tl_event event = { 0 };
	uint64_t i = 0;
	int rc = 0;

	while (rc == 0 && i < asked->count &&
	       viewers_event(asked->set, i, &event)) {
		if (asked->as_spans)
			turn(&event, i);
		rc = writer->sink.put(&writer->sink, &event);
		i++;
	}
	if (rc == 0)
		rc = writer->sink.finish(&writer->sink);
	if (asked->set == VIEWERS_MANY)
		printf("%.2f million events/s\n",
		    (double)i / (now_s() - start_s) / 1e6);
	return rc;
}

/* The title of a page contains syntax, too. */
#define TITLE "server </title> & \"sons\""

static int
to_file(void *context, const char *data, size_t size)
{
	return fwrite(data, 1, size, context) == size ? 0 : -EIO;
}

static int
write_with(struct tl_writer *writer, const struct asked *asked)
{
	int rc;

	tl_writer_facts(writer)->origin = origin;
	tl_writer_facts(writer)->title = TITLE;
	rc = write_all(writer, asked);
	tl_writer_free(writer);
	return rc;
}

static int
write_stream(const struct tl_format_row *row, const char *out,
    const struct asked *asked, const struct tl_report *report)
{
	FILE *file = fopen(out, "wb");
	struct tl_writer *writer;
	int rc;

	if (!file)
		return -errno;
	rc = row->write_new(&writer, to_file, file, report);
	if (rc == 0)
		rc = write_with(writer, asked);
	return fclose(file) == 0 ? rc : -EIO;
}

static int
write_format(const char *name, const char *out, const struct asked *asked)
{
	const struct tl_format_row *row = tl_formats_find(name);
	const struct tl_report report = { say, stderr };
	struct tl_writer *writer;
	int rc;

	if (!row || !tl_format_is_written(row))
		return -EPROTONOSUPPORT;
	if (row->write_new)
		return write_stream(row, out, asked, &report);
	rc = row->write_at(&writer, out, &report);
	return rc < 0 ? rc : write_with(writer, asked);
}

int
main(int argc, char **argv)
{
	const char *name = argc > 3 ? argv[2] : "";
	const bool as_spans = strcmp(name, "spans") == 0;
	const int set = viewers_set(as_spans ? "hostile" : name);
	struct asked asked = { .as_spans = as_spans, .count = 1000000 };
	int rc;

	if (set < 0) {
		fprintf(stderr,
		    "usage: write_viewers FORMAT SET OUT [COUNT]\n");
		return 2;
	}
	asked.set = (enum viewers_set)set;
	if (argc > 4)
		asked.count = strtoull(argv[4], NULL, 10);
	rc = write_format(argv[1], argv[3], &asked);
	if (rc < 0)
		fprintf(stderr, "write_viewers: %s\n", strerror(-rc));
	return rc < 0;
}
