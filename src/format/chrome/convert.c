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
#include "format/chrome/chrome.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

/* The phases that are converted, and those that are left out. */
#define PHASES "BEXiIRPCbeSFnTpstfNODM"
#define LEFT   "vVc()="

/* Instants whose id becomes an argument. */
static const struct {
	char phase;
	const char *what;
} with_id[] = {
	{ 's', "flow start" },
	{ 't', "flow step" },
	{ 'f', "flow end" },
	{ 'N', "object created" },
	{ 'O', "object snapshot" },
	{ 'D', "object deleted" },
};

/* The first number of processes and threads whose id is no number. */
enum { ID_FIRST = 1 << 30 };

/* One event while it is converted. */
struct work {
	struct tl_chrome_convert *c;
	struct tl_chrome_event *e;
	struct tl_event event;
};

/* A hash of a name; only an empty name has hash 0. */
static uint64_t
hash_of(struct tl_bytes name)
{
	const uint64_t odd = UINT64_C(0x9e6c63d0876a3f6b);
	uint64_t hash = name.size, word;
	size_t at = 0;

	if (name.size == 0)
		return 0;
	for (; name.size - at >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, name.data + at, sizeof(word));
		hash = (hash ^ word) * odd;
		hash ^= hash >> 29;
	}
	for (word = 0; at < name.size; at++)
		word = word << 8 | (unsigned char)name.data[at];
	hash = (hash ^ word) * odd;
	return hash | 1;
}

/*
 * Give the event a kind, the requested message and a role, and keep the event.
 * If there is no room for the message or for a text, the event is left out and
 * noted.
 */
static int
put(struct work *w, const struct tl_chrome_request *request, uint8_t kind,
    enum tl_chrome_role role)
{
	struct tl_chrome_convert *c = w->c;
	const struct tl_chrome_value *dur = &w->e->field[TL_CHROME_DUR];
	struct tl_event *event = &w->event;
	int64_t duration_ns;
	unsigned bad = 0;
	int rc;

	event->kind = kind;
	rc = tl_chrome_message(&c->messages, request, event, &bad);
	if (bad > 0)
		tl_note(c->notes, TL_CHROME_NOTE_VALUE, w->e->at);
	if (rc == -ENOSPC) {
		tl_note(c->notes, TL_CHROME_NOTE_FULL, w->e->at);
		return 0;
	}
	if (rc < 0)
		return rc;
	if (role == TL_CHROME_WHOLE && dur->kind == 0) {
		/* open when the file was written */
		tl_note(c->notes, TL_CHROME_NOTE_NO_DURATION, w->e->at);
		role = TL_CHROME_ALONE;
	}
	event->lane = role;
	switch (role) {
	case TL_CHROME_ALONE:
		break;
	case TL_CHROME_WHOLE:
		if (!tl_chrome_time(dur, &duration_ns) || duration_ns < 0)
			tl_note(c->notes, TL_CHROME_NOTE_TIME, w->e->at);
		event->tsc = duration_ns > 0 ? (uint64_t)duration_ns : 0;
		break;
	case TL_CHROME_END:
		event->bare =
		    request->args->count == 0 && !request->args->named;
		/* fall through */
	case TL_CHROME_BEGIN:
		event->tsc =
		    hash_of(request->category) + 2 * hash_of(request->instance);
		event->number = hash_of(request->name);
		break;
	}
	return tl_chrome_keep(&c->spans, event);
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
	return tl_text_bytes(text);
}

/*
 * Keep the begin or end of an asynchronous span, which name and id identify.
 * The arguments become an instant and not part of the message, so that begin
 * and end have the same message in whatever order they come.  Without a name,
 * the instant is called "begin" or "end".
 */
static int
take_async(struct work *w, const struct tl_chrome_request *request,
    uint8_t kind)
{
	const struct tl_chrome_args none = { .level = request->args->level,
		.named = request->args->named };
	const bool has_args = request->args->count > 0;
	struct tl_chrome_request instant = *request, span = *request;
	int rc;

	instant.instance = span.instance = instance_of(w);
	if (instant.name.size == 0)
		instant.name = tl_bytes_of(kind == TL_BEGIN ? "begin" : "end");
	span.args = &none;
	span.scope = TIMELINE_SOURCE;
	rc = w->c->instance.rc;
	if (rc == 0 && has_args && kind == TL_END)
		rc = put(w, &instant, TL_INSTANT, TL_CHROME_ALONE);
	if (rc == 0)
		rc = put(w, &span, kind,
		    kind == TL_BEGIN ? TL_CHROME_BEGIN : TL_CHROME_END);
	if (rc == 0 && has_args && kind == TL_BEGIN)
		rc = put(w, &instant, TL_INSTANT, TL_CHROME_ALONE);
	return rc;
}

