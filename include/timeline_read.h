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
 * A reader gives the events of its inputs, merged by time: live timelines,
 * snapshots (compressed or not), recorded traces and streams of them, and with
 * libtimeline-formats files of other formats (timeline_formats.h).  A recorded
 * trace is also a forest of nodes, one tree for each thread, whose
 * children are loaded when they are asked for and may be forgotten again.
 *
 * Functions that return int return 0 or more on success and -errno on
 * failure; timeline_read_error() then has the text.  NULL in place of a path,
 * of a host, of memory or of a text with room for bytes is -EINVAL; a reader, event or
 * node must not be NULL, but to close.  The library never prints,
 * exits or installs a signal handler, and keeps nothing outside of its readers
 * but that text.  Any number of readers may be open.  One thread at a time
 * uses a reader, its events and its nodes; different readers may be used by
 * different threads at once.  No function is safe in a signal handler.
 *
 * What a file holds is checked before it is used: a damaged or hostile file
 * gives fewer events, never a crash.  Strings of a file are bytes of any kind;
 * only what timeline_read_text() and its like write is fit for a terminal.
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
	/* The end of a span that was logged without arguments: they are those
	 * of its begin where duration_ns is known, else 0. */
	TIMELINE_READ_BARE = 1,
	/* An entry that the timeline logs about itself: a changed priority, a
	 * burst, a step of its clock. */
	TIMELINE_READ_BUILTIN = 2,
	/* A loss of an unknown number of entries: lost is 1. */
	TIMELINE_READ_UNCOUNTED = 4,
	/* A span that began in an earlier file and begins here once more. */
	TIMELINE_READ_CONTINUED = 8,
	/* Entries were lost while the span was open: duration_ns may be that
	 * of another. */
	TIMELINE_READ_UNSURE = 16,
	/* Its stamp was given by timeline_log_at() and changed. */
	TIMELINE_READ_MOVED = 32,
	/* A loss that is none: newer entries have replaced these, which is
	 * normal. */
	TIMELINE_READ_OVERWRITTEN = 64,
	/* The same; and a follower was too slow to read them. */
	TIMELINE_READ_UNREAD = 128,
	/* An end that holds the stamp of its begin: duration_ns is known
	 * whether or not the begin is in the file.  A begin whose end will. */
	TIMELINE_READ_PROVEN = 256,
	/* A bare end whose duration is known by its proof alone: the begin is
	 * not in the file, and args are 0. */
	TIMELINE_READ_ALONE = 512,
	/* Inputs of several hosts: it may have happened before or after an
	 * event of another host beside it. */
	TIMELINE_READ_OVERLAPS = 1024,
	/* Of a span: its end is not in the file. */
	TIMELINE_READ_OPEN = 2048,
	/* Of an open span: what was recorded is not known from its begin on, so
	 * it may have ended. */
	TIMELINE_READ_CUT = 4096
};

/*
 * What a message was defined as.  The library allocates it, so that members can
 * be added; it is valid until the reader is closed, and the same for all events
 * of a message of one timeline.  Texts are NUL-terminated, "" where there is
 * none.  Of losses all members are 0 or "".
 */
struct timeline_read_definition {
	const char *category;
	const char *message;     /* the first line */
	const char *explanation; /* the lines behind it */
	const char *file;        /* of the source code where it was defined */
	uint32_t line;           /* in that file */
	unsigned level;          /* priority: 1 trace+++ to 9 fatal */
	/* The priority that it has when the file was read, which
	 * timeline_level() changes: 0 never logged, 10 always. */
	unsigned gate;
	/* TIMELINE_READ_INSTANT, TIMELINE_READ_BEGIN of a span,
	 * TIMELINE_READ_COUNTER. */
	unsigned kind;
	unsigned scope; /* of a span: 0 it ends in its thread, 1 in any */
	int is_timer;   /* it is a span with a histogram: timeline_read_timer() */
	unsigned argc;
	const char *names[4]; /* of its arguments, without the $; NULL past argc */
	int formats[4]; /* as timeline_read_argument_format(); 0 past argc */
};

