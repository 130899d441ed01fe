/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - a row for each event, span, message and thread.
 *
 * The row of an event is inserted when the event comes, the row of a message
 * with its first event, the row of a span with its end, the row of a thread at
 * the end.  Indexes are made last, which is faster than updating them.
 */
#include "format/sqlite/write.h"

#include "base/array.h"
#include "base/table.h"
#include "event/hosts/hosts.h"
#include "event/reader.h"
#include "event/spans.h"
#include "format/label.h"
#include "format/sqlite/row.h"
#include "format/sqlite/schema.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <timeline.h>
#include <unistd.h>

enum { NOT_A_NUMBER };

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[NOT_A_NUMBER] = { -ENOTSUP,
	    "SQLite has no double that is not a number: NULL is written" },
};

enum { EVENTS, MESSAGES, THREADS, SPANS, INFO, SOURCES, STATEMENTS };

struct thread {
	uint32_t pid;
	uint32_t tid;
	int64_t first_ns;
	int64_t last_ns;
	uint64_t events;
	uint16_t source; /* first source of its host */
	const struct tl_names *names;
};

struct sqlite_write {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_sqlite sqlite;
	sqlite3_stmt *statements[STATEMENTS];
	struct tl_labels labels;
	struct tl_id_map messages;
	struct tl_id_map thread_keys;
	struct thread *threads;
	size_t thread_capacity;
	struct tl_fleet_hosts hosts;
	uint64_t events;
	size_t sources; /* sources of events, or described */
};

static void
bind_value(struct sqlite_write *w, sqlite3_stmt *row, int column,
    const struct tl_message *message, unsigned i, const uint64_t *value)
{
	if (!tl_sqlite_bind_value(row, column, message, i, value))
		tl_note(&w->writer.notes, NOT_A_NUMBER, TL_FAULT_NOWHERE);
}

static const char *
format_name(unsigned format)
{
	static const char *const names[] = {
		[TIMELINE_ARG_UNSIGNED] = "unsigned",
		[TIMELINE_ARG_SIGNED] = "signed",
		[TIMELINE_ARG_HEX] = "hex",
		[TIMELINE_ARG_DOUBLE] = "double",
		[TIMELINE_ARG_DURATION] = "duration",
		[TIMELINE_ARG_STRING] = "string",
		[TIMELINE_ARG_TEXT8] = "string",
	};

	return names[format <= TIMELINE_ARG_TEXT8 ? format : 0];
}

static int
insert_message(struct sqlite_write *w, const struct tl_message *message,
    uint16_t source, uint32_t id)
{
	sqlite3_stmt *row = w->statements[MESSAGES];

	tl_sqlite_bind_integer(row, MESSAGE_ID, id);
	tl_sqlite_bind_integer(row, MESSAGE_SOURCE, source);
	tl_sqlite_bind_bytes(row, MESSAGE_CATEGORY, message->category);
	tl_sqlite_bind_bytes(row, MESSAGE_LINE, message->line1);
	tl_sqlite_bind_some(row, MESSAGE_EXPLANATION, message->explain);
	tl_sqlite_bind_word(row, MESSAGE_KIND,
	    tl_record_kind_name(message->kind));
	tl_sqlite_bind_integer(row, MESSAGE_LEVEL, message->level);
	if (message->kind == TIMELINE_RECORD_SPAN)
		tl_sqlite_bind_word(row, MESSAGE_SCOPE,
		    message->scope == TIMELINE_SOURCE ? "source" : "thread");
	if (message->file.size > 0) {
		tl_sqlite_bind_bytes(row, MESSAGE_FILE, message->file);
		tl_sqlite_bind_integer(row, MESSAGE_FILE_LINE, message->line);
	}
	for (unsigned i = 0; i < message->argc; i++) {
		tl_sqlite_bind_bytes(row, MESSAGE_ARG + 2 * (int)i,
		    message->args[i].name);
		tl_sqlite_bind_word(row, MESSAGE_ARG + 2 * (int)i + 1,
		    format_name(message->args[i].format));
	}
	return tl_sqlite_insert(&w->sqlite, row);
}

/*
 * Find the number of an event's message by its name, counted from 1; insert the
 * row of a new message.
 */
static int
find_message(struct sqlite_write *w, const struct tl_event *event, uint32_t *id)
{
	const struct tl_message *message = tl_labels_get(&w->labels, event);
	const struct tl_id_key key = { (uintptr_t)message, event->source };
	const int rc = tl_id_map_get(&w->messages, key, id);

	++*id;
	return rc > 0 ? insert_message(w, message, event->source, *id) : rc;
}

