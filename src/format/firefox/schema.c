/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - a message as a schema of markers: its text with places
 * for the arguments, what they are called and how they are shown.
 */
#include "format/firefox/firefox.h"

#include "base/array.h"
#include "format/label.h"

#include <errno.h>
#include <timeline.h>

/* The names by which the viewer asks every marker for something of its own. */
static bool
is_taken(struct tl_bytes name)
{
	static const char *const taken[] = { "type", "cause", "stack",
		"innerWindowID", "threadId", "__proto__" };

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		if (tl_bytes_equal(name, tl_bytes_of(taken[i])))
			return true;
	}
	return false;
}

void
tl_firefox_put_key(struct tl_text *text, struct tl_bytes name)
{
	if (is_taken(name))
		tl_put_char(text, '$');
	tl_put_bytes(text, name);
}

/* Text of a label: braces would ask for a value. */
static void
put_literal(struct firefox_write *w, struct tl_text *text,
    struct tl_bytes literal)
{
	struct tl_text *plain = &w->scratch;

	tl_text_clear(plain);
	tl_put_bytes(plain, literal);
	for (size_t i = 0; i < plain->size; i++) {
		if (plain->data[i] == '{')
			plain->data[i] = '(';
		if (plain->data[i] == '}')
			plain->data[i] = ')';
	}
	tl_put_json(text, tl_bytes(plain->data, plain->size));
}

/* "accept port({marker.data.port})", as a listing shows it. */
static void
put_label(struct firefox_write *w, struct tl_text *text,
    const struct tl_message *message)
{
	for (unsigned i = 0; i < message->argc; i++) {
		put_literal(w, text, message->args[i].before);
		tl_put_bytes(text, message->args[i].name);
		tl_put_string(text, "({marker.data.");
		tl_firefox_put_key(text, message->args[i].name);
		tl_put_string(text, "})");
	}
	put_literal(w, text,
	    message->argc > 0 ? message->after : message->line1);
}

/* Level, place and explanation. */
static void
put_description(struct tl_text *text, const struct tl_message *message)
{
	tl_put_string(text, "Priority ");
	tl_put_string(text, tl_level_name(message->level));
	if (message->file.size > 0) {
		tl_put_string(text, ", ");
		tl_put_json(text, message->file);
		tl_put_char(text, ':');
		tl_put_unsigned(text, message->line);
	}
	if (message->explain.size > 0) {
		tl_put_string(text, ". ");
		tl_put_json(text, message->explain);
	}
}

static const char *
format_name(unsigned format)
{
	switch (format) {
	case TIMELINE_ARG_UNSIGNED:
	case TIMELINE_ARG_SIGNED:
		return "integer";
	case TIMELINE_ARG_DURATION:
		return "duration";
	case TIMELINE_ARG_STRING:
		return "unique-string";
	default: /* a "decimal" is shown with three places */
		return "string";
	}
}

static void
put_own_field(struct tl_text *text, const char *key, const char *label,
    const char *format)
{
	tl_put_string(text, ",{\"key\":\"$");
	tl_put_string(text, key);
	tl_put_string(text, "\",\"label\":\"");
	tl_put_string(text, label);
	tl_put_string(text, "\",\"format\":\"");
	tl_put_string(text, format);
	tl_put_string(text, "\"}");
}

static void
put_field(struct tl_text *text, const struct tl_arg *arg, const char *key_end,
    const char *label_end)
{
	tl_put_string(text, ",{\"key\":\"");
	tl_firefox_put_key(text, arg->name);
	tl_put_string(text, key_end);
	tl_put_string(text, "\",\"label\":\"");
	tl_put_bytes(text, arg->name);
	tl_put_string(text, label_end);
	tl_put_string(text, "\",\"format\":\"");
	tl_put_string(text, format_name(arg->format));
	tl_put_string(text, "\"}");
}

static void
put_span_fields(struct tl_text *text, const struct tl_message *message)
{
	for (unsigned i = 0; i < message->argc; i++)
		put_field(text, &message->args[i], "$end", " at the end");
	put_own_field(text, "cpu$end", "CPU at the end", "integer");
	put_own_field(text, "lossy", "Doubtful", "string");
	if (message->scope != TIMELINE_SOURCE)
		return;
	put_own_field(text, "thread", "Process and thread", "string");
	put_own_field(text, "thread$end", "Those of the end", "string");
}

