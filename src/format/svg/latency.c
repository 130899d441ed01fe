/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency.c - a histogram for each message, one above the other on one axis.
 *
 *	net: read                          12,345 values, mean 1.5us
 *	    p50 1.2us  p90 2us   p99 9us            max 1ms	marks
 *	      |    _  \ |            |                |
 *	      |  _| |__\|            |                |		plot
 *	    __|_|___|___|_____._____ | _______________|
 *	    1us        10us        100us             1ms
 */
#include "base/histogram.h"
#include "format/svg/axis.h"
#include "format/svg/svg.h"

#include <errno.h>
#include <stdlib.h>

enum {
	DIGITS = 3, /* precision of a percentile */
	BARS = 180,
	MARKS = 5,
	PLOT_X = 88,
	PLOT_WIDTH = SVG_WIDTH - PLOT_X - 40,
	NAME_HEIGHT = 18,
	MARKS_HEIGHT = 26,
	PLOT_HEIGHT = 92,
	AXIS_HEIGHT = 38,
	PANEL_HEIGHT = NAME_HEIGHT + MARKS_HEIGHT + PLOT_HEIGHT + AXIS_HEIGHT,
	NOTHING_HEIGHT = 160,
	MARK_GAP = 8 /* gap between labels */
};

/* The least height of a bar, so that every bar is visible. */
#define BAR_LEAST 1.5

struct svg_latency {
	struct tl_histogram *of[SVG_NAMES_MAX];
	unsigned panels[SVG_PANELS_MAX];
	unsigned panel_count;
	struct svg_log axis;
};

/* A line in the plot with a label above. */
struct mark {
	const char *name;
	double percent;
	uint64_t ns;
	double x;
	double label_x; /* middle of the label */
	double width;
};

static int
latency_start(struct svg_write *w)
{
	w->latency = calloc(1, sizeof(*w->latency));
	return w->latency ? 0 : -ENOMEM;
}

static int
take(struct svg_write *w, unsigned name, int64_t ns, uint64_t duration_ns)
{
	struct tl_histogram **histogram = &w->latency->of[name];
	int rc = 0;

	(void)ns;
	if (!*histogram)
		rc = tl_histogram_new(histogram, DIGITS);
	if (duration_ns > INT64_MAX) /* beyond any span of a clock */
		duration_ns = INT64_MAX;
	return rc < 0 ? rc : tl_histogram_add(*histogram, duration_ns, 1);
}

static int
latency_put(struct svg_write *w, const struct tl_event *event,
    const struct tl_span *span)
{
	return tl_svg_values(w, event, span, take);
}

static int
latency_layout(struct svg_write *w, double *height)
{
	struct svg_latency *l = w->latency;
	uint64_t least = UINT64_MAX, most = 0;

	tl_svg_pairing_notes(w);
	l->panel_count = tl_svg_most(&w->names, l->panels, SVG_PANELS_MAX);
	for (unsigned i = 0; i < l->panel_count; i++) {
		const struct tl_histogram *h = l->of[l->panels[i]];

		if (tl_histogram_min(h) < least)
			least = tl_histogram_min(h);
		if (tl_histogram_max(h) > most)
			most = tl_histogram_max(h);
	}
	l->axis = tl_svg_log_around(least, most);
	*height =
	    l->panel_count > 0 ? PANEL_HEIGHT * l->panel_count : NOTHING_HEIGHT;
	return 0;
}

static void
put_name(struct svg_write *w, unsigned name, double y)
{
	struct tl_text *text = &w->writer.out.text;
	const struct tl_histogram *h = w->latency->of[name];
	struct tl_text words = { 0 };

	tl_svg_text(text, "name", (struct svg_point){ SVG_MARGIN, y },
	    tl_svg_name(&w->names, name));
	tl_svg_counted(&words, tl_histogram_count(h), "value");
	tl_put_string(&words, ", least ");
	tl_put_duration(&words, (int64_t)tl_histogram_min(h));
	tl_put_string(&words, ", mean ");
	tl_put_duration(&words, (int64_t)tl_histogram_mean(h));
	tl_svg_words(text, "end",
	    (struct svg_point){ SVG_WIDTH - SVG_MARGIN, y }, &words);
}

/* Count the values of each bar; return the highest count, at least 1. */
static uint64_t
count_bars(const struct svg_latency *l, unsigned name, uint64_t bars[BARS])
{
	uint64_t low, high, count, most = 1;
	size_t index = 0;

	memset(bars, 0, BARS * sizeof(bars[0]));
	while (tl_histogram_bucket(l->of[name], &index, &low, &high, &count)) {
		const double log2 = tl_svg_log2(low + (high - low) / 2);
		double at = tl_svg_log_at(&l->axis, log2, BARS);

		at = at > 0 ? at : 0;
		at = at < BARS - 1 ? at : BARS - 1;
		bars[(unsigned)at] += count;
		if (bars[(unsigned)at] > most)
			most = bars[(unsigned)at];
	}
	return most;
}

/* Draw the scale of counts: nothing, half and the highest. */
static void
put_scale(struct tl_text *text, struct svg_box box, uint64_t most)
{
	for (unsigned i = 0; i <= 2; i++) {
		const double y = box.y + box.height - box.height * i / 2;
		struct tl_text words = { 0 };

		if (i == 1 && most % 2 != 0) /* odd: no half */
			continue;
		tl_svg_line(text, i == 0 ? "rule" : "grid",
		    (struct svg_point){ box.x, y },
		    (struct svg_point){ box.x + box.width, y });
		tl_svg_count(&words, most / 2 * i + (i == 2 ? most % 2 : 0));
		tl_svg_words(text, "dim end",
		    (struct svg_point){ box.x - 6, y + 4 }, &words);
	}
}

