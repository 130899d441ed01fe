/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.c - the events of a chain, block after block.
 *
 *	block 6   block 7   block 8   block 9   block 10
 *	 done     open      open      the next  ...
 *	           \ the earlier of  \ opened when an event of it may be
 *	             their events      earlier than those at hand
 *
 * Blocks are opened in the order of their numbers, TL_CHAIN_OPEN_MAX at once:
 * each took up where the one before had stopped, so that no more than
 * neighbours overlap, whatever the times in their headers claim.
 */
#include "trace/chain/work.h"

#include <errno.h>
#include <stdlib.h>

struct slot {
	struct tl_chain_opened *opened;
	struct tl_event event; /* the next one; when it ended, the last, if
				* there was any */
	bool ended;
	bool hole; /* something is missing before the block: to be told */
	uint64_t missing;
};

struct chain_cursor {
	struct tl_cursor cursor; /* first: what callers see */
	struct tl_chain *chain;
	enum tl_order order;
	size_t begun; /* blocks, from the end that it begins at */
	struct slot slots[TL_CHAIN_OPEN_MAX]; /* in the order of beginning */
	unsigned count;
};

static bool
is_backward(const struct chain_cursor *c)
{
	return c->order == TL_NEWEST_FIRST;
}

/* NULL: all were begun. */
static struct tl_chain_block *
next_block(const struct chain_cursor *c)
{
	const size_t count = c->chain->block_count;

	if (c->begun == count)
		return NULL;
	return &c->chain
		    ->blocks[is_backward(c) ? count - 1 - c->begun : c->begun];
}

static void
remove_slot(struct chain_cursor *c, struct slot *slot)
{
	tl_chain_block_close(slot->opened);
	for (c->count--; slot < &c->slots[c->count]; slot++)
		*slot = slot[1];
}

/* The next event of a block; where there is none, and no hole to be told of,
 * the slot goes. */
static int
read_next(struct chain_cursor *c, struct slot *slot)
{
	struct tl_event event;
	const int rc = tl_chain_block_next(slot->opened, &event);

	if (rc > 0) {
		slot->event = event;
		return 0;
	}
	slot->ended = true;
	if (!slot->hole)
		remove_slot(c, slot);
	return rc;
}

/* Begin the next block; one that cannot be read is left out. */
static int
begin_block(struct chain_cursor *c)
{
	struct tl_chain_block *block = next_block(c);
	struct slot *slot = &c->slots[c->count];
	int rc;

	c->begun++;
	*slot = (struct slot){ .event = { .ns = tl_chain_block_end(block) },
		.hole = block->hole,
		.missing = block->missing };
	rc = tl_chain_block_open(&slot->opened, c->chain, block, c->order);
	if (rc < 0)
		return rc == -EBADMSG ? 0 : rc;
	c->count++;
	return read_next(c, slot);
}

static bool
is_ahead(const struct chain_cursor *c, const struct tl_event *a,
    const struct tl_event *b)
{
	int order = (a->ns > b->ns) - (a->ns < b->ns);

	if (order == 0)
		order = tl_event_compare_tied(a, b);
	return is_backward(c) ? order > 0 : order < 0;
}

/* The slot whose event is next; of one time and one lane, the one that is
 * further along. */
static struct slot *
first_slot(struct chain_cursor *c)
{
	struct slot *best = &c->slots[0];

	for (unsigned i = 1; i < c->count; i++)
		if (is_ahead(c, &c->slots[i].event, &best->event))
			best = &c->slots[i];
	return best;
}

/*
 * May an event of the next block come before all at hand?  The header of one
 * that begins spans again tells when these began, which is of no use; then
 * nothing of it comes before what the block before it has new, or, where that
 * is missing, before the end of what was told.
 */
static bool
is_due(struct chain_cursor *c)
{
	const struct tl_chain_block *block = next_block(c);
	const struct slot *first;

	if (!block || c->count == 0)
		return block;
	if (c->count == TL_CHAIN_OPEN_MAX)
		return false;
	first = first_slot(c);
	if (is_backward(c))
		return block->max_ns >= first->event.ns;
	if (block->repeats && !block->follows &&
	    block->told_ns >= first->event.ns)
		return false;
	return block->min_ns <= first->event.ns &&
	       (!block->repeats || first == &c->slots[c->count - 1]);
}

static struct tl_event
hole_at(const struct slot *slot)
{
	return (struct tl_event){ .kind = TL_LOST,
		.lost = slot->missing,
		.ns = slot->event.ns,
		.tsc = slot->event.tsc,
		.epoch = slot->event.epoch,
		.cpu = TL_CPU_UNKNOWN };
}

/* The event of a slot, or the hole before its block. */
static int
give(struct chain_cursor *c, struct slot *slot, struct tl_event *event)
{
	int rc;

	if (slot->hole && (slot->ended || !is_backward(c))) {
		*event = hole_at(slot);
		slot->hole = false;
		if (slot->ended)
			remove_slot(c, slot);
		return 1;
	}
	*event = slot->event;
	rc = read_next(c, slot);
	return rc < 0 ? rc : 1;
}

static int
cursor_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct chain_cursor *c = (struct chain_cursor *)(void *)cursor;
	int rc;

	while (is_due(c)) {
		rc = begin_block(c);
		if (rc < 0)
			return rc;
	}
	return c->count > 0 ? give(c, first_slot(c), event) : 0;
}

static void
cursor_close(struct tl_cursor *cursor)
{
	struct chain_cursor *c = (struct chain_cursor *)(void *)cursor;

	while (c->count > 0)
		tl_chain_block_close(c->slots[--c->count].opened);
	free(c);
}

int
tl_chain_cursor(struct tl_chain *chain, enum tl_order order,
    struct tl_cursor **cursor)
{
	struct chain_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->cursor = (struct tl_cursor){ cursor_next, cursor_close };
	c->chain = chain;
	c->order = order;
	*cursor = &c->cursor;
	return 0;
}
