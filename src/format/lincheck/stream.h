/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - the streams of the threads of a Lincheck trace that is
 * written: in memory up to the end of a block, then in the file; and the
 * cells of the index, which go with them.
 *
 *	cell of a block		BLOCK_START, thread, its first byte, BLOCK_END
 *	of a definition		kind, id, its place, what -1 has become
 *	of a call		POINT, number, first and last byte of what is
 *				in it, counted in the stream of the thread
 *
 * The places of definitions are counted in the stream, too, and moved to the
 * file when the place of the block is known.  The original moves the end,
 * which is none and -1, as well.  The cell of a block stands before those of
 * its objects; the original's writer of what was in memory puts it behind.
 *
 * Each block defines all that its points refer to, before they do: so a reader
 * of the original finds it, whichever block of whichever thread it reads
 * first.
 */
#ifndef TL_FORMAT_LINCHECK_STREAM_H
#define TL_FORMAT_LINCHECK_STREAM_H

#include "event/out.h"
#include "format/lincheck/form.h"
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
	bool opens;  /* a call begins ... */
	bool closes; /* ... or ends */
};

struct tl_lincheck_started {
	int32_t number;
	uint64_t at; /* of its content in the stream */
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
	uint64_t start;       /* of the last block ... */
	uint64_t block;       /* ... and of its content */
	size_t filling;       /* bytes of all streams, and of their cells */
};

void tl_lincheck_file_begin(struct tl_lincheck_file *file);
void tl_lincheck_file_end(struct tl_lincheck_file *file);

/* Write a definition: 0, -ENOMEM. */
int tl_lincheck_stream_define(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream, uint8_t kind, int32_t id,
    struct tl_bytes body);
/* Write what a record refers to, where this block has not got it: 0,
 * -ENOMEM. */
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
void tl_lincheck_stream_free(struct tl_lincheck_stream *stream);

#endif
