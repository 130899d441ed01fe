/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.c - the files that are read, and all of them as one cursor.
 */
#include "source/inputs.h"

#include "event/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_FIRST = 8 };

/* Puts the file's index into the events of a single file. */
struct named {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_cursor *inner;
	uint16_t sources[]; /* of the merge -> of the inputs */
};

/* One more, all zeros; NULL: there is no memory, or too many. */
static struct tl_input *
add_item(struct tl_inputs *inputs)
{
	const size_t capacity = inputs->capacity * 2 + ITEMS_FIRST;
	struct tl_input *items;

	if (inputs->count == TL_INPUT_ITEMS_MAX)
		return NULL;
	if (inputs->count == inputs->capacity) {
		items = realloc(inputs->items, capacity * sizeof(*items));
		if (!items)
			return NULL;
		inputs->items = items;
		inputs->capacity = capacity;
	}
	inputs->items[inputs->count] = (struct tl_input){ 0 };
	return &inputs->items[inputs->count++];
}

/* What else there was in the file of the newest input. */
static int
add_others(struct tl_inputs *inputs)
{
	const size_t first = inputs->count - 1;
	struct tl_chains *others = inputs->items[first].others;
	const size_t count = others ? tl_chains_count(others) : 0;
	int rc = 0;

	inputs->items[first].others = NULL;
	for (size_t i = 1; i < count && rc == 0; i++) {
		struct tl_input *item = add_item(inputs);

		if (!item) {
			tl_chain_say(inputs->items[first].chain, -ENOSPC,
			    TL_FAULT_NOWHERE,
			    "more than %d sources: %zu of it are left out",
			    TL_INPUT_ITEMS_MAX, count - i);
			break;
		}
		item->name = inputs->items[first].file;
		rc = tl_input_take(item, tl_chains_take(others, i));
	}
	tl_chains_free(others);
	return rc;
}

/* Is it of a host that is asked for, or of one that is not known? */
static bool
is_asked_for(const struct tl_input *input, const struct tl_remote_plan *plan)
{
	struct tl_origin origin = { 0 };

	if (tl_input_is_open(input))
		tl_input_origin(input, &origin);
	if (!origin.machine[0])
		return true;
	for (size_t i = 0; i < plan->host_count; i++)
		if (tl_glob_matches(plan->hosts[i],
			tl_bytes_of(origin.machine)))
			return true;
	return false;
}

/* Leave out those of other hosts; where none is left, say so. */
static int
keep_hosts(struct tl_inputs *inputs, const struct tl_remote_plan *plan)
{
	const char *file = inputs->count > 0 ? inputs->items[0].file : NULL;
	struct tl_input *item;
	size_t kept = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		item = &inputs->items[i];
		if (is_asked_for(item, plan)) {
			inputs->items[kept++] = *item;
			continue;
		}
		tl_input_close(item);
		free(item->own_name);
	}
	inputs->count = kept;
	if (kept > 0 || !file)
		return 0;
	item = add_item(inputs);
	item->name = item->file = file;
	tl_fault(&item->fault, -ENOENT, TL_FAULT_NOWHERE,
	    "there is nothing of such a host");
	return 0;
}

int
tl_inputs_open(struct tl_inputs *inputs, const char *const *names, size_t count,
    const struct tl_input_plan *plan)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		struct tl_input *item = add_item(inputs);

		if (!item)
			return -ENOMEM;
		tl_input_open(item, names[i], plan);
		rc = add_others(inputs);
	}
	if (rc == 0 && plan->remote && plan->remote->host_count > 0)
		rc = keep_hosts(inputs, plan->remote);
	return rc < 0 ? rc : tl_hosts_find(inputs);
}

void
tl_inputs_close(struct tl_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		tl_input_close(&inputs->items[i]);
	tl_hosts_free(inputs->hosts);
	inputs->hosts = NULL;
}

void
tl_inputs_free(struct tl_inputs *inputs)
{
	tl_inputs_close(inputs);
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->items[i].own_name);
	free(inputs->items);
	*inputs = (struct tl_inputs){ 0 };
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

/* What is open, while its cursors become one. */
struct opened {
	struct named *named;
	struct tl_cursor **cursors;
	unsigned *clocks; /* the number of each one's host */

	size_t count;
};

static int
make_room(struct opened *o, size_t count)
{
	o->named =
	    calloc(1, sizeof(*o->named) + count * sizeof(o->named->sources[0]));
	o->cursors = calloc(count + 1, sizeof(struct tl_cursor *));
	o->clocks = calloc(count + 1, sizeof(*o->clocks));
	return o->named && o->cursors && o->clocks ? 0 : -ENOMEM;
}

static int
open_cursors(const struct tl_inputs *inputs, enum tl_order order,
    struct opened *o)
{
	int rc = inputs->hosts ? make_room(o, inputs->count) : -ENOENT;

	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		const struct tl_input *input = &inputs->items[i];

		if (!tl_input_is_open(input))
			continue;
		rc = tl_input_cursor(input, order, &o->cursors[o->count]);
		if (rc < 0)
			return rc;
		o->named->sources[o->count] = (uint16_t)i;
		o->clocks[o->count++] = inputs->hosts->of_input[i];
	}
	if (rc < 0)
		return rc;
	return o->count == 0 ? -ENOENT : 0;
}

/* All cursors as one, which owns them; they are gone on failure. */
static int
merge(struct opened *o, enum tl_order order, bool of_several_hosts,
    struct tl_cursor **cursor)
{
	struct named *n = o->named;
	const int rc =
	    tl_merge_new(&n->inner, o->cursors, o->clocks, o->count, order);

	o->count = 0;
	if (rc < 0)
		return rc;
	if (of_several_hosts)
		tl_merge_mark_overlaps(n->inner);
	n->cursor.next = named_next;
	n->cursor.close = named_close;
	*cursor = &n->cursor;
	o->named = NULL;
	return 0;
}

int
tl_inputs_cursor(const struct tl_inputs *inputs, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct opened o = { 0 };
	int rc = open_cursors(inputs, order, &o);

	if (rc == 0 && inputs->count == 1) { /* its index is 0 anyway */
		*cursor = o.cursors[0];
		o.count = 0;
	} else if (rc == 0) {
		rc = merge(&o, order, inputs->hosts->are_several, cursor);
	}
	while (o.count > 0)
		tl_cursor_close(o.cursors[--o.count]);
	free(o.named);
	free(o.cursors);
	free(o.clocks);
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
