/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_read.h - what reading CSV and reading JSON lines have in common: both
 * are a line for an event, with the same fields.
 */
#ifndef TL_FORMAT_LINE_READ_H
#define TL_FORMAT_LINE_READ_H

#include "format/definer.h"
#include "format/lines.h"
#include "format/memo.h"
#include "format/notes.h"

/* The fields that tell a message, in the order of tl_memo_key. */
enum { TL_LINE_PRIORITY, TL_LINE_CATEGORY, TL_LINE_MESSAGE };

/* What is noted. */
enum {
	TL_LINE_STRANGE,
	TL_LINE_CUT,
	TL_LINE_LEVEL,
	TL_LINE_TEXT,
	TL_LINE_VALUE,
	TL_LINE_FULL,
	TL_LINE_NO_END
};

struct tl_line_read {
	struct tl_reader reader; /* first: what callers see */
	struct tl_sink *sink;
	const struct tl_report *report;
	/* Read one line: 0, -EBADMSG it is none of the format, -errno. */
	int (*line)(struct tl_line_read *read, struct tl_bytes line,
	    uint64_t at);
	/* Undo the escapes of a text as it stands in the line: into scratch,
	 * or the text itself where there are none. */
	struct tl_bytes (*undo)(struct tl_line_read *read, struct tl_bytes raw);
	const char *name; /* of the format, for a person */
	struct tl_definer *definer;
	struct tl_lines lines;
	struct tl_memo memo;
	struct tl_notes notes;
	struct tl_text scratch;
	struct tl_text scratch_category;
	uint64_t good;
	uint64_t strange;
	int64_t last_ns;
	uint64_t at; /* of the line */
};

/* A reader of size bytes that begins with one: 0 or -ENOMEM. */
int tl_line_read_make(struct tl_line_read **read, struct tl_sink *sink,
    const struct tl_report *report);

/* The kind of an event by its name, 0 for none. */
unsigned tl_line_read_kind(struct tl_bytes name);

/*
 * The message of an event of a kind, by its raw fields; *whole is a string
 * where the text could not be a message and became its only argument.
 */
int
tl_line_read_message(struct tl_line_read *read, const struct tl_memo_key *key,
    const struct tl_message **message, uint64_t *whole);

/* The value of an argument: raw is a number or a text, as its format says. */
int tl_line_read_value(struct tl_line_read *read, unsigned format,
    struct tl_bytes raw, uint64_t *value);

/* Hand it on. */
int tl_line_read_give(struct tl_line_read *read, struct tl_event *event);

#endif