/*
 * Find the number of an event's thread, counted from 1.  Several hosts may have
 * threads of equal ids.
 */
static int
find_thread(struct sqlite_write *w, const struct tl_event *event, uint32_t *id)
{
	const struct tl_id_key key = { (uint64_t)event->pid << 32 | event->tid,
		tl_fleet_host_of(&w->hosts, event) };
	int rc = tl_id_map_get(&w->thread_keys, key, id);

	if (rc > 0) {
		rc = TL_ARRAY_ZEROS(w->threads, w->thread_capacity, *id);
		if (rc < 0)
			return rc;
		w->threads[*id] = (struct thread){ .pid = event->pid,
			.tid = event->tid,
			.first_ns = event->ns,
			.last_ns = event->ns,
			.source = event->source,
			.names = tl_event_names(event) };
	}
	++*id;
	return rc;
}

static void
count_event(struct thread *thread, int64_t ns)
{
	if (ns < thread->first_ns)
		thread->first_ns = ns;
	if (ns > thread->last_ns)
		thread->last_ns = ns;
	thread->events++;
}

static int
insert_span(struct sqlite_write *w, const struct tl_span *span, bool ended)
{
	sqlite3_stmt *row = w->statements[SPANS];
	struct tl_event begin = { .ns = span->begin_ns,
		.message = span->message,
		.pid = span->pid,
		.tid = span->tid,
		.source = span->source };
	uint32_t message, thread;
	int rc;

	memcpy(begin.args, span->args, sizeof(begin.args));
	begin.bare = span->bare;
	if ((rc = find_message(w, &begin, &message)) < 0 ||
	    (rc = find_thread(w, &begin, &thread)) < 0)
		return rc;
	tl_sqlite_bind_integer(row, SPAN_MESSAGE, message);
	tl_sqlite_bind_integer(row, SPAN_THREAD, thread);
	tl_sqlite_bind_integer(row, SPAN_BEGIN_NS, (uint64_t)span->begin_ns);
	if (ended) {
		tl_sqlite_bind_integer(row, SPAN_END_NS,
		    (uint64_t)span->end_ns);
		tl_sqlite_bind_integer(row, SPAN_DURATION_NS,
		    (uint64_t)span->duration_ns);
		tl_sqlite_bind_cpu(row, SPAN_END_CPU, span->end_cpu);
	}
	tl_sqlite_bind_integer(row, SPAN_DEPTH, span->depth);
	tl_sqlite_bind_integer(row, SPAN_NESTING, span->nesting);
	tl_sqlite_bind_cpu(row, SPAN_BEGIN_CPU, span->begin_cpu);
	tl_sqlite_bind_integer(row, SPAN_LOSSY, span->lossy);
	tl_sqlite_bind_integer(row, SPAN_CUT, span->cut);
	for (unsigned i = 0; i < span->message->argc && !span->bare; i++)
		bind_value(w, row, SPAN_VALUE + (int)i, span->message, i,
		    &span->args[i]);
	return tl_sqlite_insert(&w->sqlite, row);
}

/* Bind the columns that events have and losses do not. */
static int
bind_event(struct sqlite_write *w, sqlite3_stmt *row,
    const struct tl_event *event)
{
	const struct tl_message *message = event->message;
	const unsigned argc = tl_event_has_args(event) ? message->argc : 0;
	uint32_t id, thread;
	int rc;

	if ((rc = find_message(w, event, &id)) < 0 ||
	    (rc = find_thread(w, event, &thread)) < 0)
		return rc;
	count_event(&w->threads[thread - 1], event->ns);
	tl_sqlite_bind_integer(row, EVENT_MESSAGE, id);
	tl_sqlite_bind_integer(row, EVENT_THREAD, thread);
	tl_sqlite_bind_integer(row, EVENT_NUMBER, event->number);
	for (unsigned i = 0; i < argc; i++)
		bind_value(w, row, EVENT_VALUE + (int)i, message, i,
		    &event->args[i]);
	return 0;
}

