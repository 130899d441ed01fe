/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moments.h - losses and changes of levels along an axis of time, and the
 * axis itself, which is as long as the columns they are kept in.
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
	uint64_t losses; /* places */
	uint8_t level;   /* the lowest threshold that was set; 0: none */
};

struct svg_moments {
	struct svg_columns columns;
	struct svg_moment of[SVG_COLUMNS];
	struct svg_moment before; /* lost before the first entry */
	bool any_loss;
	bool any_level;
};

void tl_svg_moments_init(struct svg_moments *m);
/* The next event, of any kind. */
void tl_svg_moments_put(struct svg_moments *m, const struct tl_event *event);

/* All of the time there is, in a box. */
struct svg_time
tl_svg_moments_time(const struct svg_moments *m, struct svg_box box);
/* Column i of those that are used, from 0 on: its place, where it begins and
 * ends; false behind the last. */
bool
tl_svg_moments_next(const struct svg_moments *m, const struct svg_time *time,
    unsigned i, uint64_t *place, struct svg_box *box);

/* Bands and lines across a box of time. */
void tl_svg_moments_draw(struct tl_text *text, const struct svg_moments *m,
    const struct svg_time *time);
/* Draw the rows of labels below the box, and their height. */
void tl_svg_moments_rows(struct tl_text *text, const struct svg_moments *m,
    const struct svg_time *time, double y);
double tl_svg_moments_height(const struct svg_moments *m);

/* A sum that stays at the most there can be. */
static inline uint64_t
tl_svg_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The column that one becomes when its width doubles this often. */
static inline uint64_t
tl_svg_folded(const struct svg_columns *columns, uint64_t column,
    unsigned doublings)
{
	return column >> doublings & (columns->count - 1);
}

/* Column i of those that are used, from 0 on; false behind the last. */
static inline bool
tl_svg_columns_at(const struct svg_columns *columns, uint64_t i,
    uint64_t *column)
{
	const uint64_t first = columns->first >> columns->shift;

	*column = first + i;
	return columns->begun && i <= (columns->last >> columns->shift) - first;
}

#endif
