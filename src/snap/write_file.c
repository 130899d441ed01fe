/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_file.c - header, heads, entries, knots, strings.
 *
 * Where lanes are as they were, events came in order of time and lie lane by
 * lane: they are sorted once more, by their place in the file.
 */
#include "snap/write_file.h"

#include "ring/ring.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

enum { ZEROS = 4096 }; /* written at a time */

static int
open_events(void *context, struct tl_cursor **cursor)
{
	const struct tl_timeline_file *f = context;

	return tl_store_cursor(f->store, TL_OLDEST_FIRST, cursor);
}

static uint64_t
to_page(uint64_t at)
{
	return (at + TIMELINE_PAGE_SIZE - 1) &
	       ~(uint64_t)(TIMELINE_PAGE_SIZE - 1);
}

/* Place one region after the other. */
static void
place_regions(struct tl_timeline_file *f)
{
	struct timeline_header *h = &f->header;
	const uint64_t lanes = (uint64_t)h->cpu_lanes + h->fallback_lanes;
	uint64_t end = TIMELINE_HEADER_SIZE;

	h->heads_offset = end;
	end += lanes * h->tiers * TIMELINE_HEAD_SIZE;
	memset(h->entries_offset, 0, sizeof(h->entries_offset));
	for (uint32_t tier = 0; tier < h->tiers; tier++) {
		h->entries_offset[tier] = to_page(end);
		end = h->entries_offset[tier] +
		      timeline_tier_slots(h, tier) * TIMELINE_ENTRY_SIZE;
	}
	h->knots_max = f->clock.knots_max;
	h->knots_offset = to_page(end);
	end = h->knots_offset + h->knots_max * TIMELINE_KNOT_SIZE;
	h->strings_offset = to_page(end);
	h->strings_size = h->strings_tail = f->table.tail;
	h->newest = f->table.newest;
	h->total_size = h->strings_offset + h->strings_size;
	assert(tl_layout_check(h, NULL) == 0);
}

static int
add_epochs(struct tl_timeline_file *f)
{
	int rc = 0;

	for (size_t i = 0; i < f->lanes.epoch_count && rc == 0; i++)
		rc = tl_timeline_table_epoch(&f->table,
		    f->lanes.epochs[i].number, f->lanes.epochs[i].heads,
		    f->lanes.lane_count);
	f->lanes.epochs_full |= rc == -ENOSPC;
	return rc == -ENOSPC ? 0 : rc;
}

/* Hand an event to what comes next, with its lane and number. */
typedef int take_event(struct tl_timeline_file *f, struct tl_event *event);

static int
take_from(struct tl_timeline_file *f, struct tl_store *store, bool walk,
    take_event *take)
{
	struct tl_timeline_walk places;
	struct tl_cursor *cursor;
	struct tl_event e;
	int rc = tl_store_cursor(store, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	tl_timeline_walk_start(&places, &f->lanes, &f->header);
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		if (walk)
			rc = tl_timeline_walk_put(&places, &e, &e.lane,
			    &e.number);
		if (rc >= 0 && e.kind != TL_LOST)
			rc = take(f, &e);
		if (rc < 0)
			break;
	}
	tl_cursor_close(cursor);
	return rc;
}

static int
keep_placed(struct tl_timeline_file *f, struct tl_event *event)
{
	struct tl_sink *sink = tl_store_sink(f->placed);

	event->ns = (int64_t)timeline_entry_offset(&f->header, event->lane,
	    event->number);
	return sink->put(sink, event);
}

/* The events by their place in the file. */
static int
sort_by_place(struct tl_timeline_file *f)
{
	int rc = tl_store_new(&f->placed, TL_TIMELINE_STORE_MEMORY);

	if (rc == 0)
		rc = take_from(f, f->store, true, keep_placed);
	if (rc < 0)
		return rc;
	tl_store_free(f->store);
	f->store = NULL;
	return tl_store_sink(f->placed)->finish(tl_store_sink(f->placed));
}