static int
insert_event(struct sqlite_write *w, const struct tl_event *event)
{
	sqlite3_stmt *row = w->statements[EVENTS];
	const int rc = event->message ? bind_event(w, row, event) : 0;

	if (rc < 0)
		return rc;
	if (event->source >= w->sources)
		w->sources = event->source + 1u;
	tl_sqlite_bind_integer(row, EVENT_ID, ++w->events);
	tl_sqlite_bind_integer(row, EVENT_NS, (uint64_t)event->ns);
	tl_sqlite_bind_integer(row, EVENT_KIND,
	    event->overwritten ? KIND_OVERWRITTEN : event->kind);
	tl_sqlite_bind_cpu(row, EVENT_CPU, event->cpu);
	if (!event->message)
		tl_sqlite_bind_integer(row,
		    event->overwritten ? EVENT_OVERWRITTEN : EVENT_LOST,
		    event->lost);
	tl_sqlite_bind_integer(row, EVENT_TSC, event->tsc);
	tl_sqlite_bind_integer(row, EVENT_LANE, event->lane);
	tl_sqlite_bind_integer(row, EVENT_EPOCH, event->epoch);
	tl_sqlite_bind_integer(row, EVENT_ERROR_NS, event->error_ns);
	tl_sqlite_bind_integer(row, EVENT_SOURCE, event->source);
	if (event->sync_us != TL_SYNC_UNBOUNDED)
		tl_sqlite_bind_integer(row, EVENT_SYNC_ERROR_US,
		    event->sync_us);
	tl_sqlite_bind_integer(row, EVENT_OVERLAPS, event->overlaps);
	tl_sqlite_bind_integer(row, EVENT_BARE, event->bare);
	return tl_sqlite_insert(&w->sqlite, row);
}

static int
sqlite_put(struct tl_writer *writer, const struct tl_event *event)
{
	struct sqlite_write *w = (void *)writer;
	const struct tl_span *span = writer->span;
	struct tl_event whole = *event;
	int rc;

	if (span)
		tl_span_complete(span, &whole);
	rc = insert_event(w, &whole);
	return rc == 0 && span ? insert_span(w, span, true) : rc;
}

static int
sqlite_put_lonely(struct tl_writer *writer, const struct tl_span *span)
{
	return insert_span((void *)writer, span, false);
}

static int
insert_threads(struct sqlite_write *w)
{
	sqlite3_stmt *row = w->statements[THREADS];
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->thread_keys.count; i++) {
		const struct thread *thread = &w->threads[i];

		tl_sqlite_bind_integer(row, THREAD_ID, i + 1);
		tl_sqlite_bind_integer(row, THREAD_PID, thread->pid);
		tl_sqlite_bind_integer(row, THREAD_TID, thread->tid);
		tl_sqlite_bind_integer(row, THREAD_FIRST_NS,
		    (uint64_t)thread->first_ns);
		tl_sqlite_bind_integer(row, THREAD_LAST_NS,
		    (uint64_t)thread->last_ns);
		tl_sqlite_bind_integer(row, THREAD_EVENTS, thread->events);
		tl_sqlite_bind_integer(row, THREAD_SOURCE, thread->source);
		tl_sqlite_bind_some(row, THREAD_NAME,
		    tl_names_thread(thread->names, thread->pid, thread->tid));
		tl_sqlite_bind_some(row, THREAD_PROCESS,
		    tl_names_process(thread->names, thread->pid));
		rc = tl_sqlite_insert(&w->sqlite, row);
	}
	return rc;
}

static int
insert_info(struct sqlite_write *w, const char *name, const char *value)
{
	sqlite3_stmt *row = w->statements[INFO];

	if (value[0] == '\0')
		return 0;
	tl_sqlite_bind_word(row, 1, name);
	tl_sqlite_bind_word(row, 2, value);
	return tl_sqlite_insert(&w->sqlite, row);
}

static int
insert_origin(struct sqlite_write *w)
{
	sqlite3_stmt *row = w->statements[INFO];
	int rc;

	if ((rc = insert_info(w, "writer", "timeline")) < 0 ||
	    (rc = insert_info(w, "machine", w->writer.facts.origin.machine)) <
		0 ||
	    (rc = insert_info(w, "command", w->writer.facts.origin.command)) <
		0 ||
	    w->writer.facts.origin.pid == 0)
		return rc;
	tl_sqlite_bind_word(row, 1, "pid");
	tl_sqlite_bind_integer(row, 2, w->writer.facts.origin.pid);
	return tl_sqlite_insert(&w->sqlite, row);
}

