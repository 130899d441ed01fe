/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - shared by the files of src/trace/chain (see chain.h).
 */
#ifndef TL_TRACE_CHAIN_WORK_H
#define TL_TRACE_CHAIN_WORK_H

#include "event/intern.h"
#include "event/names.h"
#include "snap/snap.h"
#include "trace/chain/blocks.h"
#include "trace/chain/chain.h"

enum { TL_CHAIN_KEY_MAX = 148 };

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

struct tl_chain_bytes *tl_chain_bytes_hold(struct tl_chain_bytes *bytes);
void tl_chain_bytes_release(struct tl_chain_bytes *bytes);

/* Messages that live as long as the chain, made from the messages of its
 * blocks. */
struct tl_chain_messages {
	/* of the list, by the members that is_same() compares */
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
	char *name;
	struct tl_origin origin;
	struct tl_chain_block *blocks; /* by number */
	size_t block_count;
	size_t block_capacity;
	uint64_t events;
	struct tl_chain_messages messages;
	/* over all blocks; a later name replaces an earlier one */
	struct tl_names names;
	struct timeline_knot *knots;
	size_t knot_count;
	size_t knot_capacity;
	/* number of knots removed while the chain was read or followed */
	size_t knots_gone;
	struct tl_faults *faults; /* NULL: none */
	bool damaged;
};

struct tl_chains {
	struct tl_chain_bytes *bytes;
	struct tl_faults faults; /* faults outside of chains */
	bool live; /* blocks are read as they arrive, and are not kept */
	struct tl_chain **list;
	size_t count;
	size_t capacity;
	struct tl_table table; /* of the list, by key */
	size_t lone;           /* number of chains with one trace */
	uint64_t left_out;
};

/* == list.c == */

/* Create the chains of a file that is empty, or not scanned yet.  0 or
 * -errno. */
int tl_chains_new(struct tl_chains **chains, int fd, bool live);
/* Find the chain of a trace; a new chain is added.  *chain NULL: too many
 * chains.  0 or -ENOMEM. */
int tl_chains_find(struct tl_chains *chains,
    const struct tl_blocks_trace *trace, struct tl_chain **chain);
/* Add the definitions of a block.  0 or -ENOMEM. */
int tl_chain_learn(struct tl_chain *chain, struct tl_context *context);

/* If there are many traces without a chain, merge the traces of the same
 * origin.  0 or -ENOMEM. */
int tl_chains_group(struct tl_chains *chains);
/* Name a chain by its properties, or by the number.  0 or -ENOMEM. */
int tl_chain_make_name(struct tl_chain *chain, size_t number);
/* Name all chains, and order them by time.  A name that several chains have
 * gets a number in all but the first.  0 or -ENOMEM. */
int tl_chains_name(struct tl_chains *chains);

/* == chain.c == */

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
