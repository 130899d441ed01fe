/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.h - what the command line asks of the daemon.
 */
#ifndef TL_DAEMON_START_H
#define TL_DAEMON_START_H

#include "daemon/config.h"

/* Is what the loader could not see right, too: do all expressions compile? */
int tl_daemon_check(const struct tl_config *config, struct tl_fault *fault);
/* Make the folders the configuration names, as the user it names. */
int tl_daemon_prepare(const struct tl_config *config, struct tl_fault *fault);
/* Run until SIGTERM or SIGINT: 0, or -errno and why it could not start.  Takes
 * the configuration over. */
int tl_daemon_run(struct tl_config *config, struct tl_fault *fault);

#endif
