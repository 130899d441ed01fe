/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_subject.h - what a block is about, as the subject of a message:
 *
 *	timeline.<host>.<timeline>	bytes other than A-Z a-z 0-9 _ -
 *					are =XX; a name of none is =
 */
#ifndef TL_SHIP_NATS_SUBJECT_H
#define TL_SHIP_NATS_SUBJECT_H

#include "ship/block.h"

#include <stdbool.h>

/* Those of all blocks. */
#define TL_NATS_SUBJECTS "timeline.>"

/* timeline.HOST.TIMELINE at its longest, and NUL */
enum { TL_NATS_SUBJECT_MAX = 2 * 3 * TL_BLOCK_NAME_MAX + 16 };

void
tl_nats_subject_put(char to[TL_NATS_SUBJECT_MAX], const struct tl_block *block);
/* The host and timeline of a subject, from anybody: false, it is no block's. */
bool tl_nats_subject_get(struct tl_block *block, const char *subject);
/* As a filter: of a host and a timeline, NULL: of any. */
void tl_nats_subject_filter(char to[TL_NATS_SUBJECT_MAX], const char *host,
    const char *timeline);
/* Does a pattern with * and > match a subject? */
bool tl_nats_subject_matches(const char *pattern, const char *subject);

#endif
