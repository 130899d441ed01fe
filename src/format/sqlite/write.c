/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - a row for each event, span, message and thread; tables, then
 * indexes and views.
 *
 * The row of an event is inserted when the event comes, the row of a message
 * with its first event, the row of a span with its end, the row of a thread at
 * the end.  Indexes are made last, which is faster than updating them.
 */
#include "format/sqlite/write.h"

#include "base/array.h"
#include "base/table.h"
#include "base/utf8.h"
#include "event/hosts/hosts.h"
#include "event/reader.h"
#include "event/spans.h"
#include "format/label.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <timeline.h>
#include <unistd.h>

/* == the SQL == */

static const char tables[] =
    "PRAGMA journal_mode = OFF;"
    "PRAGMA synchronous = OFF;"
    "PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA cache_size = -32768;"
    "BEGIN;"
    "CREATE TABLE info(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE kinds(kind INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "INSERT INTO kinds VALUES (1, 'instant'), (2, 'begin'), (3, 'end'),"
    "  (4, 'counter'), (5, 'lost'), (6, 'overwritten');"
    "CREATE TABLE levels(level INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "INSERT INTO levels VALUES (0, 'off'), (1, 'trace+++'), (2, 'trace++'),"
    "  (3, 'trace+'), (4, 'trace'), (5, 'debug'), (6, 'info'),"
    "  (7, 'warning'), (8, 'error'), (9, 'fatal');"
    "CREATE TABLE messages("
    "  id INTEGER PRIMARY KEY,"
    "  source INTEGER NOT NULL," /* number of the input */
    "  category NOT NULL,"
    "  line NOT NULL,"
    "  explanation,"
    "  kind TEXT NOT NULL," /* instant, span, counter */
    "  level INTEGER NOT NULL REFERENCES levels,"
    "  scope TEXT," /* spans: thread, source */
    "  file, file_line INTEGER,"
    "  name1 TEXT, format1 TEXT, name2 TEXT, format2 TEXT,"
    "  name3 TEXT, format3 TEXT, name4 TEXT, format4 TEXT);"
    "CREATE TABLE threads("
    "  id INTEGER PRIMARY KEY,"
    "  pid INTEGER NOT NULL,"
    "  tid INTEGER NOT NULL,"
    "  first_ns INTEGER NOT NULL,"
    "  last_ns INTEGER NOT NULL,"
    "  events INTEGER NOT NULL,"
    "  source INTEGER NOT NULL REFERENCES sources," /* first of host */
    "  name TEXT, process TEXT);"                   /* NULL: unknown */
    "CREATE TABLE events("
    "  id INTEGER PRIMARY KEY,"
    "  ns INTEGER NOT NULL,"
    "  kind INTEGER NOT NULL REFERENCES kinds,"
    "  message INTEGER REFERENCES messages,"
    "  thread INTEGER REFERENCES threads,"
    "  cpu INTEGER,"
    "  value1, value2, value3, value4,"
    "  lost INTEGER,"
    "  tsc INTEGER NOT NULL,"
    "  number INTEGER,"
    "  lane INTEGER NOT NULL,"
    "  epoch INTEGER NOT NULL,"
    "  error_ns INTEGER NOT NULL,"
    "  source INTEGER NOT NULL REFERENCES sources,"
    "  sync_error_us INTEGER," /* NULL: unknown */
    "  overlaps INTEGER NOT NULL,"
    "  overwritten INTEGER,"
    "  bare INTEGER NOT NULL);" /* an end; its values are the begin's */
    "CREATE TABLE sources("
    "  id INTEGER PRIMARY KEY,"
    "  machine TEXT, timeline TEXT, boot_id TEXT);"
    "CREATE TABLE spans("
    "  id INTEGER PRIMARY KEY,"
    "  message INTEGER NOT NULL REFERENCES messages,"
    "  thread INTEGER NOT NULL REFERENCES threads,"
    "  begin_ns INTEGER NOT NULL,"
    "  end_ns INTEGER," /* NULL: open */
    "  duration_ns INTEGER,"
    "  depth INTEGER NOT NULL,"
    "  nesting INTEGER NOT NULL,"
    "  begin_cpu INTEGER, end_cpu INTEGER,"
    "  lossy INTEGER NOT NULL,"
    "  value1, value2, value3, value4,"
    "  cut INTEGER NOT NULL);";

