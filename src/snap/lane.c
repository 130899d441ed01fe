/* SPDX-License-Identifier: Apache-2.0 */
/* lane.c - read a lane chunk by chunk. */
#include "snap/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many slots of the lane lie in the file, which may be cut short. */
static void
count_slots(struct tl_lane *lane)
{
	const uint64_t n = timeline_lane_entries(lane->header, lane->number);
	const uint64_t at =
	    timeline_entry_offset(lane->header, lane->number, 0);

	if (lane->frozen->size > at)
		lane->slots = (lane->frozen->size - at) / TIMELINE_ENTRY_SIZE;
	if (lane->slots > n)
		lane->slots = n;
}

int
tl_lane_open(struct tl_lane *lane, struct tl_storage *frozen,
    const struct timeline_header *header, uint32_t number,
    const struct tl_snap_lane *range, enum tl_order order, uint64_t chunk_max)
{
	const uint64_t entries = range->end - range->first;

	*lane = (struct tl_lane){
		.frozen = frozen,
		.header = header,
		.number = number,
		.order = order,
		.first = range->first,
		.end = range->end,
		.chunk_max = entries < chunk_max ? entries + 1 : chunk_max,
	};
	count_slots(lane);
	lane->chunk = malloc(lane->chunk_max * sizeof(*lane->chunk));
	return lane->chunk ? 0 : -ENOMEM;
}

void
tl_lane_close(struct tl_lane *lane)
{
	free(lane->chunk);
}

/* The next chunk: entries that lie side by side in the file. */
static void
choose_chunk(struct tl_lane *lane)
{
	const uint64_t n = timeline_lane_entries(lane->header, lane->number);
	uint64_t count = lane->end - lane->first;
	uint64_t to_wrap = n - (lane->first & (n - 1));

	if (lane->order == TL_NEWEST_FIRST)
		to_wrap = ((lane->end - 1) & (n - 1)) + 1;
	if (count > to_wrap)
		count = to_wrap;
	if (count > lane->chunk_max)
		count = lane->chunk_max;
	lane->chunk_first =
	    lane->order == TL_NEWEST_FIRST ? lane->end - count : lane->first;
	lane->chunk_end = lane->chunk_first + count;
}

/* What the file does not have reads as zeros, and zeros are not whole. */
static int
read_chunk(struct tl_lane *lane)
{
	size_t size;
	int64_t n;

	choose_chunk(lane);
	size = (lane->chunk_end - lane->chunk_first) * TIMELINE_ENTRY_SIZE;
	n = tl_storage_read_at(lane->frozen, lane->chunk, size,
	    timeline_entry_offset(lane->header, lane->number,
		lane->chunk_first));
	if (n < 0)
		return (int)n;
	memset((char *)lane->chunk + n, 0, size - (size_t)n);
	return 0;
}

/* Pass over entries that lie behind the end of the file, all at once: their
 * number is the file's word for it. */
static bool
skip_missing(struct tl_lane *lane)
{
	const uint64_t n = timeline_lane_entries(lane->header, lane->number);
	const bool backwards = lane->order == TL_NEWEST_FIRST;
	const uint64_t left = lane->end - lane->first;
	const uint64_t slot =
	    (backwards ? lane->end - 1 : lane->first) & (n - 1);
	uint64_t count = backwards ? slot - lane->slots + 1 : n - slot;

	if (slot < lane->slots)
		return false;
	if (count > left)
		count = left;
	if (backwards)
		lane->end -= count;
	else
		lane->first += count;
	lane->lost += count;
	return true;
}

int
tl_lane_step(struct tl_lane *lane)
{
	lane->lost = 0;
	while (lane->first < lane->end) {
		const bool backwards = lane->order == TL_NEWEST_FIRST;
		const uint64_t q = backwards ? lane->end - 1 : lane->first;
		int rc;

		if (skip_missing(lane))
			continue;
		if (q < lane->chunk_first || q >= lane->chunk_end) {
			if ((rc = read_chunk(lane)) != 0)
				return rc;
		}
		if (backwards)
			lane->end--;
		else
			lane->first++;
		lane->entry = &lane->chunk[q - lane->chunk_first];
		lane->entry_number = q;
		if (lane->entry->stamp == timeline_stamp_whole(q))
			return 0;
		lane->lost++;
	}
	lane->entry = NULL;
	return 0;
}
