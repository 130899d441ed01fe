/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - a live timeline that becomes blocks of a chain.
 *
 *	timeline --recorder--> small files in memory --put--> spool
 *
 * It goes on where the chain left off, if the timeline is still the one that
 * the chain was made of; a new one of the same name is taken from its first
 * entry.
 */
#ifndef TL_SHIP_FEED_H
#define TL_SHIP_FEED_H

#include "ship/spool/spool.h"

#include <stdbool.h>

struct tl_feed;

struct tl_feed_options {
	const char *host;
	uint64_t block_size; /* of a block, about */
	uint64_t every_ns;   /* ... or once so much time has passed */
	int compress;        /* zstd level, 0: plain */
	bool all;            /* begin a new chain with what was logged before */
	const struct tl_report *report; /* of what goes wrong; any thread */
};

struct tl_feed_status {
	uint64_t entries; /* that were recorded */
	uint64_t lost;
	int rc;    /* why it cannot be followed, or its blocks not kept; 0 */
	bool done; /* nothing more will come of it */
};

/* Follow the timeline of fd, which stays the caller's, into the chain.  0,
 * -errno and the fault says why. */
int tl_feed_start(struct tl_feed **chain, struct tl_spool_chain *kept,
    const char *timeline, int fd, const struct tl_feed_options *options,
    struct tl_fault *fault);
void tl_feed_status(struct tl_feed *chain, struct tl_feed_status *status);
/* What was logged by now becomes blocks.  Returns at once. */
void tl_feed_stop(struct tl_feed *chain);
/* Stops, and waits for the last block.  NULL does nothing. */
void tl_feed_free(struct tl_feed *chain);

#endif
