/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c - a stack of containers, and cells for what is large. */
#include "trace/shape.h"

#include <errno.h>
#include <stdlib.h>

enum { LEVELS_FIRST = 8, CELLS_FIRST = 8 * TL_CELL_SIZE, CELLS_PER_OBJECT = 2 };

int
tl_shape_init(struct tl_shape *shape)
{
	*shape = (struct tl_shape){ 0 };
	shape->levels = calloc(LEVELS_FIRST, sizeof(*shape->levels));
	if (!shape->levels)
		return -ENOMEM;
	shape->capacity = LEVELS_FIRST;
	return 0;
}

void
tl_shape_free(struct tl_shape *shape)
{
	free(shape->levels);
	free(shape->cells);
	*shape = (struct tl_shape){ 0 };
}

static int
grow_levels(struct tl_shape *shape)
{
	const uint32_t capacity = shape->capacity * 2;
	struct tl_shape_level *levels;

	if (shape->capacity >= TL_TRACE_DEPTH_MAX)
		return -ENOSPC;
	levels = realloc(shape->levels, capacity * sizeof(*levels));
	if (!levels)
		return -ENOMEM;
	shape->levels = levels;
	shape->capacity = capacity;
	return 0;
}

static int
grow_cells(struct tl_shape *shape)
{
	const size_t capacity =
	    shape->cells_capacity ? shape->cells_capacity * 2 : CELLS_FIRST;
	uint8_t *cells = realloc(shape->cells, capacity);

	if (!cells)
		return -ENOMEM;
	shape->cells = cells;
	shape->cells_capacity = capacity;
	return 0;
}

int
tl_shape_reserve(struct tl_shape *shape)
{
	const size_t room = CELLS_PER_OBJECT * TL_CELL_SIZE;
	int rc = 0;

	if (shape->cells_capacity - shape->cells_size < room)
		rc = grow_cells(shape);
	if (rc == 0 && shape->capacity - shape->depth < 2)
		rc = grow_levels(shape);
	return rc;
}

static void
put_cell(struct tl_shape *shape, uint8_t kind, uint64_t start, uint64_t end)
{
	const struct tl_cell cell = { .kind = kind,
		.id = (int32_t)shape->depth,
		.start = (int64_t)start,
		.end = (int64_t)end };

	tl_cell_put(shape->cells + shape->cells_size, &cell);
	shape->cells_size += TL_CELL_SIZE;
}

void
tl_shape_child(struct tl_shape *shape, uint64_t at)
{
	struct tl_shape_level *top = tl_shape_top(shape);

	if (at - top->marked >= TL_TRACE_MARK_EVERY) {
		put_cell(shape, TL_TRACE_MARK, at, top->children);
		top->marked = at;
	}
	top->children++;
}

void
tl_shape_begin(struct tl_shape *shape, uint64_t content, uint64_t user)
{
	shape->depth++;
	*tl_shape_top(shape) = (struct tl_shape_level){ .start = content,
		.marked = content,
		.user = user };
}

void
tl_shape_end(struct tl_shape *shape, uint64_t at)
{
	const uint64_t start = tl_shape_top(shape)->start;

	shape->depth--;
	if (at - start >= TL_TRACE_CELL_MIN)
		put_cell(shape, TL_TRACE_SPAN, start, at);
}
