/* SPDX-License-Identifier: Apache-2.0 */
/* render.c - one event's message and arguments as text, nothing kept. */
#include "event/render.h"

#include <math.h>

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