/*
 * Keep a counter for each series.  The values are doubles if a double holds
 * them, because viewers read doubles, and because a series then has one
 * message.
 */
static int
take_counter(struct work *w, struct tl_chrome_request *request)
{
	const int64_t exact = INT64_C(1) << 53;
	struct tl_chrome_args *args = &w->c->args;
	struct tl_chrome_event *e = w->e;
	const unsigned count = e->argc;
	uint64_t value;
	int rc;

	request->instance = instance_of(w);
	rc = w->c->instance.rc;
	if (count == 0)
		tl_note(w->c->notes, TL_CHROME_NOTE_VALUE, e->at);
	for (unsigned i = 0; rc == 0 && i < count; i++) {
		e->args[0] = e->args[i];
		e->argc = 1;
		/* some writers put numbers in quotes */
		if (e->args[0].value.kind == TL_JSON_STRING &&
		    tl_json_word(e->args[0].value.text) == TL_JSON_NUMBER)
			e->args[0].value.kind = TL_JSON_NUMBER;
		tl_chrome_args_make(args, e, NULL);
		if (args->count == 0 ||
		    args->format[0] == TIMELINE_ARG_STRING) {
			tl_note(w->c->notes, TL_CHROME_NOTE_VALUE, e->at);
			continue;
		}
		if (args->format[0] == TIMELINE_ARG_SIGNED &&
		    tl_chrome_number(&args->arg[0].value, TIMELINE_ARG_SIGNED,
			&value) &&
		    (int64_t)value <= exact && (int64_t)value >= -exact)
			args->format[0] = TIMELINE_ARG_DOUBLE;
		rc = put(w, request, TL_COUNTER, TL_CHROME_ALONE);
	}
	return rc;
}

/* Take metadata: the name of a thread or process. */
static int
take_name(struct work *w)
{
	static const char *const layout[] = { "process_labels",
		"process_sort_index", "thread_sort_index" };
	const struct tl_bytes what = w->e->field[TL_CHROME_NAME].text;
	const bool of_process = tl_bytes_are(what, TL_CHROME_PROCESS);
	const uint32_t tid = of_process ? 0 : w->event.tid;
	struct tl_names *names = tl_interner_names(w->c->messages.interner);
	unsigned i = 0;

	names->apart = true;
	while (i < w->e->argc && !tl_bytes_are(w->e->args[i].key, "name"))
		i++;
	if ((of_process || tl_bytes_are(what, TL_CHROME_THREAD)) &&
	    i < w->e->argc && w->e->args[i].value.kind == TL_JSON_STRING)
		return tl_names_add(names, w->event.pid, tid,
		    w->e->args[i].value.text);
	for (i = 0; i < TL_COUNT(layout); i++) {
		if (tl_bytes_are(what, layout[i]))
			return 0;
	}
	tl_note(w->c->notes, TL_CHROME_NOTE_METADATA, w->e->at);
	return 0;
}

/*
 * Take a number of 32 bits; another id gets the number of its text: 0; -ENOSPC:
 * too many texts; -ENOMEM.
 */
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
	return rc;
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

/*
 * The phase of an event; 0: the event is too large or of a phase that is not
 * converted, and is left out and noted.
 */
static char
phase_of(struct tl_chrome_convert *c, const struct tl_chrome_event *e)
{
	const struct tl_chrome_value *ph = &e->field[TL_CHROME_PH];

	if (e->too_large)
		tl_note(c->notes, TL_CHROME_NOTE_LARGE, e->at);
	else if (ph->kind != TL_JSON_STRING || ph->text.size != 1)
		tl_note(c->notes, TL_CHROME_NOTE_NOT_EVENT, e->at);
	else if (memchr(LEFT, ph->text.data[0], sizeof(LEFT) - 1))
		tl_note(c->notes, TL_CHROME_NOTE_LEFT, e->at);
	else if (!memchr(PHASES, ph->text.data[0], sizeof(PHASES) - 1))
		tl_note(c->notes, TL_CHROME_NOTE_PHASE, e->at);
	else
		return ph->text.data[0];
	return '\0';
}