/* timeline_read_event.cpu when it is not known. */
#define TIMELINE_READ_NO_CPU UINT32_MAX

/*
 * An event.  The library allocates it, so that members can be added.  A copy
 * of the struct may be kept, and given to every function that takes an event,
 * until the reader is closed.
 */
struct timeline_read_event {
	int64_t ns;   /* Unix time in nanoseconds */
	uint64_t tsc; /* stamp as it was logged, in ticks of its clock */
	uint32_t cpu; /* or TIMELINE_READ_NO_CPU */
	uint32_t pid;
	uint32_t tid;
	unsigned level; /* priority: 1 trace+++ to 9 fatal; 0 of a loss */
	unsigned kind;  /* enum timeline_read_kind */
	unsigned argc;  /* arguments, 0 to 4 */
	/* Raw 64 bits of each, 0 past argc.  Their meaning is in
	 * timeline_read_argument_format(). */
	uint64_t args[4];
	uint64_t lost; /* of a loss: how many entries, at least 1; else 0 */
	/* As they were defined, NUL-terminated, valid until the reader is
	 * closed; "" of a loss.  message is the first line, with the names of
	 * its arguments: "processed $tcp, $udp%d".  Two events of one message
	 * and one reader have the same pointer. */
	const char *category;
	const char *message;
	/* How long a span took, in nanoseconds: of its end and, where the
	 * newest event comes first, of its begin.  -1 of other events and
	 * where one of the two is missing; newest first also of an end with
	 * more than 262144 entries between it and its begin. */
	int64_t duration_ns;
	/* ns is wrong by no more than this.  Of several hosts the bound of the
	 * host's clock is in it; UINT32_MAX: no bound is known. */
	uint32_t error_ns;
	uint32_t epoch;    /* stamps of different epochs do not compare */
	uint32_t flags;    /* TIMELINE_READ_BARE ... */
	/* What the message was defined as; never NULL. */
	const struct timeline_read_definition *definition;
	/* What the thread and its process are called: UTF-8 without control
	 * characters, valid until the reader is closed; "" when it is not
	 * known. */
	const char *thread;
	const char *process;
};

/* == opening == */

/* What is wrong with a file, as on_damage is called with it. */
struct timeline_read_damage {
	int error;        /* -EBADMSG damaged, -ENODATA cut off, 0 a remark */
	uint64_t at;      /* byte of the file, or UINT64_MAX: no place */
	const char *text; /* one line, valid during the call */
	const char *input; /* as timeline_read_origin.input, likewise */
};

/*
 * How to read.  Set size to sizeof(struct timeline_read_options) and what is
 * not wanted to 0:
 *
 *	struct timeline_read_options options = { .size = sizeof(options),
 *		.oldest_first = 1 };
 */
struct timeline_read_options {
	size_t size; /* of this struct, as the caller was compiled */

	/* Oldest event first.  0: newest first. */
	int oldest_first;
	/* Give the entries of live timelines as they are logged, the oldest
	 * first; with tail after the newest so many of each lane.  Of several
	 * timelines, those that were logged since the call before are in order
	 * of time. */
	int follow;
	/* How long timeline_read_next() waits for a new entry while it
	 * follows, in milliseconds.  0: not at all.  -1: as long as it takes.
	 */
	int timeout_ms;
	/* Never write a file.  0: where the index beside a trace is missing or
	 * wrong a new one is written, if the directory allows it. */
	int read_only;

	/* Of a live timeline only the newest so many entries of each lane (a
	 * CPU's ring buffer) are copied.  0: all; where it is followed, none
	 * that is there already. */
	uint64_t tail;
	/* Give so many events at most, losses included.  0: any number. */
	uint64_t limit;
	/* Give what was logged from since_ns to until_ns, in Unix time.  0: no
	 * bound. */
	int64_t since_ns;
	int64_t until_ns;
	/* Give what has at least this priority, 1 (trace+++) to 9 (fatal), and
	 * whose category and first line match a pattern of fnmatch(3).  0,
	 * NULL: all.  The strings are used until the reader is closed.  Losses
	 * pass. */
	unsigned min_level;
	const char *category;
	const char *message;

