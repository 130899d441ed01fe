/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - events to points. */
#include "format/lincheck/lincheck.h"

#include "base/file.h"
#include "event/message_map.h"
#include "event/reader.h"
#include "format/label.h"
#include "format/lincheck/points.h"

#include <errno.h>
#include <fcntl.h>
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
	TOO_MANY,
	THREADS,
	PATHS,
	ARGUMENTS
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
	[TOO_MANY] = { -ENOSPC, "too much for one trace: event left out" },
	[THREADS] = { -ENOTSUP, "the name of a thread is left out" },
	[PATHS] = { -ENOTSUP, "an access path is left out" },
	[ARGUMENTS] = { -ENOTSUP, "the name of an argument is left out" },
};

enum { BLOCK_KEPT_MAX = 16 << 20 /* bytes of a block in memory */ };

struct lincheck_write {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_message_map forms;
	struct tl_labels labels;
	struct tl_lincheck_lanes lanes;
	struct tl_lincheck_points points;
	struct tl_lincheck_form *root[2]; /* outer call of thread, message */
	struct tl_lincheck_form *lost[2]; /* lost, overwritten entries */
	/*
	 * The layout of the trace that waits; NULL: records go to the streams.
	 */
	const struct tl_lincheck_layout *layout;
	bool mixed;          /* some event is of another trace */
	bool begun;          /* an event was put */
	struct tl_out index; /* write is NULL: no index */
	int fd[2];           /* data and index, or -1 */
};

static int
make_form(struct lincheck_write *w, const struct tl_event *event,
    struct tl_lincheck_form **form)
{
	bool changed;
	int rc = tl_lincheck_form_new(form, &w->points.known, event, &changed);

	if (rc < 0)
		return rc;
	if (changed)
		tl_note(&w->writer.notes, NAMES, TL_FAULT_NOWHERE);
	if (!(*form)->native && event->message->level != tl_level_parse("info"))
		tl_note(&w->writer.notes, LEVELS, TL_FAULT_NOWHERE);
	if (!(*form)->native && event->cpu != TL_CPU_UNKNOWN)
		tl_note(&w->writer.notes, CPUS, TL_FAULT_NOWHERE);
	if ((*form)->paths > 0)
		tl_note(&w->writer.notes, PATHS, TL_FAULT_NOWHERE);
	for (int32_t i = 0;
	     i < (*form)->arguments && i < TL_LINCHECK_VALUES_MAX; i++)
		tl_note(&w->writer.notes, ARGUMENTS, TL_FAULT_NOWHERE);
	rc = tl_message_map_add(&w->forms, tl_labels_get(&w->labels, event),
	    *form);
	if (rc < 0)
		free(*form);
	return rc;
}

/* Write the block of every thread. */
static int
flush_all(struct lincheck_write *w)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->lanes.count; i++) {
		struct tl_lincheck_lane *lane = &w->lanes.lanes[i];

		if (lane->stream.data.size > 0)
			rc = tl_lincheck_stream_flush(&w->points.file,
			    &lane->stream);
	}
	return rc;
}

/*
 * End a block at the size at which Lincheck ends it.  All blocks end if
 * together they take too much memory.
 */
static int
flush_full(struct lincheck_write *w, struct tl_lincheck_lane *lane)
{
	struct tl_lincheck_file *file = &w->points.file;

	if (lane->stream.data.size >
	    TL_LINCHECK_BLOCK_SIZE - TL_LINCHECK_BLOCK_FREE)
		return tl_lincheck_stream_flush(file, &lane->stream);
	return file->filling > TL_LINCHECK_FILLING_MAX ? flush_all(w) : 0;
}

/* End the innermost calls until depth calls are open. */
static int
close_down(struct lincheck_write *w, struct tl_lincheck_lane *lane,
    uint32_t depth)
{
	int rc = 0;

	while (rc == 0 && lane->depth > depth) {
		rc = tl_lincheck_put_footer(&w->points, lane, NULL, NULL);
		if (rc == 0)
			rc = flush_full(w, lane);
	}
	return rc;
}

