/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - records to events; see timelogger.h.
 *
 *	piece --> whole records --> store, in order of time --> sink
 *	     \--> carry: the record at the end of a piece
 *
 *	id --> number --> the current source of the id
 *	source: its three labels and its activity
 *
 * Threads queue their records, so records may be out of order of time.  An id
 * stands for a source from the record that names the source, in the order of
 * records; activity is counted in the order of time.
 */
#include "format/timelogger/timelogger.h"

#include "base/array.h"
#include "base/ns.h"
#include "base/table.h"
#include "base/utf8.h"
#include "clock/clock.h"
#include "event/reader.h"
#include "event/sorter.h"
#include "format/label.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	/*
	 * After this many unknown records and no known record, the file is of
	 * another format.
	 */
	UNKNOWN_MAX = 64,
	/* Sources that are checked to recognise a file. */
	START_SOURCES_MAX = 256,
	NAME_LIKELY_MAX = 1024,
	WHICH_SIZE_MAX = 80
};

/* The three messages of a source. */
enum { ACTIVE, OVERLAP, BELOW, LEVELS };

static const struct {
	const char *suffix;
	const char *which;
} levels[LEVELS] = {
	{ "", "" },
	{ " (" TL_TIMELOGGER_OVERLAP ")", ": " TL_TIMELOGGER_OVERLAP },
	{ " (" TL_TIMELOGGER_BELOW ")", ": " TL_TIMELOGGER_BELOW },
};

enum {
	UNKNOWN_TYPE,
	CUT,
	UNDEFINED,
	REDEFINED,
	TOO_HIGH,
	TOO_LOW,
	UNSORTED,
	BAD_NAME,
	TOO_MANY
};

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[UNKNOWN_TYPE] = { -EBADMSG, "record of an unknown type, skipped" },
	[CUT] = { -ENODATA, "the file ends inside its last record" },
	[UNDEFINED] = { -EBADMSG, "source that was never defined" },
	[REDEFINED] = { 0, "source defined again" },
	[TOO_HIGH] = { 0, "open of a source that is open: an overlap" },
	[TOO_LOW] = { 0, "close of a source that is not open: below 0" },
	[UNSORTED] = { 0, "time is before the one of an earlier record" },
	[BAD_NAME] = { -EBADMSG, "name is not modified UTF-8" },
	[TOO_MANY] = { -ENOSPC, "too many sources: one stands for the rest" },
};

struct source {
	/* by level; made when the source first reaches the level */
	struct tl_label label[LEVELS];
	int64_t activity;
	/* when each open span began: as many as activity is away from 0 */
	int64_t *begun;
	size_t room;
	int32_t id;
	uint32_t definitions;
};

/* The place of the source that stands for all sources beyond the limit. */
enum { REST = UINT32_MAX };

struct timelogger_read {
	struct tl_reader reader; /* first: callers see the reader */
	struct tl_sink *sink;
	const struct tl_report *report;
	struct tl_interner *interner;
	const struct tl_message *definition;
	struct tl_store *store;
	struct tl_id_map ids;
	uint32_t *current; /* by number of an id: source + 1; 0: none */
	size_t current_capacity;
	struct source *sources;
	size_t source_capacity;
	uint32_t source_count;
	struct source rest; /* stands for all beyond the limit */
	struct tl_notes notes;
	struct tl_event event; /* fields common to all events */
	struct tl_text carry;
	struct tl_text name;
	uint64_t at;      /* offset of the record */
	uint64_t numbers; /* events put so far */
	int64_t newest_ns;
	uint64_t known;
	uint64_t unknown;
};

/*
 * Make the label of a level.  If the interner is full, the source shares the
 * labels of r->rest.
 */
