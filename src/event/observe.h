/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.h - the intervals of time in which entries were recorded.
 *
 * A moment is observed for a message if the record would contain an entry of
 * the message logged at that moment.  A moment is not observed if entries were
 * overwritten, if the levels were closed (by a priority, between bursts or
 * between open slots), or if it is not known that the levels were open.
 *
 *	closed        burst              closed     burst
 *	............[ begin end begin ].........[ end begin ... ]
 *	             number 5                    number 6
 *
 * The observed intervals of a message are numbered, and each event gets the
 * number of its interval.  Nothing is missing between two events of one message
 * with equal numbers: so an end belongs to a begin only if both have the same
 * number.
 *
 * The caller feeds an observer all events of one input, in order of time in
 * either direction, before a filter drops any.
 *
 * Changes of the levels govern the events after them.  An observer that is fed
 * newest first gets all changes in advance, oldest first, and keeps the state
 * after each change.  An event then gets its number by the same rule in both
 * directions:
 *
 *	changes            burst          plan           burst
 *	states kept    0     |      1       |      2       |      3
 *	events        .......+.......<......+.......<......+.......< fed
 *
 * Recordings are not read in advance.  They say the levels and the plan at
 * their start and at their end, and an observer begins with these.  Newest
 * first, a burst of a recording that begins within another burst begins a new
 * interval, because the entry of the first burst is not read yet.
 * Below the base, while a plan is in force, only slots count then, because the
 * entry of a burst is not read yet.
 *
 * The gate of a single message changes, too (timeline_level).  If the entry of
 * such a change names the message, only the intervals of the message end, and a
 * table of named messages has the gate of the message at each event.  An entry
 * that names no message may have changed any gate.  In a recording, as in other
 * copies, entries name a message by the first line of its text.  Newest first,
 * the gates of a recording begin with those at its end, which its messages
 * have.
 *
 * Silence and a span that is still open have no event.  A reader that concludes
 * something from silence or from an open span asks an observer that is fed
 * oldest first since when a gate is open, and for how long the gate was open in
 * all.  A burst ends at its last stamp, whether or not an entry follows.
 *
 * Rejected: to compare the stamps of begins with a table of intervals.  The
 * table would grow with the number of bursts, and each reader would have to
 * search the table.
 */
#ifndef TL_EVENT_OBSERVE_H
#define TL_EVENT_OBSERVE_H

#include "base/text.h"
#include "event/event.h"
#include "event/levels.h"
#include "event/merge.h"

enum {
	TL_OBSERVED_GATES = TIMELINE_LEVEL_NONE + 1,
	/* The limit of slots examined between two events; events further apart
	 * are in different intervals. */
	TL_SLOTS_JOINED_MAX = 4096,
	/* Slots between two events that are walked through.  A lease is 10 s
	 * long and a slot at least 1 us; a damaged file may say anything. */
	TL_SLOTS_COUNTED_MAX = 1 << 24,
	/* Messages with a gate of their own in the table of gates. */
	TL_NAMED_GATES_MAX = 32,
	TL_GATE_CLAIMS_MAX = 4,
	TL_PLAN_ENTRIES_MAX = TIMELINE_LEVEL_MAX,
	TL_OBSERVED_RUNS = 16 /* by four bits of a hash */
};

/* A place in time: stamps compare within an epoch. */
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

/* A change of a gate that was logged and may not have been made. */
struct tl_gate_claim {
	uint32_t pid;
	uint32_t tid;
	uint8_t to;
	uint8_t low; /* lowest gate of other changes meanwhile */
};

/* A message that entries of changes name. */
struct tl_named_gate {
	uint32_t message; /* id of the message */
	uint8_t gate;     /* the lowest gate the message may have */
	uint8_t floor;    /* lowest gate of claims dropped for want of room */
	uint8_t claim_count;
	struct tl_gate_claim claims[TL_GATE_CLAIMS_MAX];
	uint64_t change; /* number of the last change */
};

struct tl_named_gates {
	uint32_t unnamed; /* entries to come that name no message */
	uint32_t count;
	struct tl_named_gate list[TL_NAMED_GATES_MAX];
};

/* The state that numbers of intervals are computed from, besides the gates of
 * messages: the levels and the plan of slots in force. */
