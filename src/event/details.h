/* SPDX-License-Identifier: Apache-2.0 */
/*
 * details.h - divide the own time of spans: time that no span within covers.
 *
 *	levels        debug       |   info   |  debug
 *	request     [                                        ]
 *	query          [    ]          ?        ? [     ]
 *	own time    ===......=====++++++++++++++++.......====
 *	            = itself, + details closed
 *
 * The details of a span are the spans that nest directly in spans of its
 * message anywhere in the record; none do in a span of scope TIMELINE_SOURCE.
 * While details are not observed, own time may have passed in details that were
 * not logged; all own time may, of a span that was not known to be open before
 * its end.  Such a detail may last beyond the moment from which details are
 * observed again: until the next span within begins or the span ends.  So each
 * moment of a span is one of: in a span within; itself; details closed (by a
 * level); details overwritten; details lost.
 *
 * Which messages nest is known only at the end.  Levels are ordered: at each
 * moment there is a lowest level that is open.  So own time is kept by that
 * level (struct tl_own) and divided afterwards (tl_details_divide).  Gates of
 * single messages are not ordered: while one of a detail is lower than it was
 * when the detail was logged, and closed, no level counts as open.
 *
 * Times are the ns of the events that are put, oldest first.  The history of
 * the lowest open level is bounded: of older times the levels are not known,
 * and they count as closed.
 */
#ifndef TL_EVENT_DETAILS_H
#define TL_EVENT_DETAILS_H

#include "event/observe.h"
#include "event/spans.h"

enum {
	/* Indices of tl_own.ns beyond the lowest open level. */
	TL_OWN_OVERWRITTEN = TL_OBSERVED_GATES,
	TL_OWN_LOST,
	TL_OWN_KINDS,
	/* The limit of changes that the history of one input keeps. */
	TL_DETAILS_CHANGES_MAX = 1 << 20
};

/* Own time by lowest open level. */
struct tl_own {
	int64_t ns[TL_OWN_KINDS];
};

/* What a moment of own time is. */
enum tl_part_of_own {
	TL_OWN_IS_ITSELF,
	TL_OWN_IS_CLOSED,
	TL_OWN_IS_OVERWRITTEN,
	TL_OWN_IS_LOST,
	TL_OWN_PARTS
};

/* "itself", "details closed", "details overwritten", "details lost". */
extern const char *const tl_own_words[TL_OWN_PARTS];

struct tl_details;

/* Make an object, which owns says whether tl_details_own is used.  Returns 0 or
 * -ENOMEM. */
int tl_details_new(struct tl_details **details, bool owns);
void tl_details_free(struct tl_details *details);

/* Take the next event, of any kind, after spans took it; or take it with NULL
 * for spans, which begins no span, before or instead.  Returns 0 or -ENOMEM. */
int tl_details_put(struct tl_details *details, const struct tl_spans *spans,
    const struct tl_event *event);

/* Add own time of one piece, from the begin of the span or the end of a span
 * within to the end of the span or the begin of a span within.  The times are
 * at most that of the last event. */
void tl_details_between(const struct tl_details *details, uint16_t source,
    int64_t from_ns, int64_t to_ns, struct tl_own *own);
/* The same for a part of a piece, where the parts before come first: *hidden is
 * 0 before the first part, and what may have hidden a detail after this
 * part. */
void tl_details_add(const struct tl_details *details, uint16_t source,
    int64_t from_ns, int64_t to_ns, unsigned *hidden, struct tl_own *own);
/* The index of tl_own.ns at a time.  Lowers *until_ns to the time at which the
 * next index begins, if that is earlier. */
unsigned tl_details_kind(const struct tl_details *details, uint16_t source,
    int64_t ns, int64_t *until_ns);

/* Set the own time of a span that ended with the event that was put last.  Call
 * the function for each span of a thread.  Returns 1; 0 if a span within may be
 * wrong; or -ENOMEM. */
int tl_details_own(struct tl_details *details, const struct tl_span *span,
    struct tl_own *own);

/* Add the parts of own time of spans of a message to parts, as far as the spans
 * put so far show. */
void
tl_details_divide(struct tl_details *details, const struct tl_message *message,
    const struct tl_own *own, int64_t parts[TL_OWN_PARTS]);
/* The time in a piece up to which a span of the message is itself; *rest is the
 * part of what follows. */
int64_t tl_details_until(struct tl_details *details, uint16_t source,
    const struct tl_message *message, int64_t from_ns, int64_t to_ns,
    enum tl_part_of_own *rest);

#endif
