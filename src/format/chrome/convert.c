/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - the meaning of each phase:
 *
 *	B E		begin and end of a span of the thread
 *	X		both
 *	i I R P		instants
 *	C		a counter for each series
 *	b e S F		begin and end of a span identified by its message
 *	n T p		instants of such a span
 *	s t f N O D	instants, with their id as an argument
 *	M		the name of a process or thread
 */
#include "format/chrome/convert.h"

#include "base/array.h"
#include "event/names.h"
#include "format/chrome/extensions.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

/* The phases that are converted, and those whose id becomes an argument. */
#define PHASES  "BEXiIRPCbeSFnTpstfNODM"
#define WITH_ID "stfNOD"

/* The first number of processes and threads whose id is no number. */
enum { ID_FIRST = 1 << 30 };

/* One event while it is converted. */
struct work {
	struct tl_chrome_convert *c;
	struct tl_chrome_event *e;
	struct tl_chrome_request request;
	struct tl_event event;
};

/*
 * Turn -ENOSPC of messages, texts or threads into 1 and note it: the event is
 * left out.  Most functions of this file return 0, 1 or -errno in this sense.
 */
static int
note_full(struct work *w, int rc)
{
	if (rc != -ENOSPC)
		return rc;
	tl_note(w->c->notes, TL_CHROME_NOTE_FULL, w->e->at);
	return 1;
}

static void
set_request(struct work *w, const struct tl_chrome_args *args, uint8_t kind,
    uint8_t scope)
{
	w->request =
	    (struct tl_chrome_request){ .category =
					    w->e->field[TL_CHROME_CAT].text,
		    .name = w->e->field[TL_CHROME_NAME].text,
		    .args = args,
		    .kind = kind,
		    .scope = scope };
}

/* Set the values of the message's arguments. */
static int
set_values(struct work *w)
{
	unsigned bad = 0;
	int rc = tl_chrome_values(&w->c->messages, &w->request,
	    w->event.message, w->event.args, &bad);

	if (bad > 0)
		tl_note(w->c->notes, TL_CHROME_NOTE_VALUE, w->e->at);
	return note_full(w, rc);
}

/* Set the requested message and its values: 0; 1: left out; -errno. */
static int
set_message(struct work *w)
{
	int rc = note_full(w,
	    tl_chrome_message(&w->c->messages, &w->request, &w->event.message));

	memset(w->event.args, 0, sizeof(w->event.args));
	return rc == 0 ? set_values(w) : rc;
}

/* Keep the event with the requested message. */
static int
put_as(struct work *w, uint8_t kind)
{
	int rc = set_message(w);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	w->event.kind = kind;
	return tl_chrome_keep(&w->c->spans, &w->event);
}

/*
 * Keep the arguments of an asynchronous span as an instant.  Without a name,
 * the instant is called "begin" or "end".
 */
static int
put_arguments(struct work *w, struct tl_bytes instance, const char *unnamed)
{
	struct work instant = *w;
	struct tl_chrome_request *request = &instant.request;

	set_request(&instant, &w->c->args, TIMELINE_RECORD_INSTANT,
	    TIMELINE_THREAD);
	request->instance = instance;
	if (request->name.size == 0)
		request->name = tl_bytes_of(unnamed);
	instant.event.bare = false;
	return put_as(&instant, TL_INSTANT);
}

/*
 * Set the message of a span of the thread, and its values: 0; 1: left out;
 * -errno.
 */
static int
set_span(struct work *w, uint8_t kind)
{
	set_request(w, &w->c->args, TIMELINE_RECORD_SPAN, TIMELINE_THREAD);
	w->event.kind = kind;
	return set_message(w);
}

/* Keep a begin or an end event. */
static int
take_half(struct work *w, uint8_t kind)
{
	const struct tl_chrome_args *args = &w->c->args;
	int rc = set_span(w, kind);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	w->event.bare = kind == TL_END && args->count == 0 && !args->named;
	return tl_chrome_keep_half(&w->c->spans, &w->event,
	    kind == TL_BEGIN ? TL_CHROME_BEGIN : TL_CHROME_END,
	    tl_chrome_hash(w->request.category),
	    tl_chrome_hash(w->request.name));
}

