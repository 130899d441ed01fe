/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - the JetStream stream that holds the blocks, and its messages
 */
#ifndef TL_SHIP_NATS_STREAM_H
#define TL_SHIP_NATS_STREAM_H

#include "base/fault.h"
#include "ship/block.h"
#include "ship/nats/link.h"
#include "ship/nats/protocol.h"

#include <nats/nats.h>

/* Create the stream of a kind if it does not exist, and check that it covers
 * the subject of the block.  *size_max bounds its messages; <= 0: unbounded.
 * 0; -EINVAL: it does not cover the subject; -errno; the fault. */
int tl_nats_stream_ensure(jsCtx *js, const struct tl_nats_options *options,
    const char *stream, enum tl_nats_kind kind, const struct tl_block *block,
    int64_t *size_max, struct tl_fault *fault);

struct tl_nats_stream_state {
	uint64_t first; /* sequence */
	uint64_t last;  /* sequence; 0: it was always empty */
	uint64_t count; /* of messages */
};
/* 0; -ENOENT: no such stream; -errno; the fault. */
int tl_nats_stream_inspect(jsCtx *js, const char *stream,
    struct tl_nats_stream_state *state, struct tl_fault *fault);

/*
 * Ask the leader for the last message of a subject: its sequence, and the block
 * in it.  The block has an empty chain if the message is none of ours; it has
 * no data.  0: *sequence is 0 if the subject has no message; -errno; the fault.
 *
 * A server that led the stream before, and does not know yet that another does,
 * answers with what it has stored: the answer may be old.
 */
int tl_nats_stream_last(jsCtx *js, const char *stream, const char *subject,
    uint64_t *sequence, struct tl_block *block, struct tl_fault *fault);

/* == a block as a message == */

/* Make a message with a copy of a block for a stream; reply: the subject of its
 * acknowledgement. */
natsStatus tl_nats_message_new(natsMsg **message, enum tl_nats_kind kind,
    const struct tl_block *block, const char *stream, const char *reply);
/* Let the stream store the message only if the last message of its subject has
 * this sequence; 0: if the subject has none. */
natsStatus tl_nats_message_set_last(natsMsg *message, uint64_t sequence);
/* The sequence of the whole block that a copy is of; 0: unknown. */
natsStatus tl_nats_message_set_whole(natsMsg *message, uint64_t sequence);
uint64_t tl_nats_message_whole(natsMsg *message);
/* Parse an untrusted message.  data refers to the message.  Without the headers
 * of its times a block counts for all times.  0; -EBADMSG and the fault. */
int tl_nats_message_get(struct tl_block *block, natsMsg *message,
    struct tl_fault *fault);

#endif
