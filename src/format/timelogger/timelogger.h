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
 * The activity of a source goes up by 1 when it is opened and down by 1 when it
 * is closed, and should be 0 or 1.  The span of its name lasts while it is 1 or
 * more; each level above is a span of "(overlap)", each one below 0 a span of
 * "(below 0)", which begins when the source is *closed* and ends when it is
 * opened.  So every event of any file is kept, spans of a source nest, and
 * wrong activity is visible as such.
 *
 * The second line of such a message identifies the source:
 *
 *	source ID[, definition N][, undefined][: overlap|: below 0]
 *
 * N counts from 2 when an id is defined again, which starts a new source.
 * Times count nanoseconds from an arbitrary start, like System.nanoTime(); they
 * are used as Unix time without a change.
 *
 * Reading: Records are not in order of time, since the original read the clock
 * before it queued a record.  Reported and read on: a record of an unknown type
 * (its 13 bytes are skipped), a source that was never defined or is defined
 * again, activity outside 0 and 1, a tail that is cut.
 *
 * Writing:
 * A file that was read becomes that file again, byte for byte, unless it has
 * records out of order of time: these are sorted, and where such a file also
 * has two sources of one id, an event may move to the other source of that id.
 *
 * Of other events spans are written: a span of scope TIMELINE_SOURCE is a
 * source "category: message", any other one a source for each thread that logs
 * it, "category: message (pid/tid)", so that threads are no overlap.  A source
 * is defined right before its first event.  Instants, counters, arguments,
 * levels and CPUs are left out, which is reported.
 */
#ifndef TL_FORMAT_TIMELOGGER_TIMELOGGER_H
#define TL_FORMAT_TIMELOGGER_TIMELOGGER_H

#include "event/reader.h"
#include "event/writer.h"

/* record.type */
enum { TL_TIMELOGGER_NEW = 0, TL_TIMELOGGER_OPEN = 1, TL_TIMELOGGER_CLOSE = 2 };

enum {
	TL_TIMELOGGER_SIZE = 13,    /* of a record */
	TL_TIMELOGGER_TEXT_AT = 15, /* of one of type 0 */
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
