/* SPDX-License-Identifier: Apache-2.0 */
/*
 * points.h - the threads of a Lincheck trace that is written, and the points
 * in their streams.
 *
 *	event, form --> values --> record --+--> stream --> block --> file
 *	                                    +--> queue (until all are known)
 *
 * Streams.  A stream is in memory up to the end of a block, then in the file.
 * The cells of the index go with it:
 *
 *	cell of a block		BLOCK_START, thread, its first byte, BLOCK_END
 *	of a definition		kind, id, its place, -1 moved with it
 *	of a call		POINT, number, first and last byte of its
 *				content, counted in the stream of the thread
 *
 * The places of definitions are counted in the stream, too, and moved when
 * the place of the block in the file is known.  The original moves their end,
 * which is -1, as well.  The cell of a block precedes those of its objects;
 * the original's in-memory writer puts it behind them.
 *
 * Each block defines all that its points refer to, before they do, so that a
 * reader of the original finds it whichever block it reads first; but a method
 * stands once in the file, in the first block that refers to it, because
 * releases 3.1 to 3.1.2 take two of them for a conflict.  Which block of
 * several that fill comes first is known when it ends: a method that an earlier
 * one has defined meanwhile is then taken out of it.
 *
 * Lanes.  A lane is a thread: its stream and the calls that are open in it.
 * A thread that was read from a Lincheck trace keeps its number if that is
 * free; others are numbered from 0.  A span that belongs to a message and not
 * to a thread has a lane of its own.
 */
#ifndef TL_FORMAT_LINCHECK_POINTS_H
#define TL_FORMAT_LINCHECK_POINTS_H

#include "event/writer.h"
#include "format/lincheck/context.h"
#include "format/lincheck/form.h"
#include "format/lincheck/queue.h"
#include "trace/layout.h"

enum {
	/* As the original, ends a block where less is free behind a point. */
	TL_LINCHECK_BLOCK_SIZE = 1 << 20,
	TL_LINCHECK_BLOCK_FREE = 1024,
	TL_LINCHECK_FILLING_MAX = 64 << 20 /* of all threads */
};

/* A point or footer that is to be written. */
struct tl_lincheck_record {
	const struct tl_lincheck_form *form; /* what it refers to; NULL: none */
	int32_t number;                      /* of the point */
	uint32_t size;
	bool opens;  /* a call begins */
	bool closes; /* a call ends */
};

struct tl_lincheck_started {
	int32_t number;
	uint64_t at; /* of its content in the stream */
};

/* The definition of a method in the block that fills. */
struct tl_lincheck_method {
	uint32_t number; /* of tl_lincheck_known */
	uint64_t at;     /* in the stream */
	uint64_t size;
};

/* The stream of one thread.  Starts from all zeros. */
struct tl_lincheck_stream {
	int32_t thread;
	struct tl_data_out data; /* of the block that fills */
	uint64_t logical;        /* of its first byte */
	struct tl_cell *cells;
	uint32_t cell_count;
	size_t cell_capacity;
	uint8_t *defined; /* in this block: a bit for each definition */
	size_t defined_size;
	struct tl_lincheck_method *methods; /* in order of their places */
	uint32_t method_count;
	size_t method_capacity;
	struct tl_lincheck_started *started; /* calls, the outermost first */
	uint32_t depth;
	size_t started_capacity;
};

/* Starts from all zeros but for data and index. */
struct tl_lincheck_file {
	struct tl_out *data;
	struct tl_out *index; /* NULL: there is none */
	bool by_memory;       /* index as of what was in memory */
	uint64_t at;          /* of the next byte */
	bool begun;           /* is the block at the end not all there? */
	uint64_t start;       /* of the last block */
	uint64_t block;       /* of the content of the last block */
	size_t filling;       /* bytes of all streams, and of their cells */
	uint8_t *methods;     /* that blocks at rest define: a bit for each */
	size_t methods_size;
};

void tl_lincheck_file_begin(struct tl_lincheck_file *file);
void tl_lincheck_file_end(struct tl_lincheck_file *file);
void tl_lincheck_file_free(struct tl_lincheck_file *file);

/* Write a definition: 0, -ENOMEM. */
int tl_lincheck_stream_define(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream, uint8_t kind, int32_t id,
    struct tl_bytes body);
/* Write what a record refers to, where this block has not got it, nor, of a
 * method, the file: 0, -ENOMEM. */
