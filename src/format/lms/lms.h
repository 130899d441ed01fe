/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lms.h - the lines of an LMS profile, and what they are as events.
 *
 *	2,<id>,<label>	from here on this id has this label
 *	0,<id>,<diff>	begin of a span of scope TIMELINE_SOURCE, category
 *			"lms", the label in its first line, "id <id>" in its
 *			second
 *	1,<id>,<diff>	its end
 *
 * A mapping that is not followed by the first use of its id is an instant of
 * category "lms", too, "$id%d is $name%s": so it comes back where it was,
 * also when it is never used.
 *
 * diff counts microseconds since the begin or end before, of any id, and may
 * be negative: the original takes the time before it waits for its turn.  The
 * first counts from the start of the program, which is taken for Unix time 0.
 * Nothing is quoted: a label goes to the end of its line, commas and all.
 * Lines behind it that do not begin with digits and a comma belong to it, too.
 *
 * Reading:
 * Events come in the order of the file; where a difference is negative that
 * is not the order of their times.  Reported and read on: an end without a
 * begin, a begin without an end, a begin inside another of its label, an id
 * without a label or with a second one, lines that are none of this format.
 *
 * Writing:
 * What its reader makes of such a file becomes that file again, byte for
 * byte.  Of other events spans are written, each under the label
 * "category.message".  The first difference counts from Unix time 0, so that
 * absolute time is kept.  Instants, counters, arguments, threads, levels and
 * what is below a microsecond are left out, and said.
 */
#ifndef TL_FORMAT_LMS_LMS_H
#define TL_FORMAT_LMS_LMS_H

#include "base/bytes.h"
#include "event/reader.h"
#include "event/writer.h"

#define TL_LMS_CATEGORY "lms"
#define TL_LMS_ID       "id " /* begins the second line of a label */
#define TL_LMS_MAPPING  "$id%d is $name%s"

enum tl_lms_type {
	TL_LMS_BEGIN = 0,
	TL_LMS_END = 1,
	TL_LMS_LABEL = 2,
	TL_LMS_BLANK,
	TL_LMS_MALFORMED, /* begins as such a line, and is none */
	TL_LMS_UNKNOWN
};

struct tl_lms_line {
	enum tl_lms_type type;
	int64_t id;
	int64_t diff_us;       /* of a begin or end */
	struct tl_bytes label; /* of a label: a piece of the line */
};

/* A parsed line (without its newline). */
void tl_lms_parse(struct tl_bytes line, struct tl_lms_line *parsed);

tl_reader_new tl_lms_read_new;
tl_recognise tl_lms_recognise;

tl_writer_new tl_lms_write_new;

#endif
