/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - cells of a line of text, side by side.
 */
#ifndef TL_CTL_TABLE_H
#define TL_CTL_TABLE_H

#include "base/text.h"

/* The text from start on becomes a cell of so many columns (more where it
 * does not fit), filled up on the right or, for numbers, on the left; then a
 * space. */
void tl_cell_end(struct tl_text *text, size_t start, size_t width, bool right);

static inline void
tl_cell_string(struct tl_text *text, const char *string, size_t width)
{
	const size_t start = text->size;

	tl_put_plain(text, tl_bytes_of(string));
	tl_cell_end(text, start, width, false);
}

static inline void
tl_cell_unsigned(struct tl_text *text, uint64_t n, size_t width)
{
	const size_t start = text->size;

	tl_put_unsigned(text, n);
	tl_cell_end(text, start, width, true);
}

/* A rate: whole numbers, one decimal below 100. */
static inline void
tl_cell_rate(struct tl_text *text, double rate, size_t width)
{
	const size_t start = text->size;

	tl_put_format(text, rate < 99.95 && rate > 0 ? "%.1f" : "%.0f", rate);
	tl_cell_end(text, start, width, true);
}

#endif
