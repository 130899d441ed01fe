/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observed.h - the time in which the messages of an input were observed
 * (event/observe.h defines the term), and the entries within this time.
 *
 *	first entry                           last entry   cut
 *	    |.... not known ....|======= measured =========|
 *
 * A snapshot has each entry whose append had returned at its cut, so its
 * measured time ends there; that of any other file ends with the last entry.
 *
 * Measured time begins where everything is known: no lane overwrote a later
 * entry, the levels are known, and no later entry of a level leaves its
 * messages unnamed.  Both ends are within the time range.  Each tier has its
 * own beginning, because the lanes of some tiers reach back further.
 *
 * A message that entries of levels name is measured with each gate that the
 * message had.
 *
 * The length of observed time is counted in ticks of the stamps, so steps of
 * the clock do not change the length.
 */
#ifndef TL_DUMP_STATS_OBSERVED_H
#define TL_DUMP_STATS_OBSERVED_H

#include "dump/stats/levels.h"
#include "event/observe.h"

/* The reason why the gate of an entry was open in observed time. */
enum tl_observed_by {
	TL_OBSERVED_BY_NOTHING, /* the entry is not in observed time */
	TL_OBSERVED_BY_PRIORITY,
	TL_OBSERVED_BY_BURST,
	TL_OBSERVED_BY_SLOT
};

/* A message that entries of levels name. */
struct tl_observed_named {
	uint32_t message;
	uint8_t gate;
	/* by tier: ticks of the gate so far, and the sum over the earlier
	 * gates */
	uint64_t from[TIMELINE_TIERS_MAX];
	uint64_t open[TIMELINE_TIERS_MAX];
};

struct tl_observed_time {
	bool whole; /* a foreign file: everything is observed */
	struct tl_observer observer;
	int64_t from_ns;
	int64_t to_ns;
	int64_t gates_ns;
	bool begun[TIMELINE_TIERS_MAX];
	/* by tier: the first entry that is left out because the levels are not
	 * known, INT64_MAX: none; and the time at which measuring begins */
	int64_t unknown_ns[TIMELINE_TIERS_MAX];
	int64_t begun_ns[TIMELINE_TIERS_MAX];
	bool lossy; /* entries are missing before the next event */
	bool ended;
	bool is_cut;
	struct tl_event cut; /* tl_source_cut */
	struct tl_event last;
	struct tl_event first; /* the first event of the epoch */
	int64_t ns;            /* length of all epochs, in ns and in ticks */
	uint64_t ticks;
	/* by tier and gate: the ticks up to the beginning, later from the
	 * beginning on */
	uint64_t open[TIMELINE_TIERS_MAX][TL_OBSERVED_GATES];
	struct tl_observed_named named[TL_NAMED_GATES_MAX];
	uint32_t named_count;
};

/* Start.  levels are the levels of the input.  0 or -errno. */
int tl_observed_time_init(struct tl_observed_time *time,
    const struct tl_source *input, const struct tl_levels *levels,
    int64_t from_ns, int64_t to_ns);
/* Take the next event of the input, oldest first.  NOTHING also for an entry in
 * time that is not measured. */
enum tl_observed_by tl_observed_time_put(struct tl_observed_time *time,
    const struct tl_event *event);
/* Does the event come after the place from which all lanes of its tier are
 * complete? */
bool tl_observed_time_has(const struct tl_observed_time *time,
    const struct tl_event *event);
/* End the measurement, after all events. */
void tl_observed_time_end(struct tl_observed_time *time);

unsigned tl_observed_time_tier(const struct tl_observed_time *time,
    const struct tl_event *event);
/* The time since which the levels are known, if entries in the lanes of the
 * tier are older: a rate of all entries would count time that may have been
 * closed.  INT64_MIN: since the start; INT64_MAX: the levels are never
 * known. */
int64_t
tl_observed_time_since(const struct tl_observed_time *time, unsigned tier);
/* The share of the measured time in which a message was observed; *ns is the
 * length of the observed time.  Negative: no time was measured. */
double tl_observed_time_of(const struct tl_observed_time *time, unsigned tier,
    const struct tl_message *message, int64_t *ns);
/* As tl_observed_time_of(), for messages of a level, or TIMELINE_LEVEL_NONE for
 * the measured time, in the lanes of the highest tier. */
double tl_observed_time_of_level(const struct tl_observed_time *time,
    unsigned level, int64_t *ns);
/* Measure a whole input.  0 or -errno. */
int tl_observed_time_read(struct tl_observed_time *time,
    const struct tl_source *input, const struct tl_levels *levels,
    struct tl_progress *progress);

#endif
