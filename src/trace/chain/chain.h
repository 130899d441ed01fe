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
 *
 *	list.c		which trace is of which chain; names
 *	chain.c		blocks in order, gaps; positions
 *	cursor.c	events of one block, of all blocks
 *	blocks.c	traces in a stream of bytes, damaged or not
 *	follow.c	a stream that has not ended
 */
#ifndef TL_TRACE_CHAIN_CHAIN_H
#define TL_TRACE_CHAIN_CHAIN_H

#include "base/ns.h"
#include "event/hosts/origin.h"
#include "event/intern.h"
#include "event/names.h"
#include "snap/snap.h"
#include "trace/chain/blocks.h"

enum {
	/* in a stream; further chains are reported and dropped */
	TL_CHAINS_MAX = 65535,
	/* Traces without a chain that stay separate.  Beyond the limit, traces
	 * of the same boot, host and timeline are merged. */
	TL_CHAINS_LONE_MAX = 64,
	TL_CHAIN_BLOCKS_MAX = 1 << 24,
	/* Open blocks of a cursor.  Blocks that overlap by more are invalid. */
	TL_CHAIN_OPEN_MAX = 4,
	TL_CHAIN_KNOTS_MAX = 1 << 16, /* in memory */
	TL_CHAIN_KEY_MAX = 148
};

#define TL_CHAIN_UNKNOWN UINT64_MAX

/* A block and its place. */
struct tl_chain_block {
	uint64_t at;
	uint64_t size;
	uint64_t number;
	/* number; in a placeholder the last number of the range */
	uint64_t last;
	bool dropped; /* the block is a placeholder for dropped blocks */
	uint64_t events;
	int64_t min_ns; /* of the events, including repeated begin events */
	int64_t max_ns;
	uint32_t order; /* order of arrival */
	bool whole;
	int64_t created_ns;
	bool repeats; /* the block has repeated begin events */
	bool follows; /* the block before has the same open spans */
	/* earlier blocks have the begin events up to this time */
	int64_t told_ns;
	bool reported; /* the damage of the block has been reported */
	/* Entries of the timeline before the block, and before the next block.
	 * TL_CHAIN_UNKNOWN: not in the INFOs. */
	uint64_t begins;
	uint64_t goes_on;
	uint64_t identity; /* hash of the timeline's identity */
	bool hole;         /* blocks are missing before the block */
	/* number of entries in the missing blocks; 0: unknown */
	uint64_t missing;
};

/* The bytes of a stream, shared by its chains. */
struct tl_chain_bytes {
	unsigned refs;
	int fd;
	struct tl_interner *interner; /* texts of messages */
	/* takes the place of a message if there are too many */
	const struct tl_message *nothing;
};

/* Messages that live as long as the chain, made from the messages of its
 * blocks. */
struct tl_chain_messages {
	/* of the list, by the members that tl_chain_intern() compares */
	struct tl_table table;
	const struct tl_message **list;
	size_t count;
	size_t capacity;
};

struct tl_chain {
	struct tl_chain_bytes *bytes;
	char key[TL_CHAIN_KEY_MAX]; /* the same in all blocks of the chain */
	size_t key_size;
	uint32_t number; /* in order of arrival */
	bool numbered;   /* the blocks have numbers */
	bool lone;       /* a trace without a chain */
	char *name;      /* "host/timeline", or the known part; never empty */
	struct tl_origin origin;
	struct tl_chain_block *blocks; /* by number */
	size_t block_count;
	size_t block_capacity;
	uint64_t events; /* the number of entries, or an upper bound */
	struct tl_chain_messages messages;
	/* over all blocks; a later name replaces an earlier one */
	struct tl_names names;
	/* The knots of the clock, by time.  Of very many knots some closing
	 * points are left out.  While a chain is followed, new knots are added
	 * at the end. */
	struct timeline_knot *knots;
	size_t knot_count;
	size_t knot_capacity;
	/* number of knots removed while the chain was read or followed */
	size_t knots_gone;
	/* Damage inside of a block is found when the block is read.  NULL:
	 * none. */
	struct tl_faults *faults;
	bool damaged;
};

struct tl_chains {
	struct tl_chain_bytes *bytes;
	struct tl_faults faults; /* faults outside of chains */
	bool live; /* blocks are read as they arrive, and are not kept */
	/* by the time of their first event; NULL: taken out */
	struct tl_chain **list;
	size_t count;
	size_t capacity;
	struct tl_table table; /* of the list, by key */
	size_t lone;           /* number of chains with one trace */
	uint64_t left_out;
};

/*
 * Open the chains of all traces in a file; the descriptor is duplicated.
 * Damage outside of chains is a fault of the first chain.  0; -EBADMSG: no
 * trace; -ENOMEM; -errno; with a fault.
 */
int tl_chains_open(struct tl_chains **chains, int fd, struct tl_fault *fault);
/* Free the object and the chains that were not taken out. */
void tl_chains_free(struct tl_chains *chains);

/* Take a chain out.  The caller frees it, in any order. */
struct tl_chain *tl_chains_take(struct tl_chains *chains, size_t i);
void tl_chain_free(struct tl_chain *chain);

