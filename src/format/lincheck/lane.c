/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_lane.c - threads to numbers, and a stack for each. */
#include "format/lincheck/lane.h"

#include <errno.h>
#include <stdlib.h>

/* What a thread is known by; a message is no small number. */
static struct tl_number_key
key_of(const struct tl_event *event, bool native, bool of_message)
{
	if (of_message)
		return (struct tl_number_key){ (uintptr_t)event->message, 2 };
	return (struct tl_number_key){ (uint64_t)event->pid << 32 | event->tid,
		(uint64_t)event->source << 2 | native };
}

/* A number for a new thread: the wanted one, if it is free. */
static int
choose(struct tl_lincheck_lanes *l, int32_t wanted, int32_t *id)
{
	uint32_t number;
	int rc = 0;

	*id = wanted;
	if (wanted != TL_LINCHECK_NONE)
		rc = tl_numbers_get(&l->used,
		    (struct tl_number_key){ .a = (uint32_t)wanted }, &number);
	while (rc == 0) {
		*id = l->next++;
		rc = tl_numbers_get(&l->used,
		    (struct tl_number_key){ .a = (uint32_t)*id }, &number);
	}
	return rc < 0 ? rc : 0;
}

int
tl_lincheck_lanes_find(struct tl_lincheck_lanes *l,
    const struct tl_event *event, bool native, bool of_message,
    struct tl_lincheck_lane **lane)
{
	void *lanes = l->lanes;
	uint32_t number;
	int rc = tl_numbers_get(&l->numbers, key_of(event, native, of_message),
	    &number);
	const bool is_new = rc == 1;

	if (rc >= 0 && number >= TL_LINCHECK_THREADS_MAX)
		return -ENOSPC;
	if (is_new) {
		rc = tl_numbers_room(&lanes, &l->capacity, number,
		    sizeof(*l->lanes));
		l->lanes = lanes;
		l->count = rc == 0 ? number + 1 : number;
	}
	if (rc >= 0 && is_new)
		l->lanes[number].waiting.fd = -1;
	if (rc >= 0 && is_new)
		rc = choose(l, native ? (int32_t)event->tid : TL_LINCHECK_NONE,
		    &l->lanes[number].stream.thread);
	if (rc < 0)
		return rc;
	*lane = &l->lanes[number];
	return is_new;
}

void
tl_lincheck_lanes_free(struct tl_lincheck_lanes *l)
{
	for (size_t i = 0; i < l->capacity; i++) {
		tl_lincheck_stream_free(&l->lanes[i].stream);
		if (i < l->count)
			tl_lincheck_queue_free(&l->lanes[i].waiting);
		free(l->lanes[i].open);
	}
	free(l->lanes);
	tl_numbers_free(&l->numbers);
	tl_numbers_free(&l->used);
}

int
tl_lincheck_lane_push(struct tl_lincheck_lane *lane,
    const struct tl_message *message, int32_t number)
{
	void *open = lane->open;
	int rc;

	if (lane->depth == TL_LINCHECK_DEPTH_MAX)
		return -ENOSPC;
	rc = tl_numbers_room(&open, &lane->capacity, lane->depth,
	    sizeof(*lane->open));
	lane->open = open;
	if (rc == 0)
		lane->open[lane->depth++] =
		    (struct tl_lincheck_open){ .message = message,
			    .number = number };
	return rc;
}

struct tl_lincheck_open
tl_lincheck_lane_pop(struct tl_lincheck_lane *lane)
{
	return lane->open[--lane->depth];
}

bool
tl_lincheck_lane_find(const struct tl_lincheck_lane *lane,
    const struct tl_message *message, uint32_t *depth)
{
	const uint32_t least = lane->depth > TL_LINCHECK_LOOK_MAX
				   ? lane->depth - TL_LINCHECK_LOOK_MAX
				   : 0;

	for (uint32_t i = lane->depth; i > least; i--) {
		if (lane->open[i - 1].message == message) {
			*depth = i;
			return true;
		}
	}
	return false;
}
