/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - a picture for a report: one SVG that loads nothing else, light or
 * dark as the reader's system is.
 *
 *	title
 *	window in UTC, its length              origin, entries, losses
 *	+--------------------------------------------------------+
 *	| latency: a histogram for each message, percentiles     |
 *	| heat:    durations over time, a map for each message   |
 *	| spans:   threads and sources over time, spans nested   |
 *	+--------------------------------------------------------+
 *	merges and omissions
 *
 * The picture is written after the last event.  The number of events is not
 * limited, because the writer keeps only counts in buckets, and shapes of a
 * pixel and more.  Events must come oldest first.
 */
#ifndef TL_FORMAT_SVG_WRITE_H
#define TL_FORMAT_SVG_WRITE_H

#include "event/writer.h"

enum tl_svg_chart {
#define CHART(name, word, help) TL_SVG_##name,
#include "format/svg/charts.def"
#undef CHART
	TL_SVG_CHARTS /* number of charts */
};

/*
 * The picture shows the writer's title on top.  The writer's setting
 * (tl_writer_set()) is the chart, TL_SVG_LATENCY by default.
 */
tl_writer_new tl_svg_write_new;

/* Return the chart of a word: 0; -EINVAL: no such chart. */
int tl_svg_chart_parse(const char *name, enum tl_svg_chart *chart);
/* The word and the description of a chart; NULL after the last chart. */
const char *tl_svg_chart_name(unsigned chart);
const char *tl_svg_chart_help(unsigned chart);

#endif
