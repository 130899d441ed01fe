/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded.c - add up time in a tree with one node for each path.
 *
 *	(node above, frame) --> number --> node: frame, node above, time
 *
 * Node 0 is the root; a thread is a node below the root, and the frame of such
 * a node is a track.
 */
#include "format/stacks/folded.h"

#include "base/array.h"
#include "clock/clock.h"
#include "event/details.h"
#include "format/stacks.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

enum { PATH_MAX_NODES = TL_STACKS_DEPTH_MAX + 1 };

struct node {
	struct tl_own own;
	const struct tl_message *message; /* NULL: a track */
	uint32_t above;
	uint32_t frame; /* or track */
	bool is_track;
};

struct folded {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_stacks stacks;
	struct tl_details *details;
	struct tl_id_map numbers;
	struct node *nodes;
	size_t capacity;
	bool full;
};

/*
 * Find the node of a frame below another node; if full, return the node above.
 */
static int
find_node(struct folded *w, uint32_t above, uint32_t frame, bool is_track,
    uint32_t *node)
{
	const struct tl_id_key key = { (uint64_t)is_track << 32 | above,
		frame };
	int rc = TL_ID_MAP_ROOM(&w->numbers, key, node, w->nodes, w->capacity);

	if (rc == -ENOSPC) {
		w->full = true;
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

static struct folded *
folded_of_stacks(struct tl_stacks *stacks)
{
	return (struct folded *)(void *)((char *)stacks -
					 offsetof(struct folded, stacks));
}

/* Add the own time of an open frame up to now. */
static void
add_own(struct folded *w, const struct tl_track *track,
    const struct tl_stacks_open *open, int64_t ns)
{
	struct node *node = &w->nodes[open->user];

	node->message = open->message;
	tl_details_between(w->details, track->source, track->since_ns, ns,
	    &node->own);
}

static int
opened(struct tl_stacks *stacks, struct tl_track *track, int64_t ns)
{
	struct folded *w = folded_of_stacks(stacks);
	struct tl_stacks_open *top = &track->open[track->depth - 1];
	uint32_t above = 0;
	int rc = 0;

	if (track->depth > 1) {
		above = top[-1].user;
		add_own(w, track, &top[-1], ns);
	} else if ((!track->is_source || track->has_host) &&
		   track->name.size > 0) {
		rc = find_node(w, 0, (uint32_t)(track - stacks->track), true,
		    &above);
	}
	return rc < 0 ? rc : find_node(w, above, top->frame, false, &top->user);
}

static int
closing(struct tl_stacks *stacks, struct tl_track *track, int64_t ns)
{
	add_own(folded_of_stacks(stacks), track, &track->open[track->depth - 1],
	    ns);
	return 0;
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
	return rc < 0 || event->aside ? rc : tl_stacks_put(&w->stacks, &steady);
}

/* Append a name as a frame of a path. */
static void
put_name(struct tl_text *text, const struct tl_text *name)
{
	const size_t start = text->size;

	tl_put_plain(text, tl_bytes(name->data, name->size));
	for (size_t i = start; i < text->size; i++) {
		if (text->data[i] == ';')
			text->data[i] = ',';
	}
}

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
		put_name(text, path[i]->is_track
				   ? &w->stacks.track[path[i]->frame].name
				   : &w->stacks.frame[path[i]->frame]);
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

static int
folded_end(struct tl_writer *writer)
{
	struct folded *w = (void *)writer;
	int rc = tl_stacks_end(&w->stacks, writer->report);

	if (w->full)
		tl_report_write(writer->report, -ENOSPC, TL_FAULT_NOWHERE,
		    "too many different stacks: the rest counts for those "
		    "around it");
	for (uint32_t i = 1; rc == 0 && i < w->numbers.count; i++)
		rc = put_node(w, i);
	return rc;
}

static void
folded_free(struct tl_writer *writer)
{
	struct folded *w = (void *)writer;

	tl_stacks_free(&w->stacks);
	tl_details_free(w->details);
	tl_id_map_free(&w->numbers);
	free(w->nodes);
}

static const struct tl_writer_kind kind = { .put = folded_put,
	.end = folded_end,
	.free = folded_free,
	.pairs = true,
	.is_of_one_machine = true };

int
tl_folded_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	struct folded *w;
	uint32_t root;
	int rc = tl_writer_make(writer, sizeof(struct folded), &kind, write,
	    context, report);

	if (rc < 0)
		return rc;
	w = (void *)*writer;
	w->stacks.opened = opened;
	w->stacks.closing = closing;
	w->stacks.writer = &w->writer;
	rc = tl_details_new(&w->details, false);
	if (rc == 0)
		rc = find_node(w, UINT32_MAX, 0, true, &root);
	assert(rc < 0 || root == 0);
	if (rc < 0)
		tl_writer_free(*writer);
	return rc;
}