/* Set the time of the newest event.  0; -ENODATA: none. */
int tl_chain_newest(const struct tl_chain *chain, int64_t *ns);
/* The knots, numbered from the first that was read. */
size_t tl_chain_knot_count(const struct tl_chain *chain);
const struct timeline_knot *
tl_chain_knot(const struct tl_chain *chain, size_t i);

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

/*
 * == positions ==
 *
 * The position of a chain of blocks in its timeline: "LANE:NUMBER LANE:NUMBER
 * ...", the number of the next entry in each lane, with lanes from 0.
 */

enum { TL_POSITIONS_LANES_MAX = 1 << 16 };

void tl_put_positions(struct tl_text *text, const uint64_t *positions,
    size_t lane_count);
/* Parse positions; the caller frees the array.  0; -EINVAL: invalid;
 * -ENOMEM. */
int
tl_parse_positions(const char *words, uint64_t **positions, size_t *lane_count);

/*
 * == following ==
 *
 * The events of a stream of traces while its blocks arrive, in order of time as
 * far as possible without a long wait:
 *
 *	pipe --> blocks --> events, held back a little --> oldest first
 *	           | a block is read when whole, and then dropped
 *
 * Hosts send blocks when they are full or old enough, so that later blocks may
 * have older events.  An event is held for TL_CHAIN_HOLD_NS, so that older
 * events that arrive meanwhile are returned first.  An older event that arrives
 * later is returned at once.
 */

enum {
	TL_CHAIN_HOLD_NS = TL_NS_PER_S,
	/* Events that are held.  Beyond the limit the oldest events are
	 * released. */
	TL_CHAIN_HELD_MAX = 1 << 18
};

struct tl_chain_follow;

/* Follow the stream of fd.  Takes fd over, even on failure.  0 or -errno. */
int tl_chain_follow_new(struct tl_chain_follow **follow, int fd);
void tl_chain_follow_free(struct tl_chain_follow *follow);

/*
 * The next event that has been held long enough.  The source of the event is
 * the number of its chain, in order of arrival.  1; 0: none yet; -EPIPE: the
 * stream has ended, and all events have been returned; -ENOMEM; -errno.
 */
int
tl_chain_follow_next(struct tl_chain_follow *follow, struct tl_event *event);

/* The chains so far, and the damage outside of chains. */
const struct tl_chains *
tl_chain_follow_chains(const struct tl_chain_follow *follow);

/* == list.c == */

/* Create the chains of a file that is empty, or not scanned yet.  0 or
 * -errno. */
int tl_chains_new(struct tl_chains **chains, int fd, bool live);
/* Add a fault outside of chains; context is the chains. */
void tl_chains_note(void *context, const struct tl_fault *fault);
/* Find the chain of a trace; a new chain is added.  *chain NULL: too many
 * chains.  0 or -ENOMEM. */
int tl_chains_find(struct tl_chains *chains,
    const struct tl_blocks_trace *trace, struct tl_chain **chain);
/* Add the definitions of a block.  0 or -ENOMEM. */
int tl_chain_learn(struct tl_chain *chain, struct tl_context *context);

/* Name a chain by its properties, or by the number.  0 or -ENOMEM. */
int tl_chain_make_name(struct tl_chain *chain, size_t number);

/* == chain.c == */

struct tl_chain_bytes *tl_chain_bytes_hold(struct tl_chain_bytes *bytes);
void tl_chain_bytes_release(struct tl_chain_bytes *bytes);
/* Describe a trace as a block. */
void tl_chain_describe(struct tl_chain_block *block,
    const struct tl_blocks_trace *trace);
int tl_chain_add(struct tl_chain *chain, const struct tl_chain_block *block);
/* Mark and report that blocks are missing before the second block. */
void tl_chain_miss(struct tl_chain *chain, const struct tl_chain_block *before,
    struct tl_chain_block *block);
/* The time of the end of a block.  A block without events ends where the blocks
 * before it do. */
int64_t tl_chain_block_end(const struct tl_chain_block *block);
/* All blocks are known: order the blocks, and report missing ones. */
void tl_chain_settle(struct tl_chain *chain);

/* == cursor.c == */

/* Find or make the message of the chain that equals a message of a block.  0 or
 * -ENOMEM. */
int tl_chain_intern(struct tl_chain *chain, const struct tl_message *message,
    const struct tl_message **interned);
void tl_chain_messages_free(struct tl_chain_messages *messages);

struct tl_chain_opened;

/* Open a block to read its events in one order.  0; -EBADMSG: nothing of the
 * block can be read, which has been reported; -ENOMEM; -errno. */
int tl_chain_block_open(struct tl_chain_opened **opened, struct tl_chain *chain,
    struct tl_chain_block *block, enum tl_order order);
void tl_chain_block_close(struct tl_chain_opened *opened);
/* Get the next event like a cursor, with the messages of the chain. */
int tl_chain_block_next(struct tl_chain_opened *opened, struct tl_event *event);

#endif
