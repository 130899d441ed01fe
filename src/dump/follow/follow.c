/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - show entries of live timelines as they are logged.
 *
 * Each round reads the new entries of every timeline, sorts the entries of
 * several timelines by time, and shows them.  The first round keeps only the
 * newest of the entries logged before.  A pipe or a server is read in the same
 * way, but all its entries are shown.
 */
#include "dump/views.h"

#include "base/process.h"
#include "dump/follow/sources.h"
#include "dump/listing.h"
#include "event/spans.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	ROUND_MS = 50,
	KEPT_MAX = 1 << 20, /* entries that the first round may keep */
	/* entries that the first round reads for begin events */
	TAIL_BEGINS = 1024,
	ROUND_MAX = 1 << 16 /* entries of one timeline in a later round */
};

struct batch {
	struct tl_event *events;
	size_t count;
	size_t capacity;
};

struct follow {
	const struct tl_options *options;
	struct tl_sources *inputs;
	struct tl_cursor *cursors[TL_SOURCES_MAX]; /* NULL: none */
	bool ended[TL_SOURCES_MAX];
	size_t live;
	size_t tail; /* entries that the first round shows */
	struct tl_select *select;
	struct tl_chooser *chooser;
	struct tl_output *output;
	struct tl_sink *sink;
	struct tl_spans *spans; /* NULL: not a listing */
	struct batch batch;
	struct tl_follow_sources sources;
	struct tl_remote_plan plan; /* the request to servers */
};

/* Which of two events comes first, for qsort. */
static int
compare_events(const void *a, const void *b)
{
	const struct tl_event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? 1 : -1;
	if (x->source != y->source)
		return x->source > y->source ? 1 : -1;
	/* equal times: keep at least the order within a lane */
	return (x->number > y->number) - (x->number < y->number);
}

static int
batch_reserve(struct batch *batch, size_t count)
{
	struct tl_event *grown;

	if (batch->count + count <= batch->capacity)
		return 0;
	grown = realloc(batch->events, (batch->count + count) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	batch->events = grown;
	batch->capacity = batch->count + count;
	return 0;
}

static void
reverse(struct tl_event *events, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		const struct tl_event event = events[i];

		events[i] = events[count - 1 - i];
		events[count - 1 - i] = event;
	}
}

/* Add the newest `keep` events of one timeline to the batch.  1: more events
 * may be waiting; 0; -errno. */
static int
gather_one(struct follow *f, size_t i, size_t keep, size_t read_max)
{
	struct tl_event *kept;
	struct tl_event event;
	struct tl_span span;
	size_t count = 0, read = 0;
	int rc = batch_reserve(&f->batch, keep);

	if (rc < 0)
		return rc;
	kept = f->batch.events + f->batch.count;
	while (read < read_max && !tl_stop_is_asked() &&
	       (rc = tl_cursor_next(f->cursors[i], &event)) > 0) {
		read++;
		if (!tl_source_is_followed(&f->inputs->items[i])) {
			event.source = (uint16_t)i;
			event.sync_us = f->sources.here_us;
			tl_follow_sources_shift(&f->sources, &event);
		}
		if ((rc = tl_spans_complete(f->spans, &event, &span)) < 0)
			return rc;
		rc = tl_chooser_passes(f->chooser, &event);
		if (rc < 0)
			return rc;
		if (rc == 0 || keep == 0)
			continue;
		kept[count++ % keep] = event;
	}
	/* the array is full and has wrapped: rotate the oldest event to the
	 * front */
	if (count > keep) {
		reverse(kept, count % keep);
		reverse(kept + count % keep, keep - count % keep);
		reverse(kept, keep);
		count = keep;
	}
	f->batch.count += count;
	if (rc < 0) {
		struct tl_source *input = &f->inputs->items[i];

		if (rc != -EPIPE)
			return rc;
		if (!tl_source_is_followed(input))
			tl_fail(&input->fault, 0, "removed");
		/* the messages of the timeline are still in use */
		f->ended[i] = true;
		f->live--;
		return 0;
	}
	return read == read_max;
}

/* Read one round over all timelines.  1: more events may be waiting; 0;
 * -errno. */
static int
gather(struct follow *f, bool first)
{
	size_t files = 0;
	int more = 0;

	f->batch.count = 0;
	tl_follow_sources_ask_clock(&f->sources);
	for (size_t i = 0; i < f->inputs->count; i++) {
		const bool cut =
		    first && !tl_source_is_followed(&f->inputs->items[i]);
		const size_t before = f->batch.count;
		int rc;

		if (!f->cursors[i] || f->ended[i])
			continue;
		rc = gather_one(f, i, cut ? f->tail : ROUND_MAX,
		    cut ? SIZE_MAX : ROUND_MAX);
		if (rc < 0)
			return rc;
		more |= rc;
		files += f->batch.count > before;
	}
	/* several files, or offsets: the events may be out of order */
	if (f->batch.count > 1 &&
	    (files > 1 || f->options->selection.hosts.offset_count > 0))
		qsort(f->batch.events, f->batch.count, sizeof(struct tl_event),
		    compare_events);
	tl_follow_sources_mark(&f->sources, f->batch.events, f->batch.count);
	return more;
}

