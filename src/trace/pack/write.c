/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - pack a trace.
 */
#include "base/ns.h"
#include "trace/pack/packed.h"

#include "base/array.h"
#include "base/file.h"
#include "base/process.h"
#include "clock/clock.h"
#include "trace/pack/zip.h"
#include "trace/write.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

/* == info.txt == */

/* The key of each line, and the name of its INFO. */
static const struct {
	const char *key;
	const char *name;
} infos[] = {
	{ "Host", "host" },
	{ "Command", "command" },
	{ "Timeline", "timeline" },
	{ "Title", "title" },
	{ "Boot id", "boot_id" },
	{ "Class", "class" },
	{ "Method", "method" },
	{ "Differences", "diff" },
};

static void
put_line(struct tl_text *text, const char *key, struct tl_bytes value)
{
	if (value.size == 0)
		return;
	tl_put_string(text, key);
	tl_put_string(text, ": ");
	tl_put_plain(text, value);
	tl_put_char(text, '\n');
}

static void
put_number(struct tl_text *text, const char *key, int64_t n)
{
	tl_put_string(text, key);
	tl_put_string(text, ": ");
	tl_put_signed(text, n);
	tl_put_char(text, '\n');
}

/* Make the content of info.txt: lines of "Key: value". */
static void
describe(struct tl_text *text, const struct tl_trace *trace)
{
	int64_t min_ns = INT64_MAX, max_ns = INT64_MIN;
	uint64_t events = 0;
	const size_t count = tl_trace_thread_count(trace);

	for (size_t i = 0; i < count; i++) {
		const struct tl_trace_thread *t = tl_trace_thread(trace, i);

		min_ns = t->min_ns < min_ns ? t->min_ns : min_ns;
		max_ns = t->max_ns > max_ns ? t->max_ns : max_ns;
		events += t->events;
	}
	for (size_t i = 0; i < TL_COUNT(infos); i++)
		put_line(text, infos[i].key,
		    tl_trace_info(trace, infos[i].name));
	if (min_ns <= max_ns) {
		put_number(text, "Start time", min_ns / TL_NS_PER_MS);
		put_number(text, "End time", max_ns / TL_NS_PER_MS);
	}
	put_number(text, "Threads", (int64_t)count);
	put_number(text, "Events", (int64_t)events);
}

/* == the zip == */

/* Add a stored entry.  The zip takes the source over. */
static int
add_entry(zip_t *zip, const char *name, zip_source_t *source,
    int64_t created_ns)
{
	const zip_int64_t i =
	    source ? zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8) : -1;

	if (i < 0) {
		zip_source_free(source);
		return tl_packed_error(zip_get_error(zip));
	}
	if (zip_set_file_compression(zip, (zip_uint64_t)i, ZIP_CM_STORE, 0) <
		0 ||
	    zip_file_set_mtime(zip, (zip_uint64_t)i, created_ns / TL_NS_PER_S,
		0) < 0)
		return tl_packed_error(zip_get_error(zip));
	return 0;
}

static int
add_bytes(zip_t *zip, const char *name, struct tl_bytes bytes,
    int64_t created_ns)
{
	return add_entry(zip, name,
	    zip_source_buffer(zip, bytes.data, bytes.size, 0), created_ns);
}

static int
open_zip(zip_t **zip, int fd)
{
	zip_error_t error;
	zip_source_t *target;
	int rc = 0;

	zip_error_init(&error);
	target = tl_packed_target(fd, &error);
	*zip = target ? zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE,
			    &error)
		      : NULL;
	if (!*zip) {
		rc = tl_packed_error(&error);
		zip_source_free(target);
	}
	zip_error_fini(&error);
	return rc;
}

int
tl_packed_write(int fd, struct tl_storage *data, struct tl_bytes index,
    struct tl_bytes info, int64_t created_ns)
{
	zip_t *zip;
	int rc = open_zip(&zip, fd);

	if (rc < 0)
		return rc;
	if ((rc = add_bytes(zip, TL_PACKED_INFO, info, created_ns)) == 0 &&
	    (rc = add_entry(zip, TL_PACKED_DATA,
		 tl_packed_source(data, zip_get_error(zip)), created_ns)) ==
		0 &&
	    (rc = add_bytes(zip, TL_PACKED_INDEX, index, created_ns)) == 0) {
		if (zip_close(zip) == 0)
			return 0;
		rc = tl_packed_error(zip_get_error(zip));
	}
	zip_discard(zip);
	return rc;
}

/* == as a format == */

struct packed_events {
	struct tl_writer writer; /* first: what callers see */
	struct tl_writer *trace; /* writes to data */
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

	*tl_writer_facts(p->trace) = writer->facts;
	return 0;
}

static int
packed_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct tl_sink *sink = &events_of(writer)->trace->sink;

	return sink->put(sink, event);
}

/* Pack the trace when it is complete.  The trace is read for its index and
 * properties. */
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
	describe(&info, trace);
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
