/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.h - pairs of messages that a user declares: one is logged when something
 * is sent, the other when it is received.
 *
 *	put $job = got $job
 */
#ifndef TL_ANALYSIS_PAIRS_H
#define TL_ANALYSIS_PAIRS_H

#include "base/fault.h"
#include "event/event.h"
#include "event/message_map.h"

#include <stddef.h>
#include <stdint.h>

enum { TL_PAIR_RULES_MAX = 16, TL_PAIR_GLOB_MAX = 256 };

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

#endif
