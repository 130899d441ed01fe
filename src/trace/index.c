/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index.c - parse an index, and find places with it.
 */
#include "trace/index.h"

#include "base/array.h"
#include "trace/opened.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* == places == */

size_t
tl_trace_lane_find(const struct tl_trace_lane *lane, uint64_t logical)
{
	size_t i;

	TL_SEARCH(i, 0, lane->block_count,
	    lane->blocks[i].block.logical + lane->blocks[i].block.size <=
		logical);
	return i;
}

const struct tl_span_place *
tl_trace_lane_span(const struct tl_trace_lane *lane, uint64_t start)
{
	size_t i;

	TL_SEARCH(i, 0, lane->span_count, lane->spans[i].start < start);
	if (i == lane->span_count || lane->spans[i].start != start)
		return NULL;
	return &lane->spans[i];
}

/* The first mark at or after an offset. */
static size_t
find_mark(const struct tl_mark_place *marks, size_t count, uint64_t at)
{
	size_t i;

	TL_SEARCH(i, 0, count, marks[i].at < at);
	return i;
}

struct tl_mark_place *
tl_trace_lane_open(const struct tl_trace_lane *lane, uint64_t start)
{
	const size_t i = find_mark(lane->open, lane->open_count, start);

	if (i == lane->open_count || lane->open[i].at != start)
		return NULL;
	return &lane->open[i];
}

/* Marks of inner containers lie between the marks of a content; the depth tells
 * them apart. */
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

/* == parse == */

struct parse {
	struct tl_index *index;
	struct tl_id_map ids;              /* of the lanes */
	struct tl_trace_lane *lane;        /* of the current block */
	struct tl_block_place definitions; /* the current block */
	struct tl_text stored; /* the content of the current block */
	struct tl_fault *fault;
	uint64_t at; /* of the cell, in the index */
	bool roots;  /* the cells at the end have begun */
};

static int
wrong(struct parse *p, const char *what)
{
	return tl_fault(p->fault, -EBADMSG, p->at, "%s", what);
}

static int
find_lane(struct parse *p, int32_t id, struct tl_trace_lane **lane)
{
	struct tl_index *x = p->index;
	const struct tl_id_key key = { (uint32_t)id, 0 };
	uint32_t i;
	int rc;

	if (TL_ARRAY_ROOM(x->lanes, x->lane_capacity, x->lane_count) < 0)
		return -ENOMEM;
	if ((rc = tl_id_map_get(&p->ids, key, &i)) < 0)
		return rc;
	if (rc > 0)
		x->lanes[x->lane_count++] = (struct tl_trace_lane){ .id = id };
	*lane = &x->lanes[i];
	return 0;
}

static int
read_whole(const struct tl_index *x, void *to, size_t size, uint64_t at)
{
	const int64_t n = tl_storage_read_at(x->data, to, size, at);

	if (n < 0)
		return (int)n;
	return (uint64_t)n == size ? 0 : -EBADMSG;
}

int
tl_index_content(const struct tl_index *x, const struct tl_block_place *place,
    struct tl_text *stored, struct tl_text *room, struct tl_bytes *content)
{
	char *to;
	int rc;

	tl_text_clear(stored);
	to = tl_text_reserve(stored, place->block.stored);
	if (!to) {
		stored->rc = 0;
		return -ENOMEM;
	}
	rc = read_whole(x, to, place->block.stored,
	    place->at + TL_TRACE_BLOCK_HEADER);
	if (rc < 0)
		return rc;
	return tl_block_content(&place->block, &x->header, x->seed, x->options,
	    tl_bytes(to, place->block.stored), room, content);
}

/* Read the definitions of a whole block, with the cell of the block. */
static int
read_definitions(struct parse *p)
{
	struct tl_text room = { 0 };
	struct tl_bytes content;
	int rc = tl_index_content(p->index, &p->definitions, &p->stored, &room,
	    &content);

	p->stored.size = rc == 0 ? content.size : 0;
	if (rc == 0)
		rc = tl_context_read_all(p->index->context, content);
	if (rc == -EBADMSG)
		return wrong(p, "definitions are damaged");
	return rc;
}

static int
add_block(struct parse *p, const struct tl_block_place *place)
{
	struct tl_trace_lane *lane;
	int rc = find_lane(p, place->block.thread, &lane);

	if (rc < 0)
		return rc;
	p->lane = lane;
	if (place->block.logical < lane->size)
		return wrong(p, "a block is not where its stream goes on");
	if (place->block.logical > lane->size)
		lane->holes = true;
	if (TL_ARRAY_ROOM(lane->blocks, lane->block_capacity,
		lane->block_count) < 0)
		return -ENOMEM;
	lane->blocks[lane->block_count++] = *place;
	lane->size = place->block.logical + place->block.size;
	return 0;
}

