/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome_write.c - an event is numbers, then pieces of its message:
 *
 *	{"ph":"I","s":"t","pid":1,"tid":2,"ts":3.004 | ,"cat":"c","name":
 *	"n","args":{ | "tcp": | 10 | ,"priority":"trace"}}
 */
#include "format/chrome_write.h"

#include "event/pieces.h"
#include "event/render.h"
#include "format/chrome_names.h"
#include "format/chrome_words.h"
#include "format/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	HEAD_PIECE,
	FIRST_ARG_PIECE,
	/* All of an event but pieces and arguments. */
	FRAME_MAX = 192,
	SECOND_NS = 1000000000
};

/* Doubles hold every whole number below. */
#define EXACT_MAX (UINT64_C(1) << 53)

enum { NOTE_STAMPS, NOTE_COUNTER, NOTE_SOURCES };
static const struct tl_note_kind notes[TL_NOTES_MAX] = {
	[NOTE_STAMPS] = { -ENOTSUP,
	    "CPU, raw stamp and error of an event have no place in the "
	    "format" },
	[NOTE_COUNTER] = { -ENOTSUP,
	    "a counter has one value: its other arguments are left out" },
	[NOTE_SOURCES] = { -ENOSPC,
	    "too many sources: spans of one lie among those of its thread" },
};

struct chrome {
	struct tl_writer writer; /* first: what callers see */
	struct tl_pieces_cache cache;
	struct tl_notes notes;
	struct tl_chrome_names names;
	int64_t base_ns;
	int64_t last_ns;
	bool started; /* base_ns is known */
};

/* A literal, its size known to the compiler. */
#define WRITE(to, literal) \
	((char *)memcpy((to), (literal), sizeof(literal) - 1) + \
	    sizeof(literal) - 1)

static struct chrome *
chrome_of(struct tl_writer *writer)
{
	return (struct chrome *)(void *)writer;
}

/* Of an event with a label its value is the first that follows, in the place
 * of its name. */
static void
make_head(struct tl_text *text, const struct tl_message *message)
{
	tl_put_string(text, ",\"cat\":\"");
	tl_put_json(text, message->category);
	tl_put_string(text, "\",\"name\":");
	if (tl_chrome_is_labelled(message))
		return;
	tl_put_char(text, '"');
	tl_chrome_put_name(text, message);
	tl_put_string(text, "\",\"args\":{");
}

static void
make_pieces(struct tl_draft *draft, const struct tl_message *message)
{
	const bool labelled = tl_chrome_is_labelled(message);
	struct tl_text *text = &draft->text;

	make_head(text, message);
	tl_draft_cut(draft);
	for (unsigned i = 0; i < message->argc; i++) {
		if (i > 0 || !labelled) {
			tl_put_string(text, i > 0 ? ",\"" : "\"");
			tl_put_json(text, message->args[i].name);
			tl_put_string(text, "\":");
		}
		tl_draft_cut(draft);
	}
	tl_put_string(text, "\"priority\":\"");
	tl_put_string(text, tl_level_name(message->level));
	tl_put_string(text, "\"}}");
	tl_draft_cut(draft);
}

/* What stands before the first event, whose time is the base of all. */
static void
start(struct chrome *w, int64_t ns)
{
	struct tl_text *text = &w->writer.out.text;
	int64_t rest = ns % SECOND_NS;

	if (rest < 0)
		rest += SECOND_NS;
	w->base_ns = ns < INT64_MIN + rest ? INT64_MIN : ns - rest;
	w->last_ns = ns;
	w->started = true;
	tl_put_string(text,
	    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"base_ns\":\"");
	tl_put_signed(text, w->base_ns);
	if (w->writer.origin.machine[0] != '\0') {
		tl_put_string(text, "\",\"machine\":\"");
		tl_put_json(text, tl_bytes_of(w->writer.origin.machine));
	}
	tl_put_string(text, "\"},\"traceEvents\":[");
}

