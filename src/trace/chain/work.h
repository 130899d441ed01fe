/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - what the files of src/trace/chain share (see chain.h).
 */
#ifndef TL_TRACE_CHAIN_WORK_H
#define TL_TRACE_CHAIN_WORK_H

#include "event/intern.h"
#include "snap/snap.h"
#include "trace/chain/blocks.h"
#include "trace/chain/chain.h"

enum { TL_CHAIN_KEY_MAX = 148 };

#define TL_CHAIN_UNKNOWN UINT64_MAX

/* One block, and where it lies. */
struct tl_chain_block {
	uint64_t at;
	uint64_t size;
	uint64_t number;
	uint64_t last; /* the number; of dropped ones, the last number */
	bool dropped;  /* several blocks that were dropped */
	uint64_t events;
	int64_t min_ns; /* of its events, and of repeated begins */
	int64_t max_ns;
	uint32_t order; /* in which it came */
	bool whole;
	int64_t created_ns;
	bool repeats;    /* begin events are repeated in it */
	bool follows;    /* the block before has all of these */
	int64_t told_ns; /* some block has those up to this time */
	bool said;       /* was its damage reported? */
	/* Entries of its timeline before it, and up to where the next block
	 * begins; TL_CHAIN_UNKNOWN: it does not say. */
	uint64_t begins;
	uint64_t goes_on;
	uint64_t identity; /* a hash of which timeline it is */
	bool hole;         /* blocks are missing before it */
	uint64_t missing;  /* entries of the missing blocks; 0: unknown */
};

/* The bytes of a stream, which chains share. */
struct tl_chain_bytes {
	unsigned refs;
	int fd;
	struct tl_interner *interner;     /* texts of messages */
	const struct tl_message *nothing; /* where there are too many */
};

struct tl_chain_bytes *tl_chain_bytes_hold(struct tl_chain_bytes *bytes);
void tl_chain_bytes_release(struct tl_chain_bytes *bytes);

/* Messages that live as long as their chain, made of those of its blocks. */
struct tl_chain_messages {
	struct tl_table table; /* of the list, by what is_same() compares */
	const struct tl_message **list;
	size_t count;
	size_t capacity;
};

struct tl_chain {
	struct tl_chain_bytes *bytes;
	char key[TL_CHAIN_KEY_MAX]; /* what its blocks have in common */
	size_t key_size;
	uint32_t number; /* in the order in which they came */
	bool numbered;   /* its blocks have numbers */
	bool lone;       /* a trace that stands for itself */
	char *name;
	struct tl_origin origin;
	struct tl_chain_block *blocks; /* by number */
	size_t block_count;
	size_t block_capacity;
	uint64_t events;
	struct tl_chain_messages messages;
	struct timeline_knot *knots;
	size_t knot_count;
	size_t knot_capacity;
	size_t knots_gone; /* thinned out while it was read or followed */
	struct tl_faults *faults; /* NULL: none so far */
	bool damaged;
};

struct tl_chains {
	struct tl_chain_bytes *bytes;
	struct tl_faults faults; /* of what is of no chain */
	bool live; /* blocks are read as they come, and not kept */
	struct tl_chain **list;
	size_t count;
	size_t capacity;
	struct tl_table table; /* of the list, by key */
	size_t lone;           /* chains of one trace */
	uint64_t left_out;
};

/* == list.c == */

/* The chains of a file that is still empty, or not scanned: 0, -errno. */
int tl_chains_new(struct tl_chains **chains, int fd, bool live);
/* The chain of a trace, made now if there was none; NULL: there are too
 * many.  0, -ENOMEM. */
int tl_chains_find(struct tl_chains *chains,
    const struct tl_blocks_trace *trace, struct tl_chain **chain);
/* Add the definitions of a block: 0, -ENOMEM. */
int tl_chain_learn(struct tl_chain *chain, struct tl_context *context);

/* Where there are many traces without a chain, those of one origin become
 * one: 0, -ENOMEM. */
int tl_chains_group(struct tl_chains *chains);
/* By what a chain is known, or else that it is number so and so. */
int tl_chain_make_name(struct tl_chain *chain, size_t number);
/* Name all.  Of those that are called the same all but the first get a
 * number.  They are in order of time then. */
int tl_chains_name(struct tl_chains *chains);

/* == chain.c == */

/* The trace that was found, as a block. */
void tl_chain_describe(struct tl_chain_block *block,
    const struct tl_blocks_trace *trace);
int tl_chain_add(struct tl_chain *chain, const struct tl_chain_block *block);
/* Blocks are missing between these two: mark the later one, and report it. */
void tl_chain_miss(struct tl_chain *chain, const struct tl_chain_block *before,
    struct tl_chain_block *block);
/* When a block was over; one without events was after what came before. */
int64_t tl_chain_block_end(const struct tl_chain_block *block);
/* All its blocks are known: put them in order, and report missing ones. */
void tl_chain_settle(struct tl_chain *chain);

/* == cursor.c == */

/* The message of a chain that equals one of a block.  0, -ENOMEM. */
int tl_chain_intern(struct tl_chain *chain, const struct tl_message *message,
    const struct tl_message **interned);
void tl_chain_messages_free(struct tl_chain_messages *messages);

struct tl_chain_opened;

/* Open a block to read its events in one order: 0; -EBADMSG nothing of it can
 * be read, which was said; -ENOMEM, -errno. */
int tl_chain_block_open(struct tl_chain_opened **opened, struct tl_chain *chain,
    struct tl_chain_block *block, enum tl_order order);
void tl_chain_block_close(struct tl_chain_opened *opened);
/* As a cursor's, with the chain's messages. */
int tl_chain_block_next(struct tl_chain_opened *opened, struct tl_event *event);

#endif
