/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - tables, then indexes and views. */
#include "format/sqlite/schema.h"

const char tl_sqlite_tables[] =
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

const char tl_sqlite_views[] =
    "CREATE INDEX events_by_time ON events(ns);"
    "CREATE INDEX events_by_message ON events(message, ns);"
    "CREATE INDEX events_by_thread ON events(thread, ns);"
    "CREATE INDEX spans_by_message ON spans(message, duration_ns);"
    "CREATE INDEX spans_by_time ON spans(begin_ns);"
    "CREATE VIEW timeline AS SELECT e.id, " TIME " AS time, e.ns,"
    "  l.name AS level, m.category, k.name AS kind, m.line AS message,"
    "  m.name1, " SHOWN("1") " AS value1, m.name2, " SHOWN(
	"2") " AS value2,"
	     "  m.name3, " SHOWN("3") " AS value3, m.name4, " SHOWN(
		 "4") " AS value4,"
		      "  e.lost, t.pid, t.tid, e.cpu, s.machine, t.name AS "
		      "thread,"
		      "  t.process"
		      "  FROM events e LEFT JOIN messages m ON m.id = e.message"
		      "  LEFT JOIN sources s ON s.id = e.source"
		      "  LEFT JOIN levels l USING (level)"
		      "  LEFT JOIN kinds k ON k.kind = e.kind"
		      "  LEFT JOIN threads t ON t.id = e.thread ORDER BY e.id;"
		      "CREATE VIEW durations AS SELECT m.category, m.line AS "
		      "message,"
		      "  count(*) AS calls, sum(e.duration_ns) AS total_ns,"
		      "  min(e.duration_ns) AS min_ns,"
		      "  CAST(avg(e.duration_ns) AS INTEGER) AS mean_ns,"
		      "  max(e.duration_ns) AS max_ns"
		      "  FROM spans e JOIN messages m ON m.id = e.message"
		      "  WHERE e.end_ns IS NOT NULL AND NOT e.lossy"
		      "  GROUP BY e.message"
		      "  ORDER BY total_ns DESC;"
		      "CREATE VIEW counters AS SELECT " TIME
		      " AS time, e.ns, m.category,"
		      "  m.line AS message, t.pid, " SHOWN(
			  "1") " AS value,"
			       "  s.machine FROM events e"
			       "  LEFT JOIN sources s ON s.id = e.source"
			       "  JOIN messages m ON m.id = e.message"
			       "  JOIN threads t ON t.id = e.thread WHERE "
			       "e.kind = 4 ORDER BY e.id;"
			       "CREATE VIEW losses AS SELECT " TIME
			       " AS time, e.ns, e.cpu, e.lane,"
			       "  printf('%u', e.lost) AS lost, s.machine"
			       "  FROM events e"
			       "  LEFT JOIN sources s ON s.id = e.source"
			       "  WHERE e.kind = 5"
			       "  ORDER BY e.id;"
			       "PRAGMA user_version = 1;"
			       "COMMIT;";

const char tl_sqlite_event[] =
    "INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
    "?,?)";
const char tl_sqlite_message[] =
    "INSERT INTO messages VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
const char tl_sqlite_thread[] = "INSERT INTO threads VALUES "
				"(?,?,?,?,?,?,?,?,?)";
const char tl_sqlite_span[] =
    "INSERT INTO spans VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
const char tl_sqlite_source[] = "INSERT INTO sources VALUES (?,?,?,?)";
const char tl_sqlite_info[] = "INSERT INTO info VALUES (?,?)";