static int
insert_source(struct sqlite_write *w, size_t i)
{
	const struct tl_event any = { .source = (uint16_t)i };
	const struct tl_origin *source = tl_writer_source(&w->writer, &any);
	sqlite3_stmt *row = w->statements[SOURCES];
	char boot_id[TL_ORIGIN_BOOT_SIZE];

	tl_origin_boot_text(source->boot_id, boot_id);
	tl_sqlite_bind_integer(row, SOURCE_ID, i);
	tl_sqlite_bind_some(row, SOURCE_MACHINE, tl_bytes_of(source->machine));
	tl_sqlite_bind_some(row, SOURCE_TIMELINE,
	    tl_bytes_of(source->timeline));
	tl_sqlite_bind_some(row, SOURCE_BOOT_ID, tl_bytes_of(boot_id));
	return tl_sqlite_insert(&w->sqlite, row);
}

static int
insert_sources(struct sqlite_write *w)
{
	int rc = 0;

	for (size_t i = 0; i < w->sources && rc == 0; i++)
		rc = insert_source(w, i);
	return rc;
}

static int
sqlite_begin(struct tl_writer *writer)
{
	struct sqlite_write *w = (void *)writer;

	w->sources = writer->facts.source_count;
	return tl_fleet_hosts_find(&w->hosts, writer);
}

static int
sqlite_end(struct tl_writer *writer)
{
	struct sqlite_write *w = (void *)writer;
	int rc;

	if ((rc = insert_threads(w)) < 0 || (rc = insert_origin(w)) < 0 ||
	    (rc = insert_sources(w)) < 0 ||
	    (rc = tl_sqlite_run(&w->sqlite, tl_sqlite_views)) < 0)
		return rc;
	return 0;
}

static void
sqlite_free(struct tl_writer *writer)
{
	struct sqlite_write *w = (void *)writer;

	for (unsigned i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(w->statements[i]);
	sqlite3_close(w->sqlite.db);
	tl_fleet_hosts_free(&w->hosts);
	tl_id_map_free(&w->messages);
	tl_labels_free(&w->labels);
	tl_id_map_free(&w->thread_keys);
	free(w->threads);
}

static int
prepare(struct sqlite_write *w)
{
	static const char *const rows[STATEMENTS] = { [EVENTS] =
							  tl_sqlite_event,
		[MESSAGES] = tl_sqlite_message,
		[THREADS] = tl_sqlite_thread,
		[SPANS] = tl_sqlite_span,
		[INFO] = tl_sqlite_info,
		[SOURCES] = tl_sqlite_source };
	int rc = tl_sqlite_run(&w->sqlite, tl_sqlite_tables);

	for (unsigned i = 0; rc == 0 && i < STATEMENTS; i++) {
		const int code = sqlite3_prepare_v3(w->sqlite.db, rows[i], -1,
		    SQLITE_PREPARE_PERSISTENT, &w->statements[i], NULL);

		if (code != SQLITE_OK)
			rc = tl_sqlite_fail(&w->sqlite, code);
	}
	return rc;
}

/*
 * Create an empty file first, because SQLite would add to an existing file.  A
 * path that begins with a colon is not a file to SQLite.
 */
static int
open_new(struct sqlite_write *w, const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct tl_text name = { 0 };
	int code;

	if (fd < 0)
		return -errno;
	close(fd);
	tl_put_string(&name, path[0] == ':' ? "./" : "");
	tl_put_string(&name, path);
	code = sqlite3_open_v2(tl_text_string(&name), &w->sqlite.db,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	tl_text_free(&name);
	if (!w->sqlite.db)
		return -ENOMEM;
	return code == SQLITE_OK ? prepare(w)
				 : tl_sqlite_fail(&w->sqlite, code);
}

static const struct tl_writer_kind sqlite_kind = { .begin = sqlite_begin,
	.put = sqlite_put,
	.end = sqlite_end,
	.pairs = true,
	.put_lonely = sqlite_put_lonely,
	.notes = kinds,
	.free = sqlite_free };

int
tl_sqlite_write_new(struct tl_writer **writer, const char *path,
    const struct tl_report *report)
{
	struct sqlite_write *w;
	int rc = tl_writer_make(writer, sizeof(*w), &sqlite_kind, NULL, NULL,
	    report);

	if (rc < 0)
		return rc;
	w = (void *)*writer;
	w->sqlite.report = report;
	if ((rc = open_new(w, path)) < 0)
		tl_writer_free(*writer);
	return rc;
}
