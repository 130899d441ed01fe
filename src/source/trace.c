/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - recorded traces as sources: one trace, one timeline out of a stream
 * of traces, and a stream that is followed.
 *
 *	file --+-- one trace --------------> trace, with its index
 *	       +-- more than one ----------> chains, each is a source
 *	pipe --+--> copied into a file first
 *	server ---> timeline-ship --> copied --> chains
 */
#include "source/kinds.h"

#include "base/file.h"
#include "clock/clock.h"
#include "event/observe.h"
#include "trace/chain/chain.h"
#include "trace/layout.h"
#include "trace/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kind of the clock, from the first knot: a clock whose stamps are Unix
 * time in nanoseconds, or otherwise a counter. */
static unsigned
clock_kind(const struct tl_source *source)
{
	const struct timeline_knot *knot;

	if (tl_source_knot_count(source) == 0)
		return TIMELINE_CLOCK_TSC;
	knot = tl_source_knot(source, 0);
	return knot->mult == TL_MULT_ONE && knot->tsc == (uint64_t)knot->utc_ns
		   ? TIMELINE_CLOCK_REALTIME
		   : TIMELINE_CLOCK_TSC;
}

/* == one trace == */

struct opened_trace {
	struct tl_trace *trace;
	struct tl_faults faults;
	struct tl_source_report report; /* report of the plan */
	const char *name;
	const struct tl_message **messages;
	size_t message_count;
};

static struct tl_trace *
trace_of(const struct tl_source *source)
{
	const struct opened_trace *opened = source->state;

	return opened->trace;
}

static void
free_opened(struct opened_trace *opened)
{
	tl_trace_close(opened->trace);
	free(opened->messages);
	free(opened);
}

static void
trace_close(struct tl_source *source)
{
	free_opened(source->state);
}

static int
trace_cursor(const struct tl_source *source, enum tl_order order,
    struct tl_cursor **cursor)
{
	const struct opened_trace *opened = source->state;
	const int rc = tl_trace_cursor(opened->trace, order, cursor);
	struct tl_observed_start start;

	if (rc < 0)
		return rc;
	tl_trace_observed(opened->trace, order, &start);
	return tl_observe_recording(&start, opened->messages,
	    opened->message_count, cursor);
}

static int
trace_observed(const struct tl_source *source, struct tl_observed_start *start)
{
	tl_trace_observed(trace_of(source), TL_OLDEST_FIRST, start);
	return 0;
}

static uint64_t
trace_entries(const struct tl_source *source)
{
	const struct tl_trace *trace = trace_of(source);
	uint64_t entries = 0;

	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		entries += tl_trace_thread(trace, i)->events;
	return entries;
}

static size_t
trace_messages(const struct tl_source *source,
    const struct tl_message *const **list)
{
	const struct opened_trace *opened = source->state;

	*list = opened->messages;
	return opened->message_count;
}

static size_t
trace_faults(const struct tl_source *source, const struct tl_fault **list)
{
	const struct opened_trace *opened = source->state;

	*list = opened->faults.list;
	return opened->faults.count;
}

static bool
trace_is_damaged(const struct tl_source *source)
{
	return tl_trace_damage(trace_of(source)) > 0;
}

static size_t
trace_knots(const struct tl_source *source, const struct timeline_knot **list)
{
	const size_t count = tl_trace_knot_count(trace_of(source));

	if (count > 0)
		*list = tl_trace_knot(trace_of(source), 0);
	return count;
}

static void
trace_origin(const struct tl_source *source, struct tl_origin *origin)
{
	const struct tl_trace *trace = trace_of(source);
	const struct tl_bytes timeline = tl_trace_info(trace, "timeline");

	tl_origin_name(origin->machine, tl_trace_info(trace, "host"));
	tl_origin_name(origin->command, tl_trace_info(trace, "command"));
	tl_origin_boot(origin->boot_id, tl_trace_info(trace, "boot"));
	if (timeline.size > 0)
		tl_origin_name(origin->timeline, timeline);
}

static struct tl_trees *
trace_trees(const struct tl_source *source)
{
	return tl_trace_trees(trace_of(source));
}

static const struct tl_source_ops trace_ops = { .close = trace_close,
	.cursor = trace_cursor,
	.entries = trace_entries,
	.messages = trace_messages,
	.faults = trace_faults,
	.knots = trace_knots,
	.is_damaged = trace_is_damaged,
	.clock_kind = clock_kind,
	.observed = trace_observed,
	.origin = trace_origin,
	.trace = trace_of,
	.trees = trace_trees };

static void
report_trace(void *context, const struct tl_fault *fault)
{
	struct opened_trace *opened = context;

	*tl_faults_next(&opened->faults) = *fault;
	if (opened->report.tell)
		opened->report.tell(opened->report.context, opened->name,
		    fault);
}

/* == one timeline of a stream == */

struct opened_chain {
	struct tl_chain *chain;
	struct tl_chains *others; /* NULL: no chain is left */
	size_t taken;
};

static struct tl_chain *
chain_of(const struct tl_source *source)
{
	const struct opened_chain *stream = source->state;

	return stream->chain;
}

