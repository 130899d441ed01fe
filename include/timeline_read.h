/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_read.h - read timelines and recorded traces: libtimeline-read.
 *
 *	struct timeline_reader *reader;
 *	const struct timeline_read_event *event;
 *	char text[256];
 *
 *	if (timeline_read_open(&reader, "/timeline", NULL) < 0)
 *		errx(1, "%s", timeline_read_error());
 *	while (timeline_read_next(reader, &event) > 0) {
 *		timeline_read_text(event, text, sizeof(text));
 *		printf("%s %s\n", event->category, text);
 *	}
 *	timeline_read_close(reader);
 *
 * A reader merges the events of its inputs by time.  An input is a live
 * timeline, a snapshot (compressed or not), a recorded trace, a stream of
 * traces or, with libtimeline-formats (timeline_formats.h), a file of another
 * format.  A recorded trace is also a forest of nodes, one tree for each
 * thread; the children of a node are loaded on request and may be freed again.
 *
 * A function that returns int returns 0 or more on success and -errno on
 * failure; timeline_read_error() then returns the text of the failure.  A path,
 * a host, memory or a text with room for bytes that is NULL is -EINVAL.  A
 * reader, event or node must not be NULL, except where a function closes a
 * reader.  The library never prints, exits or installs a signal handler, and
 * keeps nothing outside of readers except the text of the last failure.  Any
 * number of readers may be open.  One thread at a time uses a reader, the
 * events and the nodes of the reader; several threads may use different
 * readers at once.  No function is safe in a signal handler.
 *
 * The library checks the bytes of a file before it uses them: a damaged or
 * hostile file gives fewer events, never a crash.  The strings of a file are
 * bytes of any kind; a terminal is safe from the text that timeline_read_text()
 * and the functions like it write, and from no other.
 *
 * Compile with the flags of "pkg-config --cflags --libs timeline-read".  See
 * timeline_read(3).
 */
#ifndef TIMELINE_READ_H
#define TIMELINE_READ_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct timeline_reader;
struct timeline_node;
struct timeline_read_formats;

/* == events == */

/* What an event is: timeline_read_event.kind. */
enum timeline_read_kind {
	TIMELINE_READ_INSTANT = 1,
	TIMELINE_READ_BEGIN = 2,   /* a span begins */
	TIMELINE_READ_END = 3,     /* a span ends */
	TIMELINE_READ_COUNTER = 4, /* args[0] is the new value of a counter */
	TIMELINE_READ_LOSS = 5     /* entries are missing here */
};

/* timeline_read_event.flags, or'ed. */
enum {
	/* The end of a span was logged without arguments: args are those of
	 * the begin where duration_ns is known, else 0. */
	TIMELINE_READ_BARE = 1,
	/* The library logged the entry about the timeline: a changed priority,
	 * a burst, a step of the clock. */
	TIMELINE_READ_BUILTIN = 2,
	/* The number of lost entries is unknown: lost is 1. */
	TIMELINE_READ_UNCOUNTED = 4,
	/* The span began in an earlier file; this begin repeats the begin. */
	TIMELINE_READ_CONTINUED = 8,
	/* Entries were lost while the span was open: duration_ns may be that
	 * of another. */
	TIMELINE_READ_UNSURE = 16,
	/* The stamp was given to timeline_log_at(), which changed the stamp. */
	TIMELINE_READ_MOVED = 32,
	/* Newer entries have replaced the missing entries, as they do in each
	 * ring that is full: nothing went wrong. */
	TIMELINE_READ_OVERWRITTEN = 64,
	/* OVERWRITTEN, and the reader that followed was too slow. */
	TIMELINE_READ_UNREAD = 128,
	/* The end holds the stamp of the begin: duration_ns is known whether
	 * or not the begin is in the file.  A begin has the flag where the end
	 * will hold the stamp. */
	TIMELINE_READ_PROVEN = 256,
	/* The end is bare and the begin is not in the file: the stamp that the
	 * end holds tells duration_ns, and args are 0. */
	TIMELINE_READ_ALONE = 512,
	/* Several hosts: the clocks do not tell whether the event happened
	 * before or after its neighbour of another host. */
	TIMELINE_READ_OVERLAPS = 1024,
	/* The end of the span is not in the file. */
	TIMELINE_READ_OPEN = 2048,
	/* The span is open, and the record was not looking all the time since
	 * the begin: the span may have ended. */
	TIMELINE_READ_CUT = 4096
};

