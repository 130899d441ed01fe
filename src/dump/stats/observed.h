/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observed.h - for how long the messages of an input were observed, as
 * event/observe.h defines it, and which of their entries lie in that time.
 *
 *	first entry                                      last entry
 *	    |.... not known ....|======= measured =======|
 *
 * Time is measured from where everything is known: no lane overwrote a later
 * entry, the levels are known, and no message gets another level by an entry that
 * does not name it.  Both ends are within the time range.  Each tier has its own
 * beginning, as its lanes reach back less or further.
 *
 * A message that entries of levels name is measured with each gate that it had.
 *
 * The length of observed time is counted in ticks of the stamps, so steps of the
 * clock do not change it.
 */
#ifndef TL_DUMP_STATS_OBSERVED_H
#define TL_DUMP_STATS_OBSERVED_H

#include "dump/stats/levels.h"
#include "event/observe.h"

/* What opened the level of an entry in observed time. */
enum tl_observed_by {
	TL_OBSERVED_BY_NOTHING, /* it is not in observed time */
	TL_OBSERVED_BY_PRIORITY,
	TL_OBSERVED_BY_BURST,
	TL_OBSERVED_BY_SLOT
};

/* A message that entries of levels name. */
struct tl_observed_named {
	uint32_t message;
	uint8_t gate;
	/* by tier: in ticks of the gate, and the sum of the gates before it */
	uint64_t from[TIMELINE_TIERS_MAX];
	uint64_t open[TIMELINE_TIERS_MAX];
};

struct tl_observed_time {
	bool whole; /* of a foreign file: everything is observed */
	struct tl_observer observer;
	int64_t from_ns;
	int64_t to_ns;
	int64_t gates_ns;
	bool begun[TIMELINE_TIERS_MAX];
	/* by tier: the first entry that is left out because the levels are not
	 * known, INT64_MAX: there is none; and where measuring begins */
	int64_t unknown_ns[TIMELINE_TIERS_MAX];
	int64_t begun_ns[TIMELINE_TIERS_MAX];
	bool lossy; /* entries are missing before the next one */
	bool ended;
	struct tl_event last;
	struct tl_event first; /* of an epoch */
	int64_t ns;            /* the same length of time */
	uint64_t ticks;
	/* by tier, up to the beginning, then from there on */
	uint64_t open[TIMELINE_TIERS_MAX][TL_OBSERVED_GATES];
	struct tl_observed_named named[TL_NAMED_GATES_MAX];
	uint32_t named_count;
};

/* levels are those of the input.  0 or -errno. */
int tl_observed_time_init(struct tl_observed_time *time,
    const struct tl_source *input, const struct tl_levels *levels,
    int64_t from_ns, int64_t to_ns);
/* The next event of the input, oldest first; NOTHING as well for an entry in time
 * that is not measured. */
enum tl_observed_by tl_observed_time_put(struct tl_observed_time *time,
    const struct tl_event *event);
/* All events were put. */
void tl_observed_time_end(struct tl_observed_time *time);

unsigned tl_observed_time_tier(const struct tl_observed_time *time,
    const struct tl_event *event);
/* Since when the levels are known, if entries in the lanes of the tier are older:
 * a rate of all entries would count time that may have been closed.  INT64_MIN:
 * since the start; INT64_MAX: they are not known at all. */
int64_t
tl_observed_time_since(const struct tl_observed_time *time, unsigned tier);
/* The share of the measured time in which a message was observed, and how long
 * that was.  Negative: no time was measured. */
double tl_observed_time_of(const struct tl_observed_time *time, unsigned tier,
    const struct tl_message *message, int64_t *ns);

#endif