/* The value of an argument in its format; reals, texts and blobs stay. */
#define SHOWN(i) \
	"CASE WHEN e.value" i " IS NULL THEN NULL" \
	" WHEN m.format" i " = 'unsigned' THEN printf('%u', e.value" i ")" \
	" WHEN m.format" i " = 'hex' THEN printf('0x%x', e.value" i ")" \
	" ELSE e.value" i " END"

/* Nanoseconds behind the whole second, also before 1970. */
#define REST_NS "(((e.ns % 1000000000) + 1000000000) % 1000000000)"
#define TIME \
	"strftime('%Y-%m-%dT%H:%M:%S', (e.ns - " REST_NS ") / 1000000000," \
	" 'unixepoch') || printf('.%09dZ', " REST_NS ")"

/* clang-format off */
static const char views[] =
    "CREATE INDEX events_by_time ON events(ns);"
    "CREATE INDEX events_by_message ON events(message, ns);"
    "CREATE INDEX events_by_thread ON events(thread, ns);"
    "CREATE INDEX spans_by_message ON spans(message, duration_ns);"
    "CREATE INDEX spans_by_time ON spans(begin_ns);"
    "CREATE VIEW timeline AS SELECT e.id, " TIME " AS time, e.ns,"
    "  l.name AS level, m.category, k.name AS kind, m.line AS message,"
    "  m.name1, " SHOWN("1") " AS value1, m.name2, " SHOWN("2") " AS value2,"
    "  m.name3, " SHOWN("3") " AS value3, m.name4, " SHOWN("4") " AS value4,"
    "  e.lost, t.pid, t.tid, e.cpu, s.machine, t.name AS thread,"
    "  t.process"
    "  FROM events e LEFT JOIN messages m ON m.id = e.message"
    "  LEFT JOIN sources s ON s.id = e.source"
    "  LEFT JOIN levels l USING (level)"
    "  LEFT JOIN kinds k ON k.kind = e.kind"
    "  LEFT JOIN threads t ON t.id = e.thread ORDER BY e.id;"
    "CREATE VIEW durations AS SELECT m.category, m.line AS message,"
    "  count(*) AS calls, sum(e.duration_ns) AS total_ns,"
    "  min(e.duration_ns) AS min_ns,"
    "  CAST(avg(e.duration_ns) AS INTEGER) AS mean_ns,"
    "  max(e.duration_ns) AS max_ns"
    "  FROM spans e JOIN messages m ON m.id = e.message"
    "  WHERE e.end_ns IS NOT NULL AND NOT e.lossy"
    "  GROUP BY e.message"
    "  ORDER BY total_ns DESC;"
    "CREATE VIEW counters AS SELECT " TIME " AS time, e.ns, m.category,"
    "  m.line AS message, t.pid, " SHOWN("1") " AS value,"
    "  s.machine FROM events e"
    "  LEFT JOIN sources s ON s.id = e.source"
    "  JOIN messages m ON m.id = e.message"
    "  JOIN threads t ON t.id = e.thread WHERE e.kind = 4 ORDER BY e.id;"
    "CREATE VIEW losses AS SELECT " TIME " AS time, e.ns, e.cpu, e.lane,"
    "  printf('%u', e.lost) AS lost, s.machine"
    "  FROM events e"
    "  LEFT JOIN sources s ON s.id = e.source"
    "  WHERE e.kind = 5"
    "  ORDER BY e.id;"
    "PRAGMA user_version = 1;"
    "COMMIT;";
/* clang-format on */

enum { EVENTS, MESSAGES, THREADS, SPANS, INFO, SOURCES, STATEMENTS };

/* Insertions of one row. */
static const char *const insertions[STATEMENTS] = {
	[EVENTS] = "INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
		   "?,?,?,?,?)",
	[MESSAGES] = "INSERT INTO messages VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
		     "?,?,?,?)",
	[THREADS] = "INSERT INTO threads VALUES (?,?,?,?,?,?,?,?,?)",
	[SPANS] = "INSERT INTO spans VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
		  "?)",
	[INFO] = "INSERT INTO info VALUES (?,?)",
	[SOURCES] = "INSERT INTO sources VALUES (?,?,?,?)",
};