static int
take_complete(struct work *w)
{
	const struct tl_chrome_value *dur = &w->e->field[TL_CHROME_DUR];
	int64_t duration_ns;
	int rc = set_span(w, TL_BEGIN);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (dur->kind == 0) { /* open when the file was written */
		tl_note(w->c->notes, TL_CHROME_NOTE_NO_DURATION, w->e->at);
		return tl_chrome_keep(&w->c->spans, &w->event);
	}
	if (!tl_chrome_time(dur, 0, &duration_ns) || duration_ns < 0)
		tl_note(w->c->notes, TL_CHROME_NOTE_TIME, w->e->at);
	return tl_chrome_keep_whole(&w->c->spans, &w->event,
	    duration_ns > 0 ? duration_ns : 0);
}

static const struct tl_chrome_value *
id_of(const struct tl_chrome_event *e)
{
	return e->field[TL_CHROME_ID].kind ? &e->field[TL_CHROME_ID]
					   : &e->field[TL_CHROME_ID_LOCAL];
}

/* Distinguish spans of one name: "id 0x12, scope s"; empty without an id. */
static struct tl_bytes
instance_of(struct work *w)
{
	const struct tl_chrome_value *id = id_of(w->e);
	const struct tl_chrome_value *scope = &w->e->field[TL_CHROME_SCOPE];
	struct tl_text *text = &w->c->instance;

	tl_text_clear(text);
	if (id->kind == 0)
		return tl_bytes(NULL, 0);
	tl_put_string(text, "id ");
	tl_put_bytes(text, id->text);
	if (id == &w->e->field[TL_CHROME_ID_LOCAL]) {
		tl_put_string(text, " of process ");
		tl_put_unsigned(text, w->event.pid);
	}
	if (scope->kind) {
		tl_put_string(text, ", scope ");
		tl_put_bytes(text, scope->text);
	}
	return tl_bytes(text->data, text->size);
}

/*
 * Keep the begin or end of an asynchronous span, which name and id identify.
 * The arguments become an instant and not part of the message, so that begin
 * and end have the same message in whatever order they come.
 */
static int
take_async(struct work *w, uint8_t kind)
{
	const struct tl_chrome_args none = { .level = w->c->args.level,
		.named = w->c->args.named };
	const struct tl_bytes instance = instance_of(w);
	const bool has_args = w->c->args.count > 0;
	int rc = w->c->instance.rc;

	if (rc == 0 && has_args && kind == TL_END)
		rc = put_arguments(w, instance, "end");
	set_request(w, &none, TIMELINE_RECORD_SPAN, TIMELINE_SOURCE);
	w->request.instance = instance;
	if (rc == 0)
		rc = put_as(w, kind);
	if (rc == 0 && has_args && kind == TL_BEGIN)
		rc = put_arguments(w, instance, "begin");
	return rc;
}

/*
 * Make the values of a counter doubles, as viewers read them, so that a series
 * has one message.
 */
static void
choose_format(struct tl_chrome_args *args)
{
	const int64_t exact = INT64_C(1) << 53;
	uint64_t value;

	if (args->format[0] == TIMELINE_ARG_SIGNED &&
	    tl_chrome_number(&args->arg[0].value, TIMELINE_ARG_SIGNED,
		&value) &&
	    (int64_t)value <= exact && (int64_t)value >= -exact)
		args->format[0] = TIMELINE_ARG_DOUBLE;
}

static int
take_counter(struct work *w)
{
	const struct tl_bytes instance = instance_of(w);
	struct tl_chrome_args *args = &w->c->args;
	struct tl_chrome_event *e = w->e;
	const unsigned count = e->argc;
	int rc = w->c->instance.rc;

	if (count == 0)
		tl_note(w->c->notes, TL_CHROME_NOTE_VALUE, e->at);
	for (unsigned i = 0; rc == 0 && i < count; i++) {
		e->args[0] = e->args[i];
		e->argc = 1;
		tl_chrome_args_make(args, e, NULL);
		if (args->count == 0 ||
		    (args->format[0] == TIMELINE_ARG_STRING)) {
			tl_note(w->c->notes, TL_CHROME_NOTE_VALUE, e->at);
			continue;
		}
		choose_format(args);
		set_request(w, args, TIMELINE_RECORD_COUNTER, TIMELINE_THREAD);
		w->request.instance = instance;
		rc = put_as(w, TL_COUNTER);
	}
	return rc;
}

