/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_index.c - header, cells, footer; nothing of it is believed. */
#include "format/lincheck/index.h"

#include "trace/data.h"
#include "trace/layout.h"

#include <errno.h>
#include <inttypes.h>

enum {
	MAGIC_SIZE = 8,
	CELLS_AT_ONCE = 512,
	END_SIZE = TL_CELL_SIZE + MAGIC_SIZE /* cell of the EOF, magic */
};

static uint64_t
mix(uint64_t n)
{
	n ^= n >> 32;
	n *= UINT64_C(0xd6e8feb86659fd93);
	n ^= n >> 32;
	n *= UINT64_C(0xd6e8feb86659fd93);
	return n ^ n >> 32;
}

void
tl_lincheck_cells_add(struct tl_lincheck_cells *cells, uint32_t version,
    uint8_t kind, int32_t id, uint64_t start, uint64_t end)
{
	const uint8_t known = tl_lincheck_kind_read(version, kind);
	uint64_t hash = mix((uint64_t)kind << 32 | (uint32_t)id);

	hash = mix(hash + start);
	if (known == TL_LINCHECK_POINT || known == TL_LINCHECK_BLOCK_START)
		hash = mix(hash + end);
	cells->sum += hash;
	cells->count++;
}

static int
bad(struct tl_fault *fault, uint64_t at, const char *text)
{
	return tl_fault(fault, -EBADMSG, at, "%s", text);
}

static uint64_t
number_at(const uint8_t *bytes)
{
	struct tl_data_in in = tl_data_in(bytes, MAGIC_SIZE);

	return tl_data_u64(&in);
}

/* Exactly size bytes: 0, -EIO, -errno. */
static int
read_exactly(struct tl_storage *s, void *to, size_t size, uint64_t at)
{
	const int64_t n = tl_storage_read_at(s, to, size, at);

	if (n < 0)
		return (int)n;
	return (size_t)n == size ? 0 : -EIO;
}

/* Header and footer, and that whole cells lie between them. */
static int
check_ends(struct tl_storage *s, uint32_t version, struct tl_fault *fault)
{
	uint8_t head[TL_LINCHECK_HEADER_SIZE], end[END_SIZE];
	struct tl_cell cell;
	int rc;

	if (s->size < sizeof(head) + sizeof(end))
		return bad(fault, s->size, "it is cut short");
	rc = read_exactly(s, head, sizeof(head), 0);
	if (rc == 0)
		rc = read_exactly(s, end, sizeof(end), s->size - sizeof(end));
	if (rc < 0)
		return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s",
		    "it cannot be read");
	if (number_at(head) != TL_LINCHECK_INDEX_MAGIC)
		return bad(fault, 0, "it does not begin as an index does");
	if (number_at(head + MAGIC_SIZE) != version)
		return bad(fault, MAGIC_SIZE, "it is of another version");
	cell = tl_cell_get(end);
	if (number_at(end + TL_CELL_SIZE) != TL_LINCHECK_INDEX_MAGIC ||
	    tl_lincheck_kind_read(version, cell.kind) != TL_LINCHECK_EOF ||
	    cell.id != TL_LINCHECK_NONE)
		return bad(fault, s->size - sizeof(end),
		    "it does not end as an index does");
	if ((s->size - sizeof(head) - sizeof(end)) % TL_CELL_SIZE != 0)
		return bad(fault, s->size, "a cell of it is cut");
	return 0;
}

bool
tl_lincheck_index_is_finished(struct tl_storage *index, uint32_t version)
{
	struct tl_fault ignored = { 0 };

	return check_ends(index, version, &ignored) == 0;
}

static int
add_all(struct tl_storage *s, uint32_t version, struct tl_lincheck_cells *cells,
    bool *by_memory, struct tl_fault *fault)
{
	uint8_t piece[CELLS_AT_ONCE * TL_CELL_SIZE];
	const uint64_t end = s->size - END_SIZE;
	uint64_t at = TL_LINCHECK_HEADER_SIZE;

	*by_memory = false;
	while (at < end) {
		const size_t size = end - at < sizeof(piece)
					? (size_t)(end - at)
					: sizeof(piece);
		const int rc = read_exactly(s, piece, size, at);

		if (rc < 0)
			return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s",
			    "it cannot be read");
		for (size_t i = 0; i < size; i += TL_CELL_SIZE) {
			const struct tl_cell c = tl_cell_get(piece + i);
			const uint8_t kind =
			    tl_lincheck_kind_read(version, c.kind);

			if (kind == TL_LINCHECK_NO_KIND ||
			    kind == TL_LINCHECK_EOF)
				return bad(fault, at + i, "a cell of no kind");
			if (at + i == TL_LINCHECK_HEADER_SIZE)
				*by_memory = kind != TL_LINCHECK_BLOCK_START;
			tl_lincheck_cells_add(cells, version, c.kind, c.id,
			    (uint64_t)c.start, (uint64_t)c.end);
		}
		at += size;
	}
	return 0;
}

int
tl_lincheck_index_check(struct tl_storage *index, uint32_t version,
    const struct tl_lincheck_cells *cells, bool *by_memory,
    struct tl_fault *fault)
{
	struct tl_lincheck_cells found = { 0 };
	int rc = check_ends(index, version, fault);

	if (rc == 0)
		rc = add_all(index, version, &found, by_memory, fault);
	if (rc < 0)
		return rc;
	if (found.count != cells->count)
		return tl_fault(fault, -EBADMSG, TL_FAULT_NOWHERE,
		    "it has %" PRIu64 " cells for %" PRIu64 " objects",
		    found.count, cells->count);
	if (found.sum != cells->sum)
		return bad(fault, TL_FAULT_NOWHERE,
		    "its cells are not those of the data");
	return 0;
}
