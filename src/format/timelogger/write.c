/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - events to records; see timelogger.h.
 *
 *	message --> form: the use of its events; the source, if there is one
 *	key --> number --> source: its id, and whether the output defines it
 *
 * The key of a source with a definition is (input, process, id), the key of a
 * source without a definition (input, process, id, name).  Sources that were
 * read from a file have no process; sources of timeline_source.h have, because
 * two processes may use equal numbers.  The key of any other source is
 * (message, thread).
 *
 * The first event of a source, or the first event after a loss, may show that
 * the source was open before.  The missing opens or closes are then added at
 * the first time that was kept.
 */
#include "format/timelogger/timelogger.h"

#include "base/array.h"
#include "base/table.h"
#include "base/utf8.h"
#include "event/message_map.h"
#include "event/reader.h"
#include "format/label.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	/*
	 * The id in a file that was read is used if the gap before the id is
	 * not larger.
	 */
	GAP_MAX = 1 << 10
};

enum {
	INSTANTS,
	COUNTERS,
	LOSSES,
	ARGUMENTS,
	LEVELS,
	CPUS,
	THREADS,
	NAMES,
	TOO_MANY,
	OPEN_BEFORE
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[INSTANTS] = { -ENOTSUP, TL_NOTE_INSTANTS },
	[COUNTERS] = { -ENOTSUP, TL_NOTE_COUNTERS },
	[LOSSES] = { -ENOTSUP, TL_NOTE_LOSSES },
	[ARGUMENTS] = { -ENOTSUP, TL_NOTE_ARGUMENTS },
	[LEVELS] = { -ENOTSUP, TL_NOTE_LEVELS },
	[CPUS] = { -ENOTSUP, TL_NOTE_CPUS },
	[THREADS] = { -ENOTSUP, "the threads of a source are left out" },
	[NAMES] = { -ENOTSUP, TL_NOTE_NAMES },
	[TOO_MANY] = { -ENOSPC, "too many sources: event left out" },
	[OPEN_BEFORE] = { 0, "what was open before the first time kept is "
			     "opened there" },
};

enum what {
	UNFIT,      /* the events cannot be written */
	DEFINITION, /* definitions of sources, as read */
	NUMBERED,   /* the source with id wanted */
	OWN,        /* a source for the message */
	PER_THREAD  /* a source for message and thread */
};

#define SOURCE_NONE UINT32_MAX

struct form {
	enum what what;
	bool below;     /* begin is a close, end is an open */
	bool undefined; /* no definition is written */
	int32_t wanted; /* NUMBERED: id in the file that was read */
	bool overlap;   /* the source is open already */
	/* Set by the writer: the source of the events of process pid. */
	uint32_t source;
	uint32_t pid;       /* process of the source */
	const char *suffix; /* behind the name in the first line */
};

/*
 * A source that the inputs define, even if no event of the source was kept.
 *
 * A timeline logs the making of a source, and a ring overwrites that entry.
 * The definition of the source's spans stays, with the number of the source,
 * but without the process that made the source.  A known source is therefore
 * taken by the first process that uses a source of its number and name.
 */
struct known {
	const struct tl_message *message;
	size_t order; /* order of definition */
	uint32_t input;
	int32_t number; /* number of the source */
	int32_t id;     /* id in the output, if given */
	bool has_name;  /* the first line of the message is the name */
	bool given;     /* has an id, and a definition if has_name */
	bool taken;     /* a process has taken it */
};

/* Starts from all zeros. */
struct known_list {
	struct known *items; /* by input and number, once sorted */
	size_t count;
	size_t capacity;
	bool sorted;
};

struct source {
	int32_t id;
	bool known;   /* id is set */
	bool written; /* defined in the output */
	bool early;   /* used before its definition */
	int64_t activity;
	int64_t last_ns;
	uint64_t losses; /* w->losses when activity was known */
};

/* The sources that a process made: was one met, and were all kept? */
struct process {
	bool seen;
	bool whole; /* from its first source on */
};

