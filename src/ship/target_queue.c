/* SPDX-License-Identifier: Apache-2.0 */
/* target_queue.c - who waits to be told of. */
#include "ship/target_queue.h"

#include <errno.h>
#include <stdlib.h>

enum { CAPACITY_FIRST = 16 };

static int
make_room(struct tl_target_queue *q, size_t count)
{
	size_t capacity = q->capacity ? q->capacity : CAPACITY_FIRST;
	struct tl_queued *items;

	while (capacity < q->count + count)
		capacity *= 2;
	if (capacity == q->capacity)
		return 0;
	items = realloc(q->items, capacity * sizeof(*items));
	if (!items)
		return -ENOMEM;
	q->items = items;
	q->capacity = capacity;
	return 0;
}

int
tl_queue_add(struct tl_target_queue *q, const struct tl_block *block)
{
	const int rc = make_room(q, 1);

	if (rc < 0)
		return rc;
	memcpy(q->items[q->count].chain, block->chain, TL_CHAIN_SIZE);
	q->items[q->count++].number = block->number;
	return 0;
}

int
tl_queue_move(struct tl_target_queue *to, struct tl_target_queue *from)
{
	const int rc = make_room(to, from->count);

	if (rc < 0)
		return rc;
	if (from->count > 0)
		memcpy(to->items + to->count, from->items,
		    from->count * sizeof(*to->items));
	to->count += from->count;
	from->count = 0;
	return 0;
}

void
tl_queue_settle(struct tl_target_queue *q, const struct tl_target *target)
{
	for (size_t i = 0; i < q->count; i++)
		target->settled(target->context, q->items[i].chain,
		    q->items[i].number, 0);
	q->count = 0;
}

void
tl_queue_free(struct tl_target_queue *q)
{
	free(q->items);
	*q = (struct tl_target_queue){ 0 };
}