static int
parse_block(struct parse *p, const struct tl_cell *cell)
{
	uint8_t bytes[TL_TRACE_BLOCK_HEADER];
	struct tl_block_place place = { .at = (uint64_t)cell->start };
	int rc;

	if (cell->start < TL_TRACE_HEADER_SIZE || cell->end < cell->start)
		return wrong(p, "a block is outside the data");
	rc = read_whole(p->index, bytes, sizeof(bytes), place.at);
	if (rc < 0 && rc != -EBADMSG)
		return rc;
	if (rc < 0 ||
	    !tl_trace_block_get(&place.block, bytes, p->index->seed) ||
	    place.block.thread != cell->id ||
	    place.at + tl_trace_block_size(&place.block) - 1 !=
		(uint64_t)cell->end ||
	    (uint64_t)cell->end >= p->index->data->size)
		return wrong(p, "no such block");
	if (cell->id != TL_TRACE_DEFINITIONS) {
		p->definitions.block.size = 0;
		return add_block(p, &place);
	}
	p->lane = NULL;
	p->definitions = place;
	return read_definitions(p);
}

/* Does the cell match the definition that it points to? */
static int
check_definition(struct parse *p, const struct tl_cell *cell)
{
	const uint64_t from = p->definitions.at + TL_TRACE_BLOCK_HEADER;
	struct tl_data_in in = tl_data_in(p->stored.data, p->stored.size);

	if (p->lane || p->definitions.block.size == 0 || cell->end != -1 ||
	    (uint64_t)cell->start < from ||
	    (uint64_t)cell->start - from >= in.size)
		return wrong(p, "a definition is outside its block");
	in.at = (size_t)((uint64_t)cell->start - from);
	if (tl_data_u8(&in) != cell->kind || tl_data_i32(&in) != cell->id)
		return wrong(p, "no such definition");
	return 0;
}

static int
add_span(struct parse *p, const struct tl_cell *cell)
{
	struct tl_trace_lane *lane = p->lane;

	if (!lane || p->roots || cell->id < 0 ||
	    cell->start < TL_POINT_SIZE_MIN || cell->end < cell->start ||
	    (uint64_t)cell->end >= lane->size)
		return wrong(p, "a span is outside its stream");
	if (TL_ARRAY_ROOM(lane->spans, lane->span_capacity, lane->span_count) <
	    0)
		return -ENOMEM;
	lane->spans[lane->span_count++] =
	    (struct tl_span_place){ (uint64_t)cell->start, (uint64_t)cell->end,
		    (uint32_t)cell->id };
	return 0;
}

/* Add a mark or an open span.  Both lists are in the order of offsets. */
static int
add_mark(struct parse *p, const struct tl_cell *cell,
    struct tl_mark_place **list, size_t *count, size_t *capacity)
{
	const struct tl_mark_place mark = { (uint64_t)cell->start,
		(uint64_t)cell->end, (uint32_t)cell->id, false };

	if (cell->start < 0 || cell->end < 0 || cell->id < 0 ||
	    mark.at > p->lane->size || mark.number > p->lane->size ||
	    (*count > 0 && (*list)[*count - 1].at >= mark.at))
		return wrong(p, "a mark is not where it can be");
	if (TL_ARRAY_ROOM(*list, *capacity, *count) < 0)
		return -ENOMEM;
	(*list)[(*count)++] = mark;
	return 0;
}

/* The largest number of children that fits into the stream.  If a part of the
 * stream is lost, only the cell has the number. */
static uint64_t
children_max(const struct tl_trace_lane *lane)
{
	uint64_t size = 0;

	for (size_t i = 0; i < lane->block_count; i++)
		size += lane->blocks[i].block.size;
	return size / TL_POINT_SIZE_MIN;
}

static int
parse_root(struct parse *p, const struct tl_cell *cell)
{
	int rc = find_lane(p, cell->id, &p->lane);

	if (rc < 0)
		return rc;
	p->roots = true;
	if (p->lane->rooted || p->lane->block_count == 0)
		return wrong(p, "a thread ends twice, or never was");
	if ((uint64_t)cell->start != p->lane->size || cell->end < 0 ||
	    (uint64_t)cell->end > children_max(p->lane))
		return wrong(p, "a thread ends elsewhere");
	p->lane->children = (uint64_t)cell->end;
	p->lane->rooted = true;
	return 0;
}

static int
parse_cell(struct parse *p, const struct tl_cell *cell)
{
	struct tl_trace_lane *lane = p->lane;

	if (tl_context_is_kind(cell->kind))
		return check_definition(p, cell);
	switch (cell->kind) {
	case TL_TRACE_BLOCK_START:
		return parse_block(p, cell);
	case TL_TRACE_SPAN:
		return add_span(p, cell);
	case TL_TRACE_ROOT:
		return parse_root(p, cell);
	case TL_TRACE_MARK:
		if (lane && !p->roots)
			return add_mark(p, cell, &lane->marks,
			    &lane->mark_count, &lane->mark_capacity);
		break;
	case TL_TRACE_OPEN:
		if (lane && p->roots && cell->id == (int32_t)lane->open_count)
			return add_mark(p, cell, &lane->open, &lane->open_count,
			    &lane->open_capacity);
		break;
	default:
		break;
	}
	return wrong(p, "a cell of a kind that cannot be here");
}

