/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - the event type that every source yields and every sink takes.
 *
 * A live ring, a snapshot, a recorded trace and an imported file are cursors
 * that yield tl_event; a listing, a script and an exported file are sinks
 * that take them.
 */
#ifndef TL_EVENT_EVENT_H
#define TL_EVENT_EVENT_H

#include "base/bytes.h"
#include "event/message.h"

#include <stdbool.h>
#include <stdint.h>

/* The kind of an event. */
enum tl_kind {
	TL_INSTANT = 1,
	TL_BEGIN,   /* the begin of a span */
	TL_END,     /* the end of a span */
	TL_COUNTER, /* args[0] is the new value of a counter */
	TL_LOST     /* lost entries; message is NULL */
};

/* What an end event carries of its begin.  A reader sets a value other than
 * TL_BEGUN_UNKNOWN where its input says it; event/spans.h takes it as said. */
enum tl_begun {
	TL_BEGUN_UNKNOWN,
	TL_BEGUN,        /* its stamp, its time and the duration */
	TL_BEGUN_UNSURE, /* the same, but the begin may be that of another */
	TL_BEGUN_NONE    /* the record has no begin of the end */
};

struct tl_span;

#define TL_CPU_UNKNOWN UINT32_MAX

/* Values of tl_event.observed.  TL_OBSERVED is the only interval of an input
 * without known gaps; TL_UNOBSERVED is outside of all intervals.  Other values
 * are numbers of intervals (observe.h). */
#define TL_OBSERVED   UINT64_C(0)
#define TL_UNOBSERVED UINT64_MAX

/*
 * An entry that is read as two events, a begin and an end, sets paired in the
 * second event, which does not stand at the place of the entry.  overlaps and
 * sync_us are set where events of several hosts are merged.
 *
 * A TL_LOST event has lost, and cpu, lane and its place in time as far as they
 * are known.  Its level is 0 if entries of its lane are missing; otherwise an
 * entry of that level reported the loss, and the lost events are not entries of
 * its lane.  overwritten says that newer entries replaced the lost entries.
 * Entries that were overwritten before all entries of a lane are outside of all
 * observed intervals; if unread is set as well, the overwritten entries lie
 * between two entries that a follower read.
 */
struct tl_event {
	int64_t ns;                       /* Unix time */
	uint64_t tsc;                     /* raw stamp of the event's clock */
	uint64_t args[TL_ARGS_MAX];       /* raw 64 bits each, 0 past argc */
	const struct tl_message *message; /* NULL only for TL_LOST */
	uint64_t number;                  /* number of the entry in its lane */
	uint64_t lost;     /* TL_LOST: how many entries are missing here */
	uint32_t error_ns; /* bound of the error of ns */
	uint32_t cpu;      /* or TL_CPU_UNKNOWN */
	uint32_t pid;
	uint32_t tid;
	uint32_t epoch; /* stamps of different epochs do not compare */
	uint32_t lane;
	uint16_t source; /* index of its input in a merge */
	uint8_t kind;    /* enum tl_kind */
	uint8_t level;   /* level of the message */
	bool bare;       /* end logged without arguments */
	bool known;      /* bare, and args are those of the begin, not 0 */
	bool continued;  /* begin repeated in a file that continues another */
	bool paired;     /* second event of its entry, see above */
	/* The program gave the stamp; the stamp was adjusted. */
	bool moved;
	/* An end that has the stamp of its begin, as every end of a timer, or a
	 * begin whose end will have the stamp. */
	bool proven;
	bool overwritten; /* TL_LOST: newer entries, see above */
	bool unread;      /* TL_LOST: overwritten between entries read */
	uint8_t begun;    /* of an end event: enum tl_begun */
	/* Details logged at the time of the event may be overwritten. */
	bool partial;
	/* A change of the levels that a selection leaves out: not shown, but
	 * what follows was observed by it (tl_select.levels). */
	bool aside;
	/* The lowest level that priorities opened before the event; 0: not
	 * known. */
	uint8_t base;
	int64_t steps_ns;    /* steps of the clock before the event */
	int64_t duration_ns; /* of an end event that is begun */
	int64_t begun_ns;    /* of an end event: time of its begin, or 0 */
	/* Of a proven end, or one that is begun: the stamp of its begin. */
	uint64_t begun_tsc;
	/* The observed interval of the message (observe.h) that decides whether
	 * begin and end are a pair: TL_OBSERVED for a timer, whose one entry
	 * has both.  stretch is the interval for what lies between two spans or
	 * entries, and differs from observed only for a timer. */
	uint64_t observed;
	uint64_t stretch;
	/* The span that an end has ended, set by the cursor of
	 * tl_spans_cursor(), oldest first; valid as long as the event.  NULL:
	 * none, or not asked. */
	const struct tl_span *span;
	bool overlaps;    /* order relative to another host is unknown */
	uint32_t sync_us; /* error of the host's clock, besides error_ns */
};

