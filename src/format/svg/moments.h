/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moments.h - losses and changes of levels along an axis of time, and the axis,
 * whose length is that of the columns.
 */
#ifndef TL_FORMAT_SVG_MOMENTS_H
#define TL_FORMAT_SVG_MOMENTS_H

#include "event/event.h"
#include "format/svg/axis.h"
#include "format/svg/columns.h"

enum { SVG_COLUMNS = 512 };

/* The losses and levels of a column. */
struct svg_moment {
	uint64_t lost;
	uint64_t losses; /* number of places */
	uint8_t level;   /* lowest threshold set; 0: none */
};

struct svg_moments {
	struct svg_columns columns;
	struct svg_moment of[SVG_COLUMNS];
	struct svg_moment before; /* lost before the first entry */
	bool any_loss;
	bool any_level;
};

void tl_svg_moments_init(struct svg_moments *m);
/* Take the next event, of any kind. */
void tl_svg_moments_put(struct svg_moments *m, const struct tl_event *event);

/* The time from the first to the last column, shown in a box. */
struct svg_time
tl_svg_moments_time(const struct svg_moments *m, struct svg_box box);
/*
 * Return used column i, counted from 0: the place and the box of the column.
 * false: i is behind the last column.
 */
bool
tl_svg_moments_next(const struct svg_moments *m, const struct svg_time *time,
    unsigned i, uint64_t *place, struct svg_box *box);

/* Draw bands and lines across a box of time. */
void tl_svg_moments_draw(struct tl_text *text, const struct svg_moments *m,
    const struct svg_time *time);
/* Draw the rows of labels below the box; the height of these rows. */
void tl_svg_moments_rows(struct tl_text *text, const struct svg_moments *m,
    const struct svg_time *time, double y);
double tl_svg_moments_height(const struct svg_moments *m);

/* A sum that does not exceed UINT64_MAX. */
static inline uint64_t
tl_svg_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The place of a column after its width has doubled this often. */
static inline uint64_t
tl_svg_folded(const struct svg_columns *columns, uint64_t column,
    unsigned doublings)
{
	return column >> doublings & (columns->count - 1);
}

/* Return used column i, counted from 0; false: i is behind the last column. */
static inline bool
tl_svg_columns_at(const struct svg_columns *columns, uint64_t i,
    uint64_t *column)
{
	const uint64_t first = columns->first >> columns->shift;

	*column = first + i;
	return columns->begun && i <= (columns->last >> columns->shift) - first;
}

#endif