/*
 * The definition of a message.  The library allocates the struct, so that later
 * versions can add members.  A definition is valid until the reader is closed,
 * and all events of one message of one timeline share one definition.  Texts
 * are NUL-terminated, and "" where there is none.  A loss has a definition
 * whose members are 0 or "".
 */
struct timeline_read_definition {
	const char *category;
	const char *message;     /* the first line */
	const char *explanation; /* the lines behind the first */
	const char *file;        /* source file of the definition */
	uint32_t line;           /* line of the source file */
	unsigned level;          /* priority: 1 trace+++ to 9 fatal */
	/* The level that timeline_level() gave the message, when the file was
	 * read: 0 never logged, 10 always logged, else a priority. */
	unsigned gate;
	/* TIMELINE_READ_INSTANT, TIMELINE_READ_BEGIN of a span,
	 * TIMELINE_READ_COUNTER. */
	unsigned kind;
	unsigned scope; /* a span ends 0: in its thread, 1: in any thread */
	int is_timer;   /* a span with a histogram: timeline_read_timer() */
	unsigned argc;
	const char *names[4]; /* of arguments, without the $; NULL past argc */
	int formats[4]; /* as timeline_read_argument_format(); 0 past argc */
};

/* timeline_read_event.cpu when the CPU is not known. */
#define TIMELINE_READ_NO_CPU UINT32_MAX

/*
 * An event.  The library allocates the struct, so that later versions can add
 * members.  A caller may keep a copy of the struct, and give the copy to every
 * function that takes an event, until the reader is closed.
 */
struct timeline_read_event {
	int64_t ns;   /* Unix time in nanoseconds */
	uint64_t tsc; /* the stamp as logged, in ticks of the timeline's clock */
	uint32_t cpu; /* or TIMELINE_READ_NO_CPU */
	uint32_t pid;
	uint32_t tid;
	unsigned level; /* priority: 1 trace+++ to 9 fatal; a loss: 0 */
	unsigned kind;  /* enum timeline_read_kind */
	unsigned argc;  /* arguments, 0 to 4 */
	/* The raw 64 bits of each argument, 0 past argc.
	 * timeline_read_argument_format() tells how to read the bits. */
	uint64_t args[4];
	uint64_t lost; /* a loss: lost entries, at least 1; else 0 */
	/* The category, and the first line of the message with the names of the
	 * arguments, as defined: "processed $tcp, $udp%d".  NUL-terminated,
	 * valid until the reader is closed; a loss: "".  All events of one
	 * message and one reader have the same pointers. */
	const char *category;
	const char *message;
	/* The duration of a span in nanoseconds.  The end of the span has the
	 * duration, and where the newest event comes first so has the begin.
	 * -1: another event, or begin or end is missing, or the newest event
	 * comes first and more than 262144 entries lie between end and begin. */
	int64_t duration_ns;
	/* The error of ns is at most so large.  Where there are several hosts,
	 * the error of the host's clock is included; UINT32_MAX: no bound is
	 * known. */
	uint32_t error_ns;
	uint32_t epoch;    /* stamps of different epochs do not compare */
	uint32_t flags;    /* TIMELINE_READ_BARE ... */
	/* The definition of the message; never NULL. */
	const struct timeline_read_definition *definition;
	/* The names of the thread and of the process: UTF-8 without control
	 * characters, valid until the reader is closed; "" when the name is not
	 * known. */
	const char *thread;
	const char *process;
};

/* == opening == */

/* A fault of a file, as on_damage receives it. */
struct timeline_read_damage {
	int error;        /* -EBADMSG damaged, -ENODATA cut off, 0 a remark */
	uint64_t at;      /* byte of the file, or UINT64_MAX: no place */
	const char *text; /* one line, valid during the call */
	/* timeline_read_origin.input, valid during the call */
	const char *input;
};

