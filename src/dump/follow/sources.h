/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h - the origins of followed events.
 *
 * The source of an event is the number of its input.  The timelines of a stream
 * are known only when they appear, and get numbers after those of the inputs.
 * Offsets on the command line are kept until their host appears.
 */
#ifndef TL_DUMP_FOLLOW_SOURCES_H
#define TL_DUMP_FOLLOW_SOURCES_H

#include "base/table.h"
#include "source/hosts.h"
#include "source/sources.h"

/* Writers need to know the number of sources at the start.  Unused ones are
 * unknown sources, and take no memory. */
enum { TL_FOLLOW_SOURCES_MAX = UINT16_MAX };

/* The two farthest ends of the intervals of events, of different machines. */
struct tl_follow_ends {
	int64_t ns[2];
	uint32_t machine[2];
	unsigned count;
};

struct tl_follow_sources {
	struct tl_hosts hosts; /* one for each source, by its number */
	struct tl_origin *origins;
	size_t count;
	/* the first ones, which can be named by number as well */
	size_t input_count;
	bool has_streams;
	uint32_t here_us; /* error bound of this machine's clock */
	const struct tl_hosts_plan *plan;
	struct tl_id_map boots; /* boot IDs of machines so far */
	uint32_t *machines;     /* the number of its machine, by source */
	uint32_t machine_count;
	struct tl_follow_ends shown; /* ends of the events shown so far */
};

/* Start with the inputs, in their order.  0, -ENOMEM. */
int tl_follow_sources_init(struct tl_follow_sources *sources,
    const struct tl_sources *inputs, const struct tl_hosts_plan *plan);
void tl_follow_sources_free(struct tl_follow_sources *sources);

/* Add a source; name is used if its host has none.  0, -ENOSPC, -ENOMEM. */
int tl_follow_sources_add(struct tl_follow_sources *sources,
    const struct tl_origin *origin, const char *name);

/* Read the error bound of this machine's clock, once in a while. */
void tl_follow_sources_ask_clock(struct tl_follow_sources *sources);

/* Apply the offset of its host to an event. */
void tl_follow_sources_shift(const struct tl_follow_sources *sources,
    struct tl_event *event);

/* Mark those of the next events, oldest first, that may have happened before or
 * after events of another machine, among these or earlier ones. */
void tl_follow_sources_mark(struct tl_follow_sources *sources,
    struct tl_event *events, size_t count);

#endif
