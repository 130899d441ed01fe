/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - lines to events; see lms.h.
 *
 *	id --> number --> process: its label and its open begins
 *
 * A label is complete only when the next line is read, so the label is kept
 * until then.
 */
#include "base/ns.h"
#include "format/lms/lms.h"

#include "base/array.h"
#include "base/lines.h"
#include "base/table.h"
#include "event/reader.h"
#include "format/label.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	LINE_SIZE_MAX = TL_INTERNER_TEXT_MAX,
	/*
	 * After this many unknown lines and no known line, the file is of
	 * another format.
	 */
	UNKNOWN_MAX = 64,
	START_LABELS_MAX = 64 /* labels checked to recognise a file */
};

enum {
	NOT_A_LINE,
	LONG,
	NO_LABEL,
	LABEL_AGAIN,
	LABEL_LINES,
	LONELY_END,
	LONELY_BEGIN,
	REENTERED,
	BACK,
	OUT_OF_RANGE,
	TOO_MANY,
	CUT
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[NOT_A_LINE] = { -EBADMSG, "not a line of an LMS profile, skipped" },
	[LONG] = { -EBADMSG, "line is too long: cut" },
	[NO_LABEL] = { -EBADMSG, "id without a label" },
	[LABEL_AGAIN] = { 0, "id gets another label" },
	[LABEL_LINES] = { 0, "label of several lines" },
	[LONELY_END] = { 0, "end without a begin" },
	[LONELY_BEGIN] = { -ENODATA, "begin without an end" },
	[REENTERED] = { 0, "begin inside another of the same label" },
	[BACK] = { 0, "time goes back" },
	[OUT_OF_RANGE] = { -ERANGE, "time is out of range: cut" },
	[TOO_MANY] = { -ENOSPC, "too many ids: one stands for the rest" },
	[CUT] = { -ENODATA, "the file ends inside its last line, left out" },
};

struct begun {
	const struct tl_message *message;
	int64_t ns;
};

struct process {
	struct tl_label label;
	struct begun *begun; /* the innermost last */
	size_t room;
	size_t open;
	uint32_t labels; /* labels so far */
};

struct lms_read {
	struct tl_reader reader; /* first: callers see the reader */
	struct tl_sink *sink;
	const struct tl_report *report;
	struct tl_interner *interner;
	const struct tl_message *mapping;
	struct tl_id_map ids;
	struct process *processes;
	size_t process_capacity;
	struct process rest; /* for ids beyond the limit */
	struct tl_notes notes;
	struct tl_event event; /* fields common to all events */
	struct tl_lines lines;
	struct tl_text label; /* label that may go on */
	bool labelled;        /* a label waits */
	int64_t label_id;
	uint64_t blanks; /* blank lines after the label */
	uint64_t at;     /* offset of the line */
	int64_t now_us;
	uint64_t known; /* known lines */
	uint64_t unknown;
	bool crlf;
};

static int
find_process(struct lms_read *r, int64_t id, struct process **process)
{
	const struct tl_id_key key = { .a = (uint64_t)id };
	uint32_t number;
	int rc = TL_ID_MAP_ROOM(&r->ids, key, &number, r->processes,
	    r->process_capacity);

	if (rc == -ENOSPC) {
		tl_note(&r->notes, TOO_MANY, r->at);
		*process = &r->rest;
		return 0;
	}
	if (rc < 0)
		return rc;
	*process = &r->processes[number];
	return 0;
}

/*
 * Give an id a label.  If the id is open, the end will belong to the new label.
 */
static int
give_label(struct lms_read *r, struct process *process, int64_t id,
    struct tl_bytes name)
{
	struct tl_label label;
	char which[64], again[32] = "";
	int rc;

	if (process->labels > 0)
		snprintf(again, sizeof(again), ", label %" PRIu32,
		    process->labels + 1);
	snprintf(which, sizeof(which), TL_LMS_ID "%" PRId64 "%s", id, again);
	rc = tl_label_define(r->interner, TL_LMS_CATEGORY, name, "", which,
	    &label);
	if (rc == -ENOSPC) {
		tl_note(&r->notes, TOO_MANY, r->at);
		label = r->rest.label;
		rc = 0;
	}
	process->label = label;
	return rc;
}

/* Has an id this label already? */
static bool
is_labelled(const struct process *process, struct tl_bytes name)
{
	const struct tl_event event = { .message = process->label.message,
		.args = { process->label.arg } };
	struct tl_text text = { 0 };
	bool is;

	if (process->labels == 0)
		return false;
	tl_label_put(&text, &event);
	is = text.rc == 0 && tl_bytes_equal(tl_text_bytes(&text), name);
	tl_text_free(&text);
	return is;
}

static int
put(struct lms_read *r, const struct tl_message *message, uint8_t kind)
{
	struct tl_event *e = &r->event;
	int rc;

	e->message = message;
	e->kind = kind;
	e->level = message->level;
	e->tsc = (uint64_t)e->ns;
	rc = r->sink->put(r->sink, e);
	e->number++;
	e->proven = false;
	e->begun_ns = e->duration_ns = 0;
	e->begun_tsc = 0;
	return rc;
}

