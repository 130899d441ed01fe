/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - named values as text for a person, as JSON or as CSV.
 */
#include "base/fields.h"

#include <assert.h>
#include <math.h>

enum { INDENT = 4 };

/* Put a name for people: spaces instead of underscores. */
static void
put_label(struct tl_text *text, const char *name)
{
	for (; *name; name++)
		tl_put_char(text, *name == '_' ? ' ' : *name);
}

static bool
is_text(const struct tl_fields *f)
{
	return !f->json && !f->csv;
}

static void
put_line_start(struct tl_fields *f)
{
	if (f->depth > 1)
		tl_put_repeat(f->text, ' ', (size_t)(f->depth - 1) * INDENT);
}

/* Put the separator and the name before a value. */
static void
begin_member(struct tl_fields *f, const char *name, const char *suffix)
{
	const bool first = !f->begun[f->depth];

	f->begun[f->depth] = true;
	if (!is_text(f)) {
		if (!first)
			tl_put_char(f->text, ',');
		if (!name || f->csv)
			return;
		tl_put_char(f->text, '"');
		tl_put_json(f->text, tl_bytes_of(name));
		tl_put_string(f->text, suffix);
		tl_put_string(f->text, "\":");
		return;
	}
	if (f->inline_depth) {
		if (!first)
			tl_put_string(f->text, "  ");
		if (name) {
			put_label(f->text, name);
			tl_put_char(f->text, ' ');
		}
		return;
	}
	put_line_start(f);
	if (name) {
		put_label(f->text, name);
		tl_put_string(f->text, ": ");
	}
}

void
tl_fields_member(struct tl_fields *f, const char *name)
{
	begin_member(f, name, "");
}

static void
end_member(struct tl_fields *f)
{
	if (is_text(f) && !f->inline_depth)
		tl_put_char(f->text, '\n');
}

static void
go_down(struct tl_fields *f)
{
	assert(f->depth < TL_FIELDS_DEPTH_MAX);
	f->depth++;
	f->begun[f->depth] = false;
}

void
tl_fields_object(struct tl_fields *f, const char *name)
{
	if (f->depth == 0) {
		if (f->json)
			tl_put_char(f->text, '{');
		go_down(f);
		return;
	}
	if (f->json) {
		begin_member(f, name, "");
		tl_put_char(f->text, '{');
	} else if (name && f->inline_depth) {
		begin_member(f, name, "");
	} else if (name) {
		put_line_start(f);
		put_label(f->text, name);
		tl_put_string(f->text, ":\n");
	} else {
		f->begun[f->depth] = true;
		put_line_start(f);
	}
	go_down(f);
	/* an element of an array is a single line */
	if (!f->json && !name && !f->inline_depth)
		f->inline_depth = f->depth;
}

void
tl_fields_object_end(struct tl_fields *f)
{
	if (f->json)
		tl_put_char(f->text, '}');
	if (!f->json && f->inline_depth == f->depth) {
		f->inline_depth = 0;
		tl_put_char(f->text, '\n');
	}
	f->depth--;
	if (f->depth == 0 && !is_text(f))
		tl_put_char(f->text, '\n');
}

void
tl_fields_array(struct tl_fields *f, const char *name)
{
	if (f->json) {
		begin_member(f, name, "");
		tl_put_char(f->text, '[');
	} else {
		put_line_start(f);
		put_label(f->text, name);
		tl_put_string(f->text, ":\n");
	}
	go_down(f);
}

void
tl_fields_array_end(struct tl_fields *f)
{
	if (f->json) {
		tl_put_char(f->text, ']');
	} else if (!f->begun[f->depth] && f->text->size > 0) {
		f->text->size--; /* the end of the line with the name */
		tl_put_string(f->text, " none\n");
	}
	f->depth--;
}

void
tl_fields_unsigned(struct tl_fields *f, const char *name, uint64_t n)
{
	begin_member(f, name, "");
	tl_put_unsigned(f->text, n);
	end_member(f);
}

void
tl_fields_signed(struct tl_fields *f, const char *name, int64_t n)
{
	begin_member(f, name, "");
	tl_put_signed(f->text, n);
	end_member(f);
}

void
tl_fields_double(struct tl_fields *f, const char *name, double x)
{
	begin_member(f, name, "");
	if (is_text(f))
		tl_put_format(f->text, "%.6g", x);
	else if (isfinite(x) || f->csv)
		tl_put_double(f->text, x);
	else
		tl_put_string(f->text, "null");
	end_member(f);
}

void
tl_fields_bool(struct tl_fields *f, const char *name, bool b)
{
	begin_member(f, name, "");
	if (is_text(f))
		tl_put_string(f->text, b ? "yes" : "no");
	else
		tl_put_string(f->text, b ? "true" : "false");
	end_member(f);
}

void
tl_fields_bytes(struct tl_fields *f, const char *name, struct tl_bytes bytes)
{
	begin_member(f, name, "");
	if (f->json) {
		tl_put_char(f->text, '"');
		tl_put_json(f->text, bytes);
		tl_put_char(f->text, '"');
	} else if (f->csv) {
		tl_put_csv(f->text, bytes);
	} else {
		tl_put_plain(f->text, bytes);
	}
	end_member(f);
}

void
tl_fields_string(struct tl_fields *f, const char *name, const char *string)
{
	tl_fields_bytes(f, name, tl_bytes_of(string));
}

void
tl_fields_null(struct tl_fields *f, const char *name)
{
	begin_member(f, name, "");
	tl_put_string(f->text, f->json ? "null" : f->csv ? "" : "-");
	end_member(f);
}

static void
put_ns(struct tl_fields *f, const char *name, int64_t ns,
    void (*put)(struct tl_text *text, int64_t ns))
{
	begin_member(f, name, "_ns");
	(is_text(f) ? put : tl_put_signed)(f->text, ns);
	end_member(f);
}

void
tl_fields_time(struct tl_fields *f, const char *name, int64_t ns)
{
	put_ns(f, name, ns, tl_put_time);
}

void
tl_fields_duration(struct tl_fields *f, const char *name, int64_t ns)
{
	put_ns(f, name, ns, tl_put_duration);
}
