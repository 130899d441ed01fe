/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the cells of a line of text.
 */
#ifndef TL_CTL_TABLE_H
#define TL_CTL_TABLE_H

#include "base/text.h"

/* Make the text from start on a cell of this many columns, or more if it does
 * not fit: pad it on the right or, for numbers, on the left, and add a
 * space. */
void tl_cell_end(struct tl_text *text, size_t start, size_t width, bool right);

static inline void
tl_cell_string(struct tl_text *text, const char *string, size_t width)
{
	const size_t start = text->size;

	tl_put_plain(text, tl_bytes_of(string));
	tl_cell_end(text, start, width, false);
}

/* Append a rate: a whole number, or one decimal below 100. */
static inline void
tl_cell_rate(struct tl_text *text, double rate, size_t width)
{
	const size_t start = text->size;

	tl_put_format(text, rate < 99.95 && rate > 0 ? "%.1f" : "%.0f", rate);
	tl_cell_end(text, start, width, true);
}

/* Append which share of the entries was read; nothing if it was all of them. */
static inline void
tl_put_share(struct tl_text *text, double share)
{
	const double percent = share * 100;

	if (share >= 1)
		return;
	tl_put_string(text, percent >= 99 ? "  (over " : "  (");
	tl_put_rounded(text, percent >= 99 ? 99 : percent, 2);
	tl_put_string(text, "% of the entries read)");
}

#endif
