/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - lines of 17, 19, 21, 23, 25 or 26 fields to events. */
#include "format/csv/csv.h"

#include "base/lines.h"
#include "base/text.h"
#include "format/line_read.h"

#include <errno.h>
#include <timeline.h>

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
	ARG,   /* name of the first argument */
	VALUE, /* value of the first argument */
	THREAD = ARG + 2 * TL_ARGS_MAX,
	PROCESS,
	DURATION, /* duration of a span */
	UNSURE,
	PROVEN,
	BEGUN,
	HOST,
	TIMELINE,
	BARE, /* the arguments are those of the begin */
	COLUMNS
};

static const char first_names[] = "ns,tsc,cpu,pid,tid,priority,";

/* A line, split into fields. */
struct row {
	struct tl_bytes fields[COLUMNS];
	const char *end;
	/* The message of PRIORITY to KIND; NULL: not in the cache. */
	const struct tl_message_cache_slot *slot;
};

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

static bool
take_field(struct tl_scan *s, struct tl_bytes *field)
{
	const char *start = s->at;

	if (s->at < s->end && *s->at == '"')
		s->at = quoted_end(s->at, s->end);
	else if (!(s->at = find(s->at, s->end, ',')))
		s->at = s->end;
	*field = tl_bytes(start, s->at ? (size_t)(s->at - start) : 0);
	return s->at != NULL;
}

/*
 * Take the fields from PRIORITY to KIND, and the comma behind each, if they are
 * the fields of the guessed message.
 */
static bool
take_guess(struct tl_scan *s, const struct tl_message_cache_slot *guess,
    struct row *row)
{
	const char *part = guess->data;
	struct tl_scan t = *s;

	if (!guess->message)
		return false;
	for (unsigned i = 0; i < TL_MESSAGE_CACHE_PARTS; i++) {
		row->fields[PRIORITY + i] = tl_bytes(t.at, guess->sizes[i]);
		if (!tl_scan_skip(&t, tl_bytes(part, guess->sizes[i])) ||
		    !TL_SCAN_SKIP(&t, ","))
			return false;
		part += guess->sizes[i];
	}
	row->fields[KIND] = tl_bytes_of(tl_kind_name(guess->kind));
	if (!tl_scan_skip(&t, row->fields[KIND]) || !TL_SCAN_SKIP(&t, ","))
		return false;
	row->slot = guess;
	*s = t;
	return true;
}

/*
 * Did an older version write so many columns: lines without names, durations,
 * proofs, origins, or the last?
 */
static bool
is_older(unsigned columns)
{
	return columns == THREAD || columns == DURATION || columns == PROVEN ||
	       columns == HOST || columns == BARE;
}

static bool
split(const struct tl_message_cache *cache, struct tl_bytes line,
    struct row *row)
{
	struct tl_scan s = { line.data, line.data + line.size };

	row->end = s.end;
	row->slot = NULL;
	for (unsigned i = 0; i < COLUMNS; i++) {
		if (i == PRIORITY &&
		    take_guess(&s, tl_message_cache_guess(cache), row))
			i = ARG;
		if (!take_field(&s, &row->fields[i]))
			return false;
		if (s.at == s.end && is_older(i + 1)) {
			while (++i < COLUMNS)
				row->fields[i] = tl_bytes(NULL, 0);
			return true;
		}
		if (i + 1 < COLUMNS && !TL_SCAN_SKIP(&s, ","))
			return false;
	}
	return s.at == s.end;
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

/*
 * The text of a field: in place, or appended to scratch, which has room for the
 * text.
 */
static struct tl_bytes
undo(struct tl_text *scratch, struct tl_bytes raw)
{
	const bool quoted = raw.size >= 2 && raw.data[0] == '"';
	const size_t start = scratch->size;
	char byte;

	if (quoted)
		raw = tl_bytes(raw.data + 1, raw.size - 2);
	if (raw.size > 0 && raw.data[0] == '\'')
		raw = tl_bytes(raw.data + 1, raw.size - 1);
	if (!quoted && !(raw.size > 0 && memchr(raw.data, '\\', raw.size)))
		return raw;
	for (size_t i = 0; i < raw.size;) {
		i += undo_escape(raw.data + i, raw.size - i, &byte);
		tl_put_char(scratch, byte);
		if (quoted && byte == '"' && i < raw.size &&
		    raw.data[i - 1] == '"' && raw.data[i] == '"')
			i++;
	}
	return tl_bytes(scratch->data + start, scratch->size - start);
}

/*
 * Clear scratch and make room for size bytes, so that appending moves nothing.
 */
static int
make_room(struct tl_text *scratch, size_t size)
{
	tl_text_clear(scratch);
	return tl_text_reserve(scratch, size) ? 0 : -ENOMEM;
}

static int
read_place(const struct row *row, struct tl_event *event)
{
	event->cpu = TL_CPU_UNKNOWN;
	if (tl_number_signed(row->fields[NS], row->end, &event->ns) < 0 ||
	    tl_number_unsigned(row->fields[TSC], row->end, &event->tsc) < 0 ||
	    (row->fields[CPU].size > 0 &&
		tl_number_small(row->fields[CPU], row->end, &event->cpu) < 0))
		return -EBADMSG;
	return 0;
}

static int
read_loss(struct tl_line_read *r, const struct row *row, struct tl_event *event)
{
	if (read_place(row, event) < 0 ||
	    tl_number_unsigned(row->fields[VALUE], row->end, &event->lost) < 0)
		return -EBADMSG;
	return tl_line_read_give(r, event);
}

static int
read_text(struct tl_line_read *r, unsigned format, struct tl_bytes raw,
    uint64_t *value)
{
	if (make_room(&r->scratch, raw.size) < 0)
		return -ENOMEM;
	return tl_line_read_text(r, format, undo(&r->scratch, raw), value);
}

static int
read_value(struct tl_line_read *r, const struct row *row, unsigned i,
    struct tl_event *event)
{
	const struct tl_bytes raw = row->fields[VALUE + 2 * i];
	uint64_t *value = &event->args[i];
	int64_t number;
	int rc;

