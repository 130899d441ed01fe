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
	TL_LOST /* a loss, or overwritten: only lost, cpu and lane are set */
};

/* Whether an end event carries the time of its begin. */
enum tl_begun {
	TL_BEGUN_UNKNOWN,
	TL_BEGUN,       /* yes; a bare end carries the begin's args as well */
	TL_BEGUN_UNSURE /* yes, but entries were lost in between */
};

#define TL_CPU_UNKNOWN UINT32_MAX

/* tl_event.observed: of the one interval of an input of which no gap is known,
 * and outside of all intervals.  Others are numbers: observe.h. */
#define TL_OBSERVED   UINT64_C(0)
#define TL_UNOBSERVED UINT64_MAX

/*
 * paired is set in the second event of an entry that became two, which does
 * not stand in the place of the entry.  overlaps and sync_us are used where
 * events of several hosts are merged.  A TL_LOST event has level 0, except
 * when an entry of that level reports the loss: then the lost events are not
 * those of its lane.
 */
struct tl_event {
	int64_t ns;                       /* Unix time */
	uint64_t tsc;                     /* raw stamp of its clock */
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
	uint16_t source;  /* index of its input in a merge */
	uint8_t kind;     /* enum tl_kind */
	uint8_t level;    /* level of the message */
	bool bare;        /* end logged without arguments: args are 0 */
	bool continued;   /* begin repeated in a file that continues another */
	bool paired;      /* second event of its entry, see above */
	bool alone;       /* bare end that is begun: its begin is not known, nor
			   * are its args */
	bool moved;       /* the program gave the stamp, which was adjusted */
	bool proven;      /* end that has the stamp of its begin; begin whose
			   * end will have it */
	bool overwritten; /* TL_LOST: newer entries replaced them.  Those before
			   * all entries of a lane are outside of all observed
			   * intervals. */
	bool unread;      /* of those: between two that a follower read */
	uint8_t begun;    /* of an end event: enum tl_begun */
	int64_t steps_ns; /* jumps of its clock before it: tl_event_between */
	int64_t duration_ns; /* of an end event that is begun */
	int64_t begun_ns;    /* of an end event: time of its begin, or 0 */
	uint64_t begun_tsc;  /* of a proven end: the stamp of its begin */
	uint64_t observed; /* the observed interval of its message: observe.h */
	bool overlaps;     /* order unknown to an event of another host */
	uint32_t sync_us;  /* error of the host's clock, added to error_ns */
};

#define TL_SYNC_UNBOUNDED UINT32_MAX /* sync_us: no bound is known */

/* Compare two events of one timeline that have the same ns, in the order of
 * the lanes.  Returns a negative number, 0 or a positive number when a comes
 * before, with or after b. */
int tl_event_compare_tied(const struct tl_event *a, const struct tl_event *b);

/* The length of time from one event to another: the difference of their stamps,
 * which steps of the clock do not change; where stamps do not compare, that of
 * their times.  Never below 0. */
int64_t
tl_event_between(const struct tl_event *from, const struct tl_event *to);

/* Is nothing missing between two events of a message with these observed
 * intervals? */
static inline bool
tl_observed_joins(uint64_t one, uint64_t other)
{
	return one == other && one != TL_UNOBSERVED;
}

/* Has an observed interval ended between the two? */
static inline bool
tl_observed_cut(uint64_t one, uint64_t other)
{
	return one != other && one != TL_UNOBSERVED && other != TL_UNOBSERVED;
}

/* Is it about entries before all others of its lane? */
static inline bool
tl_event_is_start(const struct tl_event *event)
{
	return event->overwritten && !event->unread;
}

/* Are its arguments known?  An end that was logged without has those of its
 * begin, if the begin is. */
static inline bool
tl_event_has_args(const struct tl_event *event)
{
	return !event->bare || (event->begun && !event->alone);
}

/* The name of the kind of this one: "overwritten", too. */
const char *tl_event_kind_name(const struct tl_event *event);
/* The name of a kind of event: "instant", "begin", "end", "counter", "lost". */
const char *tl_kind_name(unsigned kind);
/* The name of a kind of message: "instant", "span", "counter". */
const char *tl_record_kind_name(unsigned kind);
/* The kind of message that events of a kind belong to. */
uint8_t tl_record_kind_of(unsigned kind);

#endif
