/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - convert lines to events; see rtl.h and front/rtl_text.h.
 *
 *	001234 11 | desktop (cd100003) ::Desktop::Main : words
 *	^column   ^what                                ^colon
 *	       ^number  \________ scope _____________/
 *
 * A log has few scopes and many lines, so the messages of scopes are kept in a
 * table with one place for each hash.
 */
#include "format/rtl/rtl.h"

#include "base/array.h"
#include "base/lines.h"
#include "base/ns.h"
#include "base/table.h"
#include "base/text.h"
#include "event/intern.h"
#include "front/rtl_text.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	LEVEL = 6, /* info: the format has no levels */
	/*
	 * After this many unknown lines and no known line, the file is of
	 * another format.
	 */
	UNKNOWN_MAX = 64,
	DIGITS_MAX = 19,
	FRACTION_DIGITS = 9,
	LABEL_SIZE_MAX = 32 << 10, /* a longer name is an argument */
	KEPT_SIZE_MAX = 160,
	KEPT_COUNT = 1 << 12
};

static const uint64_t ms_ns = 1000000, us_ns = 1000;

enum { NO_TIME, LONG, UNCLOSED, CUT, TOO_MANY, BAD_TIME, BEFORE, LONELY_END };

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[NO_TIME] = { -EBADMSG, "line without a time, taken as a message" },
	[LONG] = { -EBADMSG, "line of more than 64 KiB, cut" },
	[UNCLOSED] = { -ENODATA, "the log was not closed: its end is missing" },
	[CUT] = { -ENODATA, "the log ends inside its last line" },
	[TOO_MANY] = { -ENOSPC, "too many different texts, left out" },
	[BAD_TIME] = { -EBADMSG, "time out of range" },
	[LONELY_END] = { 0, "end without a begin" },
	[BEFORE] = { -EBADMSG, "line before the log begins, left out" },
};

/* The kind of a line. */
enum kind {
	UNKNOWN,
	RECORD,
	OPENING, /* ns: time of opening */
	TIMER,   /* column: timer at that time */
	PROCESS, /* number: the process */
	CLOSING  /* column: time of closing */
};

struct line {
	enum kind kind;
	char what;             /* record: '{', '}' or '|' */
	bool is_marked;        /* the record has such a mark */
	bool is_us;            /* TIMER: microseconds */
	uint32_t number;       /* thread or process */
	uint64_t column;       /* time */
	int64_t ns;            /* Unix time */
	struct tl_bytes scope; /* "project (author) name" or parts of it */
	struct tl_bytes words; /* '|': the message */
};

/* The parts of a scope; a missing part is empty. */
struct scope {
	struct tl_bytes project;
	struct tl_bytes author;
	struct tl_bytes name;
};

/* The message that a scope becomes. */
struct meaning {
	const struct tl_message *message;
	uint64_t label; /* first argument, if has_label */
	bool has_label;
};

struct kept {
	struct meaning meaning;
	uint32_t size; /* size of the key + 1; 0: free */
	char what;
	char key[KEPT_SIZE_MAX];
};

struct rtl_read {
	struct tl_reader reader; /* first: callers see the reader */
	struct tl_sink *sink;
	const struct tl_report *report;
	struct tl_interner *interner;
	struct tl_notes notes;
	struct tl_id_map open_ids; /* (scope, thread) */
	uint64_t *open;            /* open scopes, by that id */
	size_t open_capacity;
	struct kept kept[KEPT_COUNT];
	struct tl_text text; /* text of the new message */
	struct tl_lines lines;
	struct tl_text joined; /* a scope made of two places */
	struct tl_event event;
	uint64_t at; /* offset of the current line */
	uint64_t known;
	uint64_t unknown;
	const struct tl_message *opened;
	const struct tl_message *closed, *ended;
	bool has_no_break; /* the line is the last, and has none */
	int64_t opened_ns;
	uint64_t timer_ns;
	int64_t origin_ns; /* Unix time of column 0 */
	uint64_t unit_ns;
	uint64_t column; /* last column as written */
	uint64_t wraps;  /* turns of 32-bit milliseconds */
	bool has_header;
	bool is_fresh; /* no line since the header */
	bool is_closed;
};

