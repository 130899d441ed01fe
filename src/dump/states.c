/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states.c - --view states: the states of the threads of spans.
 */
#include "analysis/states.h"

#include "base/array.h"
#include "base/ns.h"
#include "dump/views.h"
#include "event/message_map.h"
#include "event/render.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 10, NAME_WIDTH = 28 };

struct longest {
	struct tl_span span;
	struct tl_parts parts;
};

/* All spans of a message. */
struct row {
	const struct tl_message *message;
	uint64_t count;
	int64_t total_ns;
	int64_t ns[TL_PARTS];
	struct longest longest[LONGEST]; /* the longest first */
	size_t longest_count;
};

struct view {
	struct tl_select *select;
	struct tl_chooser *chooser;
	struct tl_states *states;
	struct tl_message_map map;
	struct row **rows;
	size_t count, capacity;
	bool any; /* there are kernel events */
};

static struct row *
row_of(struct view *v, const struct tl_message *message)
{
	struct row *row = tl_message_map_find(&v->map, message);

	if (row)
		return row;
	for (size_t i = 0; i < v->count && !row; i++)
		if (tl_bytes_equal(v->rows[i]->message->text, message->text) &&
		    tl_bytes_equal(v->rows[i]->message->category,
			message->category))
			row = v->rows[i];
	if (!row) {
		if (TL_ARRAY_ROOM(v->rows, v->capacity, v->count) < 0 ||
		    !(row = calloc(1, sizeof(*row))))
			return NULL;
		row->message = message;
		v->rows[v->count++] = row;
	}
	return tl_message_map_add(&v->map, message, row) == -ENOMEM ? NULL
								    : row;
}

static void
take_longest(struct row *row, const struct tl_span *span,
    const struct tl_parts *parts)
{
	size_t i = row->longest_count;

	if (i == LONGEST &&
	    span->duration_ns <= row->longest[i - 1].span.duration_ns)
		return;
	i -= i == LONGEST;
	row->longest_count = i + 1;
	for (;
	     i > 0 && row->longest[i - 1].span.duration_ns < span->duration_ns;
	     i--)
		row->longest[i] = row->longest[i - 1];
	row->longest[i] = (struct longest){ *span, *parts };
}

/* Take an event.  The states need all events, the spans only the chosen
 * ones. */
static int
take(struct view *v, const struct tl_event *event)
{
	const struct tl_span *span = event->span;
	const int passes = tl_chooser_passes(v->chooser, event);
	const int rc = passes < 0 ? passes : tl_states_put(v->states, event);
	struct tl_parts parts;
	struct row *row;

	if (rc < 0 || !span || !tl_span_is_sure(span) ||
	    tl_states_is_kernel(event) || !passes)
		return rc;
	v->any |= tl_states_span(v->states, span, &parts);
	if (!(row = row_of(v, span->message)))
		return -ENOMEM;
	row->count++;
	row->total_ns = tl_add_ns(row->total_ns, span->duration_ns);
	for (unsigned i = 0; i < TL_PARTS; i++)
		row->ns[i] = tl_add_ns(row->ns[i], parts.ns[i]);
	take_longest(row, span, &parts);
	return 0;
}

static int
gather(struct view *v, const struct tl_sources *inputs)
{
	struct tl_cursor *cursor, *scout;
	struct tl_event event;
	int rc = tl_states_of_sources(&v->states, inputs);

	v->any = v->states != NULL;
	/* without kernel events every state is unknown */
	if (rc == 0 && !v->any)
		rc = tl_states_new(&v->states, INT64_MIN, NULL, 1);
	if (rc == 0)
		rc =
		    tl_select_scout(v->select, inputs, TL_OLDEST_FIRST, &scout);
	if (rc == 0)
		rc = tl_chooser_new(&v->chooser, v->select, TL_OLDEST_FIRST,
		    scout);
	if (rc == 0)
		rc = tl_sources_spans(inputs, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0) {
		tl_progress_tick(&v->select->progress);
		rc = take(v, &event);
	}
	tl_cursor_close(cursor);
	return rc;
}

/* == text == */

static double
percent(int64_t part, int64_t all)
{
	return all > 0 ? 100.0 * (double)part / (double)all : 0;
}

static void
put_task(struct tl_text *text, const char *before, const struct tl_wait *wait,
    bool numbered)
{
	tl_put_string(text, before);
	if (numbered)
		tl_put_format(text, "%u ", wait->tid);
	tl_put_plain(text, wait->name);
	tl_put_char(text, ')');
}

/* Append "297us running 41us, runnable 212us (preempted by x), ...". */
static void
put_longest(struct tl_text *text, const struct longest *l)
{
	const struct tl_parts *p = &l->parts;
	const int64_t running =
	    p->ns[TL_PART_RUNNING] + p->ns[TL_PART_INTERRUPTED];
	struct tl_event begin = { .message = l->span.message,
		.kind = TL_BEGIN };
	const char *before = "  ";

	memcpy(begin.args, l->span.args, sizeof(begin.args));
	tl_put_format(text, "    %s", TL_DURATION(l->span.duration_ns));
	for (unsigned i = 0; i < l->span.message->argc && !l->span.bare; i++) {
		tl_put_string(text, i == 0 ? " " : ", ");
		tl_put_plain(text, l->span.message->args[i].name);
		tl_put_char(text, '(');
		tl_render_arg(text, &begin, i);
		tl_put_char(text, ')');
	}
	for (unsigned i = 0; i < TL_PARTS; i++) {
		const int64_t ns = i == TL_PART_RUNNING ? running : p->ns[i];

		if (ns == 0 || i == TL_PART_INTERRUPTED)
			continue;
		tl_put_format(text, "%s%s %s", before, tl_part_words(i),
		    TL_DURATION(ns));
		if (i == TL_PART_RUNNING && p->ns[TL_PART_INTERRUPTED] > 0) {
			tl_put_format(text, " (irq %s)",
			    TL_DURATION(p->ns[TL_PART_INTERRUPTED]));
		}
		if (i == TL_PART_RUNNABLE && p->preempted.ns > 0)
			put_task(text, " (preempted by ", &p->preempted,
			    p->preempted.tid != 0);
		if (i == TL_PART_TASK && p->blocked.ns > 0)
			put_task(text, " (woken by ", &p->blocked,
			    p->blocked.tid != 0);
		before = ", ";
	}
	tl_put_char(text, '\n');
}

