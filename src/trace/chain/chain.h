/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.h - a stream of recorded traces as timelines: the blocks of a chain
 * continue each other, in whatever order they come.
 *
 *	file, pipe --> traces (blocks.h) --> chains: blocks by their number
 *	                                       | opened as they are reached
 *	                                       +--> cursor, newest or oldest
 *	                                            first
 *
 * timeline-ship sends each recording in blocks, which are small traces.  A
 * broker may repeat, reorder or drop them, and may mix those of many hosts.
 * The INFOs of a block name its chain and its number there; a trace without
 * them is a chain of its own.
 *
 * Invariants.
 *	- A block that comes twice counts once.
 *	- If numbers are missing, so are their entries: this is reported, and a
 *	  TL_LOST event stands there, of as many entries as the blocks on both
 *	  sides allow to count, or of 0, which means an unknown number.
 *	- A span that continues from block to block begins again in each block;
 *	  a cursor gives its begin once.
 *	- Memory holds a line for each block, and all definitions; events are
 *	  read block by block, TL_CHAIN_OPEN_MAX of them at once.
 *
 * Who may call.  Chains of one stream share the file and the texts: one
 * thread at a time uses them, though each is freed on its own.  follow.h
 * reads the same from a pipe, while blocks come.
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

#include <timeline_layout.h>

enum {
	/* in a stream; further ones are reported and dropped */
	TL_CHAINS_MAX = 65535,
	/* Traces without a chain that are kept apart; beyond the limit, those
	 * of the same boot, host and timeline are merged. */
	TL_CHAINS_LONE_MAX = 64,
	TL_CHAIN_BLOCKS_MAX = 1 << 24,
	/* Blocks of a cursor that are open at once; blocks that overlap by more
	 * are invalid. */
	TL_CHAIN_OPEN_MAX = 4,
	TL_CHAIN_KNOTS_MAX = 1 << 16 /* in memory */
};

struct tl_chains;
struct tl_chain;

/*
 * Open the chains of all traces in a file, whose descriptor is duplicated.
 * Damage outside of chains is a fault of the first one.  0; -EBADMSG: there is
 * no trace; -ENOMEM; -errno; the fault.
 */
int tl_chains_open(struct tl_chains **chains, int fd, struct tl_fault *fault);
/* Free it with the chains that were not taken out. */
void tl_chains_free(struct tl_chains *chains);

/* How many there are; they are in order of the time of their first event. */
size_t tl_chains_count(const struct tl_chains *chains);

/* Take a chain out.  The caller frees it, in any order. */
struct tl_chain *tl_chains_take(struct tl_chains *chains, size_t i);
void tl_chain_free(struct tl_chain *chain);

/* "host/timeline", or the known parts of it; never empty. */
const char *tl_chain_name(const struct tl_chain *chain);
void tl_chain_origin(const struct tl_chain *chain, struct tl_origin *origin);
/* The number of entries, or more. */
uint64_t tl_chain_entries(const struct tl_chain *chain);
/* The time of its newest event; -ENODATA: there is none. */
int tl_chain_newest(const struct tl_chain *chain, int64_t *ns);

/* The definitions; messages live as long as the chain. */
size_t tl_chain_message_count(const struct tl_chain *chain);
const struct tl_message *const *tl_chain_messages(const struct tl_chain *chain);
/* The knots of its clock, by time.  If there are very many, some closing points
 * are left out; while a chain is followed new ones are added at the end. */
size_t tl_chain_knot_count(const struct tl_chain *chain);
const struct timeline_knot *
tl_chain_knot(const struct tl_chain *chain, size_t i);

/* Its faults.  Damage inside of blocks is found when they are read. */
size_t tl_chain_fault_count(const struct tl_chain *chain);
const struct tl_fault *tl_chain_fault(const struct tl_chain *chain, size_t i);
bool tl_chain_is_damaged(const struct tl_chain *chain);
/* Add a fault; rc is 0 if it is not damage. */
void tl_chain_say(struct tl_chain *chain, int rc, uint64_t at,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A cursor over all events, in order of time as far as the blocks are. */
int tl_chain_cursor(struct tl_chain *chain, enum tl_order order,
    struct tl_cursor **cursor);

#endif
