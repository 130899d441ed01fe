/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_build.c - rebuild an index from the data.
 */
#include "trace/index.h"

#include "base/array.h"
#include "trace/layout.h"
#include "trace/point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* == gaps == */

static int
take_block(void *context, const struct tl_trace_block *block, uint64_t at,
    struct tl_bytes content)
{
	(void)context;
	(void)block;
	(void)at;
	(void)content;
	return -EEXIST;
}

/* Check the bytes between two places for whole blocks.  end is the place of a
 * known block, whose damage its reader reports; UINT64_MAX: the end of the
 * file. */
static int
check_gap(struct tl_index *x, uint64_t from, uint64_t end)
{
	const bool inside = end != UINT64_MAX;
	struct tl_scan scan = { .data = x->data,
		.options = x->options,
		.header = x->header,
		.seed = x->seed,
		.at = from,
		.end = inside ? end : x->data->size };
	int rc;

	if (from == end)
		return 0;
	rc = tl_scan_trace(&scan, inside, take_block, NULL);
	x->damage += scan.damage;
	tl_scan_free(&scan);
	return rc;
}

int
tl_index_check_gaps(struct tl_index *x, size_t count)
{
	const uint8_t *bytes =
	    (const uint8_t *)x->bytes.data + TL_INDEX_HEADER_SIZE;
	uint64_t next = TL_TRACE_HEADER_SIZE;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++, bytes += TL_CELL_SIZE) {
		const struct tl_cell cell = tl_cell_get(bytes);

		if (cell.kind != TL_TRACE_BLOCK_START)
			continue;
		if ((uint64_t)cell.start < next)
			/* the block is listed twice, or out of order */
			return -EEXIST;
		rc = check_gap(x, next, (uint64_t)cell.start);
		next = (uint64_t)cell.end + 1;
	}
	return rc < 0 ? rc : check_gap(x, next, UINT64_MAX);
}

/* == build == */

/* State of a thread. */
struct track {
	int32_t id;
	bool holes;
	uint64_t size;
	/* open spans at the end of the last block; UINT64_MAX: unknown */
	uint64_t depth;
	uint64_t children;
	struct tl_inside inside;
	struct tl_shape shape;
};

struct build {
	struct tl_index *index;
	struct tl_scan scan;
	struct tl_id_map ids;
	struct track **tracks; /* in order of appearance */
	size_t count;
	size_t capacity;
};

static void
put_cell(struct build *b, uint8_t kind, int32_t id, uint64_t start,
    uint64_t end)
{
	const struct tl_cell cell = { kind, id, (int64_t)start, (int64_t)end };
	uint8_t bytes[TL_CELL_SIZE];

	tl_cell_put(bytes, &cell);
	tl_put_bytes(&b->index->bytes, tl_bytes(bytes, sizeof(bytes)));
}

static int
find_track(struct build *b, int32_t id, struct track **track)
{
	const struct tl_id_key key = { (uint32_t)id, 0 };
	uint32_t i;
	int rc;

	if (TL_ARRAY_ROOM(b->tracks, b->capacity, b->count) < 0)
		return -ENOMEM;
	if ((rc = tl_id_map_get(&b->ids, key, &i)) < 0)
		return rc;
	if (rc > 0) {
		struct track *new = calloc(1, sizeof(*new));

		if (!new || tl_shape_init(&new->shape) < 0) {
			free(new);
			return -ENOMEM;
		}
		new->id = id;
		b->tracks[b->count++] = new;
	}
	*track = b->tracks[i];
	return 0;
}

/* Add a cell for each definition of a block.  If a definition is damaged, the
 * block gets no cells. */
static int
take_definitions(struct build *b, uint64_t at, struct tl_bytes content)
{
	struct tl_text *bytes = &b->index->bytes;
	const size_t mark = bytes->size - TL_CELL_SIZE;
	struct tl_data_in in = tl_data_in(content.data, content.size);

	while (in.at < in.size) {
		const size_t from = in.at;
		int32_t id;
		const int rc = tl_context_read(b->index->context, &in, &id);

		if (rc == -EBADMSG) {
			bytes->size = mark;
			b->scan.damage++;
			tl_trace_say(&b->index->options->report, rc, at,
			    "a definition is damaged: those behind it in its "
			    "block are lost");
			return 0;
		}
		if (rc < 0)
			return rc;
		put_cell(b, (uint8_t)content.data[from], id,
		    at + TL_TRACE_BLOCK_HEADER + from, UINT64_MAX);
	}
	return bytes->rc;
}

static int
shape_point(struct track *t, const struct tl_point *point, uint64_t at,
    uint64_t after)
{
	struct tl_shape *shape = &t->shape;
	const struct tl_shape_level *top;
	const int rc = tl_shape_reserve(shape);

	if (rc == -ENOMEM)
		return rc;
	top = tl_shape_top(shape);
	if (point->kind == TL_TRACE_FOOTER
		? shape->depth == 0 || point->children != top->children ||
		      point->size != at - top->start
		: rc < 0) {
		t->holes = true; /* not written by this writer */
		return 0;
	}
	if (point->kind == TL_TRACE_FOOTER) {
		tl_shape_end(shape, at);
		return 0;
	}
	tl_shape_child(shape, at);
	if (point->kind == TL_TRACE_SPAN)
		tl_shape_begin(shape, after, 0);
	return 0;
}

