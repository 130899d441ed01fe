/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.c - the table, and the text of its rows
 */
#include "ship/click/rows.h"

#include "event/names.h"
#include "event/render.h"
#include "ship/target/events.h"

#include <errno.h>

/* == the table == */

static const struct column {
	const char *name;
	const char *type;
} columns[] = {
#define COLUMN(name, type) { name, type },
#include "ship/click/columns.def"
#undef COLUMN
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void
put_name(struct tl_text *text, const struct tl_click_url *url,
    const char *suffix)
{
	tl_put_format(text, "`%s`.`%s%s`", url->database, url->table, suffix);
}

void
tl_click_put_insert(struct tl_text *text, const struct tl_click_url *url)
{
	tl_put_string(text, "INSERT INTO ");
	put_name(text, url, "");
	for (size_t i = 0; i < COLUMNS; i++) {
		tl_put_string(text, i == 0 ? " (" : ",");
		tl_put_string(text, columns[i].name);
	}
	tl_put_string(text, ") FORMAT TabSeparated");
}

void
tl_click_put_table(struct tl_text *text, const struct tl_click_url *url,
    bool window)
{
	tl_put_string(text, "CREATE TABLE IF NOT EXISTS ");
	put_name(text, url, "");
	tl_put_string(text, " (");
	for (size_t i = 0; i < COLUMNS; i++)
		tl_put_format(text, "`%s` %s, ", columns[i].name,
		    columns[i].type);
	tl_put_string(text,
	    "`time` DateTime('UTC') DEFAULT toDateTime(intDiv(ns, 1000000000), "
	    "'UTC')) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(time) "
	    "PRIMARY KEY (host, timeline, time) "
	    "ORDER BY (host, timeline, time, chain, block, row)");
	if (window)
		tl_put_string(text,
		    " SETTINGS non_replicated_deduplication_window = 1000");
}

void
tl_click_put_view(struct tl_text *text, const struct tl_click_url *url)
{
	tl_put_string(text, "CREATE VIEW IF NOT EXISTS ");
	put_name(text, url, "_unique");
	tl_put_string(text, " AS SELECT * FROM ");
	put_name(text, url, "");
	tl_put_string(text, " FINAL");
}

/* == a row == */

struct rows {
	struct tl_text *text;
	struct tl_text head; /* HOST TIMELINE CHAIN BLOCK of all its rows */
	struct tl_text line; /* the text of one event */
	struct tl_render *render;
	struct tl_script_filter *filter; /* NULL: all pass */
	struct tl_fault *fault;          /* of the filter */
};

/* A text with what is escaped in TabSeparated and, for arrays, in quotes. */
static void
put_escaped(struct tl_text *text, struct tl_bytes bytes)
{
	static const char letters[] = "0123456abtnvfr";
	char *to = tl_text_reserve(text, 2 * bytes.size);

	if (!to)
		return;
	for (size_t i = 0; i < bytes.size; i++) {
		const char c = bytes.data[i];

		if (c == '\\' || c == '\'') {
			*to++ = '\\';
			*to++ = c;
		} else if (c == '\0' || (c >= '\b' && c <= '\r' && c != '\v')) {
			*to++ = '\\';
			*to++ = letters[(int)c];
		} else {
			*to++ = c;
		}
	}
	text->size = (size_t)(to - text->data);
}

static void
put_text(struct tl_text *text, struct tl_bytes bytes)
{
	tl_put_char(text, '\t');
	put_escaped(text, bytes);
}

static void
put_word(struct tl_text *text, const char *word)
{
	put_text(text, tl_bytes_of(word));
}

/* A number, or NULL. */
static void
put_number(struct tl_text *text, bool is_known, uint64_t number)
{
	tl_put_char(text, '\t');
	if (is_known)
		tl_put_unsigned(text, number);
	else
		tl_put_string(text, "\\N");
}

static void
put_value(struct tl_text *text, const struct tl_event *event, unsigned i)
{
	const uint64_t value = event->args[i];
	struct tl_bytes string;
	double number;

	switch (event->message->args[i].format) {
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		tl_put_signed(text, (int64_t)value);
		return;
	case TIMELINE_ARG_DOUBLE:
		memcpy(&number, &value, sizeof(number));
		tl_put_double(text, number);
		return;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		string = tl_message_text(event->message, i, &event->args[i]);
		if (string.data) {
			put_escaped(text, string);
			return;
		}
		tl_put_char(text, '#');
		break;
	}
	tl_put_unsigned(text, value);
}

static int
put_row(void *context, struct tl_event *event, uint32_t row)
{
	struct rows *r = context;
	struct tl_text *text = r->text;
	const struct tl_message *message = event->message;
	const struct tl_names *names = message ? tl_event_names(event) : NULL;
	const bool is_known = event->kind == TL_END && tl_event_is_begun(event);
	const unsigned argc =
	    message && tl_event_has_args(event) ? message->argc : 0;
	int rc;

	if (event->continued) /* it is a row of an earlier block */
		return 0;
	if (r->filter &&
	    (rc = tl_script_filter_passes(r->filter, event, r->fault)) <= 0)
		return rc;
	tl_put_signed(text, event->ns);
	tl_put_bytes(text, tl_bytes(r->head.data, r->head.size));
	put_number(text, true, row);
	put_word(text, tl_event_kind_name(event));
	put_text(text, message ? message->category : tl_bytes(NULL, 0));
	put_text(text, message ? message->line1 : tl_bytes(NULL, 0));
	put_word(text, message ? tl_level_name(event->level) : "");
	put_number(text, true, message ? event->level : 0);
	tl_text_clear(&r->line);
	tl_render_cached(r->render, &r->line, event);
	put_text(text, tl_bytes(r->line.data, r->line.size));
	put_number(text, is_known, (uint64_t)event->duration_ns);
	put_number(text, is_known, event->begun == TL_BEGUN_UNSURE);
	put_number(text, !message && !event->overwritten, event->lost);
	put_number(text, !message && event->overwritten, event->lost);
	put_number(text, message != NULL, event->pid);
	put_number(text, message != NULL, event->tid);
	put_number(text, event->cpu != TL_CPU_UNKNOWN, event->cpu);
	put_text(text,
	    names ? tl_names_process(names, event->pid) : tl_bytes(NULL, 0));
	put_text(text, names ? tl_names_thread(names, event->pid, event->tid)
			     : tl_bytes(NULL, 0));
	put_number(text, true, event->error_ns);
	/* Two arrays: the names of the arguments, and their values. */
	for (unsigned array = 0; array < 2; array++) {
		tl_put_string(text, "\t[");
		for (unsigned i = 0; i < argc; i++) {
			tl_put_string(text, i > 0 ? ",'" : "'");
			if (array == 0)
				put_escaped(text, message->args[i].name);
			else
				put_value(text, event, i);
			tl_put_char(text, '\'');
		}
		tl_put_char(text, ']');
	}
	tl_put_char(text, '\n');
	return text->rc < 0 ? text->rc : r->line.rc;
}

/* == a block == */

int
tl_click_put_rows(struct tl_text *text, const struct tl_block *block,
    struct tl_script_filter *filter, struct tl_fault *fault)
{
	struct rows r = { .text = text, .filter = filter, .fault = fault };
	struct tl_trace *trace = NULL;
	int rc = tl_block_open(&trace, block->data, fault);

	if (rc < 0)
		return rc;
	put_word(&r.head, block->host);
	put_word(&r.head, block->timeline);
	put_word(&r.head, block->chain);
	put_number(&r.head, true, block->number);
	rc = r.head.rc < 0 ? r.head.rc : tl_render_new(&r.render);
	if (rc == 0)
		rc = tl_events_each(trace, put_row, &r);
	tl_render_free(r.render);
	tl_text_free(&r.head);
	tl_text_free(&r.line);
	tl_trace_close(trace);
	return rc == 0 ? 0
		       : tl_fail(fault, rc, "%s: block %lu: %s",
			     block->timeline, block->number, strerror(-rc));
}
