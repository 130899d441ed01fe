/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - a line is two numbers, then pieces of its message:
 *
 *	001234 11| | sfx2 (ab1) ::Foo::bar : |words|\n
 *	^column   ^first piece               ^value
 *
 * A message has pieces for each of the lines that it can become: the begin of a
 * scope, the end of a scope, and words.  A message with a printf format is
 * written by that format instead.
 */
#include "format/rtl/rtl.h"

#include "event/message_map.h"
#include "event/reader.h"
#include "event/render.h"
#include "front/rtl_text.h"
#include "front/rtl_words.h"

#include <errno.h>
#include <string.h>
#include <timeline.h>

enum { BEGIN, END, WORDS, SHAPES };

enum {
	COLUMN_DIGITS = 6,
	FRAME_MAX = 64, /* column and thread */
	LEVEL = 6       /* readers of the log take info */
};

enum {
	LEVELS,
	CPUS,
	PROCESSES,
	COUNTERS,
	VALUES,
	SOURCES,
	EXPLAINED,
	LOSSES,
	LONG,
	FINER,
	EARLY
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[LEVELS] = { -ENOTSUP, "levels other than info are left out" },
	[CPUS] = { -ENOTSUP, "numbers of CPUs are left out" },
	[PROCESSES] = { -ENOTSUP, "events of several processes are in one log, "
				  "whose header names the first" },
	[COUNTERS] = { -ENOTSUP, "counters are written as messages" },
	[VALUES] = { -ENOTSUP, "arguments are written as text" },
	[SOURCES] = { -ENOTSUP, "spans that may migrate between threads are "
				"written as those of a thread" },
	[EXPLAINED] = { -ENOTSUP, "explanations of messages are left out" },
	[LOSSES] = { -ENOTSUP, "losses are written as messages" },
	[LONG] = { -ENOTSUP, "lines of more than 64 KiB are cut" },
	[FINER] = { -ENOTSUP, "times are cut to the unit of the columns" },
	[EARLY] = { -ENOTSUP, "events from before the first have its time" },
};

struct rtl_write {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_pieces_cache cache[SHAPES];
	struct tl_text format;  /* format of the current line */
	struct tl_text strings; /* its strings, NUL-terminated */
	uint64_t lost;          /* entries lost before the header */
	int64_t lost_ns;        /* time of the first such loss */
	int64_t base_us;        /* Unix time of column 0 */
	uint64_t column;        /* last column */
	uint32_t pid;
	bool is_us;
	bool has_header;
	bool is_closed; /* a closing line waits for more lines */
	bool is_ended;  /* ... or for its line break */
};

/*
 * Append as tl_put_plain(), but leave backslashes alone, because paths are full
 * of them.
 */
static void
put_words(struct tl_text *text, struct tl_bytes bytes)
{
	const char *slash;

	while (
	    bytes.size > 0 && (slash = memchr(bytes.data, '\\', bytes.size))) {
		const size_t size = (size_t)(slash - bytes.data);

		tl_put_plain(text, tl_bytes(bytes.data, size));
		tl_put_char(text, '\\');
		bytes = tl_bytes(slash + 1, bytes.size - size - 1);
	}
	tl_put_plain(text, bytes);
}

/* Append a project or an author as one word without a closing parenthesis. */
static void
put_word(struct tl_text *text, struct tl_bytes bytes)
{
	const size_t start = text->size;

	put_words(text, bytes);
	for (size_t i = start; i < text->size; i++) {
		if (text->data[i] == ' ' || text->data[i] == ')')
			text->data[i] = '_';
	}
}

/*
 * Take a line of an explanation off the front if the line begins with start.
 * data is NULL if the explanation begins otherwise.
 */
static struct tl_bytes
take_explained(struct tl_bytes *explain, const char *start)
{
	const size_t skip = strlen(start);
	struct tl_bytes line = *explain;
	const char *end;

	if (line.size <= skip || memcmp(line.data, start, skip) != 0)
		return tl_bytes(NULL, 0);
	end = memchr(line.data, '\n', line.size);
	if (end)
		line.size = (size_t)(end - line.data);
	explain->data += line.size + (end ? 1 : 0);
	explain->size -= line.size + (end ? 1 : 0);
	return tl_bytes(line.data + skip, line.size - skip);
}

