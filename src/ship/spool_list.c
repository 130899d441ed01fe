/* SPDX-License-Identifier: Apache-2.0 */
/* spool_list.c - the blocks of a chain, oldest first. */
#include "ship/spool_work.h"

#include <errno.h>
#include <stdlib.h>

enum { CAPACITY_FIRST = 64 };

/* What is gone at the front is room at the back. */
static void
move_to_front(struct tl_spool_chain *c)
{
	memmove(c->blocks, c->blocks + c->begin, c->count * sizeof(*c->blocks));
	c->begin = 0;
}

int
tl_spool_list_room(struct tl_spool_chain *c)
{
	const size_t capacity = c->capacity ? c->capacity * 2 : CAPACITY_FIRST;
	struct tl_spooled *blocks;

	if (c->begin + c->count < c->capacity)
		return 0;
	if (c->begin > c->capacity / 2) {
		move_to_front(c);
		return 0;
	}
	if (capacity > TL_SPOOL_BLOCKS_MAX)
		return -ENOSPC;
	blocks = realloc(c->blocks, capacity * sizeof(*blocks));
	if (!blocks)
		return -ENOMEM;
	c->blocks = blocks;
	c->capacity = capacity;
	return 0;
}

static void
count_in(struct tl_spool *spool, const struct tl_spooled *b)
{
	spool->status.blocks++;
	spool->status.size += tl_spooled_size(b);
}

void
tl_spool_list_add(struct tl_spool_chain *c, const struct tl_spooled *b)
{
	c->blocks[c->begin + c->count++] = *b;
	count_in(c->spool, b);
}

void
tl_spool_list_remove(struct tl_spool_chain *c, size_t i)
{
	struct tl_spooled *b = tl_spooled_at(c, i);

	c->spool->status.blocks--;
	c->spool->status.size -= tl_spooled_size(b);
	free(b->data);
	if (i == 0)
		c->begin++;
	else
		memmove(b, b + 1, (c->count - i - 1) * sizeof(*b));
	c->count--;
	if (i < c->under_way)
		c->under_way--;
}
