/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - query timelines in Lua: scripts, views and filters.
 *
 *	inputs --events, spans, messages--> script or view --text--> io.write
 *	event --> filter (one expression) --> does it pass?
 *
 * A new stock view needs lua/views/NAME.lua and a row in views.def; the program
 * then has "--view NAME" (views.c embeds the text at build time).  A new field
 * of events needs a row in fields.def; scripts and -e then have the field.
 *
 * A script is not trusted: a script sees a part of Lua's libraries, and has a
 * memory cap and a cap of processor time.  Both caps hold inside library
 * functions, too.  The memory cap holds because every byte comes from one
 * allocator.  The time cap holds because a timer counts the processor time of
 * the process: the timer first asks the interpreter to stop (the error names
 * script, line and event).  An interpreter inside a library function (a
 * string.find that backtracks) does not answer within TL_SCRIPT_GRACE_MS; then
 * the timer calls io.killed, which ends the process.  Rejected: a thread that
 * watches, which could do no more; and a child process, which would need a
 * second copy of everything and an order between two writers of one output.
 *
 * One thread of a process may use scripts and filters; SIGPROF is theirs
 * while one with a time cap exists.
 */
#ifndef TL_SCRIPT_SCRIPT_H
#define TL_SCRIPT_SCRIPT_H

#include "base/fault.h"
#include "event/event.h"

#include <stdbool.h>
#include <stddef.h>

struct tl_select;
struct tl_sources;

enum {
	TL_SCRIPT_CPU_SECONDS = 60,   /* default time cap */
	TL_SCRIPT_GRACE_MS = 500,     /* between the hook and io.killed */
	TL_SCRIPT_FILE_MAX = 16 << 20 /* bytes of a script's source */
};
#define TL_SCRIPT_MEMORY_BYTES ((size_t)256 << 20) /* default memory cap */

struct tl_script_limits {
	size_t memory_bytes;  /* 0: the default */
	unsigned cpu_seconds; /* 0: the default; a filter: for one event */
	bool trusted; /* no caps; io, os, require, load of files, raw output */
	/* The option of the program that lifts both caps, for errors; NULL: no
	 * option. */
	const char *lifted_by;
};

/* The output of a script. */
struct tl_script_io {
	/* Write escaped text.  0 or -errno, which ends the script. */
	int (*write)(void *context, const char *data, size_t size);
	/*
	 * Called when the time cap has passed and a library function does not
	 * return.  The call comes from a signal handler, never while write
	 * runs.  killed may do only what signal handlers may (write(2) what is
	 * buffered, then message, which ends in a newline, to stderr) and must
	 * end by _exit(1) or siglongjmp; after siglongjmp the filter that ran
	 * may only be given to tl_script_filter_abandon.  NULL: message goes to
	 * stderr, then _exit(1).
	 */
	void (*killed)(void *context, const char *message, size_t size);
	void *context;
	bool terminal;    /* the output is a terminal */
	unsigned columns; /* of the terminal; 0: 80 */
};

struct tl_script;

/* Make a script.  limits and io are copied; limits may be NULL.  Returns 0;
 * -ENOMEM; or -errno of creating the timer. */
int
tl_script_new(struct tl_script **script, const struct tl_script_limits *limits,
    const struct tl_script_io *io, struct tl_fault *fault);
/*
 * Load the script for tl_script_run: a file, a stock view, or text from memory
 * with a name for Lua, "@file" or "=word".  argv holds the arguments after the
 * script's name, which the script has in arg[1] and up and in "..."; argv is
 * copied.  Returns 0; -ENOEXEC: the text does not compile; -ENOENT etc. from
 * the system, or no such view; -EFBIG.
 */
int tl_script_load_file(struct tl_script *script, const char *path, int argc,
    char *const *argv, struct tl_fault *fault);
int tl_script_load_view(struct tl_script *script, const char *name, int argc,
    char *const *argv, struct tl_fault *fault);
int tl_script_load_text(struct tl_script *script, const char *name,
    struct tl_bytes text, int argc, char *const *argv, struct tl_fault *fault);
/*
 * Run the loaded script once over the sources that are open.  The script sees
 * the entries that the selection lets through; NULL: each.  Sources and
 * selection must outlive the script, whose finalizers may read them.  Returns
 * 0; -ECANCELED: the script failed; -ENOMEM: the script exceeded the memory
 * cap; -ETIME: the time cap; or the error of io.write or a cursor (-EPIPE
 * usually sets only the exit status).  The fault names the script, the line and
 * the event that the script was reading.
 */
int tl_script_run(struct tl_script *script, const struct tl_sources *sources,
    struct tl_select *select, struct tl_fault *fault);
/* The whole text of the last failure, which fault.text may cut, with the stack
 * of calls on lines of their own; escaped; "": no failure. */
const char *tl_script_error(const struct tl_script *script);
void tl_script_free(struct tl_script *script);

/* The stock views.  A row whose name is NULL ends the list. */
struct tl_script_view {
	const char *name;
	const char *description; /* one line */
};
const struct tl_script_view *tl_script_views(void);

/*
 * An expression that an event passes or not.  The event's fields are plain
 * names (ns tsc cpu pid tid priority level category message kind args text ...:
 * timeline-script(7)).  An argument that an event's message does not have is
 * nil.  In a filter, arithmetic with nil is nil and < <= > >= with nil are
 * false, so 'args.tcp > 10' drops events without tcp.
 */
struct tl_script_filter;
int tl_script_filter_new(struct tl_script_filter **filter,
    const char *expression, const struct tl_script_limits *limits,
    const struct tl_script_io *io, struct tl_fault *fault);
/*
 * Returns 1: the event passes; 0: the event does not; -errno and a fault (as
 * tl_script_run): the expression failed.  A TL_LOST event always passes.
 */
int tl_script_filter_passes(struct tl_script_filter *filter,
    const struct tl_event *event, struct tl_fault *fault);
/* Like tl_script_filter_passes, for an event other than TL_LOST, whose distance
 * to the previous event is known; NULL: no previous event.  An event with begun
 * set has a duration, even a begin. */
int tl_script_filter_ask(struct tl_script_filter *filter,
    const struct tl_event *event, const int64_t *delta_ns,
    struct tl_fault *fault);
/* Does an expression read this name?  NULL: any name whose value in an event
 * depends on the other event of the span, such as args and duration. */
bool tl_script_filter_mentions(const char *expression, const char *name);
/* The name of the host of a source; NULL: unknown. */
typedef const char *tl_script_host(const void *context, unsigned source);
/* Give a filter the names of hosts; until then 'host' is nil. */
void tl_script_filter_set_hosts(struct tl_script_filter *filter,
    tl_script_host *host, const void *context);
void tl_script_filter_free(struct tl_script_filter *filter);
/* Give up a filter that io.killed left in the middle of an operation.  No call
 * may touch the filter again; its memory, at most the cap, stays in use. */
void tl_script_filter_abandon(struct tl_script_filter *filter);

#endif
