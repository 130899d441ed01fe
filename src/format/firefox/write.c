/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - which marker an event becomes, and when.
 *
 * What pairs is written at its end.  An end without a begin is written where
 * it is met, a begin without an end last of all: behind all ends, so that the
 * viewer gives it to none of them.
 */
#include "format/firefox/write.h"

#include "format/firefox/firefox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)

static const struct tl_note_kind kinds[FIREFOX_NOTES] = {
	[FIREFOX_STAMPS] = { -ENOTSUP,
	    "raw stamp, number, lane and error of an event have no place in "
	    "the format" },
	[FIREFOX_COUNTER_ARGS] = { -ENOTSUP,
	    "a counter has one value: its other arguments are left out" },
	[FIREFOX_COUNTER_ROUNDED] = { -ENOTSUP,
	    "a counter's value of 2^53 or more is rounded" },
	[FIREFOX_NOT_A_NUMBER] = { -ENOTSUP,
	    "a counter's value that is no number is left out" },
	[FIREFOX_BACK] = { -ENOTSUP,
	    "a time that goes back within a span or a counter stands still" },
	[FIREFOX_FAR] = { -ENOTSUP,
	    "a time more than 99 days after the first is rounded by readers" },
	[FIREFOX_TOO_MANY] = { -ENOSPC,
	    "too many threads, counters or messages: left out" },
};

static struct firefox_write *
write_of(struct tl_writer *writer)
{
	return (struct firefox_write *)(void *)writer;
}

/* The whole second before, which a double of milliseconds holds. */
static int64_t
second_of(int64_t ns)
{
	int64_t rest = ns % SECOND_NS;

	if (rest < 0)
		rest += SECOND_NS;
	return ns < INT64_MIN + rest ? ns + (SECOND_NS - rest) : ns - rest;
}

/* Where too many things are met, the rest is left out. */
static int
excuse(struct firefox_write *w, int rc)
{
	if (rc != -ENOSPC)
		return rc;
	tl_note(&w->notes, FIREFOX_TOO_MANY, TL_FAULT_NOWHERE);
	return 0;
}

static int
put_lost(struct firefox_write *w, const struct tl_event *event)
{
	struct tl_event hole = *event;

	if (!w->started && event->ns == 0) { /* without a time? */
		if (w->hole.lost > 0)
			hole.cpu = TL_CPU_UNKNOWN;
		hole.lost += w->hole.lost;
		w->hole = hole;
		return 0;
	}
	if (event->ns == 0)
		hole.ns = w->last_ns;
	return excuse(w, tl_firefox_lost(w, &hole));
}

static int
start(struct firefox_write *w, int64_t ns)
{
	struct tl_event hole = w->hole;

	w->started = true;
	w->base_ns = second_of(ns);
	w->first_ns = w->last_ns = ns;
	w->hole = (struct tl_event){ 0 };
	hole.ns = ns;
	return hole.lost > 0 ? put_lost(w, &hole) : 0;
}

static int
note_time(struct firefox_write *w, const struct tl_event *event)
{
	if (!event->message && event->ns == 0)
		return 0;
	if (!w->started)
		return start(w, event->ns);
	if (event->ns < w->first_ns)
		w->first_ns = event->ns;
	if (event->ns > w->last_ns)
		w->last_ns = event->ns;
	return 0;
}

static struct tl_event
begin_of(const struct tl_span *span)
{
	struct tl_event event = { .ns = span->begin_ns,
		.message = span->message,
		.cpu = span->begin_cpu,
		.pid = span->pid,
		.tid = span->tid,
		.kind = TL_BEGIN,
		.level = span->message->level };

	memcpy(event.args, span->args, sizeof(event.args));
	return event;
}

static int
put_lonely_begin(struct firefox_write *w, const struct tl_span *span)
{
	const struct tl_event begin = begin_of(span);

	return excuse(w, tl_firefox_marker(w,
			     &(struct firefox_marker){ .begin = &begin,
				 .phase = tl_span_is_sure(span) ? INTERVAL_START
								: INSTANT }));
}

/* An end of which no begin is known, or whose begin may be another one. */
static int
put_end_alone(struct firefox_write *w, const struct tl_event *end)
{
	return excuse(w,
	    tl_firefox_marker(w,
		&(struct firefox_marker){ .begin = end, .phase = INSTANT }));
}

static int
put_end(struct firefox_write *w, const struct tl_event *end)
{
	struct firefox_marker marker = { .end = end, .phase = INTERVAL_END };
	struct tl_event begin;
	struct tl_span span;
	int rc = tl_spans_put(w->spans, end, &span);

	if (rc < 0)
		return rc;
	if (rc > 0 && end->observed != TL_OBSERVED && !tl_span_is_sure(&span)) {
		w->open--;
		rc = put_lonely_begin(w, &span);
		return rc < 0 ? rc : put_end_alone(w, end);
	}
	if (rc == 0 && end->observed != TL_OBSERVED)
		return put_end_alone(w, end);
	if (rc > 0) {
		begin = begin_of(&span);
		marker.begin = &begin;
		marker.phase = INTERVAL;
		marker.lossy = span.lossy;
		w->open--;
	}
	return excuse(w, tl_firefox_marker(w, &marker));
}

