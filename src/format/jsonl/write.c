/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - a line consists of numbers and pieces of its message:
 *
 *	{"ns":1,"tsc":2,...,"tid":5 | ,"thread":"worker","process":"server" |
 *	,"priority":...,"kind":" | instant
 *	","args":{ | "tcp": | 10 | ,"udp": | 20 | }}
 *
 * If there are several timelines, the numbers are followed by
 *
 *	,"host":"web1","timeline":"app"
 *
 * each if known, and if there are several hosts, by
 *
 *	,"sync_error_us":20000,"overlaps":true
 *
 * with null for an error without a bound.  "overlaps", and ,"moved":true after
 * it, are left out if false.  Before the priority of an end whose begin is
 * known stands
 *
 *	,"duration_ns":1200,"unsure":true
 *
 * without the second member if begin and end are a pair.  The stamp of the
 * begin follows, which is null if it is known that there is no begin:
 *
 *	,"proven":true,"begun_tsc":6123
 *
 * An end that was logged with the stamp has the first of these members.  A
 * begin whose end will be logged so has only that.  An end that has the
 * arguments of its begin, because it was logged without, has
 *
 *	,"bare":true
 *
 * The last piece of a message is the text after its arguments.
 */
#include "format/jsonl/jsonl.h"

#include "event/render.h"
#include "format/line.h"

#include <timeline.h>

enum {
	MESSAGE_PIECE,
	FIRST_ARG_PIECE,
	/* bytes of a line without pieces and arguments */
	FRAME_MAX = 320 + TL_LINE_NAMES_MAX + TL_LINE_ORIGIN_MAX
};

/* Write a literal, whose size the compiler knows. */
#define WRITE(to, literal) \
	((char *)memcpy((to), (literal), sizeof(literal) - 1) + \
	    sizeof(literal) - 1)

static void
make_pieces(struct tl_draft *draft, const struct tl_message *message)
{
	struct tl_text *text = &draft->text;

	tl_put_string(text, ",\"priority\":\"");
	tl_put_string(text, tl_level_name(message->level));
	tl_put_string(text, "\",\"category\":\"");
	tl_put_json(text, message->category);
	tl_put_string(text, "\",\"message\":\"");
	tl_put_json(text, message->line1);
	tl_put_string(text, "\",\"kind\":\"");
	tl_draft_cut(draft);
	for (unsigned i = 0; i < message->argc; i++) {
		tl_put_string(text, i > 0 ? ",\"" : "\"");
		tl_put_json(text, message->args[i].name);
		tl_put_string(text, "\":");
		tl_draft_cut(draft);
	}
	tl_put_char(text, '}');
	if (message->kind == TIMELINE_RECORD_SPAN &&
	    message->scope == TIMELINE_SOURCE)
		tl_put_string(text, ",\"scope\":\"source\"");
	tl_put_string(text, "}\n");
	tl_draft_cut(draft);
}

static char *
write_cpu(char *to, uint32_t cpu)
{
	return cpu == TL_CPU_UNKNOWN ? WRITE(to, "null")
				     : tl_write_unsigned(to, cpu);
}

static char *
write_bytes(char *to, struct tl_bytes bytes)
{
	if (bytes.size > 0)
		memcpy(to, bytes.data, bytes.size);
	return to + bytes.size;
}

static void
put_member(struct tl_text *text, const char *start, struct tl_bytes value)
{
	if (value.size == 0)
		return;
	tl_put_string(text, start);
	tl_put_json(text, value);
	tl_put_char(text, '"');
}

static void
put_origin(struct tl_text *text, struct tl_bytes host, struct tl_bytes timeline)
{
	put_member(text, ",\"host\":\"", host);
	put_member(text, ",\"timeline\":\"", timeline);
}

static void
put_names(struct tl_text *text, struct tl_bytes thread, struct tl_bytes process)
{
	put_member(text, ",\"thread\":\"", thread);
	put_member(text, ",\"process\":\"", process);
}

/* Write the error bound of the time relative to other hosts. */
static char *
write_bound(char *to, const struct tl_event *event)
{
	to = WRITE(to, ",\"sync_error_us\":");
	to = event->sync_us == TL_SYNC_UNBOUNDED
		 ? WRITE(to, "null")
		 : tl_write_unsigned(to, event->sync_us);
	return event->overlaps ? WRITE(to, ",\"overlaps\":true") : to;
}

/* Write what an end says of its begin, or that the end of a begin will. */
static char *
write_proof(char *to, const struct tl_event *event)
{
	const bool is_end = event->kind == TL_END;

	if (is_end && tl_event_is_begun(event)) {
		to = WRITE(to, ",\"duration_ns\":");
		to = tl_write_signed(to, event->duration_ns);
		if (event->begun == TL_BEGUN_UNSURE)
			to = WRITE(to, ",\"unsure\":true");
	}
	if (event->proven)
		to = WRITE(to, ",\"proven\":true");
	if (is_end && tl_event_is_stamped(event)) {
		to = WRITE(to, ",\"begun_tsc\":");
		to = tl_write_unsigned(to, event->begun_tsc);
	} else if (is_end && event->begun == TL_BEGUN_NONE) {
		to = WRITE(to, ",\"begun_tsc\":null");
	}
	return to;
}

static void
put_event(struct tl_text *text, const struct tl_pieces *pieces,
    const struct tl_event *event, const struct tl_line_words *words)
{
	const size_t room =
	    pieces->room + FRAME_MAX + TL_ARGS_MAX * TL_VALUE_MAX;
	const unsigned argc = tl_event_has_args(event) ? pieces->argc : 0;
	char *to = tl_text_reserve(text, room);

	if (!to)
		return;
	to = WRITE(to, "{\"ns\":");
	to = tl_write_signed(to, event->ns);
	to = WRITE(to, ",\"tsc\":");
	to = tl_write_unsigned(to, event->tsc);
	to = WRITE(to, ",\"cpu\":");
	to = write_cpu(to, event->cpu);
	to = WRITE(to, ",\"pid\":");
	to = tl_write_unsigned(to, event->pid);
	to = WRITE(to, ",\"tid\":");
	to = tl_write_unsigned(to, event->tid);
	to = write_bytes(to, words->names);
	to = write_bytes(to, words->origin);
	if (words->has_bound || event->sync_us != 0 || event->overlaps)
		to = write_bound(to, event);
	if (event->moved)
		to = WRITE(to, ",\"moved\":true");
	to = write_proof(to, event);
	if (event->known && argc > 0)
		to = WRITE(to, ",\"bare\":true");
	to = tl_piece_write(to, pieces, MESSAGE_PIECE);
	to = tl_write_string(to, tl_kind_name(event->kind));
	to = WRITE(to, "\",\"args\":{");
	for (unsigned i = 0; i < argc; i++) {
		to = tl_piece_write(to, pieces, FIRST_ARG_PIECE + i);
		if (pieces->formats[i] == TIMELINE_ARG_SIGNED)
			to = tl_write_signed(to, (int64_t)event->args[i]);
		else if (!(to = tl_write_arg_json(text, to, event, i, room)))
			return;
	}
	to = tl_piece_write(to, pieces, FIRST_ARG_PIECE + pieces->argc);
	text->size = (size_t)(to - text->data);
}

static void
put_lost(struct tl_text *text, const struct tl_event *event,
    struct tl_bytes origin)
{
	char *to = tl_text_reserve(text, FRAME_MAX);

	if (!to)
		return;
	to = event->overwritten ? WRITE(to, "{\"overwritten\":")
				: WRITE(to, "{\"lost\":");
	to = tl_write_unsigned(to, event->lost);
	to = WRITE(to, ",\"cpu\":");
	to = write_cpu(to, event->cpu);
	to = write_bytes(to, origin);
	to = WRITE(to, "}\n");
	text->size = (size_t)(to - text->data);
}

static const struct tl_line_write_kind kind = { .make = make_pieces,
	.event = put_event,
	.put_names = put_names,
	.put_origin = put_origin,
	.lost = put_lost,
	.scope_argc_max = TL_ARGS_MAX,
	.is_utf8 = true,
	.is_finite = true,
	.has_bounds = true };

int
tl_jsonl_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	return tl_line_write_new(writer, &kind, write, context, report);
}
