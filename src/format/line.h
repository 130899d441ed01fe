/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - the common part of CSV and JSON lines: a line for each event, with
 * the same members.
 *
 * Reading: a line is split into values, of which an event is made.  Writing:
 * kept pieces of messages, and notes about the parts of an event that have no
 * place in a line.
 */
#ifndef TL_FORMAT_LINE_H
#define TL_FORMAT_LINE_H

#include "base/lines.h"
#include "event/event.h"
#include "event/hosts/origin.h"
#include "event/intern.h"
#include "event/message_map.h"
#include "event/names.h"
#include "event/reader.h"
#include "event/writer.h"

#include <stddef.h>
#include <string.h>

/* == reading == */

/* What a line may have.  PRIORITY is the first of TL_MESSAGE_CACHE_PARTS. */
enum tl_line_member {
#define MEMBER(constant, name) TL_LINE_##constant,
#include "format/line_members.def"
#undef MEMBER
	TL_LINE_MEMBERS
};

/* A value in a line. */
struct tl_line_value {
	enum {
		TL_LINE_ABSENT, /* also an empty column */
		TL_LINE_NULL,
		TL_LINE_WHOLE, /* digits, perhaps behind a minus */
		TL_LINE_WORD,  /* another word without quotes */
		TL_LINE_TEXT,
		TL_LINE_ESCAPED, /* a text that may have escapes */
		TL_LINE_OBJECT
	} kind;
	struct tl_bytes text; /* as in the line, or without escapes */
	uint64_t number;      /* of TL_LINE_WHOLE: what the digits say */
};

/* Further arguments are left out. */
enum { TL_LINE_ARGS_MAX = 16 };

/* A line, split into values.  All but args starts from zeros. */
struct tl_line_row {
	struct tl_line_value members[TL_LINE_MEMBERS];
	/* The guessed message of the line; NULL: none. */
	const struct tl_message_cache_slot *slot;
	bool is_plain;  /* the texts are not as in the line */
	unsigned count; /* number of arguments */
	/* The name and the value of each. */
	struct tl_line_value args[2 * TL_LINE_ARGS_MAX];
};

static inline void
tl_line_row_clear(struct tl_line_row *row)
{
	memset(row, 0, offsetof(struct tl_line_row, args));
}

struct tl_line_read;

struct tl_line_read_kind {
	const char *name; /* shown in diagnostics */
	/*
	 * Split a line, and read it by tl_line_read_row().  0; -EBADMSG: not a
	 * line of the format; -errno.
	 */
	int (*line)(struct tl_line_read *read, struct tl_bytes line);
	/*
	 * Get a text without escapes, in place or appended to scratch, which
	 * has room for the text.  The data is NULL if the value is no text.  0,
	 * -EBADMSG, -ENOMEM.
	 */
	int (*text)(struct tl_line_read *read,
	    const struct tl_line_value *value, struct tl_bytes *text);
	/* Free the members behind tl_line_read; may be NULL. */
	void (*free)(struct tl_line_read *read);
	bool has_timeless_losses; /* losses have no time */
	/* Arguments are found by name, scopes are members, 12.0 is whole. */
	bool is_json;
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

/* Read the event of a line and put it: 0; -EBADMSG: it is none; -errno. */
int tl_line_read_row(struct tl_line_read *read, const struct tl_line_row *row);

/*
 * Take the values from priority to kind, if they are those of the guessed
 * message.  between is the text before each of them and after the last.
 */
static inline bool
tl_line_read_guess(const struct tl_line_read *r, struct tl_scan *s,
    struct tl_line_row *row, const struct tl_bytes between[5])
{
	const struct tl_message_cache_slot *guess =
	    tl_message_cache_guess(&r->cache);
	const char *part = guess->data;
	struct tl_scan t = *s;

	if (!guess->message || !tl_scan_skip(&t, between[0]))
		return false;
	for (unsigned i = 0; i < TL_MESSAGE_CACHE_PARTS; i++) {
		row->members[TL_LINE_PRIORITY + i] =
		    (struct tl_line_value){ TL_LINE_ESCAPED,
			    tl_bytes(t.at, guess->sizes[i]), 0 };
		if (!tl_scan_skip(&t, tl_bytes(part, guess->sizes[i])) ||
		    !tl_scan_skip(&t, between[i + 1]))
			return false;
		part += guess->sizes[i];
	}
	if (!tl_scan_skip(&t, tl_bytes_of(tl_kind_name(guess->kind))) ||
	    !tl_scan_skip(&t, between[4]))
		return false;
	row->slot = guess;
	*s = t;
	return true;
}

/* Take the digits of a value, and a minus before them; false: no digits. */
static inline bool
tl_line_read_digits(struct tl_scan *s, struct tl_line_value *value)
{
	const char *start = s->at;
	const char *at = start + (start < s->end && *start == '-');
	size_t count = 1;

	if (s->end - at > 1 && tl_is_digit(at[0]) && !tl_is_digit(at[1]))
		value->number = (uint64_t)(at[0] - '0');
	else
		count = tl_number_take(tl_bytes(at, (size_t)(s->end - at)),
		    &value->number);
	s->at = at + count;
	value->kind = TL_LINE_WHOLE;
	value->text = tl_bytes(start, (size_t)(s->at - start));
	return count > 0;
}

/* == writing == */

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
