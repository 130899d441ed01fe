/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.h - read header, levels, heads and history of a live timeline,
 * without its entries.  It takes a few reads, for any size.
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
	uint64_t used;     /* bytes that the file takes: without its holes */
	uint64_t appended; /* sum of all heads */
	uint64_t dropped;  /* for all causes */
	/* stamp of the inspection; 0: the file is not of this boot, or was
	 * saved */
	uint64_t now_tsc;
	uint8_t threshold; /* least level that is logged now */
	uint8_t base;      /* the same after the burst */
	bool burst;
	uint64_t burst_left_ns;
	/* The history: the shortest of the lanes of tier 0 that have wrapped,
	 * else the longest of all lanes; -1: none. */
	int64_t kept_ns;
};

/* 0, or -errno and the fault, as tl_snap_open_fd.  fd stays the caller's.
 * stamps: read the oldest and newest entry of each lane as well. */
int tl_inspect_fd(struct tl_inspection *inspection, int fd, bool stamps,
    struct tl_fault *fault);
void tl_inspection_free(struct tl_inspection *inspection);

#endif
