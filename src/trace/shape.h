/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.h - the containers that are open in a thread's stream, and the cells
 * of an index that come of them.
 *
 * Who writes a stream and who makes its index again from the data walk
 * through the same calls, so that both make the same cells.
 */
#ifndef TL_TRACE_SHAPE_H
#define TL_TRACE_SHAPE_H

#include "trace/layout.h"

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
/* ... and is a container, whose content begins here. */
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
	uint64_t nested;  /* ... inside a child that is known */
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