	switch (event->message->args[i].format) {
	case TIMELINE_ARG_SIGNED: /* 64 bits, signed or unsigned */
	case TIMELINE_ARG_DURATION:
		rc = tl_number_signed(raw, row->end, &number);
		*value = rc == 0 ? (uint64_t)number : 0;
		if (rc < 0 &&
		    event->message->args[i].format == TIMELINE_ARG_SIGNED)
			rc = tl_number_unsigned(raw, row->end, value);
		break;
	case TIMELINE_ARG_DOUBLE:
		rc = tl_number_double(raw, value);
		break;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		return read_text(r, event->message->args[i].format, raw, value);
	default:
		rc = tl_number_unsigned(raw, row->end, value);
	}
	if (rc < 0)
		tl_line_read_odd_value(r);
	return 0;
}

/* Was an end logged without its arguments? */
static bool
is_bare(const struct row *row, const struct tl_event *event)
{
	for (unsigned i = 0; i < event->message->argc; i++) {
		if (row->fields[VALUE + 2 * i].size > 0)
			return false;
	}
	return event->kind == TL_END && event->message->argc > 0;
}

static int
read_values(struct tl_line_read *r, const struct row *row,
    struct tl_event *event)
{
	int rc = 0;

	event->bare = is_bare(row, event);
	if (event->bare)
		return 0;
	event->known = tl_bytes_equal(row->fields[BARE], tl_bytes_of("true"));
	for (unsigned i = 0; i < event->message->argc && rc == 0; i++) {
		if (row->fields[ARG + 2 * i].size == 0)
			tl_line_read_odd_value(r);
		else
			rc = read_value(r, row, i, event);
	}
	return rc;
}

/* Do the fields after the arguments of a message hold a scope? */
static bool
has_scope(const struct row *row, unsigned argc)
{
	const struct tl_bytes *pair = &row->fields[ARG + 2 * argc];

	return argc < TL_ARGS_MAX && pair[0].size > 0 &&
	       tl_bytes_equal(pair[0], tl_bytes_of(TL_CSV_SCOPE_NAME)) &&
	       tl_bytes_equal(pair[1], tl_bytes_of(TL_CSV_SCOPE_SOURCE));
}

/* Define a message that is not in the cache. */
static int
define(struct tl_line_read *r, const struct tl_message_cache_key *raw,
    const struct tl_message **message, uint64_t *whole)
{
	struct tl_message_cache_key plain = *raw;
	size_t size = 0;

	for (unsigned i = 0; i < TL_MESSAGE_CACHE_PARTS; i++)
		size += raw->parts[i].size;
	if (make_room(&r->scratch, size) < 0)
		return -ENOMEM;
	for (unsigned i = 0; i < TL_MESSAGE_CACHE_PARTS; i++)
		plain.parts[i] = undo(&r->scratch, raw->parts[i]);
	return tl_line_read_message(r, &plain, raw, message, whole);
}

static int
find_message(struct tl_line_read *r, const struct tl_message_cache_key *raw,
    struct row *row, const struct tl_message **message, uint64_t *whole)
{
	*whole = 0;
	row->slot = tl_message_cache_find(&r->cache, raw);
	if (!row->slot)
		return define(r, raw, message, whole);
	*message = row->slot->message;
	return 0;
}

/* Has the guessed message the scope that the line has? */
static bool
is_guessed(const struct row *row)
{
	const struct tl_message_cache_slot *slot = row->slot;

	return slot && (!tl_line_read_is_span(slot->kind) ||
			   has_scope(row, slot->message->argc) ==
			       (slot->scope == TIMELINE_SOURCE));
}

/*
 * Find the message first without a scope: only the message gives the number of
 * arguments, and so the column of the scope.
 */
static int
look_up_message(struct tl_line_read *r, struct row *row, struct tl_event *event,
    uint64_t *whole)
{
	struct tl_message_cache_key key = { .parts = { row->fields[PRIORITY],
						row->fields[CATEGORY],
						row->fields[MESSAGE] },
		.kind = event->kind };
	int rc = find_message(r, &key, row, &event->message, whole);

	if (rc == 0 && tl_line_read_is_span(event->kind) &&
	    has_scope(row, event->message->argc)) {
		key.scope = TIMELINE_SOURCE;
		rc = find_message(r, &key, row, &event->message, whole);
	}
	return rc;
}

static int
read_message(struct tl_line_read *r, struct row *row, struct tl_event *event)
{
	uint64_t whole = 0;
	int rc = 0;

	if (is_guessed(row))
		event->message = row->slot->message;
	else
		rc = look_up_message(r, row, event, &whole);
	if (rc < 0)
		return rc;
	if (row->slot)
		tl_message_cache_follow(&r->cache, row->slot);
	event->args[0] = whole;
	return whole ? 0 : read_values(r, row, event);
}

static int
read_names(struct tl_line_read *r, const struct row *row,
    const struct tl_event *event)
{
	const struct tl_bytes thread = row->fields[THREAD];
	const struct tl_bytes process = row->fields[PROCESS];
	struct tl_bytes plain;

	if (thread.size == 0 && process.size == 0)
		return 0;
	if (make_room(&r->scratch, thread.size + process.size) < 0)
		return -ENOMEM;
	plain = undo(&r->scratch, thread);
	return tl_line_read_names(r, event, plain, undo(&r->scratch, process));
}

static void
read_proof(const struct row *row, struct tl_event *event)
{
	const struct tl_bytes yes = tl_bytes_of("true");

	event->proven = tl_bytes_equal(row->fields[PROVEN], yes);
	if (row->fields[BEGUN].size == 0 ||
	    tl_number_unsigned(row->fields[BEGUN], row->end,
		&event->begun_tsc) < 0)
		return;
	if (tl_number_signed(row->fields[DURATION], row->end,
		&event->duration_ns) == 0)
		event->begun = tl_bytes_equal(row->fields[UNSURE], yes)
				   ? TL_BEGUN_UNSURE
				   : TL_BEGUN;
	else if (event->begun_tsc == 0)
		event->begun = TL_BEGUN_NONE;
}

static int
read_origin(struct tl_line_read *r, const struct row *row)
{
	const struct tl_bytes host = row->fields[HOST];
	const struct tl_bytes timeline = row->fields[TIMELINE];
	struct tl_bytes plain;

	if (host.size == 0 && timeline.size == 0)
		return 0;
	if (make_room(&r->scratch, host.size + timeline.size) < 0)
		return -ENOMEM;
	plain = undo(&r->scratch, host);
	tl_line_read_origin(r, plain, undo(&r->scratch, timeline));
	return 0;
}

static int
read_event(struct tl_line_read *r, struct row *row, struct tl_event *event)
{
	int rc;

	if (read_place(row, event) < 0 ||
	    tl_number_small(row->fields[PID], row->end, &event->pid) < 0 ||
	    tl_number_small(row->fields[TID], row->end, &event->tid) < 0)
		return -EBADMSG;
	read_proof(row, event);
	rc = read_message(r, row, event);
	if (rc == 0)
		rc = read_names(r, row, event);
	if (rc == 0)
		rc = read_origin(r, row);
	return rc < 0 ? rc : tl_line_read_give(r, event);
}

static int
csv_line(struct tl_line_read *r, struct tl_bytes line)
{
	struct row row;
	struct tl_event event = { 0 };

	if (tl_csv_recognise(line) > 0) /* files may be joined */
		return 0;
	if (!split(&r->cache, line, &row))
		return -EBADMSG;
	event.kind = row.slot ? row.slot->kind
			      : (uint8_t)tl_line_read_kind(row.fields[KIND]);
	if (event.kind == 0 &&
	    tl_bytes_equal(row.fields[KIND], tl_bytes_of("overwritten"))) {
		event.kind = TL_LOST;
		event.overwritten = true;
	}
	if (event.kind == 0)
		return -EBADMSG;
	return event.kind == TL_LOST ? read_loss(r, &row, &event)
				     : read_event(r, &row, &event);
}

static const struct tl_line_read_kind kind = { .name = "CSV of timeline-dump",
	.line = csv_line };

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
