/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - check an index, or read a trace through it. */
#include "format/lincheck/index.h"

#include "base/array.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* == check == */

enum {
	MAGIC_SIZE = 8,
	END_SIZE = TL_CELL_SIZE + MAGIC_SIZE, /* cell of EOF, magic */
	READ_SIZE = 1 << 10 /* bytes read at once for a definition */
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

/* Read exactly size bytes: 0, -EIO, -errno. */
static int
read_exactly(struct tl_storage *s, void *to, size_t size, uint64_t at)
{
	const int64_t n = tl_storage_read_at(s, to, size, at);

	if (n < 0)
		return (int)n;
	return (size_t)n == size ? 0 : -EIO;
}

int
tl_lincheck_index_ends(struct tl_storage *s, uint32_t version,
    struct tl_fault *fault)
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
		return tl_fail(fault, rc, "%s", "it cannot be read");
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

/* Read the piece that begins with cell i. */
static int
read_piece(struct tl_lincheck_index *x, uint64_t i)
{
	const uint64_t left = x->count - i;
	const uint64_t n = left < TL_LINCHECK_CHUNK ? left : TL_LINCHECK_CHUNK;
	int rc;

	x->piece_count = 0;
	rc = read_exactly(x->storage, x->piece, (size_t)n * TL_CELL_SIZE,
	    TL_LINCHECK_HEADER_SIZE + i * TL_CELL_SIZE);
	if (rc < 0)
		return rc;
	x->piece_first = i;
	x->piece_count = n;
	return 0;
}

/* Set *bytes to the bytes of cell i.  Returns its kind, or -errno. */
static inline int
find_cell(struct tl_lincheck_index *x, uint64_t i, const uint8_t **bytes)
{
	int rc;

	if (i - x->piece_first >= x->piece_count && (rc = read_piece(x, i)) < 0)
		return rc;
	*bytes = x->piece + (i - x->piece_first) * TL_CELL_SIZE;
	return tl_lincheck_kind_read(x->version, **bytes);
}

static uint64_t
count_cells(const struct tl_storage *s)
{
	return (s->size - TL_LINCHECK_HEADER_SIZE - END_SIZE) / TL_CELL_SIZE;
}

int
tl_lincheck_index_check(struct tl_storage *s, uint32_t version,
    const struct tl_lincheck_cells *cells, bool *by_memory,
    struct tl_fault *fault)
{
	struct tl_lincheck_index x = { .storage = s, .version = version };
	struct tl_lincheck_cells found = { 0 };
	const uint8_t *bytes;
	struct tl_cell c;
	int rc = tl_lincheck_index_ends(s, version, fault);

	if (rc < 0)
		return rc;
	*by_memory = false;
	x.count = count_cells(s);
	for (uint64_t i = 0; i < x.count; i++) {
		const int kind = find_cell(&x, i, &bytes);

		if (kind < 0)
			return tl_fail(fault, kind, "%s", "it cannot be read");
		if (kind == TL_LINCHECK_NO_KIND || kind == TL_LINCHECK_EOF)
			return bad(fault,
			    TL_LINCHECK_HEADER_SIZE + i * TL_CELL_SIZE,
			    "a cell of no kind");
		if (i == 0)
			*by_memory = kind != TL_LINCHECK_BLOCK_START;
		c = tl_cell_get(bytes);
		tl_lincheck_cells_add(&found, version, c.kind, c.id,
		    (uint64_t)c.start, (uint64_t)c.end);
	}
	if (found.count != cells->count)
		return tl_fail(fault, -EBADMSG,
		    "it has %" PRIu64 " cells for %" PRIu64 " objects",
		    found.count, cells->count);
	if (found.sum != cells->sum)
		return bad(fault, TL_FAULT_NOWHERE,
		    "its cells are not those of the data");
	return 0;
}

/* == bytes of the data == */

/* Read bytes from at on, at least `size` of them or up to end. */
static int
fill(struct tl_lincheck_window *w, uint64_t at, uint64_t end, size_t size)
{
	int64_t n;
	char *to;

	if (size > end - at)
		size = (size_t)(end - at);
	tl_text_clear(&w->bytes);
	w->at = at;
	to = tl_text_reserve(&w->bytes, size);
	if (!to)
		return -ENOMEM;
	n = tl_storage_read_at(w->storage, to, size, at);
	if (n < 0)
		return (int)n;
	w->bytes.size = (size_t)n;
	return (size_t)n == size ? 0 : -EIO;
}

int64_t
tl_lincheck_window_parse(struct tl_lincheck_window *w, uint64_t at,
    uint64_t end, size_t read_size, struct tl_lincheck_dialect *dialect,
    struct tl_lincheck_object *object)
{
	size_t need = 1;

