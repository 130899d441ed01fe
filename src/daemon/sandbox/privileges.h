/* SPDX-License-Identifier: Apache-2.0 */
/*
 * privileges.h - give away every right that the daemon does not need.
 *
 * What is left: the files of one user, in /dev/shm and in the directory of
 * snapshots, and processes of that user or whose death anybody may see
 * (pidfd_open asks for no right).  Programs that triggers run inherit that.
 */
#ifndef TL_DAEMON_SANDBOX_PRIVILEGES_H
#define TL_DAEMON_SANDBOX_PRIVILEGES_H

#include "base/fault.h"
#include "daemon/config/config.h"

/*
 * Become user, by name or number, with its groups, if we are root and user is
 * not NULL; then give away all capabilities, those that children could get
 * included, for good.  Root without a user stays the owner of root's files
 * and no more.  Sockets and directories have to be made before, threads
 * afterwards: capabilities are a thread's.  0, or -errno and a fault; then
 * the process must end.
 */
int tl_privileges_drop(const char *user, struct tl_fault *fault);

/* Create the folders that the configuration names, owned by its user. */
int tl_daemon_prepare(const struct tl_config *config, struct tl_fault *fault);

#endif
