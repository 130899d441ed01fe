/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - the unit that is shipped: a small recorded trace
 *
 * Problem.  A stream of events has to survive a crash of the sender, of a
 * server and of a reader; it has to be cut where any of them stops, and each
 * piece has to be readable without the others.
 *
 *	chain 5f3c... of web1/app:
 *
 *	block 0 ----- block 1 ----- block 2 ----- [3-7 dropped] ----- block 8
 *	INFO chain, block, host, timeline, identity	which piece this is
 *	INFO begins					first entry of each lane
 *	messages, threads, clock, entries		a whole trace
 *	INFO positions					where block 1 begins
 *
 * Invariants.  A number of a chain is given once: never to two blocks with
 * different entries, except that a block may be replaced by a smaller one that
 * counts what it lost.  The positions of a block are the begins of the next, so
 * two blocks show how many entries are between them.  CHAIN-NUMBER identifies a
 * block everywhere; receivers drop a second copy by it.
 *
 * Two kinds of blocks are made by the spool and not by the recorder.  A
 * placeholder has no entries and one loss that counts those of the blocks it
 * stands for.  A thinned block has only entries of warning and above, one loss
 * that counts the others, and their number by level.
 *
 * The bytes of a block are untrusted wherever they come from: a spool folder
 * and a cluster can be written to by other users.
 *
 * Rejected: one long stream with offsets, because a reader that starts in the
 * middle would need all message definitions before it.
 */
#ifndef TL_SHIP_BLOCK_H
#define TL_SHIP_BLOCK_H

#include "base/bytes.h"
#include "base/fault.h"
#include "base/text.h"
#include "trace/read.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

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
	int64_t from_ns;  /* of its earliest event */
	int64_t to_ns;    /* of its latest event */
	uint64_t entries; /* without losses */
	uint64_t lost;    /* entries that its losses count */
	mode_t withheld;  /* by its timeline (base/file.h); 0: not known */
	bool kept;        /* a copy of its warnings, by the stream of those */
	struct tl_bytes data;
};

/* == its id, and the names of its headers in a cluster == */

#define TL_HEADER_ID      "Timeline-Id"
#define TL_HEADER_FROM    "Timeline-From" /* ns */
#define TL_HEADER_TO      "Timeline-To"
#define TL_HEADER_ENTRIES "Timeline-Entries"
#define TL_HEADER_LOST    "Timeline-Lost"
#define TL_HEADER_WHOLE   "Timeline-Whole" /* sequence of the whole block */
/* The stream stores the message only if the last message of its subject has
 * this sequence; 0: if the subject has none. */
#define TL_HEADER_LAST "Nats-Expected-Last-Subject-Sequence"

static inline void
tl_block_id_put(char to[TL_BLOCK_ID_MAX], const struct tl_block *block)
{
	snprintf(to, TL_BLOCK_ID_MAX, "%.*s-%lu", TL_CHAIN_SIZE - 1,
	    block->chain, block->number);
}

/* Parse an untrusted id.  false: it is invalid. */
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

/* Parse "FIRST-LAST" and a suffix, "" or one that begins with a dot.  false: it
 * is invalid. */
bool tl_block_range_get(const char *text, const char *suffix, uint64_t *first,
    uint64_t *last);

/* == reading == */

enum {
	TL_IDENTITY_MAX = 80, /* boot ID and time of creation of a timeline */
	TL_POSITIONS_MAX = 1 << 20
};

/* The INFOs of a block, besides those of every recording. */
#define TL_INFO_CHAIN     "chain"
#define TL_INFO_BLOCK     "block"
#define TL_INFO_DROPPED   "dropped"
#define TL_INFO_SENT      "sent"
#define TL_INFO_THINNED   "thinned" /* "4:120 6:8": level:entries */
#define TL_INFO_IDENTITY  "identity"
#define TL_INFO_BEGINS    "begins"
#define TL_INFO_POSITIONS "positions"