struct timelogger_write {
	struct tl_writer writer; /* first: callers see the writer */
	struct known_list known;
	struct tl_id_map pids; /* (input, process) */
	struct process *processes;
	size_t process_capacity;
	int64_t newest_ns;
	struct tl_message_map forms;
	struct tl_labels labels;
	struct tl_interner *names; /* numbers of names */
	struct tl_id_map keys;
	struct source *sources;
	size_t source_capacity;
	uint64_t losses; /* the start counts as a loss */
	int64_t kept_ns; /* first time after the last loss */
	int32_t next_id;
	struct tl_text name;
};

/* == forms == */

/* Remove an id from the front. */
static bool
skip_id(struct tl_bytes *bytes, int32_t *id)
{
	const bool negative = tl_bytes_take(bytes, "-");
	uint64_t n = 0;
	const size_t digits = tl_number_take(*bytes, &n);

	*bytes = tl_bytes(bytes->data + digits, bytes->size - digits);
	*id = (int32_t)(negative ? 0 - n : n);
	return digits > 0 && n <= (uint64_t)INT32_MAX + negative;
}

/* Does a second line have the form that the reader gives to sources? */
static bool
read_which(struct tl_bytes which, struct form *form)
{
	if (!tl_bytes_take(&which, "source ") ||
	    !skip_id(&which, &form->wanted))
		return false;
	form->suffix = "";
	if (tl_bytes_end_with(which, ": " TL_TIMELOGGER_BELOW)) {
		form->below = true;
		form->suffix = " (" TL_TIMELOGGER_BELOW ")";
	} else if (tl_bytes_end_with(which, ": " TL_TIMELOGGER_OVERLAP)) {
		form->overlap = true;
		form->suffix = " (" TL_TIMELOGGER_OVERLAP ")";
	}
	form->undefined = tl_bytes_take(&which, TL_TIMELOGGER_UNDEFINED);
	return true;
}

/* Set the form of a message; the source is not yet known. */
static void
fill_form(struct form *form, const struct tl_message *message)
{
	*form = (struct form){ .source = SOURCE_NONE, .suffix = "" };
	if (message->kind == TIMELINE_RECORD_INSTANT) {
		if (tl_bytes_are(message->category, TL_TIMELOGGER_DEFINER) &&
		    tl_bytes_are(message->text, TL_TIMELOGGER_DEFINITION))
			form->what = DEFINITION;
	} else if (message->kind == TIMELINE_RECORD_SPAN) {
		form->what =
		    message->scope == TIMELINE_SOURCE ? OWN : PER_THREAD;
		if (form->what == OWN &&
		    tl_bytes_are(message->category, TL_TIMELOGGER_CATEGORY) &&
		    read_which(message->explain, form))
			form->what = NUMBERED;
	}
}

/* == known sources == */

static int
compare(const void *left, const void *right)
{
	const struct known *a = left, *b = right;

	if (a->input != b->input)
		return a->input < b->input ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/*
 * The index of the first item of an input with this number or a higher one.
 * list->count: neither this input nor a later one has such an item.
 */
static size_t
known_from(struct known_list *list, uint32_t input, int32_t number)
{
	const struct known wanted = { .input = input, .number = number };
	size_t i = 0;

	if (!list->sorted && list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items), compare);
	list->sorted = true;
	TL_SEARCH(i, 0, list->count, compare(&list->items[i], &wanted) < 0);
	return i;
}

/* Take the source of a number and name; NULL: no such source. */
static struct known *
take_item(struct known_list *list, uint32_t input, int32_t number,
    struct tl_bytes name)
{
	size_t i = known_from(list, input, number);

	for (; i < list->count; i++) {
		struct known *k = &list->items[i];

		if (k->input != input || k->number != number)
			break;
		if (k->taken ||
		    (k->has_name && !tl_bytes_equal(k->message->line1, name)))
			continue;
		k->taken = true;
		return k;
	}
	return NULL;
}

/* == sources == */

/* Make the form of a new message. */
static int
make_form(struct timelogger_write *w, const struct tl_event *event,
    struct form **form)
{
	const struct tl_message *message = event->message;
	struct form *f = malloc(sizeof(*f));
	bool spans;
	int rc;

	if (!f)
		return -ENOMEM;
	fill_form(f, message);
	rc = tl_message_map_add(&w->forms, message, f);
	if (rc < 0) {
		free(f);
		return rc;
	}

