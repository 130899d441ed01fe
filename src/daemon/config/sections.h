/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sections.h - the sections of "timelines", and the triggers in them.
 */
#ifndef TL_DAEMON_CONFIG_SECTIONS_H
#define TL_DAEMON_CONFIG_SECTIONS_H

#include "daemon/config/config.h"
#include "daemon/config/read.h"

/* sections.c: one section, with defaults for absent keys. */
int tl_config_read_timeline(struct tl_config_reader *reader,
    const struct tl_data *table, struct tl_config_timeline *to);
/* triggers.c: to is struct tl_config_timeline. */
tl_config_read tl_config_read_triggers;

#endif
