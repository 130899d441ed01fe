/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_pids.c - two hosts have a process and a thread of the same numbers:
 * their spans cross, and every format of one machine keeps them apart.
 */
#include "event/hosts/hosts.h"

#include "format/registry.h"
#include "lib/test.h"
#include "lib/viewers.h"

#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

static const struct tl_origin origins[] = {
	{ .machine = "web", .command = "server", .pid = 41, .boot_id = { 1 } },
	{ .machine = "db", .boot_id = { 2 } },
	{ .machine = "web", .boot_id = { 1 } }, /* another file of the same
						 * host */
	{ .timeline = "foreign" },
	{ .timeline = "imported" },
};

static struct tl_text got;

static int
take(void *context, const char *data, size_t size)
{
	(void)context;
	tl_put_bytes(&got, tl_bytes(data, size));
	return 0;
}

static void
setup(void)
{
	tl_text_clear(&got);
}

static void
teardown(void)
{
	tl_text_free(&got);
}

static const struct {
	uint16_t source;
	uint8_t kind;
} crossing[] = { { 0, TL_BEGIN }, { 1, TL_BEGIN }, { 0, TL_END },
	{ 1, TL_END } };

static void
put_crossing(struct tl_writer *writer)
{
	struct tl_event event = { 0 };

	ck_assert(viewers_event(VIEWERS_PLAIN, 0, &event));
	event.message = &viewers_messages[REQUEST];
	event.level = event.message->level;
	event.pid = 41;
	event.tid = 50;
	event.args[0] = event.args[1] = 1;
	tl_writer_set_sources(writer, origins, 2);
	for (size_t i = 0; i < 4; i++) {
		event.source = crossing[i].source;
		event.kind = crossing[i].kind;
		event.ns += 1000;
		ck_assert_ok(writer->sink.put(&writer->sink, &event));
	}
	ck_assert_ok(writer->sink.finish(&writer->sink));
	tl_writer_free(writer);
}

/* Write the crossing spans in a format. */
static void
write_as(const char *format)
{
	const struct tl_format_row *row = tl_formats_find(format);
	struct tl_writer *writer;

	ck_assert_int_eq(row->write_new(&writer, take, NULL, NULL), 0);
	put_crossing(writer);
	tl_put_char(&got, '\0');
}

static unsigned
count(const char *part)
{
	const size_t size = strlen(part);
	unsigned n = 0;

	for (size_t i = 0; i + size <= got.size; i++)
		n += memcmp(got.data + i, part, size) == 0;
	return n;
}

static void
has(const char *part, unsigned times)
{
	ck_assert_msg(count(part) == times, "%s: %u times in %s", part,
	    count(part), got.data);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(chrome_has_a_process_for_each)
{
	write_as("chrome");
	has("\"pid\":41,\"tid\":41,\"name\":\"process_name\",\"args\":{"
	    "\"name\":\"web: server\"",
	    1);
	has("\"pid\":4194305,\"tid\":4194305,\"name\":\"process_name\","
	    "\"args\":{\"name\":\"db: process 41\"",
	    1);
	has("\"ph\":\"X\"", 2);
	has("\"dur\":2.000,", 2);
}

TEST(perfetto_has_a_process_for_each)
{
	write_as("perfetto");
	has("web: server", 1);
	has("db: process 41", 1);
}

TEST(folded_stacks_begin_with_the_host)
{
	write_as("folded");
	ck_assert_str_eq(got.data, "web: 41/50;http: request id to path 2000\n"
				   "db: 41/50;http: request id to path 2000\n");
}

/* Expect a text in the only column of the only row. */
static void
is(const char *path, const char *sql, const char *text)
{
	sqlite3_stmt *row;
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL),
	    SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &row, NULL),
	    SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(row), SQLITE_ROW);
	ck_assert_str_eq((const char *)sqlite3_column_text(row, 0), text);
	sqlite3_finalize(row);
	sqlite3_close(db);
}