	/* Bytes that all loaded nodes together may take; what does not fit is
	 * not loaded: -EDQUOT.  0: no bound. */
	uint64_t memory_max;

	/* Called for each thing that is wrong with the file, when it is found:
	 * while it is opened, read, or loaded from.  The function must not call
	 * the library for the same reader.  NULL: nothing is called. */
	void (*on_damage)(void *context,
	    const struct timeline_read_damage *damage);
	void *context;

	/* Read files of these formats, too: timeline_formats().  Of such a file
	 * all is read when it is opened; its events wait in a temporary file.
	 * NULL: none. */
	const struct timeline_read_formats *formats;
};

/*
 * Open a timeline or a trace.  path: "name" or "/name" with no other
 * slash is the timeline /dev/shm/name, or where there is none the first is the
 * file of that name in the current directory; "-" is standard input, anything
 * else a file, FIFO or device.  What cannot be read at any place (a pipe) is
 * read to its end and copied to a temporary file first.  A live timeline is
 * copied as it is now; what is logged later is not seen, unless options->follow
 * is set.  The name of the file plays no part, only its content.
 *
 * options NULL: newest first, everything.
 *
 * 0, and *reader is to be closed by timeline_read_close().  Else *reader is
 * NULL: -ENOENT and the like from the system, -EBADMSG damaged, -EPROTO of a
 * version or with a feature that this library does not know, -ENODATA empty or
 * cut off before the first event, -ENOTSUP another format (see
 * options->formats), -EINVAL bad options or a file that cannot be followed,
 * -ENOMEM.
 */
int timeline_read_open(struct timeline_reader **reader, const char *path,
    const struct timeline_read_options *options);

/* The same of an open descriptor, which stays the caller's and may be closed
 * as soon as this returns.  Of a pipe or socket all that comes is read; of a
 * file all of it, whatever its offset. */
int timeline_read_open_fd(struct timeline_reader **reader, int fd,
    const struct timeline_read_options *options);

/* The same of size bytes in memory, which must stay there unchanged until the
 * reader is closed.  They cannot be followed; what gzip or zstd compressed of
 * another format is not read from memory. */
int timeline_read_open_memory(struct timeline_reader **reader, const void *data,
    size_t size, const struct timeline_read_options *options);

/*
 * Open one more input, before the first event was asked for, with the options
 * of the reader: its events are merged with those of the others by time, as
 * timeline-dump does with several files.  Stamps of one boot of a machine are
 * compared, those of others by the times of their hosts.  With options->follow
 * all inputs are live timelines.  More than one input has no nodes.
 *
 * 0; else as timeline_read_open(), and the reader is as it was: -EINVAL as well
 * after the first event.  An input that was opened by a descriptor or from
 * memory may be the first.
 */
int timeline_read_add(struct timeline_reader *reader, const char *path);

/*
 * Add offset_ns to the times of a host, before the first event was asked for:
 * host is as in timeline_read_origin, or the path or the number, from "1" on, of
 * an input of it.  As timeline-dump --offset.
 *
 * 0; -ENOENT there is no such host, and the text names those that there are;
 * -EINVAL after the first event; -ENOMEM.
 */
int timeline_read_offset(struct timeline_reader *reader, const char *host,
    int64_t offset_ns);

/* Free the reader with its events, nodes and strings.  NULL does nothing. */
void timeline_read_close(struct timeline_reader *reader);

/* The text of the last failure of a function of this library in the calling
 * thread, "" if there was none; valid until the next failure in the thread. */
const char *timeline_read_error(void);

/* What was opened first: "timeline" (live or saved), "trace", "stream" of traces
 * behind each other, or one of timeline_formats(). */
const char *timeline_read_format(const struct timeline_reader *reader);

/* How many places of the inputs were found damaged so far. */
uint64_t timeline_read_damaged(const struct timeline_reader *reader);

/* == reading == */

/*
 * The next event: 1, and *event is it until the next call of this function or
 * the close.  0: there are no more; with options->follow: none came in time,
 * call again.  -errno: something could not be read (-EPIPE: a timeline that is
 * followed was removed, once of each of several; -EINTR: a signal arrived while
 * waiting); *event is NULL, and another call goes on with what can be read.
 */
