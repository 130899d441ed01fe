/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_trace.h - a program records itself into a trace file, without a
 * ring: nothing is overwritten, and begin and end become a tree per thread.
 *
 *	struct timeline_trace *trace;
 *	struct timeline_trace_message *parse;
 *
 *	timeline_trace_create(&trace, "run.trace", NULL);
 *	timeline_trace_span(trace, "parser", "info", "parse $bytes", &parse);
 *	timeline_trace_begin(parse, 1, size);
 *	timeline_trace_end(parse, 0);
 *	timeline_trace_close(trace);
 *
 * Every function that can fail returns 0 or -errno.  All are safe in threads,
 * none in signal handlers; a forked child records nothing.  See
 * timeline_trace(3).
 */
#ifndef TIMELINE_TRACE_H
#define TIMELINE_TRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct timeline_trace;
struct timeline_trace_message;

/* How blocks reach the file. */
enum {
	TIMELINE_TRACE_STREAM = 0,  /* as they fill up */
	TIMELINE_TRACE_COLLECT = 1, /* all at the end */
	TIMELINE_TRACE_DROP = 2	    /* not at all: to measure the cost */
};

/* A member left 0 takes its default. */
struct timeline_trace_options {
	uint32_t strategy;
	uint32_t flush_ms;   /* what waits longer is written; 1000 */
	uint64_t block_size; /* bytes of a thread's buffer; 131072 */
};

/* Create path and path.idx, neither of which may be there.  Errors: -EEXIST,
 * -EINVAL bad option, -ENOMEM, or what the system said. */
int timeline_trace_create(struct timeline_trace **trace, const char *path,
    const struct timeline_trace_options *options);
/* End every span that is open as unfinished, write everything, free the
 * trace and its messages.  The first error there was, or 0.  NULL: 0. */
int timeline_trace_close(struct timeline_trace *trace);
/* Write what waits in the buffers of all threads. */
int timeline_trace_flush(struct timeline_trace *trace);

/* What a message is of. */
enum {
	TIMELINE_TRACE_INSTANT = 1,
	TIMELINE_TRACE_SPAN = 2,
	TIMELINE_TRACE_COUNTER = 3
};

/*
 * Messages, as those of timeline_define.  -EINVAL bad kind, priority or text.
 * file and line are their place in the source; file NULL: none.  The three
 * others are macros, too, which give the place where they stand.
 */
int timeline_trace_define(struct timeline_trace *trace, uint32_t kind,
    const char *category, const char *priority, const char *text,
    const char *file, uint32_t line, struct timeline_trace_message **message);
int timeline_trace_instant(struct timeline_trace *trace, const char *category,
    const char *priority, const char *text,
    struct timeline_trace_message **message);
int timeline_trace_span(struct timeline_trace *trace, const char *category,
    const char *priority, const char *text,
    struct timeline_trace_message **message);
int timeline_trace_counter(struct timeline_trace *trace, const char *category,
    const char *priority, const char *text,
    struct timeline_trace_message **message);
#define timeline_trace_instant(trace, category, priority, text, message)  \
	timeline_trace_define((trace), TIMELINE_TRACE_INSTANT, (category), \
	    (priority), (text), __FILE__, __LINE__, (message))
#define timeline_trace_span(trace, category, priority, text, message)  \
	timeline_trace_define((trace), TIMELINE_TRACE_SPAN, (category), \
	    (priority), (text), __FILE__, __LINE__, (message))
#define timeline_trace_counter(trace, category, priority, text, message)  \
	timeline_trace_define((trace), TIMELINE_TRACE_COUNTER, (category), \
	    (priority), (text), __FILE__, __LINE__, (message))
/* The number of a text, for %s arguments. */
int timeline_trace_string(
    struct timeline_trace *trace, const char *text, uint64_t *number);
/* The name of the calling thread in the trace; before its first event. */
int timeline_trace_thread_name(struct timeline_trace *trace, const char *name);

/*
 * Record an event of the calling thread with argc (0 to 4) arguments of 64
 * bits: uint64_t each, timeline_double of a double.  0 or the first error of
 * the trace; nothing more is recorded after one.  -EINVAL for a begin or end
 * of what is no span.
 */
int timeline_trace_log(
    struct timeline_trace_message *message, unsigned argc, ...);
int timeline_trace_begin(
    struct timeline_trace_message *span, unsigned argc, ...);
int timeline_trace_end(
    struct timeline_trace_message *span, unsigned argc, ...);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