	for (;;) {
		const uint64_t behind = w->at + w->bytes.size;
		size_t have =
		    at >= w->at && at < behind ? (size_t)(behind - at) : 0;
		int64_t size = 0;
		int rc;

		if (have > end - at)
			have = (size_t)(end - at);
		if (have > 0)
			size = tl_lincheck_parse(object, dialect,
			    tl_bytes(w->bytes.data + (at - w->at), have),
			    have == end - at, &need);
		if (size != 0)
			return size;
		if (have == end - at) /* the object does not end there */
			return -EBADMSG;
		if (need < read_size)
			need = read_size;
		if ((rc = fill(w, at, end, need)) < 0)
			return rc;
	}
}

/* == open == */

/* A block as its cell describes it. */
struct place {
	uint64_t start;
	uint64_t end;
	int32_t thread;
	uint64_t cell; /* number of the first cell of its content */
	uint64_t count;
};

struct opening {
	struct tl_lincheck_index *index;
	struct tl_lincheck_window *data;
	struct tl_lincheck_messages *messages;
	struct place *places;
	size_t count;
	size_t capacity;
};

static int
get_cell(struct tl_lincheck_index *x, uint64_t i, struct tl_cell *cell)
{
	const uint8_t *bytes;
	const int kind = find_cell(x, i, &bytes);

	if (kind < 0)
		return kind;
	*cell = tl_cell_get(bytes);
	cell->kind = (uint8_t)kind;
	return 0;
}

/*
 * Find the blocks.  The cell of a block stands before the cells of its content,
 * or behind them if Lincheck wrote the index from memory.
 */
static int
find_places(struct opening *o)
{
	struct tl_lincheck_index *x = o->index;
	bool before = true;
	uint64_t first = 0;
	const uint8_t *bytes;
	struct tl_cell cell;

	for (uint64_t i = 0; i < x->count; i++) {
		const int kind = find_cell(x, i, &bytes);

		if (kind < 0)
			return kind;
		if (i == 0)
			before = kind == TL_LINCHECK_BLOCK_START;
		if (kind != TL_LINCHECK_BLOCK_START)
			continue;
		cell = tl_cell_get(bytes);
		if (before && o->count > 0)
			o->places[o->count - 1].count = i - first;
		if (o->count >
		    o->data->storage->size / TL_LINCHECK_BLOCK_HEADER)
			return -EBADMSG;
		if (TL_ARRAY_ROOM(o->places, o->capacity, o->count) < 0)
			return -ENOMEM;
		o->places[o->count++] =
		    (struct place){ .start = (uint64_t)cell.start,
			    .end = (uint64_t)cell.end,
			    .thread = cell.id,
			    .cell = before ? i + 1 : first,
			    .count = before ? 0 : i - first };
		first = i + 1;
	}
	if (before && o->count > 0)
		o->places[o->count - 1].count = x->count - first;
	return o->count > 0 && (before || first == x->count) ? 0 : -EBADMSG;
}

/* Do the data have a kind, and behind it this thread, at a byte? */
static bool
is_start(const struct opening *o, const uint8_t *bytes, int32_t thread)
{
	struct tl_data_in in = tl_data_in(bytes, TL_LINCHECK_BLOCK_HEADER);

	return tl_lincheck_kind_read(o->index->version, tl_data_u8(&in)) ==
		   TL_LINCHECK_BLOCK_START &&
	       tl_data_i32(&in) == thread;
}

/* Compare the ends of the blocks, which fill the file, with the data. */
static int
check_places(const struct opening *o)
{
	struct tl_storage *data = o->data->storage;
	const uint32_t version = o->index->version;
	uint64_t at = TL_LINCHECK_HEADER_SIZE;
	uint8_t bytes[1 + TL_LINCHECK_BLOCK_HEADER];
	int rc = read_exactly(data, bytes + 1, TL_LINCHECK_BLOCK_HEADER, at);

	for (size_t i = 0; rc == 0 && i < o->count; i++) {
		const struct place *p = &o->places[i];
		const bool last = i + 1 == o->count;

		if (p->start != at || p->end >= data->size ||
		    p->end < at + TL_LINCHECK_BLOCK_HEADER ||
		    !is_start(o, bytes + 1, p->thread))
			return -EBADMSG;
		at = p->end + 1;
		rc =
		    read_exactly(data, bytes, last ? 2 : sizeof(bytes), p->end);
		if (rc == 0 &&
		    (tl_lincheck_kind_read(version, bytes[0]) !=
			    TL_LINCHECK_BLOCK_END ||
			(last && (at + 1 != data->size ||
				     tl_lincheck_kind_read(version, bytes[1]) !=
					 TL_LINCHECK_EOF))))
			return -EBADMSG;
	}
	return rc == -EIO ? -EBADMSG : rc;
}

/* The number of a thread, which may be new. */
static int
find_lane(struct tl_lincheck_index *x, int32_t thread, uint32_t *number)
{
	const int rc = tl_id_map_get(&x->numbers,
	    (struct tl_id_key){ .a = (uint32_t)thread }, number);

	if (rc < 0)
		return rc == -ENOSPC ? -EBADMSG : rc;
	if (*number >= TL_LINCHECK_THREADS_MAX)
		return -EBADMSG;
	if (rc == 0)
		return 0;
	if (TL_ARRAY_ZEROS(x->lanes, x->lane_capacity, *number) < 0)
		return -ENOMEM;
	x->lanes[*number].thread = thread;
	x->lane_count = (size_t)*number + 1;
	return 0;
}

/*
 * Read the definition or name that a cell points to.  *low: the first byte of
 * its block at which the object may begin.
 */
static int
take_definition(struct opening *o, const struct place *place,
    const struct tl_cell *cell, uint64_t *low)
{
	struct tl_lincheck_dialect dialect = { .version = o->index->version };
	const uint64_t at = (uint64_t)cell->start;
	struct tl_lincheck_object object;
	int64_t size;
	int rc;

	if (at < *low || at >= place->end)
		return -EBADMSG;
	size = tl_lincheck_window_parse(o->data, at, place->end, READ_SIZE,
	    &dialect, &object);
	if (size < 0)
		return (int)size;
	if (object.kind != cell->kind || object.id != cell->id)
		return -EBADMSG;
	*low = at + (uint64_t)size;
	if (object.kind == TL_LINCHECK_THREAD_NAME) {
		struct tl_text name = { 0 };
		uint32_t number;

		rc = find_lane(o->index, object.id, &number);
		if (rc == 0 && !tl_mutf8_decode(&name, object.body))
			rc = -EBADMSG;
		if (rc == 0 && name.size > 0)
			rc = tl_interner_string(o->messages->interner,
			    tl_text_bytes(&name),
			    &o->index->lanes[number].name);
		tl_text_free(&name);
		return rc;
	}
	if (object.body.size > TL_INTERNER_TEXT_MAX)
		return -EBADMSG;
	rc = tl_lincheck_context_put(&o->messages->context, &object);
	return rc == -EEXIST || rc == -ENOSPC ? -EBADMSG : rc;
}

/*
 * Add the cell of a container whose footer is in a block to the lane of the
 * block.
 */
static int
take_container(struct tl_lincheck_lane *lane,
    const struct tl_lincheck_block *block, const struct tl_cell *cell,
    uint64_t i, bool *begun)
{
	const uint64_t start = (uint64_t)cell->start;
	const uint64_t end = (uint64_t)cell->end;
	struct tl_lincheck_chunk *chunk =
	    *begun ? &lane->chunks[lane->chunk_count - 1] : NULL;

	if (start > end || end < block->logical ||
	    end - block->logical >= block->size ||
	    (lane->chunk_count > 0 &&
		end <= lane->chunks[lane->chunk_count - 1].end_max))
		return -EBADMSG;
	if (!chunk || i - chunk->cell >= TL_LINCHECK_CHUNK) {
		if (TL_ARRAY_ROOM(lane->chunks, lane->chunk_capacity,
			lane->chunk_count) < 0)
			return -ENOMEM;
		chunk = &lane->chunks[lane->chunk_count++];
		*chunk =
		    (struct tl_lincheck_chunk){ .cell = i, .start_min = start };
		*begun = true;
	}
	chunk->count = i - chunk->cell + 1;
	chunk->end_max = end;
	if (start < chunk->start_min)
		chunk->start_min = start;
	return 0;
}

/* Take the cells of the content of a block. */
static int
take_block(struct opening *o, const struct place *place)
{
	struct tl_lincheck_index *x = o->index;
	struct tl_lincheck_block block = { .at = place->start +
						 TL_LINCHECK_BLOCK_HEADER };
	struct tl_lincheck_lane *lane;
	uint64_t low = block.at;
	uint32_t number;
	struct tl_cell cell;
	bool begun = false;
	int rc = find_lane(x, place->thread, &number);

	if (rc < 0)
		return rc;
	lane = &x->lanes[number];
	block.logical = lane->size;
	block.size = place->end - block.at;
	if (TL_ARRAY_ROOM(lane->blocks, lane->block_capacity,
		lane->block_count) < 0)
		return -ENOMEM;
	lane->blocks[lane->block_count++] = block;
	lane->size += block.size;
	for (uint64_t i = place->cell; i < place->cell + place->count; i++) {
		if ((rc = get_cell(x, i, &cell)) < 0)
			return rc;
		if (cell.kind == TL_LINCHECK_POINT)
			rc = take_container(&x->lanes[number], &block, &cell, i,
			    &begun);
		else if (tl_lincheck_is_definition(cell.kind) ||
			 cell.kind == TL_LINCHECK_THREAD_NAME)
			rc = take_definition(o, place, &cell, &low);
		else
			rc = -EBADMSG;
		if (rc < 0)
			return rc;
	}
	return 0;
}

int
tl_lincheck_index_open(struct tl_lincheck_index *x, struct tl_storage *storage,
    struct tl_lincheck_window *data, struct tl_lincheck_messages *messages)
{
	struct opening o = { .index = x, .data = data, .messages = messages };
	struct tl_fault fault;
	int rc;

