/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_write.h - the common part of writing CSV and JSON lines: a line for each
 * event, kept pieces of messages, and notes about the parts of an event that
 * have no place in a line.
 */
#ifndef TL_FORMAT_LINE_WRITE_H
#define TL_FORMAT_LINE_WRITE_H

#include "event/hosts/origin.h"
#include "event/message_map.h"
#include "event/names.h"
#include "event/writer.h"

enum {
	TL_LINE_NAMES_MAX = 32 + 4 * TL_NAME_MAX,
	/* JSON writes a byte as six, CSV a quote as two */
	TL_LINE_ORIGIN_MAX = 32 + 2 * 6 * TL_ORIGIN_NAME_MAX
};

/* The text of a line that does not come from the event. */
struct tl_line_words {
	struct tl_bytes names;  /* made by put_names */
	struct tl_bytes origin; /* made by put_origin */
	bool has_bound;         /* other hosts have events, too */
};

/* A missing string is written as # and its number. */
struct tl_line_write_kind {
	const char *names; /* first line; NULL: none */
	/* Make the pieces of a message, for event. */
	void (*make)(struct tl_draft *draft, const struct tl_message *message);
	void (*event)(struct tl_text *text, const struct tl_pieces *pieces,
	    const struct tl_event *event, const struct tl_line_words *words);
	/*
	 * Append the names of a thread and its process, which may be empty;
	 * NULL: a line has no place for names.
	 */
	void (*put_names)(struct tl_text *text, struct tl_bytes thread,
	    struct tl_bytes process);
	/* Append the host and the timeline of an event, which may be empty. */
	void (*put_origin)(struct tl_text *text, struct tl_bytes host,
	    struct tl_bytes timeline);
	void (*lost)(struct tl_text *text, const struct tl_event *event,
	    struct tl_bytes origin);
	/* A message with more arguments has no place for a scope. */
	uint8_t scope_argc_max;
	bool is_utf8;       /* bytes that are no UTF-8 are lost */
	bool is_finite;     /* infinite doubles are left out */
	bool has_loss_time; /* a loss has ns and tsc */
	bool has_bounds;    /* a line has the bound of its time */
	/* A line has its origin even if all lines come from one place. */
	bool always_has_origin;
};

/*
 * Make a writer, like tl_writer_new().  The finish of the writer passes on the
 * rest and reports the losses; finish may be called again after more events.
 */
int tl_line_write_new(struct tl_writer **writer,
    const struct tl_line_write_kind *kind, tl_write *write, void *context,
    const struct tl_report *report);

#endif
