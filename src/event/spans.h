/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - find the begin that belongs to an end.
 *
 * Feed it events oldest first.  A begin is kept until its end comes: last in
 * first out per (message, pid, tid), and per message alone where the scope of
 * the message is TIMELINE_SOURCE.  A begin and an end in different observed
 * intervals (observe.h) are no pair: the begin is cut.
 *
 * A proven end has the stamp of its begin: it ends the span of that stamp,
 * whether or not its begin was put, is cut, or has other begins on top of it;
 * those have no end then.  Only a begin of another process makes it unsure: the
 * process was forked within the span.
 *
 *	tl_spans_new(&spans);
 *	while ((rc = tl_cursor_next(cursor, &event)) > 0)
 *		if (tl_spans_put(spans, &event, &span) == 1)
 *			... span.duration_ns, span.depth ...
 *	tl_spans_free(spans);
 */
#ifndef TL_EVENT_SPANS_H
#define TL_EVENT_SPANS_H

#include "event/cursor.h"
#include "event/merge.h"

enum {
	/* Begins kept at once; the oldest is forgotten for one more. */
	TL_SPANS_OPEN_MAX = 1 << 16
};

struct tl_spans;

/* A begin, and where its end has come, both. */
struct tl_span {
	const struct tl_message *message;
	uint64_t args[TL_ARGS_MAX]; /* of the begin */
	int64_t begin_ns;
	int64_t end_ns;      /* 0 while open */
	int64_t duration_ns; /* as tl_event_between; 0 while open */
	uint32_t
	    begin_error_ns; /* as those of the begin; 0 where it is alone */
	uint32_t begin_sync_us;
	uint64_t begin_tsc;
	uint64_t end_tsc; /* compare only where epochs are equal */
	uint32_t begin_epoch;
	uint32_t end_epoch;
	uint32_t begin_cpu;
	uint32_t end_cpu;
	uint32_t pid; /* of the begin; that of the end may differ */
	uint32_t tid; /* where the scope is TIMELINE_SOURCE */
	/* Spans open around it when it began, of any message: of its thread,
	 * or of its message where the scope is TIMELINE_SOURCE. */
	uint32_t depth;
	uint32_t nesting; /* of these, of the same message */
	uint16_t source;
	/* Entries may be missing between the two: the pair may be wrong.  Of an
	 * open span: its end may be missing. */
	bool lossy;
	bool cut; /* of tl_spans_open: its observed interval has ended */
	/* By the stamp that its end has; of an open span, its end will have it:
	 * so it is still open, although its observed interval has ended. */
	bool proven;
	bool late;     /* proven, and was not known to be open before its end */
	bool alone;    /* its begin was not put: args are those of the end */
	bool bare;     /* ... which was logged without: args are not known */
	bool overlaps; /* as that of the begin */
	uint64_t observed; /* as that of the begin */
};

/* The begin of a span, as an event. */
struct tl_event tl_span_begin(const struct tl_span *span);

/*
 * Is it known that the span was, from its begin to its end or, if it is open, to
 * the last event?  Only such a span is drawn, measured and counted.  Of any
 * other, writers keep the begin and the end as two events of which no reader
 * makes a span.
 */
static inline bool
tl_span_is_sure(const struct tl_span *span)
{
	return !span->lossy && !span->cut;
}

struct tl_spans_count {
	uint64_t paired;
	uint64_t lonely_begins; /* still open, or forgotten as too many */
	uint64_t lonely_ends;   /* had no begin */
	uint64_t cut; /* lonely begins: their observed interval ended before
		       * their end came */
};

/* 0 or -ENOMEM. */
int tl_spans_new(struct tl_spans **spans);
void tl_spans_free(struct tl_spans *spans);

/*
 * Take the next event, of any kind.  1 when it ended a span, which *span then
 * describes; 0 otherwise; -ENOMEM.  An end without a begin gives 0.
 */
int tl_spans_put(struct tl_spans *spans, const struct tl_event *event,
    struct tl_span *span);

/* For a caller who puts events newest first, ends as begins: take what was put
 * as a proven begin of the message with this stamp, as begins of the span do
 * its end.  1; 0: there is none. */
int tl_spans_take(struct tl_spans *spans, const struct tl_event *event,
    struct tl_span *span);

/* Does the next begin have no place?  Then *oldest is the one that is forgotten
 * for it. */
bool tl_spans_forgets(const struct tl_spans *spans, struct tl_span *oldest);

/* How many spans are open around this event: what tl_span.depth would be if
 * one began here.  For drawing instants within a tree. */
uint32_t tl_spans_depth(struct tl_spans *spans, const struct tl_event *event);

/* The counts so far. */
void
tl_spans_counts(const struct tl_spans *spans, struct tl_spans_count *count);

/* The begins without an end so far, oldest first: start with *index 0, goes on
 * until false.  A span that is cut may have ended since; it is not open. */
bool tl_spans_open(const struct tl_spans *spans, uint32_t *index,
    struct tl_span *span);

/*
 * == ends that know their begins ==
 *
 * A listing shows at the end of a span how long it took and, where the end was
 * logged without arguments, those of its begin.  Oldest first the begin was
 * seen before.  Newest first it is still to come: the entries from an end on
 * wait until its begin is read, in memory, window of them at the most: an end
 * is pushed and its begin pops it.
 */

/* Complete an end of events that come oldest first: set event->begun, begun_ns
 * and the arguments of one that is bare.  Any other event only passes through
 * tl_spans_put().  0 or -ENOMEM. */
int tl_spans_complete(struct tl_spans *spans, struct tl_event *event);

enum {
	/* Entries that wait: 44 MiB; of most spans only few come between. */
	TL_SPANS_WINDOW = 1 << 18
};

/* The events of a cursor with every end completed, unless more than window
 * entries are between it and its begin.  It owns inner, also when it fails.
 * 0 or -ENOMEM. */
int tl_spans_cursor(enum tl_order order, size_t window, struct tl_cursor *inner,
    struct tl_cursor **cursor);

#endif
