/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_events.c - a directory of files that hold the events of many blocks.
 *
 * Each chain has one that is being made.  It is whole when it is large or old
 * enough, when the hour ends, or when too much waits for it; its blocks are
 * settled then, not before.  A block that comes again after a crash may lie in
 * a file that is whole: its name tells.
 */
#include "ship/targets.h"

#include "clock/clock.h"
#include "ship/block_read.h"
#include "ship/part.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct chain_part {
	char name[TL_CHAIN_SIZE];
	struct tl_part part;
	uint64_t covered; /* blocks before it lie in files that are whole */
	bool gap;         /* the block before was a stand-in for others ... */
	bool part_gap;    /* ... or was before the part */
};

struct events_target {
	struct tl_target target; /* first: what callers hold */
	struct tl_target_options options;
	struct tl_partitions partitions;
	struct chain_part **chains;
	size_t chain_count;
	uint64_t held; /* bytes of blocks in files that are not whole */
	struct tl_target_queue queue;
};

/* == chains == */

/* One without a file, whose place another can have; NULL: there is none. */
static struct chain_part *
find_idle(struct events_target *e)
{
	for (size_t i = 0; i < e->chain_count; i++) {
		const struct tl_part *p = &e->chains[i]->part;

		if (!p->events && p->held_blocks.count == 0)
			return e->chains[i];
	}
	return NULL;
}

static int
find_chain(struct events_target *e, const char *name, struct chain_part **chain)
{
	struct chain_part **grown;

	for (size_t i = 0; i < e->chain_count; i++) {
		*chain = e->chains[i];
		if (strcmp((*chain)->name, name) == 0)
			return 0;
	}
	if (e->chain_count >= TL_TARGET_CHAINS_MAX && (*chain = find_idle(e))) {
		tl_queue_free(&(*chain)->part.held_blocks);
		**chain = (struct chain_part){ 0 };
		memcpy((*chain)->name, name, TL_CHAIN_SIZE);
		return 0;
	}
	grown = realloc(e->chains, (e->chain_count + 1) * sizeof(*e->chains));
	if (!grown)
		return -ENOMEM;
	e->chains = grown;
	*chain = calloc(1, sizeof(**chain));
	if (!*chain)
		return -ENOMEM;
	memcpy((*chain)->name, name, TL_CHAIN_SIZE);
	e->chains[e->chain_count++] = *chain;
	return 0;
}

/* == one file == */

static int
finish_part(struct events_target *e, struct chain_part *c)
{
	int rc;

	if (!c->part.events)
		return 0;
	e->held -= c->part.held;
	rc = tl_part_finish(&c->part);
	return rc < 0 ? rc : tl_queue_move(&e->queue, &c->part.held_blocks);
}

/* A fault: whatever is not whole is made again. */
static void
abandon_all(struct events_target *e)
{
	for (size_t i = 0; i < e->chain_count; i++) {
		struct chain_part *c = e->chains[i];

		if (!c->part.events)
			continue;
		tl_part_abandon(&c->part);
		c->gap = c->part_gap;
	}
	e->held = 0;
}

static bool
is_done(const struct events_target *e, const struct tl_part *p, int64_t now_ns)
{
	return p->size >= e->options.part_size ||
	       now_ns - p->begun_ns >= (int64_t)e->options.part_ns;
}

/* The file with most blocks, while all have too many. */
static int
finish_largest(struct events_target *e)
{
	struct chain_part *most = NULL;

	if (e->held <= e->options.held_max)
		return 0;
	for (size_t i = 0; i < e->chain_count; i++)
		if (!most || e->chains[i]->part.held > most->part.held)
			most = e->chains[i];
	return most ? finish_part(e, most) : 0;
}

/* == blocks == */