static int
make_label(struct timelogger_read *r, struct source *source, unsigned level)
{
	char which[WHICH_SIZE_MAX];
	int rc;

	/* Write the second line of a message, which identifies the source. */
	char again[32] = "";

	if (source->definitions > 1)
		snprintf(again, sizeof(again), ", definition %" PRIu32,
		    source->definitions);
	snprintf(which, WHICH_SIZE_MAX, "source %" PRId32 "%s%s%s", source->id,
	    again, source->definitions == 0 ? TL_TIMELOGGER_UNDEFINED : "",
	    levels[level].which);
	rc = tl_label_define(r->interner, TL_TIMELOGGER_CATEGORY,
	    tl_text_bytes(&r->name), levels[level].suffix, which,
	    &source->label[level]);
	if (rc != -ENOSPC || source == &r->rest)
		return rc;
	tl_note(&r->notes, TOO_MANY, r->at);
	source->label[level] = r->rest.label[level];
	return 0;
}

/* Add a source for an id: its place, or REST. */
static int
add_source(struct timelogger_read *r, int32_t id, uint32_t definitions,
    uint32_t *place)
{
	*place = REST;
	if (r->source_count == TL_ID_MAP_MAX) {
		tl_note(&r->notes, TOO_MANY, r->at);
		return 0;
	}
	if (r->source_count >= r->source_capacity) {
		if (TL_ARRAY_ZEROS(r->sources, r->source_capacity,
			r->source_count) < 0)
			return -ENOMEM;
	}
	*place = r->source_count++;
	r->sources[*place].id = id;
	r->sources[*place].definitions = definitions;
	return 0;
}

/*
 * Find the place of an id's current source; NULL: the id is beyond the limit.
 */
static int
find_current(struct timelogger_read *r, int32_t id, uint32_t **current)
{
	const struct tl_id_key key = { .a = (uint32_t)id };
	uint32_t number;
	int rc = TL_ID_MAP_ROOM(&r->ids, key, &number, r->current,
	    r->current_capacity);

	*current = NULL;
	if (rc == -ENOSPC) {
		tl_note(&r->notes, TOO_MANY, r->at);
		return 0;
	}
	if (rc < 0)
		return rc;
	*current = &r->current[number];
	return 0;
}

/* Keep an event until all records are read. */
static int
keep(struct timelogger_read *r, uint8_t kind, int64_t ns, uint64_t a,
    uint64_t b)
{
	struct tl_sink *sink = tl_store_sink(r->store);
	struct tl_event *e = &r->event;

	e->message = r->definition;
	e->level = r->definition->level;
	e->kind = kind;
	e->ns = ns;
	e->tsc = r->at;
	e->args[0] = a;
	e->args[1] = b;
	if (ns < r->newest_ns) /* the record was queued late */
		tl_note(&r->notes, UNSORTED, r->at);
	else
		r->newest_ns = ns;
	r->known++;
	return sink->put(sink, e);
}

/*
 * Keep a definition as an event, so that the writer can restore the definition.
 */
static int
keep_definition(struct timelogger_read *r, int32_t id, int64_t ns)
{
	uint64_t name;
	int rc =
	    tl_interner_string(r->interner, tl_text_bytes(&r->name), &name);

	if (rc == -ENOSPC) {
		tl_note(&r->notes, TOO_MANY, r->at);
		return 0;
	}
	return rc < 0 ? rc
		      : keep(r, TL_INSTANT, ns, (uint64_t)(int64_t)id, name);
}

static int
define(struct timelogger_read *r, int32_t id, int64_t ns, struct tl_bytes name)
{
	uint32_t *current, definitions = 1, place;
	int rc = find_current(r, id, &current);

	if (rc < 0)
		return rc;
	tl_text_clear(&r->name);
	if (!tl_mutf8_decode(&r->name, name))
		tl_note(&r->notes, BAD_NAME, r->at);
	if ((rc = r->name.rc) < 0)
		return rc;
	if (current) {
		if (*current > 0 && *current - 1 != REST)
			definitions = r->sources[*current - 1].definitions + 1;
		if (definitions > 1)
			tl_note(&r->notes, REDEFINED, r->at);
		if ((rc = add_source(r, id, definitions, &place)) < 0)
			return rc;
		*current = place == REST ? 0 : place + 1;
		if (place != REST)
			rc = make_label(r, &r->sources[place], ACTIVE);
	}
	return rc < 0 ? rc : keep_definition(r, id, ns);
}

