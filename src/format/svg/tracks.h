/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracks.h - what a chart of spans keeps: shapes in the rows of tracks.
 *
 *	track 41/52	ticks	'   ' '''  '
 *			row 0	|a        |  |b|
 *			row 1	 |c| |d|
 *
 * Shapes of a row stand in order of time and do not overlap.  What is shorter
 * than the grain is joined with its neighbours of the same grain; the grain
 * doubles as time grows or shapes become too many.  So a row has about as
 * many shapes as a picture has pixels, however long the run.
 */
#ifndef TL_FORMAT_SVG_TRACKS_H
#define TL_FORMAT_SVG_TRACKS_H

#include "base/table.h"
#include "base/text.h"
#include "event/spans.h"
#include "format/svg/columns.h"

enum {
	SVG_TRACKS_MAX = 256,
	SVG_DEPTH_MAX = 16,
	SVG_TICKS = SVG_DEPTH_MAX, /* the row of instants */
	SVG_ROWS = SVG_DEPTH_MAX + 1,
	SVG_SHAPES_MAX = 1 << 17,
	SVG_PIXELS = 2048, /* grains of all of the time, at most */
	SVG_NAME_MIXED = UINT8_MAX
};

/* Marks of a shape. */
enum {
	SVG_OPEN = 1 << 0 /* has no end */
};

/* A span, an instant, or several that are less than a grain. */
struct svg_shape {
	uint64_t from; /* offsets of times (columns.h) */
	uint64_t to;
	uint64_t count;
	uint8_t name; /* or SVG_NAME_MIXED */
	uint8_t flags;
	uint8_t level; /* of instants: the highest */
};

struct svg_row {
	struct svg_shape *shapes;
	size_t count;
	size_t capacity;
};

/* A thread, or a message that its spans belong to. */
struct svg_track {
	struct tl_text name; /* plain */
	bool is_source;
	uint32_t pid;
	uint32_t tid;
	uint16_t source;
	unsigned number;  /* in the order in which they came */
	uint64_t entries; /* spans and instants */
	struct svg_row rows[SVG_ROWS];
};

struct svg_tracks {
	struct svg_columns grains; /* how long a grain is, in its shift */
	struct tl_id_map numbers;
	struct svg_track *tracks[SVG_TRACKS_MAX];
	unsigned count;
	uint64_t shapes;          /* of all tracks */
	struct tl_writer *writer; /* of hosts and names */
};

/* Time goes on to ns. */
void tl_svg_tracks_stretch(struct svg_tracks *t, int64_t ns);
/* The track of an event: 0, -ENOSPC (too many), -ENOMEM. */
int tl_svg_tracks_get(struct svg_tracks *t, const struct tl_event *event,
    struct svg_track **track);
/* One more instant: 0, -ENOMEM. */
int tl_svg_tracks_tick(struct svg_tracks *t, struct svg_track *track,
    const struct svg_shape *shape);
/* One more span, so deep or, where others are in the way, deeper: 0, 1 where
 * it was joined with them because it is too deep, -ENOMEM. */
int tl_svg_tracks_add(struct svg_tracks *t, struct svg_track *track,
    unsigned depth, const struct svg_shape *shape);
/* Double the grain. */
void tl_svg_tracks_coarsen(struct svg_tracks *t);
/* How many rows of spans a track has. */
unsigned tl_svg_track_depth(const struct svg_track *track);
void tl_svg_tracks_free(struct svg_tracks *t);

static inline uint64_t
tl_svg_grain(const struct svg_tracks *t)
{
	return UINT64_C(1) << t->grains.shift;
}

#endif
