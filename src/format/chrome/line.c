/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - write one event of the Chrome trace format as JSON. */
#include "format/chrome/line.h"

#include "event/render.h"
#include "format/chrome/chrome.h"
#include "format/label.h"

#include <errno.h>
#include <timeline.h>

enum {
	HEAD_PIECE,
	FIRST_ARG_PIECE,
	/* Bytes of an event without pieces and arguments. */
	FRAME_MAX = 256,
	/* Bytes of an argument without its piece and its value. */
	KEY_MAX = 8
};

#define NAME_END "\",\"args\":{"

/* Doubles hold every smaller whole number. */
#define EXACT_MAX (UINT64_C(1) << 53)

/* Write a literal, whose size the compiler knows. */
#define WRITE(to, literal) \
	((char *)memcpy((to), (literal), sizeof(literal) - 1) + \
	    sizeof(literal) - 1)

/* The name of an event that may have a label is not kept. */
static void
make_pieces(struct tl_draft *draft, const struct tl_message *message)
{
	const struct tl_event any = { .message = message, .bare = true };
	const bool labelled = tl_label_is(message);
	struct tl_text *text = &draft->text;

	tl_put_string(text, ",\"cat\":\"");
	tl_put_json(text, message->category);
	tl_put_string(text, "\",\"name\":\"");
	if (!labelled) {
		tl_chrome_put_name(text, &any);
		tl_put_string(text, NAME_END);
	}
	tl_draft_cut(draft);
	for (unsigned i = 0; i < message->argc; i++) {
		tl_put_string(text, i > labelled ? ",\"" : "\"");
		tl_put_json(text, message->args[i].name);
		tl_put_string(text, "\":");
		tl_draft_cut(draft);
	}
	tl_put_string(text, "\"priority\":\"");
	tl_put_string(text, tl_level_name(message->level));
	tl_put_string(text, "\"}}");
	tl_draft_cut(draft);
}

/* Write nanoseconds as microseconds without loss. */
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
write_phase(char *to, const struct tl_chrome_line *line)
{
	if (line->end)
		return WRITE(to, "{\"ph\":\"X\",\"pid\":");
	if (line->is_alone)
		return WRITE(to, "{\"ph\":\"I\",\"s\":\"t\",\"pid\":");
	switch (line->event->kind) {
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
write_numbers(struct tl_chrome_lines *l, char *to,
    const struct tl_chrome_line *line)
{
	const struct tl_event *event = line->event;

	to = tl_chrome_comma(&l->names, to);
	to = write_phase(to, line);
	to = tl_write_unsigned(to, event->pid);
	to = WRITE(to, ",\"tid\":");
	if (line->row != 0 && line->row != event->tid) {
		to = tl_write_unsigned(to, line->row);
		to = WRITE(to, ",\"" TL_CHROME_LANE_OF "\":");
	}
	to = tl_write_unsigned(to, event->tid);
	to = WRITE(to, ",\"ts\":");
	to = write_us(to, l->base_ns, event->ns);
	if (line->end) {
		to = WRITE(to, ",\"dur\":");
		to = write_us(to, 0, line->duration_ns);
	}
	if (!line->is_alone)
		return to;
	return event->kind == TL_BEGIN ? WRITE(to, ",\"alone\":\"begin\"")
				       : WRITE(to, ",\"alone\":\"end\"");
}

/*
 * Write an integer, in quotes if a double would change it.  Counters always get
 * numbers, because viewers draw them.
 */
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
		if (is_counter)
			return write_integer(to, value, false, true);
		*to++ = '"';
		to = tl_write_hex(to, value);
		*to++ = '"';
		return to;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		if (is_counter)
			return write_integer(to, value, false, true);
		return tl_write_arg_json(text, to, event, index, room);
	case TIMELINE_ARG_DOUBLE:
		if (value == UINT64_C(1) << 63) /* -0 alone is an integer */
			return WRITE(to, "-0.0");
		/* fall through */
	default:
		return tl_write_arg_json(text, to, event, index, room);
	}
}

/*
 * Write the arguments of an event, behind the name of an event that may have a
 * label.  A counter has one value.
 */
