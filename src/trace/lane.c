/* SPDX-License-Identifier: Apache-2.0 */
/* lane.c - from a place in a thread's stream to where it is in the file. */
#include "trace/index.h"

size_t
tl_trace_lane_find(const struct tl_trace_lane *lane, uint64_t logical)
{
	size_t low = 0, high = lane->block_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct tl_trace_block *b = &lane->blocks[middle].block;

		if (b->logical + b->size <= logical)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct tl_span_place *
tl_trace_lane_span(const struct tl_trace_lane *lane, uint64_t start)
{
	size_t low = 0, high = lane->span_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (lane->spans[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == lane->span_count || lane->spans[low].start != start)
		return NULL;
	return &lane->spans[low];
}

/* The first of some marks that is at this offset or behind it. */
static size_t
find_mark(const struct tl_mark_place *marks, size_t count, uint64_t at)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (marks[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct tl_mark_place *
tl_trace_lane_open(const struct tl_trace_lane *lane, uint64_t start)
{
	const size_t i = find_mark(lane->open, lane->open_count, start);

	if (i == lane->open_count || lane->open[i].at != start)
		return NULL;
	return &lane->open[i];
}

/* Marks of what is inside stand between those of this content. */
struct tl_mark_place *
tl_trace_lane_mark(const struct tl_trace_lane *lane, uint64_t start,
    uint64_t end, uint32_t depth, uint64_t number)
{
	size_t i = find_mark(lane->marks, lane->mark_count, start);
	struct tl_mark_place *best = NULL;

	for (; i < lane->mark_count && lane->marks[i].at < end; i++) {
		struct tl_mark_place *mark = &lane->marks[i];

		if (mark->depth == depth && mark->number > number)
			break;
		if (mark->depth == depth)
			best = mark;
	}
	return best;
}
