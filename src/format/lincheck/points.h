/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points.h - shared by the files of the Lincheck writer: the point that an
 * event becomes, the threads, and the points in the streams of the threads.
 *
 *	message --> form
 *	event, form --> values --> record --+--> stream --> block --> file
 *	                                    +--> queue (until all are known)
 *
 * Forms.  A form is the point that the events of a message become, with the
 * definitions that the point refers to.  A message that was read from a
 * Lincheck trace describes its point in its text (words.h).  For any other
 * message, a span or an instant becomes a call of a method "message" of class
 * "category", and a counter becomes a write to a static field.  Each definition
 * is kept once, under the id that it had or under a free id.
 *
 * Streams.  A stream is in memory up to the end of a block, then in the file.
 * The cells of the index are written together with the block:
 *
 *	cell of a block		BLOCK_START, thread, its first byte, BLOCK_END
 *	of a definition		kind, id, its place, -1 moved with it
 *	of a call		POINT, number, first and last byte of its
 *				content, counted in the stream of the thread
 *
 * The places of definitions are counted in the stream, too, and moved once the
 * place of the block in the file is known.  The end of a definition, -1, moves
 * as well, because Lincheck moves it.  The cell of a block precedes the cells
 * of its objects; the cell follows them if part of the block was written early,
 * and in the index that Lincheck's in-memory writer makes.
 *
 * Each block defines everything that its points refer to, before they do, so
 * that a reader of Lincheck finds the definitions whichever block it reads
 * first.  A method is defined once in the file, in the first block that refers
 * to the method, because releases 3.1 to 3.1.2 take a second definition for a
 * conflict.  Several blocks fill at once, and the first of them is known only
 * when it ends: a block that ends later drops the methods that were defined
 * meanwhile.
 *
 * Lanes.  A lane is a thread: its stream and the calls that are open in it.  A
 * thread that was read from a Lincheck trace keeps its number if the number is
 * free; other threads are numbered from 0.  A span that belongs to a message
 * and not to a thread has a lane of its own.
 */
#ifndef TL_FORMAT_LINCHECK_POINTS_H
#define TL_FORMAT_LINCHECK_POINTS_H

#include "base/table.h"
#include "event/intern.h"
#include "event/writer.h"
#include "format/lincheck/context.h"
#include "format/lincheck/queue.h"
#include "trace/layout.h"

struct tl_lincheck_definition {
	char *body; /* fields behind the id */
	uint32_t size;
	int32_t id;
	uint8_t kind;
};

/* See tl_lincheck_known_init(). */
struct tl_lincheck_known {
	struct tl_interner *bodies; /* numbers (kind, wanted id, body) */
	struct tl_id_map used;      /* taken (kind, id) */
	struct tl_lincheck_definition *definitions;
	size_t capacity;
	int64_t next[TL_LINCHECK_POINT]; /* next id to try */
	bool moved;                      /* a wanted id was not free */
};

static inline struct tl_lincheck_definition *
tl_lincheck_known_at(const struct tl_lincheck_known *known, uint32_t number)
{
	return &known->definitions[number];
}

/* Begin with all zeros: 0, -ENOMEM. */
int tl_lincheck_known_init(struct tl_lincheck_known *known);
void tl_lincheck_known_free(struct tl_lincheck_known *known);

struct tl_lincheck_form {
	uint8_t class;
	bool native;   /* message of a Lincheck trace */
	bool is_block; /* block end, as older releases read it */
	bool throws;   /* footer with an exception */
	uint8_t shown; /* values with an argument; TL_ARGS_MAX + 1: more */
	int32_t location;
	int32_t target;
	int32_t paths; /* access paths of the location, which are left out */
	int32_t arguments; /* named arguments, left out too */
	uint32_t count;    /* number of values */
	uint32_t definition_count;
	int32_t *tags; /* type of each value; class id of an object */
	/* Indexes of tl_lincheck_known: definitions that precede the point. */
	uint32_t *definitions;
};

/*
 * Make the form of an event's message: 0, -ENOSPC, -ENOMEM.  *changed: a name
 * did not fit into the format and is written changed.
 */
int tl_lincheck_form_new(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const struct tl_event *event,
    bool *changed);
/*
 * Make the form of a call that has no message: a method of class "timeline"
 * with argc integers.  0, -ENOSPC, -ENOMEM.
 */
int tl_lincheck_form_own(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const char *method, unsigned argc);
/* The tag that values of a TIMELINE_ARG format get. */
int32_t tl_lincheck_tag_of(uint8_t format);

enum {
	/*
	 * Lincheck ends a block if less than FREE remains; so does the writer.
	 */
	TL_LINCHECK_BLOCK_SIZE = 1 << 20,
	TL_LINCHECK_BLOCK_FREE = 1024,
	TL_LINCHECK_FILLING_MAX = 64 << 20 /* bytes of all streams together */
};

/* A point or footer to be written. */
struct tl_lincheck_record {
	/* Has the definitions to write; NULL: none. */
	const struct tl_lincheck_form *form;
	int32_t number; /* number of the point */
	uint32_t size;
	bool opens;  /* a call begins */
	bool closes; /* a call ends */
};

struct tl_lincheck_started {
	int32_t number;
	uint64_t at; /* start of the content in the stream */
};

