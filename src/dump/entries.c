/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.c - show the entries of files.
 *
 *	inputs --cursor--> select --cursor--> listing, JSON or CSV
 *
 * The N newest entries are read newest first; to be shown oldest first these
 * entries are gathered and reversed.  All other entries stream.
 */
#include "base/array.h"
#include "dump/views.h"

#include "dump/listing.h"
#include "event/spans.h"

#include <errno.h>
#include <stdlib.h>

enum {
	/* Spare entries of a lane, because some entries may prove incomplete;
	 * and entries that are searched for the begin events of spans that end
	 * in the newest entries. */
	TAIL_SPARE = 64,
	TAIL_BEGINS = 1024
};

struct batch {
	struct tl_event *events; /* newest first */
	size_t count;
	size_t capacity;
};

/* State of all ways to show entries. */
struct show {
	const struct tl_options *options;
	struct tl_select *select;
	struct tl_cursor *cursor;
	struct tl_sink *sink;
	bool delta; /* a delta is shown: read one more entry than is shown */
};

uint64_t
tl_entries_tail(const struct tl_options *options)
{
	if (!options->max_given || tl_selection_is_any(&options->selection) ||
	    options->max > UINT64_MAX - TAIL_SPARE - TAIL_BEGINS)
		return 0;
	return options->max + TAIL_SPARE + TAIL_BEGINS;
}

/* The number of entries to read.  0: all. */
static uint64_t
wanted(const struct show *show)
{
	if (!show->options->max_given)
		return 0;
	return show->options->max + show->delta;
}

static int
stream(struct show *show)
{
	const uint64_t max = wanted(show);
	struct tl_event event;
	uint64_t entries = 0;
	int rc;

	while ((rc = tl_cursor_next(show->cursor, &event)) > 0) {
		if (show->select->all)
			tl_progress_tick(&show->select->progress);
		rc = show->sink->put(show->sink, &event);
		if (rc < 0)
			return rc;
		if (event.kind != TL_LOST && ++entries == max)
			break;
	}
	return rc;
}

static int
batch_add(struct batch *batch, const struct tl_event *event)
{
	if (TL_ARRAY_ROOM(batch->events, batch->capacity, batch->count) < 0)
		return -ENOMEM;
	batch->events[batch->count++] = *event;
	return 0;
}

static int
gather(struct show *show, struct batch *batch, uint64_t *entries)
{
	const uint64_t max = wanted(show);
	struct tl_event event;
	int rc;

	while (*entries < max &&
	       (rc = tl_cursor_next(show->cursor, &event)) != 0) {
		if (rc < 0 || (rc = batch_add(batch, &event)) < 0)
			return rc;
		*entries += event.kind != TL_LOST;
	}
	return 0;
}

/* Show the newest entries in reverse, so that the oldest is first. */
static int
turn_around(struct show *show)
{
	struct batch batch = { 0 };
	uint64_t entries = 0;
	int rc = gather(show, &batch, &entries);

	if (rc == 0 && show->delta && entries > show->options->max)
		tl_listing_prime(show->sink, &batch.events[--batch.count]);
	while (rc == 0 && batch.count > 0)
		rc = show->sink->put(show->sink, &batch.events[--batch.count]);
	free(batch.events);
	return rc;
}

int
tl_entries_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output)
{
	const enum tl_order order =
	    options->oldest_first ? TL_OLDEST_FIRST : TL_NEWEST_FIRST;
	const bool turn = options->oldest_first && options->max_given &&
			  options->max < tl_sources_entries(inputs);
	const enum tl_order read_order = turn ? TL_NEWEST_FIRST : order;
	struct tl_listing_style style =
	    tl_sinks_style(options, inputs->hosts, order);
	struct show show = { .options = options, .select = select };
	struct tl_origin *sources = NULL;
	struct tl_cursor *inner, *scout;
	int rc = 0;

	if (options->format == TL_FORMAT_TEXT)
		rc = tl_overwritten_find(&style.overwritten, inputs,
		    &select->filter);
	if (rc < 0)
		return rc;
	style.sources = inputs->count;
	show.delta =
	    options->format == TL_FORMAT_TEXT && tl_listing_has_delta(&style);
	style.max = turn ? 0 : options->max;
	rc = tl_sinks_new(&show.sink, options, output, &style);
	if (rc < 0)
		goto free_overwritten;
	rc = tl_sources_origins(inputs, &sources);
	if (rc < 0)
		goto free_sink;
	tl_sinks_set_sources(show.sink, options, sources, inputs->count);
	if (options->max_given && options->max == 0)
		goto finish;
	rc = tl_sources_cursor(inputs, read_order, &inner);
	if (rc < 0)
		goto free_sink;
	/* before select, because the begin events that are not shown count
	 * too */
	rc = tl_spans_cursor(read_order, TL_SPANS_WINDOW, inner, &inner);
	if (rc < 0)
		goto free_sink;
	rc = tl_select_scout(select, inputs, read_order, &scout);
	if (rc < 0) {
		tl_cursor_close(inner);
		goto free_sink;
	}
	rc = tl_select_cursor(select, read_order, inner, scout, &show.cursor);
	if (rc == 0)
		rc = tl_select_held(select, inputs, read_order, &show.cursor);
	if (rc < 0)
		goto free_sink;
	rc = turn ? turn_around(&show) : stream(&show);
	tl_cursor_close(show.cursor);
finish:
	if (rc >= 0)
		rc = show.sink->finish(show.sink);
free_sink:
	tl_sinks_free(show.sink, options);
	free(sources);
free_overwritten:
	tl_overwritten_free(style.overwritten, inputs->count);
	return rc < 0 ? rc : 0;
}
