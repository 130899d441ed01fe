/* SPDX-License-Identifier: Apache-2.0 */
/* trace_write.c - events into the streams of a trace, its bytes out. */
#include "trace/event_writer.h"

#include "clock/clock.h"
#include "trace/write.h"

#include <time.h>

struct trace_write {
	struct tl_writer writer; /* first: what callers see */
	struct tl_trace_writer *trace;
	struct tl_sink *sink;
};

static struct trace_write *
write_of(struct tl_writer *writer)
{
	return (struct trace_write *)writer;
}

/* Blocks are large enough to go on as they come. */
static int
append(void *context, const void *data, size_t size)
{
	const struct tl_out *out = context;

	return out->write(out->context, data, size);
}

static int
tell(struct trace_write *w, const char *name, const char *value)
{
	if (value[0] == '\0')
		return 0;
	return tl_trace_write_info(w->trace, tl_bytes_of(name),
	    tl_bytes_of(value));
}

/* Whose clock and which timeline it was: what was kept of a timeline merges
 * with others as that would. */
static int
tell_origin(struct trace_write *w)
{
	const struct tl_writer *writer = &w->writer;
	const struct tl_origin *origin = &writer->origin;
	char boot[TL_ORIGIN_BOOT_SIZE];
	int rc;

	tl_origin_boot_text(origin->boot_id, boot);
	if ((rc = tell(w, "host", origin->machine)) < 0 ||
	    (rc = tell(w, "command", origin->command)) < 0 ||
	    (rc = tell(w, "timeline", origin->timeline)) < 0 ||
	    (rc = tell(w, "boot", boot)) < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < writer->knot_count; i++)
		rc = tl_trace_write_knot(w->trace, &writer->knots[i]);
	return rc;
}

static int
trace_begin(struct tl_writer *writer)
{
	struct trace_write *w = write_of(writer);
	const struct tl_trace_options options = { .data = append,
		.context = &writer->out,
		.created_ns = tl_clock_read(CLOCK_REALTIME) };
	int rc = tl_trace_writer_new(&w->trace, &options);

	if (rc < 0 || (rc = tl_trace_sink(w->trace, &w->sink)) < 0 ||
	    (rc = tell_origin(w)) < 0)
		return rc;
	return tell(w, "title", writer->title ? writer->title : "");
}

static int
trace_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct tl_sink *sink = write_of(writer)->sink;

	return sink->put(sink, event);
}

static int
trace_end(struct tl_writer *writer)
{
	return tl_trace_writer_finish(write_of(writer)->trace);
}

static void
trace_free(struct tl_writer *writer)
{
	tl_trace_writer_free(write_of(writer)->trace);
}

static const struct tl_writer_kind trace_kind = { .begin = trace_begin,
	.put = trace_put,
	.end = trace_end,
	.free = trace_free };

int
tl_trace_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	return tl_writer_make(writer, sizeof(struct trace_write), &trace_kind,
	    write, context, report);
}
