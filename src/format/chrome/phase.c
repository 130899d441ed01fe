/* SPDX-License-Identifier: Apache-2.0 */
/* chrome_phase.c - the phases of spans, and what all phases need. */
#include "format/chrome/value.h"
#include "format/chrome/work.h"

#include <errno.h>
#include <timeline.h>

/* Has what there is no room for been noted?  1: it is left out. */
int
tl_chrome_full(struct tl_chrome_work *w, int rc)
{
	if (rc != -ENOSPC)
		return rc;
	tl_note(w->c->notes, TL_CHROME_NOTE_FULL, w->e->at);
	return 1;
}

void
tl_chrome_work_ask(struct tl_chrome_work *w, const struct tl_chrome_args *args,
    uint8_t kind, uint8_t scope)
{
	w->ask =
	    (struct tl_chrome_ask){ .category = w->e->field[TL_CHROME_CAT].text,
		    .name = w->e->field[TL_CHROME_NAME].text,
		    .args = args,
		    .kind = kind,
		    .scope = scope };
}

/* The values that the event has of its message. */
static int
set_values(struct tl_chrome_work *w)
{
	unsigned bad = 0;
	int rc = tl_chrome_values(&w->c->messages, &w->ask, w->event.message,
	    w->event.args, &bad);

	if (bad > 0)
		tl_note(w->c->notes, TL_CHROME_NOTE_VALUE, w->e->at);
	return tl_chrome_full(w, rc);
}

/* What is asked for as the message of the event: 0; 1: left out; -errno. */
int
tl_chrome_set_message(struct tl_chrome_work *w)
{
	int rc = tl_chrome_full(w,
	    tl_chrome_message(&w->c->messages, &w->ask, &w->event.message));

	memset(w->event.args, 0, sizeof(w->event.args));
	return rc == 0 ? set_values(w) : rc;
}

/* The event as it is asked for, of a kind. */
int
tl_chrome_put_as(struct tl_chrome_work *w, uint8_t kind)
{
	int rc = tl_chrome_set_message(w);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	w->event.kind = kind;
	return tl_chrome_put(&w->c->spans, &w->event);
}

/* Its arguments, which are not those of its span, as an instant. */
static int
put_arguments(struct tl_chrome_work *w, struct tl_bytes which)
{
	struct tl_chrome_work instant = *w;
	struct tl_chrome_ask *ask = &instant.ask;

	tl_chrome_work_ask(&instant, &w->c->args, TIMELINE_RECORD_INSTANT,
	    TIMELINE_THREAD);
	ask->which = which;
	if (ask->name.size == 0) { /* an end may have none */
		ask->name = tl_bytes_of("end");
		ask->category = w->event.message->category;
	}
	instant.event.bare = false;
	return tl_chrome_put_as(&instant, TL_INSTANT);
}

/* Ask for a span of its thread; 1: there are too many threads. */
static int
ask_span(struct tl_chrome_work *w, uint32_t *thread)
{
	const struct tl_message *told;
	int rc = tl_chrome_full(w,
	    tl_chrome_thread(&w->c->spans, w->event.pid, w->event.tid, thread));

	if (rc != 0)
		return rc;
	told = tl_chrome_source(&w->c->spans, *thread);
	tl_chrome_work_ask(w, &w->c->args, TIMELINE_RECORD_SPAN,
	    told ? TIMELINE_SOURCE : TIMELINE_THREAD);
	w->ask.told = told;
	return 0;
}

static struct tl_chrome_who
who_of(const struct tl_chrome_work *w)
{
	return (struct tl_chrome_who){ tl_chrome_hash(w->ask.category),
		tl_chrome_hash(w->ask.name), w->event.message };
}

/* The event as a begin of its thread: 0; 1: left out; -errno. */
static int
make_begin(struct tl_chrome_work *w, uint32_t *thread)
{
	int rc = ask_span(w, thread);

	w->event.kind = TL_BEGIN;
	return rc == 0 ? tl_chrome_set_message(w) : rc;
}

/* Was a begin handed on where its place was written? */
static bool
is_begun(const struct tl_chrome_work *w)
{
	return w->c->ours && w->e->field[TL_CHROME_BEGUN].kind == TL_JSON_TRUE;
}

int
tl_chrome_take_place(struct tl_chrome_work *w)
{
	uint32_t thread;
	int rc = make_begin(w, &thread);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	return tl_chrome_put(&w->c->spans, &w->event);
}

int
tl_chrome_take_begin(struct tl_chrome_work *w)
{
	struct tl_chrome_who who;
	uint32_t thread;
	int rc = make_begin(w, &thread);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	who = who_of(w);
	rc = is_begun(w)
		 ? tl_chrome_open(&w->c->spans, thread, &who)
		 : tl_chrome_begin(&w->c->spans, thread, &w->event, &who);
	if (w->c->spans.forgot)
		tl_note(w->c->notes, TL_CHROME_NOTE_FULL, w->e->at);
	w->c->spans.forgot = false;
	return rc;
}

