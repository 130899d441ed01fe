/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.h - the threads of a Lincheck trace that is written: their
 * streams, and the calls that are open in them.
 *
 * A thread that was read from such a trace keeps its number where it is free;
 * others are numbered from 0.  What belongs to a message instead of a thread
 * has one of its own.
 */
#ifndef TL_FORMAT_LINCHECK_LANE_H
#define TL_FORMAT_LINCHECK_LANE_H

#include "format/lincheck/form.h"
#include "format/lincheck/layout.h"
#include "format/lincheck/queue.h"
#include "format/lincheck/stream.h"

enum {
	/* An end is looked for among so many of the innermost calls. */
	TL_LINCHECK_LOOK_MAX = 512
};

struct tl_lincheck_open {
	const struct tl_message *message; /* NULL: of none */
	int32_t number;
};

struct tl_lincheck_lane {
	struct tl_lincheck_stream stream;
	struct tl_lincheck_queue waiting; /* records, until all are known */
	uint64_t records;                 /* ... how many */
	uint64_t counted;                 /* ... as a layout counts them */
	bool native;                      /* does it come from such a trace? */
	struct tl_lincheck_open *open;
	uint32_t depth;
	size_t capacity;
	struct tl_lincheck_form *result; /* of the call that ends next */
	struct tl_event returned;        /* ... what that is */
};

/* Starts from all zeros. */
struct tl_lincheck_lanes {
	struct tl_numbers numbers;
	struct tl_numbers used; /* numbers of threads */
	int32_t next;
	struct tl_lincheck_lane *lanes;
	uint32_t count; /* at most TL_LINCHECK_THREADS_MAX; numbers has more */
	size_t capacity;
};

/* The lane of an event: 1: it is new; 0, -ENOSPC, -ENOMEM. */
int tl_lincheck_lanes_find(struct tl_lincheck_lanes *lanes,
    const struct tl_event *event, bool native, bool of_message,
    struct tl_lincheck_lane **lane);
void tl_lincheck_lanes_free(struct tl_lincheck_lanes *lanes);

/* A call begins, whose head is written: 0, -ENOSPC, -ENOMEM. */
int tl_lincheck_lane_push(struct tl_lincheck_lane *lane,
    const struct tl_message *message, int32_t number);
/* The innermost one ends. */
struct tl_lincheck_open tl_lincheck_lane_pop(struct tl_lincheck_lane *lane);
/* How deep the innermost call of a message lies; false: there is none. */
bool tl_lincheck_lane_find(const struct tl_lincheck_lane *lane,
    const struct tl_message *message, uint32_t *depth);

#endif
