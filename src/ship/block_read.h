/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_read.h - what a block says of itself, and its events.
 */
#ifndef TL_SHIP_BLOCK_READ_H
#define TL_SHIP_BLOCK_READ_H

#include "base/fault.h"
#include "base/text.h"
#include "ship/block.h"
#include "trace/read.h"

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
int tl_block_tell(struct tl_block_facts *facts, struct tl_trace *trace,
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

#endif
