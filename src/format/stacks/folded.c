/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded.c - spans as stacks that nest, whose time adds up in a tree with one
 * node for each path.
 *
 *	thread 41/42	| a         |		track: spans that are open now
 *			|  b  | | b |
 *
 *	(node above, frame) --> number --> node: frame, node above, time
 *
 * Node 0 is the root; a thread is a node below the root, and the frame of such
 * a node is a track.
 *
 * A flame graph shows only nesting.  An end therefore closes spans that were
 * opened inside its span and are still open; the own end of such a span closes
 * nothing more; an end without a begin is ignored; spans that are open at the
 * end of the run are closed there; time within a track does not go back.  If
 * a span is not known to be around an event any more (event/spans.h), the span
 * is closed at the last event before; a span whose end is proven is closed at
 * that end.  The span of an end may be closed already, with a span around it
 * that it outlives.
 *
 * A span of scope TIMELINE_SOURCE has no thread, and none is around it: its
 * node is below the root, or below its host, and has the duration of the span.
 */
#include "format/stacks/folded.h"

#include "base/array.h"
#include "base/ns.h"
#include "base/table.h"
#include "event/details.h"
#include "event/hosts/hosts.h"
#include "event/spans.h"
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
	TOO_MANY,
	FULL
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
	[FULL] = { -ENOSPC,
	    "too many different stacks: the rest counts for those "
	    "around it" },
};

enum { DEPTH_MAX = TL_FOLDED_DEPTH_MAX, PATH_MAX_NODES = DEPTH_MAX + 1 };

/* A span that is open. */
struct open {
	uint32_t frame; /* number of its name */
	uint32_t node;
	uint64_t id; /* of the span */
	const struct tl_message *message;
};

/* A thread or a source. */
struct track {
	struct tl_text name; /* empty: unknown thread */
	bool has_node;       /* the name is no frame, or a host is before it */
	uint16_t source;     /* of its first event */
	struct open *open;
	size_t capacity;
	uint32_t depth;
	int64_t last_ns;
	/* when the topmost frame opened, or one in it closed */
	int64_t since_ns;
};

struct node {
	struct tl_own own;
	const struct tl_message *message; /* NULL: a track */
	uint32_t above;
	uint32_t frame; /* or track */
	bool is_track;
};

struct folded {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_id_map tracks;
	struct track *track;
	size_t track_capacity;
	struct tl_id_map frames;
	struct tl_text *frame; /* names, not escaped */
	size_t frame_capacity;
	bool begun;
	int64_t first_ns;
	int64_t last_ns;
	struct tl_details *details;
	struct tl_id_map numbers;
	struct node *nodes;
	size_t node_capacity;
};

static void
note(struct folded *w, unsigned kind)
{
	tl_note(&w->writer.notes, kind, TL_FAULT_NOWHERE);
}

/* Note that there is no room, and go on. */
static int
full(struct folded *w, int rc)
{
	if (rc != -ENOSPC)
		return rc;
	note(w, TOO_MANY);
	return 0;
}

/*
 * Find the node of a frame below another node; if full, return the node above.
 */
static int
find_node(struct folded *w, uint32_t above, uint32_t frame, bool is_track,
    uint32_t *node)
{
	const struct tl_id_key key = { (uint64_t)is_track << 32 | above,
		frame };
	const int rc =
	    TL_ID_MAP_ROOM(&w->numbers, key, node, w->nodes, w->node_capacity);

	if (rc == -ENOSPC) {
		if (w->writer.notes.count[FULL] == 0)
			note(w, FULL);
		*node = above;
		return 0;
	}
	if (rc < 0)
		return rc;
	w->nodes[*node].above = above;
	w->nodes[*node].frame = frame;
	w->nodes[*node].is_track = is_track;
	return 0;
}

/* Add the own time of an open frame up to the last time of its track. */
static void
add_own(struct folded *w, const struct track *track, const struct open *open)
{
	struct node *node = &w->nodes[open->node];

	node->message = open->message;
	tl_details_between(w->details, track->source, track->since_ns,
	    track->last_ns, &node->own);
}

/* == tracks == */

