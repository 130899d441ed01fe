/* SPDX-License-Identifier: Apache-2.0 */
/* lane.c - read a lane in chunks, by number or by stamp. */
#include "snap/lane.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Choose the next chunk: entries that are contiguous in the file. */
static void
choose_chunk(struct tl_lane *lane)
{
	const uint64_t slot = lane->first & (lane->room - 1);
	uint64_t count = lane->end - lane->first;
	uint64_t to_end = lane->slots - slot;

	if (lane->order == TL_NEWEST_FIRST)
		to_end = ((lane->end - 1) & (lane->room - 1)) + 1;
	if (count > to_end)
		count = to_end;
	if (count > lane->chunk_max)
		count = lane->chunk_max;
	lane->chunk_first =
	    lane->order == TL_NEWEST_FIRST ? lane->end - count : lane->first;
	lane->chunk_end = lane->chunk_first + count;
}

/* Read the chunk.  Bytes after the end of the file read as zeros, which are no
 * whole entry. */
static int
read_chunk(struct tl_lane *lane)
{
	size_t size;
	int64_t n;

	size = (lane->chunk_end - lane->chunk_first) * TIMELINE_ENTRY_SIZE;
	n = tl_storage_read_at(lane->frozen, lane->chunk, size,
	    timeline_entry_offset(lane->header, lane->number,
		lane->chunk_first));
	if (n < 0)
		return (int)n;
	memset((char *)lane->chunk + n, 0, size - (size_t)n);
	return 0;
}

/* Skip all entries after the end of the file at once, because their number is
 * not verified. */