struct tl_observed_now {
	uint8_t threshold; /* 0: unknown */
	uint8_t base;      /* 0: unknown */
	uint32_t until_epoch;
	uint64_t until; /* first stamp after the burst */
	uint64_t numbers[TL_OBSERVED_GATES];
	/* By tier: the number of lanes that miss entries, and the number of the
	 * interval that began at the end of the last loss. */
	uint32_t missing[TIMELINE_TIERS_MAX];
	uint64_t losses[TIMELINE_TIERS_MAX];
	/* all shares are 0 without a plan */
	uint32_t shares[TL_OBSERVED_GATES];
	uint64_t seed;
	uint64_t lease;
	uint32_t plan_epoch;
	uint8_t shift;
	bool has_plan;
	uint64_t plan; /* number of the plan; no run spans two plans */
};

/* The state at the first event that is fed. */
struct tl_observed_start {
	/* TL_NEWEST_FIRST means a recording, whose changes are not known in
	 * advance. */
	enum tl_order order;
	uint32_t tiers; /* lanes take turns by tier; 1 or 2 */
	/* By tier: before this place, a lane may miss an entry. */
	struct tl_observed_from complete_from[TIMELINE_TIERS_MAX];
	/* Levels at the first event; 0 is unknown.  A burst in progress counts
	 * as closed until the next change. */
	uint8_t base;
	bool guessed; /* nothing says the base, and it counts as the lowest */
	/* The levels and the plan at the first event, as a recording says them,
	 * instead of base if now.base is not 0. */
	struct tl_observed_now now;
	/* The end of what was kept, which the last event may precede; tsc 0:
	 * not known. */
	struct tl_observed_from cut;
	int64_t cut_ns;
	int64_t cut_steps_ns;
	/* message.gate is the gate at the time of the event.  Otherwise the
	 * gate at that time is not known. */
	bool gates;
	/* message.first_gate counts until an entry names no message. */
	bool first_gates;
	/* Entries of changes name messages by id.  Otherwise each such entry
	 * ends all intervals. */
	bool named;
	bool unnamed_all; /* too many messages are named: ignore the names */
	/* The messages of a copy.  Its entries of changes name a message by the
	 * first line of its text, because ids of the original mean nothing.
	 * NULL: by id. */
	const struct tl_message *const *messages;
	size_t message_count;
	/* No entry is missing: a message that is not named has the level of its
	 * definition as gate. */
	bool defined;
	/* The named gates after all unnamed entries have been fed.  Before
	 * that, no gate was lower than floor, unless its definition was
	 * lower. */
	struct tl_named_gates named_gates;
	uint8_t floor;
	/* The plan of slots in force at the first event. */
	uint32_t plan_count;
	struct tl_plan_entry plan[TL_PLAN_ENTRIES_MAX];
};

/* The last interval in which a gate was open; empty (since equals to) if there
 * is none.  While the gate is open, to is the stamp of the question. */
struct tl_observed {
	bool open;
	uint64_t since;
	uint64_t to;
	uint64_t ticks; /* sum of all intervals up to to, and of slots */
};

struct tl_observed_state; /* state after a change: observe/back.c */

/* What is observed of the events of a class of messages in lanes of a tier,
 * with stamps in [from, from + ticks) of an epoch, while nothing changes. */
struct tl_observed_run {
	uint64_t class; /* 0: none */
	uint64_t from;
	uint64_t ticks;
	uint64_t number;
	uint32_t epoch;
	bool partial;
};

struct tl_observer {
	struct tl_observed_start start;
	struct tl_observed_now now;
	struct tl_level_claim claim; /* the last change */
	bool changed;                /* a change was fed */
	bool plan_unknown; /* a recording newest first: plan not read yet */
	struct tl_named_gates gates;
	const struct tl_named_gates *loaded; /* newest first: replaces gates */
	uint64_t count;                      /* of intervals so far */
	struct tl_observed_run known[TL_OBSERVED_RUNS];
	/* Newest first: the state before the first change and the state after
	 * each change.  The state of the last event is loaded. */
	struct tl_observed_state *states;
	size_t state_count;
	size_t state;
	/* Oldest first, by gate, while the levels open the gate: */
	bool begun;
	bool blind; /* entries are lost */
	uint32_t epoch;
	uint64_t last;                     /* latest stamp of the events */
	uint64_t since[TL_OBSERVED_GATES]; /* last interval */
	uint64_t to[TL_OBSERVED_GATES];    /* end of it, when closed */
	uint64_t ticks[TL_OBSERVED_GATES]; /* sum of ended intervals */
	/* By gate: ticks of open slots up to slots_to, while the levels closed
	 * the gate.  Counted only after the first question. */
	uint64_t slot_ticks[TL_OBSERVED_GATES];
	uint64_t slots_to;
	bool counts_slots;
	struct {
		uint64_t slot; /* open slot of the last question */
		uint64_t plan; /* plan of the slot; 0: none yet */
		uint64_t number;
	} runs[TL_OBSERVED_GATES]; /* runs of open slots */
};

