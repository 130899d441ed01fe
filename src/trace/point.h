/* SPDX-License-Identifier: Apache-2.0 */
/*
 * point.h - events as objects of a thread's stream, and the containers that are
 * open in it.
 *
 *	kind 1 | flags 2 | message | time | optional fields ... | arguments
 *
 * Most fields of an event are equal to those of the event before it; only
 * fields that differ are written, as varints.  The state is reset at the begin
 * of a block, so that each block can be read alone.
 *
 * The writer of a stream and the builder of an index both call tl_shape_*(), so
 * they make the same cells.
 */
#ifndef TL_TRACE_POINT_H
#define TL_TRACE_POINT_H

#include "event/event.h"
#include "trace/layout.h"

/* The fields of the last event; all zeros at the begin of a block. */
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
	TL_POINT_SIZE_MAX = 160, /* the largest object */
	TL_POINT_SIZE_MIN = 5    /* the smallest object */
};

/* An object of a stream, decoded. */
struct tl_point {
	struct tl_event event; /* without its message */
	uint32_t message;      /* its id; unused for TL_LOST */
	uint8_t kind;          /* TL_TRACE_POINT, LOSS, SPAN or FOOTER */
	bool silent;           /* a footer without an event */
	uint64_t children;     /* of a footer: number of children */
	uint64_t size;         /* of a footer: bytes of the content */
};

/* Encode an object; out must have TL_POINT_SIZE_MAX bytes of room. */
void tl_point_put(struct tl_data_out *out, struct tl_point_state *state,
    const struct tl_point *point);

/* Decode the object at in->at.  0; -EBADMSG, and in->at is undefined. */
int tl_point_get(struct tl_point *point, struct tl_point_state *state,
    struct tl_data_in *in);

struct tl_shape_level {
	uint64_t start; /* logical offset of its content */
	uint64_t marked;
	uint64_t children;
	/* For the caller: */
	uint64_t user;
	uint64_t observed;
	uint64_t tsc; /* of its begin, as the next three */
	int64_t ns;
	int64_t steps_ns;
	uint32_t epoch;
	uint64_t losses; /* before it */
	bool proven;     /* its end will be: it is not cut */
	bool cut;
};

struct tl_shape {
	struct tl_shape_level *levels; /* levels[0]: the thread itself */
	uint32_t depth;                /* of the innermost */
	uint32_t capacity;
	uint8_t *cells; /* cells since they were last taken */
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

/* Make room for the cells of one object and for one level, so that the calls
 * below cannot fail.  0; -ENOMEM; -ENOSPC: too deep. */
int tl_shape_reserve(struct tl_shape *shape);
/* A child begins at a logical offset. */
void tl_shape_child(struct tl_shape *shape, uint64_t at);
/* The child is a container, whose content begins here. */
void tl_shape_begin(struct tl_shape *shape, uint64_t content, uint64_t user);
/* The footer of the innermost container begins here. */
void tl_shape_end(struct tl_shape *shape, uint64_t at);

/*
 * The position in a walk through the content of a container or a thread.  After
 * lost blocks the header of the next one has the number of open spans: a child
 * that was open still is, and other open spans began in lost blocks (orphans).
 */
struct tl_inside {
	uint64_t orphans; /* open levels whose begin is lost */
	uint64_t nested;  /* open levels inside a known child */
};

/* Blocks were lost, and depth levels are open now. */
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

/* Take the next object.  Is it a child?  A footer of the container itself, when
 * no inner span is open, counts as one. */
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
