/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write a recorded trace.
 *
 *	event --> stream of its thread --> block --+--> data
 *	             | full, or by timer           |
 *	             +-- cells ----- one lock -----+--> index
 *
 * A stream keeps what its thread wrote in a buffer of its own.  A full buffer
 * is written as a block, together with its cells.  TL_TRACE_COLLECT keeps the
 * blocks in memory until the end, TL_TRACE_NULL drops them; the rest is the
 * same for all three.  Spans of a thread become containers.  Spans of a
 * source, and ends without a begin, are points.  A crash at any byte leaves a
 * file of whole blocks.
 *
 * Who may call.  One thread at a time puts events into a stream; different
 * streams may be used by different threads at once.  Everything else locks.
 */
#ifndef TL_TRACE_WRITE_H
#define TL_TRACE_WRITE_H

#include "event/cursor.h"
#include "event/writer.h"
#include "trace/layout.h"

#include <timeline_layout.h>

struct tl_trace_writer;
struct tl_trace_stream;

enum tl_trace_strategy { TL_TRACE_STREAMING, TL_TRACE_COLLECT, TL_TRACE_NULL };

/* Append size bytes: 0 or -errno.  Called under the writer's lock. */
typedef int tl_trace_append(void *context, const void *data, size_t size);

struct tl_trace_options {
	enum tl_trace_strategy strategy;
	size_t block_size;                  /* 0: TL_TRACE_BLOCK_SIZE */
	const struct tl_trace_codec *codec; /* NULL: blocks stay as they are */
	tl_trace_append *data;
	tl_trace_append *index; /* NULL: none is written */
	void *context;
	int64_t created_ns;
	uint8_t id[TL_TRACE_ID_SIZE]; /* all 0: one is drawn */
	bool sized; /* keep count of what waits, for tl_trace_writer_size */
};

/* Two open files as the data, index and context of the options. */
struct tl_trace_files {
	int data;
	int index;
};
tl_trace_append tl_trace_files_data;
tl_trace_append tl_trace_files_index;

/* The header is written at once.  0, -ENOMEM, -EINVAL block size, -errno. */
int tl_trace_writer_new(struct tl_trace_writer **writer,
    const struct tl_trace_options *options);
/* Closes what is open, writes all there is and the ends of both files: 0 or
 * the first error there was.  Nothing may be put after it. */
int tl_trace_writer_finish(struct tl_trace_writer *writer);
/* The same but for the ends of the files: something could not be put, so that
 * readers report that it is not all. */
int tl_trace_writer_stop(struct tl_trace_writer *writer);
/* Write what waits in the buffers: for a timer, from any thread.  0, -errno;
 * nothing when collecting. */
int tl_trace_writer_flush(struct tl_trace_writer *writer);
/* Before the sources of its messages close; without a finish the files stay
 * as after a crash.  NULL does nothing. */
void tl_trace_writer_free(struct tl_trace_writer *writer);
/* How large the data would be if the writer finished now: what is written,
 * what waits, and the ends of open spans; of packed blocks that wait, as if
 * they were not.  Of a writer that is sized; at any time, for any thread. */
uint64_t tl_trace_writer_size(const struct tl_trace_writer *writer);

/* A property of the file: "host", "command", ... */
int tl_trace_write_info(struct tl_trace_writer *writer, struct tl_bytes name,
    struct tl_bytes value);
/* The number of a text in the file, for %s arguments of messages whose strings
 * are tl_trace_own_strings. */
extern const struct tl_strings tl_trace_own_strings;
int tl_trace_write_string(struct tl_trace_writer *writer, struct tl_bytes text,
    uint64_t *number);
int tl_trace_write_knot(struct tl_trace_writer *writer,
    const struct timeline_knot *knot);

/* The command of a process, before the first thread of that pid (a new one
 * if its pid is given again): 0, -ENOMEM, -ENOSPC, -errno. */
int tl_trace_write_process(struct tl_trace_writer *writer, uint32_t pid,
    struct tl_bytes command);

/*
 * The stream of a new thread.  One thread at a time puts events into it; the
 * name may be empty.  It goes with the writer.  0, -ENOMEM, -ENOSPC.
 */
int tl_trace_stream_new(struct tl_trace_stream **stream,
    struct tl_trace_writer *writer, uint32_t pid, uint32_t tid,
    struct tl_bytes name);
/* The next event of a thread, oldest first: 0, -ENOMEM, -ENOSPC or what
 * writing said.  Whatever fails, no half event is written. */
int tl_trace_stream_put(struct tl_trace_stream *stream,
    const struct tl_event *event);

/*
 * A sink that finds the stream of each event by its source, pid and tid: what
 * any cursor that runs from old to new is poured into.  Goes with the writer;
 * its finish is tl_trace_writer_finish.  One thread at a time.
 */
int tl_trace_sink(struct tl_trace_writer *writer, struct tl_sink **sink);

/* The next thread of a sink, before its first event, so that threads come in
 * an order of the caller's, with names: 0, -ENOMEM, -ENOSPC. */
int tl_trace_sink_thread(struct tl_trace_writer *writer, uint32_t pid,
    uint32_t tid, struct tl_bytes name);

/* The two files of a trace: path and path.idx, which must not be there yet
 * (mode 0600).  A writer of options with data, index and context set to
 * theirs; it owns the files.  0, -EEXIST, -ENAMETOOLONG, -errno. */
int tl_trace_create(struct tl_trace_writer **writer, const char *path,
    const struct tl_trace_options *options);
/* Remove both, of a writer that was created and comes to nothing. */
void tl_trace_remove(const char *path);

tl_writer_new tl_trace_write_new;

#endif