/* Write an instant; a call returns at once. */
static int
put_instant(struct lincheck_write *w, struct tl_lincheck_lane *lane,
    struct tl_lincheck_form *form, const struct tl_event *event)
{
	int rc = tl_lincheck_put_point(&w->points, lane, form, event);

	if (rc == 0 && form->class == TL_LINCHECK_CALL)
		rc = tl_lincheck_put_footer(&w->points, lane, NULL, NULL);
	return rc < 0 ? rc : flush_full(w, lane);
}

/*
 * Find the lane of an event.  A new lane that is not of a Lincheck trace begins
 * with a call around all others.
 */
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

	if (rc < 0 || (*lane)->begun)
		return rc;
	(*lane)->begun = true;
	(*lane)->native = native;
	if (!of_message &&
	    tl_names_thread(tl_event_names(event), event->pid, event->tid)
		    .size > 0)
		tl_note(&w->writer.notes, THREADS, TL_FAULT_NOWHERE);
	if (native)
		return 0;
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
	struct tl_lincheck_form **form = &w->lost[event->overwritten];
	struct tl_lincheck_lane *lane;
	int rc = 0;

	if (!*form)
		rc = tl_lincheck_form_own(form, &w->points.known,
		    tl_event_kind_name(event), 1);
	if (rc == 0)
		rc = find_lane(w, event, false, &lane);
	return rc < 0 ? rc : put_instant(w, lane, *form, &lost);
}

static int
put_event(struct lincheck_write *w, const struct tl_event *event)
{
	struct tl_lincheck_form *form =
	    tl_message_map_find(&w->forms, tl_labels_get(&w->labels, event));
	struct tl_lincheck_lane *lane;
	int rc = form ? 0 : make_form(w, event, &form);

	if (rc == 0)
		rc = find_lane(w, event, form->native, &lane);
	if (rc < 0)
		return rc;
	if (!form->native && w->writer.notes.count[TIMES] == 0)
		tl_note(&w->writer.notes, TIMES, TL_FAULT_NOWHERE);
	if (event->kind == TL_END) {
		struct tl_lincheck_form *result = lane->result;
		uint32_t depth;

		lane->result = NULL;
		if (!tl_lincheck_lane_find(lane, event->message, &depth)) {
			tl_note(&w->writer.notes, NO_BEGIN, TL_FAULT_NOWHERE);
			return 0;
		}
		if (depth < lane->depth) {
			tl_note(&w->writer.notes, NESTING, TL_FAULT_NOWHERE);
			result = NULL;
		}
		rc = close_down(w, lane, depth);
		if (rc == 0 && form->native)
			rc = tl_lincheck_put_footer(&w->points, lane, result,
			    &lane->returned);
		else if (rc == 0)
			rc = tl_lincheck_put_end(&w->points, lane, event);
		return rc < 0 ? rc : flush_full(w, lane);
	}
	if (event->kind == TL_BEGIN && form->class == TL_LINCHECK_CALL) {
		rc = tl_lincheck_put_point(&w->points, lane, form, event);
		return rc < 0 ? rc : flush_full(w, lane);
	}
	if (form->native && form->is_block)
		return 0;
	if (form->native && form->class == TL_LINCHECK_FOOTER_CLASS) {
		lane->result = form; /* until the call ends */
		lane->returned = *event;
		return 0;
	}
	return put_instant(w, lane, form, event);
}

/* The first event chooses the trace whose records wait. */
static int
lincheck_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct lincheck_write *w = (void *)writer;
	const struct tl_lincheck_layout *layout =
	    event->message ? tl_lincheck_layout_of(event->message) : NULL;
	int rc;

	if (!w->begun) {
		w->begun = true;
		w->layout = layout;
		w->points.waits = layout != NULL;
	}
	w->mixed |= layout != w->layout;
	rc = event->message ? put_event(w, event) : put_lost(w, event);
	if (rc != -ENOSPC) /* too many ids, threads or numbers */
		return rc;
	tl_note(&w->writer.notes, TOO_MANY, TL_FAULT_NOWHERE);
	return 0;
}

