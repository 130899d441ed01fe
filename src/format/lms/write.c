/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - spans to lines; see lms.h.
 *
 * A message gets its id, and its line of type 2, at its first event.  A message
 * that was read from a profile keeps the id of the profile if the id is free;
 * any other message gets the lowest free id.  Time starts with the start of the
 * profile, else with the first mark.  Times are cut to microseconds before
 * differences are taken, so that the errors do not add up.
 *
 *	message --> number --> its mapping
 *	(input, id in it) --> number --> mapping: id and label in the output
 */
#include "base/ns.h"
#include "format/lms/lms.h"

#include "base/array.h"
#include "base/table.h"
#include "event/reader.h"
#include "format/label.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum { LINE_SIZE_MAX = 2 + TL_SIGNED_MAX + 1 + TL_SIGNED_MAX + 1 };

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
	TOO_MANY,
	ORIGIN
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
	[ORIGIN] = { -ENOTSUP, "the time of day is left out: times count from "
			       "the first mark" },
};

/* The id in the output for an id of an input. */
struct mapping {
	int64_t id;
	struct tl_text label; /* current label */
	bool known;           /* id is set */
	bool written;         /* the label is written */
};

struct lms_write {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_labels labels;
	struct tl_id_map messages;
	uint32_t *mapping_of; /* by number of a message: mapping + 1; 0: none */
	size_t mapping_of_capacity;
	struct tl_text label;
	struct tl_id_map inputs;
	struct mapping *mappings;
	size_t mapping_capacity;
	struct tl_id_map taken; /* ids of the output */
	int64_t lowest;         /* lowest id that may be free */
	int64_t last_us;
	bool started; /* a line was written */
	bool timed;   /* last_us is set */
};

/*
 * Replace a newline in a label if a reader would take the rest for a line, or
 * would drop the rest.
 */
static void
mend_label(struct lms_write *w)
{
	char *data = w->label.data;
	size_t end = w->label.size;
	bool more = false; /* a kept line follows */

	for (size_t at = end; at-- > 0;) {
		struct tl_lms_line line;

		if (data[at] != '\n')
			continue;
		tl_lms_parse(tl_bytes(data + at + 1, end - at - 1), &line);
		if (line.type == TL_LMS_UNKNOWN || (more && end == at + 1)) {
			more = true;
			end = at;
		} else {
			data[at] = ' ';
			tl_note(&w->writer.notes, LABELS, TL_FAULT_NOWHERE);
		}
	}
}

static int
find_mapping(struct lms_write *w, struct tl_id_key key,
    struct mapping **mapping)
{
	uint32_t number;
	int rc = TL_ID_MAP_ROOM(&w->inputs, key, &number, w->mappings,
	    w->mapping_capacity);

	if (rc < 0)
		return rc;
	*mapping = &w->mappings[number];
	return 0;
}

/* Give a mapping its id in the output: the wanted id if it is free. */
static int
give_id(struct lms_write *w, struct mapping *mapping, const int64_t *wanted)
{
	int rc;

	if (mapping->known)
		return 0;
	rc = tl_id_map_take(&w->taken, 0, wanted, &w->lowest, &mapping->id);
	mapping->known = rc == 0;
	return rc;
}

/* Write the line of type 2 for w->label, unless the id has this label. */
static int
put_label(struct lms_write *w, struct mapping *mapping, bool again)
{
	struct tl_text *text = &w->writer.out.text;
	struct tl_text old;

	if (w->label.rc < 0)
		return w->label.rc;
	mend_label(w);
	if (!w->started) {
		/*
		 * Replace a CR at the end of the file's first line, because a
		 * reader would take CR LF for the line ends of the file.
		 */
		char *data = w->label.data;

		for (size_t i = 0; i < w->label.size; i++) {
			if (data[i] == '\r' &&
			    (i + 1 == w->label.size || data[i + 1] == '\n')) {
				data[i] = ' ';
				tl_note(&w->writer.notes, LABELS,
				    TL_FAULT_NOWHERE);
			}
		}
	}
	w->started = true;
	if (!again && mapping->written &&
	    tl_bytes_equal(tl_text_bytes(&w->label),
		tl_text_bytes(&mapping->label)))
		return 0;
	tl_put_string(text, "2,");
	tl_put_signed(text, mapping->id);
	tl_put_char(text, ',');
	tl_put_bytes(text, tl_text_bytes(&w->label));
	tl_put_char(text, '\n');
	old = mapping->label;
	mapping->label = w->label;
	mapping->written = true;
	w->label = old;
	return text->rc;
}

/*
 * Return the id of a message that was read from a profile; false: it was not.
 */
static bool
read_id(const struct tl_message *m, int64_t *id)
{
	const size_t skip = sizeof(TL_LMS_ID) - 1;
	const struct tl_bytes e = m->explain;
	const char *comma;
	char digits[TL_SIGNED_MAX + 1] = "";
	uint64_t n;
	size_t size;

	if (m->scope != TIMELINE_SOURCE ||
	    !tl_bytes_are(m->category, TL_LMS_CATEGORY) || e.size <= skip ||
	    memcmp(e.data, TL_LMS_ID, skip) != 0)
		return false;
	comma = memchr(e.data, ',', e.size);
	size = comma ? (size_t)(comma - e.data) : e.size;
	if (size <= skip || size - skip >= sizeof(digits))
		return false;
	memcpy(digits, e.data + skip, size - skip);
	if (tl_parse_unsigned(digits + (digits[0] == '-'), &n) != 0)
		return false;
	*id = (int64_t)(digits[0] == '-' ? 0 - n : n);
	return true;
}