static int
name_track(struct folded *w, struct track *track, const struct tl_event *event)
{
	const int rc = tl_writer_name(&w->writer, event);
	const uint32_t pid =
	    tl_host_pids_put_host(w->writer.pids, event->pid, &track->name);
	const struct tl_names *names = &w->writer.names;
	const struct tl_bytes thread =
	    tl_names_thread(names, event->pid, event->tid);
	const struct tl_bytes process = tl_names_process(names, event->pid);

	track->has_node = track->name.size > 0;
	track->source = event->source;
	if (event->message->scope == TIMELINE_SOURCE) {
		tl_label_put(&track->name, event);
	} else if (pid != 0 || event->tid != 0) {
		/* where no host is known, names tell programs of one pid apart
		 */
		if (w->writer.pids && track->name.size == 0 &&
		    process.size > 0 && !tl_bytes_equal(process, thread)) {
			tl_put_bytes(&track->name, process);
			tl_put_string(&track->name, ": ");
		}
		tl_put_thread(&track->name, thread, pid, event->tid);
		track->has_node = true;
	}
	return rc < 0 ? rc : track->name.rc;
}

static int
find_track(struct folded *w, const struct tl_event *event, struct track **track)
{
	/*
	 * The key of a thread or source.  The second word is the address of a
	 * message for a source and the number of an input for a thread, and
	 * these differ.
	 */
	struct tl_id_key key = { (uint64_t)event->pid << 32 | event->tid,
		event->source };
	uint32_t number;
	int rc;

	if (event->message->scope == TIMELINE_SOURCE)
		key =
		    (struct tl_id_key){ tl_message_is_of_process(event->message)
					    ? event->pid
					    : 0,
			    (uintptr_t)event->message };
	rc = TL_ID_MAP_ROOM(&w->tracks, key, &number, w->track,
	    w->track_capacity);
	if (rc < 0)
		return rc;
	*track = &w->track[number];
	if (rc == 0)
		return 0;
	(*track)->last_ns = event->ns;
	return name_track(w, *track, event);
}

static int
find_frame(struct folded *w, const struct tl_event *event, uint32_t *frame)
{
	/* Two labels of one message are two frames. */
	const struct tl_message *message = event->message;
	const struct tl_id_key key = { (uintptr_t)message,
		tl_label_is(message) ? event->args[0] : 0 };
	const int rc =
	    TL_ID_MAP_ROOM(&w->frames, key, frame, w->frame, w->frame_capacity);
	struct tl_text *name;

	if (rc <= 0)
		return rc;
	if (message->argc > 0 && message->scope != TIMELINE_SOURCE)
		note(w, ARGUMENTS);
	name = &w->frame[*frame];
	if (message->category.size > 0) {
		tl_put_bytes(name, message->category);
		tl_put_string(name, ": ");
	}
	tl_label_put(name, event);
	return name->rc;
}

static int
push(struct folded *w, struct track *track, const struct tl_event *event)
{
	uint32_t frame, above = 0;
	struct open *top;
	int rc;

	if (track->depth == DEPTH_MAX) {
		note(w, TOO_DEEP);
		return 0;
	}
	if ((rc = find_frame(w, event, &frame)) < 0 ||
	    (rc = TL_ARRAY_ZEROS(track->open, track->capacity, track->depth)) <
		0)
		return rc;
	top = &track->open[track->depth++];
	*top = (struct open){ .frame = frame,
		.id = tl_spans_begun(w->writer.spans),
		.message = event->message };
	if (track->depth > 1) {
		above = top[-1].node;
		add_own(w, track, &top[-1]);
	} else if (track->has_node) {
		rc =
		    find_node(w, 0, (uint32_t)(track - w->track), true, &above);
	}
	if (rc == 0)
		rc = find_node(w, above, frame, false, &top->node);
	track->since_ns = track->last_ns;
	return rc;
}

static void
pop(struct folded *w, struct track *track)
{
	add_own(w, track, &track->open[track->depth - 1]);
	track->since_ns = track->last_ns;
	track->depth--;
}

/* Pop the spans above a depth at the last event of the track, the last time at
 * which the spans are known to be open. */
