/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - one event's message and arguments as text, nothing kept.
 */
#include "event/render.h"

#include "event/message_map.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static double
double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* The interned text, or its number where the file does not have it. */
static void
put_interned(struct tl_text *text, const struct tl_message *message,
    uint64_t number, void (*put)(struct tl_text *, struct tl_bytes))
{
	const struct tl_bytes string = tl_message_string(message, number);

	if (string.data) {
		put(text, string);
		return;
	}
	tl_put_char(text, '#');
	tl_put_unsigned(text, number);
}

void
tl_render_arg(struct tl_text *text, const struct tl_event *event,
    unsigned index)
{
	const uint64_t value = event->args[index];

	switch (event->message->args[index].format) {
	case TIMELINE_ARG_SIGNED:
		tl_put_signed(text, (int64_t)value);
		break;
	case TIMELINE_ARG_HEX:
		tl_put_hex(text, value);
		break;
	case TIMELINE_ARG_DOUBLE:
		tl_put_double(text, double_of(value));
		break;
	case TIMELINE_ARG_DURATION:
		tl_put_duration(text, (int64_t)value);
		break;
	case TIMELINE_ARG_STRING:
		put_interned(text, event->message, value, tl_put_plain);
		break;
	default:
		tl_put_unsigned(text, value);
	}
}

void
tl_render_arg_json(struct tl_text *text, const struct tl_event *event,
    unsigned index)
{
	const uint64_t value = event->args[index];

	switch (event->message->args[index].format) {
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		tl_put_signed(text, (int64_t)value);
		break;
	case TIMELINE_ARG_DOUBLE:
		if (isfinite(double_of(value)))
			tl_put_double(text, double_of(value));
		else
			tl_put_string(text, "null");
		break;
	case TIMELINE_ARG_STRING:
		tl_put_char(text, '"');
		put_interned(text, event->message, value, tl_put_json);
		tl_put_char(text, '"');
		break;
	default:
		tl_put_unsigned(text, value);
	}
}

/* What leads the line of a kind. */
static const char *
kind_mark(unsigned kind)
{
	switch (kind) {
	case TL_BEGIN:
		return "> ";
	case TL_END:
		return "< ";
	case TL_COUNTER:
		return "= ";
	default:
		return "";
	}
}

static void
put_lost(struct tl_text *text, const struct tl_event *event)
{
	if (event->lost == 0) {
		tl_put_string(text, "... entries lost here, unknown how many");
		return;
	}
	tl_put_string(text, "... ");
	tl_put_unsigned(text, event->lost);
	tl_put_string(text,
	    event->lost == 1 ? " entry lost here" : " entries lost here");
}

void
tl_render_time(struct tl_text *text, const struct tl_event *event)
{
	if (event->message && tl_message_counts_steps(event->message)) {
		tl_put_string(text, "step ");
		tl_put_signed(text, event->ns);
	} else {
		tl_put_time(text, event->ns);
	}
}

void
tl_render_line(struct tl_text *text, const struct tl_event *event)
{
	const struct tl_message *message = event->message;

	if (!message) {
		put_lost(text, event);
		return;
	}
	tl_put_string(text, kind_mark(event->kind));
	for (unsigned i = 0; i < message->argc; i++) {
		tl_put_plain(text, message->args[i].before);
		tl_put_bytes(text, message->args[i].name);
		if (event->bare)
			continue;
		tl_put_char(text, '(');
		tl_render_arg(text, event, i);
		tl_put_char(text, ')');
	}
	tl_put_plain(text, message->after);
}

void
tl_render_loss(struct tl_text *text, const struct tl_event *event)
{
	put_lost(text, event);
	if (event->cpu == TL_CPU_UNKNOWN) {
		tl_put_string(text, " (no cpu)");
		return;
	}
	tl_put_string(text, " (cpu ");
	tl_put_unsigned(text, event->cpu);
	tl_put_char(text, ')');
}

void
tl_render_node(struct tl_text *text, const struct tl_event *event, bool is_span)
{
	struct tl_event unmarked = *event;

	if (is_span)
		unmarked.kind = TL_INSTANT;
	tl_render_line(text, &unmarked);
}

