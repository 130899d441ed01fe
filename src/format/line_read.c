/* SPDX-License-Identifier: Apache-2.0 */
/* line_read.c - lines to events, and faults of lines. */
#include "format/line.h"

#include "base/json.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	/*
	 * After this many unknown lines and no event, the file is of another
	 * format.
	 */
	UNKNOWN_MAX = 64,
	LINE_SIZE_MAX = 1 << 20
};

enum note { NOT_AN_EVENT, CUT, LEVEL, TEXT, VALUE, FULL, NO_END, ORIGINS };

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[NOT_AN_EVENT] = { -EBADMSG, "line is no event: skipped" },
	[CUT] = { -EBADMSG, "line is too long: skipped" },
	[LEVEL] = { -EBADMSG, "unknown priority: info" },
	[TEXT] = { -EBADMSG,
	    "message names too many arguments: taken as text" },
	[VALUE] = { -EBADMSG, "value is not of its format: 0" },
	[FULL] = { -ENOSPC, "too many different messages or texts: left out" },
	[NO_END] = { 0, "the last line does not end" },
	[ORIGINS] = { 0, "an entry is of another host or timeline than "
			 "the first: all become one" },
};

static int
take_line(void *context, struct tl_bytes line, uint64_t at, bool cut)
{
	struct tl_line_read *r = context;
	int rc;

	r->at = at;
	if (cut) {
		tl_note(&r->notes, CUT, at);
		return 0;
	}
	if (line.size == 0)
		return 0;
	rc = r->kind->line(r, line);
	if (rc == -ENOSPC && r->good > 0) {
		tl_note(&r->notes, FULL, at);
		return 0;
	}
	if (rc != -EBADMSG) {
		r->good++;
		return rc;
	}
	tl_note(&r->notes, NOT_AN_EVENT, at);
	if (r->good > 0 || ++r->unknown < UNKNOWN_MAX)
		return 0;
	tl_report_write(r->report, -EBADMSG, 0, "this is not %s",
	    r->kind->name);
	return -EBADMSG;
}

static int
feed(struct tl_reader *reader, struct tl_bytes piece)
{
	return tl_lines_feed(&((struct tl_line_read *)(void *)reader)->lines,
	    piece);
}

/*
 * Put the losses that wait, at a time; its stamp is where a file is complete.
 */
static int
give_losses(struct tl_line_read *r, int64_t ns, uint64_t tsc)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < r->loss_count; i++) {
		r->losses[i].ns = ns;
		r->losses[i].tsc = r->losses[i].overwritten ? tsc : 0;
		rc = r->sink->put(r->sink, &r->losses[i]);
	}
	r->loss_count = 0;
	return rc;
}

static int
finish(struct tl_reader *reader)
{
	struct tl_line_read *r = (void *)reader;
	int rc;

	if (r->lines.carry.size > 0)
		tl_note(&r->notes, NO_END, r->lines.at);
	rc = tl_lines_finish(&r->lines);
	if (rc == 0)
		rc = give_losses(r, r->last_ns, r->last_tsc);
	if (rc == 0 && r->good == 0 && r->unknown > 0) {
		tl_report_write(r->report, -EBADMSG, 0, "this is not %s",
		    r->kind->name);
		return -EBADMSG;
	}
	tl_notes_report(&r->notes, r->report);
	return rc;
}

static void
free_reader(struct tl_reader *reader)
{
	struct tl_line_read *r = (void *)reader;

	if (r->kind->free)
		r->kind->free(r);
	tl_lines_free(&r->lines);
	tl_message_cache_free(&r->cache);
	tl_interner_free(r->interner);
	tl_text_free(&r->scratch);
	free(r);
}

static void
get_origin(const struct tl_reader *reader, struct tl_origin *origin)
{
	const struct tl_line_read *r =
	    (const struct tl_line_read *)(const void *)reader;

	if (r->origin.machine[0])
		memcpy(origin->machine, r->origin.machine,
		    sizeof(origin->machine));
	if (r->origin.timeline[0])
		memcpy(origin->timeline, r->origin.timeline,
		    sizeof(origin->timeline));
}

