/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.h - when the levels of a timeline were open.  Every change of the
 * levels by a priority or a burst is an entry, so the file contains the history
 * of the levels.  A burst ends at the stamp that it names or with the next
 * change, whichever comes first.
 */
#ifndef TL_DUMP_STATS_LEVELS_H
#define TL_DUMP_STATS_LEVELS_H

#include "dump/stats/slots.h"
#include "event/levels.h"
#include "event/observe.h"
#include "source/progress.h"
#include "source/sources.h"

struct tl_levels {
	struct tl_level_window *windows; /* oldest first, without gaps */
	size_t count;
	size_t capacity;
	uint64_t bursts;
	uint64_t merged_bursts;
	uint64_t samples; /* bursts of a schedule */
	bool changed;     /* the file contains changes of levels */
	/* before this time lanes were overwritten; no later entry is lost */
	int64_t complete_ns;
	/* gates_ns: the last entry of a level that names no messages, so no
	 * gate is known before that time.  named_ns, named: the last entry of a
	 * level that names messages, and these messages.  INT64_MIN: none. */
	int64_t gates_ns;
	int64_t named_ns;
	uint32_t named[TL_NAMED_GATES_MAX]; /* ids */
	uint32_t named_count;
	int64_t first_ns; /* the oldest entry */
	int64_t last_ns;  /* the newest entry */
	/* the cut of the file, or the newest entry; the last window ends
	 * here */
	int64_t end_ns;
	uint64_t entries;
	struct tl_slots slots;
};

/* Read the changes of an input.  The caller frees levels.  0 or -errno. */
int tl_levels_read(struct tl_levels *levels, const struct tl_source *input,
    struct tl_progress *progress);
void tl_levels_free(struct tl_levels *levels);

/* Does an entry of a level name this message? */
bool tl_levels_is_named(const struct tl_levels *levels,
    const struct tl_message *message);

#endif
