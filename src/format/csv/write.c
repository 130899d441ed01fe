/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - a line is numbers, then pieces of its message:
 *
 *	1,2,3,4,5, | trace,example,"text", | instant | ,tcp, | 10 | ,,,,,, |
 *	    ,thread,process | ,1200,true | ,true,6123 | ,host,timeline | ,true
 *
 * The four fields behind the names, and the last, belong to spans; an instant
 * leaves them empty.
 */
#include "format/csv/csv.h"

#include "event/render.h"
#include "format/line.h"

#include <timeline.h>

enum {
	MESSAGE_PIECE,
	FIRST_ARG_PIECE,
	/*
	 * Bytes of a line without pieces and arguments: numbers, commas, names.
	 */
	FRAME_MAX = 256 + TL_LINE_NAMES_MAX + TL_LINE_ORIGIN_MAX
};

static const char column_names[] =
    "ns,tsc,cpu,pid,tid,priority,category,message,"
    "kind,arg1,value1,arg2,value2,arg3,value3,arg4,"
    "value4,thread,process,duration_ns,unsure,proven,begun_tsc,host,"
    "timeline,bare\n";

/* Empty columns: names of thread and process, duration, proof. */
#define NO_NAMES    ",,"
#define NO_DURATION ",,"
#define NO_PROOF    ",,"

static void
put_names(struct tl_text *text, struct tl_bytes thread, struct tl_bytes process)
{
	tl_put_char(text, ',');
	tl_put_csv(text, thread);
	tl_put_char(text, ',');
	tl_put_csv(text, process);
}

static void
make_pieces(struct tl_draft *draft, const struct tl_message *message)
{
	struct tl_text *text = &draft->text;

	tl_put_string(text, tl_level_name(message->level));
	tl_put_char(text, ',');
	tl_put_csv(text, message->category);
	tl_put_char(text, ',');
	tl_put_csv(text, message->line1);
	tl_put_char(text, ',');
	tl_draft_cut(draft);
	for (unsigned i = 0; i < message->argc; i++) {
		tl_put_char(text, ',');
		tl_put_csv(text, message->args[i].name);
		tl_put_char(text, ',');
		tl_draft_cut(draft);
	}

	/*
	 * Append the columns of missing arguments; the first of these columns
	 * may hold the scope of a span.
	 */
	unsigned columns = 2 * (TL_ARGS_MAX - message->argc);

	if (message->kind == TIMELINE_RECORD_SPAN &&
	    message->scope == TIMELINE_SOURCE && columns > 0) {
		tl_put_string(text, ",scope,source");
		columns -= 2;
	}
	tl_put_repeat(text, ',', columns);
	tl_draft_cut(draft);
}

/* Write the columns of events and losses: ns,tsc,cpu, */
static char *
write_place(char *to, const struct tl_event *event)
{
	to = tl_write_signed(to, event->ns);
	*to++ = ',';
	to = tl_write_unsigned(to, event->tsc);
	*to++ = ',';
	if (event->cpu != TL_CPU_UNKNOWN)
		to = tl_write_unsigned(to, event->cpu);
	*to++ = ',';
	return to;
}

/*
 * An empty text is "", because an empty field is a value that was not logged.
 */
static void
put_text(struct tl_text *text, struct tl_bytes value)
{
	if (value.size == 0)
		tl_put_string(text, "\"\"");
	else
		tl_put_csv(text, value);
}

static char *
write_duration(char *to, const struct tl_event *event)
{
	if (event->kind != TL_END || !tl_event_is_begun(event))
		return tl_write_string(to, NO_DURATION);
	*to++ = ',';
	to = tl_write_signed(to, event->duration_ns);
	return tl_write_string(to,
	    event->begun == TL_BEGUN_UNSURE ? ",true" : ",");
}

static char *
write_proof(char *to, const struct tl_event *event)
{
	to = tl_write_string(to, event->proven ? ",true," : ",,");
	if (event->kind != TL_END)
		return to;
	if (tl_event_is_stamped(event))
		to = tl_write_unsigned(to, event->begun_tsc);
	else if (event->begun == TL_BEGUN_NONE)
		*to++ = '0';
	return to;
}

static char *
write_bytes(char *to, struct tl_bytes bytes)
{
	memcpy(to, bytes.data, bytes.size);
	return to + bytes.size;
}

static void
put_event(struct tl_text *text, const struct tl_pieces *pieces,
    const struct tl_event *event, const struct tl_line_words *words)
{
	const size_t room =
	    pieces->room + FRAME_MAX + TL_ARGS_MAX * TL_VALUE_MAX;
	char *to = tl_text_reserve(text, room);

	if (!to)
		return;
	to = write_place(to, event);

	/* Write the columns of events: pid,tid, */
	to = tl_write_unsigned(to, event->pid);
	*to++ = ',';
	to = tl_write_unsigned(to, event->tid);
	*to++ = ',';
	to = tl_piece_write(to, pieces, MESSAGE_PIECE);
	to = tl_write_string(to, tl_kind_name(event->kind));
	for (unsigned i = 0; i < pieces->argc; i++) {
		to = tl_piece_write(to, pieces, FIRST_ARG_PIECE + i);
		if (!tl_event_has_args(event))
			continue;
		if (pieces->formats[i] == TIMELINE_ARG_SIGNED) {
			to = tl_write_signed(to, (int64_t)event->args[i]);
			continue;
		}
		text->size = (size_t)(to - text->data);
		tl_render_arg_exact(text, event, i, put_text);
		if (!(to = tl_text_reserve(text, room)))
			return;
	}
	to = tl_piece_write(to, pieces, FIRST_ARG_PIECE + pieces->argc);
	to = words->names.size > 0 ? write_bytes(to, words->names)
				   : tl_write_string(to, NO_NAMES);
	to = write_duration(to, event);
	to = write_proof(to, event);
	to = write_bytes(to, words->origin);
	to = tl_write_string(to,
	    event->known && pieces->argc > 0 ? ",true\n" : ",\n");
	text->size = (size_t)(to - text->data);
}

static void
put_lost(struct tl_text *text, const struct tl_event *event,
    struct tl_bytes origin)
{
	char *to = tl_text_reserve(text, FRAME_MAX);

	if (!to)
		return;
	to = write_place(to, event);
	to = tl_write_string(to, ",,,,,");
	for (unsigned i = 0; i < 2; i++) {
		to = tl_write_string(to, tl_event_kind_name(event));
		*to++ = ',';
	}
	to = tl_write_unsigned(to, event->lost);
	to = tl_write_string(to, ",,,,,," NO_NAMES NO_DURATION NO_PROOF);
	to = write_bytes(to, origin);
	to = tl_write_string(to, ",\n");
	text->size = (size_t)(to - text->data);
}

static const struct tl_line_write_kind kind = { .names = column_names,
	.make = make_pieces,
	.event = put_event,
	.put_names = put_names,
	.put_origin = put_names,
	.lost = put_lost,
	.scope_argc_max = TL_ARGS_MAX - 1,
	.has_loss_time = true,
	.always_has_origin = true };

int
tl_csv_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	return tl_line_write_new(writer, &kind, write, context, report);
}
