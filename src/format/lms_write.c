/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lms_write.c - spans to lines, see lms.h.
 *
 * A message gets its id, and its line of type 2, when it is met.  Time is cut
 * to microseconds before differences are taken: what is cut never adds up.
 */
#include "format/lms_write.h"

#include "event/message_map.h"
#include "format/label.h"
#include "format/lms.h"
#include "format/notes.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	NS_PER_US = 1000,
	LINE_SIZE_MAX = 2 + TL_UNSIGNED_MAX + 1 + TL_SIGNED_MAX + 1
};

enum {
	INSTANTS,
	COUNTERS,
	LOSSES,
	ARGUMENTS,
	LEVELS,
	CPUS,
	THREADS,
	NANOSECONDS,
	LABELS,
	TOO_MANY
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[INSTANTS] = { -ENOTSUP, TL_NOTE_INSTANTS },
	[COUNTERS] = { -ENOTSUP, TL_NOTE_COUNTERS },
	[LOSSES] = { -ENOTSUP, TL_NOTE_LOSSES },
	[ARGUMENTS] = { -ENOTSUP, TL_NOTE_ARGUMENTS },
	[LEVELS] = { -ENOTSUP, TL_NOTE_LEVELS },
	[CPUS] = { -ENOTSUP, TL_NOTE_CPUS },
	[THREADS] = { -ENOTSUP, "the threads of a message are left out" },
	[NANOSECONDS] = { -ENOTSUP, "a time is cut to microseconds" },
	[LABELS] = { -ENOTSUP, "a line break in a label becomes a space" },
	[TOO_MANY] = { -ENOSPC, "too many messages: event left out" },
};

struct process {
	uint64_t id;
};

struct lms_write {
	struct tl_writer writer; /* first: what callers see */
	struct tl_message_map processes;
	struct tl_notes notes;
	struct tl_text label;
	int64_t last_us;
	uint64_t ids;
};

static struct lms_write *
write_of(struct tl_writer *writer)
{
	return (struct lms_write *)(void *)writer;
}

static void
note_message(struct lms_write *w, const struct tl_event *event, bool ours)
{
	if (!ours && event->message->argc > 0)
		tl_note(&w->notes, ARGUMENTS, TL_FAULT_NOWHERE);
	if (event->message->level != tl_level_parse("info"))
		tl_note(&w->notes, LEVELS, TL_FAULT_NOWHERE);
	if (event->cpu != TL_CPU_UNKNOWN)
		tl_note(&w->notes, CPUS, TL_FAULT_NOWHERE);
	if (event->pid != 0 || event->tid != 0)
		tl_note(&w->notes, THREADS, TL_FAULT_NOWHERE);
}

/* The first line of a file must not look as if lines ended in CR LF. */
static void
mend_first(struct lms_write *w)
{
	char *data = w->label.data;

	for (size_t i = 0; i < w->label.size; i++) {
		if (data[i] == '\r' &&
		    (i + 1 == w->label.size || data[i + 1] == '\n')) {
			data[i] = ' ';
			tl_note(&w->notes, LABELS, TL_FAULT_NOWHERE);
		}
	}
}

/* A label keeps a newline only where no reader would take what follows for a
 * line of its own, or for nothing. */
static void
mend_label(struct lms_write *w)
{
	char *data = w->label.data;
	size_t end = w->label.size;
	bool more = false; /* does a line that is kept follow? */

	for (size_t at = end; at-- > 0;) {
		struct tl_lms_line line;

		if (data[at] != '\n')
			continue;
		tl_lms_parse(tl_bytes(data + at + 1, end - at - 1), &line);
		if (line.type == TL_LMS_STRANGE || (more && end == at + 1)) {
			more = true;
			end = at;
		} else {
			data[at] = ' ';
			tl_note(&w->notes, LABELS, TL_FAULT_NOWHERE);
		}
	}
}

/* The line that tells the id of a message. */
static int
put_label(struct lms_write *w, const struct tl_event *event, uint64_t id)
{
	struct tl_text *text = &w->writer.out.text;
	const struct tl_message *m = event->message;
	const bool ours =
	    tl_bytes_equal(m->category, tl_bytes_of(TL_LMS_CATEGORY));

	note_message(w, event, ours);
	tl_text_clear(&w->label);
	if (!ours && m->category.size > 0) {
		tl_put_bytes(&w->label, m->category);
		tl_put_char(&w->label, '.');
	}
	tl_label_put(&w->label, event, "");
	if (w->label.rc < 0)
		return w->label.rc;
	mend_label(w);
	if (id == 0)
		mend_first(w);
	tl_put_string(text, "2,");
	tl_put_unsigned(text, id);
	tl_put_char(text, ',');
	tl_put_bytes(text, tl_bytes(w->label.data, w->label.size));
	tl_put_char(text, '\n');
	return text->rc;
}

/* The process of a message, told of when it is new. */
static int
find_process(struct lms_write *w, const struct tl_event *event,
    const struct process **process)
{
	struct process *p = tl_message_map_find(&w->processes, event->message);
	int rc;

	*process = p;
	if (p)
		return 0;
	if (!(p = malloc(sizeof(*p))))
		return -ENOMEM;
	p->id = w->ids;
	rc = tl_message_map_add(&w->processes, event->message, p);
	if (rc < 0) {
		free(p);
		return rc;
	}
	w->ids++;
	*process = p;
	return put_label(w, event, p->id);
}

/* Whole microseconds, also before 1970. */
static int64_t
us_of(struct lms_write *w, int64_t ns)
{
	const int64_t rest = ns % NS_PER_US;

	if (rest != 0)
		tl_note(&w->notes, NANOSECONDS, TL_FAULT_NOWHERE);
	return ns / NS_PER_US - (rest < 0);
}

static int
put_mark(struct lms_write *w, const struct tl_event *event)
{
	struct tl_text *text = &w->writer.out.text;
	const struct process *process;
	const int64_t us = us_of(w, event->ns);
	int rc = find_process(w, event, &process);
	char *to;

	if (rc < 0)
		return rc;
	to = tl_text_reserve(text, LINE_SIZE_MAX);
	if (!to)
		return -ENOMEM;
	*to++ = event->kind == TL_BEGIN ? '0' : '1';
	*to++ = ',';
	to = tl_write_unsigned(to, process->id);
	*to++ = ',';
	to = tl_write_signed(to, us - w->last_us);
	*to++ = '\n';
	text->size = (size_t)(to - text->data);
	w->last_us = us;
	return 0;
}

static int
lms_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct lms_write *w = write_of(writer);
	unsigned note = event->kind == TL_COUNTER ? COUNTERS : INSTANTS;
	int rc = 0;

	if (event->kind == TL_BEGIN || event->kind == TL_END) {
		rc = put_mark(w, event);
		if (rc != -ENOSPC)
			return rc;
		note = TOO_MANY;
	}
	tl_note(&w->notes, event->message ? note : LOSSES, TL_FAULT_NOWHERE);
	return 0;
}

static int
lms_end(struct tl_writer *writer)
{
	tl_notes_say(&write_of(writer)->notes, writer->report);
	return 0;
}

static void
lms_free(struct tl_writer *writer)
{
	struct lms_write *w = write_of(writer);

	tl_message_map_free(&w->processes, free);
	tl_text_free(&w->label);
}

static const struct tl_writer_kind kind = { .put = lms_put,
	.end = lms_end,
	.free = lms_free };

int
tl_lms_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	int rc = tl_writer_make(writer, sizeof(struct lms_write), &kind, write,
	    context, report);

	if (rc == 0)
		write_of(*writer)->notes.kinds = kinds;
	return rc;
}