static void
pop_unsure(struct folded *w, struct track *track, uint32_t depth)
{
	while (track->depth > depth) {
		note(w, UNSURE);
		pop(w, track);
	}
}

/* Put an event of a track.  span is the span that the event has ended, or
 * NULL. */
static int
put_track(struct folded *w, struct track *track, const struct tl_event *event,
    const struct tl_span *span)
{
	uint32_t depth = span ? track->depth : 0, around = track->depth;

	/* the depth of the span; 0: the span is closed already */
	while (depth > 0 && track->open[depth - 1].id != span->id)
		depth--;
	/* the innermost spans that are not around the event are gone */
	while (around > depth &&
	       !tl_spans_is_around(w->writer.spans, track->open[around - 1].id))
		around--;
	if (depth > 0 && !tl_span_is_sure(span))
		around = depth - 1;
	pop_unsure(w, track, around);
	if (event->ns < w->first_ns || event->ns < track->last_ns)
		note(w, BACK);
	if (track->last_ns < w->first_ns)
		track->last_ns = w->first_ns;
	if (event->ns > track->last_ns)
		track->last_ns = event->ns;
	if (track->last_ns > w->last_ns)
		w->last_ns = track->last_ns;
	if (event->kind == TL_BEGIN)
		return push(w, track, event);
	if (!span || span->alone)
		note(w, LONELY_ENDS);
	while (depth > 0 && track->depth >= depth) {
		if (track->depth > depth)
			note(w, CROSSED);
		pop(w, track);
	}
	return 0;
}

/* Put a span of a source, which is open up to to_ns. */
static int
put_source(struct folded *w, const struct tl_span *span, int64_t from_ns,
    int64_t to_ns)
{
	const struct tl_event begin = tl_span_begin(span);
	struct track *track;
	int rc;

	if (!tl_span_is_sure(span)) {
		note(w, UNSURE);
		return 0;
	}
	if ((rc = find_track(w, &begin, &track)) == 0) {
		track->last_ns = from_ns;
		rc = push(w, track, &begin);
	}
	if (rc < 0)
		return full(w, rc);
	track->last_ns = to_ns;
	pop(w, track);
	return 0;
}

static int
put_span(struct folded *w, const struct tl_event *event)
{
	const struct tl_span *span = w->writer.span;
	struct tl_event own = *event;
	struct track *track;
	int rc = 0;

	if (!w->begun) {
		w->begun = true;
		w->first_ns = w->last_ns = event->ns;
	}
	if (event->message->scope == TIMELINE_SOURCE) {
		if (span && !span->alone)
			rc = put_source(w, span,
			    tl_add_ns(event->ns, -span->duration_ns),
			    event->ns);
		else if (event->kind == TL_END)
			note(w, LONELY_ENDS);
	} else {
		if (span) /* its thread, if the span was handed over */
			own.tid = span->tid;
		rc = find_track(w, &own, &track);
		if (rc == 0)
			rc = put_track(w, track, event, span);
	}
	return full(w, rc);
}

/*
 * Only lengths are written, so steps of the clock are taken out of the times.
 */
static int
folded_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct folded *w = (void *)writer;
	struct tl_event steady = *event;
	int rc;

	steady.ns = tl_add_ns(event->ns, -event->steps_ns);
	rc = tl_details_put(w->details, writer->spans, &steady);
	if (rc < 0 || event->aside)
		return rc;
	/* at the time of any entry, open spans were still open */
	if (event->kind != TL_LOST && w->begun && steady.ns > w->last_ns)
		w->last_ns = steady.ns;
	switch (event->kind) {
	case TL_BEGIN:
	case TL_END:
		return put_span(w, &steady);
	case TL_COUNTER:
		note(w, COUNTERS);
		return 0;
	case TL_LOST:
		if (!tl_event_is_start(event))
			note(w, LOSSES);
		return 0;
	default:
		note(w, INSTANTS);
		return 0;
	}
}

/* == lines == */