/* The facts in the INFOs and the events of a block.  Starts from all zeros. */
struct tl_block_facts {
	struct tl_block block; /* data: the bytes that were read */
	bool dropped;          /* a placeholder of blocks up to last */
	uint64_t last;
	uint64_t sent; /* of a state: blocks before it may have been sent */
	/* Entries that thinning removed, by level; counted in lost as well. */
	uint64_t thinned[TIMELINE_LEVEL_NONE];
	char identity[TL_IDENTITY_MAX];
	char boot[TL_IDENTITY_MAX];
	struct tl_text begins;    /* first entry of each lane */
	struct tl_text positions; /* first entry of the next block */
};

/* Open a block; data outlives the trace.  0; -errno and the fault. */
int tl_block_open(struct tl_trace **trace, struct tl_bytes data,
    struct tl_fault *fault);
/* Read only the INFOs, of a block that may be damaged.  0; -EBADMSG: not a
 * block of a chain; -errno. */
int tl_block_read_infos(struct tl_block_facts *facts, struct tl_bytes data,
    struct tl_fault *fault);
/* Read the INFOs and count the events of a block, all of which is checked:
 * -EBADMSG if anything in it is damaged, or it is not a block of a chain. */
int tl_block_describe(struct tl_block_facts *facts, struct tl_bytes data,
    struct tl_fault *fault);
void tl_block_facts_free(struct tl_block_facts *facts);

/* The level of an entry; 0: invalid. */
static inline unsigned
tl_block_level(const struct tl_event *event)
{
	return event->level < TIMELINE_LEVEL_NONE ? event->level : 0;
}

/* Count the entries of a block by level; counts[0]: unknown.  0 or -errno. */
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

/* == writing == */

/*
 * Append a trace with these INFOs and no entries.  If facts->dropped, it is the
 * placeholder of blocks facts->block.number to facts->last: one loss of
 * facts->block.lost entries at facts->block.from_ns.  0 or -errno.
 */
int tl_block_make(struct tl_text *text, const struct tl_block_facts *facts);

/*
 * Append a copy of a block without its entries below warning.  One loss, at the
 * time of the first of them, counts them, and the INFO "thinned" counts them by
 * level.  Sets the facts of the new block, to be freed by the caller.  0;
 * -EALREADY: there are no such entries; -EBADMSG: it is damaged; -errno.
 */
int tl_block_thin(struct tl_text *text, struct tl_block_facts *facts,
    struct tl_bytes data);

/* == seen == */

/*
 * The blocks seen of each chain: second copies are detected, missing blocks are
 * counted
 *
 *	numbers	0 1 2 . . 5 6 7 . 9     next: 10
 *		      ^3-4    ^8-8      ranges that are missing
 *
 * Blocks beside a kept copy (nats/protocol.h) are not missing: the stream has
 * discarded them.
 */

enum {
	TL_SEEN_CHAINS_MAX = 4096, /* then the least recently used goes */
	TL_SEEN_GAPS_MAX =
	    32 /* ranges of a chain; then the first is forgotten */
};

struct tl_seen_gap {
	uint64_t first, last;
};

struct tl_seen_chain {
	char name[TL_CHAIN_SIZE];
	char host[TL_BLOCK_NAME_MAX];
	char timeline[TL_BLOCK_NAME_MAX];
	uint64_t begun; /* the first number that was seen */
	uint64_t next;  /* one more than the greatest */
	uint64_t used;  /* when: a counter */
	bool kept;      /* the newest is a kept copy */
	size_t gap_count;
	struct tl_seen_gap gaps[TL_SEEN_GAPS_MAX];
};

/* Starts from all zeros. */
struct tl_seen {
	struct tl_seen_chain **chains;
	size_t count;
	size_t capacity;
	uint64_t used;
	uint64_t missing;   /* blocks in gaps, also those forgotten */
	uint64_t discarded; /* blocks beside kept copies */
};

enum tl_seen_place {
	TL_SEEN_FIRST,    /* of its chain */
	TL_SEEN_NEXT,     /* what was expected */
	TL_SEEN_AHEAD,    /* blocks before it are missing */
	TL_SEEN_LATE,     /* a block that was missing */
	TL_SEEN_DUPLICATE /* seen before */
};

/* Add a block, or the placeholder of all up to last; sets chain.  Returns an
 * enum tl_seen_place, or -ENOMEM. */
int tl_seen_add(struct tl_seen *seen, const struct tl_block *block,
    uint64_t last, const struct tl_seen_chain **chain);
void tl_seen_free(struct tl_seen *seen);

#endif