static int
take_points(struct build *b, struct track *t, uint64_t at,
    const struct tl_trace_block *block, struct tl_bytes content)
{
	struct tl_data_in in = tl_data_in(content.data, content.size);
	struct tl_point_state state = { 0 };
	struct tl_point point;
	int rc = 0;

	while (rc == 0 && in.at < in.size) {
		const size_t from = in.at;

		rc = tl_point_get(&point, &state, &in);
		if (rc < 0)
			break;
		if (!t->holes)
			rc = shape_point(t, &point, block->logical + from,
			    block->logical + in.at);
		t->children +=
		    tl_inside_step(&t->inside, point.kind, point.silent);
		if (point.kind == TL_TRACE_SPAN)
			t->depth++;
		else if (point.kind == TL_TRACE_FOOTER && t->depth > 0)
			t->depth--;
	}
	if (rc != -EBADMSG)
		return rc;
	b->scan.damage++;
	t->holes = true;
	t->depth = UINT64_MAX;
	tl_trace_say(&b->index->options->report, rc, at,
	    "an object of thread %" PRId32
	    " is damaged: the rest of its block is lost",
	    t->id);
	return 0;
}

static int
build_block(void *context, const struct tl_trace_block *block, uint64_t at,
    struct tl_bytes content)
{
	struct build *b = context;
	struct tl_text *bytes;
	struct track *t;
	int rc;

	put_cell(b, TL_TRACE_BLOCK_START, block->thread, at,
	    at + tl_trace_block_size(block) - 1);
	if (block->thread == TL_TRACE_DEFINITIONS)
		return take_definitions(b, at, content);
	bytes = &b->index->bytes;
	rc = find_track(b, block->thread, &t);
	if (rc < 0)
		return rc;
	if (block->logical < t->size) {
		bytes->size -= TL_CELL_SIZE;
		b->scan.damage++;
		tl_trace_say(&b->index->options->report, -EBADMSG, at,
		    "a block of thread %" PRId32 " comes again: not taken",
		    t->id);
		return 0;
	}
	if (block->logical > t->size || block->depth != t->depth) {
		b->scan.damage++;
		if (block->logical > t->size)
			tl_trace_say(&b->index->options->report, -EBADMSG, at,
			    "%" PRIu64 " bytes of thread %" PRId32
			    " are lost before this block",
			    block->logical - t->size, t->id);
		t->holes = true;
		tl_inside_skip(&t->inside, block->depth);
		t->depth = block->depth;
	}
	t->size = block->logical + block->size;
	rc = take_points(b, t, at, block, content);
	tl_put_bytes(bytes, tl_bytes(t->shape.cells, t->shape.cells_size));
	t->shape.cells_size = 0;
	return rc < 0 ? rc : bytes->rc;
}

static int
by_id(const void *a, const void *b)
{
	const struct track *p = *(struct track *const *)a;
	const struct track *q = *(struct track *const *)b;

	return (p->id > q->id) - (p->id < q->id);
}

static void
put_roots(struct build *b)
{
	if (b->count > 1)
		qsort(b->tracks, b->count, sizeof(struct track *), by_id);
	for (size_t i = 0; i < b->count; i++) {
		const struct track *t = b->tracks[i];

		put_cell(b, TL_TRACE_ROOT, t->id, t->size, t->children);
		for (uint32_t k = 1; !t->holes && k <= t->shape.depth; k++)
			put_cell(b, TL_TRACE_OPEN, (int32_t)k - 1,
			    t->shape.levels[k].start,
			    t->shape.levels[k].children);
	}
}

static void
put_u64(struct tl_text *text, uint64_t n)
{
	n = __builtin_bswap64(n);
	tl_put_bytes(text, tl_bytes(&n, sizeof(n)));
}

static void
put_end(struct build *b)
{
	struct tl_index *x = b->index;
	const size_t size = x->bytes.size - TL_INDEX_HEADER_SIZE;
	const uint32_t crc = tl_crc32c(x->seed,
	    tl_text_string(&x->bytes) + TL_INDEX_HEADER_SIZE, size);

	put_cell(b, TL_TRACE_EOF, (int32_t)crc, x->data->size,
	    size / TL_CELL_SIZE);
	put_u64(&x->bytes, TL_TRACE_INDEX_MAGIC);
}

static void
put_begin(struct build *b)
{
	struct tl_index *x = b->index;
	struct tl_data_in in = tl_data_in(x->header.id, sizeof(x->header.id));
	const uint64_t high = tl_data_u64(&in);

	tl_text_clear(&x->bytes);
	put_u64(&x->bytes, TL_TRACE_INDEX_MAGIC);
	put_u64(&x->bytes, TL_TRACE_VERSION);
	put_cell(b, TL_TRACE_SELF, 0, high, tl_data_u64(&in));
}

int
tl_index_rebuild(struct tl_index *x)
{
	struct build b = { .index = x,
		.ids = { .unbounded = true },
		.scan = { .data = x->data,
		    .options = x->options,
		    .end = x->data->size } };
	struct tl_fault fault = { 0 };
	int rc;

	x->made = true;
	tl_index_clear(x);
	put_begin(&b);
	rc = tl_scan_trace(&b.scan, false, build_block, &b);
	if (rc == 0) {
		put_roots(&b);
		put_end(&b);
		rc = x->bytes.rc;
	}
	x->damage += b.scan.damage;
	for (size_t i = 0; i < b.count; i++) {
		tl_shape_free(&b.tracks[i]->shape);
		free(b.tracks[i]);
	}
	free(b.tracks);
	tl_id_map_free(&b.ids);
	tl_scan_free(&b.scan);
	return rc < 0 ? rc : tl_index_parse(x, &fault);
}