	/* note the parts of a message's events that the format cannot hold */
	spans = f->what != UNFIT && f->what != DEFINITION;
	if (spans && f->what != NUMBERED && message->argc > 0)
		tl_note(&w->writer.notes, ARGUMENTS, TL_FAULT_NOWHERE);
	if (spans && event->cpu != TL_CPU_UNKNOWN)
		tl_note(&w->writer.notes, CPUS, TL_FAULT_NOWHERE);
	if (spans && f->what != PER_THREAD &&
	    (event->pid != 0 || event->tid != 0))
		tl_note(&w->writer.notes, THREADS, TL_FAULT_NOWHERE);
	if (spans && message->level != tl_level_parse("info"))
		tl_note(&w->writer.notes, LEVELS, TL_FAULT_NOWHERE);
	*form = f;
	return 0;
}

/*
 * Choose the id of a new source: the id in the file that was read, else the
 * next.
 */
static int32_t
choose_id(struct timelogger_write *w, const struct tl_event *event,
    int32_t wanted)
{
	int32_t id = w->next_id;

	if (event->pid == 0 && wanted > id && wanted - id <= GAP_MAX)
		id = wanted;
	w->next_id = id + 1;
	return id;
}
_Static_assert((int64_t)TL_ID_MAP_MAX *(GAP_MAX + 1) < INT32_MAX,
    "ids do not run out before numbers do");

static int
find_source(struct timelogger_write *w, struct tl_id_key key,
    struct source **source)
{
	uint32_t number;
	int rc = TL_ID_MAP_ROOM(&w->keys, key, &number, w->sources,
	    w->source_capacity);

	if (rc < 0)
		return rc;
	*source = &w->sources[number];
	return 0;
}

/* The highest bit is set in no address, so the kinds of keys differ. */
static struct tl_id_key
key_of_id(const struct tl_event *event, int32_t id, unsigned by_name)
{
	return (struct tl_id_key){ UINT64_C(1) << 63 |
				       (uint64_t)event->pid << 17 |
				       by_name << 16 | event->source,
		(uint32_t)id };
}

static int
find_by_id(struct timelogger_write *w, const struct tl_event *event, int32_t id,
    struct source **source)
{
	return find_source(w, key_of_id(event, id, 0), source);
}

static int
find_by_name(struct timelogger_write *w, const struct tl_event *event,
    int32_t id, struct source **source)
{
	struct tl_id_key key = key_of_id(event, id, 1);
	uint64_t number;
	int rc = w->name.rc;

	if (rc == 0)
		rc = tl_interner_string(w->names, tl_text_bytes(&w->name),
		    &number);
	if (rc < 0)
		return rc;
	key.b |= number << 32;
	return find_source(w, key, source);
}

static void
give_id(struct timelogger_write *w, const struct tl_event *event,
    struct source *source, int32_t wanted)
{
	if (!source->known)
		source->id = choose_id(w, event, wanted);
	source->known = true;
}

static char *
write_record(char *to, uint8_t type, int32_t id, int64_t ns)
{
	const uint32_t id_be = htobe32((uint32_t)id);
	const uint64_t ns_be = htobe64((uint64_t)ns);

	to[0] = (char)type;
	memcpy(to + 1, &id_be, sizeof(id_be));
	memcpy(to + 5, &ns_be, sizeof(ns_be));
	return to + TL_TIMELOGGER_SIZE;
}

/* Write a definition with the name in w->name. */
static int
put_definition(struct timelogger_write *w, int32_t id, int64_t ns)
{
	struct tl_text *text = &w->writer.out.text;
	char *to = tl_text_reserve(text, TL_TIMELOGGER_SIZE_MAX);
	size_t start;
	uint16_t size;

	if (!to || w->name.rc < 0)
		return -ENOMEM;
	write_record(to, TL_TIMELOGGER_NEW, id, ns);
	text->size += TL_TIMELOGGER_TEXT_AT;
	start = text->size;
	if (!tl_mutf8_encode(text, tl_text_bytes(&w->name), TL_MUTF8_SIZE_MAX))
		tl_note(&w->writer.notes, NAMES, TL_FAULT_NOWHERE);
	size = htobe16((uint16_t)(text->size - start));
	memcpy(text->data + start - sizeof(size), &size, sizeof(size));
	return 0;
}