/* Nanoseconds as microseconds, all of them. */
static char *
write_us(char *to, int64_t base_ns, int64_t ns)
{
	const bool minus = ns < base_ns;
	const uint64_t past = minus ? (uint64_t)base_ns - (uint64_t)ns
				    : (uint64_t)ns - (uint64_t)base_ns;
	const unsigned rest = (unsigned)(past % 1000);

	if (minus)
		*to++ = '-';
	to = tl_write_unsigned(to, past / 1000);
	*to++ = '.';
	*to++ = (char)('0' + rest / 100);
	*to++ = (char)('0' + rest / 10 % 10);
	*to++ = (char)('0' + rest % 10);
	return to;
}

static char *
write_kind(char *to, unsigned kind)
{
	switch (kind) {
	case TL_BEGIN:
		return WRITE(to, "{\"ph\":\"B\",\"pid\":");
	case TL_END:
		return WRITE(to, "{\"ph\":\"E\",\"pid\":");
	case TL_COUNTER:
		return WRITE(to, "{\"ph\":\"C\",\"pid\":");
	default:
		return WRITE(to, "{\"ph\":\"I\",\"s\":\"t\",\"pid\":");
	}
}

static char *
write_numbers(struct chrome *w, char *to, const struct tl_event *event)
{
	to = tl_chrome_comma(&w->names, to);
	to = write_kind(to, event->kind);
	to = tl_write_unsigned(to, event->pid);
	to = WRITE(to, ",\"tid\":");
	to = tl_write_unsigned(to, event->tid);
	to = WRITE(to, ",\"ts\":");
	return write_us(to, w->base_ns, event->ns);
}

/* An integer, in quotes where a double would change it.  Counters are drawn:
 * theirs are numbers. */
static char *
write_integer(char *to, uint64_t value, bool is_signed, bool is_counter)
{
	const bool minus = is_signed && (int64_t)value < 0;
	const uint64_t size = minus ? -value : value;
	const bool quoted = size >= EXACT_MAX && !is_counter;

	if (quoted)
		*to++ = '"';
	if (minus)
		*to++ = '-';
	to = tl_write_unsigned(to, size);
	if (quoted)
		*to++ = '"';
	return to;
}

static char *
write_hex(char *to, uint64_t value)
{
	*to++ = '"';
	to = tl_write_hex(to, value);
	*to++ = '"';
	return to;
}

/* A value of any length; then room for the rest of the event again. */
static char *
put_value(struct tl_text *text, char *to, const struct tl_event *event,
    unsigned index, size_t room)
{
	text->size = (size_t)(to - text->data);
	tl_render_arg_json(text, event, index);
	return tl_text_reserve(text, room);
}

static char *
put_arg(struct tl_text *text, char *to, const struct tl_event *event,
    unsigned index, unsigned format, size_t room)
{
	const uint64_t value = event->args[index];
	const bool is_counter = event->kind == TL_COUNTER;

	switch (format) {
	case TIMELINE_ARG_UNSIGNED:
		return write_integer(to, value, false, is_counter);
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		return write_integer(to, value, true, is_counter);
	case TIMELINE_ARG_HEX:
		if (!is_counter)
			return write_hex(to, value);
		return write_integer(to, value, false, true);
	case TIMELINE_ARG_STRING:
		if (is_counter)
			return write_integer(to, value, false, true);
		return put_value(text, to, event, index, room);
	default:
		return put_value(text, to, event, index, room);
	}
}

/* A counter without arguments has its value all the same. */
static char *
write_plain_counter(char *to, const struct tl_event *event)
{
	to = WRITE(to, "\"value\":");
	to = write_integer(to, event->args[0], false, true);
	return WRITE(to, "}}");
}

/* How many arguments of an event are written. */
static unsigned
count_args(const struct tl_pieces *pieces, const struct tl_event *event,
    bool labelled)
{
	if (event->bare)
		return 0;
	if (event->kind == TL_COUNTER && pieces->argc > 0)
		return !labelled;
	return pieces->argc;
}

/* What stands behind the last argument. */
static char *
write_tail(char *to, const struct tl_pieces *pieces,
    const struct tl_event *event, unsigned argc)
{
	if (event->kind == TL_COUNTER && argc == 0)
		return write_plain_counter(to, event);
	if (event->kind == TL_COUNTER)
		return WRITE(to, "}}");
	if (argc > 0)
		*to++ = ',';
	return tl_piece_write(to, pieces, FIRST_ARG_PIECE + pieces->argc);
}

