/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.h - what is done when a rule fires: a burst, a snapshot, a program.
 */
#ifndef TL_DAEMON_ACTIONS_H
#define TL_DAEMON_ACTIONS_H

#include "daemon/rules.h"

struct tl_target;

enum { TL_ACTIONS_RUNNING_MAX = 16 };

/* The host of a target's rules; context is the target. */
void tl_actions_fired(void *target, const struct tl_firing *firing);
void tl_actions_failed(void *target, const struct tl_config_rule *rule,
    const char *why);

#endif
