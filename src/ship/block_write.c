/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_write.c - write blocks that hold less than they did, or no entries
 */
#include "ship/block.h"

#include "base/array.h"
#include "trace/layout.h"
#include "trace/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANGE_MAX = 2 * TL_UNSIGNED_MAX + 2 };

static int
append(void *context, const void *data, size_t size)
{
	struct tl_text *text = context;

	tl_put_bytes(text, tl_bytes(data, size));
	return text->rc;
}

/* Write the INFOs, without those that are empty. */
static int
write_infos(struct tl_trace_writer *writer, const struct tl_block_facts *facts)
{
	const struct tl_block *b = &facts->block;
	char number[TL_UNSIGNED_MAX + 1], sent[TL_UNSIGNED_MAX + 1] = "";
	char range[RANGE_MAX] = "";
	struct tl_text thinned = { 0 };
	int rc;

	snprintf(number, sizeof(number), "%lu", b->number);
	if (facts->sent > 0)
		snprintf(sent, sizeof(sent), "%lu", facts->sent);
	if (facts->dropped)
		snprintf(range, sizeof(range), "%lu-%lu", b->number,
		    facts->last);
	for (unsigned i = 0; i < TIMELINE_LEVEL_NONE; i++)
		if (facts->thinned[i] > 0)
			tl_put_format(&thinned, "%s%u:%lu",
			    thinned.size > 0 ? " " : "", i, facts->thinned[i]);
	rc = thinned.rc;

	const struct {
		const char *name;
		struct tl_bytes value;
	} infos[] = {
		{ "host", tl_bytes_of(b->host) },
		{ "command", tl_bytes_of("timeline-ship") },
		{ "boot", tl_bytes_of(facts->boot) },
		{ "timeline", tl_bytes_of(b->timeline) },
		{ TL_INFO_CHAIN, tl_bytes_of(b->chain) },
		{ TL_INFO_BLOCK, tl_bytes_of(number) },
		{ TL_INFO_SENT, tl_bytes_of(sent) },
		{ TL_INFO_DROPPED, tl_bytes_of(range) },
		{ TL_INFO_THINNED, tl_bytes(thinned.data, thinned.size) },
		{ TL_INFO_IDENTITY, tl_bytes_of(facts->identity) },
		{ TL_INFO_BEGINS,
		    tl_bytes(facts->begins.data, facts->begins.size) },
		{ TL_INFO_POSITIONS,
		    tl_bytes(facts->positions.data, facts->positions.size) },
	};

	for (size_t i = 0; rc == 0 && i < TL_COUNT(infos); i++)
		if (infos[i].value.size > 0)
			rc = tl_trace_write_info(writer,
			    tl_bytes_of(infos[i].name), infos[i].value);
	tl_text_free(&thinned);
	return rc;
}

int
tl_block_make(struct tl_text *text, const struct tl_block_facts *facts)
{
	const struct tl_trace_options options = { .data = append,
		.context = text,
		.created_ns = facts->block.from_ns };
	const struct tl_event loss = { .kind = TL_LOST,
		.lost = facts->block.lost,
		.cpu = TL_CPU_UNKNOWN,
		.ns = facts->block.from_ns };
	struct tl_trace_stream *stream;
	struct tl_trace_writer *writer;
	int rc = tl_trace_writer_new(&writer, &options);

	if (rc < 0)
		return rc;
	rc = write_infos(writer, facts);
	if (rc == 0 && facts->dropped && facts->block.lost > 0) {
		/* It belongs to no thread, as in a recording. */
		rc = tl_trace_stream_new(&stream, writer, 0, 0,
		    tl_bytes_of(facts->block.timeline));
		if (rc == 0)
			rc = tl_trace_stream_put(stream, &loss);
	}
	if (rc == 0)
		rc = tl_trace_writer_finish(writer);
	tl_trace_writer_free(writer);
	return rc;
}

/* == thinning: remove entries below warning == */

struct thread {
	uint32_t pid;
	uint32_t tid;
	struct tl_trace_stream *stream;
};

struct thinning {
	struct tl_trace *trace;
	struct tl_trace_writer *writer;
	struct tl_block_facts *facts;
	struct thread *threads;
	size_t thread_count;
	size_t last; /* thread of the last event */
	struct tl_event loss;
	bool reported; /* the loss was put */
};

static bool
is_detail(const struct tl_event *event)
{
	return event->kind != TL_LOST && event->level < TIMELINE_LEVEL_KEEP;
}