	x->storage = storage;
	x->version = messages->context.version;
	rc = tl_lincheck_index_ends(storage, x->version, &fault);
	if (rc < 0)
		return rc == -EIO ? -EBADMSG : rc;
	x->count = count_cells(storage);
	rc = find_places(&o);
	if (rc == 0)
		rc = check_places(&o);
	for (size_t i = 0; rc == 0 && i < o.count; i++)
		rc = take_block(&o, &o.places[i]);
	free(o.places);
	return rc;
}

void
tl_lincheck_index_free(struct tl_lincheck_index *x)
{
	for (size_t i = 0; i < x->lane_count; i++) {
		free(x->lanes[i].blocks);
		free(x->lanes[i].chunks);
	}
	free(x->lanes);
	tl_id_map_free(&x->numbers);
}

/* == find == */

/*
 * A container ends after every container inside it.  The cell of the container
 * at start is therefore the first cell that ends after start and does not begin
 * after start.
 */
int
tl_lincheck_index_find(struct tl_lincheck_index *x,
    const struct tl_lincheck_lane *lane, uint64_t start, struct tl_cell *cell)
{
	const bool follows = x->next_lane == lane && x->last_end < start;
	const uint8_t *bytes;
	size_t at = 0;

	if (follows)
		at = x->next_chunk;
	else
		TL_SEARCH(at, 0, lane->chunk_count,
		    lane->chunks[at].end_max < start);
	for (; at < lane->chunk_count; at++) {
		const struct tl_lincheck_chunk *chunk = &lane->chunks[at];
		uint64_t i = chunk->cell;

		if (chunk->end_max < start || chunk->start_min > start)
			continue;
		if (follows && x->next_cell > i)
			i = x->next_cell;
		for (; i < chunk->cell + chunk->count; i++) {
			const int kind = find_cell(x, i, &bytes);

			if (kind < 0)
				return kind;
			if (kind != TL_LINCHECK_POINT)
				continue;
			*cell = tl_cell_get(bytes);
			if ((uint64_t)cell->end < start ||
			    (uint64_t)cell->start > start)
				continue;
			if ((uint64_t)cell->start < start)
				return 0;
			x->next_lane = lane;
			x->next_chunk = at;
			x->next_cell = i + 1;
			x->last_end = (uint64_t)cell->end;
			return 1;
		}
	}
	return 0;
}
