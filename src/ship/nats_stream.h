/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_stream.h - the stream that keeps the blocks: found, or made.
 */
#ifndef TL_SHIP_NATS_STREAM_H
#define TL_SHIP_NATS_STREAM_H

#include "ship/nats_link.h"

/* There is a stream of that name, made now if it was not, and it takes the
 * subject, in messages of at most *size_max (<= 0: of any size).  0; -EINVAL
 * it does not, -errno; the fault says why. */
int tl_nats_stream_need(jsCtx *js, const struct tl_nats_options *options,
    const char *stream, const char *subject, int64_t *size_max,
    struct tl_fault *fault);

struct tl_nats_stream_state {
	uint64_t first; /* sequence */
	uint64_t last;  /* ... 0: nothing was there yet */
	uint64_t count; /* of messages */
};
/* 0; -ENOENT there is none, -errno; the fault says why. */
int tl_nats_stream_look(jsCtx *js, const char *stream,
    struct tl_nats_stream_state *state, struct tl_fault *fault);

#endif
