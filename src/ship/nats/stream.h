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

/* There is a stream of that name, made now if it was not, and it takes the
 * subject, in messages of at most *size_max (<= 0: of any size).  0; -EINVAL
 * it does not, -errno; the fault says why. */
int tl_nats_stream_ensure(jsCtx *js, const struct tl_nats_options *options,
    const char *stream, const char *subject, int64_t *size_max,
    struct tl_fault *fault);

struct tl_nats_stream_state {
	uint64_t first; /* sequence */
	uint64_t last;  /* ... 0: nothing was there yet */
	uint64_t count; /* of messages */
};
/* 0; -ENOENT there is none, -errno; the fault says why. */
int tl_nats_stream_inspect(jsCtx *js, const char *stream,
    struct tl_nats_stream_state *state, struct tl_fault *fault);

/* == a block as a message == */

/* A message of it, which is a copy; reply: where its acknowledgement goes. */
natsStatus tl_nats_message_new(natsMsg **message, const struct tl_block *block,
    const char *stream, const char *reply);
/* The block that a message from anybody holds; data is still the message's.
 * Without times it is of all times.  -EBADMSG: none of ours, and the fault
 * says why. */
int tl_nats_message_get(struct tl_block *block, natsMsg *message,
    struct tl_fault *fault);

#endif
