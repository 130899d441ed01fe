/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.c - push begins, pop ends.
 *
 * event/spans.h finds the begin of an end, and says which spans are still around
 * an event.  The span of an end may be closed already, with a span around it
 * that it outlives.
 */
#include "format/stacks.h"

#include "base/array.h"
#include "base/ns.h"
#include "event/hosts/hosts.h"
#include "format/label.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	INSTANTS,
	COUNTERS,
	LOSSES,
	ARGUMENTS,
	LONELY_ENDS,
	LONELY_BEGINS,
	CROSSED,
	BACK,
	UNSURE,
	TOO_DEEP,
	TOO_MANY
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[INSTANTS] = { -ENOTSUP, TL_NOTE_INSTANTS },
	[COUNTERS] = { -ENOTSUP, TL_NOTE_COUNTERS },
	[LOSSES] = { -ENOTSUP, TL_NOTE_LOSSES },
	[ARGUMENTS] = { -ENOTSUP, TL_NOTE_ARGUMENTS },
	[LONELY_ENDS] = { -ENOTSUP, TL_NOTE_LONELY_ENDS },
	[LONELY_BEGINS] = { -ENOTSUP, "a begin without an end ends last" },
	[CROSSED] = { -ENOTSUP,
	    "a span that outlives the one around it ends with it" },
	[BACK] = { -ENOTSUP, "a time that goes back stands still" },
	[UNSURE] = { -ENOTSUP,
	    "a span of which entries may be missing ends before them" },
	[TOO_DEEP] = { -ENOTSUP, "a span is too deep: left out" },
	[TOO_MANY] = { -ENOSPC, "too many threads or messages: left out" },
};

static void
note(struct tl_stacks *s, unsigned kind)
{
	tl_note(&s->notes, kind, TL_FAULT_NOWHERE);
}

static int
name_track(const struct tl_stacks *s, struct tl_track *track,
    const struct tl_event *event)
{
	const int rc = tl_writer_name(s->writer, event);
	const uint32_t pid =
	    tl_host_pids_put_host(s->writer->pids, event->pid, &track->name);
	const struct tl_names *names = &s->writer->names;
	const struct tl_bytes thread =
	    tl_names_thread(names, event->pid, event->tid);
	const struct tl_bytes process = tl_names_process(names, event->pid);

	track->is_source = event->message->scope == TIMELINE_SOURCE;
	track->has_host = track->name.size > 0;
	track->source = event->source;
	if (track->is_source) {
		tl_label_put(&track->name, event);
	} else if (pid != 0 || event->tid != 0) {
		/* where no host is known, names tell programs of one pid apart
		 */
		if (s->writer->pids && track->name.size == 0 &&
		    process.size > 0 && !tl_bytes_equal(process, thread)) {
			tl_put_bytes(&track->name, process);
			tl_put_string(&track->name, ": ");
		}
		tl_put_thread(&track->name, thread, pid, event->tid);
	}
	return rc < 0 ? rc : track->name.rc;
}

/*
 * The key of an event's thread or source.  The second word is the address of a
 * message for a source and the number of an input for a thread, and these
 * differ.
 */
static struct tl_id_key
track_key(const struct tl_event *event)
{
	if (event->message->scope == TIMELINE_SOURCE)
		return (
		    struct tl_id_key){ tl_message_is_of_process(event->message)
					   ? event->pid
					   : 0,
			(uint64_t)(uintptr_t)event->message };
	return (struct tl_id_key){ (uint64_t)event->pid << 32 | event->tid,
		event->source };
}

static int
find_track(struct tl_stacks *s, const struct tl_event *event,
    struct tl_track **track)
{
	uint32_t number;
	int rc = TL_ID_MAP_ROOM(&s->tracks, track_key(event), &number, s->track,
	    s->track_capacity);

	if (rc < 0)
		return rc;
	*track = &s->track[number];
	if (rc == 0)
		return 0;
	(*track)->last_ns = event->ns;
	return name_track(s, *track, event);
}

static void
name_frame(struct tl_text *name, const struct tl_event *event)
{
	if (event->message->category.size > 0) {
		tl_put_bytes(name, event->message->category);
		tl_put_string(name, ": ");
	}
	tl_label_put(name, event);
}

static int
find_frame(struct tl_stacks *s, const struct tl_event *event, uint32_t *frame)
{
	/* Two labels of one message are two frames. */
	const struct tl_id_key key = { .a = (uint64_t)(uintptr_t)event->message,
		.b = tl_label_is(event->message) ? event->args[0] : 0 };
	int rc =
	    TL_ID_MAP_ROOM(&s->frames, key, frame, s->frame, s->frame_capacity);

	if (rc <= 0)
		return rc;
	if (event->message->argc > 0 &&
	    event->message->scope != TIMELINE_SOURCE)
		note(s, ARGUMENTS);
	name_frame(&s->frame[*frame], event);
	return s->frame[*frame].rc;
}

static int
push(struct tl_stacks *s, struct tl_track *track, const struct tl_event *event)
{
	uint32_t frame;
	int rc;

	if (track->depth == TL_STACKS_DEPTH_MAX) {
		note(s, TOO_DEEP);
		return 0;
	}
	if ((rc = find_frame(s, event, &frame)) < 0 ||
	    (rc = TL_ARRAY_ZEROS(track->open, track->capacity, track->depth)) <
		0)
		return rc;
	track->open[track->depth++] = (struct tl_stacks_open){ .frame = frame,
		.id = tl_spans_begun(s->writer->spans),
		.message = event->message };
	rc = s->opened(s, track, track->last_ns);
	track->since_ns = track->last_ns;
	return rc;
}

