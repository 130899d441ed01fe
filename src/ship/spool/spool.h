/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool.h - blocks that are not yet acknowledged, in a folder or in memory
 *
 * Problem.  The target may be unreachable for hours while timelines overwrite
 * their entries within seconds, and the shipper may be killed at any
 * instruction.  Between the two lies a queue of bounded size that survives the
 * process.
 *
 *	feeds (a thread each)          the loop (one thread)
 *	  put --> waiting --take/give--> in flight --acked--> removed
 *	             ^                       |
 *	             +----- disconnected ----+
 *
 *	SPOOL/lock                         flock: one process for each spool
 *	SPOOL/HOST=TIMELINE/state          where the chain continues
 *	                   /17.trace       a block
 *	                   /18-90.lost     placeholder of blocks 18 to 90
 *	                   /NAME.bad       a damaged file, renamed
 *
 * Invariants.  A file appears whole (rename) or not at all.  The newest block
 * or the state has the place where the chain continues, and one of them always
 * exists: so the same entries are never given two numbers, and a number is
 * never used twice.  Blocks leave a chain in its order.  Before a block is sent
 * this is recorded in the state; after a crash it is then known which blocks
 * the target may have.  The sum of the sizes stays below size_max as long as
 * anything can be dropped.
 *
 * Full.  Blocks that were never sent are thinned, oldest first: entries below
 * warning are removed and counted.  When none is left to thin, the oldest
 * blocks become placeholders (drop.c).
 *
 * Threads.  Functions on a chain: the one thread that makes its blocks.
 * Functions on all chains: the one thread that sends.  tl_spool_status: any
 * thread.
 *
 * The spool is not fsynced: a killed process loses nothing, a machine that
 * loses its power may lose the last half minute.  Syncing each block cost more
 * than the shipping itself and was rejected; damaged files are detected by
 * checksums.
 */
#ifndef TL_SHIP_SPOOL_SPOOL_H
#define TL_SHIP_SPOOL_SPOOL_H

#include "event/reader.h"
#include "ship/block.h"

/* With one more, the unused empty chain that was used least recently is
 * removed. */
enum { TL_SPOOL_CHAINS_MAX = 1024 };

struct tl_spool;
struct tl_spool_chain;

struct tl_spool_options {
	const char *path; /* NULL: in memory */
	uint64_t size_max;
	const struct tl_report *report; /* of damaged files; any thread */
	void (*wake)(void *context);    /* a block was put; may be NULL */
	void *context;
};

struct tl_spool_status {
	uint64_t chains;
	uint64_t blocks;  /* in the spool, in flight ones included */
	uint64_t size;    /* of these blocks */
	uint64_t entries; /* of all blocks put */
	uint64_t lost;    /* counted by losses of all blocks put */
	uint64_t dropped; /* entries dropped or removed by thinning */
	uint64_t dropped_blocks;
	uint64_t thinned_blocks;
	uint64_t dropped_by[TIMELINE_LEVEL_NONE]; /* [0]: level unknown */
	uint64_t acked;                           /* blocks */
	uint64_t acked_size;
};

/* 0; -EBUSY: another process uses it; -errno; the fault. */
int tl_spool_open(struct tl_spool **spool,
    const struct tl_spool_options *options, struct tl_fault *fault);
/* Waiting blocks stay in the folder.  NULL does nothing. */
void tl_spool_free(struct tl_spool *spool);
void tl_spool_status(struct tl_spool *spool, struct tl_spool_status *status);

/* == a chain: by the thread that makes its blocks == */

/* Use the chain of a timeline, which may be new.  0, -ENOSPC, -errno. */
int tl_spool_chain(struct tl_spool_chain **chain, struct tl_spool *spool,
    const char *host, const char *timeline, struct tl_fault *fault);
/* End the use of a chain. */
void tl_spool_chain_leave(struct tl_spool_chain *chain);
const char *tl_spool_chain_name(const struct tl_spool_chain *chain);
/* The number of the block that comes next. */
uint64_t tl_spool_chain_next(const struct tl_spool_chain *chain);
/* Where the chain continues: identity of the timeline ("": new) and
 * positions. */
const char *tl_spool_chain_identity(const struct tl_spool_chain *chain);
const char *tl_spool_chain_positions(const struct tl_spool_chain *chain);
/* Continue with this timeline and positions; stored.  0 or -errno. */
int tl_spool_chain_begin(struct tl_spool_chain *chain, const char *identity,
    const char *boot, const char *positions);
/*
 * Store the next block; only its times, counts and data are used.  positions is
 * where the block after it begins.  0; -errno: it is not stored, and its number
 * is used for the next one.
 */
int tl_spool_put(struct tl_spool_chain *chain, const struct tl_block *block,
    const char *positions);

/* == all chains: by the thread that sends == */

/* Take the next block to send, from the chains in turn; valid until it is given
 * back.  0; -EAGAIN: no block waits; -errno. */
int tl_spool_take(struct tl_spool *spool, struct tl_block *block);
/* Give it back.  rc 0: it is in flight; else it waits again. */
void tl_spool_give(struct tl_spool *spool, int rc);
/* Give it back because it is too large: it is thinned, or dropped if it has no
 * detail. */
void tl_spool_reject(struct tl_spool *spool);
/* A block in flight was acknowledged: remove it. */
void tl_spool_acked(struct tl_spool *spool, const char *chain, uint64_t number);
/* All blocks in flight wait again. */
void tl_spool_disconnected(struct tl_spool *spool);

#endif