/*
 * Read the author and the printf format of a message by front/rtl_text.h;
 * false: the explanation is of another kind.
 */
static bool
read_explained(const struct tl_message *message, struct tl_bytes *author,
    struct tl_bytes *format)
{
	struct tl_bytes explain = message->explain;

	*author = take_explained(&explain, TL_RTL_AUTHOR);
	*format = take_explained(&explain, TL_RTL_FORMAT);
	if (explain.size == 0)
		return true;
	*author = *format = tl_bytes(NULL, 0);
	return false;
}

/* The author of a message that was read from such a log; empty: none. */
static struct tl_bytes
author_of(const struct tl_message *message)
{
	struct tl_bytes author, format;

	read_explained(message, &author, &format);
	return author;
}

static void
put_project(struct tl_text *text, const struct tl_message *message)
{
	const struct tl_bytes author = author_of(message);

	if (author.size == 0 &&
	    tl_bytes_are(message->category, TL_RTL_CATEGORY))
		return;
	put_word(text, message->category);
	tl_put_string(text, " (");
	put_word(text, author.size > 0 ? author : tl_bytes_of("-"));
	tl_put_string(text, ") ");
}

/* Is an argument a value without a name? */
static bool
is_value(const struct tl_arg *arg)
{
	if (arg->name.size == 1)
		return arg->name.data[0] >= '0' && arg->name.data[0] <= '9';
	return tl_bytes_are(arg->name, "message") ||
	       tl_bytes_are(arg->name, "label");
}

/* The text before argument i, or behind the last argument. */
static struct tl_bytes
literal(const struct tl_message *message, unsigned i)
{
	return i < message->argc ? message->args[i].before : message->after;
}

/*
 * Find the first colon of a line: *which is the literal that contains the
 * colon, *size the size of the literal up to and with the colon.  false: no
 * colon.
 */
static bool
find_colon(const struct tl_message *message, unsigned *which, size_t *size)
{
	const size_t colon_size = sizeof(TL_RTL_COLON) - 1;

	for (unsigned i = 0; i <= message->argc; i++) {
		const struct tl_bytes b = literal(message, i);
		const char *at = b.size > 0 ? memmem(b.data, b.size,
						  TL_RTL_COLON, colon_size)
					    : NULL;
		const bool leads =
		    i == 0 && b.size >= 2 && memcmp(b.data, ": ", 2) == 0;

		if (!at && !leads)
			continue;
		*which = i;
		*size = leads ? 2 : (size_t)(at - b.data) + colon_size;
		return true;
	}
	return false;
}

static void
make_line(struct tl_draft *draft, const struct tl_message *message,
    unsigned shape)
{
	static const char *const braces[SHAPES] = { "{ ", "} ", "" };
	struct tl_text *text = &draft->text;
	unsigned which = 0;
	size_t size = 0;
	const bool colon = find_colon(message, &which, &size);

	tl_put_char(text, ' ');
	tl_put_string(text, colon || shape == WORDS ? "| " : braces[shape]);
	put_project(text, message);
	if (!colon && shape == WORDS)
		tl_put_string(text, ": ");
	for (unsigned i = 0; i <= message->argc; i++) {
		struct tl_bytes b = literal(message, i);

		if (colon && i == which) {
			put_words(text, tl_bytes(b.data, size));
			tl_put_string(text, braces[shape]);
			b = tl_bytes(b.data + size, b.size - size);
		}
		put_words(text, b);
		if (i < message->argc) {
			/*
			 * A value alone, name(value), or in a scope only the
			 * name.
			 */
			const struct tl_arg *arg = &message->args[i];

			if (!is_value(arg)) {
				tl_put_bytes(&draft->text, arg->name);
				if (shape == WORDS)
					tl_put_char(&draft->text, '(');
			}
			tl_draft_cut(draft);
			if (!is_value(arg) && shape == WORDS)
				tl_put_char(&draft->text, ')');
		}
	}
	tl_put_char(text, '\n');
	tl_draft_cut(draft);
}

static void
make_begin(struct tl_draft *draft, const struct tl_message *message)
{
	make_line(draft, message, BEGIN);
}

static void
make_end(struct tl_draft *draft, const struct tl_message *message)
{
	make_line(draft, message, END);
}

static void
make_words(struct tl_draft *draft, const struct tl_message *message)
{
	make_line(draft, message, WORDS);
}

