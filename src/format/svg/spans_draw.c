/* SPDX-License-Identifier: Apache-2.0 */
/* spans_draw.c - draw the tracks and the legend of the colours. */
#include "format/svg/spans.h"

#include "base/array.h"

enum {
	COLOURS = 8,
	PLOT_X = 216,
	PLOT_WIDTH = SVG_WIDTH - PLOT_X - 40,
	AXIS_HEIGHT = 22,
	ROW_HEIGHT = 17,
	TICKS_HEIGHT = 10,
	TRACK_GAP = 9,
	KEY_HEIGHT = 18,
	KEYS_ACROSS = 4, /* names of spans in a row */
	KEYS_MAX = 16,
	KEY_COLUMNS = 40, /* columns of a name */
	NOTHING_HEIGHT = 160,
	LABEL_LEAST = 4 /* columns of a span's label */
};

/*
 * The least widths, in pixels, of a visible shape and of a shape with a
 * tooltip.
 */
#define SEEN_LEAST 0.8
#define TOLD_LEAST 2.5

uint64_t
tl_svg_spans_shapes(const struct svg_spans *s)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < s->drawn_count; i++) {
		for (unsigned k = 0; k < SVG_ROWS; k++)
			count += s->drawn[i]->rows[k].count;
	}
	return count;
}

static double
track_height(const struct svg_track *track)
{
	const unsigned depth = tl_svg_track_depth(track);
	double height = TRACK_GAP + (double)ROW_HEIGHT * depth;

	if (track->rows[SVG_TICKS].count > 0)
		height += TICKS_HEIGHT;
	return tl_svg_max(height, TRACK_GAP + ROW_HEIGHT);
}

static double
tracks_height(const struct svg_spans *s)
{
	double height = 0;

	for (unsigned i = 0; i < s->drawn_count; i++)
		height += track_height(s->drawn[i]);
	return height;
}

static double
keys_height(const struct svg_spans *s)
{
	const unsigned rows = (s->key_count + KEYS_ACROSS - 1) / KEYS_ACROSS;

	return KEY_HEIGHT * (rows + 2.0);
}

double
tl_svg_spans_height(struct svg_write *w)
{
	struct svg_spans *s = w->tracks;

	if (s->drawn_count == 0)
		return NOTHING_HEIGHT;
	s->key_count = tl_svg_most(&w->names, s->keys, KEYS_MAX);
	s->time = tl_svg_moments_time(&s->moments,
	    (struct svg_box){ PLOT_X, 0, PLOT_WIDTH, tracks_height(s) });
	return 2 * AXIS_HEIGHT + s->time.box.height + 8 +
	       tl_svg_moments_height(&s->moments) + keys_height(s);
}

/* Make the class of a shape; names use the colours in turn. */
static void
make_class(char class[32], const struct svg_shape *shape)
{
	if (shape->name == SVG_NAME_MIXED)
		strcpy(class, "mix");
	else
		memcpy(class,
		    (char[]){ 's', (char)('0' + shape->name % COLOURS), '\0' },
		    3);
	if (shape->flags & SVG_OPEN)
		strcat(class, " open");
}

/* Append the tooltip of a shape. */
static void
put_title(struct tl_text *text, const struct svg_write *w,
    const struct svg_shape *shape)
{
	const uint64_t length = shape->to - shape->from;

	tl_put_string(text, "<title>");
	if (shape->count > 1) {
		tl_svg_count(text, shape->count);
		tl_put_string(text, " times ");
	}
	if (shape->name == SVG_NAME_MIXED)
		tl_put_string(text, "spans");
	else
		tl_put_xml(text, tl_svg_name(&w->names, shape->name));
	tl_put_string(text, shape->count > 1 ? " within " : " ");
	tl_put_duration(text, length > INT64_MAX ? INT64_MAX : (int64_t)length);
	if (shape->flags & SVG_OPEN)
		tl_put_string(text, ", not ended");
	tl_put_string(text, "</title>");
}

