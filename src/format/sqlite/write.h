/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as a SQLite database, for questions in SQL.
 *
 *	events    one row each: ns, kind, message, thread, cpu, value1..4, ...
 *	messages  what was defined: category, first line, arguments, ...
 *	threads   pid and tid, and when they logged
 *	spans     begins and the ends that belong to them
 *	kinds, levels, info
 *
 *	timeline, durations, counters, losses   views, for a person
 *
 * SQLite has integers of 64 bits, signed: an unsigned value of 2^63 and above
 * stands there as the negative number of the same bits, which printf('%u', x)
 * shows; the views do.  Doubles are reals (SQLite has NULL where a double is
 * no number), %s arguments text; a string that is not UTF-8, or has a NUL
 * inside, is a blob of its bytes, and one that the source does not have the
 * integer that named it.  Text stands there as it was logged, whatever it
 * could do to a terminal: print it through what escapes.
 */
#ifndef TL_FORMAT_SQLITE_WRITE_H
#define TL_FORMAT_SQLITE_WRITE_H

#include "event/writer.h"

/*
 * A writer that makes the file path, which must not be there yet, and calls no
 * tl_write.  All is one transaction, which the sink's finish commits.  The text
 * of an SQLite error is reported.  0, -ENOMEM, -EEXIST, -errno of the file, or
 * -EIO.
 */
tl_writer_at tl_sqlite_write_new;

#endif
