/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_stream.h - the streams of the threads of a Lincheck trace that is
 * written: in memory up to the end of a block, then in the file; and the
 * cells of the index, which go with them.
 *
 *	cell of a block		BLOCK_START, thread, its first byte, BLOCK_END
 *	of a definition		kind, id, its place, what -1 has become
 *	of a call		POINT, number, first and last byte of what is
 *				in it, counted in the stream of the thread
 *
 * The places of definitions are told in the stream, too, and moved to the file
 * when it is known where the block goes.  The original moves the end, which is
 * none and -1, as well.  The cell of a block stands before those of its objects;
 * behind them where the block is so large that it goes out in parts.
 */
#ifndef TL_FORMAT_LINCHECK_STREAM_H
#define TL_FORMAT_LINCHECK_STREAM_H

#include "format/lincheck_known.h"
#include "format/out.h"
#include "trace/layout.h"

enum {
	/* As the original, ends a block where less is free behind a point. */
	TL_LINCHECK_BLOCK_SIZE = 1 << 20,
	TL_LINCHECK_BLOCK_FREE = 1024,
	/* What is kept of a block that ends where it did when it was read. */
	TL_LINCHECK_BLOCK_MAX = 16 << 20,
	TL_LINCHECK_FILLING_MAX = 64 << 20 /* of all threads */
};

/* The stream of one thread. */
struct tl_lincheck_stream {
	int32_t thread;
	struct tl_data_out data; /* of the block that fills */
	uint64_t logical;        /* of its first byte */
	struct tl_cell *cells;
	uint32_t cell_count;
	size_t cell_capacity;
};

struct tl_lincheck_file {
	struct tl_out *data;
	struct tl_out *index; /* NULL: there is none */
	uint64_t at;          /* of the next byte */
	size_t filling;       /* bytes of all streams, and of their cells */
	bool is_open;         /* does a block go on at the end of the file? */
	int32_t open_thread;
	uint64_t open_start;
	uint64_t cut; /* blocks that ended so that another could be written */
};

void tl_lincheck_file_begin(struct tl_lincheck_file *file);
void tl_lincheck_file_end(struct tl_lincheck_file *file);

/* Room for an object of size and a cell, so that putting cannot fail: 0 or
 * -ENOMEM. */
int tl_lincheck_stream_reserve(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream, size_t size);
static inline uint64_t
tl_lincheck_stream_at(const struct tl_lincheck_stream *stream)
{
	return stream->logical + stream->data.size;
}

/* After a reserve. */
void tl_lincheck_stream_cell(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream, struct tl_cell cell);
/* Write a definition: 0, -ENOMEM. */
int tl_lincheck_stream_define(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream,
    struct tl_lincheck_definition *definition);
/* Write what there is of a block that goes on: 0, -errno. */
int tl_lincheck_stream_spill(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream);
/* End the block, and write it: 0, -errno. */
int tl_lincheck_stream_flush(struct tl_lincheck_file *file,
    struct tl_lincheck_stream *stream);
void tl_lincheck_stream_free(struct tl_lincheck_stream *stream);

#endif