char *
tl_write_arg_json(struct tl_text *text, char *to, const struct tl_event *event,
    unsigned index, size_t room)
{
	text->size = (size_t)(to - text->data);
	tl_render_arg_json(text, event, index);
	return tl_text_reserve(text, room);
}

/*
 * == render cached ==
 *
 * the same lines as render.c, millions of them.
 *
 * The pieces of a message: its category, then its text around the values:
 *
 *	"example    " | "processed tcp(" 10 "), udp(" 20 "), and other(" 3 ")"
 */

enum { CATEGORY_PIECE, FIRST_PIECE };

struct tl_render {
	struct tl_pieces_cache cache;
};

static void
put_category(struct tl_text *text, struct tl_bytes category)
{
	const size_t width = tl_text_width(category);

	tl_put_plain(text, category);
	if (width < TL_CATEGORY_WIDTH)
		tl_put_repeat(text, ' ', TL_CATEGORY_WIDTH - width);
	tl_put_char(text, ' ');
}

static void
make_pieces(struct tl_draft *draft, const struct tl_message *message)
{
	struct tl_text *text = &draft->text;

	put_category(text, message->category);
	tl_draft_cut(draft);
	for (unsigned i = 0; i < message->argc; i++) {
		if (i > 0)
			tl_put_char(text, ')');
		tl_put_plain(text, message->args[i].before);
		tl_put_bytes(text, message->args[i].name);
		tl_put_char(text, '(');
		tl_draft_cut(draft);
	}
	if (message->argc > 0)
		tl_put_char(text, ')');
	tl_put_plain(text, message->after);
	tl_draft_cut(draft);
}

int
tl_render_new(struct tl_render **render)
{
	struct tl_render *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->cache.make = make_pieces;
	*render = r;
	return 0;
}

void
tl_render_free(struct tl_render *render)
{
	if (!render)
		return;
	tl_pieces_free(&render->cache);
	free(render);
}

static inline char *
write_mark(char *to, unsigned kind)
{
	static const char
	    marks[] = { [TL_BEGIN] = '>', [TL_END] = '<', [TL_COUNTER] = '=' };

	if (kind <= TL_INSTANT || kind >= sizeof(marks))
		return to;
	to[0] = marks[kind];
	to[1] = ' ';
	return to + 2;
}

/* A value of any length; then room for the rest of the line again. */
static char *
put_value(struct tl_text *text, char *to, const struct tl_event *event,
    unsigned index, size_t room)
{
	text->size = (size_t)(to - text->data);
	tl_render_arg(text, event, index);
	return tl_text_reserve(text, room);
}

static inline void
put_line(struct tl_text *text, const struct tl_pieces *pieces,
    const struct tl_event *event)
{
	const size_t room = pieces->room + 2 + TL_ARGS_MAX * TL_VALUE_MAX;
	char *to = tl_text_reserve(text, room);

	if (!to)
		return;
	to = write_mark(to, event->kind);
	for (unsigned i = 0; i < pieces->argc; i++) {
		to = tl_piece_write(to, pieces, FIRST_PIECE + i);
		if (pieces->formats[i] == TIMELINE_ARG_UNSIGNED)
			to = tl_write_unsigned(to, event->args[i]);
		else if (!(to = put_value(text, to, event, i, room)))
			return;
	}
	to = tl_piece_write(to, pieces, FIRST_PIECE + pieces->argc);
	text->size = (size_t)(to - text->data);
}

void
tl_render_cached(struct tl_render *render, struct tl_text *text,
    const struct tl_event *event)
{
	const struct tl_pieces *pieces =
	    event->message ? tl_pieces_of(&render->cache, event->message)
			   : NULL;

	if (pieces && !event->bare)
		put_line(text, pieces, event);
	else
		tl_render_line(text, event);
}

void
tl_render_category(struct tl_render *render, struct tl_text *text,
    const struct tl_event *event)
{
	const struct tl_message *message = event->message;
	const struct tl_pieces *pieces =
	    message ? tl_pieces_of(&render->cache, message) : NULL;
	char *to;

	if (!pieces) {
		put_category(text,
		    message ? message->category : tl_bytes(NULL, 0));
		return;
	}
	to = tl_text_reserve(text, pieces->room);
	if (!to)
		return;
	to = tl_piece_write(to, pieces, CATEGORY_PIECE);
	text->size = (size_t)(to - text->data);
}
