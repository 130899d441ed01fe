/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid.h - counts of durations over time: a column for a range of time, and
 * four rows for each doubling of the duration.
 */
#ifndef TL_FORMAT_SVG_GRID_H
#define TL_FORMAT_SVG_GRID_H

#include "format/svg/moments.h"

#include <stddef.h>

enum {
	SVG_GRID_PARTS = 4, /* rows of a doubling */
	SVG_GRID_ROWS = 64 * SVG_GRID_PARTS
};

struct svg_grid {
	uint64_t cells[SVG_COLUMNS][SVG_GRID_ROWS];
	/* Rows low <= row < high are used. */
	unsigned low;
	unsigned high;
};

/* The row of a duration; 0 has the row of 1. */
unsigned tl_svg_row(uint64_t duration_ns);
/* log2 of the shortest duration of a row. */
double tl_svg_row_log2(unsigned row);

void tl_svg_grid_add(struct svg_grid *grid, uint64_t column, unsigned row);
/*
 * Join columns, before their width doubles this many times.  copy is scratch
 * memory.
 */
void tl_svg_grid_fold(struct svg_grid *grid, struct svg_grid *copy,
    const struct svg_columns *columns, unsigned doublings);

#endif