static int
take_instant(struct work *w, struct tl_bytes instance)
{
	set_request(w, &w->c->args, TIMELINE_RECORD_INSTANT, TIMELINE_THREAD);
	w->request.instance = instance;
	return put_as(w, TL_INSTANT);
}

static bool
is_word(struct tl_bytes bytes, const char *word)
{
	return tl_bytes_equal(bytes, tl_bytes_of(word));
}

/* Find the argument of a key; kind 0: none. */
static struct tl_chrome_value
find_arg(const struct tl_chrome_event *e, const char *key)
{
	for (unsigned i = 0; i < e->argc; i++) {
		if (is_word(e->args[i].key, key))
			return e->args[i].value;
	}
	return (struct tl_chrome_value){ .text = tl_bytes("", 0) };
}

/* Is metadata of this name a layout hint for viewers? */
static bool
is_for_viewers(struct tl_bytes name)
{
	static const char *const known[] = { "process_labels",
		"process_sort_index", "thread_sort_index" };

	for (size_t i = 0; i < TL_COUNT(known); i++)
		if (is_word(name, known[i]))
			return true;
	return false;
}

/* Take metadata: the name of a thread or process. */
static int
take_name(struct work *w)
{
	const struct tl_bytes what = w->e->field[TL_CHROME_NAME].text;
	const struct tl_chrome_value name = find_arg(w->e, "name");
	const bool of_process = is_word(what, TL_CHROME_PROCESS);
	const uint32_t tid = of_process ? 0 : w->event.tid;
	struct tl_names *names = tl_interner_names(w->c->messages.interner);

	names->apart = true;
	if ((of_process || is_word(what, TL_CHROME_THREAD)) &&
	    name.kind == TL_JSON_STRING)
		return tl_names_add(names, w->event.pid, tid, name.text);
	if (!is_for_viewers(what))
		tl_note(w->c->notes, TL_CHROME_NOTE_METADATA, w->e->at);
	return 0;
}

static int
take_phase(struct work *w, char phase)
{
	switch (phase) {
	case 'B':
		return take_half(w, TL_BEGIN);
	case 'E':
		return take_half(w, TL_END);
	case 'X':
		return take_complete(w);
	case 'C':
		return take_counter(w);
	case 'b':
	case 'S':
		return take_async(w, TL_BEGIN);
	case 'e':
	case 'F':
		return take_async(w, TL_END);
	case 's':
		return take_instant(w, tl_bytes_of("flow start"));
	case 't':
		return take_instant(w, tl_bytes_of("flow step"));
	case 'f':
		return take_instant(w, tl_bytes_of("flow end"));
	case 'N':
		return take_instant(w, tl_bytes_of("object created"));
	case 'O':
		return take_instant(w, tl_bytes_of("object snapshot"));
	case 'D':
		return take_instant(w, tl_bytes_of("object deleted"));
	default: /* n T p i I R P */
		return take_instant(w, instance_of(w));
	}
}

static void
set_time(struct work *w)
{
	struct tl_chrome_convert *c = w->c;
	const struct tl_chrome_value *ts = &w->e->field[TL_CHROME_TS];

	if (!tl_chrome_time(ts, 0, &w->event.ns)) {
		tl_note(c->notes, TL_CHROME_NOTE_TIME, w->e->at);
		if (ts->kind == 0)
			w->event.ns = c->last_ns;
	}
	c->last_ns = w->event.ns;
}

/* Take a number of 32 bits; another id gets the number of its text. */
static int
set_number(struct work *w, unsigned field, uint32_t *number, bool *is_text)
{
	const struct tl_chrome_value *value = &w->e->field[field];
	uint64_t n;
	int rc;

	*number = 0;
	*is_text = false;
	if (value->kind == 0)
		return 0;
	if (tl_chrome_number(value, TIMELINE_ARG_UNSIGNED, &n) &&
	    n <= UINT32_MAX) {
		*number = (uint32_t)n;
		return 0;
	}
	tl_note(w->c->notes, TL_CHROME_NOTE_IDS, w->e->at);
	rc = tl_interner_string(w->c->messages.interner, value->text, &n);
	if (rc == 0)
		*number = ID_FIRST + (uint32_t)n;
	*is_text = rc == 0;
	return note_full(w, rc);
}

