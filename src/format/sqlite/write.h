/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as a SQLite database, for questions in SQL.
 *
 *	events    one row each: ns, kind, message, thread, cpu, value1..4, ...
 *	messages  definitions: category, first line, arguments, ...
 *	threads   pid and tid, and the time in which they logged
 *	spans     begins and the ends that belong to them
 *	sources   machine, timeline and boot id of each input
 *	kinds, levels, info
 *
 *	timeline, durations, counters, losses   views, for a person
 *
 * SQLite has signed integers of 64 bits: an unsigned value of 2^63 or above is
 * stored as the negative number of the same bits, which printf('%u', x) shows,
 * as the views do.  Doubles are reals (SQLite has NULL for a NaN), %s arguments
 * text.  A string that is not UTF-8, or has a NUL inside, is a blob of its
 * bytes; a string that the source lacks is the integer that named the string.
 * Text is stored as it was logged, whatever effect the text has on a terminal:
 * print texts through a filter that escapes.
 */
#ifndef TL_FORMAT_SQLITE_WRITE_H
#define TL_FORMAT_SQLITE_WRITE_H

#include "event/writer.h"

/*
 * Make a writer that creates the file path, which must not exist yet, and calls
 * no tl_write.  All rows are one transaction, which the sink's finish commits.
 * The text of an SQLite error is reported.  0, -ENOMEM, -EEXIST, -errno of the
 * file, or -EIO.
 */
tl_writer_at tl_sqlite_write_new;

#endif
