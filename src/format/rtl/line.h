/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - one line of an RTL_LOGFILE log, taken apart.  Pure.
 */
#ifndef TL_FORMAT_RTL_LINE_H
#define TL_FORMAT_RTL_LINE_H

#include "base/bytes.h"

/* The kind of a line. */
enum tl_rtl_kind {
	TL_RTL_UNKNOWN,
	TL_RTL_RECORD,
	TL_RTL_OPENING, /* ns: when the log was opened */
	TL_RTL_TIMER,   /* column: the timer just then */
	TL_RTL_PROCESS, /* number */
	TL_RTL_CLOSING  /* column */
};

struct tl_rtl_line {
	enum tl_rtl_kind kind;
	char what;             /* of a record: '{', '}' or '|' */
	bool is_marked;        /* of a record: what stands there */
	bool is_us;            /* of TL_RTL_TIMER: microseconds */
	uint32_t number;       /* thread or process */
	uint64_t column;       /* time */
	int64_t ns;            /* Unix time */
	struct tl_bytes scope; /* "project (author) name" or parts of it */
	struct tl_bytes words; /* of '|': the message */
};

/* Take a line apart (no line break in it). */
void tl_rtl_line_parse(struct tl_rtl_line *line, struct tl_bytes bytes);

/* The parts of a scope; empty: missing. */
struct tl_rtl_scope {
	struct tl_bytes project;
	struct tl_bytes author;
	struct tl_bytes name;
};

struct tl_rtl_scope tl_rtl_scope_parse(struct tl_bytes bytes);

/* Do words begin with such a scope of their own?  Then *scope is it (project
 * and name: "::fname", or "project (author) ::fname") and *words is the
 * rest. */
bool tl_rtl_words_split(struct tl_bytes *words, struct tl_bytes *scope);

#endif
