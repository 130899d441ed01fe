/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - --list: definitions, their places, and how often each was logged.
 */
#include "dump/views.h"

#include "base/array.h"
#include "base/fields.h"
#include "dump/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_SEEN = 12, WIDTH_PRIORITY = 9, WIDTH_KIND = 8 };

/* The messages of one input, and how often each was seen. */
struct counted {
	uint64_t *seen;            /* by index */
	struct tl_message_map map; /* message -> its counter */
};

static const char *
format_name(unsigned format)
{
	static const char *const names[] = { [TIMELINE_ARG_UNSIGNED] =
						 "unsigned",
		[TIMELINE_ARG_SIGNED] = "signed",
		[TIMELINE_ARG_HEX] = "hex",
		[TIMELINE_ARG_DOUBLE] = "double",
		[TIMELINE_ARG_DURATION] = "duration",
		[TIMELINE_ARG_STRING] = "string" };

	return format < TL_COUNT(names) ? names[format] : "unsigned";
}

/* Can the message be logged now? */
static const char *
gate_name(const struct tl_message *message)
{
	if (message->gate > TIMELINE_LEVEL_MAX)
		return "always";
	return message->gate == TIMELINE_LEVEL_OFF
		   ? "off"
		   : tl_level_name(message->gate);
}

static void
counted_free(struct counted *c)
{
	tl_message_map_free(&c->map, NULL);
	free(c->seen);
}

static int
counted_init(struct counted *c, const struct tl_source *input)
{
	const size_t count = tl_source_message_count(input);
	int rc = 0;

	*c = (struct counted){ .seen = calloc(count + 1, sizeof(*c->seen)) };
	if (!c->seen)
		return -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = tl_message_map_add(&c->map, tl_source_message(input, i),
		    &c->seen[i]);
	if (rc == -ENOSPC) /* the rest is listed as never logged */
		rc = 0;
	return rc;
}

static int
count_entries(struct counted *c, const struct tl_source *input,
    struct tl_select *select)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	uint64_t *seen;
	int rc = tl_select_source(select, input, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		if (select->all)
			tl_progress_tick(&select->progress);
		if (event.kind == TL_LOST)
			continue;
		seen = tl_message_map_find(&c->map, event.message);
		if (seen)
			++*seen;
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

static void
put_json(struct tl_text *text, const struct tl_source *input,
    const struct tl_message *m, uint64_t seen)
{
	struct tl_fields f = { .text = text, .json = true };

	tl_fields_object(&f, NULL);
	tl_fields_string(&f, "input", input->name);
	tl_fields_bytes(&f, "category", m->category);
	tl_fields_string(&f, "priority", tl_level_name(m->level));
	tl_fields_string(&f, "gate", gate_name(m));
	tl_fields_string(&f, "kind", tl_record_kind_name(m->kind));
	if (m->kind == TIMELINE_RECORD_SPAN)
		tl_fields_string(&f, "scope", m->scope ? "source" : "thread");
	tl_fields_bytes(&f, "message", m->line1);
	tl_fields_bytes(&f, "explain", m->explain);
	tl_fields_array(&f, "args");
	for (unsigned i = 0; i < m->argc; i++) {
		tl_fields_object(&f, NULL);
		tl_fields_bytes(&f, "name", m->args[i].name);
		tl_fields_string(&f, "format", format_name(m->args[i].format));
		tl_fields_object_end(&f);
	}
	tl_fields_array_end(&f);
	tl_fields_bytes(&f, "file", m->file);
	tl_fields_unsigned(&f, "line", m->line);
	tl_fields_unsigned(&f, "seen", seen);
	tl_fields_object_end(&f);
}

static void
put_csv(struct tl_text *text, const struct tl_source *input,
    const struct tl_message *m, uint64_t seen)
{
	tl_put_csv(text, tl_bytes_of(input->name));
	tl_put_char(text, ',');
	tl_put_csv(text, m->category);
	tl_put_char(text, ',');
	tl_put_string(text, tl_level_name(m->level));
	tl_put_char(text, ',');
	tl_put_string(text, gate_name(m));
	tl_put_char(text, ',');
	tl_put_string(text, tl_record_kind_name(m->kind));
	tl_put_char(text, ',');
	tl_put_csv(text, m->line1);
	tl_put_char(text, ',');
	tl_put_csv(text, m->file);
	tl_put_char(text, ',');
	tl_put_unsigned(text, m->line);
	tl_put_char(text, ',');
	tl_put_unsigned(text, seen);
	tl_put_char(text, '\n');
}

static int
put_all(const struct counted *c, const struct tl_source *input,
    struct tl_select *select, const struct tl_options *options,
    struct tl_output *output)
{
	const size_t count = tl_source_message_count(input);
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		const struct tl_message *m = tl_source_message(input, i);

		if (!tl_select_message(select, m))
			continue;
		if (options->format == TL_FORMAT_JSON)
			put_json(&output->text, input, m, c->seen[i]);
		else if (options->format == TL_FORMAT_CSV)
			put_csv(&output->text, input, m, c->seen[i]);
		else
			put_text(&output->text, m, c->seen[i],
			    options->explain);
		rc = tl_output_more(output);
	}
	return rc;
}

/* The heading of the messages of an input. */
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
			rc = count_entries(&c, input, select);
		if (rc == 0)
			rc = put_all(&c, input, select, options, output);
		counted_free(&c);
	}
	return rc;
}
