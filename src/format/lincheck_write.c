/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_write.c - events to points, see lincheck_form.h.
 *
 *	message --> form: what its events are, and what they refer to
 *	thread --> number --> lane: its stream, and the calls open in it
 */
#include "format/lincheck_write.h"

#include "base/terminal.h"
#include "event/message_map.h"
#include "format/lincheck_points.h"
#include "format/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>
#include <unistd.h>

enum {
	TIMES,
	CPUS,
	LEVELS,
	VALUES,
	NAMES,
	NESTING,
	NO_BEGIN,
	NO_END,
	NUMBERED,
	BLOCKS,
	TOO_MANY
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[TIMES] = { -ENOTSUP, "times are left out: only their order is kept" },
	[CPUS] = { -ENOTSUP, TL_NOTE_CPUS },
	[LEVELS] = { -ENOTSUP, TL_NOTE_LEVELS },
	[VALUES] = { -ENOTSUP, "a value does not fit and is changed" },
	[NAMES] = { -ENOTSUP, TL_NOTE_NAMES },
	[NESTING] = { -ENOTSUP,
	    "a span is ended early: calls lie inside each other" },
	[NO_BEGIN] = { -ENOTSUP, TL_NOTE_LONELY_ENDS },
	[NO_END] = { 0, "a call without an end is ended" },
	[NUMBERED] = { 0, "the events of a trace get other numbers" },
	[BLOCKS] = { 0, "a block is written as several: others came between" },
	[TOO_MANY] = { -ENOSPC, "too much for one trace: event left out" },
};

struct lincheck_write {
	struct tl_writer writer; /* first: what callers see */
	struct tl_message_map forms;
	struct tl_lincheck_lanes lanes;
	struct tl_lincheck_points points;
	struct tl_lincheck_form *root[2]; /* of a thread, of a message */
	struct tl_lincheck_form *lost;
	struct tl_out index; /* its write is NULL: there is none */
	int fd[2];           /* data and index, or -1 */
	struct tl_notes notes;
};

static struct lincheck_write *
write_of(struct tl_writer *writer)
{
	return (struct lincheck_write *)(void *)writer;
}

static int
make_form(struct lincheck_write *w, const struct tl_event *event,
    struct tl_lincheck_form **form)
{
	bool changed;
	int rc = tl_lincheck_form_new(form, &w->points.known, event, &changed);

	if (rc < 0)
		return rc;
	if (changed)
		tl_note(&w->notes, NAMES, TL_FAULT_NOWHERE);
	if (!(*form)->native && event->message->level != tl_level_parse("info"))
		tl_note(&w->notes, LEVELS, TL_FAULT_NOWHERE);
	if (!(*form)->native && event->cpu != TL_CPU_UNKNOWN)
		tl_note(&w->notes, CPUS, TL_FAULT_NOWHERE);
	rc = tl_message_map_add(&w->forms, event->message, *form);
	if (rc < 0)
		tl_lincheck_form_free(*form);
	return rc;
}

/* Every thread's block goes out. */
static int
flush_all(struct lincheck_write *w)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->lanes.count; i++) {
		struct tl_lincheck_lane *lane = &w->lanes.lanes[i];

		if (lane->stream.data.size == 0)
			continue;
		w->points.file.cut += lane->native;
		rc = tl_lincheck_stream_flush(&w->points.file, &lane->stream);
	}
	return rc;
}

/* Blocks end where the original ends them, or, of what was read, where it
 * did; and where they take too much memory. */
static int
settle(struct lincheck_write *w, struct tl_lincheck_lane *lane)
{
	struct tl_lincheck_file *file = &w->points.file;
	const size_t size = lane->stream.data.size;

	if (lane->native && size > TL_LINCHECK_BLOCK_MAX)
		return tl_lincheck_stream_spill(file, &lane->stream);
	if (!lane->native &&
	    size > TL_LINCHECK_BLOCK_SIZE - TL_LINCHECK_BLOCK_FREE)
		return tl_lincheck_stream_flush(file, &lane->stream);
	return file->filling > TL_LINCHECK_FILLING_MAX ? flush_all(w) : 0;
}