#define DISPLAY \
	"\"display\":[\"marker-chart\",\"marker-table\"," \
	"\"timeline-overview\"]"

static void
put_schema(struct firefox_write *w, const struct tl_message *message,
    uint32_t number)
{
	struct tl_text *text = &w->schemas.text;

	tl_put_string(text, "\n{\"name\":\"m");
	tl_put_unsigned(text, number);
	tl_put_string(text, "\"," DISPLAY ",\"tableLabel\":\"");
	put_label(w, text, message);
	tl_put_string(text, "\",\"chartLabel\":\"");
	put_label(w, text, message);
	tl_put_string(text, "\",\"description\":\"");
	put_description(text, message);
	tl_put_string(text, "\",\"fields\":[{\"key\":\"$priority\","
			    "\"label\":\"Priority\",\"format\":\"string\"}");
	for (unsigned i = 0; i < message->argc; i++)
		put_field(text, &message->args[i], "", "");
	put_own_field(text, "cpu", "CPU", "integer");
	if (message->kind == TIMELINE_RECORD_SPAN)
		put_span_fields(text, message);
	tl_put_string(text, "]},");
}

void
tl_firefox_put_lost_schema(struct tl_text *text)
{
	tl_put_string(text,
	    "\n{\"name\":\"lost\"," DISPLAY
	    ",\"tableLabel\":\"{marker.data.lost} entries\","
	    "\"description\":\"Entries that were overwritten before they "
	    "were read\",\"fields\":["
	    "{\"key\":\"lost\",\"label\":\"Entries\",\"format\":\"integer\"}"
	    ",{\"key\":\"lane\",\"label\":\"Lane\",\"format\":\"integer\"}");
	put_own_field(text, "cpu", "CPU", "integer");
	tl_put_string(text, "]}");
}

/* The number of a category: by its text, 0 for none and for too many. */
static int
find_category(struct firefox_write *w, struct tl_bytes category,
    uint32_t *number)
{
	static const char *const colors[] = { "blue", "green", "orange",
		"purple", "yellow", "lightblue", "brown", "magenta", "red",
		"lightred" };
	struct tl_text *text = &w->category_list.text;
	uint64_t known;
	int rc;

	*number = 0;
	if (category.size == 0)
		return 0;
	if ((rc = tl_interner_string(w->categories, category, &known)) < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (known > FIREFOX_CATEGORIES_MAX)
		return 0;
	*number = (uint32_t)known;
	if (known <= w->category_count)
		return 0;
	w->category_count = *number;
	tl_put_string(text, ",\n{\"name\":");
	tl_firefox_put_text(text, category);
	tl_put_string(text, ",\"color\":\"");
	tl_put_string(text,
	    colors[known % (sizeof(colors) / sizeof(colors[0]))]);
	tl_put_string(text, "\",\"subcategories\":[\"Other\"]}");
	return tl_column_spill_full(&w->spill, &w->category_list);
}

static int
make_message(struct firefox_write *w, const struct tl_event *event,
    struct firefox_message *made)
{
	int rc = find_category(w, event->message->category, &made->category);

	if (rc < 0)
		return rc;
	tl_text_clear(&w->scratch);
	tl_label_put(&w->scratch, event, "");
	return tl_firefox_string_add(w,
	    tl_bytes(w->scratch.data, w->scratch.size), &made->name);
}

int
tl_firefox_message(struct firefox_write *w, const struct tl_event *event,
    uint32_t *number)
{
	const struct tl_id_key key = { (uintptr_t)event->message, 0 };
	int rc = tl_id_map_get(&w->message_keys, key, number);

	if (rc <= 0)
		return rc;
	rc = TL_ARRAY_ZEROS(w->messages, w->message_capacity, *number);
	if (rc < 0)
		return rc;
	if ((rc = make_message(w, event, &w->messages[*number])) < 0)
		return rc;
	put_schema(w, event->message, *number);
	return tl_column_spill_full(&w->spill, &w->schemas);
}