static int
lincheck_begin(struct tl_writer *writer)
{
	struct lincheck_write *w = (void *)writer;

	w->points.file.data = &writer->out;
	w->points.file.index = w->index.write ? &w->index : NULL;
	tl_lincheck_file_begin(&w->points.file);
	return 0;
}

/* == records that waited == */

/*
 * The lane of a thread of the layout.  A thread that has only empty blocks gets
 * its lane here.
 */
static struct tl_lincheck_lane *
lane_of(struct lincheck_write *w, int32_t thread)
{
	const struct tl_event event = { .tid = (uint32_t)thread };
	struct tl_lincheck_lane *lane;

	if (tl_lincheck_lanes_find(&w->lanes, &event, true, false, &lane) < 0)
		return NULL;
	return lane->stream.thread == thread ? lane : NULL;
}

/* Do the records match the counts of the layout? */
static bool
fits_layout(struct lincheck_write *w)
{
	const struct tl_lincheck_layout *l = w->layout;
	struct tl_lincheck_lane *lane = NULL;

	if (!l->whole || l->lost || w->mixed || w->points.known.moved ||
	    w->points.numbered > 0)
		return false;
	for (size_t i = 0; i < l->count; i++) {
		const struct tl_lincheck_layout_step *step = &l->steps[i];

		if (step->what == TL_LINCHECK_LAYOUT_BLOCK)
			lane = lane_of(w, step->n);
		if (!lane)
			return false;
		if (step->what == TL_LINCHECK_LAYOUT_POINTS)
			lane->counted += (uint64_t)step->n;
	}
	for (uint32_t i = 0; i < w->lanes.count; i++) {
		if (w->lanes.lanes[i].counted != w->lanes.lanes[i].records)
			return false;
	}
	return true;
}

/* Write the definitions and records in the order in which they were read. */
static int
write_layout(struct lincheck_write *w)
{
	const struct tl_lincheck_layout *l = w->layout;
	struct tl_lincheck_file *file = &w->points.file;
	struct tl_lincheck_lane *lane = NULL;
	struct tl_data_in body;
	int rc = 0;

	file->by_memory = l->by_memory;
	for (size_t i = 0; rc == 0 && i < l->count; i++) {
		const struct tl_lincheck_layout_step *step = &l->steps[i];

		switch (step->what) {
		case TL_LINCHECK_LAYOUT_BLOCK:
			lane = lane_of(w, step->n);
			continue;
		case TL_LINCHECK_LAYOUT_DEFINE:
			if (!tl_lincheck_context_get(l->context, step->kind,
				step->n, &body))
				return -EIO;
			rc = tl_lincheck_stream_define(file, &lane->stream,
			    step->kind, step->n,
			    tl_bytes(body.data, body.size));
			continue;
		case TL_LINCHECK_LAYOUT_END:
			rc = tl_lincheck_stream_flush(file, &lane->stream);
			continue;
		}
		for (int32_t n = 0; rc == 0 && n < step->n; n++) {
			if (tl_lincheck_queue_is_empty(&lane->waiting))
				break;
			rc = tl_lincheck_put_waiting(&w->points, lane, false);
			if (rc == 0 &&
			    lane->stream.data.size > BLOCK_KEPT_MAX &&
			    tl_lincheck_stream_spill(file, &lane->stream) < 0)
				rc = -EIO;
		}
	}
	return rc;
}