static void
put_event(struct chrome *w, const struct tl_pieces *pieces,
    const struct tl_event *event)
{
	struct tl_text *text = &w->writer.out.text;
	const size_t room =
	    pieces->room + FRAME_MAX + TL_ARGS_MAX * (TL_VALUE_MAX + 2);
	const bool labelled = tl_chrome_is_labelled(event->message);
	const unsigned argc = count_args(pieces, event, labelled);
	char *to = tl_text_reserve(text, room);

	if (!to)
		return;
	to = write_numbers(w, to, event);
	to = tl_piece_write(to, pieces, HEAD_PIECE);
	for (unsigned i = 0; i < argc; i++) {
		to = tl_piece_write(to, pieces, FIRST_ARG_PIECE + i);
		to = put_arg(text, to, event, i, pieces->formats[i], room);
		if (!to)
			return;
		if (labelled && i == 0)
			to = WRITE(to, ",\"args\":{\"label\":true");
	}
	if (labelled && argc == 0)
		to = WRITE(to, "\"label\",\"args\":{");
	to = write_tail(to, pieces, event, argc);
	text->size = (size_t)(to - text->data);
}

/* A hole stands where it is met: it has no time of its own. */
static void
put_lost(struct chrome *w, const struct tl_event *event)
{
	struct tl_text *text = &w->writer.out.text;
	char *to = tl_text_reserve(text, FRAME_MAX);

	if (!to)
		return;
	to = tl_chrome_comma(&w->names, to);
	to = WRITE(to, "{\"ph\":\"I\",\"s\":\"g\",\"pid\":0,\"tid\":0,\"ts\":");
	to = write_us(to, w->base_ns, w->last_ns);
	to = WRITE(to, ",\"cat\":\"timeline\",\"name\":\"entries lost\","
		       "\"args\":{\"lost\":");
	to = write_integer(to, event->lost, false, false);
	to = WRITE(to, "}}");
	text->size = (size_t)(to - text->data);
}

static int
chrome_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct chrome *w = chrome_of(writer);
	struct tl_event turned = *event;
	const struct tl_pieces *pieces;
	int rc;

	if (!w->started)
		start(w, event->ns);
	if (!event->message) {
		put_lost(w, event);
		return 0;
	}
	if (!(pieces = tl_pieces_of(&w->cache, event->message)))
		return -ENOMEM;
	if ((rc = tl_chrome_names_put(&w->names, &turned)) < 0)
		return rc;
	w->last_ns = event->ns;
	tl_note(&w->notes, NOTE_STAMPS, TL_FAULT_NOWHERE);
	if (event->kind == TL_COUNTER && pieces->argc > 1)
		tl_note(&w->notes, NOTE_COUNTER, TL_FAULT_NOWHERE);
	if (rc == 1)
		tl_note(&w->notes, NOTE_SOURCES, TL_FAULT_NOWHERE);
	put_event(w, pieces, &turned);
	return 0;
}

static int
chrome_end(struct tl_writer *writer)
{
	struct chrome *w = chrome_of(writer);

	if (!w->started)
		start(w, 0);
	tl_put_string(&writer->out.text, "\n]}\n");
	tl_notes_say(&w->notes, writer->report);
	return 0;
}

static void
chrome_free(struct tl_writer *writer)
{
	struct chrome *w = chrome_of(writer);

	tl_pieces_free(&w->cache);
	tl_chrome_names_free(&w->names);
}

static const struct tl_writer_kind kind = { .put = chrome_put,
	.end = chrome_end,
	.free = chrome_free };

int
tl_chrome_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	int rc = tl_writer_make(writer, sizeof(struct chrome), &kind, write,
	    context, report);

	if (rc == 0) {
		chrome_of(*writer)->cache.make = make_pieces;
		chrome_of(*writer)->notes.kinds = notes;
		chrome_of(*writer)->names.writer = *writer;
	}
	return rc;
}
