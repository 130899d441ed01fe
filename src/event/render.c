/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render.c - the text of one event: message and arguments.
 */
#include "event/render.h"

#include "clock/clock.h"
#include "event/levels.h"
#include "event/message_map.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct tl_bytes
tl_render_missing(char to[TL_MISSING_MAX], uint64_t number)
{
	to[0] = '#';
	return tl_bytes(to, (size_t)(tl_write_unsigned(to + 1, number) - to));
}

/* Put a text, or its number if the source does not have the text. */
static void
put_words(struct tl_text *text, const struct tl_event *event, unsigned index,
    void (*put)(struct tl_text *, struct tl_bytes))
{
	const struct tl_bytes string =
	    tl_message_text(event->message, index, &event->args[index]);

	if (string.data) {
		put(text, string);
		return;
	}
	tl_put_char(text, '#');
	tl_put_unsigned(text, event->args[index]);
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
	case TIMELINE_ARG_OCTAL:
		tl_put_format(text, "%#" PRIo64, value);
		break;
	case TIMELINE_ARG_DOUBLE:
		tl_put_double(text, tl_double_of(value));
		break;
	case TIMELINE_ARG_DURATION:
		tl_put_duration(text, (int64_t)value);
		break;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		put_words(text, event, index, tl_put_plain);
		break;
	default:
		tl_put_unsigned(text, value);
	}
}

void
tl_render_arg_exact(struct tl_text *text, const struct tl_event *event,
    unsigned index, void (*put)(struct tl_text *, struct tl_bytes))
{
	const uint64_t value = event->args[index];

	switch (event->message->args[index].format) {
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		tl_put_signed(text, (int64_t)value);
		break;
	case TIMELINE_ARG_DOUBLE:
		tl_put_double(text, tl_double_of(value));
		break;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		put_words(text, event, index, put);
		break;
	default:
		tl_put_unsigned(text, value);
	}
}

void
tl_render_arg_json(struct tl_text *text, const struct tl_event *event,
    unsigned index)
{
	const struct tl_arg *arg = &event->message->args[index];
	const bool is_text = tl_arg_is_text(arg);

	if (arg->format == TIMELINE_ARG_DOUBLE &&
	    !isfinite(tl_double_of(event->args[index]))) {
		tl_put_string(text, "null");
		return;
	}
	if (is_text)
		tl_put_char(text, '"');
	tl_render_arg_exact(text, event, index, tl_put_json);
	if (is_text)
		tl_put_char(text, '"');
}

/* Write the mark before the text of an event of this kind. */
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

