/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heat.c - durations over time: a map for each message, one above the other on
 * one axis of time.
 *
 *	net: read                               12,345 values
 *	 1ms |  .       :  |
 *	10us | .:::.  .::: |: cells: the darker, the more
 *	     |_______|____:___|_
 *	     19:24:18   19:24:19
 *	lost         |
 *	level set         : trace
 */
#include "format/svg/axis.h"
#include "format/svg/grid.h"
#include "format/svg/svg.h"

#include <errno.h>
#include <stdlib.h>

enum {
	STEPS = 9, /* steps of colour */
	PLOT_X = 88,
	PLOT_WIDTH = SVG_WIDTH - PLOT_X - 40,
	NAME_HEIGHT = 20,
	PLOT_HEIGHT = 150,
	AXIS_HEIGHT = 34,
	PANEL_HEIGHT = NAME_HEIGHT + PLOT_HEIGHT + AXIS_HEIGHT,
	LEGEND_HEIGHT = 30,
	NOTHING_HEIGHT = 160
};

struct svg_heat {
	struct svg_moments moments;
	struct svg_grid *of[SVG_NAMES_MAX];
	struct svg_grid *copy;
	unsigned panels[SVG_PANELS_MAX];
	unsigned panel_count;
	uint64_t base;  /* ratio of a step to the step before */
	unsigned steps; /* steps in use */
	struct svg_time time;
};

static int
heat_start(struct svg_write *w)
{
	w->heat = calloc(1, sizeof(*w->heat));
	if (!w->heat)
		return -ENOMEM;
	tl_svg_moments_init(&w->heat->moments);
	w->heat->copy = malloc(sizeof(*w->heat->copy));
	return w->heat->copy ? 0 : -ENOMEM;
}

static int
take(struct svg_write *w, unsigned name, int64_t ns, uint64_t duration_ns)
{
	struct svg_heat *heat = w->heat;

	if (!heat->of[name])
		heat->of[name] = calloc(1, sizeof(*heat->of[name]));
	if (!heat->of[name])
		return -ENOMEM;
	tl_svg_grid_add(heat->of[name],
	    tl_svg_columns_place(&heat->moments.columns, ns),
	    tl_svg_row(duration_ns));
	return 0;
}

/* Join the columns of every grid until the time of the event fits. */
static int
heat_put(struct svg_write *w, const struct tl_event *event,
    const struct tl_span *span)
{
	struct svg_heat *heat = w->heat;
	const struct svg_columns *columns = &heat->moments.columns;
	unsigned doublings = 0;

	if (event->message)
		doublings = tl_svg_columns_doublings(columns, event->ns);
	for (unsigned i = 0; doublings > 0 && i < SVG_NAMES_MAX; i++) {
		if (heat->of[i])
			tl_svg_grid_fold(heat->of[i], heat->copy, columns,
			    doublings);
	}
	tl_svg_moments_put(&heat->moments, event);
	return tl_svg_values(w, event, span, take);
}

static unsigned
steps_of(uint64_t count, uint64_t base)
{
	unsigned steps = 1;

	for (; count >= base; count /= base)
		steps++;
	return steps;
}

/* Choose the smallest base that needs at most STEPS steps for any cell. */
static void
choose_steps(struct svg_heat *heat)
{
	static const uint64_t bases[] = { 2, 4, 10, 100, 1000 };
	uint64_t most = 1;
	size_t base = 0;

	for (unsigned i = 0; i < heat->panel_count; i++) {
		const struct svg_grid *grid = heat->of[heat->panels[i]];

		for (unsigned c = 0; c < SVG_COLUMNS; c++) {
			for (unsigned row = grid->low; row < grid->high; row++)
				if (grid->cells[c][row] > most)
					most = grid->cells[c][row];
		}
	}
	while (steps_of(most, bases[base]) > STEPS)
		base++;
	heat->base = bases[base];
	heat->steps = steps_of(most, heat->base);
}

