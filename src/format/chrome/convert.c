/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - what each phase means:
 *
 *	B E		begin and end of its thread's spans
 *	X		both
 *	i I R P		instants
 *	C		a counter for each series
 *	b e S F		begin and end of a span that belongs to its message
 *	n T p		instants of such
 *	s t f N O D	instants with their id
 *	M		an instant; what our writer tells is kept instead, or
 *			is the begin of a span
 */
#include "format/chrome/convert.h"

#include "format/chrome/value.h"
#include "format/chrome/words.h"
#include "format/chrome/work.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

/* All that are taken, and those whose id is an argument. */
#define PHASES  "BEXiIRPCbeSFnTpstfNODM"
#define WITH_ID "stfNOD"

/* Processes and threads that have no number. */
enum { ID_FIRST = 1 << 30 };

/* Of foreign counters all numbers are doubles, as viewers take them: one
 * series is one message then. */
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
take_counter(struct tl_chrome_work *w)
{
	const struct tl_bytes which = tl_chrome_which(w);
	struct tl_chrome_args *args = &w->c->args;
	struct tl_chrome_event *e = w->e;
	const unsigned count = e->argc;
	int rc = w->c->which.rc;

	if (count == 0)
		tl_note(w->c->notes, TL_CHROME_NOTE_VALUE, e->at);
	for (unsigned i = 0; rc == 0 && i < count; i++) {
		e->args[0] = e->args[i];
		e->argc = 1;
		tl_chrome_args_settle(args, e, NULL, w->c->ours);
		if (args->count == 0 ||
		    (args->format[0] == TIMELINE_ARG_STRING)) {
			tl_note(w->c->notes, TL_CHROME_NOTE_VALUE, e->at);
			continue;
		}
		if (!w->c->ours)
			choose_format(args);
		tl_chrome_work_ask(w, args, TIMELINE_RECORD_COUNTER,
		    TIMELINE_THREAD);
		w->ask.which = which;
		rc = tl_chrome_put_as(w, TL_COUNTER);
	}
	return rc;
}

static int
take_instant(struct tl_chrome_work *w, struct tl_bytes which)
{
	tl_chrome_work_ask(w, &w->c->args, TIMELINE_RECORD_INSTANT,
	    TIMELINE_THREAD);
	w->ask.which = which;
	return tl_chrome_put_as(w, TL_INSTANT);
}

static bool
is_word(struct tl_bytes bytes, const char *word)
{
	return tl_bytes_equal(bytes, tl_bytes_of(word));
}

/* The argument of a key; kind 0: none. */
static struct tl_chrome_value
find_arg(const struct tl_chrome_event *e, const char *key)
{
	for (unsigned i = 0; i < e->argc; i++) {
		if (is_word(e->args[i].key, key))
			return e->args[i].value;
	}
	return (struct tl_chrome_value){ .text = tl_bytes("", 0) };
}

/* Is it a hole, which our writer wrote? */
static bool
take_lost(struct tl_chrome_work *w)
{
	const struct tl_chrome_value lost = find_arg(w->e, TL_CHROME_LOST);
	uint64_t count;

	if (!w->c->ours ||
	    !is_word(w->e->field[TL_CHROME_NAME].text, TL_CHROME_LOST_NAME) ||
	    !is_word(w->e->field[TL_CHROME_CAT].text,
		TL_CHROME_LOST_CATEGORY) ||
	    w->e->argc != 1 ||
	    !tl_chrome_number(&lost, TIMELINE_ARG_UNSIGNED, &count))
		return false;
	w->event.kind = TL_LOST;
	w->event.lost = count;
	return true;
}

/* What our writer tells of a message, or of a source. */
static int
take_told(struct tl_chrome_work *w, bool *told)
{
	const bool names =
	    is_word(w->e->field[TL_CHROME_NAME].text, TL_CHROME_DEFINITION);
	const bool source =
	    is_word(w->e->field[TL_CHROME_NAME].text, TL_CHROME_THREAD) &&
	    find_arg(w->e, "source").kind == TL_JSON_TRUE;
	const struct tl_chrome_value text = find_arg(w->e, "text");
	const uint8_t level = w->c->args.level ? w->c->args.level : 6;
	const struct tl_message *message;
	uint32_t thread;
	int rc;

	*told = text.kind == TL_JSON_STRING && (names || source);
	if (!*told)
		return 0;
	if (names)
		return tl_chrome_full(w,
		    tl_chrome_tell_name(&w->c->messages,
			find_arg(w->e, "cat").text, find_arg(w->e, "name").text,
			text.text, level));
	rc = tl_chrome_tell(&w->c->messages, text.text, level, &message);
	if (rc == 0)
		rc = tl_chrome_thread(&w->c->spans, w->event.pid, w->event.tid,
		    &thread);
	if (rc == 0)
		tl_chrome_set_source(&w->c->spans, thread, message);
	return tl_chrome_full(w, rc);
}

/* Keep metadata that stands before the first time. */
static int
hold(struct tl_chrome_work *w)
{
	struct tl_chrome_convert *c = w->c;

	if (!c->held)
		c->held = malloc(TL_CHROME_HELD_MAX * sizeof(*c->held));
	if (!c->held)
		return -ENOMEM;
	c->held[c->held_count++] = w->event;
	return 0;
}