#define TL_SYNC_UNBOUNDED UINT32_MAX /* sync_us: no bound is known */

/* Compare two events of one timeline that have the same ns, in the order of
 * the lanes.  Returns a negative number, 0 or a positive number when a comes
 * before, with or after b. */
int tl_event_compare_tied(const struct tl_event *a, const struct tl_event *b);

/* The length of time from one event to another, never below 0: the difference
 * of the stamps, which steps of the clock do not change.  Stamps of different
 * clocks or epochs do not compare, so there the difference of the times. */
int64_t
tl_event_between(const struct tl_event *from, const struct tl_event *to);

/* The time of a stamp between two events of one epoch, by interpolation: that
 * of a or b for a stamp that is not between them. */
int64_t tl_event_time_at(const struct tl_event *a, const struct tl_event *b,
    uint64_t tsc);

/* Make an end proven, for a reader whose stamps are times and whose input says
 * when the span began.  An end before that time stays as the end is. */
void tl_event_prove(struct tl_event *end, int64_t begun_ns);

/* Is nothing missing between two events of a message that have these observed
 * intervals? */
static inline bool
tl_observed_joins(uint64_t one, uint64_t other)
{
	return one == other && one != TL_UNOBSERVED;
}

/* Has an observed interval ended between two events of these intervals? */
static inline bool
tl_observed_cut(uint64_t one, uint64_t other)
{
	return one != other && one != TL_UNOBSERVED && other != TL_UNOBSERVED;
}

/* Does the loss concern entries before all others of its lane? */
static inline bool
tl_event_is_start(const struct tl_event *event)
{
	return event->overwritten && !event->unread;
}

/* Does an end event carry the duration, sure or not? */
static inline bool
tl_event_is_begun(const struct tl_event *end)
{
	return end->begun == TL_BEGUN || end->begun == TL_BEGUN_UNSURE;
}

/* Does an end event say by a stamp which begin belongs to it? */
static inline bool
tl_event_is_stamped(const struct tl_event *end)
{
	return end->proven || tl_event_is_begun(end);
}

/* Has the event arguments, its own or those of its begin? */
static inline bool
tl_event_has_args(const struct tl_event *event)
{
	return !event->bare || event->known;
}

/*
 * Does the event count for rates?  A span counts once, at the entry whose level
 * decides whether the span is logged: at its begin, because a proven end is
 * logged at any level, or at the only entry of a timer's span.
 */
static inline bool
tl_event_counts(const struct tl_event *event)
{
	return event->message->timer ? event->kind == TL_END
				     : event->kind != TL_END;
}

/* The name of the event's kind, or "overwritten". */
const char *tl_event_kind_name(const struct tl_event *event);
/* The name of a kind of event: "instant", "begin", "end", "counter", "lost". */
const char *tl_kind_name(unsigned kind);
/* The name of a kind of message: "instant", "span", "counter". */
const char *tl_record_kind_name(unsigned kind);
/* The name of the format of an argument: "unsigned", "string". */
const char *tl_arg_format_name(unsigned format);
/* The kind of message that events of a kind belong to. */
uint8_t tl_record_kind_of(unsigned kind);

#endif
