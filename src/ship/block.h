/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - what is shipped: a small recorded trace that can be read alone,
 * one of a chain that continues one timeline of one host.
 */
#ifndef TL_SHIP_BLOCK_H
#define TL_SHIP_BLOCK_H

#include "base/bytes.h"

enum {
	TL_CHAIN_SIZE = 33,      /* 32 hexadecimal digits, and NUL */
	TL_BLOCK_NAME_MAX = 256, /* of a host, of a timeline */
	TL_BLOCK_ID_MAX = 64     /* CHAIN-NUMBER */
};

struct tl_block {
	char host[TL_BLOCK_NAME_MAX];
	char timeline[TL_BLOCK_NAME_MAX];
	char chain[TL_CHAIN_SIZE];
	uint64_t number;  /* in its chain, from 0 */
	int64_t from_ns;  /* the least time of its events ... */
	int64_t to_ns;    /* ... and the greatest */
	uint64_t entries; /* losses are none */
	uint64_t lost;    /* entries that its losses stand for */
	struct tl_bytes data;
};

#endif
