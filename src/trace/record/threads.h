/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.h - the threads whose events are recorded: the stream each
 * has in the file of now, and its open spans, which the next file begins
 * with.
 *
 * Holes are a thread of their own for each source: process 0, thread 0.
 */
#ifndef TL_TRACE_RECORD_THREADS_H
#define TL_TRACE_RECORD_THREADS_H

#include "trace/record/processes.h"

enum {
	/* Spans of a thread that may go on in the next file. */
	TL_RECORDER_OPEN_MAX = 1024
};

struct tl_recorder_open {
	struct tl_event begin;
	uint64_t losses; /* of the source before it */
};

struct tl_recorder_thread {
	uint64_t who; /* pid and tid; 0: holes */
	uint16_t source;
	/* in the file of now */
	struct tl_trace_stream *stream; /* NULL: none yet */
	uint64_t put;                   /* events, and of these ... */
	uint64_t continued;             /* ... that began before, the first */
	uint64_t written;
	uint64_t *holes; /* how many entries each that is not written says */
	size_t hole_count;
	size_t hole_capacity;
	/* from file to file */
	struct tl_recorder_open *open; /* outermost first */
	size_t open_count;
	size_t open_capacity;
	size_t skipped; /* open ones within, beyond the bound */
};

/* Starts from all zeros. */
struct tl_recorder_threads {
	struct tl_recorder_thread **slots; /* by who and source */
	size_t size;                       /* 0, or a power of two */
	size_t count;
	struct tl_recorder_thread *last;
	struct tl_recorder_thread **streams; /* by their number in the file */
	size_t stream_count;
	size_t stream_capacity;
	struct tl_recorder_processes processes;
};

/*
 * Put an event of a source that has seen so many holes into the file: 0, or
 * -errno and it was not put.  name is that of the source.
 */
int tl_recorder_threads_put(struct tl_recorder_threads *threads,
    struct tl_trace_writer *writer, const struct tl_event *event,
    uint64_t losses, const char *name);
/* So many more events of a stream lie in the file. */
void tl_recorder_threads_written(struct tl_recorder_threads *threads,
    int32_t stream, uint32_t events);
/* What of a source was put but is not written: entries, and how many more the
 * holes among it tell of. */
struct tl_recorder_missing {
	uint64_t entries;
	uint64_t holes;
};
struct tl_recorder_missing
tl_recorder_threads_missing(const struct tl_recorder_threads *threads,
    uint16_t source);
/*
 * The file has ended: nothing has a stream any more.  Spans without a future
 * are forgotten: those older than the last of losses[source], and those of
 * processes that are gone; then threads without any.
 */
void tl_recorder_threads_leave(struct tl_recorder_threads *threads,
    const uint64_t *losses);
/* Begin a new file with the spans that are open, until its data is so large,
 * and count them: 0 or -errno. */
int tl_recorder_threads_continue(struct tl_recorder_threads *threads,
    struct tl_trace_writer *writer, uint64_t size_max, uint64_t *count);
void tl_recorder_threads_free(struct tl_recorder_threads *threads);

#endif
