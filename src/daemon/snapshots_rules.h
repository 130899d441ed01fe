/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_rules.h - of which timelines how much is kept, and when to look
 * again.
 *
 * Not locked: its owner does that.
 */
#ifndef TL_DAEMON_SNAPSHOTS_RULES_H
#define TL_DAEMON_SNAPSHOTS_RULES_H

#include "daemon/config.h"

/* More than that: what was said first is forgotten. */
enum { TL_SNAPSHOTS_RULES_MAX = 1024 };

struct tl_snapshots_rule {
	char *timeline;
	struct tl_config_keep keep;
	int64_t due_ns; /* CLOCK_MONOTONIC; INT64_MAX: not by itself */
};

struct tl_snapshots_rules {
	struct tl_snapshots_rule *items;
	size_t count;
	size_t next; /* to be replaced when all are taken */
};

/* Say or change one; it is due at once.  -ENOMEM. */
int tl_snapshots_rules_put(struct tl_snapshots_rules *rules,
    const char *timeline, const struct tl_config_keep *keep);
/* NULL: nothing is said of it. */
struct tl_snapshots_rule *
tl_snapshots_rules_find(const struct tl_snapshots_rules *rules,
    const char *timeline);
/* The one that is due first; NULL: there is none. */
struct tl_snapshots_rule *
tl_snapshots_rules_first(struct tl_snapshots_rules *rules);
/* It was looked after, and something grows too old in so many ns. */
void tl_snapshots_rules_done(struct tl_snapshots_rules *rules,
    const char *timeline, int64_t now_ns, int64_t next_ns);
void tl_snapshots_rules_free(struct tl_snapshots_rules *rules);

#endif