/* The colour of a step; even few steps span the whole scale. */
static unsigned
colour_of(const struct svg_heat *heat, unsigned step)
{
	if (heat->steps == 1)
		return STEPS / 2;
	return step * (STEPS - 1) / (heat->steps - 1);
}

static int
heat_layout(struct svg_write *w, double *height)
{
	struct svg_heat *heat = w->heat;

	tl_svg_pairing_notes(w);
	heat->panel_count =
	    tl_svg_most(&w->names, heat->panels, SVG_PANELS_MAX);
	choose_steps(heat);
	heat->time = tl_svg_moments_time(&heat->moments,
	    (struct svg_box){ PLOT_X, 0, PLOT_WIDTH, PLOT_HEIGHT });
	*height = NOTHING_HEIGHT;
	if (heat->panel_count > 0)
		*height = PANEL_HEIGHT * heat->panel_count +
			  tl_svg_moments_height(&heat->moments) + LEGEND_HEIGHT;
	return 0;
}

/* Append a box to a path. */
static void
put_cell(struct tl_text *text, struct svg_box box)
{
	tl_put_char(text, 'M');
	tl_svg_number(text, box.x);
	tl_put_char(text, ' ');
	tl_svg_number(text, box.y);
	tl_put_char(text, 'h');
	tl_svg_number(text, box.width);
	tl_put_char(text, 'v');
	tl_svg_number(text, box.height);
	tl_put_char(text, 'h');
	tl_svg_number(text, -box.width);
	tl_put_char(text, 'z');
}

/* Append the cells of a row that have a step; neighbours become one box. */
static void
put_row(struct tl_text *text, const struct svg_heat *heat,
    const struct svg_grid *grid, unsigned row, unsigned step,
    const struct svg_box *box)
{
	struct svg_box cell = *box;
	struct svg_box at;
	uint64_t place;

	cell.width = 0;
	for (unsigned i = 0;
	     tl_svg_moments_next(&heat->moments, &heat->time, i, &place, &at);
	     i++) {
		const uint64_t count = grid->cells[place][row];
		const bool has =
		    count > 0 && steps_of(count, heat->base) == step + 1;

		if (has && cell.width == 0)
			cell.x = at.x;
		if (has)
			cell.width = at.x + at.width - cell.x;
		if (has || cell.width == 0)
			continue;
		put_cell(text, cell);
		cell.width = 0;
	}
	if (cell.width > 0)
		put_cell(text, cell);
}

static struct svg_log
axis_of(const struct svg_grid *grid)
{
	return tl_svg_log_between(tl_svg_row_log2(grid->low),
	    tl_svg_row_log2(grid->high));
}

/* Draw the cells of a step as one path. */
static void
put_step(struct tl_text *text, const struct svg_heat *heat,
    const struct svg_grid *grid, unsigned step, struct svg_box box)
{
	const struct svg_log axis = axis_of(grid);
	const double each = box.height / (axis.to - axis.from) / SVG_GRID_PARTS;

	tl_put_format(text, "<path class=\"cells h%u\" d=\"",
	    colour_of(heat, step));
	for (unsigned row = grid->low; row < grid->high; row++) {
		const double top =
		    tl_svg_log_at(&axis, tl_svg_row_log2(row + 1), box.height);
		const struct svg_box cell = { box.x, box.y + box.height - top,
			0, each };

		put_row(text, heat, grid, row, step, &cell);
	}
	tl_put_string(text, "\"/>\n");
}

static void
put_name(struct svg_write *w, unsigned name, double y)
{
	struct tl_text *text = &w->writer.out.text;
	struct tl_text words = { 0 };

	tl_svg_text(text, "name", (struct svg_point){ SVG_MARGIN, y },
	    tl_svg_name(&w->names, name));
	tl_svg_counted(&words, w->names.entries[name], "value");
	tl_svg_words(text, "end",
	    (struct svg_point){ SVG_WIDTH - SVG_MARGIN, y }, &words);
}