int tl_lincheck_stream_define_all(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream, const struct tl_lincheck_known *known,
    const struct tl_lincheck_form *form);
/* Write a record itself: 0, -ENOMEM. */
int tl_lincheck_stream_put(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream, const struct tl_lincheck_record *record,
    const void *bytes);
/* Write what there is of a block that goes on, in no other stream: 0,
 * -errno. */
int tl_lincheck_stream_spill(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream);
/* End the block, even an empty one, and write it: 0, -errno. */
int tl_lincheck_stream_flush(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream);

enum {
	/* An end is looked for among this many of the innermost calls. */
	TL_LINCHECK_LOOK_MAX = 512
};

struct tl_lincheck_open {
	const struct tl_message *message; /* NULL: of none */
	int32_t number;
};

struct tl_lincheck_lane {
	struct tl_lincheck_stream stream;
	struct tl_lincheck_queue waiting; /* records, until all are known */
	uint64_t records;                 /* number of these records */
	uint64_t counted; /* the same, as a layout counts them */
	bool native;      /* does it come from such a trace? */
	struct tl_lincheck_open *open;
	uint32_t depth;
	size_t capacity;
	struct tl_lincheck_form *result; /* of the call that ends next */
	struct tl_event returned;        /* the event of the result */
};

/* Starts from all zeros. */
struct tl_lincheck_lanes {
	struct tl_id_map numbers;
	struct tl_id_map used; /* numbers of threads */
	int32_t next;
	struct tl_lincheck_lane *lanes;
	uint32_t count; /* at most TL_LINCHECK_THREADS_MAX; numbers has more */
	size_t capacity;
};

/* The lane of an event: 1: it is new; 0, -ENOSPC, -ENOMEM. */
int tl_lincheck_lanes_find(struct tl_lincheck_lanes *lanes,
    const struct tl_event *event, bool native, bool of_message,
    struct tl_lincheck_lane **lane);
void tl_lincheck_lanes_free(struct tl_lincheck_lanes *lanes);

/* A call begins, whose head is written: 0, -ENOSPC, -ENOMEM. */
int tl_lincheck_lane_push(struct tl_lincheck_lane *lane,
    const struct tl_message *message, int32_t number);
/* How deep the innermost call of a message lies; false: there is none. */
bool tl_lincheck_lane_find(const struct tl_lincheck_lane *lane,
    const struct tl_message *message, uint32_t *depth);

/* Starts from all zeros. */
struct tl_lincheck_values {
	const struct tl_lincheck_form *form;
	const struct tl_event *event;
	struct tl_bytes more; /* what is left of the last argument */
	uint32_t slot;        /* the next argument */
	struct tl_text word;
	struct tl_text text; /* of the value at hand */
};

/* Value i, in order, good until the next call; false: what it was does not
 * fit.  values->text.rc is -ENOMEM without memory. */
bool tl_lincheck_values_next(struct tl_lincheck_values *values, uint32_t i,
    struct tl_lincheck_value *value);
/* The exception behind them, in modified UTF-8. */
bool tl_lincheck_values_exception(struct tl_lincheck_values *values,
    struct tl_bytes *name);

/* Starts from all zeros but for known.bodies. */
struct tl_lincheck_points {
	struct tl_lincheck_known known;
	struct tl_lincheck_file file;
	struct tl_lincheck_values values;
	struct tl_data_out record; /* the one that is made */
	bool waits;                /* records wait in their lanes */
	int64_t next;              /* number of an event */
	bool foreign;      /* has there been one that was not read as such? */
	uint64_t numbered; /* events that got another number */
	uint64_t changed;  /* values that did not fit */
};

/* A point: a call begins, or something is read or written.  0, -ENOSPC,
 * -ENOMEM. */
int tl_lincheck_put_point(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event);
/* The innermost call ends with the result or exception of an event; form NULL:
 * without. */
int tl_lincheck_put_footer(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event);
/* The same, with the arguments of an end event of another format. */
int tl_lincheck_put_end(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, const struct tl_event *event);
/* Write the next record of those that wait in a lane, with what it refers to
 * (define) or alone: 1; 0: there is none; -errno. */
int tl_lincheck_put_waiting(struct tl_lincheck_points *points,
    struct tl_lincheck_lane *lane, bool define);
void tl_lincheck_points_free(struct tl_lincheck_points *points);

#endif
