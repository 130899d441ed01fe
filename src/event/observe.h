/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.h - when the record was looking.
 *
 * A moment is observed for a message if an entry of the message logged then
 * would be in the record.  The record does not look where entries were
 * overwritten, where levels are closed (a priority, the time between bursts or
 * between open slots), and where it is not known that they were open.
 *
 *	closed        burst              closed     burst
 *	............[ begin end begin ].........[ end begin ... ]
 *	             number 5                    number 6
 *
 * The observed intervals of a message are numbered, and each event gets the
 * number of its interval.  Two events of one message with one number have
 * nothing missing between them: so an end belongs to a begin only if both have
 * the same number.
 *
 * An observer is fed all events of one input, in order of time in either
 * direction, before any of them is left out by a filter.
 *
 * Changes of the levels govern the events after them.  An observer that is to
 * be fed newest first gets all changes in advance, oldest first, and keeps what
 * the numbers follow from after each of them.  An event then gets its
 * number by the same rule in both directions:
 *
 *	changes            burst          plan           burst
 *	states kept    0     |      1       |      2       |      3
 *	events        .......+.......<......+.......<......+.......< fed
 *
 * Recordings are not read in advance.  Newest first, a burst of a recording that
 * begins within another begins a new interval, because the entry of the first
 * burst is not read yet.
 *
 * The gate of a message changes by itself, too (timeline_level).  Where entries
 * name the message, only its own intervals end, and its gate is known at each
 * event.  A table has the messages that were named.  An entry that names none
 * may have changed any gate.
 *
 * Silence, or a span that is still open, has no event.  A reader that concludes
 * something from either asks an observer that is fed oldest first since when a
 * gate is open, and for how long the gate was open in all.  The time of a
 * burst ends with its last stamp, whether or not an entry follows.
 *
 * Rejected: to compare stamps of begins with a table of intervals, which grows
 * with the number of bursts, and which each reader would have to ask.
 */
#ifndef TL_EVENT_OBSERVE_H
#define TL_EVENT_OBSERVE_H

#include "event/event.h"
#include "event/levels.h"
#include "event/merge.h"

enum {
	TL_OBSERVED_GATES = TIMELINE_LEVEL_NONE + 1,
	/* Slots between two events that are looked at; further apart, the two
	 * are in different intervals. */
	TL_SLOTS_JOINED_MAX = 4096,
	/* Messages whose gates are known apart from those of others. */
	TL_NAMED_GATES_MAX = 32,
	TL_GATE_CLAIMS_MAX = 4,
	TL_PLAN_ENTRIES_MAX = TIMELINE_LEVEL_MAX
};

/* A place in time: stamps of one epoch compare. */
struct tl_observed_from {
	uint32_t epoch;
	uint64_t tsc;
};

static inline bool
tl_observed_before(struct tl_observed_from one, struct tl_observed_from other)
{
	return one.epoch != other.epoch ? one.epoch < other.epoch
					: one.tsc < other.tsc;
}

static inline struct tl_observed_from
tl_observed_place(const struct tl_event *event)
{
	return (struct tl_observed_from){ event->epoch, event->tsc };
}

/* A change of a gate that was logged, and is not known to have been made. */
struct tl_gate_claim {
	uint32_t pid;
	uint32_t tid;
	uint8_t to;
	uint8_t low; /* the lowest gate of the changes meanwhile */
};

/* A message that entries of levels name. */
struct tl_named_gate {
	uint32_t message; /* its id */
	uint8_t gate;     /* the lowest that it may have */
	uint8_t floor;    /* the lowest of claims that had no room */
	uint8_t claim_count;
	struct tl_gate_claim claims[TL_GATE_CLAIMS_MAX];
	uint64_t change; /* its number */
};

struct tl_named_gates {
	uint32_t unnamed; /* entries to come that name no message */
	uint32_t count;
	struct tl_named_gate list[TL_NAMED_GATES_MAX];
};

/* What is known at the event that is fed first. */
struct tl_observed_start {
	/* Newest first is a recording, whose changes are not known in advance. */
	enum tl_order order;
	uint32_t tiers; /* lanes of CPUs take turns by tier; 1 or 2 */
	/* by tier: before this an entry may be missing in some lane */
	struct tl_observed_from complete_from[TIMELINE_TIERS_MAX];
	/* Levels at the first event: 0 is unknown.  A burst that is in progress
	 * counts as closed until the next change. */
	uint8_t base;
	/* The gates of messages are those at the event: else the gate at the
	 * time of an event is not known. */
	bool gates;
	/* Entries of levels name messages by their ids; else each of them ends all
	 * intervals. */
	bool named;
	bool unnamed_all; /* too many are named: as if none were */
	/* no entry is missing: messages that are not named are as defined */
	bool defined;
	/* The gates once all unnamed entries were fed; before that no gate was
	 * lower than the floor, unless it was so by its definition. */
	struct tl_named_gates named_gates;
	uint8_t floor;
	/* of the plan of slots that is in force at the first event */
	uint32_t plan_count;
	struct tl_plan_entry plan[TL_PLAN_ENTRIES_MAX];
};

/* The last interval in which a gate was open; empty (since is to) without one.
 * Where it is open, the interval lasts and to is the stamp of the question. */