/* Count what stays and what is removed. */
static int
count(struct thinning *t)
{
	struct tl_block *b = &t->facts->block;
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_trace_cursor(t->trace, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		if (!is_detail(&event) || event.continued)
			continue;
		if (t->loss.lost++ == 0)
			t->loss.ns = event.ns;
		t->facts->thinned[tl_block_level(&event)]++;
	}
	tl_cursor_close(cursor);
	if (rc == 0 && t->loss.lost == 0)
		return -EALREADY;
	b->entries -= t->loss.lost;
	b->lost += t->loss.lost;
	return rc;
}

static bool
is_known(const struct thinning *t, uint32_t pid)
{
	for (size_t i = 0; i < t->thread_count; i++) {
		if (t->threads[i].pid == pid)
			return true;
	}
	return false;
}

/* Copy its threads, each with the command of its process. */
static int
add_threads(struct thinning *t)
{
	const size_t count = tl_trace_thread_count(t->trace);
	int rc = 0;

	t->threads = calloc(count + 1, sizeof(*t->threads));
	if (!t->threads)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct tl_trace_thread *from =
		    tl_trace_thread(t->trace, i);
		struct thread *to = &t->threads[t->thread_count];

		to->pid = from->pid;
		to->tid = from->tid;
		if (from->command.size > 0 && !is_known(t, from->pid))
			rc = tl_trace_write_process(t->writer, from->pid,
			    from->command);
		if (rc == 0)
			rc = tl_trace_stream_new(&to->stream, t->writer,
			    from->pid, from->tid, from->name);
		t->thread_count++;
	}
	return rc;
}

static struct thread *
find_thread(struct thinning *t, const struct tl_event *event)
{
	for (size_t i = 0; i < t->thread_count; i++) {
		const size_t at = (t->last + i) % t->thread_count;

		if (t->threads[at].pid == event->pid &&
		    t->threads[at].tid == event->tid) {
			t->last = at;
			return &t->threads[at];
		}
	}
	return NULL;
}

static int
put(struct thinning *t, const struct tl_event *event)
{
	struct thread *thread = find_thread(t, event);

	if (thread)
		return tl_trace_stream_put(thread->stream, event);
	/* the loss needs a stream in a block that had no loss */
	if (event != &t->loss)
		return -EBADMSG;
	thread = &t->threads[t->thread_count];
	*thread = (struct thread){ 0 };
	t->thread_count++;
	return tl_trace_stream_new(&thread->stream, t->writer, 0, 0,
		   tl_bytes_of(t->facts->block.timeline)) < 0
		   ? -ENOMEM
		   : tl_trace_stream_put(thread->stream, event);
}

static int
put_all(struct thinning *t)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_trace_cursor(t->trace, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		if (!t->reported && event.ns >= t->loss.ns &&
		    !event.continued) {
			t->reported = true;
			if ((rc = put(t, &t->loss)) < 0)
				break;
		}
		if (!is_detail(&event) && (rc = put(t, &event)) < 0)
			break;
	}
	tl_cursor_close(cursor);
	return rc < 0 ? rc : 0;
}

int
tl_block_thin(struct tl_text *text, struct tl_block_facts *facts,
    struct tl_bytes data)
{
	static const char *const observed[] = { TL_TRACE_OBSERVED,
		TL_TRACE_ENDS };
	struct tl_trace_options options = { .data = append,
		.context = text,
		.codec = &tl_trace_zstd };
	struct thinning t = { .facts = facts,
		.loss = { .kind = TL_LOST, .cpu = TL_CPU_UNKNOWN } };
	struct tl_fault fault = { 0 };
	int rc = tl_block_open(&t.trace, data, &fault);

	if (rc < 0)
		return rc;
	options.created_ns = tl_trace_header(t.trace)->created_ns;
	rc = tl_block_describe(facts, data, &fault);
	if (rc == 0)
		rc = count(&t);
	if (rc == 0)
		rc = tl_trace_writer_new(&t.writer, &options);
	if (rc == 0)
		rc = write_infos(t.writer, facts);
	for (size_t i = 0; rc == 0 && i < TL_COUNT(observed); i++)
		rc = tl_trace_write_info(t.writer, tl_bytes_of(observed[i]),
		    tl_trace_info(t.trace, observed[i]));
	for (size_t i = 0; rc == 0 && i < tl_trace_knot_count(t.trace); i++)
		rc = tl_trace_write_knot(t.writer, tl_trace_knot(t.trace, i));
	if (rc == 0)
		rc = add_threads(&t);
	if (rc == 0)
		rc = put_all(&t);
	if (rc == 0)
		rc = tl_trace_writer_finish(t.writer);
	/* freed before the trace: it refers to messages of the trace */
	tl_trace_writer_free(t.writer);
	free(t.threads);
	tl_trace_close(t.trace);
	return rc;
}