/*
 * How to read.  Set size to sizeof(struct timeline_read_options) and each
 * member that is not wanted to 0:
 *
 *	struct timeline_read_options options = { .size = sizeof(options),
 *		.oldest_first = 1 };
 */
struct timeline_read_options {
	size_t size; /* of this struct, in the caller's compilation */

	/* Oldest event first.  0: newest first. */
	int oldest_first;
	/* Read the entries of live timelines as programs log them, the oldest
	 * first; with tail, begin with the newest tail entries of each lane.
	 * Where the reader follows several timelines, the entries logged
	 * since the last call are in order of time. */
	int follow;
	/* With follow: how long timeline_read_next() waits for a new entry, in
	 * milliseconds.  0: not at all.  -1: without a limit. */
	int timeout_ms;
	/* Never write a file.  0: where the index beside a trace is missing or
	 * wrong, write a new index if the directory permits. */
	int read_only;

	/* Copy only the newest tail entries of each lane (a CPU's ring buffer)
	 * of a live timeline.  0: copy all entries; with follow, 0: begin with
	 * the next new entry. */
	uint64_t tail;
	/* The largest number of events to return, losses included.  0: no
	 * limit. */
	uint64_t limit;
	/* Return the events logged from since_ns to until_ns, in Unix time.
	 * 0: no bound. */
	int64_t since_ns;
	int64_t until_ns;
	/* Return the events that have at least this priority, 1 (trace+++) to
	 * 9 (fatal), and whose category and first line match the patterns of
	 * fnmatch(3).  0, NULL: all.  Losses are always returned.  The library
	 * uses the strings until the reader is closed. */
	unsigned min_level;
	const char *category;
	const char *message;

	/* The bytes that all loaded nodes together may take; loading more nodes
	 * is -EDQUOT.  0: no bound. */
	uint64_t memory_max;

	/* The library calls this function for each fault of a file that it
	 * finds, while it opens the file, reads it or loads nodes.  The
	 * function must not call the library for the same reader.  NULL: no
	 * call. */
	void (*on_damage)(void *context,
	    const struct timeline_read_damage *damage);
	void *context;

	/* Read files of these formats, too: timeline_formats().  The library
	 * reads such a file to its end when the file is opened, and keeps the
	 * events in a temporary file.  NULL: no other format. */
	const struct timeline_read_formats *formats;

	/* Only nodes are asked for: the functions that return events and spans
	 * fail with -EINVAL.  The library reads a Lincheck trace with its index
	 * only as far as nodes are loaded, so the reader lists none of its
	 * definitions, and events, first_ns and last_ns of its threads are
	 * 0. */
	int trees;
};

/*
 * Open a timeline or a trace.  A path "name" or "/name" without another slash
 * is the timeline /dev/shm/name; where there is no such timeline, "name" is the
 * file in the current directory.  "-" is standard input; every other path is a
 * file, FIFO or device.  The library reads a pipe to its end and copies the
 * bytes to a temporary file first.  The library copies a live timeline; the
 * reader does not see the entries logged after the copy, unless options->follow
 * is set.  The content of a file decides the format, not the name of the file.
 *
 * options NULL: all events, the newest first.
 *
 * Returns 0; timeline_read_close() closes *reader.  On failure *reader is NULL:
 * -ENOENT and other errors of the system, -EBADMSG damaged, -EPROTO a version
 * or a feature that this library does not know, -ENODATA empty or cut off
 * before the first event, -ENOTSUP another format (see options->formats),
 * -EINVAL bad options or a file that cannot be followed, -ENOMEM.
 */
int timeline_read_open(struct timeline_reader **reader, const char *path,
    const struct timeline_read_options *options);

/* timeline_read_open() for an open descriptor.  The caller keeps the descriptor
 * and may close it when the function has returned.  The library reads a pipe or
 * socket to its end, and a file from its beginning, whatever its offset. */
int timeline_read_open_fd(struct timeline_reader **reader, int fd,
    const struct timeline_read_options *options);

/* timeline_read_open() for size bytes of memory, which must stay unchanged
 * until the reader is closed.  Memory cannot be followed, and a file of another
 * format that gzip or zstd compressed is not read from memory. */