static void
chain_close(struct tl_source *source)
{
	struct opened_chain *stream = source->state;

	tl_chain_free(stream->chain);
	tl_chains_free(stream->others);
	free(stream);
}

static int
chain_cursor(const struct tl_source *source, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct tl_chain *chain = chain_of(source);
	struct tl_observed_start start;
	int rc = tl_chain_observed(chain, order, &start);

	if (rc < 0 || (rc = tl_chain_cursor(chain, order, cursor)) < 0)
		return rc;
	return tl_observe_recording(&start, chain->messages.list,
	    chain->messages.count, cursor);
}

static int
chain_observed(const struct tl_source *source, struct tl_observed_start *start)
{
	return tl_chain_observed(chain_of(source), TL_OLDEST_FIRST, start);
}

static int
chain_newest(const struct tl_source *source, int64_t *ns)
{
	return tl_chain_newest(chain_of(source), ns);
}

static uint64_t
chain_entries(const struct tl_source *source)
{
	return chain_of(source)->events;
}

static size_t
chain_messages(const struct tl_source *source,
    const struct tl_message *const **list)
{
	*list = chain_of(source)->messages.list;
	return chain_of(source)->messages.count;
}

static size_t
chain_faults(const struct tl_source *source, const struct tl_fault **list)
{
	const struct tl_faults *faults = chain_of(source)->faults;

	if (!faults)
		return 0;
	*list = faults->list;
	return faults->count;
}

static bool
chain_is_damaged(const struct tl_source *source)
{
	return chain_of(source)->damaged;
}

static size_t
chain_knots(const struct tl_source *source, const struct timeline_knot **list)
{
	*list = chain_of(source)->knots;
	return chain_of(source)->knot_count;
}

static void
chain_origin(const struct tl_source *source, struct tl_origin *origin)
{
	*origin = chain_of(source)->origin;
}

static size_t
chain_others(const struct tl_source *source)
{
	const struct opened_chain *stream = source->state;

	return stream->others ? stream->others->count - stream->taken : 0;
}

static int chain_take_other(struct tl_source *source, struct tl_source *other);

static const struct tl_source_ops chain_ops = { .close = chain_close,
	.cursor = chain_cursor,
	.newest = chain_newest,
	.entries = chain_entries,
	.messages = chain_messages,
	.faults = chain_faults,
	.knots = chain_knots,
	.is_damaged = chain_is_damaged,
	.clock_kind = clock_kind,
	.observed = chain_observed,
	.is_steady = tl_source_has_steady_knots,
	.origin = chain_origin,
	.others = chain_others,
	.take_other = chain_take_other };

/* Make the next chain of a stream a source, named "FILE: CHAIN". */
static int
set_chain(struct tl_source *source, const char *file, struct opened_chain *from)
{
	struct opened_chain *stream = calloc(1, sizeof(*stream));
	struct tl_text name = { 0 };

	*source = (struct tl_source){ .name = file, .file = file };
	if (!stream)
		return tl_source_fail(source, -ENOMEM);
	stream->chain = tl_chains_take(from->others, from->taken++);
	source->ops = &chain_ops;
	source->state = stream;
	source->format = "trace";
	tl_put_string(&name, file);
	tl_put_string(&name, ": ");
	tl_put_string(&name, stream->chain->name);
	if (name.rc == 0)
		source->own_name = strdup(tl_text_string(&name));
	tl_text_free(&name);
	if (!source->own_name) {
		tl_source_close(source);
		return tl_source_fail(source, -ENOMEM);
	}
	source->name = source->own_name;
	return 0;
}

static int
chain_take_other(struct tl_source *source, struct tl_source *other)
{
	struct opened_chain *stream = source->state;
	int rc = 0;

	if (other)
		rc = set_chain(other, source->file, stream);
	else
		tl_chain_say(stream->chain, -ENOSPC, TL_FAULT_NOWHERE,
		    "more than %d sources: %zu of it are left out", UINT16_MAX,
		    chain_others(source));
	if (!other || rc < 0 || chain_others(source) == 0) {
		tl_chains_free(stream->others);
		stream->others = NULL;
	}
	return rc;
}

/* Open the first timeline of a file; the others are taken later. */
static int
read_stream(struct tl_source *source, int fd)
{
	struct opened_chain all = { 0 }, *stream;
	int rc = tl_chains_open(&all.others, fd, &source->fault);

	if (rc < 0)
		return rc;
	rc = set_chain(source, source->file, &all);
	if (rc < 0) {
		tl_chains_free(all.others);
		return rc;
	}
	stream = source->state;
	stream->others = all.others;
	stream->taken = all.taken;
	return 0;
}

/* == a file == */

/* Open one trace, from its file with the index beside it, or from storage.  The
 * function owns storage and index, even on failure. */
static int
open_one(struct tl_source *source, const struct tl_opening *o, const char *path,
    struct tl_storage *storage, struct tl_storage *index)
{
	struct opened_trace *opened = calloc(1, sizeof(*opened));
	const struct tl_trace_read_options options = {
		.codecs = &tl_trace_zstd,
		.codec_count = 1,
		.report = { report_trace, opened },
		.memory_max = o->plan->memory_max,
		.readonly = o->plan->readonly,
	};
	int rc;

