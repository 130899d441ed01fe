/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.c - the content of a database, read by SQLite itself. */
#include "format/sqlite/write.h"

#include "lib/test.h"
#include "lib/viewers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static char path[64];
static char said[TL_FAULT_TEXT_MAX];
static unsigned said_count;
static struct tl_writer *writer;

static void
hear(void *context, const struct tl_fault *fault)
{
	(void)context;
	said_count++;
	strcpy(said, fault->text);
}

static const struct tl_report report = { hear, NULL };

static void
setup(void)
{
	snprintf(path, sizeof(path), "/tmp/tl-sqlite-%d.db", (int)getpid());
	said_count = 0;
	ck_assert_ok(tl_sqlite_write_new(&writer, path, &report));
}

static void
teardown(void)
{
	tl_writer_free(writer);
	unlink(path);
}

static int
put_some(enum viewers_set set, uint64_t count)
{
	struct tl_event event = { 0 };
	int rc = 0;

	for (uint64_t i = 0;
	     rc == 0 && i < count && viewers_event(set, i, &event); i++)
		rc = writer->sink.put(&writer->sink, &event);
	return rc < 0 ? rc : writer->sink.finish(&writer->sink);
}

static void
put_set(enum viewers_set set)
{
	ck_assert_int_eq(put_some(set, 1000), 0);
	tl_writer_free(writer);
	writer = NULL;
}

/* Expect a text in the first column of the only row. */
static void
is(const char *sql, const char *text)
{
	sqlite3_stmt *row;
	sqlite3 *db;
	const char *got;

	ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL),
	    SQLITE_OK);
	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &row, NULL) == SQLITE_OK,
	    "%s: %s", sql, sqlite3_errmsg(db));
	ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
	got = (const char *)sqlite3_column_text(row, 0);
	ck_assert_str_eq(got ? got : "NULL", text);
	ck_assert_int_eq(sqlite3_step(row), SQLITE_DONE);
	sqlite3_finalize(row);
	sqlite3_close(db);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(every_event_is_a_row)
{
	put_set(VIEWERS_PLAIN);
	is("SELECT count(*) FROM events", "17");
	is("SELECT count(*) FROM timeline", "17");
	is("SELECT time FROM timeline WHERE id = 1",
	    "2026-11-20T19:24:18.123456789Z");
	is("SELECT level || category || kind || pid || tid || cpu FROM "
	   "timeline WHERE id = 1",
	    "tracenetinstant40500");
	is("SELECT count(*) FROM events WHERE cpu IS NULL", "1");
	is("SELECT tsc = 3 * ns FROM events WHERE id = 1", "1");
	is("SELECT number FROM events WHERE id = 5", "4");
	is("PRAGMA integrity_check", "ok");
}

TEST(values_keep_all_their_bits)
{
	put_set(VIEWERS_PLAIN);
	is("SELECT printf('%u', value1) FROM events WHERE id = 1",
	    "18446744073709551615");
	is("SELECT value1 FROM timeline WHERE id = 1", "18446744073709551615");
	is("SELECT value2 FROM events WHERE id = 1", "-9223372036854775808");
	is("SELECT value3 FROM timeline WHERE id = 1", "0xffffffffffffffff");
	is("SELECT value1 FROM events WHERE id = 6", "0.5");
	is("SELECT typeof(value1) FROM events WHERE id = 6", "real");
	is("SELECT value2 FROM events WHERE id = 6", "-1500");
	is("SELECT value2 FROM events WHERE id = 2", "/index");
	is("SELECT typeof(value2) || value2 FROM events WHERE id = 16",
	    "integer77");
	is("SELECT bare || value1 FROM events WHERE id = 9", "18");
	is("SELECT value1 FROM events WHERE id = 15", "NULL");
	ck_assert_uint_eq(said_count, 1);
	ck_assert_str_eq(said, "SQLite has no double that is not a number: "
			       "NULL is written");
}

TEST(messages_tell_what_was_defined)
{
	put_set(VIEWERS_PLAIN);
	is("SELECT count(*) FROM messages", "7");
	is("SELECT line FROM messages WHERE id = 1",
	    "processed $tcp%u, $udp%d, and $other%x");
	is("SELECT explanation FROM messages WHERE id = 1",
	    "Packets of one pass.");
	is("SELECT file || file_line FROM messages WHERE id = 1",
	    "src/server.c101");
	is("SELECT name1||format1||name2||format2||name3||format3 FROM "
	   "messages WHERE id = 1",
	    "tcpunsignedudpsignedotherhex");
	is("SELECT kind || scope FROM messages WHERE category = 'batch'",
	    "spansource");
	is("SELECT group_concat(format1) FROM messages WHERE id > 3",
	    "unsigned,double,string,double");
}

TEST(spans_are_paired_and_open_ones_have_no_end)
{
	put_set(VIEWERS_PLAIN);
	is("SELECT count(*) FROM spans", "5");
	is("SELECT group_concat(duration_ns) FROM (SELECT duration_ns FROM "
	   "spans ORDER BY id)",
	    "1110,1106,1008,1");
	is("SELECT value2 FROM spans WHERE end_ns IS NULL", "77");
	is("SELECT pid || tid FROM spans JOIN threads ON threads.id = thread "
	   "WHERE spans.id = 3",
	    "4152");
	is("SELECT calls || ' ' || mean_ns FROM durations WHERE category = "
	   "'http'",
	    "2 1059");
}

