/* SPDX-License-Identifier: Apache-2.0 */
/*
 * point.h - an event as an object of a thread's stream, and the containers
 * that are open there.
 *
 *	kind 1 | flags 2 | message | time | optional fields ... | arguments
 *
 * Most fields of an event are as in the event before it; only fields that
 * differ are written, as varints.  The state starts from zeros where a block
 * begins, so that each block can be read alone.
 *
 * The writer of a stream and the function that makes an index again from the
 * data make the same calls of tl_shape_*(), so both make the same cells.
 */
#ifndef TL_TRACE_POINT_H
#define TL_TRACE_POINT_H

#include "event/event.h"
#include "trace/layout.h"

/* The event before; all zeros where a block begins. */
struct tl_point_state {
	int64_t ns;
	uint64_t tsc;
	uint64_t number;
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
	uint32_t epoch;
	uint32_t lane;
	uint32_t error_ns;
};

enum {
	TL_POINT_SIZE_MAX = 160, /* no object of a stream is longer */
	TL_POINT_SIZE_MIN = 5    /* nor shorter */
};

/* An object of a stream, decoded. */
struct tl_point {
	struct tl_event event; /* all but its message */
	uint32_t message;      /* its id; of no meaning for TL_LOST */
	uint8_t kind;          /* TL_TRACE_POINT, LOSS, SPAN or FOOTER */
	bool silent;           /* a footer that no event stands for */
	uint64_t children;     /* of a footer: children before it */
	uint64_t size;         /* of a footer: their bytes */
};

/* Write an object; out has TL_POINT_SIZE_MAX bytes of room. */
void tl_point_put(struct tl_data_out *out, struct tl_point_state *state,
    const struct tl_point *point);

/* Read the object at in->at: 0, or -EBADMSG, and in stands anywhere. */
int tl_point_get(struct tl_point *point, struct tl_point_state *state,
    struct tl_data_in *in);

struct tl_shape_level {
	uint64_t start; /* logical: where its content begins */
	uint64_t marked;
	uint64_t children;
	uint64_t user; /* the caller's own */
};

struct tl_shape {
	struct tl_shape_level *levels; /* 0: the thread itself */
	uint32_t depth;                /* of the innermost */
	uint32_t capacity;
	uint8_t *cells; /* made since they were taken last */
	size_t cells_size;
	size_t cells_capacity;
};

/* 0 or -ENOMEM. */
int tl_shape_init(struct tl_shape *shape);
void tl_shape_free(struct tl_shape *shape);

static inline struct tl_shape_level *
tl_shape_top(const struct tl_shape *shape)
{
	return &shape->levels[shape->depth];
}

/* Room for the cells of one object and for one more level, so that the calls
 * below cannot fail: 0, -ENOMEM, -ENOSPC too deep for a level. */
int tl_shape_reserve(struct tl_shape *shape);
/* A child begins at a logical offset. */
void tl_shape_child(struct tl_shape *shape, uint64_t at);
/* The child is a container, whose content begins here. */
void tl_shape_begin(struct tl_shape *shape, uint64_t content, uint64_t user);
/* The footer of the innermost container begins here. */
void tl_shape_end(struct tl_shape *shape, uint64_t at);

/*
 * Where one is among the children of a container (or of a thread) while its
 * content is walked through.  Where blocks are lost, the next one says how
 * many spans are open in it: if a child was open it still is, and what is
 * open otherwise began in what is lost (orphans).
 */
struct tl_inside {
	uint64_t orphans; /* levels whose begin is lost */
	uint64_t nested;  /* levels inside a known child */
};

/* Some of it was lost, and so many levels are open now. */
static inline void
tl_inside_skip(struct tl_inside *inside, uint64_t depth)
{
	if (inside->nested > 0 && depth > inside->orphans) {
		inside->nested = depth - inside->orphans;
	} else {
		inside->nested = 0;
		inside->orphans = depth;
	}
}

/* The next object: is it a child?  A footer of the container itself, which
 * finds nothing open, counts as one. */
static inline bool
tl_inside_step(struct tl_inside *inside, uint8_t kind, bool silent)
{
	if (kind == TL_TRACE_FOOTER) {
		if (inside->nested > 0) {
			inside->nested--;
			return false;
		}
		if (inside->orphans > 0)
			inside->orphans--;
		return !silent;
	}
	if (inside->nested > 0) {
		inside->nested += kind == TL_TRACE_SPAN;
		return false;
	}
	inside->nested = kind == TL_TRACE_SPAN;
	return true;
}

#endif
