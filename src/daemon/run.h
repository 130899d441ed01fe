/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - start the program of a trigger.
 */
#ifndef TL_DAEMON_RUN_H
#define TL_DAEMON_RUN_H

#include "daemon/rules.h"

/*
 * Start argv (ended by NULL, at most TL_CONFIG_WORDS_MAX words) as actions.h
 * says; a name without a slash is looked for in PATH.  The child is a process
 * group of its own, has no descriptor but 0, 1 and 2, no signal blocked and
 * none ignored.  Whoever calls reaps it.  0 or -errno.
 */
int tl_run(pid_t *pid, const char *const *argv, const char *timeline,
    const struct tl_firing *firing);

#endif
