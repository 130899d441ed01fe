/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - spans over time, a track for each thread and each source.
 *
 *	          19:24:18            19:24:19
 *	41/52     '  '    ''    '                    instants
 *	          |request           | |request |    spans ...
 *	            |read| |write|                   ... and what is in them
 *	-------------------------------------------
 *	lock      |lock |   |lock  |
 */
#ifndef TL_FORMAT_SVG_SPANS_H
#define TL_FORMAT_SVG_SPANS_H

#include "format/svg/moments.h"
#include "format/svg/svg.h"
#include "format/svg/tracks.h"

enum { SVG_DRAWN_TRACKS_MAX = 40 };

struct svg_spans {
	struct svg_tracks tracks;
	struct svg_moments moments;
	struct svg_track *drawn[SVG_DRAWN_TRACKS_MAX];
	unsigned drawn_count;
	unsigned keys[SVG_NAMES_MAX]; /* names, most spans first */
	unsigned key_count;
	struct svg_time time;
};

/* The number of shapes in the tracks that are drawn. */
uint64_t tl_svg_spans_shapes(const struct svg_spans *s);
/* The height of the chart, once tracks and names are complete. */
double tl_svg_spans_height(struct svg_write *w);
int tl_svg_spans_draw(struct svg_write *w, double y);

#endif
