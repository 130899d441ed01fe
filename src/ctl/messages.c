/* SPDX-License-Identifier: Apache-2.0 */
/*
 * messages.c - list the messages that are defined in a timeline
 */
#include "ctl/ctl.h"
#include "ctl/table.h"
#include "snap/compressed.h"
#include "snap/snap.h"

#include <errno.h>

enum { WIDTH_CATEGORY = 12, WIDTH_LEVEL = 9, WIDTH_KIND = 8, WIDTH_TEXT = 40 };

/* The level from which it is logged now; builtin messages always are. */
static const char *
gate_name(const struct tl_message *message)
{
	return message->gate > TIMELINE_LEVEL_MAX
		   ? "always"
		   : tl_level_name(message->gate);
}

static void
put_cell(struct tl_text *text, struct tl_bytes bytes, size_t width)
{
	const size_t start = text->size;

	tl_put_plain(text, bytes);
	tl_cell_end(text, start, width, false);
}

static void
put_row(struct tl_text *text, const struct tl_message *m)
{
	put_cell(text, m->category, WIDTH_CATEGORY);
	tl_cell_string(text, tl_level_name(m->level), WIDTH_LEVEL);
	tl_cell_string(text, m->gate == m->level ? "-" : gate_name(m),
	    WIDTH_LEVEL);
	tl_cell_string(text, tl_record_kind_name(m->kind), WIDTH_KIND);
	put_cell(text, m->line1, WIDTH_TEXT);
	if (m->file.size > 0) {
		tl_put_plain(text, m->file);
		tl_put_char(text, ':');
		tl_put_unsigned(text, m->line);
	} else {
		tl_put_char(text, '-');
	}
	tl_put_char(text, '\n');
}

static void
put_heading(struct tl_text *text)
{
	tl_cell_string(text, "CATEGORY", WIDTH_CATEGORY);
	tl_cell_string(text, "PRIORITY", WIDTH_LEVEL);
	tl_cell_string(text, "NOW", WIDTH_LEVEL);
	tl_cell_string(text, "KIND", WIDTH_KIND);
	tl_cell_string(text, "MESSAGE", WIDTH_TEXT);
	tl_put_string(text, "PLACE\n");
}

static void
put_json(struct tl_fields *f, const struct tl_message *m)
{
	tl_fields_object(f, NULL);
	tl_fields_bytes(f, "category", m->category);
	tl_fields_string(f, "priority", tl_level_name(m->level));
	tl_fields_string(f, "now", gate_name(m));
	tl_fields_string(f, "kind", tl_record_kind_name(m->kind));
	tl_fields_bytes(f, "message", m->line1);
	tl_fields_bytes(f, "explanation", m->explain);
	if (m->file.size > 0) {
		tl_fields_bytes(f, "file", m->file);
		tl_fields_unsigned(f, "line", m->line);
	} else {
		tl_fields_null(f, "file");
		tl_fields_null(f, "line");
	}
	tl_fields_object_end(f);
}

static void
put_all(struct tl_call *call, const struct tl_snap *snap)
{
	const size_t count = tl_snap_message_count(snap);
	struct tl_fields f = tl_call_json(call);

	if (!tl_call_has(call, TL_CTL_JSON)) {
		put_heading(&call->out);
		for (size_t i = 0; i < count; i++)
			put_row(&call->out, tl_snap_message(snap, i));
		return;
	}
	tl_fields_object(&f, NULL);
	tl_fields_array(&f, "messages");
	for (size_t i = 0; i < count; i++)
		put_json(&f, tl_snap_message(snap, i));
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
}

int
tl_verb_messages(struct tl_call *call)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;
	struct tl_name name;
	int rc = tl_call_name(call, 0, &name);

	if (rc != 0)
		return rc;
	rc = tl_zst_snap_open(&snap, name.path, 1, &fault);
	if (rc == -ENOENT)
		return tl_call_no_file(call, &name, ENOENT);
	if (rc != 0)
		return tl_call_fault(call, name.shown, rc, &fault);
	put_all(call, snap);
	tl_snap_close(snap);
	return 0;
}
