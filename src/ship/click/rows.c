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
#define COLUMN(name, type, put) { name, type },
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
put_name_of(struct tl_text *text, const struct tl_event *e, unsigned i)
{
	put_escaped(text, e->message->args[i].name);
}

static void
put_value_of(struct tl_text *text, const struct tl_event *e, unsigned i)
{
	tl_render_arg_exact(text, e, i, put_escaped);
}

/* An array of the arguments. */
static void
put_args(struct tl_text *text, const struct tl_event *e,
    void (*put)(struct tl_text *text, const struct tl_event *e, unsigned i))
{
	const unsigned argc =
	    e->message && tl_event_has_args(e) ? e->message->argc : 0;

	tl_put_string(text, "\t[");
	for (unsigned i = 0; i < argc; i++) {
		tl_put_string(text, i > 0 ? ",'" : "'");
		put(text, e, i);
		tl_put_char(text, '\'');
	}
	tl_put_char(text, ']');
}

static int
put_row(void *context, struct tl_event *e, uint32_t row)
{
	const struct tl_bytes none = { 0 };
	struct rows *r = context;
	struct tl_text *text = r->text;
	const struct tl_message *m = e->message;
	const struct tl_names *names = m ? tl_event_names(e) : NULL;
	const bool is_begun = e->kind == TL_END && tl_event_is_begun(e);
	int rc;

	if (e->continued) /* it is a row of an earlier block */
		return 0;
	if (r->filter &&
	    (rc = tl_script_filter_passes(r->filter, e, r->fault)) <= 0)
		return rc;
	tl_text_clear(&r->line);
	tl_render_cached(r->render, &r->line, e);
#define COLUMN(name, type, put) put;
#include "ship/click/columns.def"
#undef COLUMN
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
