/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - a trace is written into a file that has no name, and
 * packed when it is whole.
 */
#include "trace/pack/events.h"

#include "base/file.h"
#include "base/terminal.h"
#include "clock/clock.h"
#include "trace/event_writer.h"
#include "trace/pack/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

struct packed_events {
	struct tl_writer writer; /* first: what callers see */
	struct tl_writer *trace; /* into data */
	int data;
	int out;
};

static struct packed_events *
events_of(struct tl_writer *writer)
{
	return (struct packed_events *)writer;
}

static int
append(void *context, const char *data, size_t size)
{
	return tl_write_all(*(const int *)context, data, size);
}

static int
packed_begin(struct tl_writer *writer)
{
	struct packed_events *p = events_of(writer);

	tl_writer_set_origin(p->trace, &writer->origin);
	tl_writer_set_sources(p->trace, writer->sources, writer->source_count);
	tl_writer_set_knots(p->trace, writer->knots, writer->knot_count);
	tl_writer_set_title(p->trace, writer->title);
	return 0;
}

static int
packed_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct tl_sink *sink = &events_of(writer)->trace->sink;

	return sink->put(sink, event);
}

/* The trace is whole: read it for its index and what it says of itself. */
static int
pack(struct packed_events *p, struct tl_storage *data)
{
	const struct tl_trace_read_options options = { 0 };
	struct tl_fault unsaid = { 0 };
	struct tl_text info = { 0 };
	struct tl_storage *again;
	struct tl_trace *trace;
	int rc = tl_storage_of_fd(&again, p->data);

	if (rc == 0)
		rc = tl_trace_open_storage(&trace, again, NULL, &options,
		    &unsaid);
	if (rc < 0)
		return rc;
	tl_packed_describe(&info, trace);
	rc = info.rc;
	if (rc == 0)
		rc = tl_packed_write(p->out, data, tl_trace_index_bytes(trace),
		    tl_bytes(info.data, info.size),
		    tl_clock_read(CLOCK_REALTIME));
	tl_text_free(&info);
	tl_trace_close(trace);
	return rc;
}

static int
packed_end(struct tl_writer *writer)
{
	struct packed_events *p = events_of(writer);
	struct tl_storage *data;
	int rc = p->trace->sink.finish(&p->trace->sink);

	if (rc < 0 || (rc = tl_storage_of_fd(&data, p->data)) < 0)
		return rc;
	rc = pack(p, data);
	tl_storage_close(data);
	return rc;
}

static void
packed_free(struct tl_writer *writer)
{
	struct packed_events *p = events_of(writer);

	tl_writer_free(p->trace);
	if (p->data >= 0)
		close(p->data);
	if (p->out >= 0)
		close(p->out);
}

static const struct tl_writer_kind packed_kind = { .begin = packed_begin,
	.put = packed_put,
	.end = packed_end,
	.free = packed_free };

int
tl_packed_write_at(struct tl_writer **writer, const char *path,
    const struct tl_report *report)
{
	struct packed_events *p;
	int rc = tl_writer_make(writer, sizeof(*p), &packed_kind, NULL, NULL,
	    report);

	if (rc < 0)
		return rc;
	p = events_of(*writer);
	p->data = tl_file_unnamed();
	p->out = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (p->out < 0)
		rc = -errno;
	else if (p->data < 0)
		rc = p->data;
	else
		rc = tl_trace_write_new(&p->trace, append, &p->data, report);
	if (rc < 0)
		tl_writer_free(*writer);
	return rc;
}