/* Take an open or a close record. */
static int
change(struct timelogger_read *r, int32_t id, int64_t ns, uint8_t kind)
{
	uint32_t *current, place = REST;
	int rc = find_current(r, id, &current);

	if (rc == 0 && current && *current == 0) {
		rc = add_source(r, id, 0, &place);
		*current = place == REST ? 0 : place + 1;
	}
	if (rc < 0)
		return rc;
	if (current && *current > 0)
		place = *current - 1;
	return keep(r, kind, ns, place, 0);
}

/* Make the label of a level that a source reaches first. */
static int
meet_level(struct timelogger_read *r, struct source *source, unsigned level)
{
	int rc = 0;

	if (!source->label[ACTIVE].message) {
		tl_note(&r->notes, UNDEFINED, r->at);

		/* Make a name for a source that was not defined. */
		tl_text_clear(&r->name);
		tl_put_string(&r->name, "source ");
		tl_put_signed(&r->name, source->id);
		rc = r->name.rc;
		if (rc == 0)
			rc = make_label(r, source, ACTIVE);
	} else {
		/* Take the name of a source from its label. */
		const struct tl_event event = {
			.message = source->label[ACTIVE].message,
			.args = { source->label[ACTIVE].arg }
		};

		tl_text_clear(&r->name);
		tl_label_put(&r->name, &event);
		rc = r->name.rc;
	}
	return rc < 0 || level == ACTIVE ? rc : make_label(r, source, level);
}

/* Turn a record into an event, in order of time; by is 1 or -1. */
static int
step(struct timelogger_read *r, struct tl_event *e, int by)
{
	const uint32_t place = (uint32_t)e->args[0];
	struct source *source = place == REST ? &r->rest : &r->sources[place];
	const int64_t higher = by > 0 ? source->activity + 1 : source->activity;
	const unsigned level = higher == 1  ? ACTIVE
			       : higher > 1 ? OVERLAP
					    : BELOW;
	/* the open spans around the span that begins or ends */
	const uint64_t around = (uint64_t)(higher > 0 ? higher - 1 : -higher);
	int rc;

	source->activity += by;
	if (!source->label[level].message &&
	    (rc = meet_level(r, source, level)) < 0)
		return rc;
	if (level == OVERLAP && by > 0)
		tl_note(&r->notes, TOO_HIGH, r->at);
	if (level == BELOW && by < 0)
		tl_note(&r->notes, TOO_LOW, r->at);
	e->args[0] = source->label[level].arg;
	e->message = source->label[level].message;
	e->level = e->message->level;
	e->kind = (by > 0) == (level != BELOW) ? TL_BEGIN : TL_END;
	if (e->kind == TL_END) {
		tl_event_prove(e, source->begun[around]);
		return 0;
	}
	if (TL_ARRAY_ROOM(source->begun, source->room, around) < 0)
		return -ENOMEM;
	source->begun[around] = e->ns;
	e->proven = true;
	return 0;
}

/* Put all events that were kept, in order of time. */
static int
hand_on(struct timelogger_read *r)
{
	struct tl_sink *store = tl_store_sink(r->store);
	struct tl_cursor *cursor;
	struct tl_event e;
	int rc = store->finish(store);

	if (rc < 0 ||
	    (rc = tl_store_cursor(r->store, TL_OLDEST_FIRST, &cursor)) < 0)
		return rc;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &e)) > 0) {
		r->at = e.tsc;
		e.tsc = (uint64_t)e.ns;
		e.number = r->numbers++;
		rc = e.kind == TL_INSTANT
			 ? 0
			 : step(r, &e, e.kind == TL_BEGIN ? 1 : -1);
		if (rc == 0)
			rc = r->sink->put(r->sink, &e);
	}
	tl_cursor_close(cursor);
	return rc;
}

/* The fields that all records have. */
struct record {
	uint8_t type;
	int32_t id;
	int64_t ns;
};

