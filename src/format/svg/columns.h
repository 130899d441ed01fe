/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.h - time divided into a bounded number of columns.  The length of a
 * run is not known before its end, so the width of the columns doubles when a
 * time would need too many columns.
 *
 *	place  0   1   2   3			column 5 is kept in
 *	       4 | 5 |   | 3 |  columns 3 to 5	place 5 % 4
 */
#ifndef TL_FORMAT_SVG_COLUMNS_H
#define TL_FORMAT_SVG_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

/* Starts from all zeros except for count, a power of two. */
struct svg_columns {
	uint64_t count;
	bool begun;
	unsigned shift; /* a column is 1 << shift nanoseconds */
	uint64_t first; /* times as unsigned numbers, INT64_MIN as 0 */
	uint64_t last;
};

static inline uint64_t
tl_svg_offset(int64_t ns)
{
	return (uint64_t)ns ^ (uint64_t)INT64_MIN;
}

/* How often must the width double before a time has a column, too? */
static inline unsigned
tl_svg_columns_doublings(const struct svg_columns *c, int64_t ns)
{
	const uint64_t at = tl_svg_offset(ns);
	const uint64_t first = !c->begun || at < c->first ? at : c->first;
	const uint64_t last = !c->begun || at > c->last ? at : c->last;
	unsigned shift = c->shift;

	while ((last >> shift) - (first >> shift) >= c->count)
		shift++;
	return shift - c->shift;
}

/* Make the columns wide enough for a time. */
static inline void
tl_svg_columns_stretch(struct svg_columns *c, int64_t ns)
{
	const uint64_t at = tl_svg_offset(ns);

	c->shift += tl_svg_columns_doublings(c, ns);
	if (!c->begun || at < c->first)
		c->first = at;
	if (!c->begun || at > c->last)
		c->last = at;
	c->begun = true;
}

/* The place of a time's column. */
static inline uint64_t
tl_svg_columns_place(const struct svg_columns *c, int64_t ns)
{
	return (tl_svg_offset(ns) >> c->shift) & (c->count - 1);
}

#endif
