/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.h - the whole entries of one lane of a frozen file, one after the
 * other in either direction, a chunk at a time.
 */
#ifndef TL_SNAP_LANE_H
#define TL_SNAP_LANE_H

#include "base/storage.h"
#include "snap/snap.h"

struct tl_lane {
	struct tl_storage *frozen;
	const struct timeline_header *header;
	uint32_t number; /* of the lane */
	enum tl_order order;
	uint64_t first; /* entries [first, end) are still to come */
	uint64_t end;
	uint64_t slots; /* so many of the lane's lie in the file */
	/* entries [chunk_first, chunk_end) are in memory */
	struct timeline_entry *chunk;
	uint64_t chunk_first;
	uint64_t chunk_end;
	uint64_t chunk_max;
	/* what tl_lane_step found */
	const struct timeline_entry *entry; /* NULL: no more */
	uint64_t entry_number;
	uint64_t lost; /* entries not whole that lie before it */
};

/* chunk_max entries are read at a time.  -ENOMEM. */
int tl_lane_open(struct tl_lane *lane, struct tl_storage *frozen,
    const struct timeline_header *header, uint32_t number,
    const struct tl_snap_lane *range, enum tl_order order, uint64_t chunk_max);
void tl_lane_close(struct tl_lane *lane);

/* Go on to the next whole entry: sets entry (until the next call), its number
 * and how many that were not whole were passed.  0 or -errno. */
int tl_lane_step(struct tl_lane *lane);

#endif