static struct record
record_of(const char *bytes)
{
	struct tl_data_in in = tl_data_in(bytes, TL_TIMELOGGER_SIZE);
	struct record record;

	record.type = tl_data_u8(&in);
	record.id = tl_data_i32(&in);
	record.ns = tl_data_i64(&in);
	return record;
}

/* The text of a whole record of type 0. */
static struct tl_bytes
text_of(const char *bytes)
{
	struct tl_data_in in =
	    tl_data_in(bytes + TL_TIMELOGGER_SIZE, sizeof(uint16_t));

	return tl_bytes(bytes + TL_TIMELOGGER_TEXT_AT, tl_data_u16(&in));
}

/* Take a whole record. */
static int
take(struct timelogger_read *r, const char *bytes)
{
	const struct record record = record_of(bytes);

	switch (record.type) {
	case TL_TIMELOGGER_NEW:
		return define(r, record.id, record.ns, text_of(bytes));
	case TL_TIMELOGGER_OPEN:
		return change(r, record.id, record.ns, TL_BEGIN);
	case TL_TIMELOGGER_CLOSE:
		return change(r, record.id, record.ns, TL_END);
	}
	tl_note(&r->notes, UNKNOWN_TYPE, r->at);
	if (++r->unknown < UNKNOWN_MAX || r->known > 0)
		return 0;
	tl_report_write(r->report, -EBADMSG, r->at, "not a TimeLogger file");
	return -EBADMSG;
}

/* The size of a record, as far as its first bytes show the size. */
static size_t
record_size(const char *record, size_t size)
{
	if (size < TL_TIMELOGGER_SIZE || record[0] != TL_TIMELOGGER_NEW)
		return TL_TIMELOGGER_SIZE;
	if (size < TL_TIMELOGGER_TEXT_AT)
		return TL_TIMELOGGER_TEXT_AT;
	return TL_TIMELOGGER_TEXT_AT + text_of(record).size;
}

/* Complete the record at the end of the last piece. */
static int
feed_carry(struct timelogger_read *r, struct tl_bytes *piece)
{
	struct tl_text *carry = &r->carry;
	int rc;

	for (;;) {
		size_t missing = record_size(carry->data, carry->size);

		if (missing <= carry->size)
			break;
		missing -= carry->size;
		if (missing > piece->size)
			missing = piece->size;
		tl_put_bytes(carry, tl_bytes(piece->data, missing));
		piece->data += missing;
		piece->size -= missing;
		if (carry->rc < 0 || missing == 0)
			return carry->rc;
	}
	rc = take(r, carry->data);
	r->at += carry->size;
	tl_text_clear(carry);
	return rc;
}

static int
timelogger_feed(struct tl_reader *reader, struct tl_bytes piece)
{
	struct timelogger_read *r = (void *)reader;
	int rc = 0;

	if (r->carry.size > 0)
		rc = feed_carry(r, &piece);
	while (rc == 0 && piece.size > 0) {
		const size_t size = record_size(piece.data, piece.size);

		if (size > piece.size) {
			tl_put_bytes(&r->carry, piece);
			return r->carry.rc;
		}
		rc = take(r, piece.data);
		r->at += size;
		piece.data += size;
		piece.size -= size;
	}
	return rc;
}

static int
timelogger_finish(struct tl_reader *reader)
{
	struct timelogger_read *r = (void *)reader;
	const bool unknown = r->known == 0 && r->at + r->carry.size > 0;
	int rc;

	if (unknown) {
		tl_report_write(r->report, -EBADMSG, 0,
		    "not a TimeLogger file");
		return -EBADMSG;
	}
	if (r->carry.size > 0)
		tl_note(&r->notes, CUT, r->at);
	tl_text_clear(&r->carry);
	rc = hand_on(r);
	tl_notes_report(&r->notes, r->report);
	return rc;
}

static void
timelogger_free(struct tl_reader *reader)
{
	struct timelogger_read *r = (void *)reader;

	tl_interner_free(r->interner);
	tl_id_map_free(&r->ids);
	tl_text_free(&r->carry);
	tl_text_free(&r->name);
	tl_store_free(r->store);
	free(r->current);
	for (uint32_t i = 0; i < r->source_count; i++)
		free(r->sources[i].begun);
	free(r->rest.begun);
	free(r->sources);
	free(r);
}

