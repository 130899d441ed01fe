/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - query timelines in Lua: scripts, views and filters.
 *
 *	inputs --events, spans, messages--> script or view --text--> io.write
 *	event --> filter (one expression) --> does it pass?
 *
 * To add a stock view: lua/views/NAME.lua and a row in views.def; the program
 * then has "--view NAME" (views.c embeds the text when it is built).  To add a
 * field of events: a row and a case in event.c; scripts and -e have it.
 *
 * A script is not trusted: it sees a part of Lua's libraries, has a memory cap
 * and a cap of processor time.  Both caps hold inside library functions, too:
 * memory because every byte comes from one allocator, time because a timer
 * that counts the processor time of the process first asks the interpreter to
 * stop (the error names script, line and event) and, when it does not answer
 * within TL_SCRIPT_GRACE_MS because it is inside a library function (a
 * string.find that backtracks), calls io.killed, which ends the process.
 * A thread that watches could do no more, and a child process would need a
 * second copy of everything and an order between two writers of one output.
 *
 * One thread of a process may use scripts and filters; SIGPROF is theirs
 * while one with a time cap exists.
 */
#ifndef TL_SCRIPT_SCRIPT_H
#define TL_SCRIPT_SCRIPT_H

#include "base/fault.h"
#include "event/cursor.h"
#include "event/merge.h"
#include "snap/snap.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	TL_SCRIPT_CPU_SECONDS = 60, /* default time cap */
	TL_SCRIPT_GRACE_MS = 500,   /* between the hook and io.killed */
	TL_SCRIPT_INPUTS_MAX = UINT16_MAX,
	TL_SCRIPT_FILE_MAX = 16 << 20 /* bytes of a script's source */
};
#define TL_SCRIPT_MEMORY_BYTES ((size_t)256 << 20) /* default memory cap */

struct tl_script_limits {
	size_t memory_bytes;  /* 0: the default */
	unsigned cpu_seconds; /* 0: the default; of a filter: for one event */
	bool trusted; /* no caps; io, os, require, load of files, raw output */
	/* The option of the program that lifts both caps, for errors; NULL:
	 * there is none. */
	const char *lifted_by;
};

/* The output of a script. */
struct tl_script_io {
	/* 0 or -errno, which ends the script.  The text was escaped. */
	int (*write)(void *context, const char *data, size_t size);
	/*
	 * The time cap has passed and a library function does not return.  Runs
	 * in a signal handler, never while write runs: it may only do what
	 * signal handlers may (write(2) what is buffered, then message, which
	 * ends in a newline, to stderr) and must not return but _exit(1), or
	 * leave by siglongjmp: then the filter that ran may only be given to
	 * tl_script_filter_abandon.  NULL: message to stderr and _exit(1).
	 */
	void (*killed)(void *context, const char *message, size_t size);
	void *context;
	bool terminal;    /* is it a terminal? */
	unsigned columns; /* of the terminal; 0: 80 */
};

/* An input of a script.  Stays the caller's and outlives the script. */
struct tl_script_input {
	const char *name;
	/* May be NULL; then info() has only the name, the format and the number
	 * of messages. */
	struct tl_snap *snap;
	const char *format; /* NULL: a timeline */
	/*
	 * Open a cursor of the input; here the filters of the command line are
	 * added.  NULL: tl_snap_cursor.  0 or -errno.
	 */
	int (*open)(const struct tl_script_input *input, enum tl_order order,
	    struct tl_cursor **cursor);
	void *context; /* for open */
	/* Inputs with the same value have stamps that compare; NULL: that of
	 * snap. */
	const void *clock;
	/* The host; NULL: unknown.  If there are several hosts, its events may
	 * overlap those of others. */
	const char *host;
	bool is_of_several;
	/* The number of its machine: inputs of one machine have the same
	 * threads. */
	unsigned machine;
	/* The messages for messages(); NULL: those of snap. */
	const struct tl_message *const *messages;
	size_t message_count;
};

struct tl_script;

/* limits and io are copied; limits may be NULL.  0; -ENOMEM; -errno of creating
 * the timer. */
int
tl_script_new(struct tl_script **script, const struct tl_script_limits *limits,
    const struct tl_script_io *io, struct tl_fault *fault);
/*
 * Load the script for tl_script_run: a file, a stock view, or text from memory
 * with a name for Lua, "@file" or "=word".  argv are the arguments after the
 * script's name, which the script has in arg[1] and up and in "..."; it is
 * copied.  -ENOEXEC: it does not compile; -ENOENT etc. from the system, or no
 * such view; -EFBIG.
 */
int tl_script_load_file(struct tl_script *script, const char *path, int argc,
    char *const *argv, struct tl_fault *fault);
int tl_script_load_view(struct tl_script *script, const char *name, int argc,
    char *const *argv, struct tl_fault *fault);
int tl_script_load_text(struct tl_script *script, const char *name,
    struct tl_bytes text, int argc, char *const *argv, struct tl_fault *fault);
/*
 * Run the loaded script once.  0; -ECANCELED: it failed; -ENOMEM: it exceeded
 * the memory cap; -ETIME: the time cap; or the error of io.write or a cursor
 * (-EPIPE usually sets only the exit status).  The fault names the script, the
 * line and the event that it was reading.
 */
int tl_script_run(struct tl_script *script,
    const struct tl_script_input *inputs, size_t count, struct tl_fault *fault);
/* The whole text of the last failure, which fault.text may cut, with the stack
 * of calls on lines of their own; escaped; "": none. */
const char *tl_script_error(const struct tl_script *script);
void tl_script_free(struct tl_script *script);

/* The stock views, up to one whose name is NULL. */
struct tl_script_view {
	const char *name;
	const char *description; /* one line */
};
const struct tl_script_view *tl_script_views(void);

/*
 * An expression that an event passes or not.  The event's fields are plain
 * names (ns tsc cpu pid tid priority level category message kind args text
 * ...: timeline-script(7)).  An argument that an event's message does not
 * have is nil, and in a filter whatever is reckoned from nil is nil and every
 * comparison with it false, so that 'args.tcp > 10' drops what has no tcp.
 */
struct tl_script_filter;
int tl_script_filter_new(struct tl_script_filter **filter,
    const char *expression, const struct tl_script_limits *limits,
    const struct tl_script_io *io, struct tl_fault *fault);
/*
 * 1 the event passes, 0 it does not, -errno and a fault (as tl_script_run)
 * when the expression failed.  A TL_LOST event always passes.
 */
int tl_script_filter_passes(struct tl_script_filter *filter,
    const struct tl_event *event, struct tl_fault *fault);
/* The same, of an event whose distance to the one before it is known; NULL:
 * there was none.  It is not a loss.  An event with begun set has a duration,
 * also a begin. */
int tl_script_filter_ask(struct tl_script_filter *filter,
    const struct tl_event *event, const int64_t *delta_ns,
    struct tl_fault *fault);
/* Does an expression read this name?  NULL: any name of which a span has one
 * value and its two events have two, as args and duration. */
bool tl_script_filter_mentions(const char *expression, const char *name);
/* The name of the host of a source; NULL: unknown. */
typedef const char *tl_script_host(const void *context, unsigned source);
/* Have a filter know hosts; until then 'host' is nil. */
void tl_script_filter_set_hosts(struct tl_script_filter *filter,
    tl_script_host *host, const void *context);
void tl_script_filter_free(struct tl_script_filter *filter);
/* Never touch it again, because io.killed left it in the middle of something:
 * its memory, at most the cap, stays in use. */
void tl_script_filter_abandon(struct tl_script_filter *filter);

#endif
