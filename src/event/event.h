/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - the waist: one event type between every source and every sink.
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

/* What an event is. */
enum tl_kind {
	TL_INSTANT = 1,
	TL_BEGIN,   /* a span begins ... */
	TL_END,     /* ... ends */
	TL_COUNTER, /* args[0] is a new value */
	TL_LOST     /* nothing but a hole: lost, cpu and lane are set */
};

/* What an end knows of its begin. */
enum tl_begun {
	TL_BEGUN_UNKNOWN,
	TL_BEGUN,       /* its time; args are those of the begin if bare */
	TL_BEGUN_UNSURE /* the same, but entries were lost in between */
};

#define TL_CPU_UNKNOWN UINT32_MAX

struct tl_event {
	int64_t ns;                       /* Unix time */
	uint64_t tsc;                     /* raw stamp of its clock */
	uint64_t args[TL_ARGS_MAX];       /* raw 64 bits each, 0 past argc */
	const struct tl_message *message; /* NULL only for TL_LOST */
	uint64_t number;                  /* of the entry in its lane */
	uint64_t lost;     /* TL_LOST: how many entries are missing here */
	uint32_t error_ns; /* bound of the error of ns */
	uint32_t cpu;      /* or TL_CPU_UNKNOWN */
	uint32_t pid;
	uint32_t tid;
	uint32_t epoch; /* stamps of different epochs do not compare */
	uint32_t lane;
	uint16_t source;  /* which input of a merge */
	uint8_t kind;     /* enum tl_kind */
	uint8_t level;    /* of the message; of TL_LOST 0, unless an entry of
			   * this level says it: of other events than those
			   * that its lane lost */
	bool bare;        /* an end that was logged without arguments: all 0 */
	bool continued;   /* a begin told once more, in a file that goes on
			  * from another */
	bool paired;      /* of an entry that is two events: the one that does
			   * not stand where the entry does */
	bool moved;       /* its stamp was given, and not kept as it was */
	uint8_t begun;    /* of an end: is begun_ns known? enum tl_begun */
	int64_t begun_ns; /* of an end that knows its begin: when; 0 */
	bool overlaps;    /* of several hosts: it may have come before or after
			  * a neighbour of another one */
	uint32_t sync_us; /* of several hosts: bound of the error of its host's
			   * clock, beyond error_ns */
};

#define TL_SYNC_UNBOUNDED UINT32_MAX /* nobody can say */

/* Two events of one timeline that have the same ns, in the order of its lanes:
 * negative, 0, positive: a comes before, with, after b. */
int tl_event_compare_tied(const struct tl_event *a, const struct tl_event *b);

/* The word of the program for a kind: "instant", "begin", ... */
const char *tl_kind_name(unsigned kind);
/* ... and for that of a message: "instant", "span", "counter". */
const char *tl_record_kind_name(unsigned kind);
/* The kind of message that an event of this kind is of. */
uint8_t tl_record_kind_of(unsigned kind);

#endif