/* Threads stand in the order of their first events, begins among them. */
static int
meet_thread(struct firefox_write *w, const struct tl_event *event)
{
	struct firefox_thread *thread;

	return tl_firefox_thread(w, event, &thread);
}

/* The oldest of too many is forgotten for a new one; its end, should it come,
 * finds it in the file. */
static int
put_begin(struct firefox_write *w, const struct tl_event *begin)
{
	struct tl_span oldest;
	uint32_t index = 0;
	int rc = meet_thread(w, begin);

	if (rc < 0)
		return excuse(w, rc);
	if (w->open < TL_SPANS_OPEN_MAX)
		w->open++;
	else if (tl_spans_open(w->spans, &index, &oldest))
		rc = put_lonely_begin(w, &oldest);
	return rc < 0 ? rc : tl_spans_put(w->spans, begin, &oldest);
}

static int
put_instant(struct firefox_write *w, const struct tl_event *event)
{
	return excuse(w,
	    tl_firefox_marker(w,
		&(struct firefox_marker){ .begin = event, .phase = INSTANT }));
}

static int
put_event(struct firefox_write *w, const struct tl_event *event)
{
	struct tl_span none;

	switch (event->kind) {
	case TL_BEGIN:
		return put_begin(w, event);
	case TL_END:
		return put_end(w, event);
	case TL_COUNTER:
		return excuse(w, tl_firefox_counter(w, event));
	case TL_LOST:
		(void)tl_spans_put(w->spans, event, &none); /* counts them */
		return put_lost(w, event);
	default:
		return put_instant(w, event);
	}
}

static int
spill_all(struct firefox_write *w)
{
	struct tl_column *const own[] = { &w->schemas, &w->strings,
		&w->category_list };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(own) / sizeof(own[0]); i++)
		rc = tl_column_spill(&w->spill, own[i]);
	for (uint32_t i = 0; rc == 0 && i < w->thread_count; i++) {
		for (unsigned k = 0; rc == 0 && k < FIREFOX_FIELDS; k++)
			rc = tl_column_spill(&w->spill,
			    &w->threads[i].columns[k]);
	}
	for (uint32_t i = 0; rc == 0 && i < w->counter_count; i++) {
		rc = tl_column_spill(&w->spill, &w->counters[i].time);
		if (rc == 0)
			rc = tl_column_spill(&w->spill, &w->counters[i].count);
	}
	return rc;
}

static int
firefox_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct firefox_write *w = write_of(writer);
	int rc = note_time(w, event);

	if (rc < 0)
		return rc;
	if (event->message)
		tl_note(&w->notes, FIREFOX_STAMPS, TL_FAULT_NOWHERE);
	rc = put_event(w, event);
	if (rc < 0)
		return rc;
	return tl_columns_are_full(&w->spill) ? spill_all(w) : 0;
}

static int
put_lonely_begins(struct firefox_write *w)
{
	struct tl_span span;
	uint32_t index = 0;
	int rc = 0;

	while (rc == 0 && tl_spans_open(w->spans, &index, &span))
		rc = put_lonely_begin(w, &span);
	return rc;
}

static int
firefox_end(struct tl_writer *writer)
{
	struct firefox_write *w = write_of(writer);
	int rc = w->started ? put_lonely_begins(w) : start(w, 0);

	if (rc < 0 || (rc = tl_firefox_put_head(w)) < 0 ||
	    (rc = tl_firefox_put_threads(w)) < 0 ||
	    (rc = tl_firefox_put_counters(w)) < 0)
		return rc;
	tl_put_string(&writer->out.text, "}\n");
	tl_notes_report(&w->notes, writer->report);
	return 0;
}

static void
firefox_free(struct tl_writer *writer)
{
	struct firefox_write *w = write_of(writer);

	tl_firefox_threads_free(w);
	tl_firefox_counters_free(w);
	tl_column_free(&w->schemas);
	tl_column_free(&w->strings);
	tl_column_free(&w->category_list);
	tl_columns_free(&w->spill);
	tl_id_map_free(&w->message_keys);
	tl_id_map_free(&w->string_keys);
	free(w->messages);
	free(w->string_numbers);
	tl_text_free(&w->scratch);
	tl_interner_free(w->categories);
	tl_spans_free(w->spans);
}

static const struct tl_writer_kind kind = { .put = firefox_put,
	.end = firefox_end,
	.free = firefox_free,
	.is_of_one_machine = true };

int
tl_firefox_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	struct firefox_write *w;
	uint64_t name;
	int rc =
	    tl_writer_make(writer, sizeof(*w), &kind, write, context, report);

	if (rc < 0)
		return rc;
	w = write_of(*writer);
	w->notes.kinds = kinds;
	if ((rc = tl_spans_new(&w->spans)) < 0 ||
	    (rc = tl_interner_new(&w->categories)) < 0 ||
	    (rc = tl_firefox_string_add(w, tl_bytes_of("entries lost"),
		 &name)) < 0)
		tl_writer_free(*writer);
	return rc;
}
