/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - convert lines to events; see rtl.h and front/rtl_text.h.
 *
 *	piece --> whole lines, taken in place --> sink
 *	     \--> part: the start of the line at the end of a piece
 */
#include "format/rtl/rtl.h"

#include "base/array.h"
#include "base/table.h"
#include "base/text.h"
#include "event/reader.h"
#include "format/rtl/line.h"
#include "format/rtl/scopes.h"
#include "front/rtl_text.h"

#include <errno.h>
#include <stdlib.h>

enum {
	LINE_SIZE_MAX = TL_RTL_LINE_MAX,
	/*
	 * After this many unknown lines and no known line, the file is of
	 * another format.
	 */
	UNKNOWN_MAX = 64
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

struct rtl_read {
	struct tl_reader reader; /* first: callers see the reader */
	struct tl_sink *sink;
	const struct tl_report *report;
	struct tl_interner *interner;
	struct tl_notes notes;
	struct tl_id_map open_ids; /* (scope, thread) */
	uint64_t *open;            /* open scopes, by that id */
	size_t open_capacity;
	struct tl_rtl_scopes *scopes;
	struct tl_text part;
	struct tl_text joined; /* a scope made of two places */
	struct tl_event event;
	uint64_t at;      /* offset of the current line */
	uint64_t pending; /* bytes of the line in earlier pieces */
	uint64_t known;
	uint64_t unknown;
	const struct tl_message *opened;
	const struct tl_message *closed, *ended;
	bool has_break; /* the line has one */
	int64_t opened_ns;
	uint64_t timer_ns;
	int64_t origin_ns; /* Unix time of column 0 */
	uint64_t unit_ns;
	uint64_t column; /* last column as written */
	uint64_t wraps;  /* turns of 32-bit milliseconds */
	bool has_header;
	bool is_fresh; /* no line since the header */
	bool is_closed;
	bool is_skipping; /* skip the rest of a long line */
};

/*
 * Count the begins and ends of a scope in a thread.  If there is no room for
 * more scopes, lonely ends go unnoticed.
 */
static int
count_open(struct rtl_read *r, const struct tl_rtl_meaning *meaning,
    uint8_t kind)
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
put(struct rtl_read *r, int rc, const struct tl_rtl_meaning *meaning,
    uint8_t kind, struct tl_bytes words)
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

/* Put the part of a scope: "{ x" or "} x", with or without the blank. */
static int
put_part(struct rtl_read *r, const struct tl_rtl_line *line)
{
	const size_t skip =
	    line->words.size > 1 && line->words.data[1] == ' ' ? 2 : 1;
	struct tl_rtl_meaning meaning;
	const int rc = tl_rtl_scopes_part(r->scopes, line->scope,
	    tl_bytes(line->words.data + skip, line->words.size - skip),
	    &meaning);

	return put(r, rc, &meaning,
	    line->words.data[0] == '{' ? TL_BEGIN : TL_END, tl_bytes(NULL, 0));
}

/*
 * Take the scope that a message names.  For the documented line "| project
 * (author) ::f : words", the macro wrote "| project (author) : ::f : words".
 */
static int
split_words(struct rtl_read *r, struct tl_rtl_line *line)
{
	const struct tl_bytes outer = line->scope;
	struct tl_bytes inner;

	if (outer.size > 0 && (outer.data[outer.size - 1] != ')' ||
				  tl_rtl_scope_parse(outer).name.size > 0))
		return 0;
	if (!tl_rtl_words_split(&line->words, &inner))
		return 0;
	line->scope = inner;
	if (outer.size == 0)
		return 0;
	tl_text_clear(&r->joined);
	tl_put_bytes(&r->joined, outer);
	tl_put_char(&r->joined, ' ');
	tl_put_bytes(&r->joined, inner);
	line->scope = tl_bytes(r->joined.data, r->joined.size);
	return r->joined.rc;
}

static int
put_words(struct rtl_read *r, struct tl_rtl_line *line)
{
	struct tl_rtl_meaning meaning;
	int rc;

	if ((rc = split_words(r, line)) < 0)
		return rc;
	if (line->words.size > 0 &&
	    (line->words.data[0] == '{' || line->words.data[0] == '}'))
		return put_part(r, line);
	rc = tl_rtl_scopes_find(r->scopes, '|', line->scope, &meaning);
	return put(r, rc, &meaning, TL_INSTANT, line->words);
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

/* Put the header as an event. */
static int
put_opened(struct rtl_read *r)
{
	struct tl_event *e = &r->event;
	int rc;

	r->is_fresh = false;
	e->ns = r->opened_ns;
	e->tsc = (uint64_t)e->ns;
	e->tid = 0;
	e->error_ns = (uint32_t)r->unit_ns;
	e->args[0] = r->timer_ns;
	e->args[1] = 0;
	e->message = r->opened;
	e->kind = TL_INSTANT;
	e->number = r->known++;
	rc = r->sink->put(r->sink, e);
	e->args[0] = 0;
	return rc;
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
put_closed(struct rtl_read *r, const struct tl_rtl_line *line)
{
	struct tl_event *e = &r->event;
	const int64_t last = r->is_fresh ? r->opened_ns : e->ns;
	int64_t ns;
	int rc;

	r->is_closed = true;
	if (!r->has_header || !time_of(r, unwrap(r, line->column), &ns))
		return 0;
	if (ns <= last) {
		if (!r->has_break)
			return 0;
		ns = last;
	}
	if (r->is_fresh && (rc = put_opened(r)) < 0)
		return rc;
	e->ns = ns;
	e->tsc = (uint64_t)ns;
	e->tid = 0;
	e->error_ns = (uint32_t)r->unit_ns;
	e->args[0] = e->args[1] = 0;
	e->message = r->has_break ? r->ended : r->closed;
	e->kind = TL_INSTANT;
	e->number = r->known++;
	return r->sink->put(r->sink, e);
}

static int
take_record(struct rtl_read *r, struct tl_rtl_line *line)
{
	struct tl_event *e = &r->event;
	struct tl_rtl_meaning meaning;
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
	rc = tl_rtl_scopes_find(r->scopes, '{', line->scope, &meaning);
	return put(r, rc, &meaning, line->what == '{' ? TL_BEGIN : TL_END,
	    tl_bytes(NULL, 0));
}

/* Take a line of another form. */
static int
take_strange(struct rtl_read *r, struct tl_bytes line)
{
	struct tl_rtl_meaning meaning;
	int rc;

	if (r->known > 0 || r->has_header) {
		if ((rc = start_log(r, 0)) < 0)
			return rc;
		tl_note(&r->notes, NO_TIME, r->at);
		rc = tl_rtl_scopes_find(r->scopes, '|', tl_bytes("", 0),
		    &meaning);
		return put(r, rc, &meaning, TL_INSTANT, line);
	}
	tl_note(&r->notes, BEFORE, r->at);
	if (++r->unknown < UNKNOWN_MAX)
		return 0;
	tl_report_write(r->report, -EBADMSG, 0, "not a log of RTL_LOGFILE");
	return -EBADMSG;
}

static void
take_header(struct rtl_read *r, const struct tl_rtl_line *line)
{
	r->column = r->wraps = 0;
	if (line->kind == TL_RTL_OPENING) {
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
take_line(struct rtl_read *r, struct tl_bytes bytes)
{
	struct tl_rtl_line line;

	if (bytes.size > 0 && bytes.data[bytes.size - 1] == '\r')
		bytes.size--;
	if (bytes.size == 0)
		return 0;
	tl_rtl_line_parse(&line, bytes);
	switch (line.kind) {
	case TL_RTL_RECORD:
		return take_record(r, &line);
	case TL_RTL_TIMER:
		if (!r->is_fresh) /* the opening line is missing */
			return take_strange(r, bytes);
		/* fall through */
	case TL_RTL_OPENING:
		take_header(r, &line);
		return 0;
	case TL_RTL_PROCESS:
		r->event.pid = line.number;
		return 0;
	case TL_RTL_CLOSING:
		return put_closed(r, &line);
	default:
		return take_strange(r, bytes);
	}
}

/* Keep the start of a line, up to the maximum size. */
static int
keep_part(struct rtl_read *r, struct tl_bytes piece)
{
	const size_t room = LINE_SIZE_MAX - r->part.size;

	if (piece.size > room) {
		if (!r->is_skipping)
			tl_note(&r->notes, LONG, r->at);
		r->is_skipping = true;
		piece.size = room;
	}
	tl_put_bytes(&r->part, piece);
	return r->part.rc;
}

/* Take a whole line, which has size bytes of the input with its end. */
static int
take_whole(struct rtl_read *r, struct tl_bytes line, size_t size)
{
	int rc;

	if (r->part.size > 0 || line.size > LINE_SIZE_MAX) {
		if ((rc = keep_part(r, line)) < 0)
			return rc;
		line = tl_bytes(r->part.data, r->part.size);
	}
	r->has_break = size > 0;
	rc = take_line(r, line);
	tl_text_clear(&r->part);
	r->is_skipping = false;
	r->at += r->pending + size;
	r->pending = 0;
	return rc;
}

static int
rtl_feed(struct tl_reader *reader, struct tl_bytes piece)
{
	struct rtl_read *r = (void *)reader;
	int rc = 0;

	while (rc == 0 && piece.size > 0) {
		const char *end = memchr(piece.data, '\n', piece.size);
		size_t size;

		if (!end) {
			rc = keep_part(r, piece);
			r->pending += piece.size;
			break;
		}
		size = (size_t)(end - piece.data) + 1;
		rc = take_whole(r, tl_bytes(piece.data, size - 1), size);
		piece = tl_bytes(end + 1, piece.size - size);
	}
	return rc;
}

static int
rtl_finish(struct tl_reader *reader)
{
	struct rtl_read *r = (void *)reader;
	const bool cut = r->part.size > 0;
	const uint64_t at = r->at; /* offset of the last line */
	int rc = 0;

	if (cut)
		rc = take_whole(r, tl_bytes("", 0), 0);
	if (rc == 0 && r->is_fresh && r->timer_ns > 0)
		rc = put_opened(r);
	if (cut && !r->is_closed)
		tl_note(&r->notes, CUT, at);
	else if (r->has_header && !r->is_closed)
		tl_note(&r->notes, UNCLOSED, r->at);
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
	tl_text_free(&r->part);
	tl_text_free(&r->joined);
	tl_rtl_scopes_free(r->scopes);
	tl_id_map_free(&r->open_ids);
	free(r->open);
	free(r);
}

/* The process in a file's name, name_4711.log; 0: none. */
static uint32_t
pid_of_name(const char *name)
{
	const char *dot = strrchr(name, '.'), *from;
	uint64_t pid = 0;

	if (!dot || strcmp(dot, ".log") != 0)
		return 0;
	for (from = dot; from > name && from[-1] >= '0' && from[-1] <= '9';)
		from--;
	if (from == dot || from == name || from[-1] != '_')
		return 0;
	for (; from < dot && pid <= UINT32_MAX; from++)
		pid = pid * 10 + (uint64_t)(*from - '0');
	return pid <= UINT32_MAX ? (uint32_t)pid : 0;
}

static void
rtl_named(struct tl_reader *reader, const char *name)
{
	struct rtl_read *r = (void *)reader;

	r->event.pid = pid_of_name(name);
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
	r->event.level = TL_RTL_LEVEL;
	rc = tl_interner_new(&r->interner);
	if (rc == 0)
		rc = tl_interner_message(r->interner,
		    tl_bytes_of(TL_RTL_CATEGORY), tl_bytes_of(TL_RTL_OPENED),
		    TIMELINE_RECORD_INSTANT, TL_RTL_LEVEL, 0, &r->opened);
	if (rc == 0)
		rc = tl_interner_message(r->interner,
		    tl_bytes_of(TL_RTL_CATEGORY), tl_bytes_of(TL_RTL_CLOSED),
		    TIMELINE_RECORD_INSTANT, TL_RTL_LEVEL, 0, &r->closed);
	if (rc == 0)
		rc = tl_interner_message(r->interner,
		    tl_bytes_of(TL_RTL_CATEGORY), tl_bytes_of(TL_RTL_ENDED),
		    TIMELINE_RECORD_INSTANT, TL_RTL_LEVEL, 0, &r->ended);
	if (rc == 0)
		rc = tl_rtl_scopes_new(&r->scopes, r->interner);
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
		struct tl_rtl_line line;

		if (!end && marked + strange > 0)
			break;
		tl_rtl_line_parse(&line, tl_bytes(first.data, size));
		if (line.kind == TL_RTL_OPENING && strange < UNKNOWN_MAX)
			return strange == 0 ? 100 : 80;
		if (line.kind == TL_RTL_RECORD && line.is_marked) {
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
