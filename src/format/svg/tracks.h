/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracks.h - the shapes of a chart of spans, in the rows of tracks.
 *
 *	track 41/52	ticks	'   ' '''  '
 *			row 0	|a        |  |b|
 *			row 1	 |c| |d|
 *
 * Shapes of a row are in order of time and do not overlap.  Shapes shorter than
 * the grain are joined with neighbours of the same grain; the grain doubles as
 * time grows or shapes become too many.  A row therefore has about as many
 * shapes as a picture has pixels, however long the run.
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
	SVG_TICKS = SVG_DEPTH_MAX, /* row of instants */
	SVG_ROWS = SVG_DEPTH_MAX + 1,
	SVG_SHAPES_MAX = 1 << 17,
	SVG_PIXELS = 2048, /* largest number of grains in the time */
	SVG_NAME_MIXED = UINT8_MAX
};

/* Marks of a shape. */
enum {
	SVG_OPEN = 1 << 0 /* without an end */
};

/* A span, an instant, or several that are shorter than a grain. */
struct svg_shape {
	uint64_t from; /* offsets of times (columns.h) */
	uint64_t to;
	uint64_t count;
	uint8_t name; /* or SVG_NAME_MIXED */
	uint8_t flags;
	uint8_t level; /* highest level of instants */
};

struct svg_row {
	struct svg_shape *shapes;
	size_t count;
	size_t capacity;
};

/* A thread, or a message of scope TIMELINE_SOURCE. */
struct svg_track {
	struct tl_text name; /* plain text */
	bool is_source;
	uint32_t pid;
	uint32_t tid;
	uint16_t source;
	unsigned number;  /* order of appearance */
	uint64_t entries; /* spans and instants */
	struct svg_row rows[SVG_ROWS];
};

struct svg_tracks {
	struct svg_columns grains; /* a grain is 1 << shift ns */
	struct tl_id_map numbers;
	struct svg_track *tracks[SVG_TRACKS_MAX];
	unsigned count;
	uint64_t shapes;          /* shapes of all tracks */
	uint64_t deep;            /* spans too deep, joined with others */
	struct tl_writer *writer; /* for hosts and names */
};

/* Extend the time to ns. */
void tl_svg_tracks_stretch(struct svg_tracks *t, int64_t ns);
/* Find the track of an event: 0, -ENOSPC (too many tracks), -ENOMEM. */
int tl_svg_tracks_get(struct svg_tracks *t, const struct tl_event *event,
    struct svg_track **track);
/* Add an instant: 0, -ENOMEM. */
int tl_svg_tracks_tick(struct svg_tracks *t, struct svg_track *track,
    const struct svg_shape *shape);
/*
 * Add a span at a depth, or deeper if other spans are in the way: 0, -ENOMEM.  A
 * span that is too deep is joined with others.
 */
int tl_svg_tracks_add(struct svg_tracks *t, struct svg_track *track,
    unsigned depth, const struct svg_shape *shape);
/* Double the grain. */
void tl_svg_tracks_coarsen(struct svg_tracks *t);
/* The number of rows of spans that a track has. */
unsigned tl_svg_track_depth(const struct svg_track *track);
void tl_svg_tracks_free(struct svg_tracks *t);

static inline uint64_t
tl_svg_grain(const struct svg_tracks *t)
{
	return UINT64_C(1) << t->grains.shift;
}

#endif