/* Name a process or thread by an id that is no number, unless it has a name. */
static int
name_by_text(struct work *w, unsigned field, uint32_t tid)
{
	struct tl_names *names = tl_interner_names(w->c->messages.interner);

	names->apart = true;
	if (tl_names_own(names, w->event.pid, tid).size > 0)
		return 0;
	return tl_names_add(names, w->event.pid, tid, w->e->field[field].text);
}

/* Set process and thread: 0; 1: left out; -errno. */
static int
set_ids(struct work *w)
{
	bool pid_is_text, tid_is_text;
	int rc = set_number(w, TL_CHROME_PID, &w->event.pid, &pid_is_text);

	if (rc == 0)
		rc = set_number(w, TL_CHROME_TID, &w->event.tid, &tid_is_text);
	if (rc == 0 && pid_is_text)
		rc = name_by_text(w, TL_CHROME_PID, 0);
	if (rc == 0 && tid_is_text)
		rc = name_by_text(w, TL_CHROME_TID, w->event.tid);
	return rc;
}

/* Note and leave out an event that is too large or of no known phase. */
static bool
is_left_out(struct tl_chrome_convert *c, const struct tl_chrome_event *e)
{
	const struct tl_chrome_value *ph = &e->field[TL_CHROME_PH];

	if (e->too_large)
		tl_note(c->notes, TL_CHROME_NOTE_LARGE, e->at);
	else if (ph->kind != TL_JSON_STRING || ph->text.size != 1)
		tl_note(c->notes, TL_CHROME_NOTE_NOT_EVENT, e->at);
	else if (!memchr(PHASES, ph->text.data[0], sizeof(PHASES) - 1))
		tl_note(c->notes, TL_CHROME_NOTE_PHASE, e->at);
	else
		return false;
	return true;
}

static void
note_cuts(struct tl_chrome_convert *c, const struct tl_chrome_event *e)
{
	if (e->cut)
		tl_note(c->notes, TL_CHROME_NOTE_CUT_TEXT, e->at);
	if (e->too_many)
		tl_note(c->notes, TL_CHROME_NOTE_MANY, e->at);
	if (c->args.joined)
		tl_note(c->notes, TL_CHROME_NOTE_JOINED, e->at);
}

int
tl_chrome_convert(struct tl_chrome_convert *c, struct tl_chrome_event *e)
{
	struct work w = { .c = c, .e = e };
	const char phase = e->field[TL_CHROME_PH].text.size > 0
			       ? e->field[TL_CHROME_PH].text.data[0]
			       : '\0';
	const struct tl_chrome_arg lead = { tl_bytes_of("id"), *id_of(e) };
	int rc;

	if (is_left_out(c, e))
		return 0;
	rc = set_ids(&w);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (phase != 'C') /* take_counter() makes them for each series */
		tl_chrome_args_make(&c->args, e,
		    strchr(WITH_ID, phase) && lead.value.kind ? &lead : NULL);
	note_cuts(c, e);
	if (phase == 'M')
		return take_name(&w);
	set_time(&w);
	return take_phase(&w, phase);
}

int
tl_chrome_convert_make(struct tl_chrome_convert *c)
{
	int rc = tl_chrome_messages_make(&c->messages);

	c->spans.interner = c->messages.interner;
	return rc < 0 ? rc : tl_chrome_spans_make(&c->spans);
}

/* Note events whose place in the file is no longer known. */
static void
note_some(struct tl_chrome_convert *c, unsigned kind, uint64_t count)
{
	for (; count > 0; count--)
		tl_note(c->notes, kind, TL_FAULT_NOWHERE);
}

int
tl_chrome_convert_finish(struct tl_chrome_convert *c)
{
	int rc = tl_chrome_spans_finish(&c->spans);

	note_some(c, TL_CHROME_NOTE_TIME, c->spans.beyond);
	note_some(c, TL_CHROME_NOTE_FULL, c->spans.full);
	note_some(c, TL_CHROME_NOTE_FORGOTTEN, c->spans.forgotten);
	return rc;
}

void
tl_chrome_convert_free(struct tl_chrome_convert *c)
{
	tl_chrome_spans_free(&c->spans);
	tl_chrome_messages_free(&c->messages);
	tl_text_free(&c->instance);
}