	if (!opened) {
		tl_storage_close(storage);
		tl_storage_close(index);
		return tl_source_fail(source, -ENOMEM);
	}
	opened->report = o->plan->report;
	opened->name = source->name;
	if (path)
		rc = tl_trace_open(&opened->trace, path, &options,
		    &source->fault);
	else
		rc = tl_trace_open_storage(&opened->trace, storage, index,
		    &options, &source->fault);
	if (rc < 0) {
		opened->trace = NULL;
		free_opened(opened);
		return rc;
	}
	source->ops = &trace_ops;
	source->state = opened;
	source->format = o->format->name;
	rc = tl_trace_messages(opened->trace, &opened->messages,
	    &opened->message_count);
	return rc < 0 ? tl_source_fail(source, rc) : 0;
}

int
tl_source_open_trace_storage(struct tl_source *source,
    const struct tl_opening *o, struct tl_storage *storage,
    struct tl_storage *index)
{
	return open_one(source, o, NULL, storage, index);
}

static int
read_trace(struct tl_source *source, const struct tl_opening *o)
{
	struct tl_storage *storage;
	int rc;

	if (o->has_place)
		return open_one(source, o, source->name, NULL, NULL);
	rc = tl_source_storage(o, &storage);
	return rc < 0 ? tl_source_fail(source, rc)
		      : open_one(source, o, NULL, storage, NULL);
}

static int
read_any(struct tl_source *source, const struct tl_opening *o)
{
	int rc = 0;

	if (o->fd >= 0)
		rc = tl_blocks_is_stream(o->fd,
		    o->has_place ? source->name : NULL);
	if (rc < 0)
		return tl_source_fail(source, rc);
	return rc > 0 ? read_stream(source, o->fd) : read_trace(source, o);
}

int
tl_source_open_trace(struct tl_source *source, struct tl_opening *o)
{
	if (o->plan->live)
		return tl_fail(&source->fault, -EINVAL,
		    "only a live timeline can be followed");
	if (o->plan->follow)
		return tl_fail(&source->fault, -EINVAL,
		    "a recorded trace is not followed");
	return tl_source_open_copied(source, o, read_any);
}

/* == a stream from a server == */

int
tl_source_open_remote(struct tl_source *source,
    const struct tl_source_plan *plan)
{
	static const struct tl_remote_plan all = { .since_ns = INT64_MIN,
		.until_ns = INT64_MAX };
	struct tl_opening o = { .plan = plan };
	struct tl_fault why = { 0 };
	struct tl_remote remote;
	struct stat st;
	int fd, rc;

	rc = tl_remote_open(&remote, source->name,
	    plan->remote ? plan->remote : &all, &source->fault);
	if (rc < 0)
		return rc;
	o.fd = remote.fd;
	fd = tl_source_copy(&o);
	tl_remote_close(&remote, fd < 0, &why);
	if (fd < 0)
		return tl_source_fail(source, fd);
	/* Show the events that arrived, even if others are missing. */
	if (fstat(fd, &st) < 0) {
		rc = tl_source_fail(source, -errno);
	} else if (st.st_size == 0) {
		if (why.rc < 0)
			source->fault = why;
		else
			tl_fail(&source->fault, -ENODATA,
			    "there is nothing that was asked for");
		rc = source->fault.rc;
	} else {
		rc = read_stream(source, fd);
		if (rc == 0 && why.rc < 0)
			tl_chain_say(chain_of(source), why.rc, TL_FAULT_NOWHERE,
			    "%s", why.text);
	}
	close(fd);
	return rc;
}

/* == a stream that is followed == */

static void
followed_close(struct tl_source *source)
{
	free(source->state);
}

/* A stream whose reader has found no fault has that of its end. */
static size_t
followed_faults(const struct tl_source *source, const struct tl_fault **list)
{
	const struct tl_faults *faults = source->state;

	if (faults->count == 0)
		return 1;
	*list = faults->list;
	return faults->count;
}

static bool
followed_is_damaged(const struct tl_source *source)
{
	for (size_t i = 0; i < tl_source_faults_kept(source); i++)
		if (tl_source_fault(source, i)->rc < 0)
			return true;
	return false;
}

static const struct tl_source_ops followed_ops = { .close = followed_close,
	.faults = followed_faults,
	.is_damaged = followed_is_damaged };

int
tl_source_open_followed(struct tl_source *source)
{
	source->state = calloc(1, sizeof(struct tl_faults));
	if (!source->state)
		return tl_source_fail(source, -ENOMEM);
	source->ops = &followed_ops;
	source->format = "trace";
	return 0;
}

bool
tl_source_is_followed(const struct tl_source *source)
{
	return source->ops == &followed_ops;
}

void
tl_source_add_fault(struct tl_source *source, const struct tl_fault *fault)
{
	*tl_faults_next(source->state) = *fault;
}
