/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opened.h - what the files that read an open trace share.
 *
 *	walk	along the stream of one thread, object by object
 *	check	a cell against the data that it points to, before it is used
 *	mend	the index is made again where a cell was wrong
 *	survey	replaces cells where the stream has gaps
 *
 * A cell is checked when it is used, not when the trace is opened:
 *
 *	SPAN        its FOOTER carries the size of the content before it
 *	MARK        counted from the mark before, or from the first child
 *	ROOT, OPEN  counted from the last mark, or from the first child
 *
 * So opening a trace reads no more than is used, and a check costs about
 * TL_TRACE_MARK_EVERY bytes.  An index that was made here is right.
 *
 * Where blocks are lost nothing can be checked.  A survey goes through all of
 * such a thread once, when it is first needed; after that any child is found
 * as fast as in a whole thread:
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
	TL_MARK_EVERY = 64 /* objects of a block, so that none is far */
};

/* Where an object begins, and what the one before it was. */
struct tl_block_mark {
	size_t at;
	struct tl_point_state state;
};

/* The content of a block; one thread at a time. */
struct tl_block_data {
	unsigned refs;
	int32_t lane;
	size_t block;
	uint64_t used; /* when it was wanted last */
	int rc;        /* -EBADMSG: it is damaged */
	struct tl_text stored;
	struct tl_text room;
	struct tl_bytes content;
	struct tl_block_mark *marks; /* as far as they were needed */
	size_t mark_count;
	size_t mark_capacity;
	struct tl_data_in marked; /* the content: what is marked of it */
	struct tl_point_state marked_state;
};

struct tl_trace {
	struct tl_trace_read_options options;
	struct tl_index index;
	struct tl_context context;
	enum tl_trace_index state;
	struct tl_node_budget budget;
	struct tl_trace_thread *threads; /* one for each lane */
	struct tl_node *roots;
	struct tl_block_data *cache[TL_CACHE_BLOCKS];
	uint64_t clock; /* of the cache */
	char *path;     /* of the data; NULL: it has none */
};

/* Block i of a lane, with one more reference: 0 (data->rc tells whether it is
 * whole), -ENOMEM, -errno. */
int tl_trace_block_data(struct tl_trace *trace, struct tl_trace_lane *lane,
    size_t i, struct tl_block_data **data);
/* Have its marks up to a place of the content: 0 or -ENOMEM. */
int tl_trace_block_mark(struct tl_block_data *data, size_t place);
void tl_trace_block_release(struct tl_block_data *data);

/* The members of an event that its message defines. */
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
	size_t block;               /* which data is, or the next one */
	struct tl_block_data *data; /* NULL: none yet */
	struct tl_data_in in;
	struct tl_point_state state;
	uint64_t at; /* logical: where the next object begins */
};

enum { TL_WALK_END, TL_WALK_POINT, TL_WALK_BLOCK };

/* At the beginning of a lane. */
void tl_walk_init(struct tl_walk *walk, struct tl_trace *trace,
    struct tl_trace_lane *lane);
void tl_walk_free(struct tl_walk *walk);
/* To the object that begins at a logical offset; -EBADMSG: none does. */
int tl_walk_seek(struct tl_walk *walk, uint64_t logical);
/*
 * The next thing: TL_WALK_POINT, an object; TL_WALK_BLOCK, a block begins,
 * maybe after something that is lost (the walk's block is it);
 * TL_WALK_END; -errno.
 */
int tl_walk_next(struct tl_walk *walk, struct tl_point *point);

enum {
	TL_CELL_WRONG = INT_MIN /* no -errno: the index is to be discarded */
};

/* All return 0 or -errno of reading besides. */

/* Go from the begin of a span's content, where the walk is and level - 1
 * spans are open, behind its footer: 1 it did, 0 there is no cell for it. */
int tl_check_jump(struct tl_walk *walk, uint64_t level, uint32_t message,
    struct tl_point *footer);
/* A mark among the children of this content. */
int tl_check_mark(struct tl_trace *trace, struct tl_trace_lane *lane,
    uint64_t content, struct tl_mark_place *mark);
int tl_check_open(struct tl_trace *trace, struct tl_trace_lane *lane,
    struct tl_mark_place *open);
/* The number of children of the thread itself. */
int tl_check_root(struct tl_trace *trace, struct tl_trace_lane *lane);

/* == mend, in check.c == */

/* A cell of this lane was wrong: make the index again, or do without one. */
void tl_trace_mend(struct tl_trace *trace, struct tl_trace_lane *lane);
/* Write the index that was made beside the data, if there is a path and that
 * is allowed; no harm if it is not. */
void tl_trace_write_back(const struct tl_trace *trace);

/* How a container ends. */
enum tl_survey_end {
	TL_SURVEY_FOOTER, /* its FOOTER is at end */
	TL_SURVEY_HOLE,   /* in what is lost before the block at end */
	TL_SURVEY_STREAM  /* with the stream */
};

struct tl_survey_span {
	uint64_t start; /* logical, of its content */
	uint64_t end;
	uint64_t children;
	enum tl_survey_end how;
};

struct tl_survey_mark {
	uint64_t start;   /* of the container's content */
	uint64_t number;  /* of a child */
	uint64_t at;      /* where the child begins */
	uint64_t orphans; /* levels open there whose begin is lost */
};

struct tl_survey {
	struct tl_survey_span *spans; /* the large ones, by start */
	size_t span_count;
	size_t span_capacity;
	struct tl_survey_mark *marks; /* by start and number */
	size_t mark_count;
	size_t mark_capacity;
};

/* The survey of a lane with holes, made now if there is none: NULL where it
 * does without (no memory, or too deep); or *rc -errno. */
const struct tl_survey *
tl_survey_get(struct tl_trace *trace, struct tl_trace_lane *lane, int *rc);
void tl_survey_free(struct tl_survey *survey);

/* The container whose content begins there; NULL: none, or a small one. */
const struct tl_survey_span *
tl_survey_find_span(const struct tl_survey *survey, uint64_t start);
/* The last mark at or before a child of this container; NULL: none. */
const struct tl_survey_mark *tl_survey_find_mark(const struct tl_survey *survey,
    uint64_t start, uint64_t number);

#endif
