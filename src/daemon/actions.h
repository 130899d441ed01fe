/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.h - what is done when a rule fires: a burst, a snapshot, a program.
 *
 * A program is run without a shell.  Its environment is the daemon's, and
 *
 *	TIMELINE	  the name of the timeline
 *	TIMELINE_TRIGGER  the name of the rule
 *	TIMELINE_TEXT	  why it fired, escaped
 *	TIMELINE_NS	  when, Unix time in nanoseconds
 *
 * It reads /dev/null and writes to the daemon's stderr.  Nobody waits for it,
 * and it goes on when the daemon ends.  One that runs longer than its rule
 * allows is ended with its process group: by SIGTERM, and SIGKILL later.
 */
#ifndef TL_DAEMON_ACTIONS_H
#define TL_DAEMON_ACTIONS_H

#include "daemon/rules.h"

struct tl_target;

enum {
	TL_ACTIONS_RUNNING_MAX = 16, /* programs at once, of all timelines */
	TL_ACTIONS_GRACE_S = 5,      /* from SIGTERM to SIGKILL */
	TL_ACTIONS_LOG_S = 60        /* of one sort of trouble, one line in */
};

/* Of all programs that were to run. */
struct tl_actions_status {
	unsigned running;
	uint64_t run;     /* begun */
	uint64_t refused; /* too many at once */
	uint64_t failed;  /* did not begin, or ended other than with 0 */
	uint64_t timed_out;
};

/* The host of a target's rules; context is the target. */
void tl_actions_fired(void *target, const struct tl_firing *firing);
void tl_actions_failed(void *target, const struct tl_config_rule *rule,
    const char *why);

void tl_actions_status(struct tl_actions_status *status);
/* Before the loop is destroyed: what still runs is not watched any more. */
void tl_actions_stop(void);

#endif
