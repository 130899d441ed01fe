/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - lines of 17, 19, 21, 23, 25 or 26 fields to events. */
#include "format/csv/csv.h"

#include "base/lines.h"
#include "base/text.h"
#include "format/line.h"

#include <errno.h>
#include <timeline.h>

#define ARGS TL_LINE_ARGS

/* The members in the columns; each argument has two, a name and a value. */
static const uint8_t columns[] = { TL_LINE_NS, TL_LINE_TSC, TL_LINE_CPU,
	TL_LINE_PID, TL_LINE_TID, TL_LINE_PRIORITY, TL_LINE_CATEGORY,
	TL_LINE_MESSAGE, TL_LINE_KIND, ARGS, ARGS, ARGS, ARGS, ARGS, ARGS, ARGS,
	ARGS, TL_LINE_THREAD, TL_LINE_PROCESS, TL_LINE_DURATION, TL_LINE_UNSURE,
	TL_LINE_PROVEN, TL_LINE_BEGUN, TL_LINE_HOST, TL_LINE_TIMELINE,
	TL_LINE_BARE };

enum { PRIORITY = 5, KIND = 8, FIRST_ARG, COLUMNS = sizeof(columns) };

static const char first_names[] = "ns,tsc,cpu,pid,tid,priority,";

/* Find c, eight bytes at a time; NULL: not found. */
static const char *
find(const char *at, const char *end, char c)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t x, found;

	for (; end - at >= 8; at += 8) {
		memcpy(&x, at, sizeof(x));
		x ^= each * (unsigned char)c;
		found = (x - each) & ~x & each * 0x80;
		if (found) /* the lowest match is right, others may not be */
			return at + __builtin_ctzll(found) / 8;
	}
	while (at < end && *at != c)
		at++;
	return at < end ? at : NULL;
}

/*
 * The end of a field that begins with a quote; NULL: the quote is not closed.
 */
static const char *
quoted_end(const char *at, const char *end)
{
	while ((at = find(at + 1, end, '"'))) {
		if (++at == end || *at != '"')
			return at;
	}
	return NULL;
}

/* Take a field up to the comma behind it. */
static bool
take_field(struct tl_scan *s, struct tl_line_value *field)
{
	const char *start = s->at;

	field->kind = TL_LINE_ABSENT;
	field->text = tl_bytes(start, 0);
	if (start == s->end || *start == ',')
		return true;
	if ((tl_is_digit(*start) || *start == '-') &&
	    tl_line_read_digits(s, field) && (s->at == s->end || *s->at == ','))
		return true;
	field->kind = *start == '"' ? TL_LINE_TEXT : TL_LINE_WORD;
	if (*start == '"')
		s->at = quoted_end(start, s->end);
	else if (!(s->at = find(start, s->end, ',')))
		s->at = s->end;
	if (s->at)
		field->text.size = (size_t)(s->at - start);
	return s->at != NULL;
}

/*
 * Did an older version write so many columns: lines without names, durations,
 * proofs, origins, or the last?
 */
static bool
is_older(unsigned count)
{
	return count == 17 || count == 19 || count == 21 || count == 23 ||
	       count == 25;
}

static bool
split(const struct tl_line_read *r, struct tl_bytes line,
    struct tl_line_row *row)
{
	static const struct tl_bytes between[] = { { "", 0 }, { ",", 1 },
		{ ",", 1 }, { ",", 1 }, { "", 0 } };
	struct tl_scan s = { line.data, line.data + line.size };
	struct tl_line_value *field;

	row->count = TL_ARGS_MAX;
	for (unsigned i = 0; i < COLUMNS; i++) {
		if (i == PRIORITY && tl_line_read_guess(r, &s, row, between)) {
			i = KIND;
		} else {
			field = columns[i] == ARGS ? &row->args[i - FIRST_ARG]
						   : &row->members[columns[i]];
			if (!take_field(&s, field))
				return false;
		}
		if (s.at == s.end)
			return i + 1 == COLUMNS || is_older(i + 1);
		if (!TL_SCAN_SKIP(&s, ","))
			return false;
	}
	return false;
}

/* Undo an escape and return its size; bytes that are no escape stay. */
static size_t
undo_escape(const char *at, size_t size, char *byte)
{
	*byte = *at;
	if (*at != '\\' || size < 2)
		return 1;
	switch (at[1]) {
	case '\\':
		*byte = '\\';
		return 2;
	case 'n':
		*byte = '\n';
		return 2;
	case 't':
		*byte = '\t';
		return 2;
	case 'x':
		if (size < 4 || tl_hex_digit(at[2]) < 0 ||
		    tl_hex_digit(at[3]) < 0)
			return 1;
		*byte = (char)(tl_hex_digit(at[2]) << 4 | tl_hex_digit(at[3]));
		return 4;
	default:
		return 1;
	}
}

/* The text of a field, with its quotes if there are any. */
static int
csv_text(struct tl_line_read *r, const struct tl_line_value *field,
    struct tl_bytes *text)
{
	struct tl_bytes raw = field->text;
	const bool quoted = raw.size >= 2 && raw.data[0] == '"';
	const size_t start = r->scratch.size;
	char byte;

	if (quoted)
		raw = tl_bytes(raw.data + 1, raw.size - 2);
	if (raw.size > 0 && raw.data[0] == '\'')
		raw = tl_bytes(raw.data + 1, raw.size - 1);
	*text = raw;
	if (!quoted && !(raw.size > 0 && memchr(raw.data, '\\', raw.size)))
		return 0;
	for (size_t i = 0; i < raw.size;) {
		i += undo_escape(raw.data + i, raw.size - i, &byte);
		tl_put_char(&r->scratch, byte);
		if (quoted && byte == '"' && i < raw.size &&
		    raw.data[i - 1] == '"' && raw.data[i] == '"')
			i++;
	}
	*text = tl_bytes(r->scratch.data + start, r->scratch.size - start);
	return 0;
}

static int
csv_line(struct tl_line_read *r, struct tl_bytes line)
{
	struct tl_line_row row;
	struct tl_line_value *m = row.members;

	if (tl_csv_recognise(line) > 0) /* files may be joined */
		return 0;
	tl_line_row_clear(&row);
	if (!split(r, line, &row))
		return -EBADMSG;
	if (tl_bytes_are(m[TL_LINE_KIND].text, "lost"))
		m[TL_LINE_LOST] = row.args[1];
	else if (tl_bytes_are(m[TL_LINE_KIND].text, "overwritten"))
		m[TL_LINE_OVERWRITTEN] = row.args[1];
	/* The stamp 0 without a duration: there is no begin. */
	if (m[TL_LINE_BEGUN].kind == TL_LINE_WHOLE &&
	    m[TL_LINE_BEGUN].number == 0 &&
	    m[TL_LINE_DURATION].kind != TL_LINE_WHOLE)
		m[TL_LINE_BEGUN].kind = TL_LINE_NULL;
	return tl_line_read_row(r, &row);
}

static const struct tl_line_read_kind kind = { .name = "CSV of timeline-dump",
	.line = csv_line,
	.text = csv_text };

int
tl_csv_read_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report)
{
	return tl_line_read_new(reader, sizeof(struct tl_line_read), &kind,
	    sink, report);
}

unsigned
tl_csv_recognise(struct tl_bytes first)
{
	const size_t size = sizeof(first_names) - 1;

	return first.size >= size && memcmp(first.data, first_names, size) == 0
		   ? 100
		   : 0;
}
