/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool.h - blocks that wait to be sent, or to be settled: a folder, or
 * memory.
 *
 *	put -> waiting -> taken, on its way -> settled, gone
 *	          ^            |
 *	          +--- away ---+      too many: those that were never on their
 *	                              way lose what is below warning, the oldest
 *	                              first; then the oldest become one that
 *	                              counts them
 *
 *	SPOOL/lock
 *	SPOOL/HOST=TIMELINE/state          the chain, when no block tells it
 *	                   /17.trace       a block
 *	                   /18-90.lost     what stands for blocks 18 to 90
 *	                   /NAME.bad       what was damaged, moved aside
 *
 * A file appears whole or not at all, by its name; nothing is synced, so a
 * killed process loses nothing and a machine without power may.  What is
 * newest of a chain, a block or its state, tells where it goes on.
 */
#ifndef TL_SHIP_SPOOL_SPOOL_H
#define TL_SHIP_SPOOL_SPOOL_H

#include "event/reader.h"
#include "ship/block.h"

/* With one more, that is forgotten which has no block and was not used for
 * longest. */
enum { TL_SPOOL_CHAINS_MAX = 1024 };

struct tl_spool;
struct tl_spool_chain;

struct tl_spool_options {
	const char *path; /* NULL: in memory */
	uint64_t size_max;
	const struct tl_report *report; /* of what was found; any thread */
	void (*wake)(void *context);    /* there is a block; may be NULL */
	void *context;
};

struct tl_spool_status {
	uint64_t chains;
	uint64_t blocks; /* that are there */
	uint64_t size;
	uint64_t entries; /* of those put: theirs, ... */
	uint64_t lost;    /* ... missing before, ... */
	uint64_t dropped; /* ... and dropped, of dropped_blocks */
	uint64_t dropped_blocks;
	uint64_t thinned_blocks; /* what they lost is among dropped */
	/* Dropped entries by level; 0: it is not known, they were missing
	 * before. */
	uint64_t dropped_by[TIMELINE_LEVEL_NONE];
	uint64_t acked; /* blocks, and ... */
	uint64_t acked_size;
};

/* 0; -EBUSY: somebody else has it; -errno, and the fault says why. */
int tl_spool_open(struct tl_spool **spool,
    const struct tl_spool_options *options, struct tl_fault *fault);
/* What waits stays in the folder.  NULL does nothing. */
void tl_spool_free(struct tl_spool *spool);
void tl_spool_status(struct tl_spool *spool, struct tl_spool_status *status);

/* == a chain: by the thread that makes its blocks == */

/* The chain of a timeline, which may be new: it is used.  0, -ENOSPC, -errno. */
int tl_spool_chain(struct tl_spool_chain **chain, struct tl_spool *spool,
    const char *host, const char *timeline, struct tl_fault *fault);
/* It is not used any more, until somebody asks for it again. */
void tl_spool_chain_leave(struct tl_spool_chain *chain);
const char *tl_spool_chain_name(const struct tl_spool_chain *chain);
/* The number of the block that comes next. */
uint64_t tl_spool_chain_next(const struct tl_spool_chain *chain);
/* Where it goes on: of which timeline ("": it is new), and from where. */
const char *tl_spool_chain_identity(const struct tl_spool_chain *chain);
const char *tl_spool_chain_positions(const struct tl_spool_chain *chain);
/* It goes on with this timeline from there: kept.  0 or -errno. */
int tl_spool_chain_begin(struct tl_spool_chain *chain, const char *identity,
    const char *boot, const char *positions);
/*
 * Keep its next block: times, counts and data are set, the rest is known.
 * positions is where the one after it goes on.  0; -errno: it is not kept,
 * and its number not used.
 */
int tl_spool_put(struct tl_spool_chain *chain, const struct tl_block *block,
    const char *positions);

/* == all chains: by the thread that sends == */

/* The next to send, of the chains by turns; good until it was given back.
 * 0; -EAGAIN: none waits; -errno. */
int tl_spool_take(struct tl_spool *spool, struct tl_block *block);
/* Give it back: 0, it is on its way; else it waits again. */
void tl_spool_give(struct tl_spool *spool, int rc);
/* It cannot be sent as it is: it waits without its detail, or is dropped if it
 * has none. */
void tl_spool_reject(struct tl_spool *spool);
/* A block on its way has arrived: it goes. */
void tl_spool_acked(struct tl_spool *spool, const char *chain, uint64_t number);
/* All that are on their way wait again. */
void tl_spool_disconnected(struct tl_spool *spool);

#endif
