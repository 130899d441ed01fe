/* SPDX-License-Identifier: Apache-2.0 */
/*
 * private.h - the data of a spool.  Only the files of this folder include this.
 */
#ifndef TL_SHIP_SPOOL_PRIVATE_H
#define TL_SHIP_SPOOL_PRIVATE_H

#include "ship/spool/spool.h"

#include <limits.h>
#include <pthread.h>

enum {
	TL_SPOOL_FILE_MAX = 64,        /* bytes of a name in a chain's folder */
	TL_SPOOL_BLOCKS_MAX = 1 << 20, /* of a chain */
	TL_SPOOL_BLOCK_MAX = 64 << 20, /* bytes of one that is read */
	TL_SPOOL_PAGE = 4096,          /* a file uses whole pages of the disk */
	TL_SPOOL_SENT_AHEAD = 64 /* numbers that a state reserves as sent */
};

/*
 * A block or a placeholder.  The members from from_ns to detail are valid if
 * known is set.  put_ns orders the blocks of all chains by age.
 */
struct tl_spooled {
	uint64_t first;
	uint64_t last;
	bool dropped; /* a placeholder of first to last */
	bool known;
	bool thinned; /* no detail is left */
	int64_t from_ns;
	int64_t to_ns;
	uint64_t entries;
	uint64_t lost;
	uint64_t detail; /* part of lost that thinning removed */
	int64_t put_ns;
	uint32_t size;
	mode_t withheld; /* as in struct tl_block; of a file, by its mode */
	bool tried;      /* the target may have it */
	bool done; /* acked; kept because it has the next number of its chain */
	char *data; /* in memory; NULL: in a file */
};

struct tl_spool_chain {
	struct tl_spool *spool;
	char host[TL_BLOCK_NAME_MAX];
	char timeline[TL_BLOCK_NAME_MAX];
	char name[TL_CHAIN_SIZE];
	int folder; /* -1: in memory */
	bool used;
	int64_t used_ns; /* end of the last use */

	/* under the lock of the spool */
	uint64_t next;
	uint64_t sent; /* numbers below may have been sent (state) */
	char identity[TL_IDENTITY_MAX];
	char boot[TL_IDENTITY_MAX];
	struct tl_text positions;
	struct tl_spooled *blocks; /* [begin, begin + count) */
	size_t begin;
	size_t count;
	size_t capacity;
	size_t in_flight; /* blocks from begin on */
};

struct tl_spool {
	struct tl_spool_options options;
	int folder; /* -1: in memory */
	int lock_fd;
	struct tl_spool_chain *chains[TL_SPOOL_CHAINS_MAX];
	size_t chain_count;

	pthread_mutex_t lock; /* of status and of the chains */
	struct tl_spool_status status;

	/* of the thread that sends */
	struct tl_spool_chain *taken; /* its first waiting block; NULL */
	size_t turn;
	struct tl_text data;
};

static inline struct tl_spooled *
tl_spooled_at(const struct tl_spool_chain *chain, size_t i)
{
	return &chain->blocks[chain->begin + i];
}

/* The space that a block uses. */
static inline uint64_t
tl_spooled_size(const struct tl_spooled *b)
{
	const uint64_t page = TL_SPOOL_PAGE;

	return b->data ? b->size + sizeof(*b)
		       : ((uint64_t)b->size + page - 1) / page * page;
}

/* What each block of the chain says of it now. */
static inline struct tl_block_facts
tl_spool_facts_of(const struct tl_spool_chain *c)
{
	struct tl_block_facts facts = { 0 };

	memcpy(facts.block.host, c->host, sizeof(c->host));
	memcpy(facts.block.timeline, c->timeline, sizeof(c->timeline));
	memcpy(facts.block.chain, c->name, sizeof(c->name));
	memcpy(facts.identity, c->identity, sizeof(c->identity));
	memcpy(facts.boot, c->boot, sizeof(c->boot));
	return facts;
}

/* == the list of a chain (spool.c) == */

int tl_spool_list_room(struct tl_spool_chain *chain);
/* After tl_spool_list_room.  Takes the data over. */
void
tl_spool_list_add(struct tl_spool_chain *chain, const struct tl_spooled *b);
/* Remove from the list and from memory; the file stays. */
void tl_spool_list_remove(struct tl_spool_chain *chain, size_t i);

/* == files (folder.c) == */

/* "17.trace", "18-90.lost" */
void
tl_spool_file_name(char name[TL_SPOOL_FILE_MAX], const struct tl_spooled *b);
/* Write the file of a block or placeholder. */
int tl_spool_block_write(struct tl_spool_chain *chain,
    const struct tl_spooled *b, struct tl_bytes data);
/* Read a regular file: 0, -ELOOP, -EINVAL, -EFBIG, -errno. */
int tl_spool_file_read(int folder, const char *name, struct tl_text *text);
/* Rename a damaged file to NAME.bad, and report it. */
void tl_spool_file_aside(struct tl_spool_chain *chain, const char *name,
    const char *why);
void
tl_spool_file_remove(struct tl_spool_chain *chain, const struct tl_spooled *b);
/* Write the state of a chain: 0 or -errno. */
int tl_spool_state_write(struct tl_spool_chain *chain);
/* The name of the folder of a chain. */
void tl_spool_folder_name(struct tl_text *name, const char *host,
    const char *timeline);
/* Remove the state of a chain, and its folder if it is empty then. */
void tl_spool_folder_remove(struct tl_spool_chain *chain);

/* == dropping (drop.c), under the lock == */

/* The bytes of a block: in memory, or read into text.  0 or -errno. */
int tl_spooled_load(struct tl_spool_chain *chain, const struct tl_spooled *b,
    struct tl_text *text, struct tl_bytes *data);
/* Check a block of the folder and take its counts: 0; -EBADMSG: invalid. */
int tl_spooled_inspect(struct tl_spool_chain *chain, struct tl_spooled *b,
    struct tl_bytes data, struct tl_fault *fault);
/* Free space: thin the oldest block of any chain that has entries below
 * warning; if there is none, drop the oldest block.  0; -ENOENT: nothing can be
 * dropped; -errno. */
int tl_spool_shrink(struct tl_spool *spool);
/* Thin block i: 0; -errno: it is unchanged. */
int tl_spool_thin(struct tl_spool_chain *chain, size_t i);
/* Replace block i by a placeholder. */
int tl_spool_drop(struct tl_spool_chain *chain, size_t i);

/* == the scan at the start (folder.c), and the table of chains == */

int tl_spool_scan(struct tl_spool *spool, struct tl_fault *fault);
/* Add a chain to the table.  0, -ENOSPC, -ENOMEM. */
int tl_spool_add(struct tl_spool *spool, struct tl_spool_chain **chain);
void tl_spool_chain_free(struct tl_spool_chain *chain);

#endif
