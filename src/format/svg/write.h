/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - a picture for a report: one SVG that needs nothing else, light
 * or dark as its reader is.
 *
 *	title
 *	window in UTC, its length              origin, entries, losses
 *	+--------------------------------------------------------+
 *	| latency: a histogram for each message, percentiles     |
 *	| heat:    durations over time, a map for each message   |
 *	| spans:   threads and sources over time, spans nested   |
 *	+--------------------------------------------------------+
 *	what was merged or left out
 *
 * Written after the last event, of which there may be any number: what is
 * kept is counts in buckets and shapes of a pixel and more.  Events must come
 * oldest first.
 */
#ifndef TL_FORMAT_SVG_WRITE_H
#define TL_FORMAT_SVG_WRITE_H

#include "event/writer.h"

enum tl_svg_chart {
#define CHART(name, word, help) TL_SVG_##name,
#include "format/svg/charts.def"
#undef CHART
	TL_SVG_CHARTS /* how many there are */
};

/* Its title stands on top of the picture; its setting (tl_writer_set) is the
 * chart, TL_SVG_LATENCY unless it is set. */
tl_writer_new tl_svg_write_new;

/* The chart of a word; -EINVAL: there is none. */
int tl_svg_chart_parse(const char *name, enum tl_svg_chart *chart);
/* The word of a chart, and its description; NULL after the last. */
const char *tl_svg_chart_name(unsigned chart);
const char *tl_svg_chart_help(unsigned chart);

#endif