/* The first request begins in one observed interval and ends in another. */
TEST(spans_that_are_cut_or_unsure_are_marked)
{
	struct tl_event event = { 0 };

	for (uint64_t i = 0; viewers_event(VIEWERS_PLAIN, i, &event); i++) {
		event.observed = event.kind == TL_END ? 6 : 5;
		if (event.message && event.message->scope == TIMELINE_SOURCE)
			event.observed = TL_UNOBSERVED;
		ck_assert_ok(writer->sink.put(&writer->sink, &event));
	}
	ck_assert_ok(writer->sink.finish(&writer->sink));
	tl_writer_free(writer);
	writer = NULL;
	is("SELECT count(*) FROM spans WHERE cut AND end_ns IS NULL", "2");
	is("SELECT count(*) FROM spans WHERE lossy AND end_ns IS NOT NULL",
	    "2");
	is("SELECT count(*) FROM spans WHERE NOT cut AND NOT lossy AND "
	   "end_ns IS NOT NULL",
	    "0");
	is("SELECT count(*) FROM durations", "0");
}

TEST(threads_tell_when_they_logged)
{
	put_set(VIEWERS_PLAIN);
	is("SELECT count(*) FROM threads", "4");
	is("SELECT sum(events) FROM threads", "17");
	is("SELECT last_ns - first_ns FROM threads WHERE tid = 51", "105");
}

TEST(counters_and_losses_have_views)
{
	put_set(VIEWERS_PLAIN);
	is("SELECT group_concat(value) FROM counters",
	    "3,18446744073709551615,5,0.5");
	is("SELECT count(*) FROM losses", "0");
}

TEST(losses_are_rows_without_a_message)
{
	put_set(VIEWERS_LOSSY);
	is("SELECT group_concat(lost) FROM losses", "11,500,3");
	is("SELECT count(*) FROM events WHERE message IS NULL AND thread IS "
	   "NULL AND kind = 5 AND number IS NULL",
	    "3");
}

TEST(times_before_1970_are_told)
{
	put_set(VIEWERS_BACK);
	is("SELECT time FROM timeline WHERE id = 1",
	    "1969-12-31T23:59:59.999999995Z");
	is("SELECT ns FROM events WHERE id = 1", "-5");
}

TEST(bytes_that_are_no_text_are_blobs)
{
	put_set(VIEWERS_HOSTILE);
	is("SELECT typeof(line) || typeof(category) FROM messages WHERE id = "
	   "1",
	    "blobtext");
	is("SELECT hex(value1) FROM events WHERE id = 1",
	    "223B207D002A2F201B5D303B780720C3A920FF");
	is("SELECT typeof(value1) || value1 FROM events WHERE id = 2", "text");
}

TEST(the_origin_is_information)
{
	const struct tl_origin origin = { .machine = "host-a", .pid = 40 };

	tl_writer_facts(writer)->origin = origin;
	put_set(VIEWERS_PLAIN);
	is("SELECT value FROM info WHERE name = 'machine'", "host-a");
	is("SELECT value FROM info WHERE name = 'pid'", "40");
	is("SELECT count(*) FROM info", "3");
}

TEST(a_database_without_events_has_its_tables)
{
	ck_assert_int_eq(put_some(VIEWERS_PLAIN, 0), 0);
	tl_writer_free(writer);
	writer = NULL;
	is("SELECT count(*) FROM timeline", "0");
	is("SELECT group_concat(name, ' ') FROM levels WHERE level > 6",
	    "warning error fatal");
	is("SELECT group_concat(name, ' ') FROM kinds",
	    "instant begin end counter lost "
	    "overwritten");
}

TEST(a_file_that_is_there_stays_what_it_is)
{
	struct tl_writer *other;

	ck_assert_int_eq(tl_sqlite_write_new(&other, path, &report), -EEXIST);
	ck_assert_int_eq(tl_sqlite_write_new(&other, "/dev/null/x", &report),
	    -ENOTDIR);
	ck_assert_uint_eq(said_count, 0);
}

TEST(a_name_that_means_something_to_sqlite_is_a_file)
{
	struct tl_writer *other;

	ck_assert_int_eq(chdir("/tmp"), 0);
	ck_assert_ok(tl_sqlite_write_new(&other, ":memory:", &report));
	ck_assert_ok(other->sink.finish(&other->sink));
	tl_writer_free(other);
	ck_assert_int_eq(access(":memory:", F_OK), 0);
	ck_assert_int_eq(unlink(":memory:"), 0);
}

TEST(a_disk_that_is_full_is_said)
{
	const struct rlimit small = { 64 << 10, RLIM_INFINITY };
	int rc;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = put_some(VIEWERS_MANY, 20000);
	ck_assert_int_eq(rc, -EFBIG);
	ck_assert_uint_eq(said_count, 0); /* the caller has words for it */
}