/* Write "%06u %u": the column and the thread of a line. */
static char *
write_start(const struct rtl_write *w, char *to, uint32_t tid)
{
	uint64_t column = w->column;

	if (column >= 1000000) {
		to = tl_write_unsigned(to, column);
	} else {
		for (int i = COLUMN_DIGITS - 1; i >= 0; i--, column /= 10)
			to[i] = (char)('0' + column % 10);
		to += COLUMN_DIGITS;
	}
	*to++ = ' ';
	return tl_write_unsigned(to, tid);
}

static int64_t
floor_us(int64_t ns)
{
	return ns / 1000 - (ns % 1000 < 0);
}

/*
 * Write the header of a log that was opened when the timer showed timer units.
 */
static void
put_header(struct rtl_write *w, int64_t opened_us, uint64_t timer, uint32_t pid)
{
	const uint64_t us =
	    opened_us < 0 ? 0 - (uint64_t)opened_us : (uint64_t)opened_us;

	w->has_header = true;
	w->base_us = opened_us - (int64_t)timer * (w->is_us ? 1 : 1000);
	w->pid = pid;
	w->column = timer;
	tl_put_format(&w->writer.out.text,
	    "opening log file %s%lu.%06lu seconds past January 1st 1970\n"
	    "corresponding to %lu %s after timer start\n"
	    "Process id is %u\n",
	    opened_us < 0 ? "-" : "", us / 1000000, us % 1000000, timer,
	    w->is_us ? "us" : "ms", pid);
}

/* Note the parts of an event that the log cannot hold. */
static void
note_event(struct rtl_write *w, const struct tl_event *event)
{
	const struct tl_message *m = event->message;
	struct tl_bytes author, format;
	struct tl_notes *n = &w->writer.notes;

	if (event->cpu != TL_CPU_UNKNOWN)
		tl_note(n, CPUS, TL_FAULT_NOWHERE);
	if (!m) {
		tl_note(n, LOSSES, TL_FAULT_NOWHERE);
		return;
	}
	if (event->pid != w->pid)
		tl_note(n, PROCESSES, TL_FAULT_NOWHERE);
	if (event->level != LEVEL)
		tl_note(n, LEVELS, TL_FAULT_NOWHERE);
	if (event->kind == TL_COUNTER)
		tl_note(n, COUNTERS, TL_FAULT_NOWHERE);
	if (m->scope == TIMELINE_SOURCE && m->kind == TIMELINE_RECORD_SPAN)
		tl_note(n, SOURCES, TL_FAULT_NOWHERE);
	if (!read_explained(m, &author, &format))
		tl_note(n, EXPLAINED, TL_FAULT_NOWHERE);
}

/* Append a value of any length, and reserve room for the rest of the line. */
static char *
put_value(struct tl_text *text, char *to, const struct tl_event *event,
    unsigned i, size_t room)
{
	const struct tl_message *m = event->message;
	struct tl_bytes string = tl_bytes(NULL, 0);

	text->size = (size_t)(to - text->data);
	if (tl_arg_is_text(&m->args[i]))
		string = tl_message_text(m, i, &event->args[i]);
	if (string.data)
		put_words(text, string);
	else
		tl_render_arg(text, event, i);
	return tl_text_reserve(text, room);
}

/*
 * End the line that begins at byte start; the line may have its line break
 * already.
 */
static void
end_line(struct rtl_write *w, size_t start)
{
	struct tl_text *text = &w->writer.out.text;

	if (text->size > start && text->data[text->size - 1] == '\n')
		text->size--;
	if (tl_rtl_words_end(text, start))
		tl_note(&w->writer.notes, LONG, TL_FAULT_NOWHERE);
}

/* Write a line; *named: the line has an argument with a name. */
static int
put_line(struct rtl_write *w, const struct tl_event *event, unsigned shape,
    bool *named)
{
	struct tl_text *text = &w->writer.out.text;
	const struct tl_message *m = event->message;
	const struct tl_pieces *pieces = tl_pieces_of(&w->cache[shape], m);
	const size_t start = text->size;
	size_t room;
	char *to;

	if (!pieces)
		return -ENOMEM;
	room = pieces->room + FRAME_MAX;
	to = tl_text_reserve(text, room);
	if (!to)
		return -ENOMEM;
	to = write_start(w, to, event->tid);
	for (unsigned i = 0; i < pieces->argc; i++) {
		const bool value = is_value(&m->args[i]);

		*named |= !value;
		to = tl_piece_write(to, pieces, i);
		if ((value || shape == WORDS) &&
		    !(to = put_value(text, to, event, i, room)))
			return -ENOMEM;
	}
	to = tl_piece_write(to, pieces, pieces->argc);
	text->size = (size_t)(to - text->data);
	end_line(w, start);
	return 0;
}