/* Give the complete label to its id.  is_used: the next line uses the id. */
static int
settle_label(struct lms_read *r, bool is_used)
{
	const struct tl_bytes name = tl_text_bytes(&r->label);
	struct process *process;
	int rc = r->label.rc;

	if (!r->labelled)
		return 0;
	r->labelled = false;
	if (rc == 0)
		rc = find_process(r, r->label_id, &process);
	if (rc < 0 || process == &r->rest)
		return rc;
	if (is_labelled(process, name)) {
		is_used = false; /* marks show only a new label */
	} else {
		if (process->labels > 0)
			tl_note(&r->notes, LABEL_AGAIN, r->at);
		rc = give_label(r, process, r->label_id, name);
		process->labels++;
	}

	/* Put a mapping as an event. */
	if (rc < 0 || is_used)
		return rc;
	rc = tl_interner_string(r->interner, name, &r->event.args[1]);
	if (rc == -ENOSPC) {
		tl_note(&r->notes, TOO_MANY, r->at);
		return 0;
	}
	if (rc < 0)
		return rc;
	r->event.args[0] = (uint64_t)r->label_id;
	rc = put(r, r->mapping, TL_INSTANT);
	r->event.args[1] = 0;
	return rc;
}

static int
start_label(struct lms_read *r, const struct tl_lms_line *line)
{
	int rc = settle_label(r, false);

	tl_text_clear(&r->label);
	tl_put_bytes(&r->label, line->label);
	r->labelled = true;
	r->label_id = line->id;
	r->blanks = 0;
	return rc < 0 ? rc : r->label.rc;
}

/* Label an id that is used before it has a label. */
static int
label_unknown(struct lms_read *r, struct process *process, int64_t id)
{
	char name[32];

	tl_note(&r->notes, NO_LABEL, r->at);
	snprintf(name, sizeof(name), "id %" PRId64, id);
	return give_label(r, process, id, tl_bytes_of(name));
}

static int
put_mark(struct lms_read *r, const struct tl_lms_line *line)
{
	const bool begins = line->type == TL_LMS_BEGIN;
	const int64_t max_us = INT64_MAX / TL_NS_PER_US;
	const struct begun *begun;
	struct process *process;
	int rc = r->labelled ? settle_label(r, line->id == r->label_id) : 0;

	if (rc < 0 || (rc = find_process(r, line->id, &process)) < 0)
		return rc;
	if (!process->label.message &&
	    (rc = label_unknown(r, process, line->id)) < 0)
		return rc;
	if (line->diff_us < 0)
		tl_note(&r->notes, BACK, r->at);
	if (__builtin_add_overflow(r->now_us, line->diff_us, &r->now_us))
		r->now_us = line->diff_us < 0 ? INT64_MIN : INT64_MAX;
	if (r->now_us < -max_us || r->now_us > max_us) {
		tl_note(&r->notes, OUT_OF_RANGE, r->at);
		r->now_us = r->now_us < 0 ? -max_us : max_us;
	}
	r->event.ns = r->now_us * TL_NS_PER_US;

	/*
	 * Keep a begin, or find the begin of an end: the last one of the
	 * process that is open, unless it has another label, or the process
	 * stands for several.
	 */
	if (begins) {
		if (process->open > 0)
			tl_note(&r->notes, REENTERED, r->at);
		if (TL_ARRAY_ROOM(process->begun, process->room,
			process->open) < 0)
			return -ENOMEM;
		process->begun[process->open++] =
		    (struct begun){ process->label.message, r->event.ns };
		r->event.proven = process != &r->rest;
	} else if (process->open > 0) {
		begun = &process->begun[--process->open];
		if (begun->message == process->label.message &&
		    process != &r->rest)
			tl_event_prove(&r->event, begun->ns);
	} else {
		tl_note(&r->notes, LONELY_END, r->at);
	}
	r->event.args[0] = process->label.arg;
	return put(r, process->label.message, begins ? TL_BEGIN : TL_END);
}

static int
take_strange(struct lms_read *r)
{
	tl_note(&r->notes, NOT_A_LINE, r->at);
	if (++r->unknown < UNKNOWN_MAX || r->known > 0)
		return 0;
	tl_report_write(r->report, -EBADMSG, r->at, "not an LMS profile");
	return -EBADMSG;
}

