/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - spans over time, a track for each thread and each source.
 *
 *	          19:24:18            19:24:19
 *	41/52     '  '    ''    '                    instants
 *	          |request           | |request |    spans ...
 *	            |read| |write|                   ... and what is in them
 *	-------------------------------------------
 *	lock      |lock |   |lock  |
 *
 * Spans and instants become shapes in tracks (tracks.h).  The tracks with the
 * most spans and instants are drawn.
 */
#include "format/svg/moments.h"
#include "format/svg/svg.h"
#include "format/svg/tracks.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

enum {
	DRAWN_SHAPES_MAX = 10000,
	DRAWN_TRACKS_MAX = 40,
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

struct svg_spans {
	struct svg_tracks tracks;
	struct svg_moments moments;
	struct svg_track *drawn[DRAWN_TRACKS_MAX];
	unsigned drawn_count;
	unsigned keys[SVG_NAMES_MAX]; /* names, most spans first */
	unsigned key_count;
	struct svg_time time;
};

/* == shapes of events == */

static int
spans_start(struct svg_write *w)
{
	w->tracks = calloc(1, sizeof(*w->tracks));
	if (!w->tracks)
		return -ENOMEM;
	w->tracks->tracks.grains.count = SVG_PIXELS;
	tl_svg_moments_init(&w->tracks->moments);
	return 0;
}

/* Find the track of an event; NULL: too many tracks. */
static int
find_track(struct svg_write *w, const struct tl_event *event,
    struct svg_track **track)
{
	int rc;

	w->tracks->tracks.writer = &w->writer;
	rc = tl_svg_tracks_get(&w->tracks->tracks, event, track);
	if (rc != -ENOSPC)
		return rc;
	*track = NULL;
	tl_svg_note(w, SVG_TRACKS);
	return 0;
}

static int
put_span(struct svg_write *w, const struct tl_span *span, uint8_t flags)
{
	const uint64_t from = tl_svg_offset(span->begin_ns);
	struct tl_event begin = { .message = span->message,
		.pid = span->pid,
		.tid = span->tid,
		.source = span->source };
	struct svg_shape shape = { .from = from,
		.to = from + (uint64_t)span->duration_ns,
		.count = 1,
		.flags = flags };
	struct svg_track *track;
	unsigned name;
	int rc;

	memcpy(begin.args, span->args, sizeof(begin.args));
	begin.bare = span->bare;
	if ((rc = find_track(w, &begin, &track)) < 0 || !track)
		return rc;
	rc = tl_svg_count_name(w, &begin, SVG_NO_ARG, &name);
	if (rc < 0)
		return rc;
	shape.name = (uint8_t)name;
	return tl_svg_tracks_add(&w->tracks->tracks, track, span->depth,
	    &shape);
}

static int
spans_put(struct svg_write *w, const struct tl_event *event,
    const struct tl_span *span)
{
	struct svg_spans *s = w->tracks;
	const uint64_t at = tl_svg_offset(event->ns);
	const struct svg_shape tick = { .from = at,
		.to = at,
		.count = 1,
		.name = SVG_NAME_MIXED,
		.level = event->level };
	struct svg_track *track;
	int rc;

	tl_svg_moments_put(&s->moments, event);
	if (event->message)
		tl_svg_tracks_stretch(&s->tracks, event->ns);
	if (span)
		return put_span(w, span, 0);
	if (event->kind == TL_COUNTER)
		tl_svg_note(w, SVG_COUNTERS);
	if (event->kind != TL_INSTANT)
		return 0;
	rc = find_track(w, event, &track);
	return rc < 0 || !track ? rc
				: tl_svg_tracks_tick(&s->tracks, track, &tick);
}

/*
 * Add the open spans, which end with the picture.  A begin that is not known to
 * be open is no span.
 */
static int
put_open(struct svg_write *w)
{
	struct tl_span span;
	uint32_t i = 0;
	int rc = 0;

	w->notes.count[SVG_LONELY_BEGINS] = 0;
	while (rc == 0 && tl_spans_open(w->spans, &i, &span)) {
		uint64_t length =
		    (uint64_t)w->last_ns - (uint64_t)span.begin_ns;

		if (!tl_span_is_sure(&span)) {
			tl_svg_note(w, SVG_LONELY_BEGINS);
			continue;
		}
		if (w->last_ns < span.begin_ns)
			length = 0;
		span.duration_ns =
		    length > INT64_MAX ? INT64_MAX : (int64_t)length;
		rc = put_span(w, &span, SVG_OPEN);
	}
	return rc;
}

/* == layout == */

/* Order tracks by process, with sources after the threads. */
static int
compare(const void *a, const void *b)
{
	const struct svg_track *x = *(struct svg_track *const *)a;
	const struct svg_track *y = *(struct svg_track *const *)b;

	if (x->is_source != y->is_source)
		return x->is_source ? 1 : -1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Choose the tracks with the most spans and instants. */
static void
choose_tracks(struct svg_spans *s)
{
	for (unsigned i = 0; i < s->tracks.count; i++) {
		struct svg_track *track = s->tracks.tracks[i];
		unsigned at = s->drawn_count;

		if (at < DRAWN_TRACKS_MAX)
			s->drawn_count++;
		else if (s->drawn[--at]->entries >= track->entries)
			continue;
		for (; at > 0 && s->drawn[at - 1]->entries < track->entries;
		     at--)
			s->drawn[at] = s->drawn[at - 1];
		s->drawn[at] = track;
	}
	qsort(s->drawn, s->drawn_count, sizeof(s->drawn[0]), compare);
}

/* Count the shapes of the tracks that are drawn. */
static uint64_t
shapes_of(const struct svg_spans *s)
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
keys_height(const struct svg_spans *s)
{
	const unsigned rows = (s->key_count + KEYS_ACROSS - 1) / KEYS_ACROSS;

	return KEY_HEIGHT * (rows + 2.0);
}

static int
spans_layout(struct svg_write *w, double *height)
{
	struct svg_spans *s = w->tracks;
	double tracks = 0;
	int rc;

	tl_svg_pairing_notes(w);
	if ((rc = put_open(w)) < 0)
		return rc;
	w->notes.count[SVG_DEEP] = s->tracks.deep;
	w->notes.first[SVG_DEEP] = TL_FAULT_NOWHERE;
	choose_tracks(s);
	while (shapes_of(s) > DRAWN_SHAPES_MAX)
		tl_svg_tracks_coarsen(&s->tracks);
	*height = NOTHING_HEIGHT;
	if (s->drawn_count == 0)
		return 0;
	for (unsigned i = 0; i < s->drawn_count; i++)
		tracks += track_height(s->drawn[i]);
	s->key_count = tl_svg_most(&w->names, s->keys, KEYS_MAX);
	s->time = tl_svg_moments_time(&s->moments,
	    (struct svg_box){ PLOT_X, 0, PLOT_WIDTH, tracks });
	*height = 2 * AXIS_HEIGHT + tracks + 8 +
		  tl_svg_moments_height(&s->moments) + keys_height(s);
	return 0;
}

/* == drawing == */

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
	tl_svg_counted(&words, shapes_of(s), "shape");
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

static int
spans_draw(struct svg_write *w, double y)
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

static void
spans_free(struct svg_write *w)
{
	if (w->tracks)
		tl_svg_tracks_free(&w->tracks->tracks);
	free(w->tracks);
}

const struct svg_chart tl_svg_spans = { .caption = "Spans over time",
	.start = spans_start,
	.put = spans_put,
	.layout = spans_layout,
	.draw = spans_draw,
	.free = spans_free };