int timeline_read_open_memory(struct timeline_reader **reader, const void *data,
    size_t size, const struct timeline_read_options *options);

/*
 * Open one more input with the options of the reader, before the first event is
 * read.  The reader merges the events of all inputs by time, as timeline-dump
 * does with several files: stamps order the events of one boot of a machine,
 * the times of the hosts order the others.  With options->follow each input is
 * a live timeline.  A reader with more than one input has no nodes.
 *
 * Returns 0, or the errors of timeline_read_open(), and -EINVAL after the first
 * event; the reader is unchanged then.  The first input may be a descriptor or
 * memory.
 */
int timeline_read_add(struct timeline_reader *reader, const char *path);

/*
 * Add offset_ns to the times of a host, before the first event is read, as
 * timeline-dump --offset does.  host is the name in timeline_read_origin, or
 * the path or the number, from "1" on, of an input of the host.
 *
 * Returns 0; -ENOENT no such host, and the text names the hosts; -EINVAL after
 * the first event; -ENOMEM.
 */
int timeline_read_offset(struct timeline_reader *reader, const char *host,
    int64_t offset_ns);

/* Free the reader, its events, nodes and strings.  NULL does nothing. */
void timeline_read_close(struct timeline_reader *reader);

/* The text of the last failure of a function of this library in the calling
 * thread, "" if there was none; valid until the next failure in the thread. */
const char *timeline_read_error(void);

/* The format of the first input: "timeline" (live or saved), "trace", "stream"
 * (traces behind each other), or one of timeline_formats(). */
const char *timeline_read_format(const struct timeline_reader *reader);

/* The number of damaged places that the library has found in the inputs. */
uint64_t timeline_read_damaged(const struct timeline_reader *reader);

/* == reading == */

/*
 * Read the next event.  Returns 1, and *event is valid until the next call of
 * this function or the close.  0: there are no more events; with
 * options->follow no event came in time, and the caller may call again.
 * -errno: something could not be read; *event is NULL, and the next call goes
 * on behind it.  -EPIPE: a followed timeline was removed (once for each
 * timeline); -EINTR: a signal arrived during the wait.
 */
int timeline_read_next(struct timeline_reader *reader,
    const struct timeline_read_event **event);

/* The member of events that a column holds: timeline_read_column.what. */
enum timeline_read_what {
	TIMELINE_READ_NS = 1,
	TIMELINE_READ_TSC,
	TIMELINE_READ_DURATION_NS,
	TIMELINE_READ_ERROR_NS,
	TIMELINE_READ_CPU,
	TIMELINE_READ_PID,
	TIMELINE_READ_TID,
	TIMELINE_READ_LEVEL,
	TIMELINE_READ_KIND,
	TIMELINE_READ_FLAGS,
	TIMELINE_READ_LOST,
	TIMELINE_READ_DEFINITION, /* the address of the definition */
	TIMELINE_READ_ARG0,
	TIMELINE_READ_ARG1,
	TIMELINE_READ_ARG2,
	TIMELINE_READ_ARG3
};

/* A column to fill: an array of 64 bits for each event.  TIMELINE_READ_NS and
 * TIMELINE_READ_DURATION_NS are signed. */
struct timeline_read_column {
	unsigned what; /* enum timeline_read_what */
	uint64_t *values;
};

/*
 * Fill columns with up to rows of the next events, for programs that compute
 * with many events at once.  The function reads the events as
 * timeline_read_next() does, and a caller may mix the two functions.
 * timeline_read_argument_text() writes the text of a string argument, given an
 * event with the definition, argc and args of the row.
 *
 * Returns the number of rows filled; fewer than rows, if no further event
 * came.  0: there are no more events.  -errno: the errors of
 * timeline_read_next(), after the rows before the error were returned; -EINVAL
 * no such column, or values is NULL.
 */
int64_t timeline_read_columns(struct timeline_reader *reader,
    const struct timeline_read_column *columns, size_t count, size_t rows);