/* Check header and footer of the index.  *count is the number of cells. */
static int
check_frame(struct parse *p, size_t *count)
{
	const struct tl_index *x = p->index;
	const size_t size = x->bytes.size;
	const uint8_t *bytes = (const uint8_t *)x->bytes.data;
	struct tl_data_in in = tl_data_in(bytes, size);
	struct tl_cell self, eof;

	if (tl_data_u64(&in) != TL_TRACE_INDEX_MAGIC || in.bad)
		return wrong(p, "not an index of a trace");
	if (tl_data_u64(&in) != TL_TRACE_VERSION)
		return wrong(p, "an index of another version");
	if (size < TL_INDEX_HEADER_SIZE + TL_CELL_SIZE + TL_INDEX_FOOTER_SIZE)
		return wrong(p, "an index that was not finished");
	self = tl_cell_get(bytes + TL_INDEX_HEADER_SIZE);
	eof = tl_cell_get(bytes + size - TL_INDEX_FOOTER_SIZE);
	in.at = size - sizeof(uint64_t);
	if (eof.kind != TL_TRACE_EOF ||
	    tl_data_u64(&in) != TL_TRACE_INDEX_MAGIC)
		return wrong(p, "an index that was not finished");
	*count =
	    (size - TL_INDEX_HEADER_SIZE - TL_INDEX_FOOTER_SIZE) / TL_CELL_SIZE;
	in = tl_data_in(x->header.id, sizeof(x->header.id));
	if (self.kind != TL_TRACE_SELF || self.start != tl_data_i64(&in) ||
	    self.end != tl_data_i64(&in))
		return wrong(p, "the index of another trace");
	if ((uint64_t)eof.end != *count || (uint64_t)eof.start != x->data->size)
		return wrong(p, "an index of less or more than there is");
	if ((uint32_t)eof.id != tl_crc32c(x->seed, bytes + TL_INDEX_HEADER_SIZE,
				    *count * TL_CELL_SIZE))
		return wrong(p, "the checksum of the index is wrong");
	return 0;
}

static int
by_start(const void *a, const void *b)
{
	const struct tl_span_place *p = a, *q = b;

	return (p->start > q->start) - (p->start < q->start);
}

static int
by_id(const void *a, const void *b)
{
	const struct tl_trace_lane *p = a, *q = b;

	return (p->id > q->id) - (p->id < q->id);
}

int
tl_index_parse(struct tl_index *x, struct tl_fault *fault)
{
	struct parse p = { .index = x,
		.fault = fault,
		.ids = { .unbounded = true } };
	size_t count = 0;
	int rc = check_frame(&p, &count);

	for (size_t i = 1; rc == 0 && i < count; i++) {
		const struct tl_cell cell =
		    tl_cell_get((const uint8_t *)x->bytes.data +
				TL_INDEX_HEADER_SIZE + i * TL_CELL_SIZE);

		p.at = TL_INDEX_HEADER_SIZE + i * TL_CELL_SIZE;
		rc = parse_cell(&p, &cell);
	}
	tl_text_free(&p.stored);
	tl_id_map_free(&p.ids);
	for (size_t i = 0; rc == 0 && i < x->lane_count; i++)
		if (!x->lanes[i].rooted)
			rc = wrong(&p, "a thread has no end");
	if (rc == 0 && !x->made) {
		rc = tl_index_check_gaps(x, count);
		p.at = TL_FAULT_NOWHERE;
		if (rc == -EEXIST)
			rc = wrong(&p, "a block has no cell");
	}
	if (rc == 0 && x->lane_count > 1)
		qsort(x->lanes, x->lane_count, sizeof(*x->lanes), by_id);
	/* cells are in the order of the ends of spans */
	for (size_t i = 0; rc == 0 && i < x->lane_count; i++)
		if (x->lanes[i].span_count > 1)
			qsort(x->lanes[i].spans, x->lanes[i].span_count,
			    sizeof(*x->lanes[i].spans), by_start);
	tl_context_settle(x->context);
	return rc;
}

void
tl_index_clear(struct tl_index *x)
{
	for (size_t i = 0; i < x->lane_count; i++) {
		free(x->lanes[i].blocks);
		free(x->lanes[i].spans);
		free(x->lanes[i].marks);
		free(x->lanes[i].open);
		tl_survey_free(x->lanes[i].survey);
	}
	free(x->lanes);
	x->lanes = NULL;
	x->lane_count = x->lane_capacity = 0;
}