/* == lines == */

static struct tl_bytes
skip(struct tl_bytes bytes, size_t size)
{
	return tl_bytes(bytes.data + size, bytes.size - size);
}

static bool
take_number(struct tl_bytes *bytes, uint64_t max, uint64_t *number)
{
	const size_t digits = tl_number_take(*bytes, number);

	*bytes = skip(*bytes, digits);
	return digits > 0 && digits <= DIGITS_MAX && *number <= max;
}

/* Take a number as printf's %f writes it in any locale, as nanoseconds. */
static bool
take_seconds(struct tl_bytes *bytes, int64_t *ns)
{
	const bool negative = tl_bytes_take(bytes, "-");
	uint64_t seconds, fraction = 0;
	unsigned digits = 0;

	if (!take_number(bytes, INT64_MAX / TL_NS_PER_S - 1, &seconds))
		return false;
	if (tl_bytes_take(bytes, ".") || tl_bytes_take(bytes, ",")) {
		for (; bytes->size > 0 && tl_is_digit(bytes->data[0]);
		     *bytes = skip(*bytes, 1)) {
			if (digits++ < FRACTION_DIGITS)
				fraction = fraction * 10 +
					   (uint64_t)(bytes->data[0] - '0');
		}
	}
	for (; digits < FRACTION_DIGITS; digits++)
		fraction *= 10;
	*ns = (int64_t)(seconds * TL_NS_PER_S + fraction);
	if (negative)
		*ns = -*ns;
	return true;
}

/* Parse a line without a time. */
static void
parse_header(struct line *line, struct tl_bytes b)
{
	uint64_t number;

	if (tl_bytes_take(&b, "opening log file ")) {
		if (take_seconds(&b, &line->ns) &&
		    tl_bytes_take(&b, " seconds past January 1st 1970"))
			line->kind = OPENING;
	} else if (tl_bytes_take(&b, "corresponding to ")) {
		if (!take_number(&b, UINT64_MAX, &line->column))
			return;
		line->is_us = tl_bytes_take(&b, " us ");
		if (line->is_us || tl_bytes_take(&b, " ms "))
			line->kind = TIMER;
	} else if (tl_bytes_take(&b, "Process id is ")) {
		if (take_number(&b, UINT32_MAX, &number)) {
			line->number = (uint32_t)number;
			line->kind = PROCESS;
		}
	} else if (tl_bytes_take(&b, "closing log file at ")) {
		if (take_number(&b, UINT64_MAX, &line->column))
			line->kind = CLOSING;
	}
}

/* Find the first " : " of bytes; false: none. */
static bool
find_colon(struct tl_bytes bytes, size_t *at)
{
	const char *from = bytes.data, *end;

	if (bytes.size < 3)
		return false;
	end = from + bytes.size;
	while (end - from >= 3 &&
	       (from = memchr(from + 1, ':', (size_t)(end - from) - 2))) {
		if (from[-1] == ' ' && from[1] == ' ') {
			*at = (size_t)(from - 1 - bytes.data);
			return true;
		}
	}
	return false;
}

/*
 * Parse the rest of a line behind time and thread.  Without a mark, the rest is
 * a message: programs could write such lines, too.
 */
static void
parse_record(struct line *line, struct tl_bytes rest)
{
	size_t at;

	line->is_marked =
	    rest.size > 0 && (rest.size == 1 || rest.data[1] == ' ') &&
	    (rest.data[0] == '{' || rest.data[0] == '}' || rest.data[0] == '|');
	line->kind = RECORD;
	line->what = line->is_marked ? rest.data[0] : '|';
	if (!line->is_marked) {
		line->words = rest;
		return;
	}
	rest = skip(rest, rest.size == 1 ? 1 : 2);
	if (line->what != '|') {
		/* the documented form has a colon also behind a scope */
		if (tl_bytes_end_with(rest, " : "))
			rest.size -= 3;
		else if (tl_bytes_end_with(rest, " :"))
			rest.size -= 2;
		line->scope = rest;
		return;
	}
	/* scope : words; scope or words may be missing */
	if (rest.size == 1 && rest.data[0] == ':') {
		line->words = skip(rest, 1);
	} else if (tl_bytes_take(&rest, ": ")) {
		line->words = rest;
	} else if (find_colon(rest, &at)) {
		line->scope = tl_bytes(rest.data, at);
		line->words = skip(rest, at + 3);
	} else if (tl_bytes_end_with(rest, " :")) {
		line->scope = tl_bytes(rest.data, rest.size - 2);
	} else {
		line->words = rest;
	}
}