static int
pop(struct tl_stacks *s, struct tl_track *track)
{
	const int rc = s->closing(s, track, track->last_ns);

	track->since_ns = track->last_ns;
	track->depth--;
	return rc;
}

/* Pop the spans above a depth at the last event of the track, the last time at
 * which the spans are known to be open. */
static int
pop_unsure(struct tl_stacks *s, struct tl_track *track, uint32_t depth)
{
	int rc = 0;

	while (rc == 0 && track->depth > depth) {
		note(s, UNSURE);
		rc = pop(s, track);
	}
	return rc;
}

/* Pop the innermost spans that are not around the next event, down to a
 * depth. */
static int
pop_gone(struct tl_stacks *s, struct tl_track *track, uint32_t depth)
{
	uint32_t around = track->depth;

	while (around > depth && !tl_spans_is_around(s->writer->spans,
				     track->open[around - 1].id))
		around--;
	return pop_unsure(s, track, around);
}

/* The depth of a span that has ended; 0: the span is closed already. */
static uint32_t
depth_of(const struct tl_track *track, const struct tl_span *span)
{
	uint32_t depth = track->depth;

	while (depth > 0 && track->open[depth - 1].id != span->id)
		depth--;
	return depth;
}

static void
advance(struct tl_stacks *s, struct tl_track *track, int64_t ns)
{
	if (!s->begun) {
		s->begun = true;
		s->first_ns = s->last_ns = ns;
		track->last_ns = ns;
	}
	if (ns < s->first_ns || ns < track->last_ns)
		note(s, BACK);
	if (track->last_ns < s->first_ns)
		track->last_ns = s->first_ns;
	if (ns > track->last_ns)
		track->last_ns = ns;
	if (track->last_ns > s->last_ns)
		s->last_ns = track->last_ns;
}

/* Pop the span that has ended, and the spans inside. */
static int
pop_span(struct tl_stacks *s, struct tl_track *track, uint32_t depth)
{
	int rc = 0;

	while (rc == 0 && depth > 0 && track->depth >= depth) {
		if (track->depth > depth)
			note(s, CROSSED);
		rc = pop(s, track);
	}
	return rc;
}

/* Put an event of a track.  span is the span that the event has ended, or
 * NULL. */
static int
put_track(struct tl_stacks *s, struct tl_track *track,
    const struct tl_event *event, const struct tl_span *span)
{
	const uint32_t depth = span ? depth_of(track, span) : 0;
	int rc = pop_gone(s, track, depth);

	if (rc == 0 && depth > 0 && !tl_span_is_sure(span))
		rc = pop_unsure(s, track, depth - 1);
	if (rc < 0)
		return rc;
	advance(s, track, event->ns);
	if (event->kind == TL_BEGIN)
		return push(s, track, event);
	if (!span || span->alone)
		note(s, LONELY_ENDS);
	return pop_span(s, track, depth);
}

static int
put_span(struct tl_stacks *s, const struct tl_event *event)
{
	const struct tl_span *span = s->writer->span;
	struct tl_event own = *event;
	struct tl_track *track;
	int rc;

	if (span)
		own.tid = span->tid; /* of the begin, if it was handed over */
	rc = find_track(s, &own, &track);
	if (rc == 0)
		rc = put_track(s, track, event, span);
	if (rc != -ENOSPC)
		return rc;
	note(s, TOO_MANY);
	return 0;
}

/* Note the time of any entry: open spans were still open. */
static void
see_time(struct tl_stacks *s, int64_t ns)
{
	if (s->begun && ns > s->last_ns)
		s->last_ns = ns;
}

int
tl_stacks_put(struct tl_stacks *s, const struct tl_event *event)
{
	s->notes.kinds = kinds;
	if (event->kind != TL_LOST)
		see_time(s, event->ns);
	switch (event->kind) {
	case TL_BEGIN:
	case TL_END:
		return put_span(s, event);
	case TL_COUNTER:
		note(s, COUNTERS);
		return 0;
	case TL_LOST:
		if (!tl_event_is_start(event))
			note(s, LOSSES);
		return 0;
	default:
		note(s, INSTANTS);
		return 0;
	}
}

/* Is a span known to be open at the end? */
static bool
is_open(const struct tl_stacks *s, const struct tl_stacks_open *open)
{
	struct tl_span span;

	return tl_spans_find(s->writer->spans, open->id, &span) &&
	       (span.proven || tl_span_is_sure(&span));
}

int
tl_stacks_end(struct tl_stacks *s, const struct tl_report *report)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->track_capacity; i++) {
		struct tl_track *track = &s->track[i];
		uint32_t sure = 0;

		while (sure < track->depth && is_open(s, &track->open[sure]))
			sure++;
		rc = pop_unsure(s, track, sure);
		if (track->depth > 0)
			track->last_ns = s->last_ns;
		while (rc == 0 && track->depth > 0) {
			note(s, LONELY_BEGINS);
			rc = pop(s, track);
		}
	}
	tl_notes_report(&s->notes, report);
	return rc;
}

void
tl_stacks_free(struct tl_stacks *s)
{
	for (size_t i = 0; i < s->track_capacity; i++) {
		tl_text_free(&s->track[i].name);
		free(s->track[i].open);
	}
	for (size_t i = 0; i < s->frame_capacity; i++)
		tl_text_free(&s->frame[i]);
	free(s->track);
	free(s->frame);
	tl_id_map_free(&s->tracks);
	tl_id_map_free(&s->frames);
}
