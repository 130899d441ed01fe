/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.h - read header, levels, heads and history of a live timeline, and
 * its newest entries.  An inspection takes a few reads, for a timeline of any
 * size.
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
	uint64_t entries; /* number of slots */
	uint64_t head;    /* number of entries appended so far */
	uint64_t cleared;
	uint64_t oldest_tsc; /* stamp of the oldest entry that can be shown */
	uint64_t newest_tsc; /* stamp of the newest entry; 0 in both: none */
};

struct tl_inspection {
	struct timeline_header header; /* a copy; geometry checked */
	struct tl_inspection_lane *lanes;
	size_t lane_count;
	uint64_t used;     /* bytes that the file takes, without holes */
	uint64_t room;     /* sum of the slots of all lanes */
	uint64_t appended; /* sum of all heads */
	uint64_t dropped;  /* sum over all causes */
	/* stamp of the inspection; 0: the file is not live or not of this
	 * boot */
	uint64_t now_tsc;
	uint8_t threshold; /* least level that is logged now */
	uint8_t base;      /* least level that is logged after the burst */
	bool burst;
	uint64_t burst_left_ns;
	/* The length of the history: of the lanes of tier 0 that have wrapped
	 * the shortest, else the longest of all lanes.  -1: none. */
	int64_t kept_ns;
};

/* Inspect a file.  fd stays the caller's.  stamps: also read the oldest and
 * newest entry of each lane.  0; -errno with a fault, as tl_snap_open_fd(). */
int tl_inspect_fd(struct tl_inspection *inspection, int fd, bool stamps,
    struct tl_fault *fault);
void tl_inspection_free(struct tl_inspection *inspection);

/* Take the newest whole entries of each lane, without those of builtin
 * messages, until max of the lane or a few more were taken, or 1,024 were read.
 * An entry that replaced another meanwhile counts as well.  A part of the file
 * that cannot be read is passed over. */
typedef void
tl_inspection_take(void *context, const struct timeline_entry *entry);
void tl_inspection_newest(const struct tl_inspection *inspection, int fd,
    size_t max, tl_inspection_take *take, void *context);

/* The least level that a writer logs at a stamp by the levels of a header: a
 * burst that is over at the stamp opens no level, though no append has ended
 * the burst in the header yet. */
uint8_t tl_threshold_at(const struct timeline_header *header, uint64_t tsc);

#endif
