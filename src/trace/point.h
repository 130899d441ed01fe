/* SPDX-License-Identifier: Apache-2.0 */
/*
 * point.h - an event as an object of a thread's stream.
 *
 *	kind 1 | flags 2 | message | time | what the flags say ... | arguments
 *
 * Most of what an event holds is as in the one before it: only what differs
 * is written, as varints.  What the one before was is forgotten where a block
 * begins, so that each block can be read alone.
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

/* What an object of a stream says. */
struct tl_point {
	struct tl_event event; /* all but its message */
	uint32_t message;      /* its id; of no meaning for TL_LOST */
	uint8_t kind;          /* TL_TRACE_POINT, LOSS, SPAN or FOOTER */
	bool silent;           /* a footer that no event stands for */
	uint64_t children;     /* a footer's: how many stand before it ... */
	uint64_t size;         /* ... and in how many bytes */
};

/* Write an object; out has TL_POINT_SIZE_MAX bytes of room. */
void tl_point_put(struct tl_data_out *out, struct tl_point_state *state,
    const struct tl_point *point);

/* Read the object at in->at: 0, or -EBADMSG, and in stands anywhere. */
int tl_point_get(struct tl_point *point, struct tl_point_state *state,
    struct tl_data_in *in);

#endif
