/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.h - a filter of the daemon's own for its system calls.
 *
 * The daemon reads files that other processes write, and requests of any local
 * user.  An attacker who runs code in it is left with what the daemon does
 * anyway: files of its user, sockets that listen.  A call that is not on the
 * list of seccomp.c fails with EPERM, which a library that uses a new call
 * handles as an error.  A call that only an attacker would make, like execve or
 * ptrace, kills the process.
 *
 *	start -> listen -> filter -> timelines, snapshots, requests, reload
 *	  |
 *	  +-> runner (run.h): no filter, starts the programs of triggers
 *
 * Programs of triggers would inherit the filter, so a process that was forked
 * before starts them.
 *
 * The filter allows no connect: it is installed after the names of "listen"
 * were resolved; later, users and hosts are looked up in local files only.
 */
#ifndef TL_DAEMON_SANDBOX_SECCOMP_H
#define TL_DAEMON_SANDBOX_SECCOMP_H

#include <stdbool.h>

/*
 * Install the filter for all threads, those to come included, if it is wanted.
 * It cannot be removed.  Not thread-safe.  If it cannot be installed the daemon
 * logs why and goes on.
 */
void tl_seccomp_start(bool wanted);
/* Is the filter installed? */
bool tl_seccomp_is_on(void);
/* "on", or "off" and the reason. */
const char *tl_seccomp_state(void);

#endif