struct tl_observed {
	bool open;
	uint64_t since;
	uint64_t to;
	uint64_t ticks; /* in all intervals up to to, of slots as well */
};

/* What the number of an interval follows from, with the gates of messages: the
 * levels and the plan of slots in force. */
struct tl_observed_now {
	uint8_t threshold; /* 0: unknown */
	uint8_t base;      /* 0: unknown */
	uint32_t until_epoch;
	uint64_t until; /* the first stamp after the burst */
	uint64_t numbers[TL_OBSERVED_GATES];
	/* by tier: lanes that miss entries, and the number of the last end of
	 * such a loss */
	uint32_t missing[TIMELINE_TIERS_MAX];
	uint64_t losses[TIMELINE_TIERS_MAX];
	/* shares are 0 without a plan */
	uint32_t shares[TL_OBSERVED_GATES];
	uint64_t seed;
	uint64_t lease;
	uint32_t plan_epoch;
	uint8_t shift;
	bool has_plan;
	uint64_t plan; /* its number: slots of two plans are in no run */
};

struct tl_observed_state; /* after a change: observe/back.c */

struct tl_observer {
	struct tl_observed_start start;
	struct tl_observed_now now;
	struct tl_level_claim claim; /* the last change */
	bool changed;                /* there was one */
	bool plan_unknown; /* a recording newest first: not read yet */
	struct tl_named_gates gates;
	const struct tl_named_gates *loaded; /* newest first: in their place */
	uint64_t count;                      /* intervals so far */
	/* Newest first: what is kept after each change, and before the first;
	 * that of the last event is loaded. */
	struct tl_observed_state *states;
	size_t state_count;
	size_t state;
	/* oldest first: by gate, while levels open it */
	bool begun;
	bool blind; /* entries are lost */
	uint32_t epoch;
	uint64_t last;                     /* stamp: latest of the events */
	uint64_t since[TL_OBSERVED_GATES]; /* of the last interval */
	uint64_t to[TL_OBSERVED_GATES];    /* its end, where it is closed */
	uint64_t ticks[TL_OBSERVED_GATES]; /* up to since or to */
	/* by gate: ticks of open slots up to slots_to, while levels closed it;
	 * counted once asked for */
	uint64_t slot_ticks[TL_OBSERVED_GATES];
	uint64_t slots_to;
	bool counts_slots;
	struct {
		uint64_t slot; /* the open one asked for last */
		uint64_t plan; /* of it; 0: none was asked for */
		uint64_t number;
	} runs[TL_OBSERVED_GATES]; /* of open slots */
};

void tl_observer_init(struct tl_observer *observer,
    const struct tl_observed_start *start);
/* The same to be fed newest first: count changes follow, oldest first, which are
 * all events for which tl_observed_is_change.  0 or -ENOMEM. */
int tl_observer_init_back(struct tl_observer *observer,
    const struct tl_observed_start *start, size_t count);
int tl_observe_ahead(struct tl_observer *observer, struct tl_event *change);
void tl_observer_free(struct tl_observer *observer);
/* Do entries of a message say that levels change? */
bool tl_observed_is_change(const struct tl_message *message);
/* The entry of a level that names its message. */
struct tl_gate_entry {
	uint32_t message;
	uint8_t before;
	uint8_t after;
	bool made; /* else to be made */
};
/* Read it; false: it names none. */
bool tl_gate_read(const uint64_t *args, struct tl_gate_entry *entry);
/* Set event->observed of the next event, of any kind. */
void tl_observe(struct tl_observer *observer, struct tl_event *event);

/*
 * In a file a lane misses entries between two of its entries.  Until the second
 * of them nothing of its tier is observed, and no interval lasts beyond it.
 * begins: after the last event, else before the next one.
 */
void
tl_observe_missing(struct tl_observer *observer, uint32_t lane, bool begins);
/* The same in advance, of an observer that is fed newest first: after the event
 * at this place, or the end of the loss after it.  0 or -ENOMEM. */
int tl_observe_missing_ahead(struct tl_observer *observer,
    const struct tl_event *place, bool begins);

/* == oldest first == */

/* The number that an event would have that comes next, at a place not before the
 * last one: only its message, lane and place are looked at. */
uint64_t
tl_observe_number(struct tl_observer *observer, const struct tl_event *event);
/* From the last event on entries are lost: nothing is observed. */
void tl_observe_loss(struct tl_observer *observer);
/* All losses are before the next event. */
void tl_observe_again(struct tl_observer *observer);
/* The gate at a stamp of the epoch of the last event, up to which all events were
 * fed. */
void tl_observed_at(struct tl_observer *observer, unsigned gate, uint64_t tsc,
    struct tl_observed *observed);
/* The gate by which a message is observed. */
unsigned tl_observed_gate(const struct tl_observer *observer,
    const struct tl_message *message);

/* The events of a recording, observed, in place of *cursor.  A recorder misses
 * no change of the levels; the levels at its start are not recorded and count as
 * open until a burst shows the base.  0 or -ENOMEM; *cursor is owned, also when
 * it fails. */
int tl_observe_recording(enum tl_order order, struct tl_cursor **cursor);

#endif
