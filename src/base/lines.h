/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.h - pieces of bytes in, whole lines out.
 *
 * A line is passed in place; only a line that is split over pieces is copied.
 * A carriage return before the end of a line belongs to the end, unless
 * keeps_returns is set.
 */
#ifndef TL_BASE_LINES_H
#define TL_BASE_LINES_H

#include "base/bytes.h"
#include "base/text.h"

/* Starts from all zeros except line, context and max. */
struct tl_lines {
	/* Called with each line and its offset; cut: the line was longer than
	 * max and is its first max bytes.  0 or -errno. */
	int (*line)(void *context, struct tl_bytes line, uint64_t at, bool cut);
	void *context;
	size_t max;
	bool keeps_returns;
	struct tl_text carry;
	uint64_t at;     /* offset of the current line */
	uint64_t beyond; /* bytes of the line that carry lacks */
};

int tl_lines_feed(struct tl_lines *lines, struct tl_bytes piece);
/* Pass on the last line, which may lack its end.  0 or -errno. */
int tl_lines_finish(struct tl_lines *lines);
void tl_lines_free(struct tl_lines *lines);

/* == scan: read the expected fields of a line in order == */

/* The position of reading within a line. */
struct tl_scan {
	const char *at;
	const char *end;
};

/* Skip a text if it comes next. */
static inline bool
tl_scan_skip(struct tl_scan *s, struct tl_bytes text)
{
	if ((size_t)(s->end - s->at) < text.size ||
	    memcmp(s->at, text.data, text.size) != 0)
		return false;
	s->at += text.size;
	return true;
}

/* tl_scan_skip() for a literal, whose size the compiler knows. */
#define TL_SCAN_SKIP(s, literal) \
	tl_scan_skip((s), tl_bytes((literal), sizeof(literal) - 1))

#endif