/* Take a line without its newline. */
static int
take_line(void *context, struct tl_bytes line, uint64_t at, bool cut)
{
	struct lms_read *r = context;
	struct tl_lms_line parsed;

	r->at = at;
	if (cut)
		tl_note(&r->notes, LONG, at);
	if (at == 0)
		r->crlf = line.size > 0 && line.data[line.size - 1] == '\r';
	if (r->crlf && line.size > 0 && line.data[line.size - 1] == '\r')
		line.size--;
	tl_lms_parse(line, &parsed);
	r->known += parsed.type <= TL_LMS_LABEL;
	switch (parsed.type) {
	case TL_LMS_BEGIN:
	case TL_LMS_END:
		return put_mark(r, &parsed);
	case TL_LMS_LABEL:
		return start_label(r, &parsed);
	case TL_LMS_BLANK:
		r->blanks++;
		return 0;
	case TL_LMS_UNKNOWN:
		if (r->labelled) {
			/*
			 * Append a line of another form to the label.  Lines
			 * beyond the size that the interner keeps are dropped.
			 */
			tl_note(&r->notes, LABEL_LINES, r->at);
			if (r->label.size + r->blanks + line.size <
			    LINE_SIZE_MAX) {
				tl_put_repeat(&r->label, '\n', r->blanks + 1);
				tl_put_bytes(&r->label, line);
			}
			r->blanks = 0;
			return r->label.rc;
		}
		return take_strange(r);
	default:
		return take_strange(r);
	}
}

static int
lms_feed(struct tl_reader *reader, struct tl_bytes piece)
{
	struct lms_read *r = (void *)reader;

	return tl_lines_feed(&r->lines, piece);
}

/*
 * Bytes behind the last newline are a part of a line and are dropped: "1,0,9"
 * may have been "1,0,990".
 */
static int
lms_finish(struct tl_reader *reader)
{
	struct lms_read *r = (void *)reader;
	const struct tl_text *carry = &r->lines.carry;
	struct tl_lms_line line;
	int rc;

	r->at = r->lines.at;
	rc = settle_label(r, false);
	tl_lms_parse(tl_text_bytes(carry), &line);
	if (line.type != TL_LMS_BLANK) {
		r->unknown++;
		tl_note(&r->notes, CUT, r->at);
	}
	if (rc == 0 && r->known == 0 && r->unknown > 0) {
		tl_report_write(r->report, -EBADMSG, 0, "not an LMS profile");
		return -EBADMSG;
	}
	for (size_t i = 0; i < r->process_capacity; i++) {
		for (size_t k = 0; k < r->processes[i].open; k++)
			tl_note(&r->notes, LONELY_BEGIN, TL_FAULT_NOWHERE);
	}
	tl_notes_report(&r->notes, r->report);
	return rc;
}

static void
lms_free(struct tl_reader *reader)
{
	struct lms_read *r = (void *)reader;

	tl_interner_free(r->interner);
	tl_id_map_free(&r->ids);
	tl_lines_free(&r->lines);
	tl_text_free(&r->label);
	for (size_t i = 0; i < r->process_capacity; i++)
		free(r->processes[i].begun);
	free(r->rest.begun);
	free(r->processes);
	free(r);
}

int
tl_lms_read_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report)
{
	struct lms_read *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->reader = (struct tl_reader){ .feed = lms_feed,
		.finish = lms_finish,
		.free = lms_free };
	r->sink = sink;
	r->report = report;
	r->notes.kinds = kinds;
	r->event.cpu = TL_CPU_UNKNOWN;
	r->lines = (struct tl_lines){ .line = take_line,
		.context = r,
		.max = LINE_SIZE_MAX,
		.keeps_returns = true };
	rc = tl_interner_new(&r->interner);
	if (rc == 0)
		rc = tl_interner_message(r->interner,
		    tl_bytes_of(TL_LMS_CATEGORY), tl_bytes_of(TL_LMS_MAPPING),
		    TIMELINE_RECORD_INSTANT, (uint8_t)tl_level_parse("info"), 0,
		    &r->mapping);
	if (rc == 0)
		rc = give_label(r, &r->rest, -1, tl_bytes_of("other ids"));
	if (rc < 0)
		lms_free(&r->reader);
	else
		*reader = &r->reader;
	return rc;
}

/* Evidence for the format, from the lines at the start of a file. */
struct evidence {
	int64_t labels[START_LABELS_MAX]; /* ids with a label */
	unsigned label_count;
	unsigned used; /* marks of these ids */
	unsigned bad;
};

static bool
has_label(const struct evidence *e, int64_t id)
{
	for (unsigned i = 0; i < e->label_count; i++) {
		if (e->labels[i] == id)
			return true;
	}
	return false;
}

/* Recognise labels and marks that use them.  Marks alone are two columns of
 * numbers, as in many files. */
unsigned
tl_lms_recognise(struct tl_bytes first)
{
	struct evidence e = { 0 };
	const char *end;

	while (
	    (end = first.size ? memchr(first.data, '\n', first.size) : NULL)) {
		const size_t size = (size_t)(end - first.data);

		struct tl_lms_line line;

		tl_lms_parse(tl_bytes(first.data, size), &line);
		switch (line.type) {
		case TL_LMS_LABEL:
			if (e.label_count < START_LABELS_MAX &&
			    !has_label(&e, line.id))
				e.labels[e.label_count++] = line.id;
			break;
		case TL_LMS_BEGIN:
		case TL_LMS_END:
			e.used += has_label(&e, line.id);
			break;
		case TL_LMS_BLANK:
			break;
		default:
			e.bad++;
		}
		first.data += size + 1;
		first.size -= size + 1;
	}
	if (e.used > 4 * e.bad)
		return 85;
	if (e.used > e.bad)
		return 65;
	return 0;
}
