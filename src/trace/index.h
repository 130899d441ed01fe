/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h - the content of an index, checked against the data: the place of
 * each thread's stream in the file, and the places of the large containers in
 * the stream.
 *
 *	index bytes, read or rebuilt --> tl_index --> lanes, context
 */
#ifndef TL_TRACE_INDEX_H
#define TL_TRACE_INDEX_H

#include "trace/context.h"
#include "trace/scan.h"

/* The place of a block in the file, and its header. */
struct tl_block_place {
	uint64_t at;   /* offset of BLOCK_START in the file */
	bool reported; /* the damage of the block has been reported */
	struct tl_trace_block block;
};

struct tl_span_place {
	uint64_t start; /* logical offset of the content */
	uint64_t end;
	uint32_t depth; /* number of spans around */
};

struct tl_mark_place {
	uint64_t at;
	uint64_t number; /* number of the child that begins at this place */
	uint32_t depth;
	bool checked; /* number has been found correct */
};

struct tl_survey;

/* The stream of one thread. */
struct tl_trace_lane {
	int32_t id;
	/* A part of the stream is missing: spans and marks are not used, but a
	 * survey is made, unless plain is set. */
	bool holes;
	bool plain;
	struct tl_survey *survey;      /* NULL: not made */
	struct tl_block_place *blocks; /* by logical offset */
	size_t block_count;
	size_t block_capacity;
	struct tl_span_place *spans; /* by start */
	size_t span_count;
	size_t span_capacity;
	struct tl_mark_place *marks; /* by offset */
	size_t mark_count;
	size_t mark_capacity;
	/* by offset: the content, and the number of children */
	struct tl_mark_place *open;
	size_t open_count;
	size_t open_capacity;
	uint64_t size;
	uint64_t children; /* number of children outside any span */
	bool rooted;       /* children is set, from the cell of the root */
	bool checked;      /* children has been found correct */
};

struct tl_index {
	struct tl_storage *data;
	const struct tl_trace_read_options *options;
	struct tl_trace_header header;
	uint32_t seed;
	struct tl_context *context;
	bool made;                   /* rebuilt from the data */
	struct tl_text bytes;        /* content of the index file */
	struct tl_trace_lane *lanes; /* by id */
	size_t lane_count;
	size_t lane_capacity;
	uint64_t damage;
};

/* Parse the index in bytes.  0; -EBADMSG: the index does not belong to the
 * data, and the fault has the place; -ENOMEM; -errno of reading. */
int tl_index_parse(struct tl_index *index, struct tl_fault *fault);
/* Rebuild the bytes from the data, and parse them.  As tl_index_parse(). */
int tl_index_rebuild(struct tl_index *index);
/* Free everything but the data. */
void tl_index_clear(struct tl_index *index);

/* Read a block: the stored bytes, and the content.  0; -EBADMSG: damaged;
 * -EPROTO; -ENOMEM; -errno. */
int tl_index_content(const struct tl_index *index,
    const struct tl_block_place *place, struct tl_text *stored,
    struct tl_text *room, struct tl_bytes *content);

/* Check that there is no whole block between the blocks with cells.  Damage
 * between them is reported.  0; -EEXIST: there is such a block; -errno. */
int tl_index_check_gaps(struct tl_index *index, size_t count);

/* The block that contains a logical offset, or the next block after the offset.
 * block_count: none. */
size_t tl_trace_lane_find(const struct tl_trace_lane *lane, uint64_t logical);
/* The cell of the container with this content.  NULL: none. */
const struct tl_span_place *
tl_trace_lane_span(const struct tl_trace_lane *lane, uint64_t start);
/* The cell with the number of children of a span without a footer.  NULL:
 * none. */
struct tl_mark_place *
tl_trace_lane_open(const struct tl_trace_lane *lane, uint64_t start);
/* The last mark at a depth, at or before the child with this number in the
 * content [start, end).  NULL: none. */
struct tl_mark_place *tl_trace_lane_mark(const struct tl_trace_lane *lane,
    uint64_t start, uint64_t end, uint32_t depth, uint64_t number);

#endif
