/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_queue.h - blocks that a target has, until it may tell so.
 */
#ifndef TL_SHIP_TARGET_QUEUE_H
#define TL_SHIP_TARGET_QUEUE_H

#include "ship/target.h"

struct tl_queued {
	char chain[TL_CHAIN_SIZE];
	uint64_t number;
};

/* Starts from all zeros. */
struct tl_target_queue {
	struct tl_queued *items;
	size_t count;
	size_t capacity;
};

/* 0 or -ENOMEM. */
int tl_queue_add(struct tl_target_queue *queue, const struct tl_block *block);
/* All of one go behind those of another, which has none left: 0, -ENOMEM. */
int tl_queue_move(struct tl_target_queue *to, struct tl_target_queue *from);
/* Tell that the target keeps them; none is left. */
void
tl_queue_settle(struct tl_target_queue *queue, const struct tl_target *target);
void tl_queue_free(struct tl_target_queue *queue);

#endif
