/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firefox.h - private between the firefox_*.c files: what the writer of
 * profiles keeps.
 *
 *	(pid, tid) or (source) --> thread: a column for each field of a marker
 *	(message, pid) --> counter: two columns
 *	message --> its numbers; its schema is a piece of one column
 *	string --> its number; its text is a piece of another
 */
#ifndef TL_FORMAT_FIREFOX_FIREFOX_H
#define TL_FORMAT_FIREFOX_FIREFOX_H

#include "base/table.h"
#include "event/intern.h"
#include "event/reader.h"
#include "event/spans.h"
#include "event/writer.h"
#include "format/column.h"

enum {
	FIREFOX_VERSION = 63,
	FIREFOX_THREADS_MAX = 1 << 16,
	FIREFOX_COUNTERS_MAX = 1 << 16,
	FIREFOX_CATEGORIES_MAX = 1 << 12,
	FIREFOX_LOST_NAME = 0 /* the first string */
};

/* A double represents every integer below this; and as milliseconds below that,
 * all nanoseconds. */
#define FIREFOX_EXACT_MAX    (UINT64_C(1) << 53)
#define FIREFOX_EXACT_NS_MAX ((UINT64_C(1) << 33) * 1000000)

enum firefox_note {
	FIREFOX_STAMPS,
	FIREFOX_COUNTER_ARGS,
	FIREFOX_COUNTER_ROUNDED,
	FIREFOX_NOT_A_NUMBER,
	FIREFOX_BACK,
	FIREFOX_FAR,
	FIREFOX_TOO_MANY,
	FIREFOX_NOTES
};

/* Columns of markers, in the order of the file. */
enum firefox_field {
	FIREFOX_NAME,
	FIREFOX_START,
	FIREFOX_END,
	FIREFOX_PHASE,
	FIREFOX_CATEGORY,
	FIREFOX_DATA,
	FIREFOX_FIELDS
};

enum firefox_phase { INSTANT, INTERVAL, INTERVAL_START, INTERVAL_END };

struct firefox_thread {
	struct tl_column columns[FIREFOX_FIELDS];
	uint64_t markers;
	struct tl_text name; /* of a source */
	uint32_t pid;
	uint32_t tid; /* of a source: its number, from 1 */
	bool is_source;
	bool is_lost; /* where losses are shown */
};

struct firefox_counter {
	const struct tl_message *message;
	struct tl_column time;
	struct tl_column count;
	uint64_t samples;
	double sum; /* of what is in count */
	int64_t last_ns;
	uint32_t pid;
	uint32_t thread; /* the first that logged it */
};

struct firefox_message {
	uint64_t name;
	uint32_t category;
};

struct firefox_write {
	struct tl_writer writer; /* first: what callers see */
	struct tl_notes notes;
	struct tl_spans *spans;
	uint32_t open; /* spans, at most TL_SPANS_OPEN_MAX */
	struct tl_columns spill;

	struct tl_id_map thread_keys;
	struct firefox_thread *threads;
	size_t thread_capacity;
	uint32_t thread_count;
	uint32_t sources;
	struct tl_id_map counter_keys;
	struct firefox_counter *counters;
	size_t counter_capacity;
	uint32_t counter_count;

	struct tl_id_map message_keys;
	struct firefox_message *messages;
	size_t message_capacity;
	struct tl_column schemas;
	struct tl_interner *categories; /* numbered from 1, by their text */
	struct tl_column category_list;
	uint32_t category_count;

	struct tl_id_map string_keys;
	uint64_t *string_numbers;
	size_t string_capacity;
	struct tl_column strings;
	uint64_t string_count;

	struct tl_text scratch;
	bool started; /* what follows is known */
	int64_t base_ns;
	int64_t first_ns;
	int64_t last_ns;
	struct tl_event hole; /* before the first event */
};

/* A marker: of one event, or of both of a span. */
struct firefox_marker {
	const struct tl_event *begin; /* or instant */
	const struct tl_event *end;
	enum firefox_phase phase;
	bool lossy; /* entries were lost between the two */
};

/* strings.c: the number of a text that is new, or of an argument. */
int tl_firefox_string_add(struct firefox_write *w, struct tl_bytes string,
    uint64_t *number);
int tl_firefox_string(struct firefox_write *w, const struct tl_message *message,
    uint64_t string, uint64_t *number);

/* schema.c: the number of an event's message, whose schema is written
 * when it is new.  0, -ENOSPC, -errno. */
int tl_firefox_message(struct firefox_write *w, const struct tl_event *event,
    uint32_t *number);
/* The key of an argument. */
void tl_firefox_put_key(struct tl_text *text, struct tl_bytes name);
/* The schema of losses, the last one. */
void tl_firefox_put_lost_schema(struct tl_text *text);

/* thread.c: find the thread for the markers of an event, and the one for lost
 * entries.  Returns 0, -ENOSPC or -errno. */
int tl_firefox_thread(struct firefox_write *w, const struct tl_event *event,
    struct firefox_thread **thread);
int
tl_firefox_lost_thread(struct firefox_write *w, struct firefox_thread **thread);
/* After the last event: the first thread of a process, or the other. */
uint32_t
tl_firefox_main_thread(struct firefox_write *w, uint32_t pid, uint32_t other);
int tl_firefox_put_threads(struct firefox_write *w);
void tl_firefox_threads_free(struct firefox_write *w);

/* counter.c */
int tl_firefox_counter(struct firefox_write *w, const struct tl_event *event);
int tl_firefox_put_counters(struct firefox_write *w);
void tl_firefox_counters_free(struct firefox_write *w);

/* marker.c */
int
tl_firefox_marker(struct firefox_write *w, const struct firefox_marker *marker);
int tl_firefox_lost(struct firefox_write *w, const struct tl_event *event);
/* Milliseconds from the base. */
void
tl_firefox_put_time(struct firefox_write *w, struct tl_text *text, int64_t ns);

/* profile.c: write all members except threads and counters. */
int tl_firefox_put_head(struct firefox_write *w);

/* A string in quotes. */
void tl_firefox_put_text(struct tl_text *text, struct tl_bytes string);

#endif
