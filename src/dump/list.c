/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - --list: definitions, their places, and the number of entries of
 * each.
 */
#include "dump/views.h"

#include "base/fields.h"
#include "dump/listing.h"
#include "format/label.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_SEEN = 12, WIDTH_PRIORITY = 9, WIDTH_KIND = 8 };

/* A message, or a label that replaces the name of a message. */
struct row {
	const struct tl_message *message;
	uint64_t seen;
	struct row *first, *last, *next; /* labels of the message */
};

/* The messages of one input, and the number of entries of each. */
struct counted {
	struct row *rows;          /* by index */
	size_t count;              /* reading may find more messages */
	struct tl_message_map map; /* message -> row */
	struct tl_message_map named;
	struct tl_labels labels;
};

/* The level at which the message is logged; "always", "off". */
static const char *
gate_name(const struct tl_message *message)
{
	if (message->gate > TIMELINE_LEVEL_MAX)
		return "always";
	return message->gate == TIMELINE_LEVEL_OFF
		   ? "off"
		   : tl_level_name(message->gate);
}

static int
counted_init(struct counted *c, const struct tl_source *input)
{
	const size_t count = tl_source_message_count(input);
	int rc = 0;

	*c = (struct counted){ .rows = calloc(count + 1, sizeof(*c->rows)),
		.count = count };
	if (!c->rows)
		return -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++) {
		c->rows[i].message = tl_source_message(input, i);
		rc = tl_message_map_add(&c->map, c->rows[i].message,
		    &c->rows[i]);
	}
	/* the remaining messages are listed as never logged */
	if (rc == -ENOSPC)
		rc = 0;
	return rc;
}

/* The row of a message with a label.  If there is no room for the row, the row
 * of the message itself. */
static struct row *
find_named(struct counted *c, struct row *of, const struct tl_message *named)
{
	struct row *row = tl_message_map_find(&c->named, named);

	if (row || !(row = calloc(1, sizeof(*row))))
		return row ? row : of;
	row->message = named;
	if (tl_message_map_add(&c->named, named, row) < 0) {
		free(row);
		return of;
	}
	if (of->last)
		of->last->next = row;
	else
		of->first = row;
	of->last = row;
	return row;
}

static int
count_entries(struct counted *c, const struct tl_sources *inputs, size_t input,
    struct tl_select *select)
{
	const struct tl_message *named;
	struct tl_cursor *cursor;
	struct tl_event event;
	struct row *row;
	int rc =
	    tl_select_source(select, inputs, input, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		if (select->all)
			tl_progress_tick(&select->progress);
		row = event.kind == TL_LOST
			  ? NULL
			  : tl_message_map_find(&c->map, event.message);
		if (!row)
			continue;
		named = tl_labels_get(&c->labels, &event);
		if (named != event.message)
			row = find_named(c, row, named);
		row->seen++;
	}
	tl_cursor_close(cursor);
	return rc;
}

static void
put_text(struct tl_text *text, const struct tl_message *m, uint64_t seen,
    bool explain)
{
	const size_t width = tl_text_width(m->category);

	tl_put_format(text, "%*llu ", WIDTH_SEEN, (unsigned long long)seen);
	tl_put_padded(text, tl_level_name(m->level), WIDTH_PRIORITY);
	tl_put_padded(text, tl_record_kind_name(m->kind), WIDTH_KIND);
	tl_put_plain(text, m->category);
	tl_put_repeat(text, ' ', width < 10 ? 11 - width : 1);
	tl_put_plain(text, m->line1);
	if (m->file.size > 0) {
		tl_put_string(text, "  (");
		tl_put_plain(text, m->file);
		tl_put_char(text, ':');
		tl_put_unsigned(text, m->line);
		tl_put_char(text, ')');
	}
	if (m->gate > TIMELINE_LEVEL_MAX) {
		tl_put_string(text, "  [always]");
	} else if (m->gate != m->level) {
		tl_put_string(text,
		    m->gate == TIMELINE_LEVEL_OFF ? "  [" : "  [now as ");
		tl_put_string(text, gate_name(m));
		tl_put_char(text, ']');
	}
	tl_put_char(text, '\n');
	if (explain)
		tl_listing_explain(text, m->explain);
}

/* Put a row as JSON or CSV, which has one value a column. */
static void
put_fields(struct tl_fields *f, const struct tl_source *input,
    const struct tl_message *m, uint64_t seen)
{
	tl_fields_object(f, NULL);
	tl_fields_string(f, "input", input->name);
	tl_fields_bytes(f, "category", m->category);
	tl_fields_string(f, "priority", tl_level_name(m->level));
	tl_fields_string(f, "gate", gate_name(m));
	tl_fields_string(f, "kind", tl_record_kind_name(m->kind));
	if (f->json && m->kind == TIMELINE_RECORD_SPAN)
		tl_fields_string(f, "scope", m->scope ? "source" : "thread");
	tl_fields_bytes(f, "message", m->line1);
	if (f->json) {
		tl_fields_bytes(f, "explain", m->explain);
		tl_fields_array(f, "args");
		for (unsigned i = 0; i < m->argc; i++) {
			tl_fields_object(f, NULL);
			tl_fields_bytes(f, "name", m->args[i].name);
			tl_fields_string(f, "format",
			    tl_arg_format_name(m->args[i].format));
			tl_fields_object_end(f);
		}
		tl_fields_array_end(f);
	}
	tl_fields_bytes(f, "file", m->file);
	tl_fields_unsigned(f, "line", m->line);
	tl_fields_unsigned(f, "seen", seen);
	tl_fields_object_end(f);
}

static int
put_row(const struct row *row, const struct tl_source *input,
    const struct tl_options *options, struct tl_output *output)
{
	struct tl_fields f = tl_output_fields(output, options);

	if (options->format != TL_FORMAT_TEXT)
		put_fields(&f, input, row->message, row->seen);
	else
		put_text(&output->text, row->message, row->seen,
		    options->explain);
	return tl_output_more(output);
}

/* Append the heading of an input. */
static void
put_heading(struct tl_text *text, const struct tl_sources *inputs, size_t i,
    enum tl_format format)
{
	if (format == TL_FORMAT_CSV && i == 0)
		tl_put_string(text,
		    "input,category,priority,gate,kind,message,file,line,"
		    "seen\n");
	if (format != TL_FORMAT_TEXT)
		return;
	if (inputs->count > 1) {
		tl_put_plain(text, tl_bytes_of(inputs->items[i].name));
		tl_put_string(text, ":\n");
	}
	tl_put_string(text,
	    "        SEEN PRIORITY KIND    CATEGORY   MESSAGE\n");
}

int
tl_defined_show(const struct tl_sources *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output)
{
	struct counted c;
	int rc = 0;

	for (size_t i = 0; i < inputs->count && rc == 0; i++) {
		const struct tl_source *input = &inputs->items[i];

		put_heading(&output->text, inputs, i, options->format);
		if (!tl_source_is_open(input))
			continue;
		rc = counted_init(&c, input);
		if (rc == 0)
			rc = count_entries(&c, inputs, i, select);
		for (size_t k = 0; k < c.count && rc == 0; k++) {
			const struct row *row = &c.rows[k];

			if (row->seen > 0 ||
			    (!row->first &&
				tl_select_message(select, row->message)))
				rc = put_row(row, input, options, output);
			for (row = row->first; row && rc == 0; row = row->next)
				rc = put_row(row, input, options, output);
		}
		tl_message_map_free(&c.map, NULL);
		tl_message_map_free(&c.named, free);
		tl_labels_free(&c.labels);
		free(c.rows);
	}
	return rc;
}
