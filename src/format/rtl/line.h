/* SPDX-License-Identifier: Apache-2.0 */
/* line.h - parse one line of an RTL_LOGFILE log.  No function keeps state. */
#ifndef TL_FORMAT_RTL_LINE_H
#define TL_FORMAT_RTL_LINE_H

#include "base/bytes.h"

/* The kind of a line. */
enum tl_rtl_kind {
	TL_RTL_UNKNOWN,
	TL_RTL_RECORD,
	TL_RTL_OPENING, /* ns: time of opening */
	TL_RTL_TIMER,   /* column: timer at that time */
	TL_RTL_PROCESS, /* number: the process */
	TL_RTL_CLOSING  /* column: time of closing */
};

struct tl_rtl_line {
	enum tl_rtl_kind kind;
	char what;             /* record: '{', '}' or '|' */
	bool is_marked;        /* the record has such a mark */
	bool is_us;            /* TL_RTL_TIMER: microseconds */
	uint32_t number;       /* thread or process */
	uint64_t column;       /* time */
	int64_t ns;            /* Unix time */
	struct tl_bytes scope; /* "project (author) name" or parts of it */
	struct tl_bytes words; /* '|': the message */
};

/* Parse a line without its line break. */
void tl_rtl_line_parse(struct tl_rtl_line *line, struct tl_bytes bytes);

/* The parts of a scope; a missing part is empty. */
struct tl_rtl_scope {
	struct tl_bytes project;
	struct tl_bytes author;
	struct tl_bytes name;
};

struct tl_rtl_scope tl_rtl_scope_parse(struct tl_bytes bytes);

/*
 * Do words begin with a scope of their own?  If so, *scope is the scope
 * ("::fname", or "project (author) ::fname") and *words is the rest.
 */
bool tl_rtl_words_split(struct tl_bytes *words, struct tl_bytes *scope);

#endif
