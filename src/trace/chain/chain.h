/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.h - a stream of recorded traces as timelines: the blocks of a chain
 * continue each other, in any order of arrival.
 *
 *	file, pipe --> traces (blocks.h) --> chains: blocks by their number
 *	                                       | opened as they are reached
 *	                                       +--> cursor, newest or oldest
 *	                                            first
 *
 * timeline-ship sends each recording in blocks, which are small traces.  A
 * broker may repeat, reorder or drop blocks, and may mix the blocks of many
 * hosts.  The INFOs of a block name its chain and its number there; a trace
 * without these INFOs is a chain of its own.
 *
 * Invariants.
 *	- A block that comes twice counts once.
 *	- If numbers are missing, the gap is reported, and a TL_LOST event
 *	  stands for the missing entries.  The event has their number if the
 *	  blocks on both sides tell it, else 0, which means unknown.
 *	- A span that continues from block to block begins again in each block;
 *	  a cursor returns the begin event once.
 *	- Memory holds a line for each block, and all definitions; events are
 *	  read block by block, TL_CHAIN_OPEN_MAX of them at once.
 *
 * Who may call.  Chains of one stream share the file and the texts: one thread
 * at a time uses all chains of a stream, but each chain is freed on its own.
 * follow.h reads such a stream from a pipe, while blocks arrive.
 *
 *	list.c		which trace is of which chain; names
 *	chain.c		blocks in order, gaps
 *	cursor.c	events of one block, of all blocks
 *	blocks.c	traces in a stream of bytes, damaged or not
 *	follow.c	a stream that has not ended
 */
#ifndef TL_TRACE_CHAIN_CHAIN_H
#define TL_TRACE_CHAIN_CHAIN_H

#include "base/fault.h"
#include "event/hosts/origin.h"
#include "event/merge.h"
#include "event/observe.h"

#include <timeline_layout.h>

enum {
	/* in a stream; further chains are reported and dropped */
	TL_CHAINS_MAX = 65535,
	/* Traces without a chain that stay separate.  Beyond the limit, traces
	 * of the same boot, host and timeline are merged. */
	TL_CHAINS_LONE_MAX = 64,
	TL_CHAIN_BLOCKS_MAX = 1 << 24,
	/* Open blocks of a cursor.  Blocks that overlap by more are invalid. */
	TL_CHAIN_OPEN_MAX = 4,
	TL_CHAIN_KNOTS_MAX = 1 << 16 /* in memory */
};

struct tl_chains;
struct tl_chain;

/*
 * Open the chains of all traces in a file; the descriptor is duplicated.
 * Damage outside of chains is a fault of the first chain.  0; -EBADMSG: no
 * trace; -ENOMEM; -errno; with a fault.
 */
int tl_chains_open(struct tl_chains **chains, int fd, struct tl_fault *fault);
/* Free the object and the chains that were not taken out. */
void tl_chains_free(struct tl_chains *chains);

/* The number of chains.  Chains are in order of the time of their first
 * event. */
size_t tl_chains_count(const struct tl_chains *chains);

/* Take a chain out.  The caller frees it, in any order. */
struct tl_chain *tl_chains_take(struct tl_chains *chains, size_t i);
void tl_chain_free(struct tl_chain *chain);

/* "host/timeline", or the known part of this name; never empty. */
const char *tl_chain_name(const struct tl_chain *chain);
void tl_chain_origin(const struct tl_chain *chain, struct tl_origin *origin);
/* The number of entries, or an upper bound. */
uint64_t tl_chain_entries(const struct tl_chain *chain);
/* Set the time of the newest event.  0; -ENODATA: none. */
int tl_chain_newest(const struct tl_chain *chain, int64_t *ns);

/* The definitions; messages live as long as the chain. */
size_t tl_chain_message_count(const struct tl_chain *chain);
const struct tl_message *const *tl_chain_messages(const struct tl_chain *chain);
/* The knots of the clock, by time.  Of very many knots some closing points are
 * left out.  While a chain is followed, new knots are added at the end. */
size_t tl_chain_knot_count(const struct tl_chain *chain);
const struct timeline_knot *
tl_chain_knot(const struct tl_chain *chain, size_t i);

/* The faults of the chain.  Damage inside of a block is found when the block is
 * read. */
size_t tl_chain_fault_count(const struct tl_chain *chain);
const struct tl_fault *tl_chain_fault(const struct tl_chain *chain, size_t i);
bool tl_chain_is_damaged(const struct tl_chain *chain);
/* Add a fault; rc is 0 for a fault that is not damage. */
void tl_chain_say(struct tl_chain *chain, int rc, uint64_t at,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What the first block in this order says of the place where the reading
 * begins.  0 or -errno. */
int tl_chain_observed(struct tl_chain *chain, enum tl_order order,
    struct tl_observed_start *start);
/* Make a cursor over all events, in order of time as far as the blocks are.  0
 * or -errno. */
int tl_chain_cursor(struct tl_chain *chain, enum tl_order order,
    struct tl_cursor **cursor);

#endif