int
tl_line_read_new(struct tl_reader **reader, size_t size,
    const struct tl_line_read_kind *kind, struct tl_sink *sink,
    const struct tl_report *report)
{
	struct tl_line_read *r;
	int rc;

	assert(size >= sizeof(*r));
	if (!(r = calloc(1, size)))
		return -ENOMEM;
	rc = tl_interner_new(&r->interner);
	if (rc < 0) {
		free(r);
		return rc;
	}
	r->reader = (struct tl_reader){ .feed = feed,
		.finish = finish,
		.free = free_reader,
		.origin = get_origin };
	r->kind = kind;
	r->sink = sink;
	r->report = report;
	r->lines.line = take_line;
	r->lines.context = r;
	r->lines.max = LINE_SIZE_MAX;
	r->notes.kinds = kinds;
	*reader = &r->reader;
	return 0;
}

/* == values == */

static bool
get_unsigned(const struct tl_line_read *r, const struct tl_line_value *v,
    uint64_t *n)
{
	if (v->kind == TL_LINE_WHOLE && v->text.data[0] != '-') {
		*n = v->number;
		return true;
	}
	return r->kind->is_json &&
	       (v->kind == TL_LINE_WHOLE || v->kind == TL_LINE_WORD) &&
	       tl_json_unsigned(v->text, n) == 0;
}

static bool
get_signed(const struct tl_line_read *r, const struct tl_line_value *v,
    int64_t *n)
{
	const bool minus = v->kind == TL_LINE_WHOLE && v->text.data[0] == '-';

	if (v->kind == TL_LINE_WHOLE &&
	    v->number <= (uint64_t)INT64_MAX + minus) {
		*n = (int64_t)(minus ? -v->number : v->number);
		return true;
	}
	return r->kind->is_json && v->kind == TL_LINE_WORD &&
	       tl_json_signed(v->text, n) == 0;
}

static bool
get_small(const struct tl_line_read *r, const struct tl_line_value *v,
    uint32_t *n)
{
	uint64_t value;

	if (!get_unsigned(r, v, &value) || value > UINT32_MAX)
		return false;
	*n = (uint32_t)value;
	return true;
}

static bool
is_true(const struct tl_line_value *v)
{
	return v->kind == TL_LINE_WORD && tl_bytes_are(v->text, "true");
}

/*
 * Get count texts without escapes; they stay until the next call.  0, -EBADMSG,
 * -ENOMEM.
 */
static int
get_texts(struct tl_line_read *r, const struct tl_line_value *values,
    struct tl_bytes *texts, size_t count)
{
	size_t size = 0;
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		size += values[i].text.size;
	tl_text_clear(&r->scratch);
	if (!tl_text_reserve(&r->scratch, size)) /* appending moves nothing */
		return -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = r->kind->text(r, &values[i], &texts[i]);
	return rc;
}

/* Note that a value does not fit its format. */
static void
note_odd_value(struct tl_line_read *r)
{
	tl_note(&r->notes, VALUE, r->at);
}

/* Read the value of an argument: 0, -errno. */
static int
read_value(struct tl_line_read *r, unsigned format,
    const struct tl_line_value *v, uint64_t *to)
{
	double number = __builtin_nan("");
	struct tl_bytes text;
	bool is_good;
	int rc;

	switch (format) {
	case TIMELINE_ARG_SIGNED: /* 64 bits, signed or unsigned */
		is_good =
		    get_signed(r, v, (int64_t *)to) || get_unsigned(r, v, to);
		break;
	case TIMELINE_ARG_DURATION:
		is_good = get_signed(r, v, (int64_t *)to);
		break;
	case TIMELINE_ARG_DOUBLE:
		is_good =
		    v->kind == TL_LINE_NULL ||
		    ((v->kind == TL_LINE_WHOLE || v->kind == TL_LINE_WORD) &&
			tl_json_double(v->text, &number) == 0);
		if (is_good)
			memcpy(to, &number, sizeof(number));
		break;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		if ((rc = get_texts(r, v, &text, 1)) < 0)
			return rc;
		is_good = text.data != NULL;
		if (is_good && format == TIMELINE_ARG_STRING)
			return tl_interner_value(r->interner, text, to);
		if (is_good) {
			*to = timeline_text8(text.data, text.size);
			is_good = text.size <= sizeof(*to);
		}
		break;
	default:
		is_good = get_unsigned(r, v, to);
	}
	if (!is_good)
		note_odd_value(r);
	return 0;
}

/*
 * The value of argument i of a message; NULL: absent.  Of arguments with the
 * same name the first counts, unless all up to i have the order of the message.
 */
