/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_read.h - the common part of reading CSV and JSON lines: a line for each
 * event, with the same fields.
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
	const char *name; /* shown in diagnostics */
	/* Read one line: 0; -EBADMSG: not a line of the format; -errno. */
	int (*line)(struct tl_line_read *read, struct tl_bytes line);
	/* Free the members behind tl_line_read; may be NULL. */
	void (*free)(struct tl_line_read *read);
	bool has_timeless_losses; /* losses have no time */
};

enum { TL_LINE_LOSSES_MAX = 16 };

struct tl_line_read {
	struct tl_reader reader; /* first: callers see the reader */
	const struct tl_line_read_kind *kind;
	struct tl_sink *sink;
	const struct tl_report *report;
	struct tl_interner *interner;
	struct tl_lines lines;
	/* by the fields as the line has them */
	struct tl_message_cache cache;
	struct tl_notes notes;
	struct tl_text scratch;
	uint64_t good;
	uint64_t unknown;
	int64_t last_ns;
	uint64_t last_tsc;
	/*
	 * Losses without a time wait for the next event.  They get the later
	 * time of the two neighbours, so that they stay between the neighbours
	 * even if losses sort first among equal times, as in a trace.
	 */
	struct tl_event losses[TL_LINE_LOSSES_MAX];
	unsigned loss_count;
	bool any;    /* an event was given */
	uint64_t at; /* offset of the line */
	/* From the first line; "" if a later line has another. */
	struct tl_origin origin;
	bool has_origin;
};

/*
 * Make a reader of size bytes, which begin with a tl_line_read; the rest is
 * zero.  0, -ENOMEM.
 */
int tl_line_read_new(struct tl_reader **reader, size_t size,
    const struct tl_line_read_kind *kind, struct tl_sink *sink,
    const struct tl_report *report);

/* The kind of an event by its name; 0: no such kind. */
unsigned tl_line_read_kind(struct tl_bytes name);
/* Is a kind the begin or end of a span? */
bool tl_line_read_is_span(unsigned kind);

/*
 * Find or make the message that plain fields define: 0, -errno.  If the text
 * cannot be a message, the text becomes the only argument, *whole.  raw is the
 * form of the fields in the line and becomes the key of the cache; NULL: do not
 * cache.
 */
int tl_line_read_message(struct tl_line_read *read,
    const struct tl_message_cache_key *plain,
    const struct tl_message_cache_key *raw, const struct tl_message **message,
    uint64_t *whole);

/* Note that a value does not fit its format. */
static inline void
tl_line_read_odd_value(struct tl_line_read *read)
{
	tl_note(&read->notes, TL_LINE_VALUE, read->at);
}

/* Read the text of an argument of %s or %8s: 0, -errno. */
int tl_line_read_text(struct tl_line_read *read, unsigned format,
    struct tl_bytes text, uint64_t *value);

/*
 * Note the host and timeline of a line, each empty if the line does not name
 * it.  All lines of a file become one timeline; lines that differ are noted.
 */
void tl_line_read_origin(struct tl_line_read *read, struct tl_bytes host,
    struct tl_bytes timeline);

/*
 * Note the names of an event's thread and process; empty: unknown.  0, -ENOMEM.
 */
int tl_line_read_names(struct tl_line_read *read, const struct tl_event *event,
    struct tl_bytes thread, struct tl_bytes process);

/* Put an event: 0, -errno. */
int tl_line_read_give(struct tl_line_read *read, struct tl_event *event);

#endif