int timeline_read_next(struct timeline_reader *reader,
    const struct timeline_read_event **event);

/* A member of events as a column: timeline_read_column.what. */
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

/* A column to be filled: an array of 64 bits for each event.  The times and the
 * duration are signed. */
struct timeline_read_column {
	unsigned what; /* enum timeline_read_what */
	uint64_t *values;
};

/*
 * Fill columns with up to rows of the next events, for programs that compute
 * with many of them at once.  As if timeline_read_next() was called for each:
 * the calls may be mixed.  The text of a string argument is what
 * timeline_read_argument_text() writes of an event with its definition, argc and
 * args.
 *
 * Returns how many rows are filled: fewer than rows where no further event came.
 * 0: there are no more.  -errno as timeline_read_next(), after the rows before
 * it were returned; -EINVAL no such column, or values is NULL.
 */
int64_t timeline_read_columns(struct timeline_reader *reader,
    const struct timeline_read_column *columns, size_t count, size_t rows);

/*
 * Write the message with its values as timeline-dump prints it:
 * "processed tcp(10), udp(20), and other(3)", led by "> " and "< " for the
 * begin and end of a span and by "= " for a counter.  An end whose duration_ns
 * is known is followed by it: "< job id(594)  531.2us".  Control characters are
 * escaped.  As snprintf: at most size bytes are written, the last one a NUL,
 * and the length of the whole text is returned (text may be NULL where size is
 * 0); -ENOMEM, -EINVAL not an event of a reader.
 */
int timeline_read_text(const struct timeline_read_event *event, char *text,
    size_t size);

/* Write the line of the event as timeline-dump lists it: its time in UTC, its
 * category and its message; of a loss only the message.  As
 * timeline_read_text(). */
int timeline_read_line(const struct timeline_read_event *event, char *text,
    size_t size);

/* The name of an argument, without the $; NULL when i is not below argc.
 * Valid until the reader is closed. */
const char *timeline_read_argument_name(const struct timeline_read_event *event,
    unsigned i);

/* How an argument is meant: 'u' unsigned, 'd' signed, 'x' hexadecimal, 'f' the
 * bits of a double, 't' nanoseconds, 's' number of a text of the file.  0 when
 * i is not below argc. */
int timeline_read_argument_format(const struct timeline_read_event *event,
    unsigned i);

/* Write the value of an argument as it is printed: "10", "0x1f", "1.234us", or
 * the text that the number stands for.  As timeline_read_text(); -EINVAL when i
 * is not below argc. */
int timeline_read_argument_text(const struct timeline_read_event *event,
    unsigned i, char *text, size_t size);

/* The name of the event's priority: "info"; "" for a loss. */
const char *timeline_read_priority(const struct timeline_read_event *event);

/* The lines of the message behind its first one; "" when there are none. */
const char *timeline_read_explanation(const struct timeline_read_event *event);

/* Where in its source code the message was defined: the file, and *line (may
 * be NULL); NULL when that is not known. */
const char *
timeline_read_location(const struct timeline_read_event *event, uint32_t *line);

/* Where an event comes from, as far as it is known; what is not is "" or 0. */
struct timeline_read_origin {
	/* The path of the input as it was given, followed by ": " and the
	 * timeline where the input is a stream of several. */
	const char *input;
	/* The name of the machine as timeline-dump prints it; that of the file
	 * where it is not known. */
	const char *host;
	const char *boot; /* which start of the machine: 32 hexadecimal digits */
	const char *timeline; /* its name there */
	const char *command;  /* the process that made the timeline */
	uint32_t pid;         /* of that process */
	unsigned number;      /* of the timeline in the reader, from 0 on */
};

/* The origin of an event, also of a loss: valid until the reader is closed, the
 * same pointer for all events of one timeline.  NULL: -ENOMEM, or -EINVAL not an
 * event of a reader; the text is that of timeline_read_error(). */
const struct timeline_read_origin *
timeline_read_origin(const struct timeline_read_event *event);

/* == definitions == */