static const struct tl_line_value *
find_value(const struct tl_line_read *r, const struct tl_line_row *row,
    const struct tl_message *message, unsigned i, bool *in_order)
{
	const struct tl_bytes name = message->args[i].name;

	if (!r->kind->is_json)
		return row->args[2 * i].kind ? &row->args[2 * i + 1] : NULL;
	*in_order = *in_order && i < row->count &&
		    tl_bytes_equal(row->args[2 * i].text, name);
	if (*in_order)
		return &row->args[2 * i + 1];
	for (unsigned k = 0; k < row->count; k++) {
		if (tl_bytes_equal(row->args[2 * k].text, name))
			return &row->args[2 * k + 1];
	}
	return NULL;
}

/* Was an end logged without its arguments? */
static bool
is_bare(const struct tl_line_read *r, const struct tl_line_row *row,
    const struct tl_event *e)
{
	const unsigned argc = e->message->argc;

	for (unsigned i = 0; i < (r->kind->is_json ? row->count : argc); i++) {
		if (row->args[2 * i + 1].kind)
			return false;
	}
	return e->kind == TL_END && argc > 0;
}

static int
read_values(struct tl_line_read *r, const struct tl_line_row *row,
    struct tl_event *e)
{
	bool in_order = true;
	int rc = 0;

	e->bare = is_bare(r, row, e);
	if (e->bare)
		return 0;
	e->known = is_true(&row->members[TL_LINE_BARE]);
	for (unsigned i = 0; i < e->message->argc && rc == 0; i++) {
		const struct tl_line_value *value =
		    find_value(r, row, e->message, i, &in_order);

		if (value)
			rc = read_value(r, e->message->args[i].format, value,
			    &e->args[i]);
		else
			note_odd_value(r);
	}
	return rc;
}

/* == messages == */

/* The kind of an event by its name; 0: no such kind. */
static uint8_t
kind_of(struct tl_bytes name)
{
	for (uint8_t kind = TL_INSTANT; kind <= TL_LOST; kind++) {
		if (tl_bytes_are(name, tl_kind_name(kind)))
			return kind;
	}
	return 0;
}

/*
 * Define a message: 1; 0: the message differs from the fields, which is noted;
 * -errno.
 */
static int
define(struct tl_line_read *r, const struct tl_message_cache_key *plain,
    const struct tl_message **message, uint64_t *whole)
{
	const struct tl_bytes category = plain->parts[1];
	const struct tl_bytes text = plain->parts[2];
	const int named = tl_level_of(plain->parts[0]);
	const bool known = named > 0;
	const uint8_t level = (uint8_t)(known ? named : tl_level_parse("info"));
	const uint8_t kind = tl_record_kind_of(plain->kind);
	int rc = tl_interner_message(r->interner, category, text, kind, level,
	    plain->scope, message);

	if (!known)
		tl_note(&r->notes, LEVEL, r->at);
	if (rc != -EINVAL)
		return rc < 0 ? rc : known;
	tl_note(&r->notes, TEXT, r->at);
	rc = tl_interner_string(r->interner, text, whole);
	return rc < 0 ? rc
		      : tl_interner_message(r->interner, category,
			    tl_bytes_of("$text%s"), kind, level, plain->scope,
			    message);
}

/*
 * The scope of a message with argc arguments.  A line of CSV has the scope in
 * the columns behind the arguments.
 */
static uint8_t
scope_of(const struct tl_line_read *r, const struct tl_line_row *row,
    unsigned kind, unsigned argc)
{
	bool is_source;

	if (kind != TL_BEGIN && kind != TL_END)
		return TIMELINE_THREAD;
	if (r->kind->is_json)
		is_source =
		    tl_bytes_are(row->members[TL_LINE_SCOPE].text, "source");
	else
		is_source =
		    argc < TL_ARGS_MAX &&
		    tl_bytes_are(row->args[2 * argc].text, "scope") &&
		    tl_bytes_are(row->args[2 * argc + 1].text, "source");
	return is_source ? TIMELINE_SOURCE : TIMELINE_THREAD;
}

/*
 * Find or make the message of a key, whose texts are as in the line.  If the
 * text cannot be a message, the text becomes the only argument, *whole.  *slot
 * is the place of the message in the cache; NULL: it was not there.  0, -errno.
 */
