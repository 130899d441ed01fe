/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.c - the files that are read, and all of them as one cursor.
 */
#include "dump/inputs.h"

#include "format/zst_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Puts the file's index into the events of a single file. */
struct named {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_cursor *inner;
	uint16_t sources[TL_FILES_MAX]; /* of the merge -> of the inputs */
};

static void
open_input(struct tl_input *input, const struct tl_options *options,
    uint64_t tail)
{
	bool compressed = false;
	int rc;

	if (tl_zst_snap_open(&input->snap, input->name, tail, &compressed,
		&input->fault) < 0) {
		input->snap = NULL;
	} else if (options->follow && compressed) {
		/* who follows would take it for a plain one */
		tl_snap_close(input->snap);
		input->snap = NULL;
		tl_fault(&input->fault, -EINVAL, TL_FAULT_NOWHERE,
		    "a saved timeline does not grow");
	} else if (options->mode == TL_MODE_CHECK) {
		rc = tl_snap_check(input->snap);
		if (rc < 0)
			tl_fault(&input->fault, rc, TL_FAULT_NOWHERE, "%s",
			    strerror(-rc));
	}
}

void
tl_inputs_open(struct tl_inputs *inputs, const struct tl_options *options,
    uint64_t tail)
{
	inputs->count = options->file_count;
	for (size_t i = 0; i < inputs->count; i++) {
		struct tl_input *input = &inputs->items[i];

		*input = (struct tl_input){ .name = options->files[i] };
		open_input(input, options, tail);
	}
}

void
tl_inputs_close_snaps(struct tl_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->items[i].snap)
			tl_snap_close(inputs->items[i].snap);
		inputs->items[i].snap = NULL;
	}
}

void
tl_inputs_close(struct tl_inputs *inputs)
{
	tl_inputs_close_snaps(inputs);
	inputs->count = 0;
}

static int
named_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct named *n = (struct named *)cursor;
	const int rc = tl_cursor_next(n->inner, event);

	if (rc > 0)
		event->source = n->sources[event->source];
	return rc;
}

static void
named_close(struct tl_cursor *cursor)
{
	struct named *n = (struct named *)cursor;

	tl_cursor_close(n->inner);
	free(n);
}

/* Two of the open files have the same number when their stamps compare. */
static void
number_clocks(const struct tl_snap *const *snaps, unsigned *clocks,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t same = 0;

		while (same < i && !tl_snap_same_clock(snaps[same], snaps[i]))
			same++;
		clocks[i] = (unsigned)same;
	}
}

static int
open_cursors(const struct tl_inputs *inputs, enum tl_order order,
    struct named *n, struct tl_cursor **cursors, unsigned *clocks,
    size_t *count)
{
	const struct tl_snap *snaps[TL_FILES_MAX];
	int rc;

	*count = 0;
	for (size_t i = 0; i < inputs->count; i++) {
		struct tl_snap *snap = inputs->items[i].snap;

		if (!snap)
			continue;
		rc = tl_snap_cursor(snap, order, &cursors[*count]);
		if (rc < 0)
			return rc;
		n->sources[*count] = (uint16_t)i;
		snaps[(*count)++] = snap;
	}
	number_clocks(snaps, clocks, *count);
	return *count == 0 ? -ENOENT : 0;
}

int
tl_inputs_cursor(const struct tl_inputs *inputs, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct tl_cursor *cursors[TL_FILES_MAX];
	unsigned clocks[TL_FILES_MAX];
	struct named *n = calloc(1, sizeof(*n));
	size_t count = 0;
	int rc;

	if (!n)
		return -ENOMEM;
	rc = open_cursors(inputs, order, n, cursors, clocks, &count);
	if (rc < 0)
		goto close_cursors;
	if (inputs->count == 1) { /* its index is 0 anyway */
		*cursor = cursors[0];
		free(n);
		return 0;
	}
	rc = tl_merge_new(&n->inner, cursors, clocks, count, order);
	if (rc < 0) /* the cursors are closed */
		goto free_named;
	n->cursor.next = named_next;
	n->cursor.close = named_close;
	*cursor = &n->cursor;
	return 0;
close_cursors:
	while (count > 0)
		tl_cursor_close(cursors[--count]);
free_named:
	free(n);
	return rc;
}

int
tl_input_newest(const struct tl_input *input, int64_t *ns)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc;

	if (!input->snap)
		return -ENODATA;
	rc = tl_snap_cursor(input->snap, TL_NEWEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	do
		rc = tl_cursor_next(cursor, &event);
	while (rc > 0 && event.kind == TL_LOST);
	tl_cursor_close(cursor);
	if (rc > 0)
		*ns = event.ns;
	return rc > 0 ? 0 : rc == 0 ? -ENODATA : rc;
}

int
tl_inputs_newest(const struct tl_inputs *inputs, int64_t *ns)
{
	int64_t newest = INT64_MIN, one;
	bool found = false;

	for (size_t i = 0; i < inputs->count; i++) {
		if (tl_input_newest(&inputs->items[i], &one) < 0)
			continue;
		found = true;
		if (one > newest)
			newest = one;
	}
	if (!found)
		return -ENODATA;
	*ns = newest;
	return 0;
}

uint64_t
tl_inputs_entries(const struct tl_inputs *inputs)
{
	uint64_t entries = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_snap *snap = inputs->items[i].snap;
		const size_t lanes = snap ? tl_snap_lane_count(snap) : 0;

		for (size_t k = 0; k < lanes; k++) {
			const struct tl_snap_lane *lane = tl_snap_lane(snap, k);

			entries += lane->end - lane->first;
		}
	}
	return entries;
}

bool
tl_inputs_are_steady(const struct tl_inputs *inputs)
{
	const uint16_t jumps = TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP |
			       TIMELINE_KNOT_GAP | TIMELINE_KNOT_NEW_EPOCH;

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_snap *snap = inputs->items[i].snap;
		const size_t knots = snap ? tl_snap_knot_count(snap) : 0;

		for (size_t k = 0; k < knots; k++) {
			if (tl_snap_knot(snap, k)->flags & jumps)
				return false;
		}
	}
	return true;
}

bool
tl_inputs_are_damaged(const struct tl_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_snap *snap = inputs->items[i].snap;

		if (!snap || tl_snap_fault_count(snap) > 0)
			return true;
	}
	return false;
}
