/* SPDX-License-Identifier: Apache-2.0 */
/* line_read.c - lines to events, and faults of lines. */
#include "format/line_read.h"

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

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[TL_LINE_NOT_AN_EVENT] = { -EBADMSG, "line is no event: skipped" },
	[TL_LINE_CUT] = { -EBADMSG, "line is too long: skipped" },
	[TL_LINE_LEVEL] = { -EBADMSG, "unknown priority: info" },
	[TL_LINE_TEXT] = { -EBADMSG,
	    "message names too many arguments: taken as text" },
	[TL_LINE_VALUE] = { -EBADMSG, "value is not of its format: 0" },
	[TL_LINE_FULL] = { -ENOSPC,
	    "too many different messages or texts: left out" },
	[TL_LINE_NO_END] = { 0, "the last line does not end" },
	[TL_LINE_ORIGINS] = { 0, "an entry is of another host or timeline than "
				 "the first: all become one" },
};

static int
take_line(void *context, struct tl_bytes line, uint64_t at, bool cut)
{
	struct tl_line_read *r = context;
	int rc;

	r->at = at;
	if (cut) {
		tl_note(&r->notes, TL_LINE_CUT, at);
		return 0;
	}
	if (line.size == 0)
		return 0;
	rc = r->kind->line(r, line);
	if (rc == -ENOSPC && r->good > 0) {
		tl_note(&r->notes, TL_LINE_FULL, at);
		return 0;
	}
	if (rc != -EBADMSG) {
		r->good++;
		return rc;
	}
	tl_note(&r->notes, TL_LINE_NOT_AN_EVENT, at);
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

/* Put the losses that wait, at a time; its stamp is where a file is
 * complete. */
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
		tl_note(&r->notes, TL_LINE_NO_END, r->lines.at);
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

unsigned
tl_line_read_kind(struct tl_bytes name)
{
	for (unsigned kind = TL_INSTANT; kind <= TL_LOST; kind++) {
		if (tl_bytes_are(name, tl_kind_name(kind)))
			return kind;
	}
	return 0;
}

bool
tl_line_read_is_span(unsigned kind)
{
	return kind == TL_BEGIN || kind == TL_END;
}

/*
 * Define a message: 1; 0: the message differs from the fields, which is noted;
 * -errno.
 */
static int
define(struct tl_line_read *r, const struct tl_message_cache_key *plain,
    const struct tl_message **message, uint64_t *whole)
{
	const struct tl_bytes category = plain->parts[TL_LINE_CATEGORY];
	const struct tl_bytes text = plain->parts[TL_LINE_MESSAGE];
	const int named = tl_level_of(plain->parts[TL_LINE_PRIORITY]);
	const bool known = named > 0;
	const uint8_t level = (uint8_t)(known ? named : tl_level_parse("info"));
	const uint8_t kind = tl_record_kind_of(plain->kind);
	int rc = tl_interner_message(r->interner, category, text, kind, level,
	    plain->scope, message);

	if (!known)
		tl_note(&r->notes, TL_LINE_LEVEL, r->at);
	if (rc != -EINVAL)
		return rc < 0 ? rc : known;
	tl_note(&r->notes, TL_LINE_TEXT, r->at);
	rc = tl_interner_string(r->interner, text, whole);
	return rc < 0 ? rc
		      : tl_interner_message(r->interner, category,
			    tl_bytes_of("$text%s"), kind, level, plain->scope,
			    message);
}

int
tl_line_read_message(struct tl_line_read *r,
    const struct tl_message_cache_key *plain,
    const struct tl_message_cache_key *raw, const struct tl_message **message,
    uint64_t *whole)
{
	int rc;

	*whole = 0;
	rc = define(r, plain, message, whole);
	if (rc > 0 && raw)
		tl_message_cache_add(&r->cache, raw, *message);
	return rc < 0 ? rc : 0;
}

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

void
tl_line_read_origin(struct tl_line_read *r, struct tl_bytes host,
    struct tl_bytes timeline)
{
	const bool is_first = !r->has_origin;
	const bool other_host = keep_same(r->origin.machine, host, is_first);
	const bool other_timeline =
	    keep_same(r->origin.timeline, timeline, is_first);

	r->has_origin = true;
	if (other_host || other_timeline)
		tl_note(&r->notes, TL_LINE_ORIGINS, r->at);
}

/* Lines name the thread and the process, each if its name is known. */
int
tl_line_read_names(struct tl_line_read *r, const struct tl_event *e,
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

int
tl_line_read_text(struct tl_line_read *r, unsigned format, struct tl_bytes text,
    uint64_t *value)
{
	if (format == TIMELINE_ARG_STRING)
		return tl_interner_value(r->interner, text, value);
	if (text.size > sizeof(*value))
		tl_line_read_odd_value(r);
	*value = timeline_text8(text.data, text.size);
	return 0;
}

int
tl_line_read_give(struct tl_line_read *r, struct tl_event *event)
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