static int
find_message(struct tl_line_read *r, const struct tl_line_row *row,
    const struct tl_message_cache_key *key, const struct tl_message **message,
    uint64_t *whole, const struct tl_message_cache_slot **slot)
{
	struct tl_message_cache_key plain = *key;
	int rc;

	*whole = 0;
	*slot = row->is_plain ? NULL : tl_message_cache_find(&r->cache, key);
	if (*slot) {
		*message = (*slot)->message;
		return 0;
	}
	rc = get_texts(r, &row->members[TL_LINE_PRIORITY], plain.parts,
	    TL_MESSAGE_CACHE_PARTS);
	if (rc == 0)
		rc = define(r, &plain, message, whole);
	if (rc > 0 && !row->is_plain)
		tl_message_cache_add(&r->cache, key, *message);
	return rc < 0 ? rc : 0;
}

/*
 * Read the message of an event.  A line of CSV is first taken for one without a
 * scope: only the message gives the number of arguments, and so the columns of
 * the scope.
 */
static int
read_message(struct tl_line_read *r, const struct tl_line_row *row,
    struct tl_event *e, uint64_t *whole)
{
	const struct tl_line_value *parts = &row->members[TL_LINE_PRIORITY];
	const struct tl_message_cache_slot *slot = row->slot;
	struct tl_message_cache_key key = { .parts = { parts[0].text,
						parts[1].text, parts[2].text },
		.kind = e->kind,
		.scope = scope_of(r, row, e->kind, TL_ARGS_MAX) };
	int rc = 0;

	if (slot &&
	    scope_of(r, row, e->kind, slot->message->argc) == slot->scope) {
		e->message = slot->message;
	} else {
		rc = find_message(r, row, &key, &e->message, whole, &slot);
		if (rc == 0 &&
		    scope_of(r, row, e->kind, e->message->argc) != key.scope) {
			key.scope = TIMELINE_SOURCE;
			rc = find_message(r, row, &key, &e->message, whole,
			    &slot);
		}
	}
	if (rc == 0 && slot)
		tl_message_cache_follow(&r->cache, slot);
	return rc;
}

/* == events == */

/*
 * Keep a name that every line has; true: the name differs from earlier lines.
 */
static bool
keep_same(char kept[65], struct tl_bytes name, bool is_first)
{
	char word[65];

	tl_origin_name(word, name);
	if (is_first)
		memcpy(kept, word, sizeof(word));
	if (strcmp(kept, word) == 0)
		return false;
	kept[0] = '\0';
	return true;
}

/*
 * Keep the host and the timeline, each empty if the line does not name it.  All
 * lines of a file become one timeline; lines that differ are noted.
 */
static void
keep_origin(struct tl_line_read *r, struct tl_bytes host,
    struct tl_bytes timeline)
{
	const bool is_first = !r->has_origin;
	const bool other_host = keep_same(r->origin.machine, host, is_first);
	const bool other_timeline =
	    keep_same(r->origin.timeline, timeline, is_first);

	r->has_origin = true;
	if (other_host || other_timeline)
		tl_note(&r->notes, ORIGINS, r->at);
}

/* Keep the names of the thread and the process, each if its name is known. */
static int
keep_names(struct tl_line_read *r, const struct tl_event *e,
    struct tl_bytes thread, struct tl_bytes process)
{
	struct tl_names *names = tl_interner_names(r->interner);
	int rc = 0;

	if (process.size > 0 &&
	    !tl_bytes_equal(process, tl_names_process(names, e->pid)))
		rc = tl_names_add(names, e->pid, 0, process);
	if (rc == 0 && thread.size > 0 &&
	    !tl_bytes_equal(thread, tl_names_thread(names, e->pid, e->tid)))
		rc = tl_names_add(names, e->pid, e->tid, thread);
	if (rc == 0 && thread.size == 0 && process.size > 0 &&
	    tl_names_own(names, e->pid, e->tid).size == 0 &&
	    !tl_names_is_hidden(names, e->pid, e->tid))
		rc = tl_names_hide(names, e->pid, e->tid);
	return rc;
}

/*
 * Keep the begin that an end names, if the begin can be before the end; any
 * other end is paired.
 */
static void
take_proof(struct tl_event *e)
{
	const bool is_before = (int64_t)(e->tsc - e->begun_tsc) < 0;

	if (e->kind != TL_END ||
	    (tl_event_is_begun(e) &&
		(e->duration_ns < 0 || (e->proven && is_before))))
		e->begun = TL_BEGUN_UNKNOWN;
	if (tl_event_is_begun(e)) {
		e->begun_ns =
		    (int64_t)((uint64_t)e->ns - (uint64_t)e->duration_ns);
		return;
	}
	e->proven = e->proven && e->kind == TL_BEGIN;
	e->begun_tsc = 0;
	e->duration_ns = 0;
}

