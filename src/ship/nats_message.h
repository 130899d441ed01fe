/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_message.h - a block as a message: its subject, its headers.
 */
#ifndef TL_SHIP_NATS_MESSAGE_H
#define TL_SHIP_NATS_MESSAGE_H

#include "base/fault.h"
#include "ship/block_id.h"
#include "ship/nats_subject.h"

#include <nats/nats.h>

/* A message of it, which is a copy; reply: where its acknowledgement goes. */
natsStatus tl_nats_message_new(natsMsg **message, const struct tl_block *block,
    const char *stream, const char *reply);
/* The block that a message from anybody holds; data is still the message's.
 * Without times it is of all times.  -EBADMSG: none of ours, and the fault
 * says why. */
int tl_nats_message_get(struct tl_block *block, natsMsg *message,
    struct tl_fault *fault);

#endif
