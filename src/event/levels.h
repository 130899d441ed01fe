/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.h - which levels were open when, read off the entries.
 *
 * Every change of priority and every burst is an entry of its own.  Fed with
 * the entries of one timeline, oldest first, a state knows how long each gate
 * was open, and tells of each time during which nothing changed:
 *
 *	struct tl_level_state state;
 *
 *	tl_level_init(&state, NULL, NULL);
 *	tl_level_begin(&state, base, base, ns, 0);	(where they are known)
 *	while (tl_cursor_next(cursor, &event) > 0)
 *		tl_level_put(&state, &event, tl_level_until(&event, mult));
 *	tl_level_sum(&state, now_ns, open_ns, &known_ns);
 *
 * A burst ends at the stamp it was given or with the next change, whichever
 * comes first.
 */
#ifndef TL_EVENT_LEVELS_H
#define TL_EVENT_LEVELS_H

#include "event/event.h"

enum { TL_LEVEL_GATES = TIMELINE_LEVEL_MAX + 1 };

/* A time during which nothing changed. */
struct tl_level_window {
	int64_t from_ns;
	int64_t to_ns;
	uint8_t threshold; /* logged from this level up; 0: not known */
	uint8_t base;      /* ... when no burst is open */
	bool burst;        /* only for a while */
	bool sample;       /* ... drawn by a schedule */
	bool merged;       /* a burst that began inside another */
	bool joined;       /* ... or that another came into, at its end */
	bool lossy;        /* entries of it were lost */
	uint32_t pid;      /* who asked for it; 0 not known */
	uint64_t measure;  /* a sample's fourth argument */
};

/* Told of each window once it is over: 0, or -errno for tl_level_put. */
typedef int
tl_level_closed(void *context, const struct tl_level_window *window);

struct tl_level_state {
	tl_level_closed *closed; /* may be NULL */
	void *context;
	struct tl_level_window window; /* that goes on; to_ns: of a burst */
	bool begun;                    /* does it go on from somewhere? */
	bool changed;                  /* was a change seen? */
	uint64_t bursts;
	uint64_t merged_bursts;
	uint64_t samples; /* of the bursts */
	int64_t open_ns[TL_LEVEL_GATES];
	int64_t known_ns;
};

void tl_level_init(struct tl_level_state *state, tl_level_closed *closed,
    void *context);
/* The levels are these, from ns on; 0: not known.  A burst that is open has
 * its end in until_ns.  What was told of before stays counted. */
int tl_level_begin(struct tl_level_state *state, uint8_t threshold,
    uint8_t base, int64_t ns, int64_t until_ns);
/* The next entry, of any kind.  until_ns is the time of its third argument's
 * stamp, by tl_level_until or better; only changes of levels need it. */
int tl_level_put(struct tl_level_state *state, const struct tl_event *event,
    int64_t until_ns);
/* Nothing more up to now_ns: close the window, and the burst that is over. */
int tl_level_end(struct tl_level_state *state, int64_t now_ns);
/* How long each gate was open up to now_ns, and of how much time anything is
 * known. */
void tl_level_sum(const struct tl_level_state *state, int64_t now_ns,
    int64_t open_ns[TL_LEVEL_GATES], int64_t *known_ns);

/* Does an entry change the levels? */
static inline bool
tl_level_is_change(const struct tl_event *event)
{
	return event->message &&
	       (event->message->builtin == TIMELINE_BUILTIN_PRIORITY ||
		   event->message->builtin == TIMELINE_BUILTIN_BURST);
}

/* The first stamp after the burst that a change tells of: writers take the
 * unit that holds its end for a part of it. */
static inline uint64_t
tl_level_end_stamp(const struct tl_event *event)
{
	const uint64_t rest = (UINT64_C(1) << TIMELINE_UNTIL_SHIFT) - 1;

	return event->args[2] > UINT64_MAX - rest - 1
		   ? UINT64_MAX
		   : (event->args[2] | rest) + 1;
}

/* Its time, by a rate (ns per tick, times 2^63: header.clock.mult). */
int64_t tl_level_until(const struct tl_event *event, uint64_t mult);

#endif
