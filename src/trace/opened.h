/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opened.h - what the files share that read an open trace: its parts, and a
 * walk along the stream of one thread.
 */
#ifndef TL_TRACE_OPENED_H
#define TL_TRACE_OPENED_H

#include "trace/index.h"
#include "trace/point.h"

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

/* Block i of a lane, with one more reference: 0 (data->rc says whether it is
 * whole), -ENOMEM, -errno. */
int tl_trace_block_data(struct tl_trace *trace, struct tl_trace_lane *lane,
    size_t i, struct tl_block_data **data);
/* Have its marks up to a place of the content: 0 or -ENOMEM. */
int tl_trace_block_mark(struct tl_block_data *data, size_t place);
void tl_trace_block_release(struct tl_block_data *data);

/* What of an event its message says. */
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

#endif