static void
put_lost(struct tl_text *text, const struct tl_event *event)
{
	if (event->lost == 0) {
		tl_put_string(text, "... entries lost here, unknown how many");
		return;
	}
	tl_put_string(text, "... ");
	tl_put_unsigned(text, event->lost);
	tl_put_string(text, event->lost == 1 ? " entry " : " entries ");
	tl_put_string(text, event->unread ? "overwritten before they were read"
			    : event->overwritten ? "overwritten before this"
						 : "lost here");
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

static void
put_level(struct tl_text *text, uint64_t level)
{
	tl_put_string(text,
	    level == TIMELINE_LEVEL_NONE
		? "off"
		: tl_level_name(level < TIMELINE_LEVEL_NONE ? (unsigned)level
							    : UINT8_MAX));
}

/* The roundest duration near ns, taken for the duration that the burst was
 * asked for.  The entry is not exact: the end is stored in units of 1 <<
 * TIMELINE_UNTIL_SHIFT ticks, and the entry is logged a moment after the
 * start. */
static int64_t
roundest(int64_t ns, int64_t slack)
{
	for (int64_t step = 1000000000000000; step > 1; step /= 10) {
		const int64_t over = ns % step;

		if (ns - over > 0 && over <= slack)
			return ns - over;
		if (step - over <= slack && ns < INT64_MAX - step)
			return ns - over + step;
	}
	return ns;
}

/* Put "burst to trace for 100us"; no duration if the rate of the clock is
 * unknown.  A thread that was interrupted while it began the burst may log the
 * burst after its end. */
static void
put_burst(struct tl_text *text, const struct tl_event *event)
{
	const uint64_t mult = event->message->mult;
	const int64_t left =
	    tl_ticks_between(event->tsc, tl_level_end_stamp(event));

	tl_put_string(text, "burst to ");
	put_level(text, event->args[0]);
	if (mult == 0)
		return;
	if (left <= 0) {
		tl_put_string(text, ", over");
		return;
	}
	tl_put_string(text, " for ");
	tl_put_duration(text,
	    roundest(tl_ticks_to_ns(left, mult),
		tl_ticks_to_ns(INT64_C(2) << TIMELINE_UNTIL_SHIFT, mult)));
}

/* Put the entry of a level: for one message, or for a number of messages. */
static void
put_gate(struct tl_text *text, const struct tl_event *event)
{
	const struct tl_message *message = event->message;
	const struct tl_bytes name =
	    message->argc > 2 ? tl_message_string(message, event->args[2])
			      : tl_bytes(NULL, 0);

	if (message->argc > 3 && event->args[3] >> TIMELINE_LEVEL_MADE & 1)
		tl_put_string(text, "in force: ");
	tl_put_string(text, "level ");
	if (event->args[0] == TIMELINE_LEVEL_NONE)
		tl_put_string(text, "as defined");
	else
		put_level(text, event->args[0]);
	tl_put_string(text, " for ");
	if (name.data) {
		tl_put_char(text, '"');
		tl_put_plain(text, name);
		tl_put_char(text, '"');
		return;
	}
	tl_put_unsigned(text, event->args[1]);
	tl_put_string(text, event->args[1] == 1 ? " message" : " messages");
}

/* Put the line of a builtin message in the words of timelinectl.  Returns false
 * if the message has no such line. */
static bool
put_builtin(struct tl_text *text, const struct tl_event *event)
{
	const struct tl_message *message = event->message;

	switch (message->builtin) {
	case TIMELINE_BUILTIN_PRIORITY:
		if (message->argc < 3)
			return false;
		tl_put_string(text, "priority ");
		put_level(text, event->args[1]);
		if (event->args[0] == event->args[1])
			return true;
		tl_put_string(text, ", ");
		/* fall through - a burst continues */
	case TIMELINE_BUILTIN_BURST:
		if (message->argc < 3)
			return false;
		put_burst(text, event);
		if (tl_level_is_sample(event))
			tl_put_string(text, " (sample)");
		return true;
	case TIMELINE_BUILTIN_FORCE:
		if (message->argc < 3)
			return false;
		tl_put_string(text, "in force: ");
		if (event->args[0] != event->args[1]) {
			put_burst(text, event);
			return true;
		}
		tl_put_string(text, "priority ");
		put_level(text, event->args[1]);
		return true;
	case TIMELINE_BUILTIN_CLEAR:
		tl_put_string(text, "cleared");
		return true;
	case TIMELINE_BUILTIN_LEVEL:
		if (message->argc < 2)
			return false;
		put_gate(text, event);
		return true;
	default:
		return false;
	}
}

static void
put_duration(struct tl_text *text, const struct tl_event *event)
{
	const int64_t ns = event->duration_ns;

	tl_put_string(text, "  ");
	if (tl_message_counts_steps(event->message)) {
		tl_put_signed(text, ns);
		tl_put_string(text, ns == 1 ? " step" : " steps");
	} else {
		tl_put_duration(text, ns);
	}
	if (event->begun == TL_BEGUN_UNSURE)
		tl_put_char(text, '?');
}

/* Does the value of a counter need its name?  The value needs its name at the
 * start of a text and after a colon: "used 1" and "mem: used 1", but "backlog
 * of 3000". */
static bool
is_named(const struct tl_arg *arg)
{
	struct tl_bytes before = arg->before;

	while (before.size > 0 && before.data[before.size - 1] == ' ')
		before.size--;
	return before.size == 0 || before.data[before.size - 1] == ':';
}

void
tl_render_line(struct tl_text *text, const struct tl_event *event)
{
	const struct tl_message *message = event->message;
	const bool has_values = tl_event_has_args(event);
	char mark[2];

	if (!message) {
		put_lost(text, event);
		return;
	}
	if (message->builtin && put_builtin(text, event))
		return;
	tl_put_bytes(text,
	    tl_bytes(mark, (size_t)(write_mark(mark, event->kind) - mark)));
	for (unsigned i = 0; i < message->argc; i++) {
		const bool counts =
		    i == 0 && message->kind == TIMELINE_RECORD_COUNTER;

		tl_put_plain(text, message->args[i].before);
		if (!counts || is_named(&message->args[i]))
			tl_put_bytes(text, message->args[i].name);
		if (!has_values)
			continue;
		if (!counts)
			tl_put_char(text, '(');
		else if (is_named(&message->args[i]))
			tl_put_char(text, ' ');
		tl_render_arg(text, event, i);
		if (!counts)
			tl_put_char(text, ')');
	}
	tl_put_plain(text, message->after);
	if (tl_event_is_begun(event))
		put_duration(text, event);
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

	unmarked.begun = TL_BEGUN_UNKNOWN;
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
 * The lines of tl_render_line for millions of events.
 *
 * The pieces of a message are its category, then its text around the values:
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
	const bool is_counter = message->kind == TIMELINE_RECORD_COUNTER;
	struct tl_text *text = &draft->text;

	put_category(text, message->category);
	tl_draft_cut(draft);
	for (unsigned i = 0; i < message->argc; i++) {
		const struct tl_arg *arg = &message->args[i];
		const bool counts = i == 0 && is_counter;

		if (i > 0 && !(i == 1 && is_counter))
			tl_put_char(text, ')');
		tl_put_plain(text, arg->before);
		if (!counts || is_named(arg)) {
			tl_put_bytes(text, arg->name);
			tl_put_char(text, counts ? ' ' : '(');
		}
		tl_draft_cut(draft);
	}
	if (message->argc > (is_counter ? 1 : 0))
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

/* Put a value of any length, then reserve room for the rest of the line
 * again. */
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
		if (pieces->formats[i] == TIMELINE_ARG_SIGNED)
			to = tl_write_signed(to, (int64_t)event->args[i]);
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

	if (!pieces || event->message->builtin || !tl_event_has_args(event)) {
		tl_render_line(text, event);
		return;
	}
	put_line(text, pieces, event);
	if (tl_event_is_begun(event))
		put_duration(text, event);
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