static unsigned
shape_of(const struct tl_event *event)
{
	return event->kind == TL_BEGIN ? BEGIN
	       : event->kind == TL_END ? END
				       : WORDS;
}

static void
put_loss(struct rtl_write *w, uint32_t tid, uint64_t lost)
{
	struct tl_text *text = &w->writer.out.text;
	char *to = tl_text_reserve(text, FRAME_MAX);

	if (!to)
		return;
	to = write_start(w, to, tid);
	text->size = (size_t)(to - text->data);
	tl_put_string(text, " | : ");
	tl_put_unsigned(text, lost);
	tl_put_string(text,
	    lost == 1 ? " entry lost here\n" : " entries lost here\n");
}

/*
 * Prepare the values of a message for its printf format.  false: the format
 * takes other values, as in a damaged file.
 */
static bool
take_values(struct rtl_write *w, const struct tl_event *event,
    uint64_t values[TL_ARGS_MAX])
{
	const struct tl_message *m = event->message;
	uint8_t takes[TL_ARGS_MAX];
	size_t at[TL_ARGS_MAX];

	if (m->argc == 0 || tl_rtl_words_kinds(tl_text_string(&w->format),
				TL_ARGS_MAX, takes) != m->argc)
		return false;
	tl_text_clear(&w->strings);
	for (unsigned i = 0; i < m->argc; i++) {
		const bool is_string = tl_arg_is_text(&m->args[i]);

		if (is_string != (takes[i] != TL_RTL_WORDS_NUMBER))
			return false;
		at[i] = w->strings.size;
		if (is_string)
			put_words(&w->strings,
			    tl_message_text(m, i, &event->args[i]));
		tl_put_char(&w->strings, '\0');
	}
	for (unsigned i = 0; w->strings.rc == 0 && i < m->argc; i++) {
		const char *string = w->strings.data + at[i];

		values[i] = takes[i] == TL_RTL_WORDS_STRING
				? (uint64_t)(uintptr_t)string
			    : takes[i] == TL_RTL_WORDS_CHARACTER
				? (uint8_t)*string
				: event->args[i];
	}
	return w->strings.rc == 0;
}

/* Write the line of a message by its printf format: 1; 0: no format; -errno. */
static int
put_formatted(struct rtl_write *w, const struct tl_event *event)
{
	struct tl_text *text = &w->writer.out.text;
	const struct tl_message *m = event->message;
	const size_t start = text->size;
	struct tl_bytes author, format;
	uint64_t values[TL_ARGS_MAX];
	char *brace;
	char *to;

	if (event->bare || !read_explained(m, &author, &format) ||
	    format.size == 0)
		return 0;
	tl_text_clear(&w->format);
	tl_put_bytes(&w->format, format);
	if (!take_values(w, event, values))
		return w->format.rc < 0 || w->strings.rc < 0 ? -ENOMEM : 0;
	brace = strstr(w->format.data, ": { ");
	if (event->kind == TL_END && brace)
		brace[2] = '}';
	if (!(to = tl_text_reserve(text, FRAME_MAX)))
		return -ENOMEM;
	to = write_start(w, to, event->tid);
	text->size = (size_t)(to - text->data);
	tl_put_string(text, " | ");
	put_project(text, m);
	tl_rtl_words_render(text, w->format.data, m->argc, values);
	end_line(w, start);
	return text->rc < 0 ? text->rc : 1;
}

/* Is an event the header or the last line of a log that was read? */
static bool
is_frame(const struct tl_event *event, const char *text)
{
	return event->kind == TL_INSTANT &&
	       tl_bytes_are(event->message->category, TL_RTL_CATEGORY) &&
	       tl_bytes_are(event->message->text, text);
}

/*
 * Write the header, and the losses before the header: 1 if the event is itself
 * the header.
 */
