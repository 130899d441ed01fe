/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h - the origins of followed events.
 *
 * A source of events is the number of an input, as everywhere, or for the
 * timelines of a stream, which are known only when they come, a number behind
 * all of these.  Offsets that were asked for are kept until their host comes.
 */
#ifndef TL_DUMP_FOLLOW_SOURCES_H
#define TL_DUMP_FOLLOW_SOURCES_H

#include "base/table.h"
#include "source/hosts.h"
#include "source/sources.h"

/* Writers want to know all of them at the beginning: what has not come yet is
 * unknown, and costs no memory that is not used. */
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
	size_t input_count; /* of these, which are called by number, too */
	bool has_streams;
	uint32_t here_us; /* the bound of this machine's clock */
	const struct tl_hosts_plan *plan;
	struct tl_id_map boots; /* boots of machines so far */
	uint32_t *machines; /* by source: the number of its boot, or another */
	uint32_t machine_count;
	struct tl_follow_ends shown; /* of the events so far */
};

/* Begins with the inputs, in their order: 0, -ENOMEM. */
int tl_follow_sources_init(struct tl_follow_sources *sources,
    const struct tl_sources *inputs, const struct tl_hosts_plan *plan);
void tl_follow_sources_free(struct tl_follow_sources *sources);

/* One more, and what it is called where its host has no name: 0, -ENOSPC,
 * -ENOMEM. */
int tl_follow_sources_add(struct tl_follow_sources *sources,
    const struct tl_origin *origin, const char *name);

/* How good this machine's clock is now: asked once in a while. */
void tl_follow_sources_ask_clock(struct tl_follow_sources *sources);

/* Give an event of a source the time that was asked for. */
void tl_follow_sources_shift(const struct tl_follow_sources *sources,
    struct tl_event *event);

/* Set what of the next events, oldest first, may have happened before or after
 * others of another machine, of these or before these. */
void tl_follow_sources_mark(struct tl_follow_sources *sources,
    struct tl_event *events, size_t count);

#endif
