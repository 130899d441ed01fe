/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_trace.h - record the events of a program into a trace file.
 *
 * There is no ring, so nothing is overwritten.  Begin and end events become
 * one tree per thread.
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
 * Every function that can fail returns 0 or -errno; NULL in place of a trace,
 * message or text is -EINVAL, unless a function gives it a meaning.  All may be called by any
 * thread, none by a signal handler; a forked child records nothing.  See
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
	TIMELINE_TRACE_STREAM = 0,  /* written as they fill up */
	TIMELINE_TRACE_COLLECT = 1, /* kept until close */
	TIMELINE_TRACE_DROP = 2	    /* dropped, to measure the cost */
};

/* A member that is 0 has its default. */
struct timeline_trace_options {
	uint32_t strategy;
	uint32_t flush_ms;   /* how long an event may wait; 1000 */
	uint64_t block_size; /* bytes of a thread's buffer; 131072 */
};

/* Create path and path.idx, neither of which may exist.  Errors: -EEXIST,
 * -EINVAL invalid option, -ENOMEM, or that of the system. */
int timeline_trace_create(struct timeline_trace **trace, const char *path,
    const struct timeline_trace_options *options);
/* End every open span as unfinished, write all buffers, free the trace and its
 * messages.  Returns the first error of the trace, or 0.  NULL: 0. */
int timeline_trace_close(struct timeline_trace *trace);
/* Write the buffers of all threads. */
int timeline_trace_flush(struct timeline_trace *trace);

/* Kinds of messages. */
enum {
	TIMELINE_TRACE_INSTANT = 1,
	TIMELINE_TRACE_SPAN = 2,
	TIMELINE_TRACE_COUNTER = 3
};

/*
 * Define a message, as timeline_define does.  -EINVAL: invalid kind, priority
 * or text.  file and line are its source location; file NULL: none.  The other
 * three are macros, too, which add the location of the call.
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
 * bits: uint64_t each, timeline_double() of a double.  Returns 0 or the first
 * error of the trace, after which nothing more is recorded.  -EINVAL: begin or
 * end of a message that is not a span.
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
