/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.c - the content of a database, read by SQLite itself. */
#include "format/sqlite/write.h"

#include "lib/test.h"
#include "lib/writer_text.h"

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
	writer_text_begin(writer);
}

static void
teardown(void)
{
	tl_writer_free(writer);
	unlink(path);
}

/* Print the rows of a statement, a line each. */
static void
print_rows(struct tl_text *out, const char *sql)
{
	sqlite3_stmt *row;
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL),
	    SQLITE_OK);
	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &row, NULL) == SQLITE_OK,
	    "%s: %s", sql, sqlite3_errmsg(db));
	for (unsigned n = 0; sqlite3_step(row) == SQLITE_ROW; n++) {
		tl_put_string(out, n == 0 ? " = " : "\n\t");
		for (int i = 0; i < sqlite3_column_count(row); i++) {
			const void *text = sqlite3_column_text(row, i);

			tl_put_format(out, "%s%s", i > 0 ? "|" : "",
			    text ? (const char *)text : "NULL");
		}
	}
	sqlite3_finalize(row);
	sqlite3_close(db);
}

/* Put lines (writer_text.h) before the first statement; "said" prints what is
 * said. */
static void
run_line(struct tl_text *out, const char *line)
{
	char *copy;

	if (strcmp(line, "said") == 0) {
		ck_assert_uint_eq(said_count, 1);
		tl_put_format(out, " = %s", said);
	} else if (strncmp(line, "SELECT ", 7) == 0 ||
		   strncmp(line, "PRAGMA ", 7) == 0) {
		if (writer) {
			ck_assert_ok(writer->sink.finish(&writer->sink));
			tl_writer_free(writer);
			writer = NULL;
		}
		print_rows(out, line);
	} else {
		copy = strdup(line);
		writer_text_put(writer, copy);
		free(copy);
	}
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST_LINES(databases, "tests/unit/format/sqlite.cases", run_line);

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
	struct tl_event event = { 0 };
	int rc = 0;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (uint64_t i = 0; rc == 0 && i < 20000; i++) {
		viewers_event(VIEWERS_MANY, i, &event);
		rc = writer->sink.put(&writer->sink, &event);
	}
	if (rc == 0)
		rc = writer->sink.finish(&writer->sink);
	ck_assert_int_eq(rc, -EFBIG);
	ck_assert_uint_eq(said_count, 0); /* the caller has words for it */
}