/* Parse a line without its line break. */
static void
parse_line(struct line *line, struct tl_bytes b)
{
	uint64_t number;

	*line = (struct line){ .kind = UNKNOWN };
	if (b.size == 0 || !tl_is_digit(b.data[0])) {
		parse_header(line, b);
	} else if (take_number(&b, UINT64_MAX, &line->column) &&
		   tl_bytes_take(&b, " ") &&
		   take_number(&b, UINT32_MAX, &number) &&
		   tl_bytes_take(&b, " ")) {
		line->number = (uint32_t)number;
		parse_record(line, b);
	}
}

/*
 * Parse "project (author) name".  Neither project nor author contains a blank,
 * and no project begins with a colon, as functions do.
 */
static struct scope
parse_scope(struct tl_bytes b)
{
	struct scope scope = { .name = b };
	const char *blank = b.size > 0 ? memchr(b.data, ' ', b.size) : NULL;
	struct tl_bytes rest;
	const char *end;

	if (!blank || blank == b.data || b.data[0] == ':')
		return scope;
	rest = skip(b, (size_t)(blank - b.data));
	if (!tl_bytes_take(&rest, " ("))
		return scope;
	end = rest.size > 0 ? memchr(rest.data, ')', rest.size) : NULL;
	if (!end || memchr(rest.data, ' ', (size_t)(end - rest.data)))
		return scope;
	if (end + 1 < rest.data + rest.size && end[1] != ' ')
		return scope;
	scope.project = tl_bytes(b.data, (size_t)(blank - b.data));
	scope.author = tl_bytes(rest.data, (size_t)(end - rest.data));
	rest = skip(rest, scope.author.size + 1);
	scope.name = skip(rest, rest.size > 0 ? 1 : 0);
	return scope;
}

/* == messages == */

/* Can the first line of a message hold a name? */
static bool
is_plain(struct tl_bytes name)
{
	return name.size > 0 && name.size <= LABEL_SIZE_MAX &&
	       !memchr(name.data, '$', name.size) &&
	       !memchr(name.data, '\0', name.size);
}

/* Append the name of a scope, or the argument that holds the name. */
static int
put_name(struct rtl_read *r, struct tl_bytes name, struct meaning *meaning)
{
	if (is_plain(name)) {
		tl_put_bytes(&r->text, name);
		return 0;
	}
	meaning->has_label = true;
	tl_put_string(&r->text, TL_RTL_LABEL);
	return tl_interner_string(r->interner, name, &meaning->label);
}

/* Define the message of r->text, with its author and its project. */
static int
define(struct rtl_read *r, const struct scope *scope, char what,
    struct meaning *meaning)
{
	const struct tl_bytes category = scope->project.size > 0
					     ? scope->project
					     : tl_bytes_of(TL_RTL_CATEGORY);

	if (scope->author.size > 0 && !tl_bytes_are(scope->author, "-")) {
		tl_put_string(&r->text, "\n" TL_RTL_AUTHOR);
		tl_put_bytes(&r->text, scope->author);
	}
	if (r->text.rc < 0)
		return r->text.rc;
	return tl_interner_message(r->interner, category,
	    tl_text_bytes(&r->text),
	    what == '|' ? TIMELINE_RECORD_INSTANT : TIMELINE_RECORD_SPAN, LEVEL,
	    TIMELINE_THREAD, &meaning->message);
}

/*
 * Find the span of a part of a scope, which a message opens or closes.  Errors
 * as tl_interner_message().
 */
static int
find_part(struct rtl_read *r, struct tl_bytes bytes, struct tl_bytes part,
    struct meaning *meaning)
{
	const struct scope scope = parse_scope(bytes);
	int rc = 0;

