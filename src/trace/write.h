/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write a recorded trace.
 *
 *	event --> stream of its thread --> block --+--> data
 *	             | full, or by timer           |
 *	             +-- cells ----- one lock -----+--> index
 *
 * A stream has a buffer for the events of its thread.  A full buffer is written
 * as a block, together with its cells.  TL_TRACE_COLLECT keeps the blocks in
 * memory until the end, TL_TRACE_NULL drops them; all else is the same for all
 * strategies.  Spans of a thread become containers.  Spans of a source, and end
 * events without a begin event, are points.  A crash at any byte leaves a file
 * of whole blocks.
 *
 * Who may call.  One thread at a time puts events into a stream; different
 * streams may be used by different threads at once.  Everything else locks.
 * With the option alone one thread calls everything.
 */
#ifndef TL_TRACE_WRITE_H
#define TL_TRACE_WRITE_H

#include "event/cursor.h"
#include "event/observe.h"
#include "event/writer.h"
#include "trace/layout.h"

#include <timeline_layout.h>

struct tl_trace_writer;
struct tl_trace_stream;

enum tl_trace_strategy { TL_TRACE_STREAMING, TL_TRACE_COLLECT, TL_TRACE_NULL };

/* Append `size` bytes.  Called under the writer's lock.  0 or -errno. */
typedef int tl_trace_append(void *context, const void *data, size_t size);

struct tl_trace_options {
	enum tl_trace_strategy strategy;
	size_t block_size;                  /* 0: TL_TRACE_BLOCK_SIZE */
	const struct tl_trace_codec *codec; /* NULL: blocks are not packed */
	tl_trace_append *data;
	tl_trace_append *index; /* NULL: no index is written */
	void *context;
	int64_t created_ns;
	uint8_t id[TL_TRACE_ID_SIZE]; /* all 0: a random one */
	/* One thread uses the writer and all streams.  Then no event takes a
	 * lock, and the waiting bytes are counted for
	 * tl_trace_writer_size(). */
	bool alone;
};

/* Two open files as the data, index and context of the options. */
struct tl_trace_files {
	int data;
	int index;
};
tl_trace_append tl_trace_files_data;
tl_trace_append tl_trace_files_index;

/* Write the header of a new trace.  0, -ENOMEM, -EINVAL: block size, -errno. */
int tl_trace_writer_new(struct tl_trace_writer **writer,
    const struct tl_trace_options *options);
/* End open spans, and write all data and the ends of both files.  Nothing may
 * be put after this call.  0 or the first error of the writer. */
int tl_trace_writer_finish(struct tl_trace_writer *writer);
/* Finish without the ends of the files, because an event could not be put.
 * Readers then report that the trace is incomplete. */
int tl_trace_writer_stop(struct tl_trace_writer *writer);
/* Write the data in the buffers.  For a timer, from any thread; does nothing
 * with TL_TRACE_COLLECT.  0 or -errno. */
int tl_trace_writer_flush(struct tl_trace_writer *writer);
/* Free the writer, before the sources of its messages are closed.  Without
 * tl_trace_writer_finish() the files are left as after a crash.  NULL does
 * nothing. */
void tl_trace_writer_free(struct tl_trace_writer *writer);
/* The size of the data if the writer finished now: written data, waiting data,
 * and the ends of open spans.  Waiting blocks count unpacked.  Needs the option
 * alone. */
uint64_t tl_trace_writer_size(const struct tl_trace_writer *writer);

/* Write a property of the file: "host", "command", ... 0 or -errno. */
int tl_trace_write_info(struct tl_trace_writer *writer, struct tl_bytes name,
    struct tl_bytes value);
/* Write an INFO of what an observer that was fed all changes knows: before the
 * first event TL_TRACE_OBSERVED, after the last TL_TRACE_ENDS.  0 or -errno. */
int tl_trace_write_observed(struct tl_trace_writer *writer,
    const struct tl_observer *observer, const char *name);
/* Get the number of a text in the file, for %s arguments of messages whose
 * strings are tl_trace_own_strings.  0 or -errno. */
extern const struct tl_strings tl_trace_own_strings;
int tl_trace_write_string(struct tl_trace_writer *writer, struct tl_bytes text,
    uint64_t *number);
int tl_trace_write_knot(struct tl_trace_writer *writer,
    const struct timeline_knot *knot);

/* Write the command of a process, before the first thread with the pid.  The
 * last command counts.  0, -ENOMEM, -ENOSPC, -errno. */
int tl_trace_write_process(struct tl_trace_writer *writer, uint32_t pid,
    struct tl_bytes command);

/*
 * Create the stream of a thread.  One thread at a time may put events into the
 * stream.  The name may be empty.  The stream is freed with the writer.  0,
 * -ENOMEM, -ENOSPC.
 */
int tl_trace_stream_new(struct tl_trace_stream **stream,
    struct tl_trace_writer *writer, uint32_t pid, uint32_t tid,
    struct tl_bytes name);
/* Write another name of the thread.  The last name counts.  0 or -errno. */
int tl_trace_stream_rename(struct tl_trace_stream *stream, uint32_t pid,
    uint32_t tid, struct tl_bytes name);
/* Put the next event of a thread, oldest first.  An incomplete event is never
 * written.  0, -ENOMEM, -ENOSPC or an error of writing. */
int tl_trace_stream_put(struct tl_trace_stream *stream,
    const struct tl_event *event);

/*
 * Make a sink for events of all threads, oldest first, that finds the stream of
 * each event by source, pid and tid.  The sink is freed with the writer, and
 * its finish() is tl_trace_writer_finish().  One thread at a time may use the
 * sink.  0 or -ENOMEM.
 */
int tl_trace_sink(struct tl_trace_writer *writer, struct tl_sink **sink);

/* Create the stream of the next thread of a sink, before its first event, so
 * that the caller chooses order and names.  0, -ENOMEM, -ENOSPC. */
int tl_trace_sink_thread(struct tl_trace_writer *writer, uint32_t pid,
    uint32_t tid, struct tl_bytes name);

/* Create the files path and path.idx, which must not exist yet (mode 0600), and
 * a writer that owns the files.  0, -EEXIST, -ENAMETOOLONG, -errno. */
int tl_trace_create(struct tl_trace_writer **writer, const char *path,
    const struct tl_trace_options *options);
/* Remove both files of a writer that failed. */
void tl_trace_remove(const char *path);

tl_writer_new tl_trace_write_new;

#endif