int
tl_timelogger_read_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report)
{
	struct timelogger_read *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->reader = (struct tl_reader){ .feed = timelogger_feed,
		.finish = timelogger_finish,
		.free = timelogger_free };
	r->sink = sink;
	r->report = report;
	r->notes.kinds = kinds;
	r->event.cpu = TL_CPU_UNKNOWN;
	r->newest_ns = INT64_MIN;
	r->rest.id = -1;
	rc = tl_interner_new(&r->interner);
	if (rc == 0)
		rc = tl_store_new(&r->store, TL_STORE_MEMORY_MAX);
	if (rc == 0) {
		/*
		 * Make the messages that are needed even if nothing more fits.
		 */
		rc = tl_interner_message(r->interner,
		    tl_bytes_of(TL_TIMELOGGER_DEFINER),
		    tl_bytes_of(TL_TIMELOGGER_DEFINITION),
		    TIMELINE_RECORD_INSTANT, (uint8_t)tl_level_parse("info"), 0,
		    &r->definition);
		tl_put_string(&r->name, "other sources");
		if (rc == 0)
			rc = r->name.rc;
		for (unsigned level = 0; rc == 0 && level < LEVELS; level++)
			rc = make_label(r, &r->rest, level);
	}
	if (rc < 0)
		timelogger_free(&r->reader);
	else
		*reader = &r->reader;
	return rc;
}

/* Is an id among the defined ids? */
static bool
is_defined(const uint32_t *ids, uint32_t count, uint32_t id)
{
	for (uint32_t i = 0; i < count; i++) {
		if (ids[i] == id)
			return true;
	}
	return false;
}

/* Evidence for the format, from the records at the start of a file. */
struct evidence {
	uint32_t ids[START_SOURCES_MAX]; /* defined ids */
	uint32_t count;
	uint32_t good; /* definitions with a name, and uses of these */
	uint32_t bad;
	bool ascending; /* ids count from 0 */
	bool used;
	int64_t last_ns;
};

/* Is it a name that a program may give a source? */
static bool
is_name(struct tl_bytes text)
{
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
			return false;
	return text.size > 0 && text.size <= NAME_LIKELY_MAX;
}

/* Do two records lie within a hundred days? */
static bool
is_near(int64_t one, int64_t other)
{
	const int64_t ns =
	    one < other ? tl_ns_between(one, other) : tl_ns_between(other, one);

	return ns < 100 * 24 * TL_NS_PER_H;
}

/*
 * Ids that count from 0, and uses of a defined id, occur in no other format.  A
 * few other records among many such records are damage.
 */
unsigned
tl_timelogger_recognise(struct tl_bytes first)
{
	struct evidence e = { .ascending = true };

	while (
	    first.size >= TL_TIMELOGGER_SIZE && e.count < START_SOURCES_MAX) {
		const size_t size = record_size(first.data, first.size);
		const struct record record = record_of(first.data);
		const uint32_t id = (uint32_t)record.id;
		const bool known = is_defined(e.ids, e.count, id);
		const bool defines = record.type == TL_TIMELOGGER_NEW;
		bool good;

		if (size > first.size)
			break;
		good = defines ? is_name(text_of(first.data))
			       : record.type <= TL_TIMELOGGER_CLOSE && known;
		good &= e.good == 0 || is_near(record.ns, e.last_ns);
		if (good)
			e.last_ns = record.ns;
		e.good += good;
		e.bad += !good;
		e.used = e.used || (good && !defines);
		if (good && !known) {
			e.ascending = e.ascending && id == e.count;
			e.ids[e.count++] = id;
		}
		first.data += size;
		first.size -= size;
	}
	if (e.count == 0)
		return 0;
	if (e.bad > 0)
		return e.used && e.good > 2 * e.bad ? 75 : 0;
	return e.ascending ? 90 : e.used ? 85 : 0;
}