static int
append(struct tl_timeline_file *f, const void *data, size_t size)
{
	f->at += size;
	tl_put_bytes(&f->out->text, tl_bytes(data, size));
	return tl_out_settle(f->out);
}

/* Nothing is there up to this byte. */
static int
append_zeros(struct tl_timeline_file *f, uint64_t to)
{
	static const char zeros[ZEROS];
	int rc = 0;

	assert(to >= f->at);
	while (rc == 0 && f->at < to)
		rc = append(f, zeros,
		    to - f->at < ZEROS ? (size_t)(to - f->at) : ZEROS);
	return rc;
}

/* An argument as it is in the file. */
static uint64_t
argument(struct tl_timeline_file *f, const struct tl_event *event, unsigned i)
{
	uint64_t named = event->args[i];

	if (i < event->message->argc &&
	    tl_timeline_is_string(event->message, i) &&
	    tl_timeline_table_string(&f->table, event->message, event->args[i],
		&named) == -ENOENT)
		f->renamed += named != event->args[i];
	return named;
}

static int
write_entry(struct tl_timeline_file *f, struct tl_event *event)
{
	struct timeline_entry entry = { .tsc = event->tsc ^ f->flip,
		.tid = event->tid,
		.pid = event->pid,
		.stamp = timeline_stamp_whole(event->number) };
	int rc = tl_timeline_table_message(&f->table, event->message,
	    tl_record_kind_of(event->kind), &entry.message);

	if (rc < 0 && rc != -ENOSPC)
		return rc;
	if (event->kind == TL_END)
		entry.message |= TIMELINE_MESSAGE_END;
	if (event->bare)
		entry.message |= TIMELINE_MESSAGE_BARE;
	if (timeline_lane_is_fallback(&f->header, event->lane))
		entry.cpu = event->cpu;
	for (unsigned i = 0; i < TIMELINE_ARGS_MAX; i++)
		entry.args[i] = argument(f, event, i);
	rc = append_zeros(f,
	    timeline_entry_offset(&f->header, event->lane, event->number));
	return rc < 0 ? rc : append(f, &entry, sizeof(entry));
}

/* Records may keep places far behind the last one. */
static int
write_strings(struct tl_timeline_file *f)
{
	const uint64_t size = f->table.tail < f->table.capacity
				  ? f->table.tail
				  : f->table.capacity;
	int rc = 0;

	for (uint64_t at = 0; at < size && rc == 0; at += ZEROS)
		rc = append(f, f->table.bytes + at,
		    size - at < ZEROS ? (size_t)(size - at) : ZEROS);
	return rc < 0 ? rc : append_zeros(f, f->header.total_size);
}

int
tl_timeline_file_write(struct tl_timeline_file *f)
{
	const struct timeline_header *h = &f->header;
	struct tl_store *store = f->placed ? f->placed : f->store;
	int rc;

	if ((rc = append(f, h, sizeof(*h))) < 0 ||
	    (rc = append(f, f->lanes.heads,
		 f->lanes.lane_count * sizeof(*f->lanes.heads))) < 0 ||
	    (rc = take_from(f, store, !f->placed, write_entry)) < 0 ||
	    (rc = append_zeros(f, h->knots_offset)) < 0 ||
	    (rc = append(f, f->clock.knots,
		 h->knots_max * sizeof(f->clock.knots[0]))) < 0 ||
	    (rc = append_zeros(f, h->strings_offset)) < 0)
		return rc;
	return write_strings(f);
}

int
tl_timeline_file_plan(struct tl_timeline_file *f)
{
	const struct tl_timeline_source events = { open_events, f };
	int rc = tl_timeline_lanes_plan(&f->lanes, &events, &f->header);

	if (rc < 0 || (rc = add_epochs(f)) < 0)
		return rc;
	place_regions(f);
	return f->lanes.apart ? sort_by_place(f) : 0;
}

void
tl_timeline_file_free(struct tl_timeline_file *f)
{
	tl_store_free(f->store);
	tl_store_free(f->placed);
	tl_timeline_table_free(&f->table);
	tl_timeline_lanes_free(&f->lanes);
}