static int
take_metadata(struct tl_chrome_work *w)
{
	struct tl_chrome_value *category = &w->e->field[TL_CHROME_CAT];
	bool told;
	int rc = take_told(w, &told);

	if (rc == -EINVAL) /* what is told is no message */
		rc = 1;
	if (rc != 0 || told || w->c->ours)
		return rc < 0 ? rc : 0;
	if (category->kind == 0)
		category->text = tl_bytes_of("__metadata");
	tl_chrome_work_ask(w, &w->c->args, TIMELINE_RECORD_INSTANT,
	    TIMELINE_THREAD);
	if ((rc = tl_chrome_set_message(w)) != 0)
		return rc < 0 ? rc : 0;
	w->event.kind = TL_INSTANT;
	w->event.ns = w->c->has_time ? w->c->last_ns : w->c->base_ns;
	if (w->c->has_time || w->c->held_count == TL_CHROME_HELD_MAX)
		return tl_chrome_put(&w->c->spans, &w->event);
	return hold(w);
}

static int
release_held(struct tl_chrome_convert *c, int64_t ns)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->held_count; i++) {
		c->held[i].ns = ns;
		rc = tl_chrome_put(&c->spans, &c->held[i]);
	}
	c->held_count = 0;
	return rc;
}

static int
take_phase(struct tl_chrome_work *w, char phase)
{
	switch (phase) {
	case 'B':
		return tl_chrome_take_begin(w);
	case 'E':
		return tl_chrome_take_end(w);
	case 'X':
		return tl_chrome_take_whole(w);
	case 'M':
		return tl_chrome_take_place(w);
	case 'C':
		return take_counter(w);
	case 'b':
	case 'S':
		return tl_chrome_take_async(w, TL_BEGIN);
	case 'e':
	case 'F':
		return tl_chrome_take_async(w, TL_END);
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
		if (take_lost(w))
			return tl_chrome_put(&w->c->spans, &w->event);
		return take_instant(w, tl_chrome_which(w));
	}
}

/* The time of an event; whatever waited for a time gets it, too. */
static int
set_time(struct tl_chrome_work *w)
{
	struct tl_chrome_convert *c = w->c;
	const struct tl_chrome_value *ts = &w->e->field[TL_CHROME_TS];

	if (!tl_chrome_time(ts, c->base_ns, &w->event.ns)) {
		tl_note(c->notes, TL_CHROME_NOTE_TIME, w->e->at);
		if (ts->kind == 0)
			w->event.ns = c->has_time ? c->last_ns : c->base_ns;
	}
	c->last_ns = w->event.ns;
	c->has_time = true;
	return c->held_count > 0 ? release_held(c, w->event.ns) : 0;
}

/* A number of 32 bits, or one that stands for something else. */
static int
set_number(struct tl_chrome_work *w, unsigned field, uint32_t *number)
{
	const struct tl_chrome_value *value = &w->e->field[field];
	uint64_t n;
	int rc;

	*number = 0;
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
	return tl_chrome_full(w, rc);
}

/* What is wrong with an event as such: is it left out? */
static bool
is_left_out(struct tl_chrome_convert *c, const struct tl_chrome_event *e)
{
	const struct tl_chrome_value *ph = &e->field[TL_CHROME_PH];

	if (e->too_large)
		tl_note(c->notes, TL_CHROME_NOTE_LARGE, e->at);
	else if (ph->kind != TL_JSON_STRING || ph->text.size != 1)
		tl_note(c->notes, TL_CHROME_NOTE_STRANGE, e->at);
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
	struct tl_chrome_work w = { .c = c, .e = e };
	const char phase = e->field[TL_CHROME_PH].text.size > 0
			       ? e->field[TL_CHROME_PH].text.data[0]
			       : '\0';
	const struct tl_chrome_arg lead = { tl_bytes_of("id"),
		*tl_chrome_id(e) };
	int rc;

	if (is_left_out(c, e))
		return 0;
	rc = set_number(&w, TL_CHROME_PID, &w.event.pid);
	if (rc == 0)
		rc = set_number(&w, TL_CHROME_TID, &w.event.tid);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (phase == 'X' && c->ours)
		tl_chrome_args_part(&c->ends, e);
	if (phase != 'C') /* whose series are settled one by one */
		tl_chrome_args_settle(&c->args, e,
		    strchr(WITH_ID, phase) && lead.value.kind ? &lead : NULL,
		    c->ours);
	note_cuts(c, e);
	if (phase == 'M' && !(e->is_place && c->ours))
		return take_metadata(&w);
	if ((rc = set_time(&w)) < 0)
		return rc;
	return take_phase(&w, phase);
}

int
tl_chrome_convert_finish(struct tl_chrome_convert *c)
{
	int rc = release_held(c, c->base_ns);

	return rc < 0 ? rc : tl_chrome_spans_finish(&c->spans);
}

void
tl_chrome_convert_free(struct tl_chrome_convert *c)
{
	tl_chrome_messages_free(&c->messages);
	tl_chrome_spans_free(&c->spans);
	tl_text_free(&c->which);
	free(c->held);
}