static void
name_source(struct timelogger_write *w, const struct tl_event *event,
    const struct form *form)
{
	struct tl_text *name = &w->name;

	tl_text_clear(name);
	if (form->what != NUMBERED && event->message->category.size > 0) {
		tl_put_bytes(name, event->message->category);
		tl_put_string(name, ": ");
	}
	tl_label_put(name, event);
	if (tl_bytes_end_with(tl_text_bytes(name), form->suffix))
		name->size -= strlen(form->suffix);
	if (form->what != PER_THREAD)
		return;
	tl_put_string(name, " (");
	tl_put_unsigned(name, event->pid);
	tl_put_char(name, '/');
	tl_put_unsigned(name, event->tid);
	tl_put_char(name, ')');
}

/*
 * Give a known source an id and a definition.  If the message lacks the name of
 * the source, the definition follows when the name is known.
 */
static int
give_known(struct timelogger_write *w, const struct tl_event *event,
    struct known *known, int64_t ns)
{
	const struct tl_event plain = { .message = known->message };

	known->given = true;
	known->id = choose_id(w, event, known->number);
	if (!known->has_name)
		return 0;
	tl_text_clear(&w->name);
	tl_label_put(&w->name, &plain);
	return put_definition(w, known->id, ns);
}

/* Take the known source of a number and of the name in w->name. */
static void
take_known(struct timelogger_write *w, const struct tl_event *event,
    int32_t number, struct source *source)
{
	const struct known *known = source->known
					? NULL
					: take_item(&w->known, event->source,
					      number, tl_text_bytes(&w->name));

	if (!known || !known->given)
		return;
	source->known = true;
	source->id = known->id;
	source->written = known->has_name;
}

static int
find_process(struct timelogger_write *w, const struct tl_event *event,
    struct process **process)
{
	const struct tl_id_key key = { event->source, event->pid };
	uint32_t number;
	int rc = TL_ID_MAP_ROOM(&w->pids, key, &number, w->processes,
	    w->process_capacity);

	if (rc < 0)
		return rc;
	*process = &w->processes[number];
	return 0;
}

/*
 * Give ids to the sources that were made before a source of this number.  If
 * the first kept entry of a process says that the process made source 0, each
 * of these sources follows by itself; otherwise their entries may be
 * overwritten.
 */
static int
give_earlier(struct timelogger_write *w, const struct tl_event *event,
    int32_t number)
{
	const bool makes = event->kind == TL_INSTANT;
	struct tl_text name;
	struct process *process;
	int rc;

	if (w->known.count == 0)
		return 0;
	if ((rc = find_process(w, event, &process)) < 0)
		return rc;
	if (!process->seen) /* files define sources in any order */
		process->whole = makes && (number == 0 || event->pid == 0);
	process->seen = true;
	if (process->whole)
		return 0;
	name = w->name; /* name of the current source */
	w->name = (struct tl_text){ 0 };
	for (size_t i = known_from(&w->known, event->source, 0);
	     rc == 0 && i < w->known.count; i++) {
		struct known *known = &w->known.items[i];

		if (known->input != event->source || known->number >= number)
			break;
		if (!known->given && !known->taken)
			rc = give_known(w, event, known, event->ns);
	}
	tl_text_free(&w->name);
	w->name = name;
	return rc;
}

/*
 * Write a definition that was read from a file.  A source that was used before
 * has a definition already.
 */
static int
define(struct timelogger_write *w, const struct tl_event *event)
{
	const int32_t id = (int32_t)(uint32_t)event->args[0];
	struct source *source, early;
	int rc;

	tl_text_clear(&w->name);
	tl_put_bytes(&w->name,
	    tl_message_string(event->message, event->args[1]));
	if ((rc = find_by_name(w, event, id, &source)) < 0)
		return rc;
	early = *source;
	source->early = false;
	if ((rc = find_by_id(w, event, id, &source)) < 0)
		return rc;
	if (early.early && !source->written) {
		*source = early;
		return 0;
	}
	if ((rc = give_earlier(w, event, id)) < 0)
		return rc;
	take_known(w, event, id, source);
	early = *source;
	give_id(w, event, source, id);
	source->activity = 0;
	source->losses = w->losses;
	source->written = true;
	return early.written && early.losses == 0
		   ? 0
		   : put_definition(w, source->id, event->ns);
}

