/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seen.h - the blocks seen of each chain: second copies are detected, missing
 * blocks are counted
 *
 *	numbers	0 1 2 . . 5 6 7 . 9     next: 10
 *		      ^3-4    ^8-8      ranges that are missing
 *
 * Blocks beside a kept copy (nats/protocol.h) are not missing: the stream has
 * discarded them.
 */
#ifndef TL_SHIP_SEEN_H
#define TL_SHIP_SEEN_H

#include "ship/block.h"

#include <stdbool.h>

enum {
	TL_SEEN_CHAINS_MAX = 4096, /* then the least recently used goes */
	TL_SEEN_GAPS_MAX =
	    32 /* ranges of a chain; then the first is forgotten */
};

struct tl_seen_gap {
	uint64_t first, last;
};

struct tl_seen_chain {
	char name[TL_CHAIN_SIZE];
	char host[TL_BLOCK_NAME_MAX];
	char timeline[TL_BLOCK_NAME_MAX];
	uint64_t begun; /* the first number that was seen */
	uint64_t next;  /* one more than the greatest */
	uint64_t used;  /* when: a counter */
	bool kept;      /* the newest is a kept copy */
	size_t gap_count;
	struct tl_seen_gap gaps[TL_SEEN_GAPS_MAX];
};

/* Starts from all zeros. */
struct tl_seen {
	struct tl_seen_chain **chains;
	size_t count;
	size_t capacity;
	uint64_t used;
	uint64_t missing;   /* blocks in gaps, also those forgotten */
	uint64_t discarded; /* blocks beside kept copies */
};

enum tl_seen_place {
	TL_SEEN_FIRST,    /* of its chain */
	TL_SEEN_NEXT,     /* what was expected */
	TL_SEEN_AHEAD,    /* blocks before it are missing */
	TL_SEEN_LATE,     /* a block that was missing */
	TL_SEEN_DUPLICATE /* seen before */
};

/* Add a block, or the placeholder of all up to last; sets chain.  Returns an
 * enum tl_seen_place, or -ENOMEM. */
int tl_seen_add(struct tl_seen *seen, const struct tl_block *block,
    uint64_t last, const struct tl_seen_chain **chain);
void tl_seen_free(struct tl_seen *seen);

#endif
