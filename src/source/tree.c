/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - make a recorded trace, for its trees, of events in another format. */
#include "source/source.h"

#include "base/file.h"
#include "source/progress.h"
#include "trace/read.h"
#include "trace/write.h"

#include <unistd.h>

/* Threads keep their order, with or without entries, if the format knows it. */
static int
write_threads(struct tl_trace_writer *writer, const struct tl_source *source)
{
	struct tl_trace *trace = tl_source_trace(source);
	const size_t count = trace ? tl_trace_thread_count(trace) : 0;
	struct tl_reader_thread known;
	int rc = 0;

	for (size_t i = 0; rc == 0 && tl_source_thread(source, i, &known); i++)
		if (!known.is_empty)
			rc = tl_trace_sink_thread(writer, known.pid, known.tid,
			    known.name);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct tl_trace_thread *thread =
		    tl_trace_thread(trace, i);

		if (thread->command.size > 0)
			rc = tl_trace_write_process(writer, thread->pid,
			    thread->command);
		if (rc == 0)
			rc = tl_trace_sink_thread(writer, thread->pid,
			    thread->tid, thread->name);
	}
	return rc;
}

static int
write_events(struct tl_trace_writer *writer, struct tl_cursor *events,
    struct tl_progress *progress)
{
	struct tl_event event;
	struct tl_sink *sink;
	int rc = tl_trace_sink(writer, &sink);

	while (rc >= 0 && (rc = tl_cursor_next(events, &event)) > 0) {
		if (progress)
			tl_progress_tick(progress);
		event.source = 0; /* as in tl_trace_sink_thread */
		rc = sink->put(sink, &event);
	}
	return rc < 0 ? rc : sink->finish(sink);
}

int
tl_tree_make(struct tl_trace **trace,
    const struct tl_trace_read_options *options, const struct tl_source *source,
    struct tl_cursor *events, struct tl_progress *progress)
{
	struct tl_trace_files files = { tl_file_unnamed(), tl_file_unnamed() };
	const struct tl_trace_options as = { .strategy = TL_TRACE_STREAMING,
		.data = tl_trace_files_data,
		.index = tl_trace_files_index,
		.context = &files };
	struct tl_storage *data = NULL, *index = NULL;
	struct tl_trace_writer *writer;
	struct tl_fault fault = { 0 };
	int rc = files.data < 0    ? files.data
		 : files.index < 0 ? files.index
				   : 0;

	if (rc == 0 && (rc = tl_trace_writer_new(&writer, &as)) == 0) {
		rc = write_threads(writer, source);
		if (rc == 0)
			rc = write_events(writer, events, progress);
		tl_trace_writer_free(writer);
	}
	tl_cursor_close(events);
	if (rc == 0 && (rc = tl_storage_of_fd(&data, files.data)) == 0 &&
	    (rc = tl_storage_of_fd(&index, files.index)) == 0)
		rc = tl_trace_open_storage(trace, data, index, options, &fault);
	else
		tl_storage_close(data);
	if (files.data >= 0)
		close(files.data);
	if (files.index >= 0)
		close(files.index);
	return rc;
}
