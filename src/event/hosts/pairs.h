/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.h - pairs of messages, one logged when something was sent and one when
 * it was received, bound the offset between the clocks of two hosts.
 *
 *	host a   sent $id = 7 at 10.002
 *	host b   received $id = 7 at 10.001	b's clock is 1 ms or more behind
 *
 * Nothing is received before it was sent, whatever the clocks show.
 */
#ifndef TL_EVENT_PAIRS_H
#define TL_EVENT_PAIRS_H

#include "base/fault.h"
#include "event/event.h"
#include "event/message_map.h"

#include <stddef.h>
#include <stdint.h>

enum {
	TL_PAIR_RULES_MAX = 16,
	TL_PAIR_GLOB_MAX = 256,
	TL_PAIRS_MAX = 1 << 20 /* values that are kept, paired or not */
};

/* Which events are one side of a pair. */
struct tl_pair_side {
	char glob[TL_PAIR_GLOB_MAX]; /* of its message */
	/* The argument that both sides have in common; empty: the first. */
	char name[TL_PAIR_GLOB_MAX];
	bool of_ends; /* of spans; else of all but the ends */
};

enum { TL_PAIR_SENT, TL_PAIR_RECEIVED, TL_PAIR_SIDES };

struct tl_pair_rule {
	struct tl_pair_side sides[TL_PAIR_SIDES];
};

/*
 * "SEND = RECEIVE": each is a glob that the first line of the message matches,
 * alone or as CATEGORY:LINE.  The first argument named in it ($name) is what
 * both have in common, or else the message's first.  "< " before it means the
 * ends of spans, "> ", the default, their begin events, and messages that are
 * not spans.  The two are divided by " = " or, where that is not there, by the
 * first =.  0, -EINVAL and a fault.
 */
int tl_pair_parse(struct tl_pair_rule *rule, const char *text,
    struct tl_fault *fault);

enum { TL_PAIR_SEEN_MAX = TL_PAIR_RULES_MAX * TL_PAIR_SIDES };

/* An event is on a side of a rule, with a value. */
struct tl_pair_seen {
	unsigned rule;
	unsigned side;
	uint64_t value; /* the hash of a string's bytes, else the 64 bits */
};

/* Finds the sides of events; the rules stay the caller's.  Starts from all
 * zeros but these. */
struct tl_pair_matcher {
	const struct tl_pair_rule *rules;
	size_t rule_count;
	struct tl_message_map parts; /* of messages; private */
};

void tl_pair_matcher_free(struct tl_pair_matcher *matcher);
/* The sides that an event is on: their number, at most TL_PAIR_SEEN_MAX;
 * -ENOMEM. */
int tl_pair_match(struct tl_pair_matcher *matcher, const struct tl_event *event,
    struct tl_pair_seen *seen);

struct tl_pairs;

/* Counts of the events that were seen. */
struct tl_pairs_counts {
	uint64_t paired;     /* of two clocks */
	uint64_t same_clock; /* of one clock, which bound nothing */
	uint64_t again;      /* of a value that this side had before: skipped */
	uint64_t alone;      /* the other side was not seen */
	uint64_t over;       /* not looked at: TL_PAIRS_MAX values before it */
};

/* For events of this many clocks; the rules stay the caller's.  0, -ENOMEM,
 * -E2BIG. */
int tl_pairs_new(struct tl_pairs **pairs, const struct tl_pair_rule *rules,
    size_t rule_count, size_t clock_count);
void tl_pairs_free(struct tl_pairs *pairs);

/* An event by a clock; in any order.  0, -ENOMEM. */
int tl_pairs_put(struct tl_pairs *pairs, const struct tl_event *event,
    size_t clock);

struct tl_pairs_counts tl_pairs_counts(const struct tl_pairs *pairs);

/*
 * The messages sent by clock a and received by clock b: their number, and the
 * least apparent delay, with the errors of both times added.  The number to be
 * added to b's times less that to be added to a's is at least the negative of
 * it.
 */
uint64_t tl_pairs_delay(const struct tl_pairs *pairs, size_t a, size_t b,
    int64_t *delay_ns);

/*
 * == bounds ==
 *
 * unknown numbers of which only differences are bounded.
 *
 *	least <= x[b] - x[a] <= most	for some a and b
 *
 * What is known of some pairs bounds others: every interval is kept as narrow
 * as all of them together make it.  Offsets of clocks are such numbers, from
 * what was sent by one host and received by another.
 */

enum { TL_BOUNDS_MAX = 512 }; /* numbers */

struct tl_bounds;

struct tl_range {
	int64_t least; /* INT64_MIN: no bound */
	int64_t most;  /* INT64_MAX: no bound */
};

/* Of count numbers nothing is known: 0, -ENOMEM, -E2BIG too many. */
int tl_bounds_new(struct tl_bounds **bounds, size_t count);
void tl_bounds_free(struct tl_bounds *bounds);

/*
 * x[b] - x[a] lies in a range.  0; -EDOM, and nothing is changed, when that
 * cannot be: *by is by how much all that is known, this included, misses
 * being possible.  a and b differ.
 */
int tl_bounds_add(struct tl_bounds *bounds, size_t a, size_t b,
    struct tl_range range, int64_t *by);

/* Bounds of x[b] - x[a]. */
struct tl_range
tl_bounds_of(const struct tl_bounds *bounds, size_t a, size_t b);

#endif