	*meaning = (struct meaning){ 0 };
	tl_text_clear(&r->text);
	if (scope.name.size > 0 && is_plain(part)) {
		rc = put_name(r, scope.name, meaning);
	} else {
		/* the part takes the label: ? for bad characters */
		for (size_t i = 0; i < scope.name.size && i < LABEL_SIZE_MAX;
		     i++) {
			const char c = scope.name.data[i];

			tl_put_char(&r->text, c == '$' || c == '\0' ? '?' : c);
		}
	}
	tl_put_string(&r->text, scope.name.size > 0 ? TL_RTL_COLON : ": ");
	if (rc == 0)
		rc = put_name(r, part, meaning);
	return rc < 0 ? rc : define(r, &scope, '{', meaning);
}

/*
 * Find the meaning of "project (author) name": a span behind '{', an event
 * whose last argument is the words behind '|'.  Errors as
 * tl_interner_message().
 */
static int
find_meaning(struct rtl_read *r, char what, struct tl_bytes key,
    struct meaning *meaning)
{
	const uint64_t hash = tl_hash_bytes(key) ^ (uint64_t)what;
	struct kept *k = &r->kept[hash % KEPT_COUNT];
	struct scope scope;
	int rc = 0;

	if (k->size == key.size + 1 && k->what == what &&
	    tl_bytes_equal(tl_bytes(k->key, key.size), key)) {
		*meaning = k->meaning;
		return 0;
	}
	scope = parse_scope(key);
	*meaning = (struct meaning){ 0 };
	tl_text_clear(&r->text);
	if (what != '|' || scope.name.size > 0)
		rc = put_name(r, scope.name, meaning);
	if (what == '|')
		tl_put_string(&r->text, scope.name.size > 0
					    ? TL_RTL_COLON TL_RTL_MESSAGE
					    : TL_RTL_MESSAGE);
	if (rc == 0)
		rc = define(r, &scope, what, meaning);
	if (rc < 0 || key.size > KEPT_SIZE_MAX)
		return rc;
	k->size = (uint32_t)key.size + 1;
	k->what = what;
	k->meaning = *meaning;
	if (key.size > 0)
		memcpy(k->key, key.data, key.size);
	return 0;
}

/* == events == */

/*
 * Count the begins and ends of a scope in a thread.  If there is no room for
 * more scopes, lonely ends go unnoticed.
 */
static int
count_open(struct rtl_read *r, const struct meaning *meaning, uint8_t kind)
{
	const struct tl_id_key key = { .a = (uintptr_t)meaning->message,
		.b = meaning->label << 32 | r->event.tid };
	uint32_t id;
	int rc;

	if (kind == TL_INSTANT)
		return 0;
	rc = TL_ID_MAP_ROOM(&r->open_ids, key, &id, r->open, r->open_capacity);
	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (kind == TL_BEGIN)
		r->open[id]++;
	else if (r->open[id] > 0)
		r->open[id]--;
	else
		tl_note(&r->notes, LONELY_END, r->at);
	return 0;
}

/*
 * Put an event at the last time and thread.  If there is no room for its texts,
 * the event is left out.
 */
static int
put(struct rtl_read *r, int rc, const struct meaning *meaning, uint8_t kind,
    struct tl_bytes words)
{
	struct tl_event *e = &r->event;
	unsigned n = 0;

	e->args[0] = e->args[1] = 0;
	if (rc == 0 && meaning->has_label)
		e->args[n++] = meaning->label;
	if (rc == 0 && kind == TL_INSTANT)
		rc = tl_interner_value(r->interner, words, &e->args[n]);
	if (rc == -ENOSPC) {
		tl_note(&r->notes, TOO_MANY, r->at);
		return 0;
	}
	if (rc < 0)
		return rc;
	e->message = meaning->message;
	e->kind = kind;
	e->number = r->known++;
	rc = count_open(r, meaning, kind);
	return rc < 0 ? rc : r->sink->put(r->sink, e);
}

/*
 * Take the scope that a message names, "::fname" or "project (author) ::fname",
 * off its words.  For the documented line "| project (author) ::f : words", the
 * macro wrote "| project (author) : ::f : words".
 */