static int
put_panel(struct svg_write *w, unsigned name, double y)
{
	const struct svg_heat *heat = w->heat;
	const struct svg_grid *grid = heat->of[name];
	const struct svg_log axis = axis_of(grid);
	struct tl_text *text = &w->writer.out.text;
	struct svg_time time = heat->time;
	int rc = 0;

	time.box.y = y + NAME_HEIGHT;
	put_name(w, name, y + 12);
	tl_svg_rect(text, "panel", time.box);
	tl_svg_log_beside(text, &axis, time.box);
	tl_svg_time_lines(text, &time);
	for (unsigned i = 0; rc == 0 && i < heat->steps; i++) {
		put_step(text, heat, grid, i, time.box);
		rc = tl_out_flush_full(&w->writer.out);
	}
	tl_svg_moments_draw(text, &heat->moments, &time);
	tl_svg_line(text, "rule",
	    (struct svg_point){ time.box.x, time.box.y + PLOT_HEIGHT },
	    (struct svg_point){ time.box.x + time.box.width,
		time.box.y + PLOT_HEIGHT });
	tl_svg_time_labels(text, &time, time.box.y + PLOT_HEIGHT + 15);
	return rc;
}

static void
put_legend(struct tl_text *text, const struct svg_heat *heat, double y)
{
	double x = PLOT_X;
	uint64_t least = 1;
	struct tl_text words = { 0 };

	tl_svg_word(text, "dim", (struct svg_point){ SVG_MARGIN, y + 10 },
	    "count");
	for (unsigned i = 0; i < heat->steps; i++, least *= heat->base) {
		char class[4] = { 'h', (char)('0' + colour_of(heat, i)) };

		tl_text_clear(&words);
		tl_svg_count(&words, least);
		if (i + 1 == heat->steps)
			tl_put_char(&words, '+');
		tl_svg_rect(text, class, (struct svg_box){ x, y, 22, 12 });
		tl_svg_text(text, "dim", (struct svg_point){ x + 26, y + 10 },
		    tl_bytes(words.data, words.size));
		x += 26 + (double)words.size * SVG_TEXT_EM + 12;
	}
	tl_text_clear(&words);
	tl_put_string(&words, "values of a cell, which is ");
	tl_put_duration(&words, INT64_C(1) << heat->moments.columns.shift);
	tl_put_string(&words, " wide and a quarter of a doubling high");
	tl_svg_words(text, "dim", (struct svg_point){ x + 4, y + 10 }, &words);
}

static int
heat_draw(struct svg_write *w, double y)
{
	struct svg_heat *heat = w->heat;
	struct tl_text *text = &w->writer.out.text;
	int rc = 0;

	if (heat->panel_count == 0) {
		tl_svg_nothing(w, y, NOTHING_HEIGHT,
		    "no spans and no durations in these entries");
		return 0;
	}
	for (unsigned i = 0; rc == 0 && i < heat->panel_count; i++) {
		rc = put_panel(w, heat->panels[i], y);
		y += PANEL_HEIGHT;
	}
	tl_svg_moments_rows(text, &heat->moments, &heat->time, y);
	y += tl_svg_moments_height(&heat->moments);
	put_legend(text, heat, y);
	tl_svg_unshown(w, heat->panels, heat->panel_count,
	    (struct svg_point){ SVG_MARGIN, y + LEGEND_HEIGHT });
	return rc;
}

static void
heat_free(struct svg_write *w)
{
	if (!w->heat)
		return;
	for (unsigned i = 0; i < SVG_NAMES_MAX; i++)
		free(w->heat->of[i]);
	free(w->heat->copy);
	free(w->heat);
}

const struct svg_chart tl_svg_heat = { .caption = "Latency over time",
	.start = heat_start,
	.put = heat_put,
	.layout = heat_layout,
	.draw = heat_draw,
	.free = heat_free };