/* Set process and thread: 0; -ENOSPC: too many texts; -ENOMEM. */
static int
set_thread(struct work *w)
{
	const unsigned tid =
	    w->e->field[TL_CHROME_LANE].kind ? TL_CHROME_LANE : TL_CHROME_TID;
	bool pid_is_text, tid_is_text;
	int rc = set_number(w, TL_CHROME_PID, &w->event.pid, &pid_is_text);

	if (rc == 0)
		rc = set_number(w, tid, &w->event.tid, &tid_is_text);
	if (rc == 0 && pid_is_text)
		rc = name_by_text(w, TL_CHROME_PID, 0);
	if (rc == 0 && tid_is_text)
		rc = name_by_text(w, tid, w->event.tid);
	return rc;
}

int
tl_chrome_convert(struct tl_chrome_convert *c, struct tl_chrome_event *e)
{
	struct work w = { .c = c, .e = e };
	struct tl_chrome_request request = { .category =
						 e->field[TL_CHROME_CAT].text,
		.name = e->field[TL_CHROME_NAME].text,
		.args = &c->args,
		.scope = TIMELINE_THREAD };
	const struct tl_chrome_arg id = { tl_bytes_of("id"), *id_of(e) };
	const char phase = phase_of(c, e);
	const char *what = NULL;
	int rc;

	if (phase == '\0')
		return 0;
	if ((rc = set_thread(&w)) == -ENOSPC) {
		tl_note(c->notes, TL_CHROME_NOTE_FULL, e->at);
		return 0;
	}
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < TL_COUNT(with_id); i++) {
		if (with_id[i].phase == phase)
			what = with_id[i].what;
	}

	if (phase != 'C') /* take_counter() makes them for each series */
		tl_chrome_args_make(&c->args, e,
		    what && id.value.kind ? &id : NULL);
	if (e->cut)
		tl_note(c->notes, TL_CHROME_NOTE_CUT_TEXT, e->at);
	if (e->too_many)
		tl_note(c->notes, TL_CHROME_NOTE_MANY, e->at);
	if (c->args.joined)
		tl_note(c->notes, TL_CHROME_NOTE_JOINED, e->at);
	if (phase == 'M')
		return take_name(&w);

	if (!tl_chrome_time(&e->field[TL_CHROME_TS], &w.event.ns)) {
		tl_note(c->notes, TL_CHROME_NOTE_TIME, e->at);
		if (e->field[TL_CHROME_TS].kind != TL_JSON_NUMBER &&
		    e->field[TL_CHROME_TS].kind != TL_JSON_STRING)
			w.event.ns = c->last_ns;
	}
	c->last_ns = w.event.ns;

	switch (phase) {
	case 'B':
		return put(&w, &request, TL_BEGIN, TL_CHROME_BEGIN);
	case 'E':
		return put(&w, &request, TL_END, TL_CHROME_END);
	case 'X':
		return put(&w, &request, TL_BEGIN, TL_CHROME_WHOLE);
	case 'C':
		return take_counter(&w, &request);
	case 'b':
	case 'S':
		return take_async(&w, &request, TL_BEGIN);
	case 'e':
	case 'F':
		return take_async(&w, &request, TL_END);
	}
	request.instance = what ? tl_bytes_of(what) : instance_of(&w);
	return put(&w, &request, TL_INSTANT, TL_CHROME_ALONE);
}

int
tl_chrome_convert_make(struct tl_chrome_convert *c, struct tl_sink *sink)
{
	struct tl_chrome_spans *spans = &c->spans;
	int rc = tl_interner_new(&c->messages.interner);

	spans->notes = c->notes;
	spans->sink = sink;
	spans->interner = c->messages.interner;
	if (rc == 0)
		rc = tl_store_new(&spans->store, TL_STORE_MEMORY_MAX);
	if (rc == 0)
		tl_store_keep_order(spans->store);
	return rc;
}

void
tl_chrome_convert_free(struct tl_chrome_convert *c)
{
	tl_chrome_spans_free(&c->spans);
	tl_chrome_messages_free(&c->messages);
	tl_text_free(&c->instance);
}
