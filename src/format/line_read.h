/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_read.h - what reading CSV and reading JSON lines have in common: both
 * are a line for an event, with the same fields.
 */
#ifndef TL_FORMAT_LINE_READ_H
#define TL_FORMAT_LINE_READ_H

#include "base/lines.h"
#include "event/hosts/origin.h"
#include "event/intern.h"
#include "event/message_map.h"
#include "event/names.h"
#include "event/reader.h"

/* The fields that define a message, in the order of tl_message_cache_key. */
enum { TL_LINE_PRIORITY, TL_LINE_CATEGORY, TL_LINE_MESSAGE };

/* Diagnostics. */
enum {
	TL_LINE_NOT_AN_EVENT,
	TL_LINE_CUT,
	TL_LINE_LEVEL,
	TL_LINE_TEXT,
	TL_LINE_VALUE,
	TL_LINE_FULL,
	TL_LINE_NO_END,
	TL_LINE_ORIGINS
};

struct tl_line_read;

struct tl_line_read_kind {
	const char *name; /* for a person */
	/* Read one line: 0, -EBADMSG it is none of the format, -errno. */
	int (*line)(struct tl_line_read *read, struct tl_bytes line);
	/* Give back what is its own; may be NULL. */
	void (*free)(struct tl_line_read *read);
	bool has_timeless_losses; /* a line of a loss has no time */
};

enum { TL_LINE_LOSSES_MAX = 16 };

struct tl_line_read {
	struct tl_reader reader; /* first: what callers see */
	const struct tl_line_read_kind *kind;
	struct tl_sink *sink;
	const struct tl_report *report;
	struct tl_interner *interner;
	struct tl_lines lines;
	/* by the fields as they stand in a line */
	struct tl_message_cache cache;
	struct tl_notes notes;
	struct tl_text scratch;
	uint64_t good;
	uint64_t unknown;
	int64_t last_ns;
	/* Losses without a time, until the event behind them comes: they have
	 * the later time of both neighbours, and so stand between them also
	 * where losses come first at one time, as in a trace. */
	struct tl_event losses[TL_LINE_LOSSES_MAX];
	unsigned loss_count;
	bool any;    /* event so far */
	uint64_t at; /* of the line */
	/* Of the first line that has them; "" where a later line has another. */
	struct tl_origin origin;
	bool has_origin;
};

/* A reader of size bytes that begins with one (all zeros behind it): 0 or
 * -ENOMEM. */
int tl_line_read_new(struct tl_reader **reader, size_t size,
    const struct tl_line_read_kind *kind, struct tl_sink *sink,
    const struct tl_report *report);

/* The kind of an event by its name, 0 for none. */
unsigned tl_line_read_kind(struct tl_bytes name);
/* Is it that of the begin or end of a span? */
bool tl_line_read_is_span(unsigned kind);

/*
 * The message that plain fields define; *whole is a string where the text could
 * not be a message and became its only argument.  raw is how they stand in
 * the line, to be remembered; NULL: they are not.
 */
int tl_line_read_message(struct tl_line_read *read,
    const struct tl_message_cache_key *plain,
    const struct tl_message_cache_key *raw, const struct tl_message **message,
    uint64_t *whole);

/* Note that a value is not of its format. */
static inline void
tl_line_read_odd_value(struct tl_line_read *read)
{
	tl_note(&read->notes, TL_LINE_VALUE, read->at);
}

/* A line is of this host and timeline, each empty where it does not say so.  All
 * lines of a file become one timeline, which is noted where they differ. */
void tl_line_read_origin(struct tl_line_read *read, struct tl_bytes host,
    struct tl_bytes timeline);

/* What the thread and process of an event are called; empty: not known.  0,
 * -ENOMEM. */
int tl_line_read_names(struct tl_line_read *read, const struct tl_event *event,
    struct tl_bytes thread, struct tl_bytes process);

/* Hand it on. */
int tl_line_read_give(struct tl_line_read *read, struct tl_event *event);

#endif
