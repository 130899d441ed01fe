/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.h - find the begin that belongs to an end.
 *
 * The caller feeds the events oldest first.  A begin is kept until its end
 * comes: last in first out per (message, pid, tid), and per message alone if
 * the scope of the message is TIMELINE_SOURCE.  A begin and an end in different
 * observed intervals (observe.h) are no pair: the begin is cut.
 *
 * A proven end has the stamp of its begin.  A proven end ends the span of that
 * stamp, whether or not the begin was put, is cut, or has other begins on top
 * of it; those other begins have no end then.  The pair is unsure only if the
 * begin belongs to another process: the process was forked within the span.
 *
 * If another thread logs the proven end of a span whose scope is
 * TIMELINE_THREAD, the span ends there all the same.
 *
 * An end that says its begin (tl_begun), as in a file that was converted, ends
 * the span of that stamp, too; the span is unsure if the end says so.  An end
 * that says that it has no begin ends no span, and begins that are open then
 * have no end.
 *
 * Another end ends the last begin that is open at the end, as
 * timeline.h promises, unless the begin says that its end will have a stamp.
 * What comes later changes no pair, so that live, recorded, oldest first and
 * newest first are alike: if an end with the stamp of that begin follows, both
 * are ends of the begin, and the second counts as an end whose begin is not
 * known.
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
#include "event/observe.h"

enum {
	/* The limit of begins kept at once; a further begin replaces the
	 * oldest. */
	TL_SPANS_OPEN_MAX = 1 << 16
};

struct tl_spans;

/* A span: its begin and, once the end has come, its end. */
struct tl_span {
	const struct tl_message *message;
	uint64_t args[TL_ARGS_MAX]; /* of the begin */
	int64_t begin_ns;
	int64_t begin_steps_ns; /* steps_ns of the begin; 0: alone */
	int64_t end_ns;         /* 0 while open */
	int64_t duration_ns;    /* tl_event_between; 0 while open */
	uint32_t
	    begin_error_ns; /* of the begin's time; 0 if the begin is alone */
	uint32_t begin_sync_us;
	uint64_t begin_tsc;
	uint64_t end_tsc; /* stamps compare within an epoch */
	uint32_t begin_epoch;
	uint32_t end_epoch;
	uint32_t begin_cpu;
	uint32_t end_cpu;
	uint32_t begin_lane; /* lane and number of the begin's entry */
	uint64_t begin_number;
	/* The thread of the begin.  The thread of the end may differ if the
	 * scope is TIMELINE_SOURCE. */
	uint32_t pid;
	uint32_t tid;
	/* The number of spans of its thread open around the span when it began.
	 * 0 if the scope is TIMELINE_SOURCE: such spans may overlap, and none
	 * is around another. */
	uint32_t depth;
	uint32_t nesting; /* how many of them have the same message */
	uint16_t source;
	/* Entries may be missing between begin and end, so the pair may be
	 * wrong.  For an open span, the end may be missing. */
	bool lossy;
	bool cut; /* open span whose observed interval has ended */
	/* The end has the stamp of the begin.  An open span is proven if its
	 * end will have the stamp: the span is then still open even if its
	 * observed interval has ended. */
	bool proven;
	bool late;  /* stamped, not known to be open before its end */
	bool alone; /* the begin was not put: args are the end's */
	bool bare;  /* alone, and the end has no args: unknown */
	/* Another thread ended the span, whose scope is TIMELINE_THREAD: a
	 * mistake of the program. */
	bool handed;
	bool overlaps;     /* overlaps of the begin */
	uint64_t observed; /* of the begin */
	uint64_t stretch;
	uint64_t id; /* of the begin: tl_spans_is_around(); 0: alone */
};

/* The begin of a span, as an event. */
struct tl_event tl_span_begin(const struct tl_span *span);

/*
 * Is the span known to have lasted from its begin to its end or, if it is open,
 * to the last event?  Only such a span is drawn, measured and counted.  Writers
 * keep the begin and the end of any other span as two events of which no reader
 * makes a span.
 */
static inline bool
tl_span_is_sure(const struct tl_span *span)
{
	return !span->lossy && !span->cut;
}

struct tl_spans_count {
	uint64_t paired;
	uint64_t lonely_begins; /* still open, or forgotten beyond the limit */
	uint64_t lonely_ends;   /* ends without a begin */
	/* Lonely begins whose observed interval ended before their end came. */
	uint64_t cut;
};

