/* SPDX-License-Identifier: Apache-2.0 */
/* spans.c - add spans, open spans and instants to tracks as shapes. */
#include "format/svg/spans.h"

#include <errno.h>
#include <stdlib.h>

enum { DRAWN_SHAPES_MAX = 10000 };

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
	rc = tl_svg_names_get(&w->names, &begin, SVG_NO_ARG, &name);
	if (rc < 0)
		return rc;
	if (rc == 1)
		tl_svg_note(w, SVG_MESSAGES);
	w->names.entries[name]++;
	shape.name = (uint8_t)name;
	rc = tl_svg_tracks_add(&w->tracks->tracks, track, span->depth, &shape);
	if (rc == 1)
		tl_svg_note(w, SVG_DEEP);
	return rc < 0 ? rc : 0;
}

static int
put_instant(struct svg_write *w, const struct tl_event *event)
{
	const uint64_t at = tl_svg_offset(event->ns);
	const struct svg_shape shape = { .from = at,
		.to = at,
		.count = 1,
		.name = SVG_NAME_MIXED,
		.level = event->level };
	struct svg_track *track;
	const int rc = find_track(w, event, &track);

	if (rc < 0 || !track)
		return rc;
	return tl_svg_tracks_tick(&w->tracks->tracks, track, &shape);
}

static int
spans_put(struct svg_write *w, const struct tl_event *event,
    const struct tl_span *span)
{
	tl_svg_moments_put(&w->tracks->moments, event);
	if (event->message)
		tl_svg_tracks_stretch(&w->tracks->tracks, event->ns);
	if (span)
		return put_span(w, span, 0);
	if (event->kind == TL_COUNTER)
		tl_svg_note(w, SVG_COUNTERS);
	return event->kind == TL_INSTANT ? put_instant(w, event) : 0;
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

		if (at < SVG_DRAWN_TRACKS_MAX)
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

static int
spans_layout(struct svg_write *w, double *height)
{
	struct svg_spans *s = w->tracks;
	int rc;

	tl_svg_pairing_notes(w);
	if ((rc = put_open(w)) < 0)
		return rc;
	choose_tracks(s);
	while (tl_svg_spans_shapes(s) > DRAWN_SHAPES_MAX)
		tl_svg_tracks_coarsen(&s->tracks);
	*height = tl_svg_spans_height(w);
	return 0;
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
	.draw = tl_svg_spans_draw,
	.free = spans_free };