/* The end of a span that began with this message. */
static int
put_end(struct tl_chrome_work *w, const struct tl_message *message)
{
	const struct tl_chrome_args *args = &w->c->args;
	int rc = 0;

	memset(w->event.args, 0, sizeof(w->event.args));
	w->event.message = message;
	w->event.kind = TL_END;
	w->event.bare = message->argc > 0 && args->count == 0 && !args->named;
	if (!tl_chrome_has_all(message, args)) {
		w->event.bare = message->argc > 0;
		rc = put_arguments(w, tl_bytes(NULL, 0));
	} else if (!w->event.bare) {
		rc = set_values(w);
	}
	if (rc != 0)
		return rc < 0 ? rc : 0;
	return tl_chrome_put(&w->c->spans, &w->event);
}

int
tl_chrome_take_end(struct tl_chrome_work *w)
{
	const struct tl_chrome_args *args = &w->c->args;
	const struct tl_message *begun;
	struct tl_chrome_who who;
	uint32_t thread;
	int rc = ask_span(w, &thread);

	if (rc == 0 && (args->count > 0 || args->named))
		rc = tl_chrome_set_message(
		    w); /* likely that of the begin, too */
	if (rc != 0)
		return rc < 0 ? rc : 0;
	who = who_of(w);
	rc = tl_chrome_close(&w->c->spans, thread, w->event.ns, &who, &begun);
	if (rc == 0 && !begun) {
		rc = tl_chrome_set_message(w);
		begun = w->event.message;
	}
	if (rc != 0)
		return rc < 0 ? rc : 0;
	return put_end(w, begun);
}

/* A span of ours: its end has arguments, and the order is known. */
static int
put_own(struct tl_chrome_work *w, int64_t end_ns)
{
	const struct tl_chrome_args *ends = &w->c->ends;
	const struct tl_message *message = w->event.message;
	int rc = is_begun(w) ? 0 : tl_chrome_put(&w->c->spans, &w->event);

	if (rc < 0)
		return rc;
	w->event.kind = TL_END;
	w->event.ns = end_ns;
	w->event.bare = message->argc > 0 && ends->count == 0;
	memset(w->event.args, 0, sizeof(w->event.args));
	w->ask.args = ends;
	if (!w->event.bare && (rc = set_values(w)) != 0)
		return rc < 0 ? rc : 0;
	return tl_chrome_put(&w->c->spans, &w->event);
}

int
tl_chrome_take_whole(struct tl_chrome_work *w)
{
	const struct tl_chrome_value *dur = &w->e->field[TL_CHROME_DUR];
	uint32_t thread;
	int64_t end_ns;
	int rc = make_begin(w, &thread);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (dur->kind == 0) { /* it had not ended when the file was written */
		tl_note(w->c->notes, TL_CHROME_NOTE_UNENDED, w->e->at);
		return tl_chrome_put(&w->c->spans, &w->event);
	}
	if (!tl_chrome_time(dur, w->event.ns, &end_ns) ||
	    end_ns < w->event.ns) {
		tl_note(w->c->notes, TL_CHROME_NOTE_TIME, w->e->at);
		end_ns = w->event.ns;
	}
	return w->c->ours
		   ? put_own(w, end_ns)
		   : tl_chrome_whole(&w->c->spans, thread, &w->event, end_ns);
}

const struct tl_chrome_value *
tl_chrome_id(const struct tl_chrome_event *e)
{
	return e->field[TL_CHROME_ID].kind ? &e->field[TL_CHROME_ID]
					   : &e->field[TL_CHROME_ID_LOCAL];
}

/* Which of several of a name: "id 0x12, scope s"; empty without an id. */
struct tl_bytes
tl_chrome_which(struct tl_chrome_work *w)
{
	const struct tl_chrome_value *id = tl_chrome_id(w->e);
	const struct tl_chrome_value *scope = &w->e->field[TL_CHROME_SCOPE];
	struct tl_text *text = &w->c->which;

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

/* Begin or end of a span that belongs to its message.  Its arguments stand
 * beside it: it is found by its name and its id alone, in files of any
 * order. */
int
tl_chrome_take_async(struct tl_chrome_work *w, uint8_t kind)
{
	const struct tl_chrome_args none = { .level = w->c->args.level,
		.named = w->c->args.named };
	const struct tl_bytes which = tl_chrome_which(w);
	const bool has_args = w->c->args.count > 0;
	int rc = w->c->which.rc;

	if (rc == 0 && has_args && kind == TL_END)
		rc = put_arguments(w, which);
	tl_chrome_work_ask(w, &none, TIMELINE_RECORD_SPAN, TIMELINE_SOURCE);
	w->ask.which = which;
	if (rc == 0)
		rc = tl_chrome_put_as(w, kind);
	if (rc == 0 && has_args && kind == TL_BEGIN)
		rc = put_arguments(w, which);
	return rc;
}
