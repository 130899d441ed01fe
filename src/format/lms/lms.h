/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lms.h - the lines of an LMS profile, and the events that the lines become.
 *
 *	2,<id>,<label>	the id has this label from here on
 *	0,<id>,<diff>	begin of a span of scope TIMELINE_SOURCE, category
 *			"lms", the label in its first line, "id <id>" in its
 *			second
 *	1,<id>,<diff>	end of the span
 *
 * A mapping that the first use of its id does not follow becomes an instant of
 * category "lms", "$id%d is $name%s", so that the writer can restore the line.
 *
 * diff counts microseconds since the begin or end before, of any id.  diff may
 * be negative, because the LMS profiler reads the clock before it waits for its
 * turn.  The first diff counts from the start of the program, which is taken
 * for Unix time 0.  Nothing is quoted: a label extends to the end of its line,
 * commas included.  Lines behind a label that do not begin with digits and a
 * comma belong to the label.
 *
 * Reading.  Events come in the order of the file, which is not the order of
 * time if a diff is negative.  The reader reports these faults and continues:
 * an end without a begin, a begin without an end, a begin inside another of its
 * label, an id without a label or with a second label, lines of another form.
 *
 * Writing.  A profile that was read becomes the same file again, byte for byte.
 * From other events, spans are written, each under the label
 * "category.message".  The differences of a profile that was read count from
 * Unix time 0; those of other events count from the first mark, so the time of
 * day is lost.  Instants, counters, arguments, threads, levels, CPUs and parts
 * of a microsecond are left out.  The losses are reported.
 */
#ifndef TL_FORMAT_LMS_LMS_H
#define TL_FORMAT_LMS_LMS_H

#include "base/bytes.h"
#include "event/reader.h"
#include "event/writer.h"

#define TL_LMS_CATEGORY "lms"
#define TL_LMS_ID       "id " /* begins a label's second line */
#define TL_LMS_MAPPING  "$id%d is $name%s"

enum tl_lms_type {
	TL_LMS_BEGIN = 0,
	TL_LMS_END = 1,
	TL_LMS_LABEL = 2,
	TL_LMS_BLANK,
	TL_LMS_MALFORMED, /* begins like a line, but is none */
	TL_LMS_UNKNOWN
};

struct tl_lms_line {
	enum tl_lms_type type;
	int64_t id;
	int64_t diff_us;       /* begin and end only */
	struct tl_bytes label; /* label only; part of the line */
};

/* Parse a line without its newline. */
void tl_lms_parse(struct tl_bytes line, struct tl_lms_line *parsed);

tl_reader_new tl_lms_read_new;
tl_recognise tl_lms_recognise;

tl_writer_new tl_lms_write_new;

#endif
