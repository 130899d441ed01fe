/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.h - what the daemon may do: its filter of system calls, the runner of
 * programs, and the rights that it drops.
 *
 * The daemon reads files that other processes write, and requests of any local
 * user.  An attacker who runs code in the daemon can do only what the daemon
 * does anyway: use files of its user and sockets that listen.  A call that is
 * not on the list of seccomp.c fails with EPERM, which a library that uses a
 * new call handles as an error.  A call that only an attacker would make, like
 * execve or ptrace, kills the process.
 *
 *	start -> listen -> filter -> timelines, snapshots, requests, reload
 *	  |
 *	  +-> runner (runner.c): no filter, starts the programs of triggers
 *
 * Programs of triggers would inherit the filter, so a process that was forked
 * before the filter starts the programs.
 *
 * The filter allows no connect: it is installed after the names of "listen"
 * were resolved; later, users and hosts are looked up in local files only.
 */
#ifndef TL_DAEMON_SANDBOX_SANDBOX_H
#define TL_DAEMON_SANDBOX_SANDBOX_H

#include "base/fault.h"
#include "daemon/config/config.h"
#include "daemon/rules/rules.h"

#include <stdbool.h>

/*
 * Install the filter for all present and future threads, if it is wanted.  The
 * filter cannot be removed.  Not thread-safe.  If the filter cannot be
 * installed the daemon logs the reason and goes on.
 */
void tl_seccomp_start(bool wanted);
/* Is the filter installed? */
bool tl_seccomp_is_on(void);
/* "on", or "off" with the reason. */
const char *tl_seccomp_state(void);

/* == runner == */

/*
 * Start the programs of triggers.
 *
 *	daemon  -- words, variables -->  runner
 *	   ^   <-- pid or error -------    |
 *	   |                               | clone(CLONE_PARENT), execve
 *	   +--- waits for ---- program <---+
 *
 * A program must not inherit the filter of system calls (seccomp.c), and under
 * that filter the daemon cannot start programs.  So the runner, a process that
 * is forked before the filter and before the first timeline is mapped, starts
 * the programs as children of the daemon.  The daemon may have been
 * compromised, so the runner reads the configuration itself and starts only
 * programs that a trigger there names.  The runner ends when the daemon does.
 */

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

/* == privileges == */

/*
 * Create folders as root, then drop every right that the daemon does not need.
 *
 * The daemon keeps access to the files of one user, in /dev/shm and in the
 * snapshot directory, and to pidfds, which need no right.  Programs of triggers
 * inherit these restrictions.
 */

/*
 * Change to user (a name or number) with its groups, if we are root and user is
 * not NULL; then drop all capabilities for good, including those of future
 * children.  Root without a user keeps access to root's files only.  Call this
 * after sockets and directories were made and before any thread is started,
 * because capabilities belong to a thread.  Returns 0, or -errno with a fault;
 * then the process must exit.
 */
int tl_privileges_drop(const char *user, struct tl_fault *fault);

/* Find the number and group of a user by name or number.  Returns 0, or -errno
 * with a fault. */
int
tl_user_find(const char *user, uid_t *uid, gid_t *gid, struct tl_fault *fault);

/* Create the folders that the configuration names, owned by its user.  Returns
 * 0, or -errno with a fault. */
int tl_daemon_prepare(const struct tl_config *config, struct tl_fault *fault);

#endif