static bool
skip_missing(struct tl_lane *lane)
{
	const bool backwards = lane->order == TL_NEWEST_FIRST;
	const uint64_t left = lane->end - lane->first;
	const uint64_t slot =
	    (backwards ? lane->end - 1 : lane->first) & (lane->room - 1);
	uint64_t count = backwards ? slot - lane->slots + 1 : lane->room - slot;

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

static inline bool
is_whole(const struct tl_lane *lane, uint64_t q, const struct timeline_entry *e)
{
	return e->stamp == (lane->has_sums ? timeline_stamp_fallback(q, e)
					   : timeline_stamp_whole(q));
}

/* Step to the next entry by number. */
static int
step(struct tl_lane *lane)
{
	lane->lost = 0;
	lane->lost_cpu = TL_CPU_UNKNOWN;
	while (lane->first < lane->end) {
		const bool backwards = lane->order == TL_NEWEST_FIRST;
		const uint64_t q = backwards ? lane->end - 1 : lane->first;
		int rc;

		if (q < lane->chunk_first || q >= lane->chunk_end) {
			if (skip_missing(lane))
				continue;
			choose_chunk(lane);
			if ((rc = read_chunk(lane)) != 0)
				return rc;
		}
		if (backwards)
			lane->end--;
		else
			lane->first++;
		lane->entry = &lane->chunk[q - lane->chunk_first];
		lane->entry_number = q;
		if (is_whole(lane, q, lane->entry))
			return 0;
		lane->lost++;
		/* in an imported file the last slot of a loss has the CPU, plus
		 * 1 */
		if (lane->header->state == TIMELINE_IMPORTED &&
		    lane->entry->args[0] > 0 &&
		    lane->entry->args[0] <= TL_CPU_UNKNOWN &&
		    timeline_lane_is_fallback(lane->header, lane->number))
			lane->lost_cpu = (uint32_t)(lane->entry->args[0] - 1);
	}
	lane->entry = NULL;
	return 0;
}

uint64_t
tl_lane_skip(struct tl_lane *lane, uint32_t id, uint64_t before)
{
	const uint32_t split = TIMELINE_MESSAGE_BARE | TIMELINE_MESSAGE_END;
	const uint64_t first = lane->first;
	const uint64_t end =
	    lane->end < lane->chunk_end ? lane->end : lane->chunk_end;
	const struct timeline_entry *e = lane->entry;
	uint64_t q = first;

	if (lane->keys)
		return 0;
	while (q < end && is_whole(lane, q, ++e) && e->tsc >= e[-1].tsc &&
	       e->tsc < before &&
	       (e->message & split) != TIMELINE_MESSAGE_BARE &&
	       (e->message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS) >= id)
		q++;
	if (q > first)
		lane->first = q - 1;
	return lane->first - first;
}

/* Merge the runs from a to b and from b to end. */
static void
merge_two(struct tl_lane_key *to, const struct tl_lane_key *a,
    const struct tl_lane_key *b, const struct tl_lane_key *end)
{
	const struct tl_lane_key *a_end = b;

	while (a < a_end && b < end)
		*to++ = b->tsc < a->tsc ? *b++ : *a++;
	while (a < a_end)
		*to++ = *a++;
	while (b < end)
		*to++ = *b++;
}

/* The end of the run that begins at a key. */
static const struct tl_lane_key *
run_end(const struct tl_lane_key *at, const struct tl_lane_key *end)
{
	if (at < end)
		at++;
	while (at < end && at[-1].tsc <= at->tsc)
		at++;
	return at;
}

/* Merge neighbouring runs until a single run is left.  Keys with equal stamps
 * stay in the order of their numbers. */
static int
sort_keys(struct tl_lane_key *keys, size_t count)
{
	const size_t size = count * sizeof(*keys);
	struct tl_lane_key *spare;

	if (run_end(keys, keys + count) == keys + count)
		return 0;
	if (!(spare = malloc(size)))
		return -ENOMEM;
	do {
		const struct tl_lane_key *a = keys;

		while (a < keys + count) {
			const struct tl_lane_key *b = run_end(a, keys + count);
			const struct tl_lane_key *end =
			    run_end(b, keys + count);

			merge_two(spare + (a - keys), a, b, end);
			a = end;
		}
		memcpy(keys, spare, size);
	} while (run_end(keys, keys + count) != keys + count);
	free(spare);
	return 0;
}

/* Read the keys of the range, by number, oldest first. */
static int
collect_keys(struct tl_lane *lane, bool has_losses)
{
	size_t capacity = 0;
	int rc;

	while ((rc = step(lane)) == 0 && lane->entry) {
		if (TL_ARRAY_ROOM(lane->keys, capacity, lane->key_end) < 0)
			return -ENOMEM;
		lane->keys[lane->key_end++] = (struct tl_lane_key){
			.tsc = lane->entry->tsc,
			.number =
			    (uint32_t)(lane->entry_number - lane->key_base),
			.lost = has_losses ? (uint32_t)lane->lost : 0,
		};
	}
	lane->lost_last = has_losses ? lane->lost : 0;
	return rc;
}

/* Sort the keys of each epoch separately, because the counter restarted between
 * two epochs. */
static int
sort_epochs(struct tl_lane *lane, const struct tl_messages *epochs)
{
	size_t from = 0;
	int rc = 0;

	while (rc == 0 && from < lane->key_end) {
		size_t to = lane->key_end;

		if (epochs->epoch_count > 0) {
			const uint32_t epoch =
			    tl_messages_epoch(epochs, lane->number,
				lane->key_base + lane->keys[from].number);

			for (to = from + 1; to < lane->key_end; to++)
				if (tl_messages_epoch(epochs, lane->number,
					lane->key_base +
					    lane->keys[to].number) != epoch)
					break;
		}
		rc = sort_keys(lane->keys + from, to - from);
		from = to;
	}
	return rc;
}

static int
sort_lane(struct tl_lane *lane, const struct tl_lane_sort *sort)
{
	const enum tl_order order = lane->order;
	int rc;

	lane->order = TL_OLDEST_FIRST;
	rc = collect_keys(lane, sort->has_losses);
	lane->order = order;
	if (rc == 0)
		rc = sort_epochs(lane, sort->epochs);
	if (rc == 0 && !lane->keys) { /* sorted, but empty */
		lane->keys = malloc(sizeof(*lane->keys));
		rc = lane->keys ? 0 : -ENOMEM;
	}
	if (sort->tail > 0 && lane->key_end > sort->tail) {
		lane->key = lane->key_end - sort->tail;
		/* the loss before the tail is not in the tail */
		lane->keys[lane->key].lost = 0;
	}
	if (order == TL_NEWEST_FIRST) {
		lane->lost_next = lane->lost_last;
		lane->lost_last = 0;
	}
	return rc;
}

/* Read a chunk around entry q, because the next entry is near. */
static int
read_around(struct tl_lane *lane, uint64_t q)
{
	const uint64_t n = timeline_lane_entries(lane->header, lane->number);
	const uint64_t lap = q - (q & (n - 1)); /* the entry in slot 0 */
	const uint64_t behind = lane->order == TL_NEWEST_FIRST
				    ? lane->chunk_max / 4 * 3
				    : lane->chunk_max / 4;
	uint64_t first = lap > lane->key_base ? lap : lane->key_base;
	uint64_t end = lap + n < lane->range_end ? lap + n : lane->range_end;

	if (q - first > behind)
		first = q - behind;
	if (end - first > lane->chunk_max)
		end = first + lane->chunk_max;
	lane->chunk_first = first;
	lane->chunk_end = end;
	return read_chunk(lane);
}

/* Step to the next entry by stamp.  If the file has been truncated, an entry
 * may be gone since its key was read. */
static int
step_sorted(struct tl_lane *lane)
{
	const bool backwards = lane->order == TL_NEWEST_FIRST;

	lane->entry = NULL;
	lane->lost = 0;
	while (lane->key < lane->key_end) {
		const struct tl_lane_key *key =
		    &lane->keys[backwards ? --lane->key_end : lane->key++];
		const uint64_t q = lane->key_base + key->number;
		const struct timeline_entry *e;
		int rc;

		lane->lost += backwards ? lane->lost_next : key->lost;
		lane->lost_next = backwards ? key->lost : 0;
		if ((q < lane->chunk_first || q >= lane->chunk_end) &&
		    (rc = read_around(lane, q)) != 0)
			return rc;
		e = &lane->chunk[q - lane->chunk_first];
		if (is_whole(lane, q, e)) {
			lane->entry = e;
			lane->entry_number = q;
			return 0;
		}
		lane->lost++;
	}
	lane->lost += lane->lost_next + lane->lost_last;
	lane->lost_next = lane->lost_last = 0;
	return 0;
}

int
tl_lane_step(struct tl_lane *lane)
{
	return lane->keys ? step_sorted(lane) : step(lane);
}

int
tl_lane_open(struct tl_lane *lane, struct tl_storage *frozen,
    const struct timeline_header *header, uint32_t number,
    const struct tl_snap_lane *range, enum tl_order order, uint64_t chunk_max,
    const struct tl_lane_sort *sort)
{
	const uint64_t entries = range->end - range->first;
	const uint64_t at = timeline_entry_offset(header, number, 0);
	int rc;

	*lane = (struct tl_lane){
		.frozen = frozen,
		.lost_cpu = TL_CPU_UNKNOWN,
		.header = header,
		.number = number,
		.order = order,
		.first = range->first,
		.end = range->end,
		.chunk_max = entries < chunk_max ? entries + 1 : chunk_max,
		.has_sums = timeline_lane_has_sums(header, number),
		.key_base = range->first,
		.range_end = range->end,
	};
	/* the slots of the lane, and those in the file, which may be
	 * truncated */
	lane->room = timeline_lane_entries(header, number);
	if (frozen->size > at)
		lane->slots = (frozen->size - at) / TIMELINE_ENTRY_SIZE;
	if (lane->slots > lane->room)
		lane->slots = lane->room;
	lane->chunk = malloc(lane->chunk_max * sizeof(*lane->chunk));
	if (!lane->chunk)
		return -ENOMEM;
	if (sort && (rc = sort_lane(lane, sort)) != 0) {
		tl_lane_close(lane);
		return rc;
	}
	return 0;
}

void
tl_lane_close(struct tl_lane *lane)
{
	free(lane->chunk);
	free(lane->keys);
	lane->chunk = NULL;
	lane->keys = NULL;
}
