/* SPDX-License-Identifier: Apache-2.0 */
/*
 * point.h - events as objects of a thread's stream, and the open containers of
 * the stream.
 *
 *	kind 1 | flags 2 | message | time | optional fields ... | arguments
 *
 * Most fields of an event equal the fields of the event before; only fields
 * that differ are written, as varints.  The state is reset at the begin of a
 * block, so that each block can be read alone.
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
	struct tl_event event; /* without the message */
	uint32_t message;      /* id of the message; unused for TL_LOST */
	uint8_t kind;          /* TL_TRACE_POINT, LOSS, SPAN or FOOTER */
	bool silent;           /* a footer without an event */
	uint64_t children;     /* in a footer: number of children */
	uint64_t size;         /* in a footer: bytes of the content */
};

/* Encode an object.  out must have room for TL_POINT_SIZE_MAX bytes. */
void tl_point_put(struct tl_data_out *out, struct tl_point_state *state,
    const struct tl_point *point);

/* Decode the object at in->at.  0; -EBADMSG: in->at is undefined. */
int tl_point_get(struct tl_point *point, struct tl_point_state *state,
    struct tl_data_in *in);

struct tl_shape_level {
	uint64_t start; /* logical offset of the content */
	uint64_t marked;
	uint64_t children;
	/* For the caller: */
	uint64_t user;
	uint64_t observed;
	uint64_t tsc; /* of the begin, like the next three */
	int64_t ns;
	int64_t steps_ns;
	uint32_t epoch;
	uint64_t losses; /* number of losses before the begin */
	bool proven;     /* the end will be proven, so the span is never cut */
	bool cut;
};

struct tl_shape {
	struct tl_shape_level *levels; /* levels[0]: the thread itself */
	uint32_t depth;                /* index of the innermost level */
	uint32_t capacity;
	uint8_t *cells; /* the cells since the last call that took them */
	size_t cells_size;
	size_t cells_capacity;
};

/* Start.  0 or -ENOMEM. */
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
/* The child is a container, and its content begins here. */
void tl_shape_begin(struct tl_shape *shape, uint64_t content, uint64_t user);
/* The footer of the innermost container begins here. */
void tl_shape_end(struct tl_shape *shape, uint64_t at);

/*
 * The position in a walk through the content of a container or a thread.  After
 * lost blocks, the header of the next block has the number of open spans.  A
 * child that was open is still open then, and the other open spans began in
 * lost blocks (orphans).
 */
struct tl_inside {
	uint64_t orphans; /* open levels whose begin is lost */
	uint64_t nested;  /* open levels inside a known child */
};

/* Skip lost blocks, after which `depth` levels are open. */
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

/* Take the next object.  Is the object a child?  The footer of the container
 * itself, while no inner span is open, counts as a child. */
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