/*
 * Write the message with its values as timeline-dump prints the message:
 * "processed tcp(10), udp(20), and other(3)".  "> " stands before the begin of
 * a span, "< " before the end, "= " before a counter.  A duration_ns that is
 * known stands behind an end: "< job id(594)  531.2us".  Control characters are
 * escaped.  The function writes at most size bytes, the last one a NUL, and
 * returns the length of the whole text, as snprintf(3) does; text may be NULL
 * where size is 0.  -ENOMEM; -EINVAL: not an event of a reader.
 */
int timeline_read_text(const struct timeline_read_event *event, char *text,
    size_t size);

/* Write the line that timeline-dump lists for the event: the time in UTC, the
 * category and the message; for a loss only the message.  Returns what
 * timeline_read_text() returns. */
int timeline_read_line(const struct timeline_read_event *event, char *text,
    size_t size);

/* The name of an argument, without the $; NULL when i is not below argc.
 * Valid until the reader is closed. */
const char *timeline_read_argument_name(const struct timeline_read_event *event,
    unsigned i);

/* The format of an argument: 'u' unsigned, 'd' signed, 'x' hexadecimal,
 * 'o' octal, 'f' the bits of a double, 't' nanoseconds, 's' a text, which
 * timeline_read_argument_bytes() copies.  0 when i is not below argc. */
int timeline_read_argument_format(const struct timeline_read_event *event,
    unsigned i);

/* Write the value of an argument as timeline-dump prints the value: "10",
 * "0x1f", "1.234us", or the text for which the number stands.  Returns what
 * timeline_read_text() returns; -EINVAL when i is not below argc. */
int timeline_read_argument_text(const struct timeline_read_event *event,
    unsigned i, char *text, size_t size);

/* Copy the text that argument i stands for, of format 's': any bytes, as they
 * were logged, of which at most size are written.  Returns the number of bytes
 * of the whole text; -EINVAL: not a text; -ENODATA: the file does not have the
 * text. */
int timeline_read_argument_bytes(const struct timeline_read_event *event,
    unsigned i, void *bytes, size_t size);

/* The name of the event's priority: "info"; "" for a loss. */
const char *timeline_read_priority(const struct timeline_read_event *event);

/* The lines of the message behind the first line; "" when there are none. */
const char *timeline_read_explanation(const struct timeline_read_event *event);

/* The source file that defines the message, and *line, which may be NULL.
 * Returns NULL when the place is not known. */
const char *
timeline_read_location(const struct timeline_read_event *event, uint32_t *line);

/* The origin of an event.  A member that is not known is "" or 0. */
struct timeline_read_origin {
	/* The path of the input as given; where the input is a stream of
	 * several timelines, ": " and the timeline follow. */
	const char *input;
	/* The name of the machine as timeline-dump prints the name; the name of
	 * the file where the machine is not known. */
	const char *host;
	const char *boot; /* which start of the machine: 32 hexadecimal digits */
	const char *timeline; /* the name of the timeline on the machine */
	const char *command;  /* the process that made the timeline */
	uint32_t pid;         /* of that process */
	unsigned number;      /* of the timeline in the reader, from 0 on */
};

/* The origin of an event or loss, valid until the reader is closed.  All events
 * of one timeline have the same pointer.  NULL: not enough memory, or not an
 * event of a reader; timeline_read_error() returns which. */
const struct timeline_read_origin *
timeline_read_origin(const struct timeline_read_event *event);

/* == definitions == */

/*
 * Message number i, from 0 on, of those that the inputs define, input after
 * input, in the order of definition, whether or not the message has an event.
 * origin may be NULL; else *origin is the origin of the definition.  Returns
 * NULL when there are no more messages, or not enough memory, which
 * timeline_read_error() tells.  A reader that follows has no list of messages:
 * an event leads to its definition.
 */
const struct timeline_read_definition *
timeline_read_message(struct timeline_reader *reader, size_t i,
    const struct timeline_read_origin **origin);

/* A timer: spans that a histogram counts, from the creation of the timer on; a
 * span becomes an entry only if the span took long. */
