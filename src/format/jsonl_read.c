/* SPDX-License-Identifier: Apache-2.0 */
/* jsonl_read.c - a JSON object a line to events. */
#include "format/jsonl_read.h"

#include "format/line_read.h"
#include "format/number.h"

#include <errno.h>

enum member {
	NS,
	TSC,
	CPU,
	PID,
	TID,
	PRIORITY,
	CATEGORY,
	MESSAGE,
	KIND,
	ARGS,
	LOST,
	MEMBERS
};

static const char *const names[MEMBERS] = { "ns", "tsc", "cpu", "pid", "tid",
	"priority", "category", "message", "kind", "args", "lost" };

/* Where reading of a line stands. */
struct scan {
	const char *at;
	const char *end;
};

static void
skip_space(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

static bool
skip(struct scan *s, char c)
{
	skip_space(s);
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

/* The inside of a string, escapes as they stand. */
static bool
scan_string(struct scan *s, struct tl_bytes *inside)
{
	const char *start;

	if (!skip(s, '"'))
		return false;
	start = s->at;
	while (s->at < s->end && *s->at != '"')
		s->at += *s->at == '\\' ? 2 : 1;
	if (s->at >= s->end)
		return false;
	*inside = tl_bytes(start, (size_t)(s->at++ - start));
	return true;
}

/* An object or array up to its end, whatever is in it. */
static bool
scan_nested(struct scan *s)
{
	struct tl_bytes ignored;
	size_t depth = 0;

	do {
		if (s->at == s->end)
			return false;
		if (*s->at == '"') {
			if (!scan_string(s, &ignored))
				return false;
			continue;
		}
		if (*s->at == '{' || *s->at == '[')
			depth++;
		else if (*s->at == '}' || *s->at == ']')
			depth--;
		s->at++;
	} while (depth > 0);
	return true;
}

static bool
ends_word(char c)
{
	return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\t';
}

/* Any value: of a string its inside, of others all their bytes. */
static bool
scan_value(struct scan *s, struct tl_bytes *value)
{
	const char *start;

	skip_space(s);
	if (s->at == s->end)
		return false;
	if (*s->at == '"')
		return scan_string(s, value);
	start = s->at;
	if (*s->at == '{' || *s->at == '[') {
		if (!scan_nested(s))
			return false;
	} else {
		while (s->at < s->end && !ends_word(*s->at))
			s->at++;
	}
	*value = tl_bytes(start, (size_t)(s->at - start));
	return value->size > 0;
}

/* The next member of an object: 1, 0 at its end, -EBADMSG. */
static int
scan_member(struct scan *s, bool first, struct tl_bytes *name,
    struct tl_bytes *value)
{
	if (skip(s, '}'))
		return 0;
	if (!first && !skip(s, ','))
		return -EBADMSG;
	if (!scan_string(s, name) || !skip(s, ':') || !scan_value(s, value))
		return -EBADMSG;
	return 1;
}

static void
set_member(struct tl_bytes members[MEMBERS], unsigned expected,
    struct tl_bytes name, struct tl_bytes value)
{
	for (unsigned k = 0; k < MEMBERS; k++) { /* mostly in our order */
		const unsigned i = (expected + k) % MEMBERS;

		if (tl_bytes_equal(name, tl_bytes_of(names[i]))) {
			members[i] = value;
			return;
		}
	}
}

static int
scan_line(struct tl_bytes line, struct tl_bytes members[MEMBERS])
{
	struct scan s = { line.data, line.data + line.size };
	struct tl_bytes name, value;
	unsigned count = 0;
	int rc;

	if (!skip(&s, '{'))
		return -EBADMSG;
	while ((rc = scan_member(&s, count == 0, &name, &value)) > 0)
		set_member(members, count++, name, value);
	skip_space(&s);
	return rc == 0 && s.at == s.end ? 0 : -EBADMSG;
}

/* Four hexadecimal digits, or -1. */
static int
hex4(struct tl_bytes raw, size_t at)
{
	int value = 0;

	if (raw.size < 4 || at > raw.size - 4)
		return -1;
	for (size_t i = at; i < at + 4; i++) {
		const char c = raw.data[i];
		const char lower = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			value = value << 4 | (c - '0');
		else if (lower >= 'a' && lower <= 'f')
			value = value << 4 | (lower - 'a' + 10);
		else
			return -1;
	}
	return value;
}

static void
put_utf8(struct tl_text *text, unsigned c)
{
	if (c < 0x80) {
		tl_put_char(text, (char)c);
		return;
	}
	if (c >= 0x10000) {
		tl_put_char(text, (char)(0xf0 | c >> 18));
		tl_put_char(text, (char)(0x80 | (c >> 12 & 0x3f)));
	} else if (c >= 0x800) {
		tl_put_char(text, (char)(0xe0 | c >> 12));
	}
	if (c >= 0x800)
		tl_put_char(text, (char)(0x80 | (c >> 6 & 0x3f)));
	else
		tl_put_char(text, (char)(0xc0 | c >> 6));
	tl_put_char(text, (char)(0x80 | (c & 0x3f)));
}

/* \uNNNN, or two of them for one character; how long it was. */
static size_t
undo_unicode(struct tl_text *text, struct tl_bytes raw, size_t at)
{
	const int high = hex4(raw, at + 2);
	int low;

	if (high < 0) {
		tl_put_char(text, '\\');
		return 1;
	}
	if (high < 0xd800 || high > 0xdfff) {
		put_utf8(text, (unsigned)high);
		return 6;
	}
	low = at + 7 < raw.size && raw.data[at + 6] == '\\' &&
		      raw.data[at + 7] == 'u'
		  ? hex4(raw, at + 8)
		  : -1;
	if (high > 0xdbff || low < 0xdc00 || low > 0xdfff) {
		put_utf8(text, 0xfffd); /* half a character */
		return 6;
	}
	put_utf8(text, 0x10000 + (((unsigned)high & 0x3ff) << 10 |
				     ((unsigned)low & 0x3ff)));
	return 12;
}

static size_t
undo_escape(struct tl_text *text, struct tl_bytes raw, size_t at)
{
	static const char letters[] = "nrtbf", bytes[] = "\n\r\t\b\f";
	const char c = at + 1 < raw.size ? raw.data[at + 1] : '\\';
	const char *letter = memchr(letters, c, sizeof(letters) - 1);

	if (c == 'u')
		return undo_unicode(text, raw, at);
	tl_put_char(text, letter ? bytes[letter - letters] : c);
	return 2;
}

static struct tl_bytes
json_undo(struct tl_line_read *r, struct tl_bytes raw)
{
	size_t at = 0;

	if (raw.size == 0 || !memchr(raw.data, '\\', raw.size))
		return raw;
	tl_text_clear(&r->scratch);
	while (at < raw.size) {
		if (raw.data[at] == '\\')
			at += undo_escape(&r->scratch, raw, at);
		else
			tl_put_char(&r->scratch, raw.data[at++]);
	}
	return tl_bytes(r->scratch.data, r->scratch.size);
}

static bool
is_null(struct tl_bytes value)
{
	return value.size == 0 || tl_bytes_equal(value, tl_bytes_of("null"));
}

static int
read_cpu(struct tl_bytes value, struct tl_event *event)
{
	event->cpu = TL_CPU_UNKNOWN;
	if (is_null(value))
		return 0;
	return tl_number_small(value, &event->cpu) < 0 ? -EBADMSG : 0;
}

static int
read_value(struct tl_line_read *r, struct tl_event *event, unsigned i,
    struct tl_bytes value)
{
	const unsigned format = event->message->args[i].format;

	if (format == TIMELINE_ARG_DOUBLE && is_null(value))
		value = tl_bytes_of("nan");
	return tl_line_read_value(r, format, value, &event->args[i]);
}

/* Its arguments stand in the order of the message. */
static int
read_values(struct tl_line_read *r, struct tl_bytes args,
    struct tl_event *event)
{
	struct scan s = { args.data, args.data ? args.data + args.size : NULL };
	struct tl_bytes name, value;
	unsigned i = 0;
	int rc = 1;

	if (!args.data || !skip(&s, '{'))
		return -EBADMSG;
	while (i < event->message->argc &&
	       (rc = scan_member(&s, i == 0, &name, &value)) > 0) {
		rc = read_value(r, event, i++, value);
		if (rc < 0)
			return rc;
	}
	if (i < event->message->argc)
		tl_note(&r->notes, TL_LINE_VALUE, r->at);
	return rc < 0 ? rc : 0;
}

static int
read_event(struct tl_line_read *r, const struct tl_bytes m[MEMBERS],
    struct tl_event *event)
{
	const struct tl_memo_key key = {
		{ m[PRIORITY], m[CATEGORY], m[MESSAGE] }, event->kind
	};
	uint64_t whole;
	int rc;

	if (tl_number_signed(m[NS], &event->ns) < 0 ||
	    tl_number_unsigned(m[TSC], &event->tsc) < 0 ||
	    tl_number_small(m[PID], &event->pid) < 0 ||
	    tl_number_small(m[TID], &event->tid) < 0)
		return -EBADMSG;
	rc = tl_line_read_message(r, &key, &event->message, &whole);
	if (rc < 0)
		return rc;
	event->args[0] = whole;
	if (whole == 0)
		rc = read_values(r, m[ARGS], event);
	return rc < 0 ? rc : tl_line_read_give(r, event);
}

static int
json_line(struct tl_line_read *r, struct tl_bytes line, uint64_t at)
{
	struct tl_bytes members[MEMBERS] = { 0 };
	struct tl_event event = { 0 };

	(void)at;
	if (scan_line(line, members) < 0 || read_cpu(members[CPU], &event) < 0)
		return -EBADMSG;
	if (members[LOST].size > 0) {
		event.kind = TL_LOST;
		event.ns = r->last_ns;
		if (tl_number_unsigned(members[LOST], &event.lost) < 0)
			return -EBADMSG;
		return tl_line_read_give(r, &event);
	}
	event.kind = (uint8_t)tl_line_read_kind(members[KIND]);
	if (event.kind == 0 || event.kind == TL_LOST)
		return -EBADMSG;
	return read_event(r, members, &event);
}

int
tl_jsonl_read_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report)
{
	struct tl_line_read *r;
	int rc = tl_line_read_make(&r, sink, report);

	if (rc < 0)
		return rc;
	r->line = json_line;
	r->undo = json_undo;
	r->name = "JSON lines of timeline-dump";
	*reader = &r->reader;
	return 0;
}

unsigned
tl_jsonl_recognise(struct tl_bytes first)
{
	static const char *const starts[] = { "{\"ns\":", "{\"lost\":" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const size_t size = strlen(starts[i]);

		if (first.size >= size &&
		    memcmp(first.data, starts[i], size) == 0)
			return 95;
	}
	return 0;
}