static int
map_message(struct lms_write *w, const struct tl_event *event,
    struct mapping **mapping)
{
	const struct tl_message *m = event->message;
	const bool ours = tl_bytes_are(m->category, TL_LMS_CATEGORY);
	struct tl_id_key key = { (uintptr_t)tl_labels_get(&w->labels, event),
		UINT64_MAX };
	int64_t id;
	const bool is_read = read_id(m, &id);
	int rc;

	if (!ours && event->message->argc > 0)
		tl_note(&w->writer.notes, ARGUMENTS, TL_FAULT_NOWHERE);
	if (event->message->level != tl_level_parse("info"))
		tl_note(&w->writer.notes, LEVELS, TL_FAULT_NOWHERE);
	if (event->cpu != TL_CPU_UNKNOWN)
		tl_note(&w->writer.notes, CPUS, TL_FAULT_NOWHERE);
	if (event->pid != 0 || event->tid != 0)
		tl_note(&w->writer.notes, THREADS, TL_FAULT_NOWHERE);
	tl_text_clear(&w->label);
	if (!ours && m->category.size > 0) {
		tl_put_bytes(&w->label, m->category);
		tl_put_char(&w->label, '.');
	}
	tl_label_put(&w->label, event);
	if (is_read)
		key = (struct tl_id_key){ (uint64_t)id, event->source };
	if ((rc = find_mapping(w, key, mapping)) < 0 ||
	    (rc = give_id(w, *mapping, is_read ? &id : NULL)) < 0)
		return rc;
	return put_label(w, *mapping, false);
}

/* Find the id of a message; the mapping of a new message is written. */
static int
find_id(struct lms_write *w, const struct tl_event *event, int64_t *id)
{
	const struct tl_id_key key = { .a = (uintptr_t)tl_labels_get(&w->labels,
					   event) };
	struct mapping *mapping;
	uint32_t number;
	int rc = TL_ID_MAP_ROOM(&w->messages, key, &number, w->mapping_of,
	    w->mapping_of_capacity);

	if (rc < 0)
		return rc;
	if (w->mapping_of[number] == 0) {
		if ((rc = map_message(w, event, &mapping)) < 0)
			return rc;
		w->mapping_of[number] = (uint32_t)(mapping - w->mappings) + 1;
	}
	*id = w->mappings[w->mapping_of[number] - 1].id;
	return 0;
}

static bool
is_mapping(const struct tl_event *event)
{
	return event->kind == TL_INSTANT &&
	       tl_bytes_are(event->message->category, TL_LMS_CATEGORY) &&
	       tl_bytes_are(event->message->text, TL_LMS_MAPPING);
}

/* Write a mapping that was read. */
static int
put_mapping(struct lms_write *w, const struct tl_event *event)
{
	const int64_t id = (int64_t)event->args[0];
	struct mapping *mapping;
	int rc = find_mapping(w,
	    (struct tl_id_key){ (uint64_t)id, event->source }, &mapping);

	if (rc < 0 || (rc = give_id(w, mapping, &id)) < 0)
		return rc;
	tl_text_clear(&w->label);
	tl_put_bytes(&w->label,
	    tl_message_string(event->message, event->args[1]));
	return put_label(w, mapping, true);
}

static int
put_mark(struct lms_write *w, const struct tl_event *event)
{
	struct tl_text *text = &w->writer.out.text;
	/* rounded down, also before 1970 */
	const int64_t rest = event->ns % TL_NS_PER_US;
	const int64_t us = event->ns / TL_NS_PER_US - (rest < 0);
	int64_t id, first;
	int rc = find_id(w, event, &id);
	char *to;

	if (rest != 0)
		tl_note(&w->writer.notes, NANOSECONDS, TL_FAULT_NOWHERE);
	if (rc < 0)
		return rc;
	if (!w->timed) {
		/* differences count from the profile's start, or from here */
		w->timed = true;
		if (!read_id(event->message, &first)) {
			w->last_us = us;
			tl_note(&w->writer.notes, ORIGIN, TL_FAULT_NOWHERE);
		}
	}
	to = tl_text_reserve(text, LINE_SIZE_MAX);
	if (!to)
		return -ENOMEM;
	*to++ = event->kind == TL_BEGIN ? '0' : '1';
	*to++ = ',';
	to = tl_write_signed(to, id);
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
	struct lms_write *w = (void *)writer;
	unsigned note = event->kind == TL_COUNTER ? COUNTERS : INSTANTS;
	int rc = 0;

	if (event->kind == TL_BEGIN || event->kind == TL_END ||
	    is_mapping(event)) {
		rc = event->kind == TL_INSTANT ? put_mapping(w, event)
					       : put_mark(w, event);
		if (rc != -ENOSPC)
			return rc;
		note = TOO_MANY;
	}
	tl_note(&w->writer.notes, event->message ? note : LOSSES,
	    TL_FAULT_NOWHERE);
	return 0;
}

static void
lms_free(struct tl_writer *writer)
{
	struct lms_write *w = (void *)writer;

	tl_id_map_free(&w->messages);
	free(w->mapping_of);
	tl_labels_free(&w->labels);
	tl_id_map_free(&w->inputs);
	tl_id_map_free(&w->taken);
	for (size_t i = 0; i < w->mapping_capacity; i++)
		tl_text_free(&w->mappings[i].label);
	free(w->mappings);
	tl_text_free(&w->label);
}

static const struct tl_writer_kind kind = { .put = lms_put,
	.notes = kinds,
	.free = lms_free };

int
tl_lms_write_new(struct tl_writer **writer, tl_write *write, void *context,
    const struct tl_report *report)
{
	return tl_writer_make(writer, sizeof(struct lms_write), &kind, write,
	    context, report);
}
