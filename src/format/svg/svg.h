/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svg.h - shared by the files of the SVG writer.
 *
 *	write.c       counts all entries, draws head and foot
 *	values.c      the durations that latency.c and heat.c draw
 *	latency.c     histograms
 *	heat.c        durations over time
 *	spans.c       spans, as shapes in tracks
 *	tracks.c      keeps the shapes
 */
#ifndef TL_FORMAT_SVG_SVG_H
#define TL_FORMAT_SVG_SVG_H

#include "event/reader.h"
#include "event/spans.h"
#include "format/svg/draw.h"
#include "format/svg/names.h"
#include "format/svg/write.h"

/* The diagnostics of a chart, which are drawn at its foot and reported. */
enum svg_note {
	SVG_NEGATIVE,
	SVG_UNSURE,
	SVG_LONELY_BEGINS,
	SVG_LONELY_ENDS,
	SVG_COUNTERS,
	SVG_MESSAGES,
	SVG_TRACKS,
	SVG_DEEP
};

struct svg_write;

/* The functions of a chart. */
struct svg_chart {
	const char *caption;
	int (*start)(struct svg_write *w);
	/* Take the next event; span: the span that the event ended, or NULL. */
	int (*put)(struct svg_write *w, const struct tl_event *event,
	    const struct tl_span *span);
	/* Prepare the drawing after the last event, and set its height. */
	int (*layout)(struct svg_write *w, double *height);
	/* Draw the chart from y on. */
	int (*draw)(struct svg_write *w, double y);
	void (*free)(struct svg_write *w);
};

struct svg_latency;
struct svg_heat;
struct svg_spans;

struct svg_write {
	struct tl_writer writer; /* first: callers see the writer */
	enum tl_svg_chart which;
	const struct svg_chart *chart;
	struct tl_spans *spans;
	struct tl_notes notes;
	bool begun; /* first_ns is set */
	int64_t first_ns;
	int64_t last_ns;
	uint64_t entries;
	uint64_t losses; /* places with lost entries */
	uint64_t lost;   /* lost entries, at most UINT64_MAX */
	struct svg_names names;
	/* The state of the chart: one of the following is set. */
	struct svg_latency *latency;
	struct svg_heat *heat;
	struct svg_spans *tracks;
};

extern const struct svg_chart tl_svg_latency, tl_svg_heat, tl_svg_spans;

static inline void
tl_svg_note(struct svg_write *w, enum svg_note note)
{
	tl_note(&w->notes, note, TL_FAULT_NOWHERE);
}

/*
 * Return the number of the name of an event's message, or of an argument, and
 * count an entry of that name: 0, -ENOMEM.
 */
int tl_svg_count_name(struct svg_write *w, const struct tl_event *event,
    unsigned arg, unsigned *name);

/* Take a duration that became known at ns. */
typedef int tl_svg_take(struct svg_write *w, unsigned series, int64_t ns,
    uint64_t duration_ns);

/*
 * Pass on the durations of an event: the span that the event ended, and
 * arguments.
 */
int tl_svg_values(struct svg_write *w, const struct tl_event *event,
    const struct tl_span *span, tl_svg_take *take);

/* Note the begins and ends that make no span. */
void tl_svg_pairing_notes(struct svg_write *w);

enum { SVG_PANELS_MAX = 8 };

/*
 * Find the names with the most entries, in descending order, at most max.
 * Return the number of names.
 */
unsigned
tl_svg_most(const struct svg_names *names, unsigned *most, unsigned max);
/* Draw a note about names without a panel at the foot of the panels, if any. */
void tl_svg_unshown(struct svg_write *w, const unsigned *panels, unsigned count,
    struct svg_point at);
/* Draw a line of text in place of an empty chart. */
void
tl_svg_nothing(struct svg_write *w, double y, double height, const char *words);

static inline double
tl_svg_max(double a, double b)
{
	return a > b ? a : b;
}

#endif
