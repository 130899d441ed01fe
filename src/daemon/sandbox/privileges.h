/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privileges.h - create folders as root, then drop every right that the daemon
 * does not need.
 *
 * The daemon keeps access to the files of one user, in /dev/shm and in the
 * snapshot directory, and to pidfds, which need no right.  Programs of triggers
 * inherit these restrictions.
 */
#ifndef TL_DAEMON_SANDBOX_PRIVILEGES_H
#define TL_DAEMON_SANDBOX_PRIVILEGES_H

#include "base/fault.h"
#include "daemon/config/config.h"

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
