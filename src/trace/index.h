/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.h - the content of an index, checked against the data: where each
 * thread's stream lies in the file, and where the large containers are in it.
 *
 *	index bytes, read or made again --> tl_index --> lanes, context
 */
#ifndef TL_TRACE_INDEX_H
#define TL_TRACE_INDEX_H

#include "trace/context.h"
#include "trace/scan.h"

/* The place of a block in the file, and its header. */
struct tl_block_place {
	uint64_t at;   /* of its BLOCK_START in the file */
	bool reported; /* its damage was reported */
	struct tl_trace_block block;
};

struct tl_span_place {
	uint64_t start; /* logical offset of its content */
	uint64_t end;
	uint32_t depth; /* spans around it */
};

struct tl_mark_place {
	uint64_t at;
	uint64_t number; /* number of the child that begins there */
	uint32_t depth;
	bool checked; /* number was found right */
};

struct tl_survey;

/* The stream of one thread. */
struct tl_trace_lane {
	int32_t id;
	/* Is a part of the stream missing?  Then spans and marks are not used,
	 * but a survey is made, unless plain is set. */
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
	struct tl_mark_place *open; /* by offset: content, children */
	size_t open_count;
	size_t open_capacity;
	uint64_t size;
	uint64_t children; /* outside any span */
	bool rooted;       /* children is set, from the cell of the root */
	bool checked;      /* children was found right */
};

struct tl_index {
	struct tl_storage *data;
	const struct tl_trace_read_options *options;
	struct tl_trace_header header;
	uint32_t seed;
	struct tl_context *context;
	bool made;                   /* rebuilt from the data */
	struct tl_text bytes;        /* of the index file */
	struct tl_trace_lane *lanes; /* by id */
	size_t lane_count;
	size_t lane_capacity;
	uint64_t damage;
};

/* Parse the index in bytes.  0; -EBADMSG: it does not belong to the data, the
 * fault has the place; -ENOMEM; -errno of reading. */
int tl_index_parse(struct tl_index *index, struct tl_fault *fault);
/* Rebuild the bytes from the data, and parse them. */
int tl_index_rebuild(struct tl_index *index);
/* Free everything but the data. */
void tl_index_clear(struct tl_index *index);

/* Read a block: its stored bytes, and its content.  -EBADMSG: damaged. */
int tl_index_content(const struct tl_index *index,
    const struct tl_block_place *place, struct tl_text *stored,
    struct tl_text *room, struct tl_bytes *content);

/* Check that there is no whole block between those with cells.  Damage there is
 * reported.  0; -EEXIST: there is one; -errno. */
int tl_index_check_gaps(struct tl_index *index, size_t count);

/* The block that contains a logical offset, or the first one after it; the
 * number of blocks: none. */
size_t tl_trace_lane_find(const struct tl_trace_lane *lane, uint64_t logical);
/* The cell of the container with this content; NULL: none. */
const struct tl_span_place *
tl_trace_lane_span(const struct tl_trace_lane *lane, uint64_t start);
/* The cell with the number of children of a span without a footer. */
struct tl_mark_place *
tl_trace_lane_open(const struct tl_trace_lane *lane, uint64_t start);
/* The last mark at a depth, at or before the child of this number in the
 * content [start, end); NULL: none. */
struct tl_mark_place *tl_trace_lane_mark(const struct tl_trace_lane *lane,
    uint64_t start, uint64_t end, uint32_t depth, uint64_t number);

#endif
