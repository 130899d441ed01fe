/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - what is shipped: a small recorded trace that can be read alone,
 * one of a chain that continues one timeline of one host.
 */
#ifndef TL_SHIP_BLOCK_H
#define TL_SHIP_BLOCK_H

#include "base/bytes.h"
#include "base/fault.h"
#include "base/text.h"
#include "trace/read.h"

#include <stdbool.h>
#include <stdio.h>

enum {
	TL_CHAIN_SIZE = 33,      /* 32 hexadecimal digits, and NUL */
	TL_BLOCK_NAME_MAX = 256, /* of a host, of a timeline */
	TL_BLOCK_ID_MAX = 64     /* CHAIN-NUMBER */
};

struct tl_block {
	char host[TL_BLOCK_NAME_MAX];
	char timeline[TL_BLOCK_NAME_MAX];
	char chain[TL_CHAIN_SIZE];
	uint64_t number;  /* in its chain, from 0 */
	int64_t from_ns;  /* the least time of its events ... */
	int64_t to_ns;    /* ... and the greatest */
	uint64_t entries; /* losses are none */
	uint64_t lost;    /* entries that its losses stand for */
	struct tl_bytes data;
};

/* == its id, and the names of its headers in a cluster == */

#define TL_HEADER_ID      "Nats-Msg-Id"
#define TL_HEADER_FROM    "Timeline-From" /* ns */
#define TL_HEADER_TO      "Timeline-To"
#define TL_HEADER_ENTRIES "Timeline-Entries"
#define TL_HEADER_LOST    "Timeline-Lost"

static inline void
tl_block_id_put(char to[TL_BLOCK_ID_MAX], const struct tl_block *block)
{
	snprintf(to, TL_BLOCK_ID_MAX, "%.*s-%llu", TL_CHAIN_SIZE - 1,
	    block->chain, (unsigned long long)block->number);
}

/* Chain and number, from anybody: false, it is no id. */
static inline bool
tl_block_id_get(struct tl_block *block, const char *id)
{
	const size_t digits = TL_CHAIN_SIZE - 1;
	const char *number;

	if (strspn(id, "0123456789abcdef") != digits || id[digits] != '-')
		return false;
	number = id + digits + 1;
	if ((number[0] == '0' && number[1]) || /* one way to write it */
	    tl_parse_unsigned(number, &block->number) < 0)
		return false;
	memcpy(block->chain, id, digits);
	block->chain[digits] = '\0';
	return true;
}

/* == reading == */

enum {
	TL_IDENTITY_MAX = 80, /* of a timeline: its boot and its birth */
	TL_POSITIONS_MAX = 1 << 20
};

/* The INFOs that blocks have beside those of every recording. */
#define TL_INFO_CHAIN     "chain"
#define TL_INFO_BLOCK     "block"
#define TL_INFO_DROPPED   "dropped"
#define TL_INFO_SENT      "sent"
#define TL_INFO_THINNED   "thinned" /* "4:120 6:8": so many of each level */
#define TL_INFO_IDENTITY  "identity"
#define TL_INFO_BEGINS    "begins"
#define TL_INFO_POSITIONS "positions"

/* A block as its bytes tell it.  Starts from all zeros. */
struct tl_block_facts {
	struct tl_block block; /* its data: what was given */
	bool dropped;          /* it stands for others that were dropped: */
	uint64_t last;         /* ... up to this number */
	uint64_t sent;         /* of a state: those before it may have been */
	/* Entries that were taken out of it, by level: among its lost. */
	uint64_t thinned[TIMELINE_LEVEL_NONE];
	char identity[TL_IDENTITY_MAX];
	char boot[TL_IDENTITY_MAX];
	struct tl_text begins;    /* where it begins in each lane ... */
	struct tl_text positions; /* ... and where the next one goes on */
};

/* Open a block; data outlives the trace.  0, -errno and the fault says why. */
int tl_block_open(struct tl_trace **trace, struct tl_bytes data,
    struct tl_fault *fault);
/* The INFOs alone, of a block that may be damaged.  0; -EBADMSG: it is no
 * block of a chain; -errno. */
int tl_block_read_infos(struct tl_block_facts *facts, struct tl_bytes data,
    struct tl_fault *fault);
/* What an open block says.  0; -EBADMSG: it is no block of a chain. */
int tl_block_read_facts(struct tl_block_facts *facts, struct tl_trace *trace,
    struct tl_fault *fault);
/* Both, of a whole block: -EBADMSG when anything in it is damaged. */
int tl_block_describe(struct tl_block_facts *facts, struct tl_bytes data,
    struct tl_fault *fault);
void tl_block_facts_free(struct tl_block_facts *facts);

/* The level of an entry; 0: a level that there is not. */
static inline unsigned
tl_block_level(const struct tl_event *event)
{
	return event->level < TIMELINE_LEVEL_NONE ? event->level : 0;
}

/* Count the entries of a block by level; 0: it is not known.  0 or -errno. */
int tl_block_count_levels(uint64_t counts[TIMELINE_LEVEL_NONE],
    struct tl_bytes data);
static inline uint64_t
tl_levels_total(const uint64_t counts[TIMELINE_LEVEL_NONE])
{
	uint64_t total = 0;

	for (unsigned i = 0; i < TIMELINE_LEVEL_NONE; i++)
		total += counts[i];
	return total;
}

/* Is this the name of a chain? */
bool tl_chain_is_name(const char *name);

/* == writing == */

/*
 * Append a trace of these INFOs.  Where facts->dropped, it stands for the
 * blocks from facts->block.number to facts->last: one loss of so many entries
 * as facts->block.lost says, at facts->block.from_ns.  0 or -errno.
 */
int tl_block_make(struct tl_text *text, const struct tl_block_facts *facts);

/*
 * Append what is left of a block without the entries below warning: what they
 * were is one loss, where the first of them was, and the INFO "thinned" counts
 * them by level.  Sets the facts of the new block, to be freed.  0; -EALREADY:
 * it has no such entries; -EBADMSG: it is damaged; -errno.
 */
int tl_block_thin(struct tl_text *text, struct tl_block_facts *facts,
    struct tl_bytes data);

#endif
