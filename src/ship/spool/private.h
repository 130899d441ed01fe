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
	TL_SPOOL_PAGE = 4096,          /* of which files are made */
	TL_SPOOL_SENT_AHEAD = 64       /* numbers that a state says are sent */
};

/* A block, or one that stands for several. */
struct tl_spooled {
	uint64_t first;
	uint64_t last;
	bool dropped; /* stands for them */
	bool known;   /* what follows is */
	bool thinned; /* there is no more detail to take out of it */
	int64_t from_ns;
	int64_t to_ns;
	uint64_t entries;
	uint64_t lost;
	uint64_t detail; /* ... of these, what thinning took out of it */
	int64_t put_ns;  /* when: the oldest is dropped first */
	uint32_t size;
	bool tried; /* the target may have it */
	bool done;  /* it arrived, and only tells where its chain goes on */
	char *data; /* in memory; NULL: in a file */
};

struct tl_spool_chain {
	struct tl_spool *spool;
	char host[TL_BLOCK_NAME_MAX];
	char timeline[TL_BLOCK_NAME_MAX];
	char name[TL_CHAIN_SIZE];
	int folder; /* -1: in memory */
	bool used;
	int64_t used_ns; /* when it was, the last time */

	/* under the lock of the spool */
	uint64_t next;
	uint64_t sent; /* as the state has it */
	char identity[TL_IDENTITY_MAX];
	char boot[TL_IDENTITY_MAX];
	struct tl_text positions;
	struct tl_spooled *blocks; /* [begin, begin + count) */
	size_t begin;
	size_t count;
	size_t capacity;
	size_t in_flight; /* the first so many */
};

struct tl_spool {
	struct tl_spool_options options;
	int folder; /* -1: in memory */
	int lock_fd;
	struct tl_spool_chain *chains[TL_SPOOL_CHAINS_MAX];
	size_t chain_count;

	pthread_mutex_t lock; /* of what follows, and of the chains */
	struct tl_spool_status status;

	/* of the thread that sends */
	struct tl_spool_chain *taken; /* its first that waits; NULL: none */
	size_t turn;
	struct tl_text data;
};

static inline struct tl_spooled *
tl_spooled_at(const struct tl_spool_chain *chain, size_t i)
{
	return &chain->blocks[chain->begin + i];
}

/* What a block takes. */
static inline uint64_t
tl_spooled_size(const struct tl_spooled *b)
{
	const uint64_t page = TL_SPOOL_PAGE;

	return b->data ? b->size + sizeof(*b)
		       : ((uint64_t)b->size + page - 1) / page * page;
}

/* == the list of a chain (spool_list.c) == */

int tl_spool_list_room(struct tl_spool_chain *chain);
/* There is room.  The data is taken over. */
void
tl_spool_list_add(struct tl_spool_chain *chain, const struct tl_spooled *b);
/* Out of the list, and its memory; not its file. */
void tl_spool_list_remove(struct tl_spool_chain *chain, size_t i);

/* == files (spool_file.c) == */

/* "17.trace", "18-90.lost" */
void
tl_spool_file_name(char name[TL_SPOOL_FILE_MAX], const struct tl_spooled *b);
/* Of the name, the numbers.  false: it is no such name. */
bool tl_spool_file_parse(const char *name, struct tl_spooled *b);
/* Write a file so that it is there whole or not at all. */
int tl_spool_file_write(int folder, const char *name, struct tl_bytes data);
/* All of an ordinary file: 0, -ELOOP, -EINVAL, -EFBIG, -errno. */
int tl_spool_file_read(int folder, const char *name, struct tl_text *text);
/* Keep what is damaged, under another name. */
void tl_spool_file_aside(struct tl_spool_chain *chain, const char *name,
    const char *why);
void
tl_spool_file_remove(struct tl_spool_chain *chain, const struct tl_spooled *b);
/* Write what is known of a chain: 0 or -errno. */
int tl_spool_state_write(struct tl_spool_chain *chain);
/* What its folder is called. */
void tl_spool_folder_name(struct tl_text *name, const char *host,
    const char *timeline);
/* Remove what is known of a chain, and its folder if nothing else is there. */
void tl_spool_folder_remove(struct tl_spool_chain *chain);

/* == dropping (spool_drop.c), under the lock == */

/* Its bytes: of memory, or read into text.  0, -errno. */
int tl_spooled_load(struct tl_spool_chain *chain, const struct tl_spooled *b,
    struct tl_text *text, struct tl_bytes *data);
/* Learn what a block found in the folder holds: 0; -EBADMSG it is none. */
int tl_spooled_inspect(struct tl_spool_chain *chain, struct tl_spooled *b,
    struct tl_bytes data, struct tl_fault *fault);
/* Make the oldest block smaller that may be: as long as one of any chain has
 * entries below warning these go, then the oldest is dropped.  0; -ENOENT there
 * is none; -errno. */
int tl_spool_shrink(struct tl_spool *spool);
/* Take the detail out of block i: 0; -errno: it stays as it was. */
int tl_spool_thin(struct tl_spool_chain *chain, size_t i);
/* Drop block i of a chain. */
int tl_spool_drop(struct tl_spool_chain *chain, size_t i);

/* == what lies in a folder (spool_scan.c) == */

int tl_spool_scan(struct tl_spool *spool, struct tl_fault *fault);
/* A chain in the table.  0, -ENOSPC, -ENOMEM. */
int tl_spool_add(struct tl_spool *spool, struct tl_spool_chain **chain);
void tl_spool_chain_free(struct tl_spool_chain *chain);

#endif
