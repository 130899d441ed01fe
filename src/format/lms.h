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
 * diff counts microseconds since the begin or end before, of any id, and may
 * be negative: the original takes the time before it waits for its turn.  The
 * first counts from the start of the program, which is taken for Unix time 0.
 * Nothing is quoted: a label goes to the end of its line, commas and all.
 * Lines behind it that are no lines of this format belong to it, too.
 */
#ifndef TL_FORMAT_LMS_H
#define TL_FORMAT_LMS_H

#include "base/bytes.h"

#define TL_LMS_CATEGORY "lms"

enum tl_lms_type {
	TL_LMS_BEGIN = 0,
	TL_LMS_END = 1,
	TL_LMS_LABEL = 2,
	TL_LMS_BLANK,
	TL_LMS_STRANGE
};

struct tl_lms_line {
	enum tl_lms_type type;
	int64_t id;
	int64_t diff_us;       /* of a begin or end */
	struct tl_bytes label; /* of a label: a piece of the line */
};

/* What a line (without its newline) says. */
void tl_lms_parse(struct tl_bytes line, struct tl_lms_line *parsed);

#endif