/*
 * Find the source of an event.  If the source is not defined, w->name becomes
 * its name.
 */
static int
look_source(struct timelogger_write *w, const struct tl_event *event,
    const struct form *form, struct source **source)
{
	int rc;

	if (form->what != NUMBERED) {
		struct tl_id_key key = {
			.a = (uintptr_t)tl_labels_get(&w->labels, event)
		};

		if (form->what == PER_THREAD)
			key.b = (uint64_t)event->pid << 32 | event->tid;
		rc = find_source(w, key, source);
	} else {
		rc = find_by_id(w, event, form->wanted, source);
	}
	if (rc < 0 || (*source)->written || form->undefined)
		return rc;
	name_source(w, event, form);
	if (form->what == NUMBERED)
		rc = find_by_name(w, event, form->wanted, source);
	return rc;
}

/*
 * The number of opens (negative: closes) that are missing before an event.  The
 * form of the event bounds the activity of the source before the event.
 */
static int64_t
opens_before(const struct source *source, const struct tl_event *event,
    const struct form *form)
{
	const bool begins = event->kind == TL_BEGIN;
	int64_t least = begins ? 0 : 1, most = INT64_MAX;

	if (form->overlap) {
		least++;
	} else if (form->below) {
		most = begins ? 0 : -1;
		least = INT64_MIN;
	} else if (form->what == NUMBERED) {
		most = least;
	}
	return source->activity < least  ? least - source->activity
	       : source->activity > most ? most - source->activity
					 : 0;
}

static int
put_step(struct timelogger_write *w, struct source *source, bool opens,
    int64_t ns)
{
	struct tl_text *text = &w->writer.out.text;
	char *to = tl_text_reserve(text, TL_TIMELOGGER_SIZE);

	if (!to)
		return -ENOMEM;
	write_record(to, opens ? TL_TIMELOGGER_OPEN : TL_TIMELOGGER_CLOSE,
	    source->id, ns);
	text->size += TL_TIMELOGGER_SIZE;
	source->activity += opens ? 1 : -1;
	source->last_ns = ns;
	return 0;
}

/*
 * Find the source of an event.  A new source is defined at the time from which
 * its activity is known.
 */
static int
use_source(struct timelogger_write *w, const struct tl_event *event,
    struct form *form, struct source **used)
{
	struct source *source;
	int rc = look_source(w, event, form, &source);
	const bool is_new = rc == 0 && source->losses == 0;

	if (rc < 0)
		return rc;
	*used = source;
	if (form->what == NUMBERED && !source->known && !form->undefined) {
		if ((rc = give_earlier(w, event, form->wanted)) < 0)
			return rc;
		take_known(w, event, form->wanted, source);
		source->early |= source->written;
	}
	give_id(w, event, source, form->wanted);
	if (form->what != PER_THREAD) {
		form->source = (uint32_t)(source - w->sources);
		form->pid = event->pid;
	}
	if (source->written || form->undefined)
		return 0;
	source->written = true;
	source->early = form->what == NUMBERED;
	return put_definition(w, source->id,
	    is_new && opens_before(source, event, form) != 0 ? w->kept_ns
							     : event->ns);
}

/* Write the missing opens and closes. */
static int
put_missing(struct timelogger_write *w, const struct tl_event *event,
    const struct form *form, struct source *source)
{
	int64_t missing = opens_before(source, event, form);
	const bool opens = missing > 0;
	const int64_t ns = source->losses > 0 && source->last_ns > w->kept_ns
			       ? source->last_ns
			       : w->kept_ns;
	int rc = 0;

	source->losses = w->losses;
	if (missing != 0)
		tl_note(&w->writer.notes, OPEN_BEFORE, TL_FAULT_NOWHERE);
	for (; rc == 0 && missing != 0; missing += opens ? -1 : 1)
		rc = put_step(w, source, opens, ns);
	return rc;
}

static int
put_span(struct timelogger_write *w, const struct tl_event *event,
    struct form *form)
{
	const bool opens = (event->kind == TL_BEGIN) != form->below;
	struct source *source;
	int rc = 0;

