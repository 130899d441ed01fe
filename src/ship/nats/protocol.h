/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol.h - what a block is about, as the subject of a message:
 *
 *	timeline.<host>.<timeline>	bytes other than A-Z a-z 0-9 _ -
 *					are =XX; a name of none is =
 */
#ifndef TL_SHIP_NATS_PROTOCOL_H
#define TL_SHIP_NATS_PROTOCOL_H

#include "base/bytes.h"
#include "ship/block.h"

#include <stdbool.h>

/* == subjects == */

/* The subjects of all blocks. */
#define TL_NATS_SUBJECTS "timeline.>"

/* timeline.HOST.TIMELINE at its longest, and NUL */
enum { TL_NATS_SUBJECT_MAX = 2 * 3 * TL_BLOCK_NAME_MAX + 16 };

void
tl_nats_subject_put(char to[TL_NATS_SUBJECT_MAX], const struct tl_block *block);
/* Parse an untrusted subject.  false: not the subject of a block. */
bool tl_nats_subject_get(struct tl_block *block, const char *subject);
/* A filter for a host and a timeline; NULL: any. */
void tl_nats_subject_filter(char to[TL_NATS_SUBJECT_MAX], const char *host,
    const char *timeline);
/* Does a pattern with * and > match a subject? */
bool tl_nats_subject_matches(const char *pattern, const char *subject);

/* == acknowledgements == */

enum { TL_NATS_ERROR_MAX = 128 };

struct tl_nats_ack {
	uint64_t sequence;
	uint64_t code; /* 0: stored */
	uint64_t error_code;
	char error[TL_NATS_ERROR_MAX];
};

/* Parse an untrusted acknowledgement.  0; -EBADMSG: invalid; -ENOMEM. */
int tl_nats_ack_parse(struct tl_nats_ack *ack, struct tl_bytes json);

#endif