static int
show(struct follow *f, size_t from)
{
	int rc = 0;

	for (size_t i = from; i < f->batch.count && rc == 0; i++)
		rc = f->sink->put(f->sink, &f->batch.events[i]);
	if (rc == 0)
		rc = f->sink->finish(f->sink);
	return rc < 0 ? rc : tl_output_flush(f->output);
}

static int
run(struct follow *f)
{
	struct pollfd reader = { .fd = f->output->fd };
	int rc = gather(f, true);
	const bool cut = f->batch.count > f->tail && !f->sources.has_streams;

	if (rc >= 0)
		rc = show(f, cut ? f->batch.count - f->tail : 0);
	while (rc >= 0 && f->live > 0 && !tl_stop_is_asked()) {
		rc = gather(f, false);
		if (rc < 0)
			break;
		/* Do not wait if more events may be waiting.  Return if the
		 * reader of a pipe is gone. */
		if (poll(&reader, 1, rc > 0 ? 0 : ROUND_MS) > 0)
			return 0;
		rc = show(f, 0);
	}
	return rc;
}

/* The number of newest entries that the first round reads.  A filter needs all
 * entries, because N of them must pass. */
static uint64_t
first_tail(struct follow *f)
{
	const struct tl_options *o = f->options;
	uint64_t tail = o->max_given               ? o->max
			: o->selection.since.given ? KEPT_MAX
						   : TL_FOLLOW_SHOWN;

	if (tail > KEPT_MAX)
		tail = KEPT_MAX;
	f->tail = (size_t)tail;
	if (tail > 0 && tl_selection_is_any(&o->selection))
		return UINT64_MAX;
	return tail + TAIL_BEGINS;
}

static int
open_all(struct follow *f)
{
	const uint64_t tail = first_tail(f);

	for (size_t i = 0; i < f->inputs->count; i++) {
		struct tl_source *input = &f->inputs->items[i];

		if (input->fault.rc < 0)
			continue;
		if ((tl_source_is_followed(input)
			    ? tl_follow_stream_open(&f->cursors[i], input,
				  &f->plan, &f->sources)
			    : tl_follow_open(&f->cursors[i], input->name, tail,
				  &input->fault)) < 0)
			f->cursors[i] = NULL;
		else
			f->live++;
	}
	return f->live == 0 ? -ENOENT : 0;
}

/* Close the cursors, which stores the faults of streams in the inputs.  true: a
 * stream is damaged. */
static bool
close_all(struct follow *f)
{
	bool faulty = false;

	for (size_t i = 0; i < f->inputs->count; i++) {
		tl_cursor_close(f->cursors[i]);
		faulty |= tl_source_is_followed(&f->inputs->items[i]) &&
			  tl_source_is_damaged(&f->inputs->items[i]);
	}
	return faulty;
}

static const char *
host_of(const void *context, unsigned source)
{
	const struct tl_follow_sources *sources = context;

	return source < sources->count ? sources->hosts.list[source].name
				       : NULL;
}

static int
follow_all(struct follow *f)
{
	const struct tl_listing_style style =
	    tl_sinks_style(f->options, &f->sources.hosts, TL_OLDEST_FIRST);
	int rc = tl_sinks_new(&f->sink, f->options, f->output, &style);

	if (rc < 0)
		return rc;
	tl_sinks_set_sources(f->sink, f->options, f->sources.origins,
	    TL_FOLLOW_SOURCES_MAX);
	if (f->sources.has_streams)
		tl_sinks_expect_hosts(f->sink, f->options);
	if (f->select->expression)
		tl_script_filter_set_hosts(f->select->expression, host_of,
		    &f->sources);
	rc = tl_spans_new(&f->spans);
	if (rc == 0)
		rc = tl_chooser_new(&f->chooser, f->select, TL_OLDEST_FIRST,
		    NULL);
	if (rc == 0)
		rc = open_all(f);
	if (rc == 0)
		rc = run(f);
	tl_spans_free(f->spans);
	tl_chooser_free(f->chooser);
	tl_sinks_free(f->sink, f->options);
	return close_all(f) && rc == 0 ? -ENOENT : rc;
}

int
tl_follow_show(struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output)
{
	struct follow f = { .options = options,
		.inputs = inputs,
		.select = select,
		.output = output,
		.plan = tl_selection_remote(&options->selection, true) };
	int rc = tl_follow_sources_init(&f.sources, inputs,
	    &options->selection.hosts);

	tl_signals_ask_to_stop(false);
	if (rc == 0)
		rc = follow_all(&f);
	tl_follow_sources_free(&f.sources);
	free(f.batch.events);
	return rc;
}
