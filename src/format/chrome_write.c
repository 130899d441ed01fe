/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome_write.c - an event is numbers, then pieces of its message:
 *
 *	{"ph":"i","s":"t","pid":1,"tid":2,"ts":3.004 | ,"cat":"c","name":
 *	"n","args":{ | "tcp": | 10 | ,"priority":"trace"}}
 */
#include "format/chrome_write.h"

#include "event/pieces.h"
#include "event/render.h"
#include "format/notes.h"
#include "format/numbers.h"

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

enum { NOTE_STAMPS, NOTE_COUNTER };
static const struct tl_note_kind notes[] = {
	[NOTE_STAMPS] = { -ENOTSUP,
	    "CPU, raw stamp and error of an event have no place in the "
	    "format" },
	[NOTE_COUNTER] = { -ENOTSUP,
	    "a counter has one value: its other arguments are left out" },
};

struct chrome {
	struct tl_writer writer; /* first: what callers see */
	struct tl_pieces_cache cache;
	struct tl_notes notes;
	struct tl_numbers processes;
	struct tl_numbers threads;
	struct tl_numbers sources; /* messages with a thread of their own */
	uint32_t *source_pids;     /* by number of a source */
	size_t source_capacity;
	int64_t base_ns;
	int64_t last_ns;
	bool started; /* base_ns is known */
	bool follows; /* an event stands before this one */
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

/* The first line without the $ of its arguments. */
static void
put_name(struct tl_text *text, const struct tl_message *message)
{
	for (unsigned i = 0; i < message->argc; i++) {
		tl_put_json(text, message->args[i].before);
		tl_put_json(text, message->args[i].name);
	}
	tl_put_json(text, message->after);
}

static void
make_pieces(struct tl_draft *draft, const struct tl_message *message)
{
	struct tl_text *text = &draft->text;

	tl_put_string(text, ",\"cat\":\"");
	tl_put_json(text, message->category);
	tl_put_string(text, "\",\"name\":\"");
	put_name(text, message);
	tl_put_string(text, "\",\"args\":{");
	tl_draft_cut(draft);
	for (unsigned i = 0; i < message->argc; i++) {
		tl_put_string(text, i > 0 ? ",\"" : "\"");
		tl_put_json(text, message->args[i].name);
		tl_put_string(text, "\":");
		tl_draft_cut(draft);
	}
	tl_put_string(text, message->argc > 0 ? ",\"" : "\"");
	tl_put_string(text, "priority\":\"");
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
	tl_put_string(text, "\"},\"traceEvents\":[");
}

/* Between two events. */
static char *
write_comma(struct chrome *w, char *to)
{
	if (w->follows)
		*to++ = ',';
	*to++ = '\n';
	w->follows = true;
	return to;
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

/* One line that names something: the caller ends it. */
static void
put_metadata(struct chrome *w, const char *name, uint32_t pid, uint32_t tid)
{
	struct tl_text *text = &w->writer.out.text;
	char *to = tl_text_reserve(text, 2);

	if (!to)
		return;
	text->size += (size_t)(write_comma(w, to) - to);
	tl_put_format(text,
	    "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{",
	    pid, tid, name);
}

static void
name_process(struct chrome *w, uint32_t pid)
{
	struct tl_text *text = &w->writer.out.text;
	uint32_t number;

	if (tl_numbers_get(&w->processes, (struct tl_number_key){ pid, 0 },
		&number) != 1)
		return;
	put_metadata(w, "process_name", pid, pid);
	tl_put_format(text, "\"name\":\"process %u\"}}", pid);
	put_metadata(w, "process_sort_index", pid, pid);
	tl_put_format(text, "\"sort_index\":%u}}", number);
}

static void
name_thread(struct chrome *w, const struct tl_event *event)
{
	struct tl_text *text = &w->writer.out.text;
	const uint32_t pid = event->pid, tid = event->tid;

	name_process(w, pid);
	put_metadata(w, "thread_name", pid, tid);
	tl_put_format(text, "\"name\":\"%s %u\"}}",
	    pid == tid ? "main" : "thread", tid);
	put_metadata(w, "thread_sort_index", pid, tid);
	tl_put_format(text, "\"sort_index\":%u}}", pid == tid ? 0 : tid);
}

/* A source lies in the process that was the first to use it, before its
 * threads. */
static void
name_source(struct chrome *w, const struct tl_event *event, uint32_t tid)
{
	struct tl_text *text = &w->writer.out.text;

	name_process(w, event->pid);
	put_metadata(w, "thread_name", event->pid, tid);
	tl_put_string(text, "\"name\":\"");
	put_name(text, event->message);
	tl_put_string(text, "\",\"source\":true}}");
	put_metadata(w, "thread_sort_index", event->pid, tid);
	tl_put_format(text, "\"sort_index\":%d}}",
	    (int)(tid - TL_CHROME_SOURCE_TID) - 1);
}

/* Turn an event of a source to the thread of it. */
static int
to_source(struct chrome *w, struct tl_event *event)
{
	const struct tl_number_key key = { (uintptr_t)event->message, 0 };
	void *pids = w->source_pids;
	uint32_t number;
	int rc = tl_numbers_get(&w->sources, key, &number);

	if (rc < 0)
		return rc;
	if (rc == 1) {
		rc = tl_numbers_room(&pids, &w->source_capacity, number,
		    sizeof(*w->source_pids));
		w->source_pids = pids;
		if (rc < 0)
			return rc;
		w->source_pids[number] = event->pid;
		name_source(w, event, TL_CHROME_SOURCE_TID - number);
	}
	event->pid = w->source_pids[number];
	event->tid = TL_CHROME_SOURCE_TID - number;
	return 0;
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
		return WRITE(to, "{\"ph\":\"i\",\"s\":\"t\",\"pid\":");
	}
}

static char *
write_numbers(struct chrome *w, char *to, const struct tl_event *event)
{
	to = write_comma(w, to);
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

static void
put_event(struct chrome *w, const struct tl_pieces *pieces,
    const struct tl_event *event)
{
	struct tl_text *text = &w->writer.out.text;
	const size_t room =
	    pieces->room + FRAME_MAX + TL_ARGS_MAX * (TL_VALUE_MAX + 2);
	const bool is_counter = event->kind == TL_COUNTER;
	const unsigned argc = event->bare                      ? 0
			      : is_counter && pieces->argc > 1 ? 1
							       : pieces->argc;
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
	}
	if (is_counter && argc == 0)
		to = write_plain_counter(to, event);
	else if (is_counter || argc < pieces->argc)
		to = WRITE(to, "}}");
	else
		to = tl_piece_write(to, pieces, FIRST_ARG_PIECE + argc);
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
	to = write_comma(w, to);
	to = WRITE(to, "{\"ph\":\"i\",\"s\":\"g\",\"pid\":0,\"tid\":0,\"ts\":");
	to = write_us(to, w->base_ns, w->last_ns);
	to = WRITE(to, ",\"cat\":\"timeline\",\"name\":\"entries lost\","
		       "\"args\":{\"lost\":");
	to = write_integer(to, event->lost, false, false);
	to = WRITE(to, "}}");
	text->size = (size_t)(to - text->data);
}

static int
put_source(struct chrome *w, const struct tl_pieces *pieces,
    const struct tl_event *event)
{
	struct tl_event turned = *event;
	int rc = to_source(w, &turned);

	if (rc == 0)
		put_event(w, pieces, &turned);
	return rc;
}

static bool
has_source(const struct tl_event *event)
{
	return event->message->scope == TIMELINE_SOURCE &&
	       (event->kind == TL_BEGIN || event->kind == TL_END);
}

static int
chrome_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct chrome *w = chrome_of(writer);
	const struct tl_number_key key = { event->pid, event->tid };
	const struct tl_pieces *pieces;
	uint32_t number;

	if (!w->started)
		start(w, event->ns);
	if (!event->message) {
		put_lost(w, event);
		return 0;
	}
	if (!(pieces = tl_pieces_of(&w->cache, event->message)))
		return -ENOMEM;
	w->last_ns = event->ns;
	tl_note(&w->notes, NOTE_STAMPS, TL_FAULT_NOWHERE);
	if (event->kind == TL_COUNTER && pieces->argc > 1)
		tl_note(&w->notes, NOTE_COUNTER, TL_FAULT_NOWHERE);
	if (has_source(event))
		return put_source(w, pieces, event);
	if (tl_numbers_get(&w->threads, key, &number) == 1)
		name_thread(w, event);
	put_event(w, pieces, event);
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
	tl_numbers_free(&w->processes);
	tl_numbers_free(&w->threads);
	tl_numbers_free(&w->sources);
	free(w->source_pids);
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
	}
	return rc;
}
