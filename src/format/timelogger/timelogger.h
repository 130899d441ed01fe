/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timelogger.h - the format of TimeLogger files, and the events that its
 * records become.
 *
 *	+------+-----------+---------------+----------------+------------+
 *	| type | source id | time          | text size      | text       |
 *	| u8   | i32       | i64           | u16            | mod. UTF-8 |
 *	+------+-----------+---------------+----------------+------------+
 *	0      1           5               13               15
 *
 * Records follow each other, big endian, with nothing before, between or after
 * them.  Only type 0 has a text.
 *
 *	0 new source	instant, category "timelogger",
 *			"source $id%d is $name%s"
 *	1 open, 2 close	begin or end of a span of scope TIMELINE_SOURCE,
 *			category "source", one of three messages:
 *
 *	activity    3 .            +----+
 *	of the      2 .       +----+....+----+		"name (overlap)"
 *	source      1 .  +----+..............+----+	"name"
 *	            0 ...+........................+...   +...
 *	           -1 .                            +---+	"name (below 0)"
 *
 * Opening a source raises its activity by 1 and closing lowers it by 1; the
 * activity should be 0 or 1.  The span of the name lasts while the activity is
 * 1 or more.  Each level above 1 is a span "(overlap)".  Each level below 0 is
 * a span "(below 0)", which begins when the source is *closed* and ends when
 * the source is opened.  Every event of any file is thus kept, spans of a
 * source nest, and wrong activity is visible.
 *
 * The second line of a message identifies the source:
 *
 *	source ID[, definition N][, undefined][: overlap|: below 0]
 *
 * N counts from 2 when an id is defined again, which starts a new source.
 * Times count nanoseconds from an arbitrary start, like System.nanoTime(), and
 * are taken for Unix times.
 *
 * Reading.  Records are not in order of time, because TimeLogger reads the
 * clock before a record is queued.  The reader reports these faults and
 * continues: a record of an unknown type (13 bytes are skipped), a source that
 * was never defined or is defined again, activity outside 0 and 1, a tail that
 * is cut.
 *
 * Writing.  A file that was read becomes the same file again, byte for byte,
 * unless records were out of order of time.  Such records are sorted, and if
 * such a file also has two sources of one id, an event may move to the other
 * source.
 *
 * From other events, spans are written.  A span of scope TIMELINE_SOURCE
 * becomes a source "category: message".  Any other span becomes a source
 * "category: message (pid/tid)" for each thread that logs the span, so that
 * threads do not overlap.  A source is defined right before its first event.
 * Instants, counters, arguments, levels and CPUs are left out and reported.
 */
#ifndef TL_FORMAT_TIMELOGGER_TIMELOGGER_H
#define TL_FORMAT_TIMELOGGER_TIMELOGGER_H

#include "event/reader.h"
#include "event/writer.h"

/* record.type */
enum { TL_TIMELOGGER_NEW = 0, TL_TIMELOGGER_OPEN = 1, TL_TIMELOGGER_CLOSE = 2 };

enum {
	TL_TIMELOGGER_SIZE = 13,    /* bytes of a record */
	TL_TIMELOGGER_TEXT_AT = 15, /* offset of the text in type 0 */
	TL_TIMELOGGER_SIZE_MAX = 15 + 65535
};

#define TL_TIMELOGGER_CATEGORY   "source"
#define TL_TIMELOGGER_DEFINER    "timelogger" /* category of definitions */
#define TL_TIMELOGGER_DEFINITION "source $id%d is $name%s"
#define TL_TIMELOGGER_OVERLAP    "overlap"
#define TL_TIMELOGGER_BELOW      "below 0"
#define TL_TIMELOGGER_UNDEFINED  ", undefined"

tl_reader_new tl_timelogger_read_new;
tl_recognise tl_timelogger_recognise;

tl_writer_new tl_timelogger_write_new;

#endif
