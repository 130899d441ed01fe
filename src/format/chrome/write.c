/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - choose the form of an event, and the time of writing.
 *
 * A span is written at its end.  An end without a begin is written when it
 * comes, a begin without an end last of all: as the begin of an open span, or
 * as an instant if the span is not known to be open.  The begin and the end of
 * an unsure span are instants, too.
 */
#include "format/chrome/chrome.h"

#include "base/ns.h"
#include "event/reader.h"
#include "event/spans.h"
#include "format/chrome/line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>

static const struct tl_note_kind notes[TL_NOTES_MAX] = {
	[TL_CHROME_STAMPS] = { -ENOTSUP,
	    "CPU, raw stamp and error of an event have no place in the "
	    "format" },
	[TL_CHROME_COUNTER] = { -ENOTSUP,
	    "a counter has one value: its other arguments are left out" },
	[TL_CHROME_TEXT] = { -ENOTSUP,
	    "the format has no counters of text: the string's number is "
	    "written" },
	[TL_CHROME_DOUBLES] = { -ENOTSUP,
	    "JSON has no NaN and no infinite numbers: null is written" },
	[TL_CHROME_SOURCES] = { -ENOSPC,
	    "too many sources: spans of one lie among those of its thread" },
	[TL_CHROME_LANES] = { -ENOSPC,
	    "a span crosses spans in 1024 lanes: its thread does not nest" },
};

struct chrome {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_chrome_lines lines;
	int64_t last_ns;
	bool started; /* base_ns is known */
};

/* Write the head of the file; the time of the first event gives the base. */
static void
start(struct chrome *w, int64_t ns)
{
	struct tl_text *text = &w->writer.out.text;
	int64_t rest = ns % TL_NS_PER_S;

	if (rest < 0)
		rest += TL_NS_PER_S;
	w->lines.base_ns = ns < INT64_MIN + rest ? INT64_MIN : ns - rest;
	w->last_ns = ns;
	w->started = true;
	tl_put_string(text,
	    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"base_ns\":\"");
	tl_put_signed(text, w->lines.base_ns);
	if (w->writer.facts.origin.machine[0] != '\0') {
		tl_put_string(text, "\",\"machine\":\"");
		tl_put_json(text, tl_bytes_of(w->writer.facts.origin.machine));
	}
	tl_put_string(text, "\"},\"traceEvents\":[");
}

/* Set *begin to the begin of a span, in its track. */
static int
make_begin(struct chrome *w, const struct tl_span *span, struct tl_event *begin)
{
	*begin = tl_span_begin(span);
	return span->message->scope == TIMELINE_SOURCE
		   ? tl_chrome_names_put(&w->lines.names, begin)
		   : 0;
}

/* Write a span, in a lane where it nests; end is NULL if the span is open. */
static int
put_span(struct chrome *w, const struct tl_event *begin,
    const struct tl_event *end, int64_t duration_ns)
{
	struct tl_chrome_line line = { .event = begin,
		.end = end,
		.duration_ns = duration_ns };
	int64_t to_ns;
	int rc;

	if (!end || __builtin_add_overflow(begin->ns, duration_ns, &to_ns))
		to_ns = INT64_MAX;
	rc = tl_chrome_lane(&w->lines.names, begin, to_ns, &line.row);
	return rc < 0 ? rc : tl_chrome_line_put(&w->lines, &line);
}

static int
put_alone(struct chrome *w, const struct tl_event *event)
{
	return tl_chrome_line_put(&w->lines,
	    &(struct tl_chrome_line){ .event = event, .is_alone = true });
}

/*
 * Write the span of an end.  Begin and end are written apart if the span is not
 * sure, runs backwards, or ends on another thread, as a span of a source may.
 */
static int
put_end(struct chrome *w, struct tl_event *end)
{
	const struct tl_span *span = w->writer.span;
	struct tl_event begin;
	bool runs_back;
	int rc;

	if (!span)
		return put_alone(w, end);
	if ((rc = make_begin(w, span, &begin)) < 0)
		return rc;
	if (span->handed)
		end->tid = span->tid;
	runs_back = end->ns < begin.ns && span->duration_ns == 0;
	if (tl_span_is_sure(span) && !runs_back && end->pid == begin.pid &&
	    end->tid == begin.tid)
		return put_span(w, &begin, end, span->duration_ns);
	rc = put_alone(w, &begin);
	return rc < 0 ? rc : put_alone(w, end);
}

/* Note the values that the format has not. */
static void
note_values(struct chrome *w, const struct tl_event *event)
{
	const struct tl_message *message = event->message;
	const bool is_counter = event->kind == TL_COUNTER;
	struct tl_notes *n = &w->writer.notes;
	unsigned argc = event->bare ? 0 : message->argc;

	if (is_counter && argc > 1) {
		tl_note(n, TL_CHROME_COUNTER, TL_FAULT_NOWHERE);
		argc = 1;
	}
	for (unsigned i = 0; i < argc; i++) {
		if (message->args[i].format == TIMELINE_ARG_DOUBLE &&
		    !isfinite(tl_double_of(event->args[i])))
			tl_note(n, TL_CHROME_DOUBLES, TL_FAULT_NOWHERE);
		if (tl_arg_is_text(&message->args[i]) && is_counter)
			tl_note(n, TL_CHROME_TEXT, TL_FAULT_NOWHERE);
	}
}

static int
chrome_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct chrome *w = (void *)writer;
	struct tl_event turned = *event;
	int rc;

	if (!w->started)
		start(w, event->ns);
	if (!event->message) {
		tl_chrome_line_put_lost(&w->lines, w->last_ns, event);
		return 0;
	}
	if ((rc = tl_chrome_names_put(&w->lines.names, &turned)) < 0)
		return rc;
	w->last_ns = event->ns;
	tl_note(&w->writer.notes, TL_CHROME_STAMPS, TL_FAULT_NOWHERE);
	note_values(w, event);
	switch (event->kind) {
	case TL_BEGIN: /* written with its end */
		return 0;
	case TL_END:
		return put_end(w, &turned);
	default:
		return tl_chrome_line_put(&w->lines,
		    &(struct tl_chrome_line){ .event = &turned });
	}
}

/* Write a begin without an end; only a sure span is known to be open. */
static int
chrome_put_lonely(struct tl_writer *writer, const struct tl_span *span)
{
	struct chrome *w = (void *)writer;
	struct tl_event begin;
	const int rc = make_begin(w, span, &begin);

	if (rc < 0)
		return rc;
	return tl_span_is_sure(span) ? put_span(w, &begin, NULL, 0)
				     : put_alone(w, &begin);
}

static int
chrome_end(struct tl_writer *writer)
{
	struct chrome *w = (void *)writer;

	if (!w->started)
		start(w, 0);
	tl_put_string(&writer->out.text, "\n]}\n");
	return 0;
}

static void
chrome_free(struct tl_writer *writer)
{
	struct chrome *w = (void *)writer;

	tl_chrome_lines_free(&w->lines);
}

static const struct tl_writer_kind kind = { .put = chrome_put,
	.end = chrome_end,
	.notes = notes,
	.free = chrome_free,
	.pairs = true,
	.put_lonely = chrome_put_lonely,
	.is_of_one_machine = true };

int
tl_chrome_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	struct chrome *w;
	const int rc =
	    tl_writer_make(writer, sizeof(*w), &kind, write, context, report);

	if (rc < 0)
		return rc;
	w = (void *)*writer;
	tl_chrome_lines_make(&w->lines, *writer);
	return 0;
}
