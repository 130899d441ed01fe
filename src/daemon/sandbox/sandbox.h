/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.h - the daemon's filter for its own system calls.
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
 *	  +-> runner (runner.h): no filter, starts the programs of triggers
 *
 * Programs of triggers would inherit the filter, so a process that was forked
 * before the filter starts the programs.
 *
 * The filter allows no connect: it is installed after the names of "listen"
 * were resolved; later, users and hosts are looked up in local files only.
 */
#ifndef TL_DAEMON_SANDBOX_SECCOMP_H
#define TL_DAEMON_SANDBOX_SECCOMP_H

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

#endif
