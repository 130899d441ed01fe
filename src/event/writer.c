/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.c - the frame of every writer: the texts before the first event and
 * after the last are written once, and text is passed on in large pieces.
 */
#include "event/writer.h"

#include "event/hosts/hosts.h"
#include "event/spans.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* The states of a writer (writer->begun). */
enum { NOT_BEGUN, BEGUN, ENDED };

static struct tl_writer *
writer_of(struct tl_sink *sink)
{
	return (struct tl_writer *)(void *)sink;
}

static int
begin(struct tl_writer *writer)
{
	int rc = 0;

	if (writer->begun != NOT_BEGUN)
		return 0;
	writer->begun = BEGUN;
	if (writer->kind->pairs)
		rc = tl_spans_new(&writer->spans);
	if (rc == 0 && writer->kind->is_of_one_machine)
		rc = tl_host_pids_new(&writer->pids, writer);
	return rc == 0 && writer->kind->begin ? writer->kind->begin(writer)
					      : rc;
}

/* Put an event and its span. */
static int
put(struct tl_writer *writer, const struct tl_event *event)
{
	struct tl_span span;
	int rc = 0;

	if (writer->spans && event->kind == TL_BEGIN &&
	    writer->kind->put_lonely &&
	    tl_spans_forgets(writer->spans, &span)) {
		span.cut = true; /* its end will be alone */
		rc = writer->kind->put_lonely(writer, &span);
	}
	if (rc == 0 && writer->spans)
		rc = tl_spans_put(writer->spans, event, &span);
	if (rc < 0)
		return rc;
	writer->span = rc > 0 ? &span : NULL;
	rc = writer->kind->put(writer, event);
	writer->span = NULL;
	return rc;
}

static int
writer_put(struct tl_sink *sink, const struct tl_event *event)
{
	struct tl_writer *writer = writer_of(sink);
	struct tl_event own;
	int rc = begin(writer);

	if (rc < 0)
		return rc;
	assert(writer->begun == BEGUN); /* nothing follows the end */
	if (writer->pids && event->message) {
		/* the id that its process has among those of all hosts */
		own = *event;
		rc = tl_host_pids_put(writer->pids, &own);
		event = &own;
	}
	if (rc >= 0)
		rc = put(writer, event);
	return rc < 0 ? rc : tl_out_flush_full(&writer->out);
}

/* Put the begins that have no end. */
static int
put_open(struct tl_writer *writer)
{
	struct tl_span span;
	uint32_t index = 0;
	int rc = 0;

	if (!writer->spans || !writer->kind->put_lonely)
		return 0;
	while (rc == 0 && tl_spans_open(writer->spans, &index, &span)) {
		rc = writer->kind->put_lonely(writer, &span);
		if (rc == 0)
			rc = tl_out_flush_full(&writer->out);
	}
	return rc;
}

/* A format without a text after the last event may take further events after
 * finish. */
static int
writer_finish(struct tl_sink *sink)
{
	struct tl_writer *writer = writer_of(sink);
	int rc = begin(writer);

	if (rc == 0 && writer->kind->end && writer->begun == BEGUN) {
		writer->begun = ENDED;
		rc = put_open(writer);
		if (rc == 0)
			rc = writer->kind->end(writer);
	}
	if (writer->kind->notes)
		tl_notes_report(&writer->notes, writer->report);
	return rc < 0 ? rc : tl_out_flush(&writer->out);
}

int
tl_writer_make(struct tl_writer **writer, size_t size,
    const struct tl_writer_kind *kind, tl_write *write, void *context,
    const struct tl_report *report)
{
	struct tl_writer *w;

	assert(size >= sizeof(*w));
	w = calloc(1, size);
	if (!w)
		return -ENOMEM;
	w->sink = (struct tl_sink){ writer_put, writer_finish };
	w->out.write = write;
	w->out.context = context;
	w->kind = kind;
	w->report = report;
	w->notes.kinds = kind->notes;
	*writer = w;
	return 0;
}

struct tl_writer_facts *
tl_writer_facts(struct tl_writer *writer)
{
	assert(writer->begun == NOT_BEGUN);
	return &writer->facts;
}

const struct tl_origin *
tl_writer_source(const struct tl_writer *writer, const struct tl_event *event)
{
	return event->source < writer->facts.source_count
		   ? &writer->facts.sources[event->source]
		   : &writer->facts.origin;
}

int
tl_writer_name(struct tl_writer *writer, const struct tl_event *event)
{
	struct tl_event own = *event;

	own.pid = tl_host_pids_get(writer->pids, event->pid).pid;
	return tl_names_gather(&writer->names, &own, event->pid);
}

void
tl_writer_free(struct tl_writer *writer)
{
	if (!writer)
		return;
	if (writer->kind->free)
		writer->kind->free(writer);
	tl_spans_free(writer->spans);
	tl_host_pids_free(writer->pids);
	tl_names_free(&writer->names);
	tl_text_free(&writer->out.text);
	free(writer);
}