void tl_observer_init(struct tl_observer *observer,
    const struct tl_observed_start *start);
/* Like tl_observer_init, to be fed newest first.  At most count calls follow,
 * oldest first: tl_observe_ahead for each event for which
 * tl_observed_is_change, and tl_observe_missing_ahead.  Returns 0 or
 * -ENOMEM. */
int tl_observer_init_back(struct tl_observer *observer,
    const struct tl_observed_start *start, size_t count);
int tl_observe_ahead(struct tl_observer *observer, struct tl_event *change);
void tl_observer_free(struct tl_observer *observer);
/* Do entries of the message change levels? */
bool tl_observed_is_change(const struct tl_message *message);
/* The entry of a change of levels that names its message. */
struct tl_gate_entry {
	uint32_t message;
	uint8_t before;
	uint8_t after;
	bool made; /* otherwise about to be made */
};
/* Read the entry of a change.  Returns false if the entry names no message. */
bool tl_gate_read(const uint64_t *args, struct tl_gate_entry *entry);

/* Set event->observed and event->stretch.  event is the next event, of any
 * kind. */
void tl_observe(struct tl_observer *observer, struct tl_event *event);

/*
 * A lane of a file misses entries between two of its entries.  Until the second
 * entry nothing of the lane's tier is observed, and no interval lasts beyond
 * the loss.  begins is true for the call after the entry before the loss, and
 * false for the call before the entry after the loss.
 */
void
tl_observe_missing(struct tl_observer *observer, uint32_t lane, bool begins);
/* Announce a loss in advance to an observer that is fed newest first.  The loss
 * begins after the event at this place, or ends at it.  Returns 0 or
 * -ENOMEM. */
int tl_observe_missing_ahead(struct tl_observer *observer,
    const struct tl_event *place, bool begins);

/* == oldest first == */

/* The stretch of an event that would come next, at a place not before the last
 * event.  The event needs only a message, a lane and a place. */
uint64_t
tl_observe_number(struct tl_observer *observer, const struct tl_event *event);
/* The lowest level that the levels and the plan open at a stamp.  Lowers *until
 * to the stamp from which another level may be the lowest by time alone, if
 * that is earlier. */
unsigned tl_observed_lowest(const struct tl_observed_now *now, uint32_t epoch,
    uint64_t tsc, uint64_t *until);
/* Has the plan too many slots between two stamps to walk through each? */
bool tl_observed_is_long(const struct tl_observed_now *now, uint64_t from_tsc,
    uint64_t to_tsc);
/* Is the last burst over at the event, before the observer was fed it? */
bool tl_observed_expires(const struct tl_observer *observer,
    const struct tl_event *event);
/* Entries are lost from the last event on: nothing is observed until
 * tl_observe_again. */
void tl_observe_loss(struct tl_observer *observer);
/* End the loss: all lost entries are before the next event. */
void tl_observe_again(struct tl_observer *observer);
/* The last interval of a gate at a stamp of the last event's epoch.  All events
 * up to the stamp have been fed. */
void tl_observed_at(struct tl_observer *observer, unsigned gate, uint64_t tsc,
    struct tl_observed *observed);
/* The gate that decides whether a message is observed. */
unsigned tl_observed_gate(const struct tl_observer *observer,
    const struct tl_message *message);

/* == recordings == */

/* Replace *cursor by a cursor that observes the events of a recording with
 * these messages.  start has what the recording says of the place where the
 * reading begins, and the order.  A recorder misses no change of the levels;
 * levels that are guessed count as open until a burst shows the base.  Returns
 * 0 or -ENOMEM; *cursor is owned in either case. */
int tl_observe_recording(const struct tl_observed_start *start,
    const struct tl_message *const *messages, size_t count,
    struct tl_cursor **cursor);
/* Append what was observed as text (observe/said.c): what was kept, and the
 * levels and the plan in force now. */
void tl_observed_put(struct tl_text *text, const struct tl_observer *observer);
/* Begin with such a text; without one the levels are guessed. */
void tl_observed_said(struct tl_observed_start *start, enum tl_order order,
    struct tl_bytes text);

#endif