/* End the innermost calls until so many are open. */
static int
close_down(struct lincheck_write *w, struct tl_lincheck_lane *lane,
    uint32_t depth)
{
	int rc = 0;

	while (rc == 0 && lane->depth > depth) {
		rc = tl_lincheck_put_footer(&w->points, lane, NULL, NULL);
		if (rc == 0)
			rc = settle(w, lane);
	}
	return rc;
}

static int
put_end(struct lincheck_write *w, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_form *form, const struct tl_event *event)
{
	struct tl_lincheck_form *result = lane->result;
	uint32_t depth;
	int rc;

	lane->result = NULL;
	if (!tl_lincheck_lane_find(lane, event->message, &depth)) {
		tl_note(&w->notes, NO_BEGIN, TL_FAULT_NOWHERE);
		return 0;
	}
	if (depth < lane->depth) {
		tl_note(&w->notes, NESTING, TL_FAULT_NOWHERE);
		result = NULL;
	}
	rc = close_down(w, lane, depth);
	if (rc == 0 && form->native)
		rc = tl_lincheck_put_footer(&w->points, lane, result,
		    &lane->returned);
	else if (rc == 0)
		rc = tl_lincheck_put_end(&w->points, lane, event);
	return rc < 0 ? rc : settle(w, lane);
}

/* A call that returns at once. */
static int
put_instant(struct lincheck_write *w, struct tl_lincheck_lane *lane,
    struct tl_lincheck_form *form, const struct tl_event *event)
{
	int rc = tl_lincheck_put_point(&w->points, lane, form, event);

	if (rc == 0 && form->class == TL_LINCHECK_CALL)
		rc = tl_lincheck_put_footer(&w->points, lane, NULL, NULL);
	return rc < 0 ? rc : settle(w, lane);
}

/* All of what was read of a block has come. */
static int
end_block(struct lincheck_write *w, struct tl_lincheck_lane *lane)
{
	return tl_lincheck_stream_flush(&w->points.file, &lane->stream);
}

static int
put_native(struct lincheck_write *w, struct tl_lincheck_lane *lane,
    struct tl_lincheck_form *form, const struct tl_event *event)
{
	if (form->is_block)
		return end_block(w, lane);
	if (form->class == TL_LINCHECK_FOOTER_CLASS) {
		lane->result = form;
		lane->returned = *event;
		return 0;
	}
	return put_instant(w, lane, form, event);
}

/* The lane of an event, which a call stands around that is not of a Lincheck
 * trace. */
static int
find_lane(struct lincheck_write *w, const struct tl_event *event, bool native,
    struct tl_lincheck_lane **lane)
{
	const bool of_message = !native && event->message &&
				event->message->kind == TIMELINE_RECORD_SPAN &&
				event->message->scope == TIMELINE_SOURCE;
	const struct tl_event root = { .args = { event->pid, event->tid },
		.message = NULL };
	int rc =
	    tl_lincheck_lanes_find(&w->lanes, event, native, of_message, lane);

	if (rc == 1)
		(*lane)->native = native;
	if (rc <= 0 || native)
		return rc < 0 ? rc : 0;
	if (!w->root[of_message]) {
		rc =
		    tl_lincheck_form_own(&w->root[of_message], &w->points.known,
			of_message ? "source" : "thread", of_message ? 0 : 2);
		if (rc < 0)
			return rc;
	}
	return tl_lincheck_put_point(&w->points, *lane, w->root[of_message],
	    &root);
}

static int
put_lost(struct lincheck_write *w, const struct tl_event *event)
{
	const struct tl_event lost = { .args = { event->lost } };
	struct tl_lincheck_lane *lane;
	int rc = 0;

	if (!w->lost)
		rc =
		    tl_lincheck_form_own(&w->lost, &w->points.known, "lost", 1);
	if (rc == 0)
		rc = find_lane(w, event, false, &lane);
	return rc < 0 ? rc : put_instant(w, lane, w->lost, &lost);
}