static void
put_path(struct folded *w, uint32_t number)
{
	struct tl_text *text = &w->writer.out.text;
	const struct node *path[PATH_MAX_NODES];
	unsigned count = 0;

	for (; number != 0; number = w->nodes[number].above) {
		assert(count < PATH_MAX_NODES);
		path[count++] = &w->nodes[number];
	}
	for (unsigned i = count; i-- > 0;) {
		const struct tl_text *name =
		    path[i]->is_track ? &w->track[path[i]->frame].name
				      : &w->frame[path[i]->frame];
		size_t at = text->size;

		tl_put_plain(text, tl_text_bytes(name));
		for (; at < text->size; at++) {
			if (text->data[at] == ';')
				text->data[at] = ',';
		}
		if (i > 0)
			tl_put_char(text, ';');
	}
}

/* Write the parts of a node's own time, each but itself as a frame inside. */
static int
put_node(struct folded *w, uint32_t number)
{
	struct tl_text *text = &w->writer.out.text;
	const struct node *node = &w->nodes[number];
	int64_t parts[TL_OWN_PARTS] = { 0 };

	tl_details_divide(w->details, node->message, &node->own, parts);
	for (unsigned i = 0; i < TL_OWN_PARTS; i++) {
		if (parts[i] == 0)
			continue;
		put_path(w, number);
		if (i != TL_OWN_IS_ITSELF) {
			tl_put_char(text, ';');
			tl_put_string(text, tl_own_words[i]);
		}
		tl_put_char(text, ' ');
		tl_put_unsigned(text, (uint64_t)parts[i]);
		tl_put_char(text, '\n');
	}
	return tl_out_flush_full(&w->writer.out);
}

/* Put a begin of a source that has no end. */
static int
folded_put_lonely(struct tl_writer *writer, const struct tl_span *span)
{
	struct folded *w = (void *)writer;

	if (span->message->scope != TIMELINE_SOURCE)
		return 0;
	if (tl_span_is_sure(span))
		note(w, LONELY_BEGINS);
	return put_source(w, span,
	    tl_add_ns(span->begin_ns, -span->begin_steps_ns), w->last_ns);
}

/* Is a span known to be open at the end? */
static bool
is_open(const struct folded *w, const struct open *open)
{
	struct tl_span span;

	return tl_spans_find(w->writer.spans, open->id, &span) &&
	       tl_span_is_sure(&span);
}

/* Close the frames that are open, and write the nodes. */
static int
folded_end(struct tl_writer *writer)
{
	struct folded *w = (void *)writer;
	int rc = 0;

	for (size_t i = 0; i < w->track_capacity; i++) {
		struct track *track = &w->track[i];
		uint32_t sure = 0;

		while (sure < track->depth && is_open(w, &track->open[sure]))
			sure++;
		pop_unsure(w, track, sure);
		if (track->depth > 0)
			track->last_ns = w->last_ns;
		while (track->depth > 0) {
			note(w, LONELY_BEGINS);
			pop(w, track);
		}
	}
	for (uint32_t i = 1; rc == 0 && i < w->numbers.count; i++)
		rc = put_node(w, i);
	return rc;
}

static void
folded_free(struct tl_writer *writer)
{
	struct folded *w = (void *)writer;

	for (size_t i = 0; i < w->track_capacity; i++) {
		tl_text_free(&w->track[i].name);
		free(w->track[i].open);
	}
	for (size_t i = 0; i < w->frame_capacity; i++)
		tl_text_free(&w->frame[i]);
	free(w->track);
	free(w->frame);
	tl_id_map_free(&w->tracks);
	tl_id_map_free(&w->frames);
	tl_details_free(w->details);
	tl_id_map_free(&w->numbers);
	free(w->nodes);
}

static const struct tl_writer_kind kind = { .put = folded_put,
	.put_lonely = folded_put_lonely,
	.end = folded_end,
	.notes = kinds,
	.free = folded_free,
	.pairs = true,
	.is_of_one_machine = true };

int
tl_folded_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	struct folded *w;
	uint32_t root;
	int rc =
	    tl_writer_make(writer, sizeof(*w), &kind, write, context, report);

	if (rc < 0)
		return rc;
	w = (void *)*writer;
	rc = tl_details_new(&w->details, false);
	if (rc == 0)
		rc = find_node(w, UINT32_MAX, 0, true, &root);
	assert(rc < 0 || root == 0);
	if (rc < 0)
		tl_writer_free(*writer);
	return rc;
}