enum { KIND_OVERWRITTEN = 6 };

enum { NOT_A_NUMBER };

static const struct tl_note_kind kinds[TL_NOTES_MAX] = {
	[NOT_A_NUMBER] = { -ENOTSUP,
	    "SQLite has no double that is not a number: NULL is written" },
};

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
	sqlite3 *db;
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

/* == rows == */

/*
 * Report the error of SQLite's last call, which returned code, unless the error
 * is one of the system.  Return -errno.
 */
static int
fail(const struct sqlite_write *w, int code)
{
	int system = 0;

	sqlite3_file_control(w->db, "main", SQLITE_FCNTL_LAST_ERRNO, &system);
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_IOERR:
		if (system > 0) /* the caller says it as for other formats */
			return -system;
	}
	tl_report_write(w->writer.report, -EIO, TL_FAULT_NOWHERE, "SQLite: %s",
	    sqlite3_errmsg(w->db));
	return -EIO;
}

static int
run(const struct sqlite_write *w, const char *sql)
{
	const int code = sqlite3_exec(w->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : fail(w, code);
}

/*
 * A value of a row.  Numbers of 2^63 and above become negative numbers with the
 * same bits.  Bytes must stay valid until the row is inserted.
 */
struct cell {
	enum { NOTHING, NUMBER, REAL, TEXT } kind; /* NOTHING is NULL */
	uint64_t bits;
	struct tl_bytes text;
};

static struct cell
number(uint64_t n)
{
	return (struct cell){ .kind = NUMBER, .bits = n };
}

static struct cell
text(struct tl_bytes bytes)
{
	return (struct cell){ .kind = TEXT, .text = bytes };
}

/* A text, or NULL if it is empty. */
static struct cell
some(struct tl_bytes bytes)
{
	return bytes.size > 0 ? text(bytes) : (struct cell){ .kind = NOTHING };
}

static struct cell
word(const char *string)
{
	return text(tl_bytes_of(string));
}

static struct cell
cpu_of(uint32_t cpu)
{
	return cpu != TL_CPU_UNKNOWN ? number(cpu)
				     : (struct cell){ .kind = NOTHING };
}

/* The values of arguments in their formats; SQLite stores NULL for a NaN. */
static void
set_values(struct sqlite_write *w, struct cell cells[TL_ARGS_MAX],
    const struct tl_message *message, const uint64_t *args)
{
	for (unsigned i = 0; i < message->argc; i++) {
		struct tl_bytes string = { 0 };

		cells[i] = number(args[i]);
		if (tl_arg_is_text(&message->args[i]))
			string = tl_message_text(message, i, &args[i]);
		if (string.data)
			cells[i] = text(string);
		if (message->args[i].format != TIMELINE_ARG_DOUBLE)
			continue;
		cells[i].kind = REAL;
		if (isnan(tl_double_of(args[i])))
			tl_note(&w->writer.notes, NOT_A_NUMBER,
			    TL_FAULT_NOWHERE);
	}
}

static bool
is_text(struct tl_bytes bytes)
{
	return tl_utf8_valid(bytes) == bytes.size &&
	       (bytes.size == 0 || !memchr(bytes.data, '\0', bytes.size));
}

/* Insert a row: 0, -errno.  Bytes that are no text become a blob. */
static int
insert(struct sqlite_write *w, unsigned statement, const struct cell *cells,
    size_t count)
{
	sqlite3_stmt *row = w->statements[statement];
	int code;

	for (size_t i = 0; i < count; i++) {
		const struct tl_bytes bytes = cells[i].text;
		const char *data = bytes.data ? bytes.data : "";
		const int column = (int)i + 1;

		switch (cells[i].kind) {
		case NOTHING:
			break;
		case NUMBER:
			sqlite3_bind_int64(row, column, (int64_t)cells[i].bits);
			break;
		case REAL:
			sqlite3_bind_double(row, column,
			    tl_double_of(cells[i].bits));
			break;
		case TEXT:
			if (is_text(bytes))
				sqlite3_bind_text64(row, column, data,
				    bytes.size, SQLITE_STATIC, SQLITE_UTF8);
			else
				sqlite3_bind_blob64(row, column, data,
				    bytes.size, SQLITE_STATIC);
			break;
		}
	}
	code = sqlite3_step(row);
	if (code != SQLITE_DONE)
		return fail(w, code);
	sqlite3_reset(row);
	sqlite3_clear_bindings(row);
	return 0;
}

#define INSERT(w, statement, cells) \
	insert((w), (statement), (cells), TL_COUNT(cells))

/*
 * Find the number of an event's message by its name, counted from 1; insert the
 * row of a new message.
 */
static int
find_message(struct sqlite_write *w, const struct tl_event *event, uint32_t *id)
{
	const struct tl_message *m = tl_labels_get(&w->labels, event);
	const struct tl_id_key key = { (uintptr_t)m, event->source };
	const int rc = tl_id_map_get(&w->messages, key, id);
	enum { SCOPE = 7, FILE_NAME, FILE_LINE, ARG };

	++*id;
	if (rc <= 0)
		return rc;

	struct cell cells[ARG + 2 * TL_ARGS_MAX] = { number(*id),
		number(event->source), text(m->category), text(m->line1),
		some(m->explain), word(tl_record_kind_name(m->kind)),
		number(m->level) };

	if (m->kind == TIMELINE_RECORD_SPAN)
		cells[SCOPE] =
		    word(m->scope == TIMELINE_SOURCE ? "source" : "thread");
	if (m->file.size > 0) {
		cells[FILE_NAME] = text(m->file);
		cells[FILE_LINE] = number(m->line);
	}
	for (unsigned i = 0; i < m->argc; i++) {
		cells[ARG + 2 * i] = text(m->args[i].name);
		cells[ARG + 2 * i + 1] =
		    word(tl_arg_format_name(m->args[i].format));
	}
	return INSERT(w, MESSAGES, cells);
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

static int
insert_span(struct sqlite_write *w, const struct tl_span *span, bool ended)
{
	struct tl_event begin = { .ns = span->begin_ns,
		.message = span->message,
		.pid = span->pid,
		.tid = span->tid,
		.source = span->source };
	struct cell v[TL_ARGS_MAX] = { { .kind = NOTHING } },
		    end = { .kind = NOTHING };
	uint32_t message, thread;
	int rc;

	memcpy(begin.args, span->args, sizeof(begin.args));
	begin.bare = span->bare;
	if ((rc = find_message(w, &begin, &message)) < 0 ||
	    (rc = find_thread(w, &begin, &thread)) < 0)
		return rc;
	if (!span->bare)
		set_values(w, v, span->message, span->args);
	if (ended)
		end = number((uint64_t)span->end_ns);

	const struct cell cells[] = { number(message), number(thread),
		number((uint64_t)span->begin_ns), end,
		ended ? number((uint64_t)span->duration_ns) : end,
		number(span->depth), number(span->nesting),
		cpu_of(span->begin_cpu), ended ? cpu_of(span->end_cpu) : end,
		number(span->lossy), v[0], v[1], v[2], v[3],
		number(span->cut) };

	return INSERT(w, SPANS, cells);
}

static int
insert_event(struct sqlite_write *w, const struct tl_event *e)
{
	const struct cell lost = number(e->lost), null = { .kind = NOTHING };
	const bool is_lost = !e->message;
	struct cell v[TL_ARGS_MAX] = { { .kind = NOTHING } };
	uint32_t id = 0, thread = 0;
	struct thread *t;
	int rc;

	if (!is_lost) {
		if ((rc = find_message(w, e, &id)) < 0 ||
		    (rc = find_thread(w, e, &thread)) < 0)
			return rc;
		t = &w->threads[thread - 1];
		if (e->ns < t->first_ns)
			t->first_ns = e->ns;
		if (e->ns > t->last_ns)
			t->last_ns = e->ns;
		t->events++;
		if (tl_event_has_args(e))
			set_values(w, v, e->message, e->args);
	}
	if (e->source >= w->sources)
		w->sources = e->source + 1u;

	const struct cell cells[] = { number(++w->events),
		number((uint64_t)e->ns),
		number(e->overwritten ? KIND_OVERWRITTEN : e->kind),
		is_lost ? null : number(id), is_lost ? null : number(thread),
		cpu_of(e->cpu), v[0], v[1], v[2], v[3],
		is_lost && !e->overwritten ? lost : null, number(e->tsc),
		is_lost ? null : number(e->number), number(e->lane),
		number(e->epoch), number(e->error_ns), number(e->source),
		e->sync_us != TL_SYNC_UNBOUNDED ? number(e->sync_us) : null,
		number(e->overlaps), is_lost && e->overwritten ? lost : null,
		number(e->bare) };

	return INSERT(w, EVENTS, cells);
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
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < w->thread_keys.count; i++) {
		const struct thread *t = &w->threads[i];
		const struct cell cells[] = { number(i + 1), number(t->pid),
			number(t->tid), number((uint64_t)t->first_ns),
			number((uint64_t)t->last_ns), number(t->events),
			number(t->source),
			some(tl_names_thread(t->names, t->pid, t->tid)),
			some(tl_names_process(t->names, t->pid)) };

		rc = INSERT(w, THREADS, cells);
	}
	return rc;
}

static int
insert_origin(struct sqlite_write *w)
{
	const struct tl_origin *o = &w->writer.facts.origin;
	const struct cell rows[][2] = { { word("writer"), word("timeline") },
		{ word("machine"), some(tl_bytes_of(o->machine)) },
		{ word("command"), some(tl_bytes_of(o->command)) },
		{ word("pid"), o->pid != 0
				   ? number(o->pid)
				   : (struct cell){ .kind = NOTHING } } };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < TL_COUNT(rows); i++)
		if (rows[i][1].kind != NOTHING)
			rc = INSERT(w, INFO, rows[i]);
	return rc;
}