/* Returns 0 or -ENOMEM. */
int tl_spans_new(struct tl_spans **spans);
void tl_spans_free(struct tl_spans *spans);

/*
 * Take the next event, of any kind.  Returns 1 when the event ended a span, and
 * sets *span; otherwise 0, also for an end without a begin; or -ENOMEM.  span
 * may be NULL unless the event has a stamp of its begin (tl_event_is_stamped).
 */
int tl_spans_put(struct tl_spans *spans, const struct tl_event *event,
    struct tl_span *span);

/* For a caller that puts events newest first and puts ends as begins: take the
 * begin that was put as proven with the message and stamp of event, and with
 * begun and begun_ns of its end.  Returns 1 and sets *span, or 0 if there is no
 * such begin. */
int tl_spans_take(struct tl_spans *spans, const struct tl_event *event,
    struct tl_span *span);

/* Does the next begin have no room?  If so, *oldest is the begin that is
 * forgotten for it. */
bool tl_spans_forgets(const struct tl_spans *spans, struct tl_span *oldest);

/*
 * The number of spans open around an event: the depth of a span that would
 * begin at the event.  A span whose end may be missing is not around a later
 * event: its observed interval has ended, entries were lost since, or it began
 * before the entries of its thread are complete; unless a span inside it is
 * around the event.  A span inside a span with a proven end is not around what
 * follows.  No span is around one whose scope is TIMELINE_SOURCE.
 */
uint32_t tl_spans_depth(struct tl_spans *spans, const struct tl_event *event);
/* The begin of the innermost span around an event, until the next put; NULL:
 * there is none. */
const struct tl_event *
tl_spans_around(struct tl_spans *spans, const struct tl_event *event);
/* The begin of the span around the span of a thread that was begun last; NULL:
 * there is none. */
const struct tl_event *tl_spans_outer(const struct tl_spans *spans);
/* The id of the span whose begin was put last. */
uint64_t tl_spans_begun(const struct tl_spans *spans);
/* The span with this id, if it has not ended; false: it has ended, or is
 * forgotten. */
bool
tl_spans_find(const struct tl_spans *spans, uint64_t id, struct tl_span *span);
/* Is the span with this id in the stack of its thread, as of the last begin or
 * question of depth?  Then the span is around the next event of the thread. */
bool tl_spans_is_around(const struct tl_spans *spans, uint64_t id);

/* May the end of an open span with this id still be paired with certainty at a
 * later place of its input?  Otherwise entries were lost since the begin, or
 * the observed interval of the begin has ended there, unless the end will be
 * proven. */
bool tl_spans_lasts(const struct tl_spans *spans, uint64_t id,
    struct tl_observed_from place);
/* Has the caller put no begin that an end could have, open or not? */
bool tl_spans_is_first(struct tl_spans *spans, const struct tl_event *end);

/* The counts so far. */
void
tl_spans_counts(const struct tl_spans *spans, struct tl_spans_count *count);

/* Get the begins without an end so far, oldest first: start with *index 0 and
 * call until false.  A span that is cut is not open; it may have ended
 * since. */
bool tl_spans_open(const struct tl_spans *spans, uint32_t *index,
    struct tl_span *span);

/*
 * == ends that know their begins ==
 *
 * A listing shows at the end of a span the duration and, if the end was logged
 * without arguments, the arguments of its begin.  Oldest first, the begin was
 * put before the end.  Newest first, the begin is still to come: the entries
 * from an end on wait in memory, at most window of them, until the begin is
 * read.  An end is pushed on a stack and its begin pops the end.
 */

/* Take the next event as tl_spans_put() does, and complete an end: set
 * event->begun, begun_tsc, begun_ns and duration_ns, and the arguments of a
 * bare end. */
int tl_spans_complete(struct tl_spans *spans, struct tl_event *event,
    struct tl_span *span);
/* Complete the end of a span that has ended. */
void tl_span_complete(const struct tl_span *span, struct tl_event *end);

enum {
	/* The limit of waiting entries, 44 MiB; most spans have few entries
	 * between their ends. */
	TL_SPANS_WINDOW = 1 << 18
};

/* Make a cursor that completes every end, unless more than window entries lie
 * between the end and its begin; oldest first, the cursor sets event->span.
 * The cursor owns inner, also on failure.  Returns 0 or -ENOMEM. */
int tl_spans_cursor(enum tl_order order, size_t window, struct tl_cursor *inner,
    struct tl_cursor **cursor);

#endif