static int
put_event(struct lincheck_write *w, const struct tl_event *event)
{
	struct tl_lincheck_form *form =
	    tl_message_map_find(&w->forms, event->message);
	struct tl_lincheck_lane *lane;
	int rc = form ? 0 : make_form(w, event, &form);

	if (rc == 0)
		rc = find_lane(w, event, form->native, &lane);
	if (rc < 0)
		return rc;
	if (!form->native && w->notes.count[TIMES] == 0)
		tl_note(&w->notes, TIMES, TL_FAULT_NOWHERE);
	if (event->kind == TL_END)
		return put_end(w, lane, form, event);
	if (event->kind == TL_BEGIN && form->class == TL_LINCHECK_CALL) {
		rc = tl_lincheck_put_point(&w->points, lane, form, event);
		return rc < 0 ? rc : settle(w, lane);
	}
	return form->native ? put_native(w, lane, form, event)
			    : put_instant(w, lane, form, event);
}

static int
lincheck_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct lincheck_write *w = write_of(writer);
	int rc = event->message ? put_event(w, event) : put_lost(w, event);

	if (rc != -ENOSPC) /* too many things, or numbers? */
		return rc;
	tl_note(&w->notes, TOO_MANY, TL_FAULT_NOWHERE);
	return 0;
}

static int
lincheck_begin(struct tl_writer *writer)
{
	struct lincheck_write *w = write_of(writer);

	w->points.file.data = &writer->out;
	w->points.file.index = w->index.write ? &w->index : NULL;
	tl_lincheck_file_begin(&w->points.file);
	return 0;
}

/* Every thread's last block. */
static int
end_lanes(struct lincheck_write *w)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->lanes.count; i++) {
		struct tl_lincheck_lane *lane = &w->lanes.lanes[i];

		if (lane->depth > (lane->native ? 0 : 1))
			tl_note(&w->notes, NO_END, TL_FAULT_NOWHERE);
		rc = close_down(w, lane, 0);
		if (rc == 0 && lane->stream.data.size > 0)
			rc = tl_lincheck_stream_flush(&w->points.file,
			    &lane->stream);
	}
	return rc;
}

static int
lincheck_end(struct tl_writer *writer)
{
	struct lincheck_write *w = write_of(writer);
	int rc = end_lanes(w);

	w->notes.count[VALUES] = w->points.changed;
	w->notes.count[NUMBERED] = w->points.numbered;
	w->notes.count[BLOCKS] = w->points.file.cut;
	w->notes.first[VALUES] = w->notes.first[NUMBERED] =
	    w->notes.first[BLOCKS] = TL_FAULT_NOWHERE;
	tl_lincheck_file_end(&w->points.file);
	if (rc == 0 && w->points.file.index)
		rc = tl_out_flush(&w->index);
	tl_notes_say(&w->notes, writer->report);
	return rc;
}

static void
lincheck_free(struct tl_writer *writer)
{
	struct lincheck_write *w = write_of(writer);

	tl_message_map_free(&w->forms, tl_lincheck_form_free);
	tl_lincheck_points_free(&w->points);
	tl_lincheck_lanes_free(&w->lanes);
	for (unsigned i = 0; i < 2; i++) {
		tl_lincheck_form_free(w->root[i]);
		if (w->fd[i] >= 0)
			close(w->fd[i]);
	}
	tl_lincheck_form_free(w->lost);
	tl_text_free(&w->index.text);
}

static const struct tl_writer_kind kind = { .put = lincheck_put,
	.begin = lincheck_begin,
	.end = lincheck_end,
	.free = lincheck_free };

int
tl_lincheck_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	struct lincheck_write *w;
	int rc =
	    tl_writer_make(writer, sizeof(*w), &kind, write, context, report);

	if (rc < 0)
		return rc;
	w = write_of(*writer);
	w->notes.kinds = kinds;
	w->fd[0] = w->fd[1] = -1;
	rc = tl_definer_new(&w->points.known.bodies);
	if (rc < 0)
		tl_writer_free(*writer);
	return rc;
}

/* Into the file whose descriptor the context is. */
static int
write_file(void *context, const char *data, size_t size)
{
	return tl_write_all(*(const int *)context, data, size);
}

int
tl_lincheck_write_files(struct tl_writer **writer, int data, int index,
    const struct tl_report *report)
{
	struct lincheck_write *w;
	int rc = tl_lincheck_write_new(writer, write_file, NULL, report);

	if (rc < 0)
		return rc;
	w = write_of(*writer);
	w->fd[0] = data;
	w->fd[1] = index;
	w->writer.out.context = &w->fd[0];
	w->index = (struct tl_out){ .write = write_file, .context = &w->fd[1] };
	return 0;
}