static int
split_words(struct rtl_read *r, struct line *line)
{
	const struct tl_bytes outer = line->scope;
	struct tl_bytes inner, name;
	size_t at;

	if ((outer.size > 0 && (outer.data[outer.size - 1] != ')' ||
				   parse_scope(outer).name.size > 0)) ||
	    !find_colon(line->words, &at))
		return 0;
	inner = tl_bytes(line->words.data, at);
	name = parse_scope(inner).name;
	if (!tl_bytes_begin_with(name, "::"))
		return 0;
	line->words = skip(line->words, at + 3);
	line->scope = inner;
	if (outer.size == 0)
		return 0;
	tl_text_clear(&r->joined);
	tl_put_bytes(&r->joined, outer);
	tl_put_char(&r->joined, ' ');
	tl_put_bytes(&r->joined, inner);
	line->scope = tl_text_bytes(&r->joined);
	return r->joined.rc;
}

static int
put_words(struct rtl_read *r, struct line *line)
{
	struct tl_bytes words;
	struct meaning meaning;
	char brace;
	int rc;

	if ((rc = split_words(r, line)) < 0)
		return rc;
	words = line->words;
	brace = words.size > 0 ? words.data[0] : '\0';
	if (brace != '{' && brace != '}') {
		rc = find_meaning(r, '|', line->scope, &meaning);
		return put(r, rc, &meaning, TL_INSTANT, words);
	}
	/* a part of a scope: "{ x" or "} x", with or without the blank */
	words = skip(words, words.size > 1 && words.data[1] == ' ' ? 2 : 1);
	rc = find_part(r, line->scope, words, &meaning);
	return put(r, rc, &meaning, brace == '{' ? TL_BEGIN : TL_END,
	    tl_bytes(NULL, 0));
}

/*
 * Extend a column of 32-bit milliseconds, which begins again after 49.7 days.
 * Lines may be a little out of order, also around that moment.
 */
static uint64_t
unwrap(struct rtl_read *r, uint64_t column)
{
	const uint64_t half = UINT64_C(1) << 31, last = r->column;
	uint64_t wraps;

	if (r->unit_ns != ms_ns || column > UINT32_MAX)
		return column;
	if (column < last && last - column > half)
		r->wraps++;
	wraps = r->wraps;
	if (column > last && column - last > half && wraps > 0) {
		wraps--; /* a line from before the wrap */
		return column + (wraps << 32);
	}
	r->column = column;
	return column + (wraps << 32);
}

static bool
time_of(const struct rtl_read *r, uint64_t column, int64_t *ns)
{
	uint64_t since;
	int64_t at;

	if (__builtin_mul_overflow(column, r->unit_ns, &since) ||
	    since > INT64_MAX ||
	    __builtin_add_overflow(r->origin_ns, (int64_t)since, &at))
		return false;
	*ns = at;
	return true;
}

/* Put an event of the log itself. */
static int
put_own(struct rtl_read *r, const struct tl_message *message, int64_t ns,
    uint64_t arg)
{
	struct tl_event *e = &r->event;
	int rc;

	e->ns = ns;
	e->tsc = (uint64_t)ns;
	e->tid = 0;
	e->error_ns = (uint32_t)r->unit_ns;
	e->args[0] = arg;
	e->args[1] = 0;
	e->message = message;
	e->kind = TL_INSTANT;
	e->number = r->known++;
	rc = r->sink->put(r->sink, e);
	e->args[0] = 0;
	return rc;
}

/* Put the header as an event. */
static int
put_opened(struct rtl_read *r)
{
	r->is_fresh = false;
	return put_own(r, r->opened, r->opened_ns, r->timer_ns);
}

/*
 * Start a log at the first line behind a header, which has this column.  The
 * opening becomes an event, unless the line shows the time of the opening.
 */
static int
start_log(struct rtl_read *r, uint64_t column)
{
	if (!r->is_fresh)
		return 0;
	if (r->timer_ns > 0 || column > 0)
		return put_opened(r);
	r->is_fresh = false;
	r->event.ns = r->opened_ns;
	r->event.tsc = (uint64_t)r->opened_ns;
	return 0;
}

/* Put the closing line as an event if it is later than the line before, or has
 * a line break. */