struct timeline_read_timer {
	const struct timeline_read_definition *definition;
	const struct timeline_read_origin *origin;
	uint64_t count;    /* spans */
	int64_t sum_ns;    /* of all of them */
	int64_t max_ns;    /* the longest */
	int64_t slower_ns; /* a span of at least so long is an entry; -1: none */
};

/* Timer number i, from 0 on, of the inputs.  Returns 1, and *timer is valid
 * until the next call for the reader; 0: there are no more timers; -ENOMEM,
 * -errno.  Only timelines and snapshots have timers; a reader that follows has
 * none. */
int timeline_read_timer(struct timeline_reader *reader, size_t i,
    const struct timeline_read_timer **timer);

/* The duration in nanoseconds that percent (0 to 100) of the spans of a timer
 * did not exceed.  The result is the upper edge of a bucket; the middle of a
 * bucket is within 0.8 % of each duration in the bucket.  -1: the timer has no
 * spans. timer must not be a copy. */
int64_t timeline_read_quantile(const struct timeline_read_timer *timer,
    double percent);

/* == spans == */

/* A span.  The library allocates the struct, so that later versions can add
 * members. */
struct timeline_read_span {
	/* The begin and the end, valid as long as the span; a caller may keep
	 * copies as of any event.  An end that was logged without arguments has
	 * the arguments of the begin.  With TIMELINE_READ_ALONE the begin is
	 * not in the file, and only the times of the begin are known. */
	const struct timeline_read_event *begin;
	const struct timeline_read_event *end; /* NULL: TIMELINE_READ_OPEN */
	int64_t duration_ns; /* -1 with TIMELINE_READ_OPEN */
	/* The self time: the duration less the durations of the recorded spans
	 * directly within the span, in the same thread.  -1: the self time is
	 * not known, or the span belongs to no thread (TIMELINE_SOURCE). */
	int64_t self_ns;
	/* The number of spans of the same thread that were open when the span
	 * began; 0 for a span of no thread. */
	uint32_t depth;
	/* TIMELINE_READ_UNSURE (entries may be missing between begin and end,
	 * which then may belong to different spans), PROVEN, ALONE, OVERLAPS,
	 * OPEN, CUT.  A statistic counts spans that are neither UNSURE nor
	 * OPEN. */
	uint32_t flags;
};

/*
 * Read the next span.  Spans come in the order of their ends; after the last
 * event the open spans follow, in the order of their begins.  Returns what
 * timeline_read_next() returns, and *span is valid as long as an event is
 * there.  The options select a span by its end, or by its begin where the span
 * is open; losses are not returned.
 *
 * A reader reads either events or spans: after timeline_read_next() this
 * function returns -EINVAL, and the reverse.  A reader with the newest event
 * first returns -EINVAL, too.
 */
int timeline_read_next_span(struct timeline_reader *reader,
    const struct timeline_read_span **span);

/* == observed time == */

/* Whether the record observed a message during an interval of time. */
enum timeline_read_look {
	/* Each entry of the message that was logged is in the record. */
	TIMELINE_READ_OBSERVED = 1,
	TIMELINE_READ_NOT_LOGGED, /* the priority of the message was closed */
	TIMELINE_READ_NOT_KEPT,   /* newer entries have replaced the entries */
	TIMELINE_READ_NOT_WHOLE,  /* entries are lost */
	TIMELINE_READ_NOT_KNOWN   /* which priorities were open is not known */
};

/* An interval from from_ns up to, and without, to_ns, in Unix time. */
struct timeline_read_interval {
	int64_t from_ns;
	int64_t to_ns;
	unsigned look; /* enum timeline_read_look */
};

struct timeline_read_intervals;

/*
 * Open the intervals that tell when the record observed a message.  The
 * intervals run, the oldest first and without a gap, from the first entry of
 * the input that defines the message to the moment at which the input was
 * copied, or to its last entry if its programs have ended (timeline(7)) or the
 * input is no timeline.  Between two
 * observed intervals that touch, entries may be missing: a begin in the first
 * and an end in the second may belong to two spans.  Conclude a silence, a rate
 * or an absence from observed time alone.
 *
 * The intervals have a cursor of their own: a caller may open them at any time,
 * in the thread that uses the reader, and as often as needed.
 *
 * Returns 0; close *intervals before the reader.  -EINVAL: not the definition
 * of a message of a reader; -ENOTSUP: a followed timeline; -ENOMEM, -errno.
 */
