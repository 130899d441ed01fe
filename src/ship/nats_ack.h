/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_ack.h - what JetStream answers to a message.
 */
#ifndef TL_SHIP_NATS_ACK_H
#define TL_SHIP_NATS_ACK_H

#include "base/bytes.h"

enum { TL_NATS_ERROR_MAX = 128 };

struct tl_nats_ack {
	uint64_t sequence;
	uint64_t code; /* 0: kept */
	uint64_t error_code;
	char error[TL_NATS_ERROR_MAX];
};

/* 0; -EBADMSG: it is no such answer; -ENOMEM. */
int tl_nats_ack_parse(struct tl_nats_ack *ack, struct tl_bytes json);

#endif
