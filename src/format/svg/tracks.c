/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - keep shapes of at least one grain in rows, in order of time. */
#include "format/svg/tracks.h"

#include "base/array.h"
#include "event/hosts/hosts.h"
#include "format/label.h"
#include "format/stacks.h"
#include "format/svg/draw.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum { TRACK_COLUMNS = 25, SHIFT_MAX = 63 };

static void
name_track(struct tl_writer *writer, struct svg_track *track,
    const struct tl_event *event)
{
	struct tl_text name = { .rc = tl_writer_name(writer, event) };
	const uint32_t pid =
	    tl_host_pids_put_host(writer->pids, event->pid, &name);

	if (track->is_source)
		tl_label_put(&name, event);
	else if (pid != 0 || track->tid != 0)
		tl_put_thread(&name,
		    tl_names_thread(&writer->names, event->pid, event->tid),
		    pid, track->tid);
	else
		tl_put_string(&name, "no thread");
	if (track->source > 0)
		tl_put_format(&name, " #%u", track->source + 1u);
	tl_svg_plain(&track->name, tl_bytes(name.data, name.size),
	    TRACK_COLUMNS);
	if (name.rc < 0)
		track->name.rc = name.rc;
	tl_text_free(&name);
}

int
tl_svg_tracks_get(struct svg_tracks *t, const struct tl_event *event,
    struct svg_track **track)
{
	struct svg_track *made;
	uint32_t number;
	int rc = tl_id_map_get(&t->numbers, tl_track_key(event), &number);

	if (rc < 0)
		return rc;
	if (number >= SVG_TRACKS_MAX)
		return -ENOSPC;
	if (rc == 1) {
		made = t->tracks[number] = calloc(1, sizeof(*made));
		t->count = number + 1;
		if (!made)
			return -ENOMEM;
		made->is_source = event->message->scope == TIMELINE_SOURCE;
		made->source = event->source;
		made->pid = made->is_source ? 0 : event->pid;
		made->tid = made->is_source ? 0 : event->tid;
		made->number = number;
		name_track(t->writer, made, event);
		if (made->name.rc < 0)
			return made->name.rc;
	}
	*track = t->tracks[number];
	return *track ? 0 : -ENOMEM;
}

static bool
is_small(const struct svg_shape *shape, uint64_t grain)
{
	return shape->count > 1 || shape->to - shape->from < grain;
}

static void
join(struct svg_shape *to, const struct svg_shape *from)
{
	if (from->from < to->from)
		to->from = from->from;
	if (from->to > to->to)
		to->to = from->to;
	if (from->name != to->name)
		to->name = SVG_NAME_MIXED;
	if (from->level > to->level)
		to->level = from->level;
	to->flags |= from->flags;
	to->count += from->count;
}

/* Are two shapes too near to be drawn apart? */
static bool
is_one(const struct svg_shape *a, const struct svg_shape *b, uint64_t grain)
{
	return is_small(a, grain) && is_small(b, grain) &&
	       b->from - a->from < grain;
}

/*
 * Join the shapes of a row that have become small; return how many disappeared.
 */
static size_t
shrink(struct svg_row *row, uint64_t grain)
{
	const size_t before = row->count;
	size_t kept = 0;

	for (size_t i = 1; i < row->count; i++) {
		struct svg_shape *last = &row->shapes[kept];

		if (is_one(last, &row->shapes[i], grain))
			join(last, &row->shapes[i]);
		else
			row->shapes[++kept] = row->shapes[i];
	}
	if (row->count > 0)
		row->count = kept + 1;
	return before - row->count;
}

static void
shrink_all(struct svg_tracks *t)
{
	const uint64_t grain = tl_svg_grain(t);

	for (unsigned i = 0; i < t->count; i++) {
		for (unsigned k = 0; t->tracks[i] && k < SVG_ROWS; k++)
			t->shapes -= shrink(&t->tracks[i]->rows[k], grain);
	}
}

void
tl_svg_tracks_coarsen(struct svg_tracks *t)
{
	t->grains.shift++;
	shrink_all(t);
}

void
tl_svg_tracks_stretch(struct svg_tracks *t, int64_t ns)
{
	const unsigned doublings = tl_svg_columns_doublings(&t->grains, ns);

	tl_svg_columns_stretch(&t->grains, ns);
	if (doublings > 0)
		shrink_all(t);
}

/* Append a shape to a row: 0, -ENOMEM. */
static int
append(struct svg_tracks *t, struct svg_row *row, const struct svg_shape *shape)
{
	if (TL_ARRAY_ROOM(row->shapes, row->capacity, row->count) < 0)
		return -ENOMEM;
	row->shapes[row->count++] = *shape;
	/* With the largest grain, no row has more than a few shapes. */
	if (++t->shapes > SVG_SHAPES_MAX && t->grains.shift < SHIFT_MAX)
		tl_svg_tracks_coarsen(t);
	return 0;
}

static struct svg_shape *
last_of(struct svg_row *row)
{
	return row->count > 0 ? &row->shapes[row->count - 1] : NULL;
}

int
tl_svg_tracks_tick(struct svg_tracks *t, struct svg_track *track,
    const struct svg_shape *shape)
{
	struct svg_row *row = &track->rows[SVG_TICKS];
	struct svg_shape *last = last_of(row);
	struct svg_shape at = *shape;

	track->entries++;
	/* The clock was set back: keep the order of the row. */
	if (last && shape->from < last->from)
		at.from = at.to = last->from;
	if (last && is_one(last, &at, tl_svg_grain(t))) {
		join(last, &at);
		return 0;
	}
	return append(t, row, &at);
}

int
tl_svg_tracks_add(struct svg_tracks *t, struct svg_track *track, unsigned depth,
    const struct svg_shape *shape)
{
	struct svg_row *row = &track->rows[SVG_DEPTH_MAX - 1];
	struct svg_shape all = *shape;
	struct svg_shape *last;

	track->entries++;
	for (; depth < SVG_DEPTH_MAX; depth++) {
		last = last_of(&track->rows[depth]);
		if (last && is_one(last, shape, tl_svg_grain(t))) {
			join(last, shape);
			return 0;
		}
		if (!last || shape->from >= last->to)
			return append(t, &track->rows[depth], shape);
	}
	/* too deep: join the span with all shapes of its time */
	t->deep++;
	while (row->count > 0 && last_of(row)->to > all.from) {
		join(&all, last_of(row));
		row->count--;
		t->shapes--;
	}
	return append(t, row, &all);
}

unsigned
tl_svg_track_depth(const struct svg_track *track)
{
	unsigned depth = SVG_DEPTH_MAX;

	while (depth > 0 && track->rows[depth - 1].count == 0)
		depth--;
	return depth;
}

void
tl_svg_tracks_free(struct svg_tracks *t)
{
	for (unsigned i = 0; i < t->count; i++) {
		for (unsigned k = 0; t->tracks[i] && k < SVG_ROWS; k++)
			free(t->tracks[i]->rows[k].shapes);
		if (t->tracks[i])
			tl_text_free(&t->tracks[i]->name);
		free(t->tracks[i]);
	}
	tl_id_map_free(&t->numbers);
}
