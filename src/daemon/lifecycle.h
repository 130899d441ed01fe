/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lifecycle.h - start a daemon, reload its configuration, stop it.
 */
#ifndef TL_DAEMON_LIFECYCLE_H
#define TL_DAEMON_LIFECYCLE_H

#include "daemon/daemon.h"

/* Check what the loader of the configuration cannot: whether all expressions
 * of triggers compile.  0 or -errno and a fault. */
int tl_daemon_check(const struct tl_config *config, struct tl_fault *fault);
/* Run until SIGTERM or SIGINT: 0, or -errno and why it could not start.
 * Takes ownership of the configuration. */
int tl_daemon_run(struct tl_config *config, struct tl_fault *fault);
/* Load the file again; an error in it leaves everything as it was.
 * 0 or -errno and a fault. */
int tl_daemon_reload(struct tl_daemon *daemon, struct tl_fault *fault);

#endif