static struct svg_box
box_of(const struct svg_spans *s, const struct svg_shape *shape, double y,
    double height)
{
	const double from = tl_svg_time_x(&s->time,
	    (int64_t)tl_svg_offset((int64_t)shape->from));
	const double to =
	    tl_svg_time_x(&s->time, (int64_t)tl_svg_offset((int64_t)shape->to));

	return (struct svg_box){ from, y, tl_svg_max(to - from, SEEN_LEAST),
		height };
}

static void
put_label(struct tl_text *text, const struct svg_write *w,
    const struct svg_shape *shape, const struct svg_box *box)
{
	const unsigned columns = (unsigned)((box->width - 6) / SVG_TINY_EM);
	struct tl_text label = { 0 };

	if (box->width < 6 || columns < LABEL_LEAST || shape->count > 1 ||
	    shape->name == SVG_NAME_MIXED)
		return;
	tl_svg_cut(&label, tl_svg_label(&w->names, shape->name), columns);
	tl_svg_words(text, "tiny",
	    (struct svg_point){ box->x + 3, box->y + box->height - 4 }, &label);
}

static int
put_row(struct svg_write *w, const struct svg_row *row, double y)
{
	struct tl_text *text = &w->writer.out.text;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < row->count; i++) {
		const struct svg_shape *shape = &row->shapes[i];
		const struct svg_box box =
		    box_of(w->tracks, shape, y, ROW_HEIGHT - 2);
		char class[32];

		make_class(class, shape);
		if (box.width < TOLD_LEAST) {
			tl_svg_rect(text, class, box);
		} else {
			tl_svg_rect_open(text, class, box);
			put_title(text, w, shape);
			tl_put_string(text, "</rect>\n");
			put_label(text, w, shape, &box);
		}
		rc = tl_out_flush_full(&w->writer.out);
	}
	return rc;
}

/* Warnings and higher levels have colours of their own. */
static const char *
tick_class(const struct svg_shape *shape)
{
	if (shape->level >= 9)
		return "i9";
	if (shape->level == 8)
		return "i8";
	return shape->level == 7 ? "i7" : "i1";
}

static int
put_ticks(struct svg_write *w, const struct svg_row *row, double y)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < row->count; i++) {
		struct svg_box box =
		    box_of(w->tracks, &row->shapes[i], y, TICKS_HEIGHT - 3);

		box.width = tl_svg_max(box.width, 1);
		tl_svg_rect(&w->writer.out.text, tick_class(&row->shapes[i]),
		    box);
		rc = tl_out_flush_full(&w->writer.out);
	}
	return rc;
}

static int
put_track(struct svg_write *w, const struct svg_track *track, double y)
{
	struct tl_text *text = &w->writer.out.text;
	const unsigned depth = tl_svg_track_depth(track);
	const double bottom = y + track_height(track) - TRACK_GAP / 2.0;
	int rc = 0;

	tl_svg_text(text, "name", (struct svg_point){ SVG_MARGIN, y + 13 },
	    tl_bytes(track->name.data, track->name.size));
	tl_svg_line(text, "rule", (struct svg_point){ SVG_MARGIN, bottom },
	    (struct svg_point){ PLOT_X + PLOT_WIDTH, bottom });
	if (track->rows[SVG_TICKS].count > 0) {
		rc = put_ticks(w, &track->rows[SVG_TICKS], y + 1);
		y += TICKS_HEIGHT;
	}
	for (unsigned i = 0; rc == 0 && i < depth; i++, y += ROW_HEIGHT)
		rc = put_row(w, &track->rows[i], y);
	return rc;
}