static void
put_row(struct tl_text *text, const struct row *row)
{
	const size_t start = text->size;
	const int64_t running =
	    row->ns[TL_PART_RUNNING] + row->ns[TL_PART_INTERRUPTED];
	struct tl_text total = { 0 };
	size_t width;

	tl_put_plain(text, row->message->line1);
	width = tl_text_width(tl_bytes(text->data + start, text->size - start));
	if (width < NAME_WIDTH)
		tl_put_repeat(text, ' ', NAME_WIDTH - width);
	tl_put_duration(&total, row->total_ns);
	tl_put_format(text,
	    " %7llu %9s %6.1f%% %5.1f%% %7.1f%% %6.1f%% %6.1f%% "
	    "%5.1f%% %6.1f%%\n",
	    (unsigned long long)row->count, tl_text_string(&total),
	    percent(running, row->total_ns),
	    percent(row->ns[TL_PART_INTERRUPTED], row->total_ns),
	    percent(row->ns[TL_PART_RUNNABLE], row->total_ns),
	    percent(row->ns[TL_PART_TASK], row->total_ns),
	    percent(row->ns[TL_PART_TIMER], row->total_ns),
	    percent(row->ns[TL_PART_IO], row->total_ns),
	    percent(row->ns[TL_PART_UNKNOWN], row->total_ns));
	tl_text_free(&total);
	if (row->count > 1)
		tl_put_format(text, "  the %zu longest:\n", row->longest_count);
	for (size_t i = 0; i < row->longest_count; i++)
		put_longest(text, &row->longest[i]);
}

static void
put_text(struct tl_text *text, const struct view *v)
{
	if (!v->any)
		tl_put_string(text,
		    "No events of the kernel: record them with timelinectl "
		    "kernel, or name the file NAME.sched.\n");
	tl_put_format(text, "%-*s %7s %9s %7s %6s %8s %7s %7s %6s %7s\n",
	    NAME_WIDTH, "span", "count", "total", "running", "(irq)",
	    "runnable", "task", "timer", "I/O", "unknown");
	for (size_t i = 0; i < v->count; i++)
		put_row(text, v->rows[i]);
}

/* == JSON, CSV == */

static void
put_json_wait(struct tl_fields *f, const char *name, const struct tl_wait *w)
{
	if (w->ns == 0)
		return;
	tl_fields_object(f, name);
	tl_fields_unsigned(f, "tid", w->tid);
	tl_fields_bytes(f, "name", w->name);
	tl_fields_signed(f, "ns", w->ns);
	tl_fields_object_end(f);
}

/* Put a row as JSON, or without its longest spans as CSV. */
static void
put_fields(struct tl_fields *f, const struct row *row)
{
	tl_fields_object(f, NULL);
	tl_fields_bytes(f, "category", row->message->category);
	tl_fields_bytes(f, "message", row->message->line1);
	tl_fields_unsigned(f, "count", row->count);
	tl_fields_signed(f, "total_ns", row->total_ns);
	tl_part_fields(f, row->ns);
	if (f->json)
		tl_fields_array(f, "longest");
	for (size_t i = 0; f->json && i < row->longest_count; i++) {
		const struct longest *l = &row->longest[i];

		tl_fields_object(f, NULL);
		tl_fields_time(f, "begin", l->span.begin_ns);
		tl_fields_signed(f, "duration_ns", l->span.duration_ns);
		tl_fields_unsigned(f, "tid", l->span.tid);
		tl_part_fields(f, l->parts.ns);
		put_json_wait(f, "preempted_by", &l->parts.preempted);
		put_json_wait(f, "woken_by", &l->parts.blocked);
		tl_fields_object_end(f);
	}
	if (f->json)
		tl_fields_array_end(f);
	tl_fields_object_end(f);
}

/* The largest total first. */
static int
compare(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a;
	const struct row *y = *(const struct row *const *)b;

	return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

int
tl_states_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output)
{
	struct view v = { .select = select };
	struct tl_fields f = tl_output_fields(output, options);
	const int rc = gather(&v, inputs);

	if (v.count > 1)
		qsort(v.rows, v.count, sizeof(struct row *), compare);
	if (rc == 0 && options->format == TL_FORMAT_TEXT)
		put_text(&output->text, &v);
	if (rc == 0 && options->format == TL_FORMAT_CSV) {
		tl_put_string(&output->text, "category,message,count,total_ns");
		for (unsigned i = 0; i < TL_PARTS; i++)
			tl_put_format(&output->text, ",%s_ns", tl_part_name(i));
		tl_put_char(&output->text, '\n');
	}
	for (size_t i = 0; i < v.count; i++) {
		if (rc == 0 && options->format != TL_FORMAT_TEXT)
			put_fields(&f, v.rows[i]);
		free(v.rows[i]);
	}
	free(v.rows);
	tl_message_map_free(&v.map, NULL);
	tl_chooser_free(v.chooser);
	tl_states_free(v.states);
	return rc;
}
