/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - headers and cells to bytes and back. */
#include "trace/layout.h"

#include "trace/crc32c.h"

#include <errno.h>

enum { CHECKED = TL_TRACE_HEADER_SIZE - 4, BLOCK_CHECKED = 50 };

static struct tl_data_out
out_of(uint8_t *to, size_t size)
{
	return (struct tl_data_out){ .data = to, .capacity = size };
}

void
tl_trace_header_put(uint8_t to[TL_TRACE_HEADER_SIZE],
    const struct tl_trace_header *header)
{
	struct tl_data_out out = out_of(to, TL_TRACE_HEADER_SIZE);

	tl_data_put_u64(&out, TL_TRACE_MAGIC);
	tl_data_put_u64(&out, TL_TRACE_VERSION);
	tl_data_put_u64(&out, header->compat);
	tl_data_put_u64(&out, header->incompat);
	tl_data_put_bytes(&out, tl_bytes(header->id, sizeof(header->id)));
	tl_data_put_i64(&out, header->created_ns);
	tl_data_put_u32(&out, (uint32_t)header->codec << 24);
	tl_data_put_u32(&out, tl_crc32c(0, to, CHECKED));
}

static void
read_header(struct tl_trace_header *header, struct tl_data_in *in)
{
	header->compat = tl_data_u64(in);
	header->incompat = tl_data_u64(in);
	memcpy(header->id, tl_data_take(in, TL_TRACE_ID_SIZE),
	    TL_TRACE_ID_SIZE);
	header->created_ns = tl_data_i64(in);
	header->codec = (uint8_t)(tl_data_u32(in) >> 24);
}

int
tl_trace_header_get(struct tl_trace_header *header, struct tl_bytes first,
    struct tl_fault *fault)
{
	struct tl_data_in in = tl_data_in(first.data, first.size);
	uint64_t version;

	if (tl_data_u64(&in) != TL_TRACE_MAGIC)
		return tl_fault(fault, -EBADMSG, 0, "not a recorded trace");
	version = tl_data_u64(&in);
	if (in.bad || first.size < TL_TRACE_HEADER_SIZE)
		return tl_fault(fault, -ENODATA, first.size,
		    "the trace ends inside its header");
	if (version != TL_TRACE_VERSION)
		return tl_fault(fault, -EPROTO, 8,
		    "a trace of version %llu; version %d can be read",
		    (unsigned long long)version, TL_TRACE_VERSION);
	read_header(header, &in);
	if (tl_data_u32(&in) != tl_crc32c(0, first.data, CHECKED))
		return tl_fault(fault, -EBADMSG, CHECKED,
		    "the header is damaged: its checksum is wrong");
	if (header->incompat & ~TL_TRACE_INCOMPAT)
		return tl_fault(fault, -EPROTO, 24,
		    "the trace needs features that are not known here: %#llx",
		    (unsigned long long)(header->incompat &
					 ~TL_TRACE_INCOMPAT));
	return 0;
}

uint32_t
tl_trace_seed(const struct tl_trace_header *header)
{
	return tl_crc32c(0, header->id, sizeof(header->id));
}

void
tl_trace_block_put(uint8_t to[TL_TRACE_BLOCK_HEADER],
    const struct tl_trace_block *block, uint32_t seed)
{
	struct tl_data_out out = out_of(to, TL_TRACE_BLOCK_HEADER);

	tl_data_put_u8(&out, TL_TRACE_BLOCK_START);
	tl_data_put_i32(&out, block->thread);
	tl_data_put_u8(&out, block->flags);
	tl_data_put_u32(&out, block->stored);
	tl_data_put_u32(&out, block->size);
	tl_data_put_u64(&out, block->logical);
	tl_data_put_u32(&out, block->depth);
	tl_data_put_u32(&out, block->events);
	tl_data_put_i64(&out, block->min_ns);
	tl_data_put_i64(&out, block->max_ns);
	tl_data_put_u32(&out, block->crc);
	tl_data_put_u32(&out, tl_crc32c(seed, to, BLOCK_CHECKED));
}

/* Can this be, whatever its checksum says? */
static bool
is_sane(const struct tl_trace_block *block)
{
	const bool packed = block->flags & TL_BLOCK_PACKED;

	return !(block->flags & ~TL_BLOCK_PACKED) &&
	       block->thread >= TL_TRACE_DEFINITIONS &&
	       block->size <= TL_TRACE_BLOCK_MAX && block->size > 0 &&
	       block->logical <= (uint64_t)INT64_MAX - block->size &&
	       (packed ? block->stored < block->size &&
			     block->thread != TL_TRACE_DEFINITIONS
		       : block->stored == block->size);
}

bool
tl_trace_block_get(struct tl_trace_block *block, const uint8_t *from,
    uint32_t seed)
{
	struct tl_data_in in = tl_data_in(from, TL_TRACE_BLOCK_HEADER);

	if (tl_data_u8(&in) != TL_TRACE_BLOCK_START)
		return false;
	block->thread = tl_data_i32(&in);
	block->flags = tl_data_u8(&in);
	block->stored = tl_data_u32(&in);
	block->size = tl_data_u32(&in);
	block->logical = tl_data_u64(&in);
	block->depth = tl_data_u32(&in);
	block->events = tl_data_u32(&in);
	block->min_ns = tl_data_i64(&in);
	block->max_ns = tl_data_i64(&in);
	block->crc = tl_data_u32(&in);
	return is_sane(block) &&
	       tl_data_u32(&in) == tl_crc32c(seed, from, BLOCK_CHECKED);
}

void
tl_cell_put(uint8_t to[TL_CELL_SIZE], const struct tl_cell *cell)
{
	struct tl_data_out out = out_of(to, TL_CELL_SIZE);

	tl_data_put_u8(&out, cell->kind);
	tl_data_put_i32(&out, cell->id);
	tl_data_put_i64(&out, cell->start);
	tl_data_put_i64(&out, cell->end);
}

struct tl_cell
tl_cell_get(const uint8_t from[TL_CELL_SIZE])
{
	struct tl_data_in in = tl_data_in(from, TL_CELL_SIZE);
	struct tl_cell cell = { .kind = tl_data_u8(&in) };

	cell.id = tl_data_i32(&in);
	cell.start = tl_data_i64(&in);
	cell.end = tl_data_i64(&in);
	return cell;
}
