/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner.h - start the programs of triggers.
 *
 *	daemon  -- words, variables -->  runner
 *	   ^   <-- pid or error -------    |
 *	   |                               | clone(CLONE_PARENT), execve
 *	   +--- waits for ---- program <---+
 *
 * A program must not inherit the filter of system calls (seccomp.h), and under
 * that filter the daemon cannot start programs.  So the runner, a process that
 * is forked before the filter and before the first timeline is mapped, starts
 * the programs as children of the daemon.  The daemon may have been
 * compromised, so the runner reads the configuration itself and starts only
 * programs that a trigger there names.  The runner ends when the daemon does.
 */
#ifndef TL_DAEMON_SANDBOX_RUNNER_H
#define TL_DAEMON_SANDBOX_RUNNER_H

#include "daemon/rules/rules.h"

/* Fork the runner, before any thread is started.  The runner may start the
 * programs that config names (NULL: any program, for tests).  Returns 0 or
 * -errno. */
int tl_runner_start(const struct tl_config *config);
/* Make the runner read the changed configuration. */
void tl_runner_reload(void);

/*
 * Start argv (ended by NULL, at most TL_CONFIG_ARGV_MAX words) as programs.h
 * describes; a name without a slash is searched in PATH.  The child has a
 * process group of its own, no descriptor but 0, 1 and 2, and no signal blocked
 * or ignored.  The caller, whose child it is, reaps it.  Forks a runner if
 * there is none yet.  Returns 0 and sets *pid, or -errno: -EPERM, the runner's
 * configuration does not name this program; -EBUSY, the runner still starts
 * another program; -ETIMEDOUT; -EPIPE, the runner has ended.
 */
int tl_runner_run(pid_t *pid, const char *const *argv, const char *timeline,
    const struct tl_firing *firing);

#endif
