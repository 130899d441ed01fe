/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_write.h - what writing CSV and writing JSON lines have in common: a
 * line for an event, pieces of messages that are kept, and what of an event
 * has no place in a line.
 */
#ifndef TL_FORMAT_LINE_WRITE_H
#define TL_FORMAT_LINE_WRITE_H

#include "event/hosts/origin.h"
#include "event/message_map.h"
#include "event/names.h"
#include "event/writer.h"

enum {
	TL_LINE_NAMES_MAX = 32 + 4 * TL_NAME_MAX,
	/* JSON writes a byte in six, CSV a quote in two */
	TL_LINE_ORIGIN_MAX = 32 + 2 * 6 * TL_ORIGIN_NAME_MAX
};

/* What the text of a line takes from elsewhere than the event. */
struct tl_line_words {
	struct tl_bytes names;  /* that put_names made */
	struct tl_bytes origin; /* that put_origin made */
	bool has_bound;         /* other hosts have events, too */
};

/* Every string is a text of its own or, without one, # and its number. */
struct tl_line_write_kind {
	const char *names; /* the first line; NULL: there is none */
	/* The pieces of a message, for event. */
	void (*make)(struct tl_draft *draft, const struct tl_message *message);
	void (*event)(struct tl_text *text, const struct tl_pieces *pieces,
	    const struct tl_event *event, const struct tl_line_words *words);
	/* The names of a thread and its process, which may be empty; NULL:
	 * they have no place. */
	void (*put_names)(struct tl_text *text, struct tl_bytes thread,
	    struct tl_bytes process);
	/* The host and the timeline of an event, which may be empty. */
	void (*put_origin)(struct tl_text *text, struct tl_bytes host,
	    struct tl_bytes timeline);
	void (*lost)(struct tl_text *text, const struct tl_event *event,
	    struct tl_bytes origin);
	/* With more arguments than these there is no place for a scope. */
	uint8_t scope_argc_max;
	bool is_utf8;       /* texts lose what is not */
	bool is_finite;     /* doubles that are not are left out */
	bool has_loss_time; /* a loss has ns and tsc */
	bool has_bounds;    /* a line has the error of its host's clock */
	/* A line says where it comes from also where all come from one place. */
	bool always_has_origin;
};

/* As tl_writer_new.  The finish of such a writer passes on the rest, reports
 * what was left out, and may be called again after more events. */
int tl_line_write_new(struct tl_writer **writer,
    const struct tl_line_write_kind *kind, tl_write *write, void *context,
    const struct tl_report *report);

#endif