static int
start_log(struct rtl_write *w, const struct tl_event *event)
{
	const bool opened =
	    is_frame(event, TL_RTL_OPENED) && event->args[0] <= INT64_MAX;
	const uint64_t unit = w->is_us ? 1000 : 1000000;
	const int64_t first_ns =
	    w->lost > 0 && w->lost_ns < event->ns ? w->lost_ns : event->ns;

	if (opened)
		put_header(w, floor_us(event->ns), event->args[0] / unit,
		    event->pid);
	else
		put_header(w, floor_us(first_ns), 0, event->pid);
	if (w->lost > 0)
		put_loss(w, 0, w->lost);
	return opened;
}

/*
 * Write the last line of a log.  RTL_LOGFILE ends a file without a line break,
 * so the writer does, too, unless the log had one.
 */
static void
put_closing(struct rtl_write *w)
{
	tl_put_format(&w->writer.out.text, "closing log file at %06lu",
	    w->column);
}

static int
rtl_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct rtl_write *w = (void *)writer;
	const unsigned shape = shape_of(event);
	const int64_t us = floor_us(event->ns);
	uint64_t since;
	bool named = false;
	int rc;

	if (tl_event_is_start(event)) /* the log begins after them */
		return 0;
	if (!w->has_header && !event->message) {
		/* The process is not known before the first event. */
		if (w->lost == 0)
			w->lost_ns = event->ns;
		w->lost += event->lost;
		note_event(w, event);
		return 0;
	}
	if (!w->has_header && start_log(w, event))
		return 0;
	if (w->is_closed) {
		put_closing(w);
		tl_put_char(&writer->out.text, '\n');
	}
	since = us > w->base_us ? (uint64_t)(us - w->base_us) : 0;
	if (us < w->base_us)
		tl_note(&w->writer.notes, EARLY, TL_FAULT_NOWHERE);
	if (event->ns % 1000 != 0 || (!w->is_us && since % 1000 != 0))
		tl_note(&w->writer.notes, FINER, TL_FAULT_NOWHERE);
	w->column = w->is_us ? since : since / 1000;
	w->is_ended = event->message && is_frame(event, TL_RTL_ENDED);
	w->is_closed =
	    w->is_ended || (event->message && is_frame(event, TL_RTL_CLOSED));
	if (w->is_closed)
		return 0;
	note_event(w, event);
	if (!event->message) {
		put_loss(w, event->tid, event->lost);
		return 0;
	}
	if ((rc = put_formatted(w, event)) != 0)
		return rc < 0 ? rc : 0;
	rc = put_line(w, event, shape, &named);
	if (rc < 0 || !named)
		return rc;
	tl_note(&w->writer.notes, VALUES, TL_FAULT_NOWHERE);
	if (shape == WORDS || event->bare)
		return 0;
	return put_line(w, event, WORDS, &named);
}

static int
rtl_end(struct tl_writer *writer)
{
	struct rtl_write *w = (void *)writer;

	if (!w->has_header) {
		put_header(w, w->lost > 0 ? floor_us(w->lost_ns) : 0, 0, 0);
		if (w->lost > 0)
			put_loss(w, 0, w->lost);
	}
	put_closing(w);
	if (w->is_ended)
		tl_put_char(&writer->out.text, '\n');
	return 0;
}

static void
rtl_free(struct tl_writer *writer)
{
	struct rtl_write *w = (void *)writer;

	for (unsigned i = 0; i < SHAPES; i++)
		tl_pieces_free(&w->cache[i]);
	tl_text_free(&w->format);
	tl_text_free(&w->strings);
}

static void
rtl_set_us(struct tl_writer *writer, int value)
{
	struct rtl_write *w = (void *)writer;

	w->is_us = value != 0;
}

int
tl_rtl_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	static const struct tl_writer_kind kind = { .put = rtl_put,
		.end = rtl_end,
		.free = rtl_free,
		.set = rtl_set_us,
		.notes = kinds };
	struct rtl_write *w;
	int rc =
	    tl_writer_make(writer, sizeof(*w), &kind, write, context, report);

	if (rc < 0)
		return rc;
	w = (void *)*writer;
	w->cache[BEGIN].make = make_begin;
	w->cache[END].make = make_end;
	w->cache[WORDS].make = make_words;
	return 0;
}