/* Draw notes about joined and missing shapes. */
static void
put_legend(struct svg_write *w, double y)
{
	const struct svg_spans *s = w->tracks;
	struct tl_text *text = &w->writer.out.text;
	struct tl_text words = { 0 };
	uint64_t entries = 0, unshown = 0;

	for (unsigned i = 0; i < s->tracks.count; i++)
		unshown += s->tracks.tracks[i]->entries;
	for (unsigned i = 0; i < s->drawn_count; i++)
		entries += s->drawn[i]->entries;
	unshown -= entries;
	tl_svg_count(&words, entries);
	tl_put_string(&words, " spans and instants in ");
	tl_svg_counted(&words, tl_svg_spans_shapes(s), "shape");
	tl_put_string(&words, ": neighbours shorter than ");
	tl_put_duration(&words, (int64_t)tl_svg_grain(&s->tracks));
	tl_put_string(&words, " are drawn as one (grey: of several names)");
	if (s->tracks.count > s->drawn_count) {
		tl_put_string(&words, "; not shown: ");
		tl_svg_counted(&words, s->tracks.count - s->drawn_count,
		    "quieter track");
		tl_put_string(&words, " with ");
		tl_svg_count(&words, unshown);
	}
	tl_svg_words(text, "dim", (struct svg_point){ SVG_MARGIN, y + 10 },
	    &words);
}

/* Draw the legend of names. */
static void
put_names(struct svg_write *w, double y)
{
	const struct svg_spans *s = w->tracks;
	struct tl_text *text = &w->writer.out.text;
	const double each = (SVG_WIDTH - 2.0 * SVG_MARGIN) / KEYS_ACROSS;

	for (unsigned i = 0; i < s->key_count; i++) {
		const struct svg_point at = { SVG_MARGIN +
						  each * (i % KEYS_ACROSS),
			y + (double)KEY_HEIGHT * (i / KEYS_ACROSS) };
		const struct svg_shape shape = { .name = (uint8_t)s->keys[i] };
		struct tl_text name = { 0 };
		char class[32];

		make_class(class, &shape);
		tl_svg_rect(text, class,
		    (struct svg_box){ at.x, at.y, 12, 10 });
		tl_svg_cut(&name, tl_svg_name(&w->names, s->keys[i]),
		    KEY_COLUMNS);
		tl_svg_words(text, "note",
		    (struct svg_point){ at.x + 17, at.y + 9 }, &name);
	}
}

static void
put_marks(struct tl_text *text, double y)
{
	static const struct {
		const char *class;
		const char *words;
	} keys[] = { { "i1", "instant" }, { "i7", "warning" },
		{ "i8", "error" }, { "i9", "fatal" },
		{ "s0 open", "span without an end" },
		{ "lost", "entries lost" } };
	double x = SVG_MARGIN;

	for (size_t i = 0; i < TL_COUNT(keys); i++) {
		tl_svg_rect(text, keys[i].class,
		    (struct svg_box){ x, y, 12, 10 });
		tl_svg_word(text, "dim", (struct svg_point){ x + 17, y + 9 },
		    keys[i].words);
		x += 17 + (double)strlen(keys[i].words) * SVG_TEXT_EM + 14;
	}
}

int
tl_svg_spans_draw(struct svg_write *w, double y)
{
	struct svg_spans *s = w->tracks;
	struct tl_text *text = &w->writer.out.text;
	int rc = 0;

	if (s->drawn_count == 0) {
		tl_svg_nothing(w, y, NOTHING_HEIGHT,
		    "no spans and no instants in these entries");
		return 0;
	}
	s->time.box.y = y + AXIS_HEIGHT;
	tl_svg_time_labels(text, &s->time, s->time.box.y - 7);
	tl_svg_rect(text, "panel", s->time.box);
	tl_svg_time_lines(text, &s->time);
	y = s->time.box.y + TRACK_GAP / 2.0;
	for (unsigned i = 0; rc == 0 && i < s->drawn_count; i++) {
		rc = put_track(w, s->drawn[i], y);
		y += track_height(s->drawn[i]);
	}
	tl_svg_moments_draw(text, &s->moments, &s->time);
	y = s->time.box.y + s->time.box.height;
	tl_svg_time_labels(text, &s->time, y + 15);
	y += AXIS_HEIGHT + 8;
	tl_svg_moments_rows(text, &s->moments, &s->time, y);
	y += tl_svg_moments_height(&s->moments);
	put_names(w, y);
	y += keys_height(s) - 2 * KEY_HEIGHT;
	put_marks(text, y);
	put_legend(w, y + KEY_HEIGHT);
	return rc;
}
