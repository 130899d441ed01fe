/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.c - the files that are read, and all of them as one cursor.
 */
#include "format/inputs.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Puts the file's index into the events of a single file. */
struct named {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_cursor *inner;
	uint16_t sources[TL_INPUTS_MAX]; /* of the merge -> of the inputs */
};

void
tl_inputs_open(struct tl_inputs *inputs, const char *const *names, size_t count,
    const struct tl_input_plan *plan)
{
	assert(count <= TL_INPUTS_MAX);
	inputs->count = count;
	for (size_t i = 0; i < count; i++)
		tl_input_open(&inputs->items[i], names[i], plan);
}

void
tl_inputs_close(struct tl_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		tl_input_close(&inputs->items[i]);
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
number_clocks(const struct tl_input *const *open, unsigned *clocks,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t same = 0;

		while (same < i && !tl_input_same_clock(open[same], open[i]))
			same++;
		clocks[i] = (unsigned)same;
	}
}

static int
open_cursors(const struct tl_inputs *inputs, enum tl_order order,
    struct named *n, struct tl_cursor **cursors, unsigned *clocks,
    size_t *count)
{
	const struct tl_input *open[TL_INPUTS_MAX];
	int rc;

	*count = 0;
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_input *input = &inputs->items[i];

		if (!tl_input_is_open(input))
			continue;
		rc = tl_input_cursor(input, order, &cursors[*count]);
		if (rc < 0)
			return rc;
		n->sources[*count] = (uint16_t)i;
		open[(*count)++] = input;
	}
	number_clocks(open, clocks, *count);
	return *count == 0 ? -ENOENT : 0;
}

int
tl_inputs_cursor(const struct tl_inputs *inputs, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct tl_cursor *cursors[TL_INPUTS_MAX];
	unsigned clocks[TL_INPUTS_MAX];
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
tl_inputs_newest(const struct tl_inputs *inputs, int64_t *ns)
{
	int64_t newest = INT64_MIN, one;
	bool found = false;

	for (size_t i = 0; i < inputs->count; i++) {
		const struct tl_input *input = &inputs->items[i];

		if (!tl_input_is_open(input) ||
		    tl_input_newest(input, &one) < 0)
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
		if (tl_input_is_open(&inputs->items[i]))
			entries += tl_input_entries(&inputs->items[i]);
	}
	return entries;
}

bool
tl_inputs_are_steady(const struct tl_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		if (!tl_input_is_steady(&inputs->items[i]))
			return false;
	}
	return true;
}

bool
tl_inputs_are_damaged(const struct tl_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		if (tl_input_is_damaged(&inputs->items[i]))
			return true;
	}
	return false;
}

/* Keep of origin what is the same in other. */
static void
keep_common(struct tl_origin *origin, const struct tl_origin *other)
{
	if (strcmp(origin->machine, other->machine) != 0) {
		*origin = (struct tl_origin){ 0 };
		return;
	}
	if (origin->pid != other->pid ||
	    strcmp(origin->command, other->command) != 0) {
		origin->pid = 0;
		origin->command[0] = '\0';
	}
	if (strcmp(origin->timeline, other->timeline) != 0)
		origin->timeline[0] = '\0';
	if (memcmp(origin->boot_id, other->boot_id, sizeof(other->boot_id)) !=
	    0)
		memset(origin->boot_id, 0, sizeof(origin->boot_id));
	if (other->boottime_ns == 0) { /* of another start of the machine */
		origin->monotonic_ns = 0;
		origin->boottime_ns = 0;
	}
}

void
tl_inputs_origin(const struct tl_inputs *inputs, struct tl_origin *origin)
{
	struct tl_origin other;
	bool any = false;

	*origin = (struct tl_origin){ 0 };
	for (size_t i = 0; i < inputs->count; i++) {
		if (!tl_input_is_open(&inputs->items[i]))
			continue;
		tl_input_origin(&inputs->items[i], any ? &other : origin);
		if (any)
			keep_common(origin, &other);
		any = true;
	}
}

int
tl_inputs_origins(const struct tl_inputs *inputs, struct tl_origin **origins)
{
	struct tl_origin *all = calloc(inputs->count + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < inputs->count; i++) {
		if (tl_input_is_open(&inputs->items[i]))
			tl_input_origin(&inputs->items[i], &all[i]);
	}
	*origins = all;
	return 0;
}