static void
put_bars(struct tl_text *text, struct svg_box box, const uint64_t bars[BARS],
    uint64_t most)
{
	const double width = box.width / BARS;

	for (unsigned i = 0; i < BARS; i++) {
		const double share = (double)bars[i] / (double)most;
		const double height = tl_svg_max(share * box.height, BAR_LEAST);

		if (bars[i] == 0)
			continue;
		tl_svg_rect(text, "bar",
		    (struct svg_box){ box.x + i * width,
			box.y + box.height - height, width - 0.5, height });
	}
}

static void
mark_words(struct tl_text *words, const struct mark *mark)
{
	tl_put_string(words, mark->name);
	tl_put_char(words, ' ');
	tl_put_duration(words, (int64_t)mark->ns);
}

static void
make_marks(const struct svg_latency *l, unsigned name, struct svg_box box,
    struct mark marks[MARKS])
{
	static const struct mark all[MARKS] = { { .name = "p50",
						    .percent = 50 },
		{ .name = "p90", .percent = 90 },
		{ .name = "p99", .percent = 99 },
		{ .name = "p99.9", .percent = 99.9 },
		{ .name = "max", .percent = 100 } };
	const struct tl_histogram *h = l->of[name];

	for (unsigned i = 0; i < MARKS; i++) {
		struct tl_text words = { 0 };
		struct mark *m = &marks[i];

		*m = all[i];
		m->ns = tl_histogram_percentile(h, m->percent);
		if (m->ns > tl_histogram_max(h)) /* same bucket */
			m->ns = tl_histogram_max(h);
		m->x = box.x +
		       tl_svg_log_at(&l->axis, tl_svg_log2(m->ns), box.width);
		m->label_x = m->x;
		mark_words(&words, m);
		m->width = (double)words.size * SVG_STRONG_EM + MARK_GAP;
		tl_text_free(&words);
	}
}

/*
 * Push labels right until they do not overlap, then back from the right edge.
 */
static void
part_labels(struct mark marks[MARKS])
{
	double edge = SVG_MARGIN;

	for (unsigned i = 0; i < MARKS; i++) {
		const double half = marks[i].width / 2;

		marks[i].label_x = tl_svg_max(marks[i].x, edge + half);
		edge = marks[i].label_x + half;
	}
	edge = SVG_WIDTH - SVG_MARGIN;
	for (unsigned i = MARKS; i-- > 0;) {
		const double half = marks[i].width / 2;

		if (marks[i].label_x > edge - half)
			marks[i].label_x = edge - half;
		edge = marks[i].label_x - half;
	}
}

/* Draw a label, and a line from the label to the plot and through the plot. */
static void
put_mark(struct tl_text *text, const struct mark *mark, unsigned i,
    struct svg_box box)
{
	struct tl_text words = { 0 };

	mark_words(&words, mark);
	tl_svg_words(text, "mid strong",
	    (struct svg_point){ mark->label_x, box.y - 14 }, &words);
	tl_put_format(text, "<path class=\"m m%u\" d=\"M", i);
	tl_svg_number(text, mark->label_x);
	tl_put_char(text, ' ');
	tl_svg_number(text, box.y - 10);
	tl_put_char(text, 'L');
	tl_svg_number(text, mark->x);
	tl_put_char(text, ' ');
	tl_svg_number(text, box.y);
	tl_put_char(text, 'V');
	tl_svg_number(text, box.y + box.height);
	tl_put_string(text, "\"/>\n");
}

static void
put_panel(struct svg_write *w, unsigned name, double y)
{
	const struct svg_latency *l = w->latency;
	const struct svg_box box = { PLOT_X, y + NAME_HEIGHT + MARKS_HEIGHT,
		PLOT_WIDTH, PLOT_HEIGHT };
	struct tl_text *text = &w->writer.out.text;
	struct mark marks[MARKS];
	uint64_t bars[BARS];
	const uint64_t most = count_bars(l, name, bars);

	put_name(w, name, y + 12);
	tl_svg_rect(text, "panel", box);
	tl_svg_log_below(text, &l->axis, box);
	put_scale(text, box, most);
	put_bars(text, box, bars, most);
	make_marks(l, name, box, marks);
	part_labels(marks);
	for (unsigned i = 0; i < MARKS; i++)
		put_mark(text, &marks[i], i, box);
}

static int
latency_draw(struct svg_write *w, double y)
{
	const struct svg_latency *l = w->latency;
	int rc = 0;

	if (l->panel_count == 0)
		tl_svg_nothing(w, y, NOTHING_HEIGHT,
		    "no spans and no durations in these entries");
	for (unsigned i = 0; rc == 0 && i < l->panel_count; i++) {
		put_panel(w, l->panels[i], y + i * PANEL_HEIGHT);
		rc = tl_out_flush_full(&w->writer.out);
	}
	tl_svg_unshown(w, l->panels, l->panel_count,
	    (struct svg_point){ SVG_MARGIN,
		y + l->panel_count * PANEL_HEIGHT + 4 });
	return rc;
}

static void
latency_free(struct svg_write *w)
{
	for (unsigned i = 0; w->latency && i < SVG_NAMES_MAX; i++)
		tl_histogram_free(w->latency->of[i]);
	free(w->latency);
}

const struct svg_chart tl_svg_latency = { .caption =
					      "Latency: values by duration",
	.start = latency_start,
	.put = latency_put,
	.layout = latency_layout,
	.draw = latency_draw,
	.free = latency_free };