/* Put an event: 0, -errno. */
static int
give(struct tl_line_read *r, struct tl_event *event)
{
	int rc = 0;

	take_proof(event);
	event->known = event->known && event->kind == TL_END;
	event->bare = event->bare || event->known;
	event->level = event->message ? event->message->level : 0;
	if (event->kind == TL_LOST && r->kind->has_timeless_losses) {
		if (r->loss_count == TL_LINE_LOSSES_MAX)
			rc = give_losses(r, r->last_ns, r->last_tsc);
		r->losses[r->loss_count++] = *event;
		return rc;
	}
	if (r->loss_count > 0)
		rc = r->any && r->last_ns > event->ns
			 ? give_losses(r, r->last_ns, r->last_tsc)
			 : give_losses(r, event->ns, event->tsc);
	r->any = true;
	r->last_ns = event->ns;
	r->last_tsc = event->tsc;
	return rc < 0 ? rc : r->sink->put(r->sink, event);
}

int
tl_line_read_row(struct tl_line_read *r, const struct tl_line_row *row)
{
	const struct tl_line_value *m = row->members;
	struct tl_event e = { .cpu = TL_CPU_UNKNOWN };
	const bool is_placed = get_signed(r, &m[TL_LINE_NS], &e.ns) &&
			       get_unsigned(r, &m[TL_LINE_TSC], &e.tsc);
	struct tl_bytes texts[2];
	uint64_t whole = 0;
	int rc = 0;

	if (m[TL_LINE_CPU].kind > TL_LINE_NULL &&
	    !get_small(r, &m[TL_LINE_CPU], &e.cpu))
		return -EBADMSG;
	if (m[TL_LINE_LOST].kind || m[TL_LINE_OVERWRITTEN].kind) {
		e.kind = TL_LOST;
		e.overwritten = m[TL_LINE_OVERWRITTEN].kind != TL_LINE_ABSENT;
		if ((!is_placed && !r->kind->has_timeless_losses) ||
		    !get_unsigned(r,
			&m[e.overwritten ? TL_LINE_OVERWRITTEN : TL_LINE_LOST],
			&e.lost))
			return -EBADMSG;
		return give(r, &e);
	}
	e.kind = row->slot ? row->slot->kind : kind_of(m[TL_LINE_KIND].text);
	if (!is_placed || e.kind == 0 || e.kind == TL_LOST ||
	    !get_small(r, &m[TL_LINE_PID], &e.pid) ||
	    !get_small(r, &m[TL_LINE_TID], &e.tid))
		return -EBADMSG;
	if ((rc = read_message(r, row, &e, &whole)) < 0)
		return rc;

	if (m[TL_LINE_THREAD].kind || m[TL_LINE_PROCESS].kind) {
		if ((rc = get_texts(r, &m[TL_LINE_THREAD], texts, 2)) < 0 ||
		    (rc = keep_names(r, &e, texts[0], texts[1])) < 0)
			return rc;
	}
	if (m[TL_LINE_HOST].kind || m[TL_LINE_TIMELINE].kind) {
		if ((rc = get_texts(r, &m[TL_LINE_HOST], texts, 2)) < 0)
			return rc;
		if (texts[0].size > 0 || texts[1].size > 0)
			keep_origin(r, texts[0], texts[1]);
	}

	/* What an end says of its begin. */
	e.moved = is_true(&m[TL_LINE_MOVED]);
	e.proven = is_true(&m[TL_LINE_PROVEN]);
	if (m[TL_LINE_BEGUN].kind == TL_LINE_NULL)
		e.begun = TL_BEGUN_NONE;
	else if (get_signed(r, &m[TL_LINE_DURATION], &e.duration_ns) &&
		 get_unsigned(r, &m[TL_LINE_BEGUN], &e.begun_tsc))
		e.begun =
		    is_true(&m[TL_LINE_UNSURE]) ? TL_BEGUN_UNSURE : TL_BEGUN;

	e.args[0] = whole;
	if (!whole)
		rc = read_values(r, row, &e);
	return rc < 0 ? rc : give(r, &e);
}
