/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h - the origins of followed events.
 *
 * The source of an event is the number of its input.  The timelines of a stream
 * are known only when they appear, and get the numbers after the inputs.
 * Offsets on the command line are kept until their host appears.
 */
#ifndef TL_DUMP_FOLLOW_SOURCES_H
#define TL_DUMP_FOLLOW_SOURCES_H

#include "base/table.h"
#include "event/cursor.h"
#include "source/hosts.h"
#include "source/sources.h"

/* Writers must know the number of sources at the start.  Unused numbers are
 * unknown sources and take no memory. */
enum { TL_FOLLOW_SOURCES_MAX = UINT16_MAX };

/* The two farthest ends of the intervals of events, of different machines. */
struct tl_follow_ends {
	int64_t ns[2];
	uint32_t machine[2];
	unsigned count;
};

struct tl_follow_sources {
	struct tl_hosts hosts; /* an element for each source, by number */
	struct tl_origin *origins;
	size_t count;
	/* the first sources, which can also be named by number */
	size_t input_count;
	bool has_streams;
	uint32_t here_us; /* error bound of the clock of this machine */
	const struct tl_hosts_plan *plan;
	struct tl_id_map boots; /* boot IDs of the machines so far */
	uint32_t *machines;     /* by source: the number of its machine */
	uint32_t machine_count;
	struct tl_follow_ends shown; /* ends of the events shown so far */
};

/* Start with the inputs, in their order.  0 or -ENOMEM. */
int tl_follow_sources_init(struct tl_follow_sources *sources,
    const struct tl_sources *inputs, const struct tl_hosts_plan *plan);
void tl_follow_sources_free(struct tl_follow_sources *sources);

/* Add a source; name is used if the host has no name.  0, -ENOSPC, -ENOMEM. */
int tl_follow_sources_add(struct tl_follow_sources *sources,
    const struct tl_origin *origin, const char *name);

/* Read the error bound of the clock of this machine, if a stream is
 * followed. */
void tl_follow_sources_ask_clock(struct tl_follow_sources *sources);

/* Apply the offset of the host to an event. */
void tl_follow_sources_shift(const struct tl_follow_sources *sources,
    struct tl_event *event);

/* Mark the events, oldest first, that may overlap in time with events of
 * another machine: with others of these events, or with events shown before. */
void tl_follow_sources_mark(struct tl_follow_sources *sources,
    struct tl_event *events, size_t count);

/* == stream.c: timelines that come through a pipe or from a server == */

/*
 * Follow a stream.  The cursor returns -EPIPE at the end of the stream; closing
 * the cursor stores the faults in the input.  0; -errno with the fault of the
 * input.
 */
int tl_follow_stream_open(struct tl_cursor **cursor, struct tl_source *input,
    const struct tl_remote_plan *plan, struct tl_follow_sources *sources);

#endif
