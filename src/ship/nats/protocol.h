/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol.h - what a block is about, as the subject of a message:
 *
 *	timeline.<host>.<timeline>	a whole block, in the stream NAME
 *	timeline-keep.<host>.<timeline>	its warnings and errors, in NAME-keep
 *
 * Bytes other than A-Z a-z 0-9 _ - are =XX; a name of none is =.
 *
 * A server discards the oldest messages of a full stream, and does not read
 * them.  So a sender stores a thinned copy of each block that has warnings in a
 * second, smaller stream, with the sequence of the whole block, and
 * acknowledges the block when both are stored.  A reader begins with those
 * copies whose blocks the first stream has discarded.
 */
#ifndef TL_SHIP_NATS_PROTOCOL_H
#define TL_SHIP_NATS_PROTOCOL_H

#include "base/bytes.h"
#include "ship/block.h"

#include <stdbool.h>

/* == subjects == */

enum tl_nats_kind { TL_NATS_WHOLE, TL_NATS_KEPT };

/* The subjects of all blocks of a kind. */
extern const char *const tl_nats_subjects[];

/* timeline-keep.HOST.TIMELINE at its longest, and NUL */
enum { TL_NATS_SUBJECT_MAX = 2 * 3 * TL_BLOCK_NAME_MAX + 24 };

void tl_nats_subject_put(char to[TL_NATS_SUBJECT_MAX], enum tl_nats_kind kind,
    const struct tl_block *block);
/* Parse an untrusted subject, of either kind.  false: not the subject of a
 * block. */
bool tl_nats_subject_get(struct tl_block *block, const char *subject);
/* A filter for a host and a timeline; NULL: any. */
void tl_nats_subject_filter(char to[TL_NATS_SUBJECT_MAX],
    enum tl_nats_kind kind, const char *host, const char *timeline);
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

/* Parse an untrusted acknowledgement.  0; -EBADMSG: invalid, or without a
 * sequence, so that the message is not stored; -ENOMEM. */
int tl_nats_ack_parse(struct tl_nats_ack *ack, struct tl_bytes json);

#endif