/* Write the records in an order of our own: thread by thread. */
static int
write_waiting(struct lincheck_write *w)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->lanes.count; i++) {
		struct tl_lincheck_lane *lane = &w->lanes.lanes[i];

		while (rc == 0 && !tl_lincheck_queue_is_empty(&lane->waiting)) {
			rc = tl_lincheck_put_waiting(&w->points, lane, true);
			if (rc == 0)
				rc = flush_full(w, lane);
		}
		if (rc == 0 && lane->stream.data.size > 0)
			rc = tl_lincheck_stream_flush(&w->points.file,
			    &lane->stream);
	}
	return rc;
}

static int
lincheck_end(struct tl_writer *writer)
{
	struct lincheck_write *w = (void *)writer;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->lanes.count; i++) {
		struct tl_lincheck_lane *lane = &w->lanes.lanes[i];

		if (lane->depth > (lane->native ? 0 : 1))
			tl_note(&w->writer.notes, NO_END, TL_FAULT_NOWHERE);
		rc = close_down(w, lane, 0);
	}
	if (rc == 0 && !w->points.waits) {
		rc = flush_all(w);
	} else if (rc == 0) {
		w->points.waits = false;
		rc = fits_layout(w) ? write_layout(w) : write_waiting(w);
	}
	w->writer.notes.count[VALUES] = w->points.changed;
	w->writer.notes.count[NUMBERED] = w->points.numbered;
	w->writer.notes.first[VALUES] = w->writer.notes.first[NUMBERED] =
	    TL_FAULT_NOWHERE;
	tl_lincheck_file_end(&w->points.file);
	if (rc == 0 && w->points.file.index)
		rc = tl_out_flush(&w->index);
	return rc;
}

static void
lincheck_free(struct tl_writer *writer)
{
	struct lincheck_write *w = (void *)writer;

	tl_message_map_free(&w->forms, free);
	tl_labels_free(&w->labels);
	tl_lincheck_points_free(&w->points);
	tl_lincheck_lanes_free(&w->lanes);
	for (unsigned i = 0; i < 2; i++) {
		free(w->root[i]);
		free(w->lost[i]);
		if (w->fd[i] >= 0)
			close(w->fd[i]);
	}
	tl_text_free(&w->index.text);
}

static const struct tl_writer_kind kind = { .put = lincheck_put,
	.begin = lincheck_begin,
	.end = lincheck_end,
	.notes = kinds,
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
	w = (void *)*writer;
	w->fd[0] = w->fd[1] = -1;
	rc = tl_lincheck_known_init(&w->points.known);
	if (rc < 0)
		tl_writer_free(*writer);
	return rc;
}

/* Write to the descriptor that context points to. */
static int
write_file(void *context, const char *data, size_t size)
{
	return tl_write_all(*(const int *)context, data, size);
}

/* == two files == */

/* Create a file: the descriptor, or -errno. */
static int
make_file(const char *path)
{
	const int fd =
	    open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	return fd < 0 ? -errno : fd;
}

/* Create both files; the writer owns both descriptors. */
int
tl_lincheck_write_at(struct tl_writer **writer, const char *path,
    const struct tl_report *report)
{
	struct tl_text index_path = { 0 };
	struct lincheck_write *w;
	int data, index, rc;

	tl_put_string(&index_path, path);
	tl_put_string(&index_path, TL_LINCHECK_INDEX_SUFFIX);
	if ((rc = index_path.rc) < 0)
		goto free_path;
	if ((rc = data = make_file(path)) < 0)
		goto free_path;
	rc = index = make_file(tl_text_string(&index_path));
	if (rc < 0) {
		unlink(path);
		goto close_data;
	}
	rc = tl_lincheck_write_new(writer, write_file, NULL, report);
	if (rc < 0)
		goto close_index;
	w = (void *)*writer;
	w->fd[0] = data;
	w->fd[1] = index;
	w->writer.out.context = &w->fd[0];
	w->index = (struct tl_out){ .write = write_file, .context = &w->fd[1] };
	goto free_path;
close_index:
	close(index);
close_data:
	close(data);
free_path:
	tl_text_free(&index_path);
	return rc;
}
