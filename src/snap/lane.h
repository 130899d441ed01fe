/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lane.h - the whole entries of one lane of a frozen file, one after the
 * other in either direction, a chunk at a time.
 *
 * In CPU lanes their order is their number.  In fallback lanes threads take
 * tickets and stamps side by side, so there it is (epoch, stamp, number): the
 * lane is read once for the stamps, which are nearly sorted, and the runs that
 * are there by nature are merged.  Each thread's entries stay in its order,
 * for its tickets and stamps grow together.
 */
#ifndef TL_SNAP_LANE_H
#define TL_SNAP_LANE_H

#include "base/storage.h"
#include "snap/snap.h"

struct tl_messages;

/* How a lane is sorted by stamp. */
struct tl_lane_sort {
	const struct tl_messages *epochs;
	uint64_t tail;   /* the newest so many; 0 all */
	bool has_losses; /* count what is not whole */
};

/* An entry of a sorted lane. */
struct tl_lane_key {
	uint64_t tsc;
	uint32_t number; /* counted from the first of the range */
	uint32_t lost;   /* not whole right before that number */
};

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
	bool has_sums; /* timeline_lane_has_sums */
	/* sorted by stamp, else NULL: keys [key, key_end) are still to come */
	struct tl_lane_key *keys;
	size_t key;
	size_t key_end;
	uint64_t key_base;  /* number of the first of the range */
	uint64_t range_end; /* behind the last of the range */
	uint64_t lost_next; /* stands before the next one */
	uint64_t lost_last; /* stands behind the last one */
	/* what tl_lane_step found */
	const struct timeline_entry *entry; /* NULL: no more */
	uint64_t entry_number;
	uint64_t lost; /* entries not whole that lie before it */
};

/* chunk_max entries are read at a time.  sort: by stamp, or NULL: by number.
 * -ENOMEM, or where it is sorted what reading says. */
int tl_lane_open(struct tl_lane *lane, struct tl_storage *frozen,
    const struct timeline_header *header, uint32_t number,
    const struct tl_snap_lane *range, enum tl_order order, uint64_t chunk_max,
    const struct tl_lane_sort *sort);
void tl_lane_close(struct tl_lane *lane);

/* Go on to the next whole entry: sets entry (until the next call), its number
 * and how many that were not whole were passed.  0 or -errno. */
int tl_lane_step(struct tl_lane *lane);

#endif
