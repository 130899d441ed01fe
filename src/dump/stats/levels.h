/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.h - when the levels of a timeline were open.  Every change of priority
 * and every burst is an entry of its own, so the past can be read from them.  A
 * burst ends at the stamp that it was given or with the next change, whichever
 * comes first.
 */
#ifndef TL_DUMP_STATS_LEVELS_H
#define TL_DUMP_STATS_LEVELS_H

#include "dump/stats/slots.h"
#include "event/levels.h"
#include "source/progress.h"
#include "source/sources.h"

struct tl_levels {
	struct tl_level_window *windows; /* oldest first, without gaps */
	size_t count;
	size_t capacity;
	uint64_t bursts;
	uint64_t merged_bursts;
	uint64_t samples; /* bursts of a schedule */
	bool changed;     /* the levels change */
	/* no later entry is lost; before it, lanes were overwritten */
	int64_t complete_ns;
	/* the last change of single messages, whose gates are not known before
	 * it; INT64_MIN: none */
	int64_t gates_ns;
	int64_t first_ns; /* the oldest entry */
	int64_t last_ns;  /* the newest entry, whose window is the last */
	uint64_t entries;
	struct tl_slots slots;
};

/* Read the changes of an input.  0 or -errno; levels must be freed. */
int tl_levels_read(struct tl_levels *levels, const struct tl_source *input,
    struct tl_progress *progress);
void tl_levels_free(struct tl_levels *levels);

/* The part of [from, to] in which entries of this gate were logged.  *known_ns
 * is the part for which the levels are known. */
int64_t tl_levels_open(const struct tl_levels *levels, unsigned gate,
    int64_t from_ns, int64_t to_ns, int64_t *known_ns);

#endif
