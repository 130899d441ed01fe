/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lacking.h - triggers that never fire, because their condition names a message
 * that the timeline does not have, or an argument that no message has.
 */
#ifndef TL_DAEMON_LACKING_H
#define TL_DAEMON_LACKING_H

#include "daemon/target.h"

/* Warn of each trigger that lacks an argument, once its messages are defined,
 * and of each once. */
void tl_lacking_warn(struct tl_target *target);

/* For timelined -n: warn of each such trigger of the timelines that are in
 * /dev/shm and may be read. */
void tl_lacking_check(const struct tl_config *config);

#endif
