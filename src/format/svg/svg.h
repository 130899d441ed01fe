/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg.h - what the parts of the writer of pictures share.
 *
 *	svg_write.c    the frame: counts all entries, draws head and foot
 *	svg_values.c   durations out of entries, for the two that show them
 *	svg_latency.c  histograms           svg_heat.c   grids
 *	svg_spans.c    shapes out of entries, which svg_tracks.c keeps and
 *	               svg_spans_draw.c draws
 */
#ifndef TL_FORMAT_SVG_SVG_H
#define TL_FORMAT_SVG_SVG_H

#include "event/reader.h"
#include "event/spans.h"
#include "format/svg/draw.h"
#include "format/svg/names.h"
#include "format/svg/write.h"

/* What is said of an output, in the picture and in a report. */
enum svg_note {
	SVG_NEGATIVE,
	SVG_LOSSY,
	SVG_LONELY_BEGINS,
	SVG_LONELY_ENDS,
	SVG_COUNTERS,
	SVG_MESSAGES,
	SVG_TRACKS,
	SVG_DEEP
};

struct svg_write;

/* What a chart does. */
struct svg_chart {
	const char *caption;
	int (*start)(struct svg_write *w);
	/* The next event; span: what it ended, or NULL. */
	int (*put)(struct svg_write *w, const struct tl_event *event,
	    const struct tl_span *span);
	/* No more: make up what is to be drawn, say how high it is. */
	int (*layout)(struct svg_write *w, double *height);
	/* Draw it from y on. */
	int (*draw)(struct svg_write *w, double y);
	void (*free)(struct svg_write *w);
};

struct svg_latency;
struct svg_heat;
struct svg_spans;

struct svg_write {
	struct tl_writer writer; /* first: what callers see */
	enum tl_svg_chart which;
	const struct svg_chart *chart;
	struct tl_spans *spans;
	struct tl_notes notes;
	bool begun; /* is there a time? */
	int64_t first_ns;
	int64_t last_ns;
	uint64_t entries;
	uint64_t losses; /* places where entries are missing */
	uint64_t lost;   /* how many; at UINT64_MAX: at least */
	struct svg_names names;
	struct svg_latency *latency; /* of the chart's, one of these */
	struct svg_heat *heat;
	struct svg_spans *tracks;
};

extern const struct svg_chart tl_svg_latency, tl_svg_heat, tl_svg_spans;

static inline void
tl_svg_note(struct svg_write *w, enum svg_note note)
{
	tl_note(&w->notes, note, TL_FAULT_NOWHERE);
}

/* A duration that has come to be known at ns. */
typedef int tl_svg_take(struct svg_write *w, unsigned series, int64_t ns,
    uint64_t duration_ns);

/* Give on what durations an event has: that of the span it ended and of its
 * arguments. */
int tl_svg_values(struct svg_write *w, const struct tl_event *event,
    const struct tl_span *span, tl_svg_take *take);

/* Note the begins and ends that make no span. */
void tl_svg_pairing_notes(struct svg_write *w);

enum { SVG_PANELS_MAX = 8 };

/* The names of the most entries, at most so many of them, the most first.
 * Returns how many. */
unsigned
tl_svg_most(const struct svg_names *names, unsigned *most, unsigned max);
/* What is said of those that are left, at the foot of the panels; nothing
 * where none is. */
void tl_svg_unshown(struct svg_write *w, const unsigned *panels, unsigned count,
    struct svg_point at);
/* A line in place of a chart that has nothing to show. */
void
tl_svg_nothing(struct svg_write *w, double y, double height, const char *words);

static inline double
tl_svg_max(double a, double b)
{
	return a > b ? a : b;
}

#endif