	if (form->source != SOURCE_NONE && form->pid == event->pid)
		source = &w->sources[form->source];
	else
		rc = use_source(w, event, form, &source);
	if (rc == 0 && source->losses != w->losses)
		rc = put_missing(w, event, form, source);
	return rc < 0 ? rc : put_step(w, source, opens, event->ns);
}

static int
put_event(struct timelogger_write *w, const struct tl_event *event)
{
	struct form *form = tl_message_map_find(&w->forms, event->message);
	int rc;

	if (!form && (rc = make_form(w, event, &form)) < 0)
		return rc;
	if (form->what == DEFINITION)
		return define(w, event);
	if (form->what != UNFIT &&
	    (event->kind == TL_BEGIN || event->kind == TL_END))
		return put_span(w, event, form);
	tl_note(&w->writer.notes,
	    event->kind == TL_COUNTER ? COUNTERS : INSTANTS, TL_FAULT_NOWHERE);
	return 0;
}

static int
timelogger_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct timelogger_write *w = (void *)writer;
	int rc = 0;

	if (w->losses == 0 || !event->message) {
		w->losses++;
		w->kept_ns = event->ns;
	}
	w->newest_ns = event->ns;
	if (event->message)
		rc = put_event(w, event);
	else
		tl_note(&w->writer.notes, LOSSES, TL_FAULT_NOWHERE);
	if (rc != -ENOSPC) /* -ENOSPC: too many sources or messages */
		return rc;
	tl_note(&w->writer.notes, TOO_MANY, TL_FAULT_NOWHERE);
	return 0;
}

/* Define the sources of which only the definition was kept. */
static int
timelogger_end(struct tl_writer *writer)
{
	struct timelogger_write *w = (void *)writer;
	const struct tl_event no_thread = { .pid = UINT32_MAX };
	int rc = 0;

	(void)known_from(&w->known, 0, 0); /* sort */
	for (size_t i = 0; rc == 0 && i < w->known.count; i++) {
		struct known *known = &w->known.items[i];

		if (known->has_name && !known->given && !known->taken)
			rc = give_known(w, &no_thread, known, w->newest_ns);
	}
	return rc;
}

static int
timelogger_set_message(struct tl_writer *writer, uint32_t source,
    const struct tl_message *message)
{
	struct timelogger_write *w = (void *)writer;

	/*
	 * Add the message of an input if the message is the plain span of a
	 * source.
	 */
	struct form form;

	fill_form(&form, message);
	if (form.what != NUMBERED || form.below || form.overlap ||
	    form.undefined || form.wanted < 0 ||
	    memchr(message->explain.data, ',', message->explain.size))
		return 0;
	if (TL_ARRAY_ROOM(w->known.items, w->known.capacity, w->known.count) <
	    0)
		return -ENOMEM;
	w->known.items[w->known.count] = (struct known){ .message = message,
		.order = w->known.count,
		.input = source,
		.number = form.wanted,
		.has_name = !tl_label_is(message) };
	w->known.count++;
	w->known.sorted = false;
	return 0;
}

static void
timelogger_free(struct tl_writer *writer)
{
	struct timelogger_write *w = (void *)writer;

	tl_message_map_free(&w->forms, free);
	tl_labels_free(&w->labels);
	tl_id_map_free(&w->keys);
	tl_interner_free(w->names);
	tl_text_free(&w->name);
	free(w->sources);
	free(w->known.items);
	tl_id_map_free(&w->pids);
	free(w->processes);
}

static const struct tl_writer_kind kind = { .put = timelogger_put,
	.end = timelogger_end,
	.notes = kinds,
	.free = timelogger_free,
	.set_message = timelogger_set_message };

int
tl_timelogger_write_new(struct tl_writer **writer, tl_write *write,
    void *context, const struct tl_report *report)
{
	struct timelogger_write *w;
	int rc =
	    tl_writer_make(writer, sizeof(*w), &kind, write, context, report);

	if (rc < 0)
		return rc;
	w = (void *)*writer;
	rc = tl_interner_new(&w->names);
	if (rc < 0)
		tl_writer_free(*writer);
	return rc;
}
