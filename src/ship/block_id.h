/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_id.h - what stands beside a block in a cluster: CHAIN-NUMBER, and the
 * names of its headers.
 */
#ifndef TL_SHIP_BLOCK_ID_H
#define TL_SHIP_BLOCK_ID_H

#include "base/text.h"
#include "ship/block.h"

#include <stdbool.h>
#include <stdio.h>

#define TL_HEADER_ID      "Nats-Msg-Id"
#define TL_HEADER_FROM    "Timeline-From" /* ns */
#define TL_HEADER_TO      "Timeline-To"
#define TL_HEADER_ENTRIES "Timeline-Entries"
#define TL_HEADER_LOST    "Timeline-Lost"

static inline void
tl_block_id_put(char to[TL_BLOCK_ID_MAX], const struct tl_block *block)
{
	snprintf(to, TL_BLOCK_ID_MAX, "%.*s-%llu", TL_CHAIN_SIZE - 1,
	    block->chain, (unsigned long long)block->number);
}

/* Chain and number, from anybody: false, it is no id. */
static inline bool
tl_block_id_get(struct tl_block *block, const char *id)
{
	const size_t digits = TL_CHAIN_SIZE - 1;
	const char *number;

	if (strspn(id, "0123456789abcdef") != digits || id[digits] != '-')
		return false;
	number = id + digits + 1;
	if ((number[0] == '0' && number[1]) || /* one way to write it */
	    tl_parse_unsigned(number, &block->number) < 0)
		return false;
	memcpy(block->chain, id, digits);
	block->chain[digits] = '\0';
	return true;
}

#endif
