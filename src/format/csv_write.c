/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_write.c - a line is numbers, then pieces of its message:
 *
 *	1,2,3,4,5, | trace,example,"text", | instant | ,tcp, | 10 | ,,,,,,
 */
#include "format/csv_write.h"

#include "event/pieces.h"
#include "event/render.h"

#include <errno.h>

enum {
	MESSAGE_PIECE,
	FIRST_ARG_PIECE,
	/* All of a line but pieces and arguments: numbers and commas. */
	FRAME_MAX = 256
};

static const char names[] = "ns,tsc,cpu,pid,tid,priority,category,message,"
			    "kind,arg1,value1,arg2,value2,arg3,value3,arg4,"
			    "value4\n";

struct csv_write {
	struct tl_writer writer; /* first */
	struct tl_pieces_cache cache;
};

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
}

static char *
write_word(char *to, const char *word)
{
	const size_t size = strlen(word);

	memcpy(to, word, size);
	return to + size;
}

/* What an event and a loss have: ns,tsc,cpu, */
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

/* What only an event has: pid,tid, */
static char *
write_thread(char *to, const struct tl_event *event)
{
	to = tl_write_unsigned(to, event->pid);
	*to++ = ',';
	to = tl_write_unsigned(to, event->tid);
	*to++ = ',';
	return to;
}

/* Empty columns for the arguments that are not there, and the line's end. */
static char *
write_end(char *to, unsigned argc)
{
	for (unsigned i = argc; i < TL_ARGS_MAX; i++) {
		*to++ = ',';
		*to++ = ',';
	}
	*to++ = '\n';
	return to;
}

static void
put_value(struct tl_text *text, const struct tl_event *event, unsigned index)
{
	const struct tl_message *message = event->message;
	const uint64_t value = event->args[index];
	struct tl_bytes string;
	double number;

	switch (message->args[index].format) {
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		tl_put_signed(text, (int64_t)value);
		return;
	case TIMELINE_ARG_DOUBLE:
		memcpy(&number, &value, sizeof(number));
		tl_put_double(text, number);
		return;
	case TIMELINE_ARG_STRING:
		string = tl_message_string(message, value);
		if (string.data) {
			tl_put_csv(text, string);
			return;
		}
		tl_put_char(text, '#');
		break;
	}
	tl_put_unsigned(text, value);
}

static void
put_event(struct tl_text *text, const struct tl_pieces *pieces,
    const struct tl_event *event)
{
	const size_t room =
	    pieces->room + FRAME_MAX + TL_ARGS_MAX * TL_VALUE_MAX;
	char *to = tl_text_reserve(text, room);

	if (!to)
		return;
	to = write_place(to, event);
	to = write_thread(to, event);
	to = tl_piece_write(to, pieces, MESSAGE_PIECE);
	to = write_word(to, tl_kind_name(event->kind));
	for (unsigned i = 0; i < pieces->argc; i++) {
		to = tl_piece_write(to, pieces, FIRST_ARG_PIECE + i);
		if (pieces->formats[i] == TIMELINE_ARG_UNSIGNED) {
			to = tl_write_unsigned(to, event->args[i]);
			continue;
		}
		text->size = (size_t)(to - text->data);
		put_value(text, event, i);
		if (!(to = tl_text_reserve(text, room)))
			return;
	}
	to = write_end(to, pieces->argc);
	text->size = (size_t)(to - text->data);
}

static void
put_lost(struct tl_text *text, const struct tl_event *event)
{
	char *to = tl_text_reserve(text, FRAME_MAX);

	if (!to)
		return;
	to = write_place(to, event);
	to = write_word(to, ",,,,,lost,lost,");
	to = tl_write_unsigned(to, event->lost);
	to = write_end(to, 1);
	text->size = (size_t)(to - text->data);
}

static int
csv_begin(struct tl_writer *writer)
{
	tl_put_string(&writer->out.text, names);
	return 0;
}

static int
csv_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct csv_write *w = (struct csv_write *)writer;
	const struct tl_pieces *pieces;

	if (!event->message) {
		put_lost(&writer->out.text, event);
		return 0;
	}
	if (!(pieces = tl_pieces_of(&w->cache, event->message)))
		return -ENOMEM;
	put_event(&writer->out.text, pieces, event);
	return 0;
}

static void
csv_free(struct tl_writer *writer)
{
	tl_pieces_free(&((struct csv_write *)writer)->cache);
}

static const struct tl_writer_kind kind = { .put = csv_put,
	.begin = csv_begin,
	.free = csv_free };

int
tl_csv_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	int rc = tl_writer_make(writer, sizeof(struct csv_write), &kind, write,
	    context, report);

	if (rc == 0)
		((struct csv_write *)*writer)->cache.make = make_pieces;
	return rc;
}
