/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.h - pairs of messages that a user declares: one message is logged at a
 * send, the other at the receive.
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

/* The events that are one side of a pair. */
struct tl_pair_side {
	char glob[TL_PAIR_GLOB_MAX]; /* glob of the message */
	/* The argument with the common value; empty: the first argument. */
	char name[TL_PAIR_GLOB_MAX];
	bool of_ends; /* end events of spans; false: all other events */
};

enum { TL_PAIR_SENT, TL_PAIR_RECEIVED, TL_PAIR_SIDES };

struct tl_pair_rule {
	struct tl_pair_side sides[TL_PAIR_SIDES];
};

/*
 * Parse "SEND = RECEIVE".  Each side is a glob that matches the first line of a
 * message, alone or as CATEGORY:LINE.  The first argument that a glob names
 * ($name) holds the common value; without a name the first argument of the
 * message does.  A side that begins with "< " means end events; "> ", the
 * default, means begin events and messages that are not spans.  The sides are
 * divided by " = ", or by the first = if there is no " = ".  0; -EINVAL with a
 * fault.
 */
int tl_pair_parse(struct tl_pair_rule *rule, const char *text,
    struct tl_fault *fault);

enum { TL_PAIR_SEEN_MAX = TL_PAIR_RULES_MAX * TL_PAIR_SIDES };

/* A side that an event is on, and the value of the event. */
struct tl_pair_seen {
	unsigned rule;
	unsigned side;
	uint64_t value; /* the hash of a string's bytes, else the 64 bits */
};

/* Finds the sides of events.  The caller owns the rules; set rules and
 * rule_count, and all else to 0. */
struct tl_pair_matcher {
	const struct tl_pair_rule *rules;
	size_t rule_count;
	struct tl_message_map parts; /* by message; private */
};

void tl_pair_matcher_free(struct tl_pair_matcher *matcher);
/* Set the sides that an event is on.  Returns their number, at most
 * TL_PAIR_SEEN_MAX, or -ENOMEM. */
int tl_pair_match(struct tl_pair_matcher *matcher, const struct tl_event *event,
    struct tl_pair_seen *seen);

#endif
