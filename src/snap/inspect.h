/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.h - header, levels, heads and reach of a live timeline, without its
 * entries.  A few reads whatever its size.
 */
#ifndef TL_SNAP_INSPECT_H
#define TL_SNAP_INSPECT_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <timeline_layout.h>

struct tl_inspection_lane {
	uint32_t cpu; /* TL_CPU_UNKNOWN for a fallback lane */
	uint32_t tier;
	uint64_t entries; /* slots */
	uint64_t head;    /* appended so far */
	uint64_t cleared;
	uint64_t oldest_tsc; /* stamp of the oldest entry that can be shown */
	uint64_t newest_tsc; /* of the newest; 0: none, for both */
};

struct tl_inspection {
	struct timeline_header header; /* a copy; geometry checked */
	struct tl_inspection_lane *lanes;
	size_t lane_count;
	uint64_t appended; /* heads, summed */
	uint64_t dropped;  /* all causes */
	uint64_t now_tsc;  /* stamp when it was taken; 0: the file is not of
			      this boot, or was saved */
	uint8_t threshold; /* least level that is logged now */
	uint8_t base;      /* the same when the burst is over */
	bool burst;
	uint64_t burst_left_ns;
	/* History of the lanes of tier 0 that have wrapped: the shortest of
	 * their lengths, else of all lanes the longest; -1 none. */
	int64_t kept_ns;
};

/* -errno and why, as tl_snap_open.  fd stays the caller's.  With stamps:
 * read the oldest and newest entry of each lane, too. */
int tl_inspect_fd(struct tl_inspection *inspection, int fd, bool stamps,
    struct tl_fault *fault);
void tl_inspection_free(struct tl_inspection *inspection);

#endif