/*
 * The messages that the inputs define, in the order of their definition, input
 * after input, whether or not there is an event of them: number i, from 0 on.
 * NULL: there are no more, or -ENOMEM, which timeline_read_error() tells.
 * *origin, which may be NULL, is where it comes from.  Timelines that are
 * followed have none: their messages are known by their events.
 */
const struct timeline_read_definition *
timeline_read_message(struct timeline_reader *reader, size_t i,
    const struct timeline_read_origin **origin);

/* A timer: a span that becomes an entry only if it took long, and is counted in
 * a histogram, from its creation on. */
struct timeline_read_timer {
	const struct timeline_read_definition *definition;
	const struct timeline_read_origin *origin;
	uint64_t count;    /* spans */
	int64_t sum_ns;    /* of all of them */
	int64_t max_ns;    /* the longest */
	int64_t slower_ns; /* what takes so long is an entry; -1: nothing is */
};

/* The timers of the inputs: number i, from 0 on.  1, and *timer is valid until
 * the next call for the reader; 0 there are no more; -ENOMEM, -errno.  Only
 * timelines and their snapshots have timers, and none that is followed. */
int timeline_read_timer(struct timeline_reader *reader, size_t i,
    const struct timeline_read_timer **timer);

/* The duration in nanoseconds that percent, 0 to 100, of the spans of a timer did
 * not exceed: the upper edge of a bucket, whose middle is within 0.8 % of each
 * duration in it.  -1: it has no spans.  timer must not be a copy. */
int64_t timeline_read_quantile(const struct timeline_read_timer *timer,
    double percent);

/* == spans == */

/* A span.  The library allocates it, so that members can be added. */
struct timeline_read_span {
	/* Its begin and its end, valid as long as the span; copies of them may be
	 * kept as those of any event.  The arguments of an end that was logged
	 * without are those of the begin.  With TIMELINE_READ_ALONE the begin is
	 * not in the file: of it only the times are known. */
	const struct timeline_read_event *begin;
	const struct timeline_read_event *end; /* NULL: TIMELINE_READ_OPEN */
	int64_t duration_ns; /* -1 with TIMELINE_READ_OPEN */
	/* The duration less those of the recorded spans that are directly
	 * within it, in its thread.  -1: it is not known, or the span is of no
	 * thread (TIMELINE_SOURCE). */
	int64_t self_ns;
	/* Spans open around it when it began, of its thread, or of its message
	 * where it is of no thread. */
	uint32_t depth;
	/* TIMELINE_READ_UNSURE (entries may be missing in between: it may be no
	 * span at all), PROVEN, ALONE, OVERLAPS, OPEN, CUT.  A statistic counts
	 * those that are neither UNSURE nor OPEN. */
	uint32_t flags;
};

/*
 * The next span: in the order of their ends, and after the last event those that
 * have none, in the order of their begins.  Returns as timeline_read_next(), and
 * *span is valid as long.  The options choose spans by their ends, or by their
 * begins where they have none; losses are not given.
 *
 * A reader gives events or spans: the second of the two functions to be called
 * returns -EINVAL, and so does this one newest first.
 */
int timeline_read_next_span(struct timeline_reader *reader,
    const struct timeline_read_span **span);

/* == observed time == */

/* What the record is for a message over a stretch of time. */
enum timeline_read_look {
	/* An entry of it that was logged then is in the record. */
	TIMELINE_READ_OBSERVED = 1,
	TIMELINE_READ_NOT_LOGGED, /* the priority of the message was closed */
	TIMELINE_READ_NOT_KEPT,   /* newer entries have replaced those of then */
	TIMELINE_READ_NOT_WHOLE,  /* entries of then are lost */
	TIMELINE_READ_NOT_KNOWN   /* which priorities were open is not known */
};

/* From from_ns to to_ns, which is not in it, in Unix time. */
struct timeline_read_interval {
	int64_t from_ns;
	int64_t to_ns;
	unsigned look; /* enum timeline_read_look */
};

struct timeline_read_intervals;

