/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - headers, blocks and cells as bytes; their checksum.
 */
#include "trace/layout.h"

#include "base/word.h"

#if defined(__x86_64__)
#	include <cpuid.h>
#endif
#include <errno.h>
#include <pthread.h>
#include <string.h>

/* == checksum == */

enum { SLICES = 8, BYTES = 256 };

static const uint32_t polynomial = 0x82f63b78; /* bit-reversed */
static uint32_t tables[SLICES][BYTES];

static void
make_tables(void)
{
	for (uint32_t byte = 0; byte < BYTES; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
		tables[0][byte] = crc;
	}
	for (int slice = 1; slice < SLICES; slice++)
		for (uint32_t byte = 0; byte < BYTES; byte++) {
			const uint32_t crc = tables[slice - 1][byte];

			tables[slice][byte] =
			    crc >> 8 ^ tables[0][crc & (BYTES - 1)];
		}
}

/* The checksum after the 8 bytes of a word, the lowest byte first. */
static uint32_t
step(uint32_t crc, uint64_t word)
{
	uint32_t next = 0;

	word ^= crc;
	for (int slice = SLICES - 1; slice >= 0; slice--, word >>= 8)
		next ^= tables[slice][word & (BYTES - 1)];
	return next;
}

uint32_t
tl_crc32c_by_table(uint32_t crc, const void *data, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const uint8_t *at = data;

	pthread_once(&once, make_tables);
	crc = ~crc;
	for (uint64_t word; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		crc = step(crc, word);
		at += sizeof(word);
	}
	while (size-- > 0)
		crc = crc >> 8 ^ tables[0][(crc ^ *at++) & (BYTES - 1)];
	return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *at = data;
	uint64_t sum = (uint32_t)~crc;

	for (uint64_t word; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = __builtin_ia32_crc32di(sum, word);
		at += sizeof(word);
	}
	while (size-- > 0)
		sum = __builtin_ia32_crc32qi((uint32_t)sum, *at++);
	return (uint32_t)~sum;
}

/* __builtin_cpu_supports() of gcc would add 4 KiB of CPU models. */
static bool
has_instruction(void)
{
	enum { UNKNOWN, NO, YES };
	static uint32_t known;
	uint32_t a, b, c = 0, d, is = tl_load_32(&known);

	if (is == UNKNOWN) {
		is = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2) ? YES
									: NO;
		tl_store_32(&known, is);
	}
	return is == YES;
}
#endif

uint32_t
tl_crc32c(uint32_t crc, const void *data, size_t size)
{
#if defined(__x86_64__)
	if (has_instruction())
		return by_instruction(crc, data, size);
#endif
	return tl_crc32c_by_table(crc, data, size);
}

/* == headers, blocks, cells == */

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
	header->compat = tl_data_u64(&in);
	header->incompat = tl_data_u64(&in);
	memcpy(header->id, tl_data_take(&in, TL_TRACE_ID_SIZE),
	    TL_TRACE_ID_SIZE);
	header->created_ns = tl_data_i64(&in);
	header->codec = (uint8_t)(tl_data_u32(&in) >> 24);
	if (tl_data_u32(&in) != tl_crc32c(0, first.data, CHECKED))
		return tl_fault(fault, -EBADMSG, CHECKED,
		    "the header is damaged: its checksum is wrong");
	if (header->incompat & ~TL_TRACE_INCOMPAT)
		return tl_fault(fault, -EPROTO, 24,
		    "the trace needs features that are not known here: "
		    "%#llx; a newer version of timeline reads them",
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

/* Are the fields possible?  A correct checksum does not guarantee that. */
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
