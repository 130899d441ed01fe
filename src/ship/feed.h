/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - a live timeline that becomes blocks of a chain.
 *
 *	timeline --recorder--> small files in memory --put--> spool
 *
 * It continues where the chain ended if the file is still the one that the
 * chain was made from.  A new file of the same name is shipped from its first
 * entry, in the same chain.
 *
 * One thread reads all timelines.  The recorder has a thread of its own that
 * writes: all its callbacks run there, and no other puts blocks of this chain.
 */
#ifndef TL_SHIP_FEED_H
#define TL_SHIP_FEED_H

#include "ship/spool/spool.h"

#include <stdbool.h>

struct tl_feed;
struct tl_recorder_crew;

struct tl_feed_options {
	const char *host;
	uint64_t block_size; /* of a block, about */
	uint64_t every_ns;   /* age at which a block ends */
	int compress;        /* zstd level, 0: plain */
	bool all;            /* begin a new chain with what was logged before */
	const struct tl_report *report; /* of faults; any thread */
	/* that reads; NULL: each timeline has its own thread */
	struct tl_recorder_crew *readers;
};

struct tl_feed_status {
	uint64_t entries; /* that were recorded */
	uint64_t lost;
	int rc;    /* why following or spooling fails; 0 */
	bool done; /* it has ended */
};

/* Follow the timeline of fd, which remains the caller's, into the chain.  0;
 * -errno and the fault. */
int tl_feed_start(struct tl_feed **chain, struct tl_spool_chain *kept,
    const char *timeline, int fd, const struct tl_feed_options *options,
    struct tl_fault *fault);
void tl_feed_status(struct tl_feed *chain, struct tl_feed_status *status);
/* Make blocks of what was logged so far, and end.  Returns at once. */
void tl_feed_stop(struct tl_feed *chain);
/* Stop, and wait for the last block.  NULL does nothing. */
void tl_feed_free(struct tl_feed *chain);

#endif
