/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opened.h - an open trace, shared by the files that read it.
 *
 *	walk	along the stream of one thread, object by object
 *	check	a cell against its data, before the cell is used
 *	mend	the index is rebuilt if a cell is wrong
 *	survey	replaces cells in a stream with gaps
 *
 * A cell is checked when it is used, not when the trace is opened:
 *
 *	SPAN        its FOOTER carries the size of the content
 *	MARK        checked by counting from the mark before, or from the first
 *	            child
 *	ROOT, OPEN  checked by counting from the last mark, or from the first
 *	            child
 *
 * So opening a trace reads only the bytes that it uses, and a check costs about
 * TL_TRACE_MARK_EVERY bytes.  A rebuilt index needs no checks.
 *
 * If blocks are lost, cells cannot be checked.  A survey then reads the whole
 * stream once, when the first node needs it; later any child is found as fast
 * as in a whole stream:
 *
 *	stream  | SPAN a | SPAN b |  lost  | leaf | FOOTER | leaf | ...
 *	open    |   1    |   2    |        |  3 open there: one began unseen
 */
#ifndef TL_TRACE_OPENED_H
#define TL_TRACE_OPENED_H

#include "trace/index.h"
#include "trace/point.h"

#include <limits.h>

enum {
	TL_CACHE_BLOCKS = 8,
	TL_MARK_EVERY = 64 /* objects between two marks of a block */
};

/* A place where an object begins, with the state before it. */
struct tl_block_mark {
	size_t at;
	struct tl_point_state state;
};

/* The content of a block, used by one thread at a time. */
struct tl_block_data {
	unsigned refs;
	int32_t lane;
	size_t block;
	uint64_t used; /* time of the last use */
	int rc;        /* -EBADMSG: damaged */
	struct tl_text stored;
	struct tl_text room;
	struct tl_bytes content;
	struct tl_block_mark *marks; /* the marks made so far */
	size_t mark_count;
	size_t mark_capacity;
	struct tl_data_in marked; /* the position up to which marks exist */
	struct tl_point_state marked_state;
};

struct tl_trace {
	struct tl_trees trees; /* first; an element for each lane */
	struct tl_trace_read_options options;
	struct tl_index index;
	struct tl_context context;
	enum tl_trace_index state;
	struct tl_block_data *cache[TL_CACHE_BLOCKS];
	uint64_t clock; /* of the cache */
	char *path;     /* path of the data; NULL: none */
};

/* Get block i of a lane, with one more reference.  0, with data->rc -EBADMSG if
 * the block is damaged; -ENOMEM; -errno. */
int tl_trace_block_data(struct tl_trace *trace, struct tl_trace_lane *lane,
    size_t i, struct tl_block_data **data);
/* Make marks up to a place of the content.  0 or -ENOMEM. */
int tl_trace_block_mark(struct tl_block_data *data, size_t place);
void tl_trace_block_release(struct tl_block_data *data);

/* Set the members of an event that its message defines. */
static inline void
tl_trace_name(struct tl_trace *trace, struct tl_point *point)
{
	if (point->kind == TL_TRACE_LOSS)
		return;
	point->event.message =
	    tl_context_message(&trace->context, point->message);
	point->event.level = point->event.message->level;
}

struct tl_walk {
	struct tl_trace *trace;
	struct tl_trace_lane *lane;
	/* number of the current block, or of the next block */
	size_t block;
	struct tl_block_data *data; /* NULL: none */
	struct tl_data_in in;
	struct tl_point_state state;
	uint64_t at; /* logical offset of the next object */
};

enum { TL_WALK_END, TL_WALK_POINT, TL_WALK_BLOCK };

/* Start at the beginning of a lane. */
void tl_walk_init(struct tl_walk *walk, struct tl_trace *trace,
    struct tl_trace_lane *lane);
void tl_walk_free(struct tl_walk *walk);
/* Move to the object at a logical offset.  0; -EBADMSG: no such object;
 * -errno. */
int tl_walk_seek(struct tl_walk *walk, uint64_t logical);
/*
 * Make a step.  TL_WALK_POINT: an object was read; TL_WALK_BLOCK: a block
 * begins, perhaps after lost blocks; TL_WALK_END; -errno.
 */
int tl_walk_next(struct tl_walk *walk, struct tl_point *point);

enum {
	TL_CELL_WRONG = INT_MIN /* not an -errno: the index must be discarded */
};

/* The functions below also return 0 or -errno of reading. */

/* Move from the begin of a span's content, in which `level` spans are open, to
 * the object after the span's footer.  1: done; 0: the span has no cell. */
int tl_check_jump(struct tl_walk *walk, uint64_t level, uint32_t message,
    struct tl_point *footer);
/* Check a mark among the children of a content. */
int tl_check_mark(struct tl_trace *trace, struct tl_trace_lane *lane,
    uint64_t content, struct tl_mark_place *mark);
int tl_check_open(struct tl_trace *trace, struct tl_trace_lane *lane,
    struct tl_mark_place *open);
/* Check the number of children of the thread itself. */
int tl_check_root(struct tl_trace *trace, struct tl_trace_lane *lane);

/* == mend, in check.c == */

/* A cell of this lane is wrong: rebuild the index, or read the lane without an
 * index from now on. */
void tl_trace_mend(struct tl_trace *trace, struct tl_trace_lane *lane);
/* Write the rebuilt index beside the data, if there is a path and the directory
 * permits writing. */
void tl_trace_write_back(const struct tl_trace *trace);

/* The end of a container. */
enum tl_survey_end {
	TL_SURVEY_FOOTER, /* the FOOTER is at end */
	TL_SURVEY_HOLE,   /* in lost blocks before the block at end */
	TL_SURVEY_STREAM  /* at the end of the stream */
};

struct tl_survey_span {
	uint64_t start; /* logical offset of the content */
	uint64_t end;
	uint64_t children;
	enum tl_survey_end how;
};

struct tl_survey_mark {
	uint64_t start;   /* logical offset of the container's content */
	uint64_t number;  /* number of a child */
	uint64_t at;      /* offset of the child */
	uint64_t orphans; /* open levels at the child whose begin is lost */
};

struct tl_survey {
	struct tl_survey_span *spans; /* large containers, by start */
	size_t span_count;
	size_t span_capacity;
	struct tl_survey_mark *marks; /* by start and number */
	size_t mark_count;
	size_t mark_capacity;
};

/* Get the survey of a lane with holes, which is made if needed.  NULL: none (no
 * memory, or too deep), or *rc is -errno. */
const struct tl_survey *
tl_survey_get(struct tl_trace *trace, struct tl_trace_lane *lane, int *rc);
void tl_survey_free(struct tl_survey *survey);

/* The large container with this content.  NULL: none. */
const struct tl_survey_span *
tl_survey_find_span(const struct tl_survey *survey, uint64_t start);
/* The last mark at or before a child of this container.  NULL: none. */
const struct tl_survey_mark *tl_survey_find_mark(const struct tl_survey *survey,
    uint64_t start, uint64_t number);

#endif