static char *
put_args(struct tl_text *text, char *to, const struct tl_pieces *pieces,
    const struct tl_event *event, size_t room)
{
	const bool labelled = tl_label_is(event->message);
	unsigned argc = event->bare ? 0 : pieces->argc;

	if (event->kind == TL_COUNTER && argc > 0)
		argc = 1;
	if (labelled) {
		text->size = (size_t)(to - text->data);
		tl_chrome_put_name(text, event);
		if (!(to = tl_text_reserve(text, room)))
			return NULL;
		to = WRITE(to, NAME_END);
	}
	for (unsigned i = labelled; to && i < argc; i++) {
		to = tl_piece_write(to, pieces, FIRST_ARG_PIECE + i);
		to = put_arg(text, to, event, i, pieces->formats[i], room);
	}
	return to;
}

/*
 * Write the arguments of the end event behind those of the begin event, if they
 * differ: "tcp$end".  The label is left out, because the begin has it as its
 * name.
 */
static char *
put_end_args(struct tl_text *text, char *to, const struct tl_pieces *pieces,
    const struct tl_chrome_line *line, size_t room)
{
	const struct tl_event *end = line->end;
	const bool labelled = tl_label_is(end->message);
	const bool differ =
	    memcmp(end->args, line->event->args, sizeof(end->args)) != 0;
	const unsigned argc =
	    !end->bare && (differ || line->event->bare) ? pieces->argc : 0;

	for (unsigned i = labelled; to && i < argc; i++) {
		if (i == labelled && to[-1] != '{')
			*to++ = ',';
		to = tl_piece_write(to, pieces, FIRST_ARG_PIECE + i);
		to = WRITE(to - 2, "$end\":"); /* the piece ends in ": */
		to = put_arg(text, to, end, i, pieces->formats[i], room);
	}
	return to;
}

/* Write the text after the last argument. */
static char *
write_tail(char *to, const struct tl_pieces *pieces,
    const struct tl_event *event)
{
	const bool is_first = to[-1] == '{';

	if (event->kind == TL_COUNTER && is_first) {
		to = WRITE(to, "\"value\":");
		to = write_integer(to, event->args[0], false, true);
	}
	if (event->kind == TL_COUNTER)
		return WRITE(to, "}}");
	if (!is_first)
		*to++ = ',';
	return tl_piece_write(to, pieces, FIRST_ARG_PIECE + pieces->argc);
}

int
tl_chrome_line_put(struct tl_chrome_lines *l, const struct tl_chrome_line *line)
{
	const struct tl_pieces *pieces =
	    tl_pieces_of(&l->cache, line->event->message);
	size_t room;
	char *to;

	if (!pieces)
		return -ENOMEM;
	/* the end may repeat all arguments */
	room = 2 * (pieces->room + TL_ARGS_MAX * (TL_VALUE_MAX + KEY_MAX)) +
	       FRAME_MAX;
	if (!(to = tl_text_reserve(l->text, room)))
		return 0;
	to = write_numbers(l, to, line);
	to = tl_piece_write(to, pieces, HEAD_PIECE);
	to = put_args(l->text, to, pieces, line->event, room);
	if (to && line->end)
		to = put_end_args(l->text, to, pieces, line, room);
	if (!to)
		return 0;
	to = write_tail(to, pieces, line->event);
	l->text->size = (size_t)(to - l->text->data);
	return 0;
}

void
tl_chrome_line_put_lost(struct tl_chrome_lines *l, int64_t ns,
    const struct tl_event *event)
{
	char *to = tl_text_reserve(l->text, FRAME_MAX);

	if (!to)
		return;
	to = tl_chrome_comma(&l->names, to);
	to = WRITE(to, "{\"ph\":\"I\",\"s\":\"g\",\"pid\":0,\"tid\":0,\"ts\":");
	to = write_us(to, l->base_ns, ns);
	to = WRITE(to, ",\"cat\":\"timeline\",\"name\":\"entries ");
	to = tl_write_string(to, tl_event_kind_name(event));
	to = WRITE(to, "\",\"args\":{\"");
	to = tl_write_string(to, tl_event_kind_name(event));
	to = WRITE(to, "\":");
	to = write_integer(to, event->lost, false, false);
	to = WRITE(to, "}}");
	l->text->size = (size_t)(to - l->text->data);
}

void
tl_chrome_lines_make(struct tl_chrome_lines *l, struct tl_writer *writer)
{
	l->text = &writer->out.text;
	l->cache.make = make_pieces;
	l->names.writer = writer;
}

void
tl_chrome_lines_free(struct tl_chrome_lines *l)
{
	tl_pieces_free(&l->cache);
	tl_chrome_names_free(&l->names);
}