static int
put_closed(struct rtl_read *r, const struct line *line)
{
	const int64_t last = r->is_fresh ? r->opened_ns : r->event.ns;
	int64_t ns;
	int rc;

	r->is_closed = true;
	if (!r->has_header || !time_of(r, unwrap(r, line->column), &ns) ||
	    (ns <= last && r->has_no_break))
		return 0;
	if (r->is_fresh && (rc = put_opened(r)) < 0)
		return rc;
	return put_own(r, r->has_no_break ? r->closed : r->ended,
	    ns > last ? ns : last, 0);
}

static int
take_record(struct rtl_read *r, struct line *line)
{
	struct tl_event *e = &r->event;
	struct meaning meaning;
	int rc = start_log(r, line->column);

	if (rc < 0)
		return rc;
	if (!time_of(r, unwrap(r, line->column), &e->ns))
		tl_note(&r->notes, BAD_TIME, r->at); /* the last time stays */
	e->tsc = (uint64_t)e->ns;
	e->tid = line->number;
	e->error_ns = (uint32_t)r->unit_ns;
	if (line->what == '|')
		return put_words(r, line);
	rc = find_meaning(r, '{', line->scope, &meaning);
	return put(r, rc, &meaning, line->what == '{' ? TL_BEGIN : TL_END,
	    tl_bytes(NULL, 0));
}

/* Take a line of another form. */
static int
take_strange(struct rtl_read *r, struct tl_bytes line)
{
	struct meaning meaning;
	int rc;

	if (r->known > 0 || r->has_header) {
		if ((rc = start_log(r, 0)) < 0)
			return rc;
		tl_note(&r->notes, NO_TIME, r->at);
		rc = find_meaning(r, '|', tl_bytes("", 0), &meaning);
		return put(r, rc, &meaning, TL_INSTANT, line);
	}
	tl_note(&r->notes, BEFORE, r->at);
	if (++r->unknown < UNKNOWN_MAX)
		return 0;
	tl_report_write(r->report, -EBADMSG, 0, "not a log of RTL_LOGFILE");
	return -EBADMSG;
}

static void
take_header(struct rtl_read *r, const struct line *line)
{
	r->column = r->wraps = 0;
	if (line->kind == OPENING) {
		r->has_header = true;
		r->unit_ns = ms_ns;
		r->origin_ns = r->opened_ns = line->ns;
		r->timer_ns = 0;
		r->is_fresh = true;
		r->is_closed = false;
		if (r->open_capacity > 0) /* a new process */
			memset(r->open, 0, r->open_capacity * sizeof(*r->open));
		return;
	}
	r->unit_ns = line->is_us ? us_ns : ms_ns;
	if (line->column > (uint64_t)INT64_MAX / r->unit_ns ||
	    __builtin_sub_overflow(r->opened_ns,
		(int64_t)(line->column * r->unit_ns), &r->origin_ns))
		tl_note(&r->notes, BAD_TIME, r->at);
	else
		r->timer_ns = line->column * r->unit_ns;
}

static int
take_line(void *context, struct tl_bytes bytes, uint64_t at, bool cut)
{
	struct rtl_read *r = context;
	struct line line;

	r->at = at;
	if (cut)
		tl_note(&r->notes, LONG, at);
	if (bytes.size == 0)
		return 0;
	parse_line(&line, bytes);
	switch (line.kind) {
	case RECORD:
		return take_record(r, &line);
	case TIMER:
		if (!r->is_fresh) /* the opening line is missing */
			return take_strange(r, bytes);
		/* fall through */
	case OPENING:
		take_header(r, &line);
		return 0;
	case PROCESS:
		r->event.pid = line.number;
		return 0;
	case CLOSING:
		return put_closed(r, &line);
	default:
		return take_strange(r, bytes);
	}
}

static int
rtl_feed(struct tl_reader *reader, struct tl_bytes piece)
{
	struct rtl_read *r = (void *)reader;

	return tl_lines_feed(&r->lines, piece);
}

