/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_write.h - what writing CSV and writing JSON lines have in common: a
 * line for an event, pieces of messages that are kept, and what of an event
 * has no place in a line.
 */
#ifndef TL_FORMAT_LINE_WRITE_H
#define TL_FORMAT_LINE_WRITE_H

#include "event/message_map.h"
#include "event/names.h"
#include "event/writer.h"

enum { TL_LINE_NAMES_MAX = 32 + 4 * TL_NAME_MAX };

/* Every string is a text of its own or, without one, # and its number. */
struct tl_line_write_kind {
	const char *names; /* the first line; NULL: there is none */
	/* The pieces of a message, for event. */
	void (*make)(struct tl_draft *draft, const struct tl_message *message);
	/* host: where it comes from; NULL where all come from one.  names: what
	 * put_names made, at most TL_LINE_NAMES_MAX bytes. */
	void (*event)(struct tl_text *text, const struct tl_pieces *pieces,
	    const struct tl_event *event, const struct tl_origin *host,
	    struct tl_bytes names);
	/* The names of a thread and its process, which may be empty; NULL:
	 * they have no place. */
	void (*put_names)(struct tl_text *text, struct tl_bytes thread,
	    struct tl_bytes process);
	void (*lost)(struct tl_text *text, const struct tl_event *event,
	    const struct tl_origin *host);
	/* With more arguments than these there is no place for a scope. */
	uint8_t scope_argc_max;
	bool is_utf8;       /* texts lose what is not */
	bool is_finite;     /* doubles that are not are left out */
	bool has_loss_time; /* a loss has ns and tsc */
	bool has_hosts;     /* a line has its host and the error of its time */
};

/* As tl_writer_new.  The finish of such a writer passes on the rest, reports
 * what was left out, and may be called again after more events. */
int tl_line_write_new(struct tl_writer **writer,
    const struct tl_line_write_kind *kind, tl_write *write, void *context,
    const struct tl_report *report);

#endif
