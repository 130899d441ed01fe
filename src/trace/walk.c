/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - walk along a stream, block by block, with a small cache. */
#include "trace/opened.h"

#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

void
tl_trace_block_release(struct tl_block_data *data)
{
	if (!data || --data->refs > 0)
		return;
	tl_text_free(&data->stored);
	tl_text_free(&data->room);
	free(data->marks);
	free(data);
}

int
tl_trace_block_mark(struct tl_block_data *data, size_t place)
{
	struct tl_data_in *in = &data->marked;
	struct tl_point point;

	if (!in->data)
		*in = tl_data_in(data->content.data, data->content.size);
	while (in->at < in->size && in->at <= place) {
		if (TL_ARRAY_ROOM(data->marks, data->mark_capacity,
			data->mark_count) < 0)
			return -ENOMEM;
		data->marks[data->mark_count++] =
		    (struct tl_block_mark){ in->at, data->marked_state };
		for (unsigned i = 0; i < TL_MARK_EVERY && in->at < in->size;
		     i++)
			if (tl_point_get(&point, &data->marked_state, in) < 0)
				/* the rest of the block is lost */
				in->at = in->size;
	}
	return 0;
}

/* The slot of the cache that holds a block, or the slot to replace. */
static struct tl_block_data **
find_place(struct tl_trace *trace, int32_t lane, size_t block)
{
	struct tl_block_data **oldest = &trace->cache[0];

	for (unsigned i = 0; i < TL_CACHE_BLOCKS; i++) {
		struct tl_block_data **place = &trace->cache[i];

		if (*place && (*place)->lane == lane &&
		    (*place)->block == block)
			return place;
		if (*oldest && (!*place || (*place)->used < (*oldest)->used))
			oldest = place;
	}
	return oldest;
}

/* Mark the damage of a block as reported.  false: it already was. */
static bool
report_once(struct tl_trace *trace, struct tl_block_place *place)
{
	if (place->reported)
		return false;
	trace->index.damage++;
	return place->reported = true;
}

static int
read_block(struct tl_trace *trace, struct tl_trace_lane *lane, size_t i,
    struct tl_block_data **data)
{
	struct tl_block_data *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	*d = (struct tl_block_data){ .refs = 1, .lane = lane->id, .block = i };
	d->rc = tl_index_content(&trace->index, &lane->blocks[i], &d->stored,
	    &d->room, &d->content);
	if (d->rc < 0 && d->rc != -EBADMSG) {
		const int rc = d->rc;

		tl_trace_block_release(d);
		return rc;
	}
	if (d->rc == -EBADMSG) {
		d->content = tl_bytes("", 0);
		lane->holes = true;
		if (report_once(trace, &lane->blocks[i]))
			tl_trace_say(&trace->options.report, d->rc,
			    lane->blocks[i].at,
			    "a block of thread %" PRId32 " with %" PRIu32
			    " events is damaged",
			    lane->id, lane->blocks[i].block.events);
	}
	*data = d;
	return 0;
}

int
tl_trace_block_data(struct tl_trace *trace, struct tl_trace_lane *lane,
    size_t i, struct tl_block_data **data)
{
	struct tl_block_data **place = find_place(trace, lane->id, i);
	struct tl_block_data *read;

	if (!*place || (*place)->lane != lane->id || (*place)->block != i) {
		const int rc = read_block(trace, lane, i, &read);

		if (rc < 0)
			return rc;
		tl_trace_block_release(*place);
		*place = read;
	}
	(*place)->used = ++trace->clock;
	(*place)->refs++;
	*data = *place;
	return 0;
}

void
tl_walk_init(struct tl_walk *walk, struct tl_trace *trace,
    struct tl_trace_lane *lane)
{
	*walk = (struct tl_walk){ .trace = trace, .lane = lane };
}

void
tl_walk_free(struct tl_walk *walk)
{
	tl_trace_block_release(walk->data);
	walk->data = NULL;
}

/* Enter a block, before its first object. */
static int
enter(struct tl_walk *w, size_t i)
{
	struct tl_block_data *data;
	const int rc = tl_trace_block_data(w->trace, w->lane, i, &data);

	if (rc < 0)
		return rc;
	tl_trace_block_release(w->data);
	w->data = data;
	w->block = i;
	w->in = tl_data_in(data->content.data, data->content.size);
	w->state = (struct tl_point_state){ 0 };
	w->at = w->lane->blocks[i].block.logical;
	return 0;
}

static int
step(struct tl_walk *w, struct tl_point *point)
{
	const size_t from = w->in.at;
	const int rc = tl_point_get(point, &w->state, &w->in);

	if (rc == 0) {
		w->at += w->in.at - from;
		return 0;
	}
	w->in.at = w->in.size; /* the place of the next object is unknown */
	w->lane->holes = true;
	if (report_once(w->trace, &w->lane->blocks[w->block]))
		tl_trace_say(&w->trace->options.report, rc,
		    w->lane->blocks[w->block].at,
		    "an object of thread %" PRId32
		    " is damaged: the rest of its block is lost",
		    w->lane->id);
	return rc;
}

/* Move to the last mark at or before a place of the block, unless the walk is
 * already between the mark and the place. */
static int
go_near(struct tl_walk *w, size_t place)
{
	const struct tl_block_data *data = w->data;
	const int rc = tl_trace_block_mark(w->data, place);
	size_t i;

	if (rc < 0)
		return rc;
	TL_SEARCH(i, 0, data->mark_count, data->marks[i].at <= place);
	if (i == 0 || (w->in.at <= place && w->in.at >= data->marks[i - 1].at))
		return 0;
	w->in.at = data->marks[i - 1].at;
	w->state = data->marks[i - 1].state;
	w->at = w->lane->blocks[w->block].block.logical + w->in.at;
	return 0;
}

int
tl_walk_seek(struct tl_walk *w, uint64_t logical)
{
	const size_t i = tl_trace_lane_find(w->lane, logical);
	struct tl_point point;
	int rc = 0;

	if (i == w->lane->block_count)
		return logical == w->lane->size ? 0 : -EBADMSG;
	if (!w->data || w->block != i || w->data->rc < 0)
		rc = enter(w, i);
	if (rc == 0 && logical > w->lane->blocks[i].block.logical)
		rc = go_near(w,
		    (size_t)(logical - w->lane->blocks[i].block.logical));
	else if (rc == 0)
		rc = enter(w, i);
	while (rc == 0 && w->at < logical && w->in.at < w->in.size)
		rc = step(w, &point);
	if (rc < 0)
		return rc;
	return w->at == logical ? 0 : -EBADMSG;
}

int
tl_walk_next(struct tl_walk *w, struct tl_point *point)
{
	const size_t next = w->data ? w->block + 1 : 0;
	int rc;

	if (w->data && w->in.at < w->in.size) {
		rc = step(w, point);
		if (rc == 0)
			return TL_WALK_POINT;
		if (rc != -EBADMSG)
			return rc;
	}
	if (next >= w->lane->block_count)
		return TL_WALK_END;
	rc = enter(w, next);
	return rc < 0 ? rc : TL_WALK_BLOCK;
}
