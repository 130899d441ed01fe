/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.h - run the programs of triggers.
 *
 * A program is run without a shell.  Its environment is the daemon's, and
 *
 *	TIMELINE	  the name of the timeline
 *	TIMELINE_TRIGGER  the name of the trigger
 *	TIMELINE_TEXT	  why it fired, escaped
 *	TIMELINE_NS	  when, Unix time in nanoseconds
 *
 * A program reads /dev/null and writes to the daemon's stderr.  The loop does
 * not wait for the program, and the program continues when the daemon ends.  A
 * program that runs longer than its trigger allows is ended with its process
 * group: by SIGTERM, then by SIGKILL.
 *
 * The programs of all timelines share one table.  libev's default loop reaps
 * every child of the process, so in that loop ev_child watches a program; in
 * any other loop a pidfd of the child does.
 */
#ifndef TL_DAEMON_PROGRAMS_H
#define TL_DAEMON_PROGRAMS_H

#include "daemon/rules/rules.h"

#include <ev.h>

enum {
	TL_PROGRAMS_RUNNING_MAX = 16, /* at once, of all timelines */
	TL_PROGRAMS_GRACE_S = 5       /* from SIGTERM to SIGKILL */
};

/* Counts of all programs. */
struct tl_programs_status {
	unsigned running;
	uint64_t run;     /* started */
	uint64_t refused; /* too many at once */
	uint64_t failed;  /* not started, or status not 0 */
	uint64_t timed_out;
};

/* Start the program of a rule that fired.  Failures are logged and counted. */
void tl_programs_run(struct ev_loop *loop, const char *timeline,
    const struct tl_firing *firing);
void tl_programs_status(struct tl_programs_status *status);
/* Stop watching programs that still run, before the loop is destroyed. */
void tl_programs_stop(void);

#endif