/* The definition of a method in the block that fills. */
struct tl_lincheck_method {
	uint32_t number; /* index of tl_lincheck_known */
	uint64_t at;     /* place in the stream */
	uint64_t size;
};

/* The stream of one thread.  Starts from all zeros. */
struct tl_lincheck_stream {
	int32_t thread;
	struct tl_text data; /* block that fills */
	uint64_t logical;    /* place of data's first byte */
	struct tl_cell *cells;
	uint32_t cell_count;
	size_t cell_capacity;
	uint8_t *defined; /* bit per definition in this block */
	size_t defined_size;
	struct tl_lincheck_method *methods; /* in order of their places */
	uint32_t method_count;
	size_t method_capacity;
	struct tl_lincheck_started *started; /* open calls, outermost first */
	uint32_t depth;
	size_t started_capacity;
};

/* Starts from all zeros except for data and index. */
struct tl_lincheck_file {
	struct tl_out *data;
	struct tl_out *index; /* NULL: no index */
	bool by_memory;       /* order of Lincheck's in-memory index */
	uint64_t at;          /* offset of the next byte */
	bool begun;           /* the last block is written in part */
	uint64_t start;       /* offset of the last block */
	uint64_t block;       /* offset of the last block's content */
	size_t filling;       /* bytes and cells of all streams */
	uint8_t *methods;     /* bit per method that the file defines */
	size_t methods_size;
};

void tl_lincheck_file_begin(struct tl_lincheck_file *file);
void tl_lincheck_file_end(struct tl_lincheck_file *file);

/* Append a definition to a stream: 0, -ENOMEM. */
int tl_lincheck_stream_define(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream, uint8_t kind, int32_t id,
    struct tl_bytes body);
/*
 * Write the first part of a block to the file.  No other stream may write until
 * tl_lincheck_stream_flush() ends the block.  0, -errno.
 */
int tl_lincheck_stream_spill(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream);
/* End the block, even an empty block, and write it: 0, -errno. */
int tl_lincheck_stream_flush(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream);

enum {
	/* An end is matched with one of this many innermost calls. */
	TL_LINCHECK_LOOK_MAX = 512
};

struct tl_lincheck_lane {
	struct tl_lincheck_stream stream;
	struct tl_lincheck_queue waiting; /* records, until all are known */
	uint64_t records;                 /* number of records that wait */
	uint64_t counted;                 /* number that the layout has */
	bool native;                      /* thread of a Lincheck trace? */
	bool begun;                       /* an event of the lane was met */
	const struct tl_message **open;   /* of open calls; NULL: none */
	uint32_t depth;
	size_t capacity;
	struct tl_lincheck_form *result; /* form of the next result */
	struct tl_event returned;        /* event of the result */
};

/* Starts from all zeros. */
struct tl_lincheck_lanes {
	struct tl_id_map numbers;
	struct tl_id_map used; /* numbers of threads */
	int64_t next;
	struct tl_lincheck_lane *lanes;
	uint32_t count; /* at most TL_LINCHECK_THREADS_MAX */
	size_t capacity;
};

/* Find the lane of an event: 0, -ENOSPC, -ENOMEM. */
int tl_lincheck_lanes_find(struct tl_lincheck_lanes *lanes,
    const struct tl_event *event, bool native, bool of_message,
    struct tl_lincheck_lane **lane);
void tl_lincheck_lanes_free(struct tl_lincheck_lanes *lanes);

/*
 * Find the innermost call of a message: *depth calls are open up to that call.
 * false: no such call among the innermost TL_LINCHECK_LOOK_MAX.
 */
bool tl_lincheck_lane_find(const struct tl_lincheck_lane *lane,
    const struct tl_message *message, uint32_t *depth);

/* The values of an event, taken in order.  Starts from all zeros. */
struct tl_lincheck_values {
	const struct tl_lincheck_form *form;
	const struct tl_event *event;
	struct tl_bytes more; /* words left of the last argument */
	uint32_t slot;        /* next argument */
	struct tl_text word;
	struct tl_text text; /* bytes of the current value */
};

/* Starts from all zeros except for known. */
struct tl_lincheck_points {
	struct tl_lincheck_known known;
	struct tl_lincheck_file file;
	struct tl_lincheck_values values;
	struct tl_text record; /* the record being made */
	bool waits;            /* records wait in their lanes */
	int64_t next;          /* number of the next event */
	bool foreign;          /* an event of no Lincheck trace was met */
	uint64_t numbered;     /* events that got another number */
	uint64_t changed;      /* values that did not fit */
};

/*
 * Write a point: the start of a call, a read or a write.  0, -ENOSPC, -ENOMEM,
 * or -errno of the file of waiting records.
 */
int tl_lincheck_put_point(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event);
/*
 * End the innermost call with the result or exception of an event; form NULL:
 * without a result.  0, or -errno as tl_lincheck_put_point().
 */
int tl_lincheck_put_footer(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event);
/*
 * End the innermost call with the arguments of an end event, which comes from
 * another format.  0, or -errno as tl_lincheck_put_point().
 */
int tl_lincheck_put_end(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, const struct tl_event *event);
/*
 * Write the first of the records that wait in a lane, with its definitions if
 * define is set.  0, -ENOMEM, -errno of the file of waiting records.
 */
int tl_lincheck_put_waiting(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, bool define);
void tl_lincheck_points_free(struct tl_lincheck_points *points);

#endif
