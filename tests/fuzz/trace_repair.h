/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_repair.h - bytes as a recorded trace: repair its checksums, so that the
 * code behind them is reached, and read all of it.
 */
#ifndef TESTS_FUZZ_TRACE_REPAIR_H
#define TESTS_FUZZ_TRACE_REPAIR_H

#include "trace/layout.h"
#include "trace/read.h"
#include "trace/write.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TRACE_LOADS_MAX = 12, TRACE_EVENTS_MAX = 100000 };

struct trace_bytes {
	struct tl_storage storage; /* first: readers see this member */
	const uint8_t *data;
};

static inline int64_t
trace_read(struct tl_storage *storage, void *to, size_t size, uint64_t at)
{
	struct trace_bytes *b = (struct trace_bytes *)(void *)storage;

	if (at >= storage->size)
		return 0;
	if (size > storage->size - at)
		size = (size_t)(storage->size - at);
	memcpy(to, b->data + at, size);
	return (int64_t)size;
}

static inline void
trace_close(struct tl_storage *storage)
{
	free(storage);
}

static inline struct tl_storage *
trace_storage(const uint8_t *data, size_t size)
{
	struct trace_bytes *b = malloc(sizeof(*b));

	assert(b);
	*b = (struct trace_bytes){ .storage = { .size = size,
				       .read_at = trace_read,
				       .close = trace_close },
		.data = data };
	return &b->storage;
}

static inline void
trace_put32(uint8_t *to, uint32_t n)
{
	struct tl_data_out out = { .data = to, .capacity = 4 };

	tl_data_put_u32(&out, n);
}

/*
 * Repair the file as if it began like one of ours and every block were whole.
 */
static inline void
trace_repair_data(uint8_t *data, size_t size)
{
	const struct tl_trace_header header = { 0 };
	uint32_t seed = tl_trace_seed(&header);
	size_t at = TL_TRACE_HEADER_SIZE;

	if (size < TL_TRACE_HEADER_SIZE)
		return;
	tl_trace_header_put(data, &header);
	while (at < size && size - at > TL_TRACE_BLOCK_HEADER) {
		struct tl_data_in in = tl_data_in(data + at, size - at);
		size_t stored;

		in.at = 6;
		stored = tl_data_u32(&in);
		if (data[at] != TL_TRACE_BLOCK_START ||
		    size - at - TL_TRACE_BLOCK_HEADER <= stored) {
			at++;
			continue;
		}
		trace_put32(data + at + 46,
		    tl_crc32c(seed, data + at + TL_TRACE_BLOCK_HEADER, stored));
		trace_put32(data + at + 50, tl_crc32c(seed, data + at, 50));
		at += TL_TRACE_BLOCK_HEADER + stored;
		data[at++] = TL_TRACE_BLOCK_END;
	}
}

static inline void
trace_repair_index(uint8_t *index, size_t size, size_t data_size)
{
	const struct tl_trace_header header = { 0 };
	const struct tl_cell self = { .kind = TL_TRACE_SELF };
	struct tl_cell eof = { .kind = TL_TRACE_EOF,
		.start = (int64_t)data_size };
	struct tl_data_out out = { .data = index, .capacity = size };

	if (size < TL_INDEX_HEADER_SIZE + TL_CELL_SIZE + TL_INDEX_FOOTER_SIZE)
		return;
	tl_data_put_u64(&out, TL_TRACE_INDEX_MAGIC);
	tl_data_put_u64(&out, TL_TRACE_VERSION);
	tl_cell_put(index + TL_INDEX_HEADER_SIZE, &self);
	eof.end =
	    (int64_t)((size - TL_INDEX_HEADER_SIZE - TL_INDEX_FOOTER_SIZE) /
		      TL_CELL_SIZE);
	eof.id = (int32_t)tl_crc32c(tl_trace_seed(&header),
	    index + TL_INDEX_HEADER_SIZE, (size_t)eof.end * TL_CELL_SIZE);
	tl_cell_put(index + size - TL_INDEX_FOOTER_SIZE, &eof);
	out.size = size - 8;
	tl_data_put_u64(&out, TL_TRACE_INDEX_MAGIC);
}

/* Two files out of the bytes of one input. */
struct trace_two {
	uint8_t *first;
	uint8_t *second;
	size_t first_size;
	size_t second_size;
};

/*
 * Split an input.  The first two bytes are the length of the first file, which
 * begins after lead bytes; the second file is the rest, or the same bytes.
 */
static inline void
trace_two_split(struct trace_two *two, const uint8_t *data, size_t size,
    size_t lead, bool same)
{
	const size_t wanted = (size_t)data[0] << 8 | data[1];
	const size_t rest = size - lead;

	two->first_size = wanted < rest ? wanted : rest;
	two->second_size = same ? two->first_size : rest - two->first_size;
	two->first = malloc(two->first_size + 1);
	two->second = malloc(two->second_size + 1);
	assert(two->first && two->second);
	memcpy(two->first, data + lead, two->first_size);
	memcpy(two->second, data + lead + (same ? 0 : two->first_size),
	    two->second_size);
}

static inline void
trace_two_free(struct trace_two *two)
{
	free(two->first);
	free(two->second);
}

/* Load children until there were enough of them. */
static inline void
trace_load_some(struct tl_trace *trace, struct tl_node *root, int *left)
{
	struct tl_node *node = root;

	while (node && (*left)-- > 0) {
		struct tl_node *child = NULL;

		if (tl_trace_load(trace, node, 0, 16) < 0 ||
		    tl_trace_load(trace, node, node->child_count / 2, 3) < 0)
			break;
		for (uint64_t i = 0; i < 16 && !child; i++) {
			child = tl_node_child(node, i);
			if (child && child->child_count == 0)
				child = NULL;
		}
		node = child;
	}
	tl_node_forget(root, &tl_trace_trees(trace)->budget);
}

static inline void
trace_read_all(const uint8_t *data, size_t size, const uint8_t *index,
    size_t index_size)
{
	const struct tl_trace_read_options options = { .memory_max = 64 << 20 };
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_trace *trace;
	struct tl_event event;
	int left = TRACE_LOADS_MAX;
	const int rc = tl_trace_open_storage(&trace, trace_storage(data, size),
	    index ? trace_storage(index, index_size) : NULL, &options, &fault);

	assert(rc == 0 || fault.text[0]);
	if (rc < 0)
		return;
	for (int order = 0; order < 2; order++) {
		int events = TRACE_EVENTS_MAX;

		if (tl_trace_cursor(trace, (enum tl_order)order, &cursor) < 0)
			continue;
		while (events-- > 0 && tl_cursor_next(cursor, &event) > 0)
			assert(event.kind == TL_LOST || event.message);
		tl_cursor_close(cursor);
	}
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		trace_load_some(trace, tl_trace_root(trace, i), &left);
	assert(tl_trace_trees(trace)->budget.used == 0);
	tl_trace_close(trace);
}

#endif