int timeline_read_observe(const struct timeline_read_definition *definition,
    struct timeline_read_intervals **intervals);

/* Read the next interval.  1; 0: there are no more; -errno. */
int timeline_read_next_interval(struct timeline_read_intervals *intervals,
    struct timeline_read_interval *interval);

/* Close the intervals.  NULL does nothing. */
void timeline_read_intervals_close(struct timeline_read_intervals *intervals);

/* == nodes of a recorded trace, or of a file of another format == */

/*
 * A node is an event of a trace.  The node of a span has children: the events
 * that the same thread logged before the span ended.  The root of a thread has
 * no event; the children of the root are in no span.
 *
 * A node exists from its loading until timeline_node_forget() frees the node or
 * a node around it, or the reader is closed.  The children of a node have
 * numbers from 0 on, oldest first; the number of children is known as soon as
 * the node is loaded.  Reading events and loading nodes do not disturb each
 * other.
 */

/* A thread of a trace. */
struct timeline_read_thread {
	uint32_t pid;
	uint32_t tid;
	const char *name;    /* "" when the name is not known */
	const char *command; /* of the process; "" when it is not known */
	uint64_t events;
	int64_t first_ns; /* Unix time of the first and the last event */
	int64_t last_ns;
};

/* Find the roots of a trace, one for each thread.  Returns 0, and *roots is an
 * array of *count roots, valid until the reader is closed.  A file of another
 * format becomes a trace first, in temporary files: -errno of these files.  A
 * Lincheck trace with its index does not, with options->trees.
 * -ENOTSUP: neither of the two; *roots is NULL then and *count 0. */
int timeline_read_roots(struct timeline_reader *reader,
    struct timeline_node *const **roots, size_t *count);

/* Load every node.  Returns 0, or the error of timeline_node_load(); the nodes
 * loaded before the error stay. */
int timeline_read_eager(struct timeline_reader *reader);

/* Bytes that the loaded nodes take. */
uint64_t timeline_read_memory(const struct timeline_reader *reader);

/* The number of children, loaded or not. */
uint64_t timeline_node_children(const struct timeline_node *node);

/* The number of loaded children. */
uint64_t timeline_node_loaded(const struct timeline_node *node);

/* Load up to count children from number first on; 0 and UINT64_MAX: all
 * children.  Children that are loaded already stay as they are.  Returns 0,
 * -ENOMEM, -EDQUOT over options.memory_max, -errno of reading; the children
 * loaded before the failure stay. */
int
timeline_node_load(struct timeline_node *node, uint64_t first, uint64_t count);

/* Child number i.  NULL: the child is not loaded, or there is none. */
struct timeline_node *
timeline_node_child(const struct timeline_node *node, uint64_t i);

/* Free up to count children from number first on, with all nodes below.  The
 * children may be loaded again. */
void timeline_node_forget(struct timeline_node *node, uint64_t first,
    uint64_t count);

/* The node around this one; NULL for a root. */
struct timeline_node *timeline_node_parent(const struct timeline_node *node);

/* Write the text that timeline-dump --tree prints for the node: the text of
 * timeline_read_text() without the mark of a begin.  The text of a root is the
 * name of the thread, or "thread 123".  Returns what timeline_read_text()
 * returns. */
int
timeline_node_text(const struct timeline_node *node, char *text, size_t size);

/* The event of a node.  A span has its begin here, with duration_ns; a root has
 * NULL.  Valid until the next call of this function for a node of the same
 * reader. */
const struct timeline_read_event *
timeline_node_event(const struct timeline_node *node);

/* The end of a span.  NULL: the node is no span, or the trace or a span around
 * the node ended first.  Valid until the next call of this function for a node
 * of the same reader. */
const struct timeline_read_event *
timeline_node_end(const struct timeline_node *node);

/* The thread of a node, valid until the reader is closed. */
const struct timeline_read_thread *
timeline_node_thread(const struct timeline_node *node);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
