/* SPDX-License-Identifier: Apache-2.0 */
/* row.c - bind values to rows, and report the errors of SQLite. */
#include "format/sqlite/row.h"

#include "base/utf8.h"

#include <errno.h>
#include <math.h>

int
tl_sqlite_fail(const struct tl_sqlite *s, int code)
{
	int system = 0;

	sqlite3_file_control(s->db, "main", SQLITE_FCNTL_LAST_ERRNO, &system);
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_IOERR:
		if (system > 0) /* the caller says it as for other formats */
			return -system;
	}
	tl_report_write(s->report, -EIO, TL_FAULT_NOWHERE, "SQLite: %s",
	    sqlite3_errmsg(s->db));
	return -EIO;
}

int
tl_sqlite_run(const struct tl_sqlite *s, const char *sql)
{
	const int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : tl_sqlite_fail(s, code);
}

int
tl_sqlite_insert(const struct tl_sqlite *s, sqlite3_stmt *row)
{
	const int code = sqlite3_step(row);

	if (code != SQLITE_DONE)
		return tl_sqlite_fail(s, code);
	sqlite3_reset(row);
	sqlite3_clear_bindings(row);
	return 0;
}

void
tl_sqlite_bind_integer(sqlite3_stmt *row, int column, uint64_t n)
{
	sqlite3_bind_int64(row, column, (int64_t)n);
}

static bool
is_text(struct tl_bytes bytes)
{
	uint32_t code;
	size_t size;

	for (size_t at = 0; at < bytes.size; at += size) {
		size = tl_utf8_decode(bytes, at, &code);
		if (size == 0 || code == 0)
			return false;
	}
	return true;
}

void
tl_sqlite_bind_bytes(sqlite3_stmt *row, int column, struct tl_bytes bytes)
{
	const char *data = bytes.data ? bytes.data : "";

	if (is_text(bytes))
		sqlite3_bind_text64(row, column, data, bytes.size,
		    SQLITE_STATIC, SQLITE_UTF8);
	else
		sqlite3_bind_blob64(row, column, data, bytes.size,
		    SQLITE_STATIC);
}

void
tl_sqlite_bind_some(sqlite3_stmt *row, int column, struct tl_bytes bytes)
{
	if (bytes.size > 0)
		tl_sqlite_bind_bytes(row, column, bytes);
}

void
tl_sqlite_bind_word(sqlite3_stmt *row, int column, const char *word)
{
	tl_sqlite_bind_bytes(row, column, tl_bytes_of(word));
}

void
tl_sqlite_bind_cpu(sqlite3_stmt *row, int column, uint32_t cpu)
{
	if (cpu != TL_CPU_UNKNOWN)
		tl_sqlite_bind_integer(row, column, cpu);
}

bool
tl_sqlite_bind_value(sqlite3_stmt *row, int column,
    const struct tl_message *message, unsigned i, const uint64_t *value)
{
	struct tl_bytes string;
	double number;

	switch (message->args[i].format) {
	case TIMELINE_ARG_DOUBLE:
		memcpy(&number, value, sizeof(number));
		sqlite3_bind_double(row, column, number);
		return !isnan(number);
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		string = tl_message_text(message, i, value);
		if (string.data) {
			tl_sqlite_bind_bytes(row, column, string);
			return true;
		}
		break;
	}
	tl_sqlite_bind_integer(row, column, *value);
	return true;
}