/*
 * When was the record looking for a message?  The intervals of the timeline that
 * defines it, oldest first, from its first entry to its last, without a gap
 * between them.  Two observed ones beside each other are apart: what began in
 * one and ended in the other may be two spans, as entries about levels or whole
 * spans may be missing.  A silence, a rate or an absence is to be concluded from
 * observed time alone.
 *
 * They are read by a cursor of their own, at any time and as often as one likes,
 * and use the reader, whose thread may call.
 *
 * 0, and *intervals is to be closed before the reader; -EINVAL no definition of
 * a message of a reader, -ENOTSUP of a timeline that is followed, -ENOMEM,
 * -errno.
 */
int timeline_read_observe(const struct timeline_read_definition *definition,
    struct timeline_read_intervals **intervals);

/* The next interval: 1; 0 there are no more; -errno. */
int timeline_read_next_interval(struct timeline_read_intervals *intervals,
    struct timeline_read_interval *interval);

/* NULL does nothing. */
void timeline_read_intervals_close(struct timeline_read_intervals *intervals);

/* == nodes of a recorded trace, or of a file of another format == */

/*
 * A node is an event of a trace; that of a span has children, which were
 * logged by its thread before the span ended.  The root of a thread has no
 * event; its children are what is in no other span.
 *
 * A node exists from the moment it is loaded until it, or a node around it, is
 * forgotten, or the reader closed.  Children are numbered from 0 on, oldest
 * first; their count is known as soon as the node is.  Reading events and
 * loading nodes do not disturb each other.
 */

/* A thread of a trace. */
struct timeline_read_thread {
	uint32_t pid;
	uint32_t tid;
	const char *name;    /* "" when it is not known */
	const char *command; /* of its process; "" when it is not known */
	uint64_t events;
	int64_t first_ns; /* Unix time of its first and last event */
	int64_t last_ns;
};

/* The roots of a trace, one for each thread: 0, and *roots is an array of
 * *count, valid until the reader is closed.  One file of another format is made
 * a trace first, in temporary files: -errno of those.  -ENOTSUP for what is
 * neither; *roots is NULL then and *count 0. */
int timeline_read_roots(struct timeline_reader *reader,
    struct timeline_node *const **roots, size_t *count);

/* Load every node: 0, or what timeline_node_load() returned, and the nodes
 * loaded so far stay. */
int timeline_read_eager(struct timeline_reader *reader);

/* Bytes that the loaded nodes take. */
uint64_t timeline_read_memory(const struct timeline_reader *reader);

/* How many children there are, loaded or not. */
uint64_t timeline_node_children(const struct timeline_node *node);

/* How many of them are loaded. */
uint64_t timeline_node_loaded(const struct timeline_node *node);

/* Load the children from number first on, count of them or as many as there
 * are; 0 and UINT64_MAX: all.  Those that are there stay as they are.  0,
 * -ENOMEM, -EDQUOT over options.memory_max, -errno of reading; those loaded
 * before the failure stay. */
int
timeline_node_load(struct timeline_node *node, uint64_t first, uint64_t count);

/* Child i, or NULL: not loaded, or there is none. */
struct timeline_node *
timeline_node_child(const struct timeline_node *node, uint64_t i);

/* Free the children from number first on, count of them, with everything
 * below.  They may be loaded again. */
void timeline_node_forget(struct timeline_node *node, uint64_t first,
    uint64_t count);

/* The node around this one; NULL for a root. */
struct timeline_node *timeline_node_parent(const struct timeline_node *node);

/* Write the message of the node with its values as timeline-dump --tree prints
 * it: as timeline_read_text() of its event, but without the mark of a begin.
 * For a root, the name of its thread, or "thread 123".  Returns as
 * timeline_read_text(). */
int
timeline_node_text(const struct timeline_node *node, char *text, size_t size);

/* The event of a node, of a span its begin, with duration_ns; NULL for a root.
 * Valid until the next call of this function for a node of the same reader. */
const struct timeline_read_event *
timeline_node_event(const struct timeline_node *node);

/* The end of a span; NULL when the node is no span, or the span has no end
 * of its own: a span around it ended first, or the trace did.  Valid until the
 * next call of this function for a node of the same reader. */
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
