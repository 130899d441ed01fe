/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c - count values in cells, and join columns when they widen. */
#include "format/svg/grid.h"

#include <assert.h>
#include <string.h>

/* Fractions at which the rows of a doubling begin: 2^63 times 2^(i/4). */
static const uint64_t parts[SVG_GRID_PARTS] = { UINT64_C(0x8000000000000000),
	UINT64_C(0x9837f0518db8a970), UINT64_C(0xb504f333f9de6485),
	UINT64_C(0xd744fccad69d6af5) };

unsigned
tl_svg_row(uint64_t duration_ns)
{
	const unsigned whole = 63u - (unsigned)__builtin_clzll(duration_ns | 1);
	const uint64_t rest = (duration_ns | !duration_ns) << (63 - whole);
	unsigned part = 0;

	while (part + 1 < SVG_GRID_PARTS && rest >= parts[part + 1])
		part++;
	return whole * SVG_GRID_PARTS + part;
}

double
tl_svg_row_log2(unsigned row)
{
	return (double)row / SVG_GRID_PARTS;
}

void
tl_svg_grid_add(struct svg_grid *grid, uint64_t column, unsigned row)
{
	assert(column < SVG_COLUMNS && row < SVG_GRID_ROWS);
	grid->cells[column][row]++;
	if (grid->high == 0)
		grid->low = row;
	if (row < grid->low)
		grid->low = row;
	if (row >= grid->high)
		grid->high = row + 1;
}

/*
 * A column may move to a higher place if the places wrap, so the counts are
 * read from a copy.
 */
void
tl_svg_grid_fold(struct svg_grid *grid, struct svg_grid *copy,
    const struct svg_columns *columns, unsigned doublings)
{
	uint64_t column;

	memcpy(copy, grid, sizeof(*copy));
	memset(grid->cells, 0, sizeof(grid->cells));
	for (uint64_t i = 0; tl_svg_columns_at(columns, i, &column); i++) {
		const uint64_t from = tl_svg_folded(columns, column, 0);
		const uint64_t to = tl_svg_folded(columns, column, doublings);

		for (unsigned row = grid->low; row < grid->high; row++)
			grid->cells[to][row] += copy->cells[from][row];
	}
}
