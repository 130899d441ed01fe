/* SPDX-License-Identifier: Apache-2.0 */
/* row.h - private to this folder: make a row. */
#ifndef TL_FORMAT_SQLITE_ROW_H
#define TL_FORMAT_SQLITE_ROW_H

#include "event/event.h"
#include "event/reader.h"

#include <sqlite3.h>

struct tl_sqlite {
	sqlite3 *db;
	const struct tl_report *report;
};

/*
 * Report the error of SQLite's last call, which returned code, unless the error
 * is one of the system.  Return -errno.
 */
int tl_sqlite_fail(const struct tl_sqlite *s, int code);
int tl_sqlite_run(const struct tl_sqlite *s, const char *sql);
/* Insert the bound row: 0, -errno.  The next row begins with NULLs. */
int tl_sqlite_insert(const struct tl_sqlite *s, sqlite3_stmt *row);

/* Bind a number; 2^63 and above become negative numbers with the same bits. */
void tl_sqlite_bind_integer(sqlite3_stmt *row, int column, uint64_t n);
/*
 * Bind bytes as a text, or as a blob if they are no text.  The bytes must stay
 * valid until the row is inserted.
 */
void tl_sqlite_bind_bytes(sqlite3_stmt *row, int column, struct tl_bytes bytes);
/* Bind bytes, or NULL if there are none. */
void tl_sqlite_bind_some(sqlite3_stmt *row, int column, struct tl_bytes bytes);
void tl_sqlite_bind_word(sqlite3_stmt *row, int column, const char *word);
void tl_sqlite_bind_cpu(sqlite3_stmt *row, int column, uint32_t cpu);
/* Bind argument i in its format.  false: SQLite stores NULL for a NaN. */
bool tl_sqlite_bind_value(sqlite3_stmt *row, int column,
    const struct tl_message *message, unsigned i, const uint64_t *value);

#endif