static int
insert_sources(struct sqlite_write *w)
{
	int rc = 0;

	for (size_t i = 0; i < w->sources && rc == 0; i++) {
		const struct tl_event any = { .source = (uint16_t)i };
		const struct tl_origin *o = tl_writer_source(&w->writer, &any);
		char boot_id[TL_ORIGIN_BOOT_SIZE];

		tl_origin_boot_text(o->boot_id, boot_id);

		const struct cell cells[] = { number(i),
			some(tl_bytes_of(o->machine)),
			some(tl_bytes_of(o->timeline)),
			some(tl_bytes_of(boot_id)) };

		rc = INSERT(w, SOURCES, cells);
	}
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
	    (rc = insert_sources(w)) < 0 || (rc = run(w, views)) < 0)
		return rc;
	return 0;
}

static void
sqlite_free(struct tl_writer *writer)
{
	struct sqlite_write *w = (void *)writer;

	for (unsigned i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(w->statements[i]);
	sqlite3_close(w->db);
	tl_fleet_hosts_free(&w->hosts);
	tl_id_map_free(&w->messages);
	tl_labels_free(&w->labels);
	tl_id_map_free(&w->thread_keys);
	free(w->threads);
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
	int code, rc;

	if (fd < 0)
		return -errno;
	close(fd);
	tl_put_string(&name, path[0] == ':' ? "./" : "");
	tl_put_string(&name, path);
	code = sqlite3_open_v2(tl_text_string(&name), &w->db,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	tl_text_free(&name);
	if (!w->db)
		return -ENOMEM;
	if (code != SQLITE_OK)
		return fail(w, code);
	rc = run(w, tables);
	for (unsigned i = 0; rc == 0 && i < STATEMENTS; i++) {
		code = sqlite3_prepare_v3(w->db, insertions[i], -1,
		    SQLITE_PREPARE_PERSISTENT, &w->statements[i], NULL);

		if (code != SQLITE_OK)
			rc = fail(w, code);
	}
	return rc;
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
	if ((rc = open_new(w, path)) < 0)
		tl_writer_free(*writer);
	return rc;
}