static int
rtl_finish(struct tl_reader *reader)
{
	struct rtl_read *r = (void *)reader;
	const bool cut = r->lines.carry.size > 0;
	int rc;

	r->at = r->lines.at;
	r->has_no_break = cut;
	rc = tl_lines_finish(&r->lines);
	if (rc == 0 && r->is_fresh && r->timer_ns > 0)
		rc = put_opened(r);
	if (cut && !r->is_closed)
		tl_note(&r->notes, CUT, r->at);
	else if (r->has_header && !r->is_closed)
		tl_note(&r->notes, UNCLOSED, r->lines.at);
	if (rc == 0 && r->unknown > 0 && r->known == 0 && !r->has_header) {
		tl_report_write(r->report, -EBADMSG, 0,
		    "not a log of RTL_LOGFILE");
		return -EBADMSG;
	}
	tl_notes_report(&r->notes, r->report);
	return rc;
}

static void
rtl_free(struct tl_reader *reader)
{
	struct rtl_read *r = (void *)reader;

	tl_interner_free(r->interner);
	tl_lines_free(&r->lines);
	tl_text_free(&r->joined);
	tl_text_free(&r->text);
	tl_id_map_free(&r->open_ids);
	free(r->open);
	free(r);
}

/* The name of a file, name_4711.log, may have the process. */
static void
rtl_named(struct tl_reader *reader, const char *name)
{
	struct rtl_read *r = (void *)reader;
	const char *dot = strrchr(name, '.'), *from = dot;
	uint64_t pid = 0;

	if (!dot || strcmp(dot, ".log") != 0)
		return;
	while (from > name && tl_is_digit(from[-1]))
		from--;
	if (from == dot || from == name || from[-1] != '_')
		return;
	for (; from < dot && pid <= UINT32_MAX; from++)
		pid = pid * 10 + (uint64_t)(*from - '0');
	if (pid <= UINT32_MAX)
		r->event.pid = (uint32_t)pid;
}

static int
define_own(struct rtl_read *r, const char *text,
    const struct tl_message **message)
{
	return tl_interner_message(r->interner, tl_bytes_of(TL_RTL_CATEGORY),
	    tl_bytes_of(text), TIMELINE_RECORD_INSTANT, LEVEL, 0, message);
}

int
tl_rtl_read_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report)
{
	struct rtl_read *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->reader = (struct tl_reader){ .feed = rtl_feed,
		.finish = rtl_finish,
		.free = rtl_free,
		.named = rtl_named };
	r->sink = sink;
	r->report = report;
	r->notes.kinds = kinds;
	r->unit_ns = ms_ns;
	r->event.cpu = TL_CPU_UNKNOWN;
	r->event.level = LEVEL;
	r->lines = (struct tl_lines){ .line = take_line,
		.context = r,
		.max = TL_RTL_LINE_MAX };
	rc = tl_interner_new(&r->interner);
	if (rc == 0)
		rc = define_own(r, TL_RTL_OPENED, &r->opened);
	if (rc == 0)
		rc = define_own(r, TL_RTL_CLOSED, &r->closed);
	if (rc == 0)
		rc = define_own(r, TL_RTL_ENDED, &r->ended);
	if (rc < 0)
		rtl_free(&r->reader);
	else
		*reader = &r->reader;
	return rc;
}

/*
 * Recognise the header, or lines with time, thread and mark: such a line comes
 * first, or such lines outnumber the others.
 */
unsigned
tl_rtl_recognise(struct tl_bytes first)
{
	unsigned marked = 0, strange = 0;
	bool leads = false;

	while (first.size > 0) {
		const char *end = memchr(first.data, '\n', first.size);
		const size_t size =
		    end ? (size_t)(end - first.data) : first.size;
		struct line line;

		if (!end && marked + strange > 0)
			break;
		parse_line(&line, tl_bytes(first.data, size));
		if (line.kind == OPENING && strange < UNKNOWN_MAX)
			return strange == 0 ? 100 : 80;
		if (line.kind == RECORD && line.is_marked) {
			leads = leads || strange == 0;
			marked++;
		} else if (size > 0) {
			strange++;
		}
		if (!end)
			break;
		first = tl_bytes(end + 1, first.size - size - 1);
	}
	if (leads)
		return marked > 1 ? 70 : 60;
	return marked > 2 * strange ? 50 : 0;
}
