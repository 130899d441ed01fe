/* SPDX-License-Identifier: Apache-2.0 */
/* csv_read.c - lines of 17 fields to events. */
#include "format/csv_read.h"

#include "format/line_read.h"
#include "format/number.h"

#include <errno.h>

enum column {
	NS,
	TSC,
	CPU,
	PID,
	TID,
	PRIORITY,
	CATEGORY,
	MESSAGE,
	KIND,
	ARG,   /* the first argument's name ... */
	VALUE, /* ... and value */
	COLUMNS = ARG + 2 * TL_ARGS_MAX
};

static const char first_names[] = "ns,tsc,cpu,pid,tid,priority,";

/* The end of a field that begins with a quote. */
static const char *
quoted_end(const char *at, const char *end)
{
	for (at++; at < end; at++) {
		if (*at != '"')
			continue;
		if (at + 1 < end && at[1] == '"')
			at++;
		else
			return at + 1;
	}
	return NULL;
}

static bool
split(struct tl_bytes line, struct tl_bytes fields[COLUMNS])
{
	const char *at = line.data, *end = line.data + line.size;

	for (unsigned i = 0; i < COLUMNS; i++) {
		const char *start = at;

		if (at < end && *at == '"') {
			if (!(at = quoted_end(at, end)))
				return false;
		} else {
			while (at < end && *at != ',')
				at++;
		}
		fields[i] = tl_bytes(start, (size_t)(at - start));
		if (i + 1 == COLUMNS)
			break;
		if (at == end || *at++ != ',')
			return false;
	}
	return at == end;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte of an escape, and how long it is; what is none is itself. */
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
		if (size < 4 || hex_digit(at[2]) < 0 || hex_digit(at[3]) < 0)
			return 1;
		*byte = (char)(hex_digit(at[2]) << 4 | hex_digit(at[3]));
		return 4;
	default:
		return 1;
	}
}

static struct tl_bytes
csv_undo(struct tl_line_read *r, struct tl_bytes raw)
{
	const bool quoted = raw.size >= 2 && raw.data[0] == '"';
	char byte;

	if (quoted)
		raw = tl_bytes(raw.data + 1, raw.size - 2);
	if (raw.size > 0 && raw.data[0] == '\'')
		raw = tl_bytes(raw.data + 1, raw.size - 1);
	if (!quoted && !(raw.size > 0 && memchr(raw.data, '\\', raw.size)))
		return raw;
	tl_text_clear(&r->scratch);
	for (size_t i = 0; i < raw.size;) {
		i += undo_escape(raw.data + i, raw.size - i, &byte);
		tl_put_char(&r->scratch, byte);
		if (quoted && byte == '"' && i < raw.size &&
		    raw.data[i - 1] == '"' && raw.data[i] == '"')
			i++;
	}
	return tl_bytes(r->scratch.data, r->scratch.size);
}

static int
read_place(const struct tl_bytes fields[COLUMNS], struct tl_event *event)
{
	event->cpu = TL_CPU_UNKNOWN;
	if (tl_number_signed(fields[NS], &event->ns) < 0 ||
	    tl_number_unsigned(fields[TSC], &event->tsc) < 0 ||
	    (fields[CPU].size > 0 &&
		tl_number_small(fields[CPU], &event->cpu) < 0))
		return -EBADMSG;
	return 0;
}

static int
read_loss(struct tl_line_read *r, const struct tl_bytes fields[COLUMNS],
    struct tl_event *event)
{
	if (read_place(fields, event) < 0 ||
	    tl_number_unsigned(fields[VALUE], &event->lost) < 0)
		return -EBADMSG;
	return tl_line_read_give(r, event);
}

static int
read_values(struct tl_line_read *r, const struct tl_bytes fields[COLUMNS],
    struct tl_event *event)
{
	int rc = 0;

	for (unsigned i = 0; i < event->message->argc && rc == 0; i++) {
		if (fields[ARG + 2 * i].size == 0)
			tl_note(&r->notes, TL_LINE_VALUE, r->at);
		else
			rc = tl_line_read_value(r,
			    event->message->args[i].format,
			    fields[VALUE + 2 * i], &event->args[i]);
	}
	return rc;
}

static int
read_event(struct tl_line_read *r, const struct tl_bytes fields[COLUMNS],
    struct tl_event *event)
{
	const struct tl_memo_key key = { { fields[PRIORITY], fields[CATEGORY],
					     fields[MESSAGE] },
		event->kind };
	uint64_t whole;
	int rc;

	if (read_place(fields, event) < 0 ||
	    tl_number_small(fields[PID], &event->pid) < 0 ||
	    tl_number_small(fields[TID], &event->tid) < 0)
		return -EBADMSG;
	rc = tl_line_read_message(r, &key, &event->message, &whole);
	if (rc < 0)
		return rc;
	event->args[0] = whole;
	if (whole == 0)
		rc = read_values(r, fields, event);
	return rc < 0 ? rc : tl_line_read_give(r, event);
}

static int
csv_line(struct tl_line_read *r, struct tl_bytes line, uint64_t at)
{
	struct tl_bytes fields[COLUMNS];
	struct tl_event event = { 0 };

	(void)at;
	if (tl_csv_recognise(line) > 0) /* also where files were joined */
		return 0;
	if (!split(line, fields))
		return -EBADMSG;
	event.kind = (uint8_t)tl_line_read_kind(fields[KIND]);
	if (event.kind == 0)
		return -EBADMSG;
	return event.kind == TL_LOST ? read_loss(r, fields, &event)
				     : read_event(r, fields, &event);
}

int
tl_csv_read_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report)
{
	struct tl_line_read *r;
	int rc = tl_line_read_make(&r, sink, report);

	if (rc < 0)
		return rc;
	r->line = csv_line;
	r->undo = csv_undo;
	r->name = "CSV of timeline-dump";
	*reader = &r->reader;
	return 0;
}

unsigned
tl_csv_recognise(struct tl_bytes first)
{
	const size_t size = sizeof(first_names) - 1;

	return first.size >= size && memcmp(first.data, first_names, size) == 0
		   ? 100
		   : 0;
}