/* Where a new file begins it may turn out that the block lies in another. */
static int
begin_part(struct events_target *e, struct chain_part *c,
    const struct tl_block *block)
{
	const int folder = tl_partition_open(&e->partitions, block->host,
	    tl_partition_hour(block->from_ns));
	uint64_t last;

	if (folder < 0)
		return folder;
	last = tl_part_find(folder, block, e->options.format);
	if (last != UINT64_MAX) {
		c->covered = last + 1;
		close(folder);
		return 0;
	}
	c->part_gap = c->gap;
	return tl_part_begin(&c->part, folder, block, e->options.format,
	    e->options.report);
}

/* Does it stand for others, and up to which? */
static bool
is_stand_in(const struct tl_block *block, uint64_t *last)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	bool dropped = false;

	*last = block->number;
	if (block->entries == 0 &&
	    tl_block_describe(&facts, block->data, &fault) == 0) {
		dropped = facts.dropped;
		*last = facts.last;
	}
	tl_block_facts_free(&facts);
	return dropped;
}

static int
put_in_part(struct events_target *e, struct chain_part *c,
    const struct tl_block *block)
{
	uint64_t last;
	const bool stand_in = is_stand_in(block, &last);
	int rc = tl_part_put(&c->part, block, last, c->gap);

	if (rc < 0)
		return rc;
	c->gap = stand_in;
	e->held += block->data.size;
	if (is_done(e, &c->part, tl_clock_read(CLOCK_MONOTONIC)))
		rc = finish_part(e, c);
	return rc < 0 ? rc : finish_largest(e);
}

static int
put(struct events_target *e, struct chain_part *c, const struct tl_block *block)
{
	int rc = 0;

	if (c->part.events && c->part.hour != tl_partition_hour(block->from_ns))
		rc = finish_part(e, c);
	if (rc == 0 && !c->part.events && block->number >= c->covered)
		rc = begin_part(e, c, block);
	if (rc < 0)
		return rc;
	if (block->number < c->covered)
		return tl_queue_add(&e->queue, block);
	return put_in_part(e, c, block);
}

static int
fail(struct events_target *e, int rc, struct tl_fault *fault)
{
	abandon_all(e);
	tl_queue_settle(&e->queue, &e->target);
	return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s: %s", e->options.url,
	    strerror(-rc));
}

static int
events_send(struct tl_target *target, const struct tl_block *block,
    struct tl_fault *fault)
{
	struct events_target *e = (struct events_target *)target;
	struct chain_part *c;
	int rc = find_chain(e, block->chain, &c);

	if (rc == 0)
		rc = put(e, c, block);
	return rc < 0 ? fail(e, rc, fault) : 0;
}

static int
settle(struct events_target *e, bool all, struct tl_fault *fault)
{
	const int64_t now_ns = tl_clock_read(CLOCK_MONOTONIC);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < e->chain_count; i++) {
		struct chain_part *c = e->chains[i];

		if (c->part.events && (all || is_done(e, &c->part, now_ns)))
			rc = finish_part(e, c);
	}
	if (rc < 0)
		return fail(e, rc, fault);
	tl_queue_settle(&e->queue, &e->target);
	return 0;
}

static int
events_settle(struct tl_target *target, int timeout_ms, struct tl_fault *fault)
{
	(void)timeout_ms;
	return settle((struct events_target *)target, false, fault);
}

static int
events_finish(struct tl_target *target, struct tl_fault *fault)
{
	return settle((struct events_target *)target, true, fault);
}

static void
events_free(struct tl_target *target)
{
	struct events_target *e = (struct events_target *)target;

	abandon_all(e);
	for (size_t i = 0; i < e->chain_count; i++) {
		tl_queue_free(&e->chains[i]->part.held_blocks);
		free(e->chains[i]);
	}
	free(e->chains);
	tl_partitions_close(&e->partitions);
	tl_queue_free(&e->queue);
	free(e);
}

int
tl_events_target_new(struct tl_target **target,
    const struct tl_target_options *options)
{
	struct events_target *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->target = (struct tl_target){ .send = events_send,
		.settle = events_settle,
		.finish = events_finish,
		.free = events_free };
	e->options = *options;
	e->partitions = (struct tl_partitions){ options->url, -1 };
	*target = &e->target;
	return 0;
}