TEST(a_database_has_a_thread_for_each)
{
	char path[64];
	struct tl_writer *writer;

	snprintf(path, sizeof(path), "/tmp/tl-hosts-%d.db", (int)getpid());
	ck_assert_int_eq(tl_formats_find("sqlite")->write_at(&writer, path,
			     NULL),
	    0);
	put_crossing(writer);
	is(path,
	    "SELECT group_concat(pid || '/' || tid || ' ' || machine) FROM "
	    "threads JOIN sources ON source = sources.id",
	    "41/50 web,41/50 db");
	is(path,
	    "SELECT group_concat(duration_ns || ' ' || source) FROM spans "
	    "JOIN threads ON thread = threads.id",
	    "2000 0,2000 1");
	is(path, "SELECT count(*) FROM pragma_foreign_key_check", "0");
	is(path, "SELECT group_concat(machine) FROM timeline", "web,db,web,db");
	unlink(path);
}

/* == numbers == */

static struct tl_host_pids *
make(struct tl_writer *writer, const struct tl_origin *sources, size_t n)
{
	struct tl_host_pids *pids;

	*writer = (struct tl_writer){ 0 };
	tl_writer_set_sources(writer, sources, n);
	ck_assert_ok(tl_host_pids_new(&pids, writer));
	writer->pids = pids;
	return pids;
}

static uint32_t
give(struct tl_host_pids *pids, uint16_t source, uint32_t pid)
{
	struct tl_event event = { .source = source, .pid = pid };

	ck_assert_ok(tl_host_pids_put(pids, &event));
	return event.pid;
}

TEST(the_first_process_of_a_number_keeps_it, .plain = true)
{
	struct tl_writer writer;
	struct tl_host_pids *pids = make(&writer, origins, 5);

	ck_assert_uint_eq(give(pids, 1, 41), 41);
	ck_assert_uint_eq(give(pids, 0, 41), 4194305);
	/* the same host as source 0 */
	ck_assert_uint_eq(give(pids, 2, 41), 4194305);
	/* sources without a host */
	ck_assert_uint_eq(give(pids, 3, 41), 4194306);
	ck_assert_uint_eq(give(pids, 4, 41), 4194306); /* share one number */
	ck_assert_uint_eq(give(pids, 0, 7), 7);
	ck_assert_uint_eq(give(pids, 1, 4194305), 4194307);
	ck_assert_uint_eq(give(pids, 1, 41), 41);
	tl_host_pids_free(pids);
}

TEST(a_number_leads_back_to_its_process, .plain = true)
{
	struct tl_writer writer;
	struct tl_host_pids *pids = make(&writer, origins, 5);
	struct tl_text name = { 0 };
	struct tl_host_pid got_pid;

	give(pids, 1, 41);
	give(pids, 3, 5);
	got_pid = tl_host_pids_get(pids, give(pids, 0, 41));
	ck_assert_str_eq(got_pid.host, "web");
	ck_assert_uint_eq(got_pid.pid, 41);
	ck_assert(got_pid.is_moved);
	ck_assert(!tl_host_pids_get(pids, 41).is_moved);
	ck_assert_ptr_null(tl_host_pids_get(pids, 5).host);
	ck_assert_uint_eq(tl_host_pids_get(pids, 99).pid, 99);
	ck_assert_uint_eq(tl_host_pids_get(NULL, 99).pid, 99);
	tl_host_pids_name(&writer, 4194305, "", &name);
	ck_assert_str_eq(tl_text_string(&name), "web: server");
	tl_text_free(&name);
	tl_host_pids_free(pids);
}

TEST(one_host_is_as_ever, .plain = true)
{
	struct tl_writer writer;
	struct tl_host_pids *pids;

	ck_assert_ptr_null(make(&writer, origins, 0));
	ck_assert_ptr_null(make(&writer, origins, 1));
	pids = make(&writer, origins + 3, 2);
	ck_assert_uint_eq(give(pids, 0, 41), 41);
	ck_assert_uint_eq(give(pids, 1, 41), 41);
	tl_host_pids_free(pids);
}
