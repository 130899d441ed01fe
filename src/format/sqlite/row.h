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

/* Report the error of SQLite's last call, which returned code.  Returns
 * -errno. */
int tl_sqlite_fail(const struct tl_sqlite *s, int code);
int tl_sqlite_run(const struct tl_sqlite *s, const char *sql);
/* Insert the row that was bound; the next one begins with NULLs. */
int tl_sqlite_insert(const struct tl_sqlite *s, sqlite3_stmt *row);

/* Numbers of 2^63 and above become those below 0 with the same bits. */
void tl_sqlite_bind_integer(sqlite3_stmt *row, int column, uint64_t n);
/* Text, or a blob where they are none; they stay where they are until the row
 * is inserted. */
void tl_sqlite_bind_bytes(sqlite3_stmt *row, int column, struct tl_bytes bytes);
/* The same, NULL where there are none. */
void tl_sqlite_bind_some(sqlite3_stmt *row, int column, struct tl_bytes bytes);
void tl_sqlite_bind_word(sqlite3_stmt *row, int column, const char *word);
void tl_sqlite_bind_cpu(sqlite3_stmt *row, int column, uint32_t cpu);
/* Argument i in its format.  False: SQLite has NULL for it. */
bool tl_sqlite_bind_value(sqlite3_stmt *row, int column,
    const struct tl_message *message, unsigned i, uint64_t value);

#endif
